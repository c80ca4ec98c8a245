// Where the program is on a source line: what a lesson's page that names a line wants to see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "visualizer/model/scene.h"

namespace tilescope::model {

/// The first step (of Timeline::lines) on `line`; with `iteration`, from 1, the first one in that iteration of the innermost
/// loop around the line. Where the loop ends before, the last step on the line. Nothing: the program never comes there.
std::optional<size_t> step_on_line(const Scene& scene, int line, std::optional<int64_t> iteration);

}  // namespace tilescope::model
