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
  void add(RawFault f);
  /// Takes over the faults of programs up to this position of the execution order.
  void merge(const FaultTable& other, int64_t last_position);
  /// Sorted by program, then by place; the same for any number of threads.
  std::vector<Fault> report(const Plan& plan, const Memory& memory, uint64_t most, std::vector<std::string>& notes) const;

 private:
  struct Entry {
    RawFault first;    ///< of the program with the lowest number; `lanes` counts all programs
    RawFault soonest;  ///< of the program that ran first
  };
  std::map<std::pair<const Op*, FaultKind>, Entry> faults_;
};

}  // namespace tilescope
