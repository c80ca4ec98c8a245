// Faults of all programs, merged by place, and the messages that explain them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/machine.h"

namespace tilescope {

/// One entry for each op and kind of fault: the first program's fault, and the number of lanes over all programs.
class FaultTable {
 public:
  void add(RawFault f) {
    const uint64_t lanes = f.lanes;
    add(std::move(f), lanes);
  }
  /// Takes over the faults of programs up to this position of the execution order.
  void merge(const FaultTable& other, int64_t last_position);
  /// Sorted by program, then by place; the same for any number of threads.
  /// `more`: faults that were found otherwise.
  std::vector<Fault> report(const Plan& plan, const Memory& memory, std::vector<Fault> more, uint64_t most, std::vector<std::string>& notes) const;

 private:
  struct Entry {
    RawFault first;    ///< of the program with the lowest number
    RawFault soonest;  ///< of the program that ran first
    uint64_t lanes;    ///< of all programs
  };
  void add(RawFault f, uint64_t lanes);

  std::map<std::pair<const Op*, FaultKind>, Entry> faults_;
};

/// The text of an expression that stands on one line; empty when it does not.
std::string source_text(const SourceRange& r);

}  // namespace tilescope
