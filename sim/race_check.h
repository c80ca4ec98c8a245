// Races between the programs of a launch: two that write one element, or one that reads what another writes. Programs
// run in any order and at the same time on a GPU, so the result is then a matter of luck, whatever came out here.
//
// Atomics on one element do not race with each other; an atomic races with a plain load or store of another program.
// Two accesses that a pair of atomics may have put in order do not race: one program updates an atomic with release
// order after its access, the other looks at the old value of an atomic with acquire order before its own (a lock, a
// counter of finished programs). Whether the two atomics really meet is not checked: no alarm is better than a false one.
#pragma once

#include <string>
#include <vector>

#include "core/trace.h"
#include "sim/access_log.h"
#include "sim/plan.h"

namespace tilescope {

/// In the trace's note when a log was too small.
inline constexpr const char* kRacesInPart = "races are looked for in a part of them";

/// All races in the logs (one a thread) of programs up to `last_position` of the execution order: one fault for each
/// pair of ops, the same for any number of threads and any order. Tensors in which no two programs meet cost one sort
/// of their runs; the others are gone through element by element, in windows, so that memory stays bounded.
std::vector<Fault> find_races(const Plan& plan, const Memory& memory, const AccessLogPlan& facts,
                              const std::vector<const AccessLog*>& logs, std::array<int64_t, 3> grid, int64_t last_position);

}  // namespace tilescope
