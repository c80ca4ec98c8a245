// How much of a tensor a few programs load together: what neighbours can share in a cache.
#pragma once

#include <cstdint>

#include "core/trace.h"

namespace tilescope::lessons {

/// Distinct elements of tensor number `tensor` that the first `programs` programs of a run with maps load; each program
/// counts with the box around what it loads. -1: the run has no maps.
int64_t working_set(const RunTrace& totals, size_t tensor, int64_t programs);

}  // namespace tilescope::lessons
