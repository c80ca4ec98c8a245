// The names of all panels, for those who only check names.
#pragma once

#include <string>
#include <vector>

namespace tilescope::window {

inline std::vector<std::string> panel_ids() {
  return {
#define TILESCOPE_PANEL(id, title, cell) #id,
#include "visualizer/window/panels/panels.def"
  };
}

}  // namespace tilescope::window
