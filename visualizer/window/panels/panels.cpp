#include "visualizer/window/panel.h"

namespace tilescope::window {

const std::vector<Panel>& all_panels() {
  static const std::vector<Panel> panels{
#define TILESCOPE_PANEL(id, title, cell) {#id, Text::title, Cell::cell, draw_##id},
#include "visualizer/window/panels/panels.def"
  };
  return panels;
}

void bring_to_front(model::ViewState& state, const std::string& id) {
  for (const Panel& p : all_panels()) {
    if (id != p.id) continue;
    state.hidden.erase(id);
    state.front_tab[cell_id(p.cell)] = id;
    // In a narrow window the right column's panels are tabs of the centre.
    if (p.cell == Cell::RightTop || p.cell == Cell::RightBottom) state.front_tab[cell_id(Cell::Centre)] = id;
  }
}

}  // namespace tilescope::window
