// The list of variables with a one-line summary each. It lies beneath the source; the source panel places it.
#pragma once

#include <string>

#include "visualizer/model/summary.h"
#include "visualizer/window/panel.h"

namespace tilescope::window {

/// Draws the list; one folded line when `r` is lower than some three rows.
void draw_variables(PanelContext& c, Rect r);
/// Height of the whole list, title included, at the current scale: what the source panel should give it if it can.
float variables_height(PanelContext& c);

/// "64..95", "78 on", "192 reach c_ptr": the value, for chips in the source as well.
std::string summary_value(const Ui& ui, const model::Summary& s);
/// "946 masked, 0", "26 beyond M = 70", "all inside"; "" when there is nothing to say.
std::string summary_note(const Ui& ui, const model::Summary& s);

}  // namespace tilescope::window
