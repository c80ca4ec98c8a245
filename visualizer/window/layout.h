// Where the panels are: columns of cells with tabs, splitters between them, sizes that follow the window.
#pragma once

#include <vector>

#include "visualizer/window/frame_times.h"
#include "visualizer/window/panel.h"

namespace tilescope::window {

/// Its key in ViewState::front_tab.
const char* cell_id(Cell cell);

/// One cell with the panels that share it; `front` is drawn.
struct PlacedCell {
  Cell cell;
  Rect rect;
  std::vector<const Panel*> panels;
  const Panel* front = nullptr;
};

/// The bar of a splitter and what dragging it changes.
struct Splitter {
  const char* id;   ///< key in ViewState::splits
  Rect bar;
  bool vertical;    ///< moves left and right
  Rect range;       ///< the area that it divides
};

struct WindowLayout {
  Rect top_bar, notice, scrubber;
  std::vector<PlacedCell> cells;
  std::vector<Splitter> splitters;
};

/// Below this width (at scale 1) the right column's panels become tabs of the centre, and the scrubber gets flat.
inline constexpr float kNarrow = 1400;

/// `notice`: height of the bar under the top bar; 0: none. `exercise`: the source is a tab of the centre, so that the task
/// stays in view beside what is written.
WindowLayout make_layout(const Ui& ui, const model::ViewState& state, float notice = 0, bool exercise = false);

/// Lets the splitters be dragged (double click: back to the default).
void drag_splitters(Ui& ui, model::ViewState& state, const WindowLayout& layout);

/// Ground, header with tabs and the front panel of every cell; each panel's time is marked.
void draw_cells(PanelContext& c, const WindowLayout& layout, FrameTimes& times);

}  // namespace tilescope::window
