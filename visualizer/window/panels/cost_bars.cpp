// Bytes read from DRAM: a bar for each order of the programs that was tried, the launch's own outlined.
#include <algorithm>
#include <cmath>

#include "visualizer/window/panels/cost_parts.h"

namespace tilescope::window {
namespace {

using model::TrafficBar;

std::string ratio_text(double x) { return model::number_text(x >= 9.95 ? std::round(x) : std::round(x * 10) / 10); }

/// "GROUP_M = 8 reads 3.6x less than GROUP_M = 1" in a few words; the launch's bar against the worst or the best one.
std::string verdict(const CostPanel& p) {
  const TrafficBar *current = nullptr, *most = nullptr, *least = nullptr;
  for (const TrafficBar& b : p.view.bars) {
    if (b.current) current = &b;
    if (most == nullptr || b.bytes.mean > most->bytes.mean) most = &b;
    if (least == nullptr || b.bytes.mean < least->bytes.mean) least = &b;
  }
  if (current == nullptr || least->bytes.mean <= 0) return {};
  if (p.view.bars.size() == 1) return std::string(p.ui().t(Text::CostOneOrder));
  if (most->bytes.mean < least->bytes.mean * 1.05) return std::string(p.ui().t(Text::CostAlone));
  const std::string own = current->order.label.empty() ? std::string(p.ui().t(Text::CostThisLaunch)) : p.name(current->order);
  if (current->bytes.mean < most->bytes.mean * 0.95) return own + ": " + p.say(Text::CostLess, ratio_text(most->bytes.mean / current->bytes.mean), p.name(most->order));
  return own + ": " + p.say(Text::CostMore, ratio_text(current->bytes.mean / least->bytes.mean), p.name(least->order));
}

std::string tip_of(const CostPanel& p, const TrafficBar& b) {
  Ui& ui = p.ui();
  std::string tip = (b.order.label.empty() ? std::string(ui.t(Text::CostThisLaunch)) : p.name(b.order)) + ": " + fmt::format("{:.0f} B", b.bytes.mean);
  tip += "\n" + p.over_seeds(model::bytes_text(b.bytes.low), model::bytes_text(b.bytes.high));
  tip += "\n" + std::string(ui.t(Text::CostHitRate)) + ": " + fmt::format("{:.1f}%", b.hit_rate.mean * 100);
  tip += "\n" + std::string(ui.t(Text::CostTime)) + ": " + model::time_text(b.total_ms);
  if (!b.current) tip += "\n" + std::string(ui.t(b.settable ? Text::CostSetIt : Text::CostNotSettable));
  return tip;
}

/// Ticks below the bars, as many as their labels have room for, and the unit once.
void draw_axis(const CostPanel& p, const Rect& plot, float right) {
  Ui& ui = p.ui();
  const Theme& t = p.theme();
  const std::vector<double>& ticks = p.view.bytes.ticks;
  if (ticks.size() < 2) return;
  const std::string last = model::bytes_text(ticks.back()), unit = last.substr(last.find(' ') + 1);
  const size_t prefix = unit.size() == 2 ? std::string("kMGTPE").find(unit[0]) + 1 : 0;
  const double scale = std::pow(1000, static_cast<double>(prefix));
  float widest = 0;
  for (const double tick : ticks) widest = std::max(widest, ui.width(model::number_text(tick / scale), TextSize::Caption, true));
  const float apart = plot.w / static_cast<float>(ticks.size() - 1);
  const auto step = static_cast<size_t>(std::max(1.0f, std::ceil((widest + ui.px(10)) / std::max(1.0f, apart))));
  for (size_t i = 0; i < ticks.size(); ++i) {
    const float x = std::round(plot.x + plot.w * static_cast<float>(ticks[i] / p.view.bytes.high));
    ui.fill({std::min(x, plot.right() - 1), plot.y, 1, plot.h}, t.line);
    if (i % step == 0) ui.text({x, plot.bottom() + ui.px(3)}, model::number_text(ticks[i] / scale), TextSize::Caption, t.text3, true, Align::Centre);
  }
  ui.text({right, plot.bottom() + ui.px(3)}, unit, TextSize::Caption, t.text3, true, Align::Right);
}

void draw_bar(const CostPanel& p, const TrafficBar& b, size_t index, const Rect& row, const Rect& plot, float label) {
  Ui& ui = p.ui();
  const Theme& t = p.theme();
  const float high = row.h - ui.px(row.h > ui.px(24) ? 8 : 4), x = static_cast<float>(p.view.bytes.high > 0 ? b.bytes.mean / p.view.bytes.high : 0);
  const Rect bar{plot.x, std::round(row.y + (row.h - high) / 2), std::max(ui.px(2), std::round(plot.w * x)), std::round(high)};
  const Hit h = ui.hit("cost.bar." + std::to_string(index), {row.x, row.y, row.w, row.h});
  if (h.hovered) ui.fill({row.x - ui.px(4), row.y, row.w + ui.px(8), row.h}, mix(t.panel, t.text1, 0.06f), ui.px(3));
  const std::string name = b.order.label.empty() ? std::string(ui.t(Text::CostThisLaunch)) : p.name(b.order);
  ui.text_in({row.x, row.y, label, row.h}, name, TextSize::Caption, b.current ? t.text1 : t.text2, b.order.parameter != "order" && !b.order.label.empty());
  ui.fill(bar, b.current ? t.load : mix(t.panel, t.load, h.hovered ? 0.7f : 0.5f));
  if (b.current) ui.outline(bar.inset(-ui.px(1)), t.hover, ui.px(2));
  // How far the runs of the cache model are apart.
  const auto at = [&](double bytes) { return std::round(plot.x + plot.w * static_cast<float>(std::clamp(bytes / p.view.bytes.high, 0.0, 1.0))); };
  const float low = at(b.bytes.low), top = at(b.bytes.high), middle = std::round(row.y + row.h / 2);
  if (top - low >= ui.px(2)) {
    const float half = std::round(high / 5);
    ui.fill({low, middle, top - low, 1}, t.text1);
    for (const float end : {low, top}) ui.fill({end, middle - half, 1, 2 * half + 1}, t.text1);
  }
  const std::string value = model::bytes_text(b.bytes.mean);
  const float w = ui.width(value, TextSize::Code, true), beside = std::max(bar.right(), top) + ui.px(8);
  ui.text_in({beside, row.y, w + 1, row.h}, value, TextSize::Code, b.current ? t.text1 : t.text2, true);
  if (!h.hovered) return;
  ui.tooltip(tip_of(p, b));
  if (h.clicked && b.settable) p.c.control.set_argument(b.order.parameter, b.order.value);
}

constexpr float kHead = 24 + 20 + 4, kAxis = 22, kLeastRow = 18;  ///< heights before scaling

}  // namespace

float cost_bars_height(const CostPanel& p) { return p.ui().px(kHead + kAxis + kLeastRow * static_cast<float>(p.view.bars.size())); }

void draw_cost_bars(const CostPanel& p, Rect r) {
  Ui& ui = p.ui();
  const Theme& t = p.theme();
  ui.place("cost.bars", r);
  draw_cost_heading(p, r, ui.t(Text::CostDram), p.say(Text::CostIdeal, model::bytes_text(p.view.ideal_bytes)));
  ui.text_in(r.take_top(ui.px(20)), verdict(p), TextSize::Caption, p.view.bars.size() > 1 ? t.compute_text : t.text3);
  r.take_top(ui.px(4));
  const size_t n = p.view.bars.size();
  const float axis = ui.px(kAxis);
  const float row = std::clamp(std::floor((r.h - axis) / static_cast<float>(n)), ui.px(kLeastRow), ui.px(40));
  float label = 0, value = 0;  // widths
  for (const TrafficBar& b : p.view.bars) value = std::max(value, ui.width(model::bytes_text(b.bytes.mean), TextSize::Code, true));
  for (const TrafficBar& b : p.view.bars) label = std::max(label, ui.width(b.order.label.empty() ? ui.t(Text::CostThisLaunch) : std::string_view(p.name(b.order)), TextSize::Caption, b.order.parameter != "order"));
  label = std::min(label + ui.px(2), r.w * 0.4f);
  Rect plot{r.x + label + ui.px(10), r.y, 0, row * static_cast<float>(n)};
  plot.w = std::max(ui.px(40), r.right() - value - ui.px(8) - plot.x);
  draw_axis(p, plot, r.right());
  for (size_t i = 0; i < n; ++i) draw_bar(p, p.view.bars[i], i, {r.x, r.y + row * static_cast<float>(i), r.w, row}, plot, label);
  const float ideal = std::round(plot.x + plot.w * static_cast<float>(p.view.bytes.high > 0 ? p.view.ideal_bytes / p.view.bytes.high : 0));
  if (p.view.ideal_bytes > 0) ui.dashed({ideal + 0.5f, plot.y - ui.px(2)}, {ideal + 0.5f, plot.bottom()}, t.text1, 1, 3);
}

}  // namespace tilescope::window
