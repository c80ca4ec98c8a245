// The roofline: how much arithmetic a second the GPU's memory and units allow at so many flop per byte, and where the
// launch and its other orders stand. Both axes logarithmic.
#include <algorithm>
#include <cmath>

#include "visualizer/window/panels/cost_parts.h"

namespace tilescope::window {
namespace {

using model::RooflinePoint;
using model::RooflineView;

class Plot {
 public:
  Plot(const CostPanel& p, const RooflineView& v, const Rect& r) : p_(p), ui_(p.ui()), t_(p.theme()), v_(v), r_(r) {}

  void draw() {
    place_reuse();
    draw_axes();
    draw_roof();
    draw_reuse();
    draw_points();
  }

 private:
  float x(double intensity) const { return r_.x + r_.w * share(v_.x, intensity); }
  float y(double flops) const { return floor_ - (floor_ - r_.y) * share(v_.y, flops); }
  static float share(const model::Axis& a, double value) {
    return static_cast<float>(std::clamp(std::log10(value / a.low) / std::log10(a.high / a.low), 0.0, 1.0));
  }

  void draw_axes() {
    float taken = r_.x - ui_.px(20);
    for (const double tick : v_.x.ticks) {
      const float at = std::round(x(tick));
      ui_.fill({std::min(at, r_.right() - 1), r_.y, 1, r_.h}, t_.line);
      const std::string text = model::number_text(tick);
      const float w = ui_.width(text, TextSize::Caption, true);
      if (at - w / 2 < taken + ui_.px(6)) continue;
      ui_.text({at - w / 2, r_.bottom() + ui_.px(3)}, text, TextSize::Caption, t_.text3, true);
      taken = at + w / 2;
    }
    // Every second or third decade where they are narrow.
    const auto steps = static_cast<size_t>(std::max(1.0f, std::ceil(ui_.px(16) * static_cast<float>(std::log10(v_.y.high / v_.y.low)) / (floor_ - r_.y))));
    for (size_t i = 0; i < v_.y.ticks.size(); ++i) {
      const double tick = v_.y.ticks[i];
      const float at = std::round(y(tick));
      ui_.fill({r_.x, at, r_.w, 1}, t_.line);
      if ((v_.y.ticks.size() - 1 - i) % steps != 0) continue;
      ui_.text({r_.x - ui_.px(6), at - ui_.line_height(TextSize::Caption) / 2}, model::quantity_text(tick, ""), TextSize::Caption, t_.text3, true, Align::Right);
    }
  }

  void draw_roof() {
    const double ridge = v_.peak / v_.bandwidth;
    const float thick = ui_.px(2);
    const double from = std::max(v_.x.low, v_.y.low / v_.bandwidth);
    ui_.line({x(from), y(from * v_.bandwidth)}, {x(ridge), y(v_.peak)}, t_.text1, thick);
    ui_.line({x(ridge), y(v_.peak)}, {r_.right(), y(v_.peak)}, t_.text1, thick);
    const std::string peak = model::quantity_text(v_.peak, "FLOP/s"), bandwidth = model::quantity_text(v_.bandwidth, "B/s");
    ui_.text({r_.right(), y(v_.peak) - ui_.px(18)}, peak, TextSize::Caption, t_.text2, false, Align::Right);
    // Left of the slope, in its upper half.
    const double middle = std::pow(10, std::log10(from) * 0.45 + std::log10(ridge) * 0.55);
    const float w = ui_.width(bandwidth, TextSize::Caption), at = x(middle) - w - ui_.px(8);
    if (at > r_.x) ui_.text({at, y(middle * v_.bandwidth) - ui_.px(14)}, bandwidth, TextSize::Caption, t_.text2);
  }

  /// Marks in a band below: intensity without reuse, with the kernel's tiles, with every byte read once. Equal ones
  /// share a mark.
  struct Mark {
    double at = 0;
    std::string text;
    float x = 0, from = 0;
    size_t line = 0;
  };
  void place_reuse() {
    const std::pair<double, Text> all[] = {{v_.naive, Text::CostNoReuse}, {v_.tiled, Text::CostTiled}, {v_.ideal, Text::CostOnce}};
    for (const auto& [at, name] : all) {
      if (!(at > 0) || !std::isfinite(at)) continue;
      const std::string text(ui_.t(name));
      if (!marks_.empty() && std::fabs(at / marks_.back().at - 1) < 0.02) marks_.back().text += ", " + text;
      else marks_.push_back({at, text, 0, 0, 0});
    }
    std::vector<float> taken;  // right ends, by line from below
    for (Mark& m : marks_) {
      m.x = std::round(x(m.at));
      m.text += " " + model::number_text(m.at);
      const float w = ui_.width(m.text, TextSize::Caption);
      const bool left = m.x + ui_.px(5) + w > r_.right();
      m.from = left ? std::max(r_.x, m.x - ui_.px(5) - w) : m.x + ui_.px(5);
      while (m.line < taken.size() && m.from < taken[m.line] + ui_.px(6)) ++m.line;
      if (m.line == taken.size()) taken.push_back(0);
      taken[m.line] = left ? m.x : m.from + w;
    }
    floor_ = r_.bottom() - ui_.px(19) * static_cast<float>(taken.size());
  }
  void draw_reuse() {
    if (marks_.empty()) return;
    ui_.fill({r_.x, floor_, r_.w, 1}, t_.text3);
    const auto top_of = [&](const Mark& m) { return r_.bottom() - ui_.px(19) * static_cast<float>(m.line + 1); };
    for (const Mark& m : marks_) ui_.fill({m.x, floor_, 1, top_of(m) + ui_.px(17) - floor_}, t_.text1);
    for (const Mark& m : marks_) {
      const float top = top_of(m);
      const float w = ui_.width(m.text, TextSize::Caption);
      ui_.fill({m.from - ui_.px(2), top + ui_.px(3), w + ui_.px(4), ui_.px(15)}, t_.panel);  // over the lines of others
      ui_.text({m.from, top + ui_.px(3)}, m.text, TextSize::Caption, t_.text2);
    }
  }

