// Does the result depend on the order in which programs run? Found by running the launch again.
#pragma once

#include <optional>
#include <vector>

#include "sim/launch.h"

namespace tilescope {

/// The run itself knows that it does (float atomics): it says so in its notes.
bool depends_on_order(const RunTrace& trace);

/// The race check has shown that no order can give another result: it looked at everything, no two programs share an
/// element that one of them changes, and nothing is atomic. `trace`: of a run with these checkers.
bool order_cannot_matter(const Launch& launch, const RunTrace& trace, const Checkers& check);

/// Runs the launch twice more, in reverse and in shuffled order (row-major instead of the one that it had), without
/// counters, with memory of its own for what it stores to. `done`: after its run, whose options were `options`. A tensor
/// that then differs has two programs writing one element, or one reading what another writes: one fault for each such
/// tensor is appended. `options.progress` may stop it; then nothing is appended.
/// Error: the tensors cannot be made a second time.
std::optional<Diagnostic> find_order_dependence(const Launch& done, RunOptions options, std::vector<Fault>& faults);

}  // namespace tilescope
