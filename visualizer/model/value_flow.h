// How values reach each other in a kernel: from a dot's operand back to the load that it came from, from its result on
// to the store, from a tile of addresses back to the named index variables.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/ir.h"

namespace tilescope::model {

class ValueFlow {
 public:
  /// `f` must outlive it.
  explicit ValueFlow(const Function& f);

  /// The op whose result it is; null for parameters and for arguments of loop bodies.
  const Op* definition(ValueId v) const;

  struct Source {
    const Op* op = nullptr;  ///< Load, Dot, or null when neither was found
    ValueId value = kNoValue;
    /// axes[d]: axis of the loaded tile that became axis d of the value asked about (transposes on the way).
    std::vector<int> axes;
    std::string variable;    ///< nearest name on the way
    ValueId named = kNoValue;  ///< the value of that name
  };
  /// The load (or dot) that a tile came from through ops that keep lanes apart: casts, arithmetic with one tile that
  /// was loaded, transposes, variables carried by loops. Of several the first operand's wins.
  Source source_of(ValueId v) const;

  struct Sink {
    const Op* op = nullptr;  ///< Store or AtomicRmw; null when there is none
    std::vector<int> axes;   ///< axes[d]: axis of the stored tile that axis d of the value became
    std::string variable;    ///< the last name on the way
  };
  /// The store that a tile reaches through such ops.
  Sink sink_of(ValueId v) const;

  /// Named integer variables with one axis that a tile of addresses is made of, by the tile's axes, the nearest first.
  std::vector<std::vector<ValueId>> index_variables(ValueId pointers) const;

 private:
  struct Use {
    const Op* op = nullptr;
    size_t operand = 0;
  };
  struct Carried {  // an argument of a loop's body, or a result of a loop or an if
    std::vector<ValueId> from;
  };
  void link(const Op& op);
  bool same_lanes(ValueId a, ValueId b) const;
  bool find_source(ValueId v, Source& s, std::vector<uint8_t>& seen, int depth) const;
  bool find_sink(ValueId v, Sink& s, std::vector<uint8_t>& seen, int depth) const;
  void find_index(ValueId v, const std::vector<int>& axes, std::vector<std::vector<ValueId>>& out, std::vector<uint8_t>& seen,
                  int depth) const;

  const Function& f_;
  std::vector<const Op*> definition_;
  std::vector<std::vector<Use>> uses_;
  std::vector<Carried> carried_;                ///< by value: where it takes its value from, through yields
  std::vector<std::vector<ValueId>> feeds_;     ///< by value: the values that take theirs from it
};

}  // namespace tilescope::model
