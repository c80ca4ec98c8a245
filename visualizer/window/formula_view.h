// Draws formulas of lesson texts: letters and lines where visualizer/model/formula_layout.h puts them.
#pragma once

#include "visualizer/model/formula_layout.h"
#include "visualizer/window/ui.h"

namespace tilescope::window {

/// The letters of formulas: the monospaced face, as for code and numbers.
model::FormulaType formula_type(Ui& ui);

/// Draws the marks with the layout's top left at `at`.
void draw_formula(Ui& ui, ImVec2 at, const model::FormulaLayout& formula, ImU32 colour);

}  // namespace tilescope::window
