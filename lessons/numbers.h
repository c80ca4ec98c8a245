// Numbers in lesson texts are live: {{name}} is filled from the run that the window shows, so that moving a slider changes
// the sentence.
//
//   {{programs}}            programs of the grid; {{grid x}}, {{grid y}}, {{grid z}}
//   {{value NAME}}          an integer argument or constexpr
//   {{= 2 * BLOCK}}         an expression as in a launch's grid over the integer arguments, `programs` and `num_warps`
//   {{lanes_on T}}          lanes of all loads and stores of tensor T that were on; {{lanes_off T}} masked off
//   {{sectors T}}           32-byte sectors of its loads and stores; {{requests T}}, {{bytes T}}
//   {{reuse T max}}         how often an element of T was loaded at most; {{reuse T mean}}
//   {{lanes_on T of 3}}     the same for one program along axis 0 ("last": the last one); {{lanes_off T of 3}}
//   {{first T of 3}}        offset of the first element of T that this program loads or stores; {{last T of 3}}
//   {{loaded T by 9}}       distinct elements of T that the first 9 programs load (lessons/working_set.h)
//   {{element T 0 2}}       the element at this logical index after the run: whole, else to three digits
//   {{elements T}}          elements of T
//   {{shape T}}             "70 x 45"
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace.h"
#include "sim/launch.h"

namespace tilescope::lessons {

/// The number as text, or nothing when there is no such name (a mistake in the lesson). "–": there is no such program now.
/// Names "of" a program need a run with maps. `after`: the tensors after the run, in the order of Launch::tensors.
std::optional<std::string> number_of(std::string_view name, const Launch& launch, const RunTrace& totals, const std::vector<Tensor>& after);

/// The whole numbers among the launch's arguments, for expressions over them. `spec` must live as long.
GridLookup integers_of(const LaunchSpec& spec);

/// Fills every {{name}}; unknown ones stay as they are.
std::string fill_numbers(std::string_view text, const std::function<std::optional<std::string>(std::string_view name)>& number);

}  // namespace tilescope::lessons
