// Lesson text in several styles: headings, paragraphs with code and emphasis, lists, code blocks.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/markdown.h"
#include "visualizer/window/ui.h"

namespace tilescope::window {

using TextFill = std::function<std::string(const std::string&)>;

/// Draws the blocks from the top of r, in all of its width and never beyond; `fill` replaces the live numbers of a text.
/// Returns the height used. The places NAME.1, NAME.2 ... are the blocks.
float draw_blocks(Ui& ui, std::string_view name, Rect r, const std::vector<lessons::TextBlock>& blocks, const TextFill& fill);

/// Rows of a line in the monospaced face of this size, each at most `width` wide; nothing is lost.
std::vector<std::string> wrap_code(Ui& ui, const std::string& text, TextSize size, float width);

/// A disc with a tick: right, done.
void draw_tick(Ui& ui, ImVec2 centre, float radius);

}  // namespace tilescope::window
