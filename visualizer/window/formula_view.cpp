#include "visualizer/window/formula_view.h"

#include <string_view>

namespace tilescope::window {
namespace {

constexpr TextSize kSizes[2] = {TextSize::Title, TextSize::Caption};

void draw_bracket(Ui& ui, const Rect& r, std::string_view sign, ImU32 colour) {
  ImDrawList& d = ui.draw();
  const float thick = ui.px(1.25f), l = r.x + 1, right = r.right() - 1, t = r.y + 0.5f, b = r.bottom() - 0.5f, middle = (t + b) / 2;
  const auto curve = [&](ImVec2 from, ImVec2 control, ImVec2 to) { d.AddBezierQuadratic(from, control, to, colour, thick); };
  if (sign == "(") return curve({right, t}, {l - r.w * 0.5f, middle}, {right, b});
  if (sign == ")") return curve({l, t}, {right + r.w * 0.5f, middle}, {l, b});
  if (sign == "{") {
    const float m = (l + right) / 2;
    curve({right, t}, {m, t}, {m, (t + middle) / 2});
    curve({m, (t + middle) / 2}, {m, middle}, {l, middle});
    curve({l, middle}, {m, middle}, {m, (middle + b) / 2});
    curve({m, (middle + b) / 2}, {m, b}, {right, b});
    return;
  }
  if (sign == "}") {
    const float m = (l + right) / 2;
    curve({l, t}, {m, t}, {m, (t + middle) / 2});
    curve({m, (t + middle) / 2}, {m, middle}, {right, middle});
    curve({right, middle}, {m, middle}, {m, (middle + b) / 2});
    curve({m, (middle + b) / 2}, {m, b}, {l, b});
    return;
  }
  const bool opens = sign == "[" || sign == "⌈" || sign == "⌊";
  const bool top = sign == "[" || sign == "]" || sign == "⌈" || sign == "⌉", bottom = sign == "[" || sign == "]" || sign == "⌊" || sign == "⌋";
  const float stem = opens ? l : right, serif = opens ? right : l;
  ui.line({stem, t}, {stem, b}, colour, thick);
  if (top) ui.line({stem, t}, {serif, t}, colour, thick);
  if (bottom) ui.line({stem, b}, {serif, b}, colour, thick);
}

void draw_root(Ui& ui, const Rect& r, ImU32 colour) {
  const ImVec2 points[] = {{r.x, r.y + 0.62f * r.h}, {r.x + 0.28f * r.w, r.y + 0.55f * r.h}, {r.x + 0.55f * r.w, r.bottom() - 1}, {r.right(), r.y + 0.5f}};
  ui.draw().AddPolyline(points, 4, colour, 0, ui.px(1.25f));
}

void draw_sum(Ui& ui, const Rect& r, ImU32 colour) {
  const float l = r.x + 1, right = r.right() - 1, t = r.y + 1, b = r.bottom() - 1, tick = 0.12f * r.h;
  const ImVec2 points[] = {{right, t + tick}, {right, t}, {l, t}, {l + 0.55f * r.w, (t + b) / 2}, {l, b}, {right, b}, {right, b - tick}};
  ui.draw().AddPolyline(points, 7, colour, 0, ui.px(1.5f));
}

void draw_product(Ui& ui, const Rect& r, ImU32 colour) {
  const float l = r.x + 0.18f * r.w, right = r.right() - 0.18f * r.w, thick = ui.px(1.5f);
  ui.line({r.x, r.y + 1}, {r.right(), r.y + 1}, colour, thick);
  ui.line({l, r.y + 1}, {l, r.bottom()}, colour, thick);
  ui.line({right, r.y + 1}, {right, r.bottom()}, colour, thick);
}

}  // namespace

model::FormulaType formula_type(Ui& ui) {
  model::FormulaType type;
  type.width = [&ui](std::string_view text, bool small) { return ui.width(text, kSizes[small], true); };
  for (bool small : {false, true}) {
    type.height[small] = ui.line_height(kSizes[small]);
    type.baseline[small] = ui.baseline(kSizes[small], true);
  }
  type.unit = ui.scale();
  return type;
}

void draw_formula(Ui& ui, ImVec2 at, const model::FormulaLayout& formula, ImU32 colour) {
  using Kind = model::FormulaMark::Kind;
  for (const model::FormulaMark& m : formula.marks) {
    const Rect r{at.x + m.x, at.y + m.y, m.w, m.h};
    switch (m.kind) {
      case Kind::Text: ui.text(r.min(), m.text, kSizes[m.small], colour, true); break;
      case Kind::Rule: ui.fill({r.x, r.y, r.w, std::max(1.0f, r.h)}, colour); break;
      case Kind::Root: draw_root(ui, r, colour); break;
      case Kind::Bracket: draw_bracket(ui, r, m.text, colour); break;
      case Kind::Sum: draw_sum(ui, r, colour); break;
      case Kind::Product: draw_product(ui, r, colour); break;
    }
  }
}

}  // namespace tilescope::window
