// A panel whose file is left out of the build shows its title only.
#include "visualizer/window/panel.h"

namespace tilescope::window {

#define TILESCOPE_PANEL(id, title, cell) \
  [[gnu::weak]] void draw_##id(PanelContext&, Rect, Rect) {}
#include "visualizer/window/panels/panels.def"

}  // namespace tilescope::window
