// Why does an output differ from what was expected? Mistakes that touch no foreign memory are found by experiment: the
// kernel is run again with one thing changed (a fill, the end of a loop, a stride, the type of an accumulator); when the
// outputs then agree, that thing is the likely cause. Nothing is claimed that no run has shown.
#pragma once

#include <vector>

#include "core/diagnostic.h"
#include "sim/launch.h"

namespace tilescope {

/// Likely causes, each with its place in the kernel (severity warning, the message starts with "likely cause: "); or, when
/// no experiment helped, what is known about elements that were never loaded (a note). `done`: a launch after its run,
/// some outputs of which differ; `before`: as for check_outputs. Takes a few seconds at most; launches that run longer
/// than half a second are not experimented with.
std::vector<Diagnostic> diagnose_outputs(const Launch& done, const std::vector<Tensor>& before, const RunOptions& options);

}  // namespace tilescope
