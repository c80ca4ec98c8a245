// What the window would show on a page, as a small drawing of characters: programs, tiles, masks, trees.
#pragma once

#include <string>

#include "visualizer/model/scene.h"

namespace tilescope::terminal {

/// `panel`: as a lesson's page names it (grid, tile, memory, addresses, reduction); empty or another one: the current
/// line alone. `language` as in lessons/language.h. Lines end with "\n" and are at most `width` columns wide.
std::string draw_scene(const model::Scene& scene, const std::string& panel, size_t language, size_t width);

}  // namespace tilescope::terminal
