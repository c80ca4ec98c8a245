// The names of a function being lowered, with undo: a branch or loop body runs on the one table, then its changes are
// taken out again to be joined. The cost is that of the changes, not of the table.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/lower/value.h"

namespace tilescope::lower {

/// A name in scope.
struct Binding {
  Value value;
  SourceRange where;        ///< the target of the assignment, or the parameter
  bool constexpr_ = false;  ///< declared tl.constexpr: a loop or branch must not reassign it
};

using Names = std::map<std::string, Binding>;

/// The names touched since a mark, with what they are now; empty for a name that is gone.
using Changes = std::map<std::string, std::optional<Binding>>;

class Scope {
 public:
  Scope() = default;
  explicit Scope(Names names) : names_(std::move(names)) {}

  const Binding* find(const std::string& name) const;
  const Names& names() const { return names_; }
  void set(const std::string& name, Binding binding);
  void erase(const std::string& name);

  /// From here on changes can be undone. Each mark ends in exactly one take() or keep(), innermost first.
  size_t mark();
  /// Undoes everything since the mark and returns it.
  Changes take(size_t mark);
  void keep();
  void apply(const Changes& changes);

 private:
  void remember(const std::string& name);

  Names names_;
  std::vector<std::pair<std::string, std::optional<Binding>>> journal_;  ///< what each change replaced
  int open_ = 0;
};

}  // namespace tilescope::lower
