// The part of the Grid panel below its cells: the output as a line, divided among the programs.
#pragma once

#include <vector>

#include "visualizer/model/grid_view.h"
#include "visualizer/window/panel.h"

namespace tilescope::window {

/// Height that draw_owned_line needs, in pixels.
float owned_line_height(const Ui& ui);

/// Draws the line at the top of `r`. `cells` are the programs' cells when they stand in one row above it, each of which is
/// then joined to its part; else empty. `mine` is the current program, `shown` the one that the words beside speak of.
/// Returns the program whose part is under the mouse, or -1; a click there selects it.
int64_t draw_owned_line(PanelContext& c, const model::OwnedLine& line, const Rect& r, const std::vector<Rect>& cells, int64_t mine, int64_t shown);

}  // namespace tilescope::window
