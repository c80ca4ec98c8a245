// A page of a lesson may ask what is wrong with its launch. Until that was answered nothing in the window says it.
#pragma once

namespace tilescope::window {

struct PanelContext;

bool is_withheld(const PanelContext& c);

}  // namespace tilescope::window
