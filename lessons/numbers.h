// Numbers in lesson texts are live: {{name}} is filled from the run that the window shows, so that moving a slider changes
// the sentence.
//
//   {{programs}}            programs of the grid; {{grid x}}, {{grid y}}, {{grid z}}
//   {{value NAME}}          an integer argument or constexpr
//   {{lanes_on T}}          lanes of all loads and stores of tensor T that were on; {{lanes_off T}} masked off
//   {{sectors T}}           32-byte sectors of its loads and stores; {{requests T}}, {{bytes T}}
//   {{reuse T max}}         how often an element of T was loaded at most; {{reuse T mean}}
//   {{elements T}}          elements of T
//   {{shape T}}             "70 x 45"
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/trace.h"
#include "sim/launch.h"

namespace tilescope::lessons {

/// The number as text, or nothing when there is no such name (a mistake in the lesson).
std::optional<std::string> number_of(std::string_view name, const Launch& launch, const RunTrace& totals);

/// Fills every {{name}}; unknown ones stay as they are.
std::string fill_numbers(std::string_view text, const std::function<std::optional<std::string>(std::string_view name)>& number);

}  // namespace tilescope::lessons
