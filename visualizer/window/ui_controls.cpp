// Buttons, sliders and chips.
#include <algorithm>
#include <cmath>

#include "visualizer/window/ui.h"

namespace tilescope::window {

bool Ui::button(std::string_view name, const Rect& r, std::string_view label, ButtonLook look, std::string_view tip) {
  if (r.w < px(8) || r.h < px(8)) return false;  // no room to be seen in
  const Hit h = look.enabled ? hit(name, r) : Hit{};
  if (!look.enabled) place(name, r);
  const Theme& t = *theme_;
  const bool strong = look.primary || look.active;
  ImU32 ground = strong ? t.selected : t.raised;
  if (h.hovered) ground = mix(ground, t.text1, 0.12f);
  fill(r, ground, px(4));
  if (!strong) outline(r, t.line, 1, px(4));
  const ImU32 ink = strong ? IM_COL32_WHITE : look.enabled ? t.text1 : t.text3;
  text_in(r, label, TextSize::Title, ink, false, Align::Centre);
  if (h.hovered && !tip.empty()) tooltip(tip);
  return h.clicked;
}

int Ui::segmented(std::string_view name, const Rect& r, const std::vector<std::string>& labels, int active) {
  const Theme& t = *theme_;
  fill(r, t.raised, px(4));
  int clicked = -1;
  float total = 0;
  std::vector<float> widths;
  for (const std::string& l : labels) {
    widths.push_back(width(l, TextSize::Title) + px(16));
    total += widths.back();
  }
  const float stretch = total > 0 ? r.w / total : 1;
  float x = r.x;
  for (size_t i = 0; i < labels.size(); ++i) {
    const float end = i + 1 == labels.size() ? r.right() : std::round(x + widths[i] * stretch);
    const Rect part{x, r.y, end - x, r.h};
    const Hit h = hit(std::string(name) + "." + std::to_string(i), part);
    if (h.clicked) clicked = static_cast<int>(i);
    const bool on = static_cast<int>(i) == active;
    if (on) fill(part, t.selected, px(4));
    else if (h.hovered) fill(part, mix(t.raised, t.text1, 0.12f), px(4));
    text_in(part, labels[i], TextSize::Title, on ? IM_COL32_WHITE : t.text2, false, Align::Centre);
    x = end;
  }
  outline(r, t.line, 1, px(4));
  return clicked;
}

float Ui::slider(std::string_view name, const Rect& r, float position, int stops) {
  const Theme& t = *theme_;
  const Hit h = hit(name, r);
  const float radius = px(7), left = r.x + radius, right = r.right() - radius, y = std::round(r.y + r.h / 2);
  position = std::clamp(position, 0.0f, 1.0f);
  float result = -1;
  if (h.held || h.clicked) {
    float p = std::clamp((h.mouse.x - left) / std::max(1.0f, right - left), 0.0f, 1.0f);
    if (stops > 1) p = std::round(p * static_cast<float>(stops - 1)) / static_cast<float>(stops - 1);
    result = p;
    position = p;
  } else if (h.wheel != 0 && stops > 1) {
    const float step = 1 / static_cast<float>(stops - 1);
    result = position = std::clamp(position + (h.wheel > 0 ? step : -step), 0.0f, 1.0f);
  }
  const float at = left + (right - left) * position;
  fill({left, y - px(1.5f), right - left, px(3)}, t.line);
  fill({left, y - px(1.5f), at - left, px(3)}, t.selected);
  // Stops closer together than their marks would be a bar.
  if (stops > 1 && (right - left) / static_cast<float>(stops - 1) > px(8))
    for (int i = 0; i < stops; ++i) {
      const float x = left + (right - left) * static_cast<float>(i) / static_cast<float>(stops - 1);
      draw_->AddCircleFilled({x, y}, px(3), x <= at ? t.selected : t.text3);
    }
  draw_->AddCircleFilled({at, y}, radius, IM_COL32_WHITE);
  draw_->AddCircle({at, y}, radius - 1, t.selected, 0, px(h.hovered || h.held ? 4 : 3));
  return result;
}

float Ui::chip(ImVec2 at, std::string_view s, bool code) {
  const float w = width(s, TextSize::Caption, code) + px(10), h = px(18);
  fill({at.x, at.y, w, h}, theme_->raised, px(3));
  text({at.x + px(5), at.y + (h - font(TextSize::Caption, code)->FontSize) / 2}, s, TextSize::Caption, theme_->text2, code);
  return w;
}

}  // namespace tilescope::window