  std::string tip(const RooflinePoint& point) const {
    std::string out = point.order.label.empty() ? std::string(ui_.t(Text::CostThisLaunch)) : p_.name(point.order);
    out += "\n" + model::quantity_text(point.flops, "FLOP/s") + " (" + fmt::format("{:.1f}%", point.flops / v_.peak * 100) + ")";
    return out + "\n" + model::number_text(point.intensity) + " flop/B";
  }

  void draw_points() {
    const float radius = ui_.px(6);
    for (const RooflinePoint& point : v_.points)
      if (point.current) label(point, {std::round(x(point.intensity)), std::round(y(point.flops))});
    for (size_t i = 0; i < v_.points.size(); ++i) {
      const RooflinePoint& point = v_.points[i];
      const ImVec2 at{std::round(x(point.intensity)), std::round(y(point.flops))};
      const Hit h = ui_.hit("cost.point." + std::to_string(i), {at.x - radius, at.y - radius, 2 * radius, 2 * radius});
      const float size = h.hovered ? radius + ui_.px(2) : point.current ? radius : radius - ui_.px(2);
      if (point.current) {
        ui_.draw().AddCircleFilled(at, size, t_.load);
        ui_.draw().AddCircle(at, size, t_.hover, 0, ui_.px(2));
      } else {
        ui_.draw().AddCircleFilled(at, size, t_.panel);
        ui_.draw().AddCircle(at, size, t_.load, 0, ui_.px(2));
      }
      if (h.hovered) ui_.tooltip(tip(point));
    }
  }

  /// Below the launch's point, in one line where there is little room.
  void label(const RooflinePoint& point, ImVec2 at) {
    const std::string flops = model::quantity_text(point.flops, "FLOP/s"), intensity = model::number_text(point.intensity) + " flop/B";
    std::vector<std::string> lines{flops, intensity};
    if (!point.order.label.empty()) lines.insert(lines.begin(), p_.name(point.order));
    const float line = ui_.px(17), top = at.y + ui_.px(10), room = floor_ - top;
    if (static_cast<float>(lines.size()) * line > room) lines = {flops, intensity};
    if (static_cast<float>(lines.size()) * line > room) lines = {flops + ", " + intensity};
    float w = 0;
    for (const std::string& text : lines) w = std::max(w, ui_.width(text, TextSize::Caption));
    const float least = r_.x + ui_.px(4);
    float from = std::clamp(at.x - w / 2, least, std::max(least, r_.right() - w - ui_.px(4))), y = top;
    if (room < line) {  // low points have their words beside them
      from = at.x + ui_.px(12) + w <= r_.right() ? at.x + ui_.px(12) : std::max(least, at.x - ui_.px(12) - w);
      y = at.y - line / 2;
    }
    ui_.fill({from - ui_.px(3), y, w + ui_.px(6), line * static_cast<float>(lines.size())}, with_alpha(t_.panel, 0.8f));
    for (size_t i = 0; i < lines.size(); ++i, y += line)
      ui_.text({from, y + ui_.px(1)}, lines[i], TextSize::Caption, i + 1 < lines.size() || lines.size() == 1 ? t_.text1 : t_.text2);
  }

  const CostPanel& p_;
  Ui& ui_;
  const Theme& t_;
  const RooflineView& v_;
  const Rect r_;
  std::vector<Mark> marks_;
  float floor_ = 0;  ///< y of the lowest flop/s: the marks lie below
};

std::string unit_text(const CostPanel& p, const std::string& unit) {
  // Names of units stay as they are but for the one most common.
  return unit == "fp16 tensor cores" ? std::string(p.ui().t(Text::CostFp16Cores)) : unit;
}

}  // namespace

void draw_cost_roofline(const CostPanel& p, Rect r) {
  Ui& ui = p.ui();
  ui.place("cost.roofline", r);
  if (!p.view.roofline) {
    draw_cost_heading(p, r, ui.t(Text::CostRoofline), "");
    ui.paragraph(r, ui.t(Text::CostNoRoofline), TextSize::Caption, p.theme().text2, ui.px(19));
    return;
  }
  draw_cost_heading(p, r, ui.t(Text::CostRoofline), p.view.gpu + ", " + unit_text(p, p.view.roofline->unit));
  float axis = 0;
  for (const double tick : p.view.roofline->y.ticks) axis = std::max(axis, ui.width(model::quantity_text(tick, ""), TextSize::Caption, true));
  const float top = ui.px(24), bottom = ui.px(38);
  const Rect plot{r.x + axis + ui.px(8), r.y + top, std::max(ui.px(60), r.w - axis - ui.px(16)), std::max(ui.px(60), r.h - top - bottom)};
  ui.text({r.x, r.y}, "FLOP/s", TextSize::Caption, p.theme().text3);
  ui.text({plot.right(), plot.bottom() + ui.px(20)}, ui.t(Text::CostIntensity), TextSize::Caption, p.theme().text3, false, Align::Right);
  Plot(p, *p.view.roofline, plot).draw();
}

}  // namespace tilescope::window
