// Memory for what draws. OpenGL drivers and Dear ImGui take memory for granted: where there is none they die, so it is asked
// for before they start, and Dear ImGui's own allocations end as everybody else's do.
#pragma once

#include <optional>

#include "core/diagnostic.h"

namespace tilescope::window {

/// Before OpenGL starts. An error when the process may not have the address space that it takes (`ulimit -v`).
std::optional<Diagnostic> no_room_to_draw();

/// Before ImGui::CreateContext(): an allocation that fails is std::bad_alloc instead of a null pointer that is used.
void throw_when_imgui_finds_no_memory();

}  // namespace tilescope::window
