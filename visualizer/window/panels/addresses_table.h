// Draws how the addresses of one access come about.
#pragma once

#include "visualizer/model/addresses.h"
#include "visualizer/window/panel.h"

namespace tilescope::window {

/// `progress`: of the broadcasting animation, 1 when it is over. Nothing is drawn below `bottom`.
void draw_address_table(PanelContext& c, const model::AddressTable& table, const model::ProgramValues& values, float progress, const Rect& r, float bottom);

}  // namespace tilescope::window
