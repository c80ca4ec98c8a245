// What a panel is: a name, a title, and a function that draws one step of one program into a rectangle. Each panel is one
// file in panels/ and one row in panels/panels.def.
#pragma once

#include <string>
#include <vector>

#include "visualizer/model/controller.h"
#include "visualizer/model/kernel_file.h"
#include "visualizer/model/scene.h"
#include "visualizer/window/texture.h"
#include "visualizer/window/ui.h"

namespace tilescope::window {

class LessonGuide;
struct Chrome;

/// What a panel gets to draw with. The scene does not change during a frame.
struct PanelContext {
  Ui& ui;
  const model::Scene& scene;
  model::ViewState& state;       ///< hover, pins and tabs may be changed directly
  model::Controller& control;    ///< everything else is asked for here
  TextureCache& textures;
  double time = 0;               ///< seconds since the start; stands still in screenshots
  bool motion = true;            ///< animations may run (not in screenshots, with "reduce motion", above 2x speed)
  LessonGuide* lesson = nullptr;  ///< null when no lesson is open
  Chrome* chrome = nullptr;       ///< menus and fields of arguments; never null in a window
  const model::KernelFile* file = nullptr;  ///< that the kernel's text came from
  bool save_text = false;                   ///< set by a panel: the text is saved at the end of the frame
  /// What lay under the mouse in the last frame, in any panel: outline it. Panels set state.hover, which starts empty.
  model::Element hover{};
};

/// Where a panel lives until somebody moves it.
enum class Cell : uint8_t { Left, Centre, RightTop, RightBottom, Bottom };
/// Key of a cell in ViewState::front_tab.
const char* cell_id(Cell cell);

struct Panel {
  const char* id;      ///< "kloop"
  Text title;
  Cell cell;
  /// Draws into `body`, below the panel's header; `header` is the rest of the header's row, for a legend or buttons.
  void (*draw)(PanelContext& c, Rect header, Rect body);
};
const std::vector<Panel>& all_panels();
/// Makes a panel visible, and the front one where several share a place.
void bring_to_front(model::ViewState& state, const std::string& id);

#define TILESCOPE_PANEL(id, title, cell) void draw_##id(PanelContext& c, Rect header, Rect body);
#include "visualizer/window/panels/panels.def"

}  // namespace tilescope::window
