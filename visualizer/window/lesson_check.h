// Whether what a lesson's pages name exists: a panel, a program of the grid, a line of the kernel.
#pragma once

#include <optional>

#include "core/launch_file.h"
#include "lessons/lesson.h"

namespace tilescope::window {

/// The first page that names something that is not there: "lesson.json: pages[2].panel: ...". `launch` is the lesson's.
std::optional<Diagnostic> check_pages(const lessons::Lesson& lesson, const LaunchSpec& launch);

}  // namespace tilescope::window
