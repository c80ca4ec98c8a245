// Rectangles, lines and the marks of lane states.
#include <algorithm>
#include <cmath>

#include "visualizer/window/ui.h"

namespace tilescope::window {

void Ui::fill(const Rect& r, ImU32 colour, float radius) { draw_->AddRectFilled(r.min(), r.max(), colour, radius); }

void Ui::outline(const Rect& r, ImU32 colour, float thickness, float radius) {
  if (radius > 0) {
    const float d = thickness / 2;
    draw_->AddRect({r.x + d, r.y + d}, {r.right() - d, r.bottom() - d}, colour, radius, 0, thickness);
    return;
  }
  // Four filled strips: sharp corners on whole pixels, which AddRect does not give.
  const float t = std::min({thickness, r.w, r.h});
  draw_->AddRectFilled(r.min(), {r.right(), r.y + t}, colour);
  draw_->AddRectFilled({r.x, r.bottom() - t}, r.max(), colour);
  draw_->AddRectFilled({r.x, r.y + t}, {r.x + t, r.bottom() - t}, colour);
  draw_->AddRectFilled({r.right() - t, r.y + t}, {r.right(), r.bottom() - t}, colour);
}

void Ui::line(ImVec2 a, ImVec2 b, ImU32 colour, float thickness) { draw_->AddLine(a, b, colour, thickness); }

void Ui::dashed(ImVec2 a, ImVec2 b, ImU32 colour, float thickness, float dash) {
  const float dx = b.x - a.x, dy = b.y - a.y, length = std::sqrt(dx * dx + dy * dy);
  const float step = px(dash);
  // A line longer than any screen would be dashes without end.
  if (length <= 0 || step <= 0 || length > 20000) return;
  for (float at = 0; at < length; at += 2 * step) {
    const float end = std::min(at + step, length);
    draw_->AddLine({a.x + dx * at / length, a.y + dy * at / length}, {a.x + dx * end / length, a.y + dy * end / length}, colour, thickness);
  }
}

void Ui::dashed_outline(const Rect& r, ImU32 colour, float thickness, float dash) {
  const float x0 = r.x + 0.5f, y0 = r.y + 0.5f, x1 = r.right() - 0.5f, y1 = r.bottom() - 0.5f;
  dashed({x0, y0}, {x1, y0}, colour, thickness, dash);
  dashed({x0, y1}, {x1, y1}, colour, thickness, dash);
  dashed({x0, y0}, {x0, y1}, colour, thickness, dash);
  dashed({x1, y0}, {x1, y1}, colour, thickness, dash);
}

namespace {

/// The part of r that can be seen, so that a hatch never draws lines that nobody sees.
Rect seen(const ImDrawList& draw, const Rect& r) {
  const ImVec2 lo = draw.GetClipRectMin(), hi = draw.GetClipRectMax();
  const float x0 = std::max(r.x, lo.x), y0 = std::max(r.y, lo.y), x1 = std::min(r.right(), hi.x), y1 = std::min(r.bottom(), hi.y);
  return {x0, y0, std::max(0.0f, x1 - x0), std::max(0.0f, y1 - y0)};
}

/// Lines x + y = k * period (rising) or x - y = k * period (falling) inside r.
void diagonals(ImDrawList& draw, const Rect& r, ImU32 colour, float period, bool rising) {
  if (r.w <= 0 || r.h <= 0) return;
  const float lo = rising ? r.x + r.y : r.x - r.bottom(), hi = rising ? r.right() + r.bottom() : r.right() - r.y;
  for (float k = std::ceil(lo / period) * period; k < hi; k += period) {
    // Points of the line at the left and right edge, moved along it to where they are inside.
    const float xa = std::max(r.x, rising ? k - r.bottom() : k + r.y), xb = std::min(r.right(), rising ? k - r.y : k + r.bottom());
    if (xb > xa) draw.AddLine({xa, rising ? k - xa : xa - k}, {xb, rising ? k - xb : xb - k}, colour, 1.0f);
  }
}

}  // namespace

void Ui::hatch(const Rect& r, ImU32 colour, float period) {
  diagonals(*draw_, seen(*draw_, r), colour, std::max(2.0f, px(period)), true);
}

void Ui::cross_hatch(const Rect& r, ImU32 colour, float period) {
  const Rect s = seen(*draw_, r);
  diagonals(*draw_, s, colour, std::max(2.0f, px(period)), true);
  diagonals(*draw_, s, colour, std::max(2.0f, px(period)), false);
}

void Ui::dots(const Rect& r, ImU32 colour, float period) {
  const Rect s = seen(*draw_, r);
  const float step = std::max(3.0f, px(period)), size = std::max(1.0f, px(1));
  for (float y = std::ceil(s.y / step) * step; y + size <= s.bottom(); y += step)
    for (float x = std::ceil(s.x / step) * step; x + size <= s.right(); x += step) draw_->AddRectFilled({x, y}, {x + size, y + size}, colour);
}

void Ui::cross(const Rect& r, ImU32 colour, float thickness) {
  const float d = std::min(r.w, r.h) * 0.22f, cx = r.x + r.w / 2, cy = r.y + r.h / 2;
  draw_->AddLine({cx - d, cy - d}, {cx + d, cy + d}, colour, thickness);
  draw_->AddLine({cx - d, cy + d}, {cx + d, cy - d}, colour, thickness);
}

void Ui::check(ImVec2 c, float radius, ImU32 colour) {
  const ImVec2 points[] = {{c.x - radius * 0.48f, c.y + radius * 0.02f}, {c.x - radius * 0.12f, c.y + radius * 0.4f}, {c.x + radius * 0.5f, c.y - radius * 0.36f}};
  draw_->AddPolyline(points, 3, colour, 0, std::max(1.5f, radius * 0.27f));
}

void Ui::bracket_top(const Rect& r, ImU32 colour) {
  const float y = std::round(r.y) + 0.5f, end = r.bottom();
  draw_->AddLine({r.x + 0.5f, end}, {r.x + 0.5f, y}, colour);
  draw_->AddLine({r.x, y}, {r.right(), y}, colour);
  draw_->AddLine({r.right() - 0.5f, y}, {r.right() - 0.5f, end}, colour);
}

void Ui::bracket_left(const Rect& r, ImU32 colour) {
  const float x = std::round(r.x) + 0.5f, end = r.right();
  draw_->AddLine({end, r.y + 0.5f}, {x, r.y + 0.5f}, colour);
  draw_->AddLine({x, r.y}, {x, r.bottom()}, colour);
  draw_->AddLine({x, r.bottom() - 0.5f}, {end, r.bottom() - 0.5f}, colour);
}

void Ui::triangle(ImVec2 c, float radius, float degrees, ImU32 colour) {
  const auto corner = [&](float offset) {
    const float a = (degrees + offset) * 3.14159265f / 180;
    return ImVec2{c.x + radius * std::cos(a), c.y + radius * std::sin(a)};
  };
  draw_->AddTriangleFilled(corner(0), corner(120), corner(240), colour);
}

}  // namespace tilescope::window
