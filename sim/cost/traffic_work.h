// Arithmetic of a kernel, place by place: what it computes between one access (or loop, branch, end of a region) and the
// next. How often a program comes by a place is counted when its sliced form runs.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/ir.h"
#include "sim/cost/traffic.h"

namespace tilescope::cost {

using OpMap = std::unordered_map<const Op*, const Op*>;

struct KernelWork {
  /// By place, numbered as PlanStyle::Addresses numbers them.
  std::vector<WorkCounts> places;
  WorkUnit dominant = WorkUnit::Fp32;
  bool left_out = false;  ///< branches that the slice dropped are counted as if the longer side always ran
};

/// `sliced_of`: by op of `whole`, the op of its sliced form; ops that were sliced away are absent.
KernelWork count_work(const Function& whole, const OpMap& sliced_of);

/// Loads whose tile becomes an operand of a dot, through nothing but elementwise and shape ops and control flow: by op,
/// for each.
std::unordered_map<const Op*, bool> loads_of_dots(const Function& f);

/// to += from * times
void add_work(WorkCounts& to, const WorkCounts& from, double times = 1);

}  // namespace tilescope::cost
