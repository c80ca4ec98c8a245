#include "visualizer/window/panel.h"

namespace tilescope::window {

const std::vector<Panel>& all_panels() {
  static const std::vector<Panel> panels{
#define TILESCOPE_PANEL(id, title, cell) {#id, Text::title, Cell::cell, draw_##id},
#include "visualizer/window/panels/panels.def"
  };
  return panels;
}

}  // namespace tilescope::window
