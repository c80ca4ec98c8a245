// "Where it came from" and "used later by" for one element.
#pragma once

#include "visualizer/model/provenance.h"
#include "visualizer/window/panels/tile_cells.h"

namespace tilescope::window {

/// Height that the explanation would like.
float origin_height(Ui& ui, const model::Provenance& p);
void draw_origin(const LanePainter& painter, int64_t lane, const model::Provenance& p, Rect r);

}  // namespace tilescope::window
