// Lesson text in several styles: headings, paragraphs with code and emphasis, lists, code blocks.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lessons/markdown.h"
#include "visualizer/window/ui.h"

namespace tilescope::window {

/// Draws the blocks from the top of r; `fill` replaces the live numbers of a text. Returns the height used.
float draw_blocks(Ui& ui, Rect r, const std::vector<lessons::TextBlock>& blocks, const std::function<std::string(const std::string&)>& fill);

/// A disc with a tick: right, done.
void draw_tick(Ui& ui, ImVec2 centre, float radius);

}  // namespace tilescope::window
