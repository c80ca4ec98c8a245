// What stands right of a line of the source: how often it ran, and how many lanes its last access had on.
#pragma once

#include <string>

#include "visualizer/model/source_view.h"
#include "visualizer/window/panel.h"
#include "visualizer/window/text_editor.h"

namespace tilescope::window {

/// Where the columns of the source panel are in this frame.
struct SourceColumns {
  float bar_left = 0, number_right = 0, text_left = 0, text_right = 0, lanes_left = 0, lanes_width = 0, times_left = 0, times_right = 0;
};

/// "12,345".
std::string grouped(uint64_t n);

bool touches_memory(const model::LineFacts& facts);

/// The counters of line `line` (from 0) of the editor's text, paler by `alpha`; a click goes to the line.
void draw_line_counters(PanelContext& c, const TextEditor& editor, size_t line, const model::LineFacts& facts, const SourceColumns& columns, float alpha);

}  // namespace tilescope::window
