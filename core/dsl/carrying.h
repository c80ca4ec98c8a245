// Variables through a loop. While its body is built, every variable made outside reads as an argument of the loop's
// region; when the body ends, those that changed are carried and the arguments of the others give way to the values
// from before, as the lowering of Triton text does.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/dsl/session.h"

namespace tilescope::dsl::detail {

using Leaves = std::vector<ValueId>;
using Replacements = std::unordered_map<ValueId, ValueId>;

inline Leaves leaves_of(const lower::Value& v) {
  Leaves out;
  lower::append_leaves(v, out);
  return out;
}

inline lower::Value with_leaves(const lower::Value& v, const Leaves& leaves) {
  size_t at = 0;
  return lower::with_leaves(v, leaves, at);
}

class Carrying {
 public:
  Carrying(Session& s, Site at);

  /// The variables become arguments of a region that was just opened.
  void enter();
  /// A variable from before the loop that was assigned since; null when there is none.
  Cell* assigned() const;
  /// Takes what the body left in the variables, before its region closes. Error when a variable changed its type.
  void take_finals();

  /// Of the carried variables, in order: values before the loop, their types, and what each region sees and leaves.
  Leaves initial() const;
  std::vector<Type> types() const;
  Leaves arguments(size_t region) const;
  Leaves finals() const;
  /// What stands for the arguments of the variables that are not carried.
  Replacements unchanged() const;

  /// After the loop: carried variables are its results, the others what they were.
  void leave(const Leaves& results);
  /// After an error or `break`: variables are what they were before.
  void abandon();

 private:
  /// A variable made before the loop.
  struct Candidate {
    uint64_t cell;
    Content before;
    Leaves init;
    std::vector<Leaves> args;  ///< for each region
  };
  /// One scalar or tile that changes from one iteration to the next.
  struct Leaf {
    const Candidate* of;
    size_t index;
    ValueId final;
  };
  bool is_carried(const Candidate& c, size_t index) const;
  void check(const Candidate& c, Cell& cell);

  Session& s_;
  Site at_;
  std::vector<Candidate> candidates_;
  std::vector<Leaf> carried_;
  bool left_ = false;
};

/// Replaces operands in the block and the regions in it.
void replace_uses(Block& block, const Replacements& with);

}  // namespace tilescope::dsl::detail
