// Colours by role, type sizes and fonts. The palette is that of Okabe and Ito for marks (safe for colour-blind people),
// viridis for counts, violet to yellow for signed values.
#pragma once

#include <imgui.h>

#include <cstdint>

#include "visualizer/model/state.h"
#include "visualizer/model/timeline.h"

namespace tilescope::window {

struct Theme {
  bool dark = true;
  ImU32 window, panel, raised, line;
  ImU32 text1, text2, text3;
  ImU32 hatch, hover, current_line;
  ImU32 load, store, compute, reduce, fault, selected;                              ///< marks
  ImU32 load_text, store_text, compute_text, reduce_text, fault_text, selected_text; ///< the same as text
  ImU32 negative, zero, positive;  ///< ends and middle of the scale of signed values
};
const Theme& theme_of(model::ThemeChoice choice);

ImU32 mark_of(const Theme& t, model::StepKind kind);
ImU32 text_of(const Theme& t, model::StepKind kind);

/// a to b as t goes from 0 to 1, component by component in sRGB.
ImU32 mix(ImU32 a, ImU32 b, float t);
ImU32 with_alpha(ImU32 c, float alpha);
/// Black or white, whichever has more contrast on `background`.
ImU32 ink_on(ImU32 background);
/// Colour of a signed value on a scale symmetric about 0 (exponent 0.72); `reach` is the largest magnitude.
ImU32 signed_colour(const Theme& t, double value, double reach);
/// viridis; x in [0, 1].
ImU32 viridis(double x);

/// Type sizes in pixels at scale 1.
enum class TextSize : uint8_t { Caption = 13, Code = 14, Title = 15, Body = 16, Question = 18, Result = 22, Verdict = 28, Number = 72 };

}  // namespace tilescope::window
