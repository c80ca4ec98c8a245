// How many programs an SM holds at once: from registers and shared memory, estimated from the kernel where they are not known.
#pragma once

#include <cstdint>
#include <optional>

#include "core/ir.h"
#include "sim/cost/cost.h"

namespace tilescope::cost {

/// Registers of a thread that a compiler would need: the values that are alive at once, tiles in the threads' shares, and a
/// quarter more. Loads that feed dots in loops go to shared memory directly and need none.
int estimate_registers(const Function& f);

/// Bytes of shared memory of a program: a buffer for each stage of the loads that feed dots in loops, one for other
/// operands, or what reductions across warps need, if that is more.
int64_t estimate_shared_bytes(const Function& f);

/// Error: the program does not fit on an SM, with the numbers.
Expected<Occupancy> find_occupancy(const Function& f, int64_t programs, const GpuDescription& gpu,
                                   std::optional<int> registers, std::optional<int64_t> shared_bytes);

}  // namespace tilescope::cost
