// The numbers of the Cost panel in one row: time, what it is made of, programs at once, hit rate.
#include <algorithm>
#include <cmath>

#include "visualizer/window/panels/cost_parts.h"

namespace tilescope::window {
namespace {

std::string limit_text(const CostPanel& p, const std::string& limit) {
  const Ui& ui = p.ui();
  if (limit == "shared memory") return std::string(ui.t(Text::CostSharedMemory));
  if (limit == "registers") return std::string(ui.t(Text::CostRegisters));
  if (limit == "warps") return std::string(ui.t(Text::CostWarps));
  if (limit == "programs") return std::string(ui.t(Text::CostProgramLimit));
  if (limit == "grid") return std::string(ui.t(Text::CostGridLimit));
  return limit;
}

struct Number {
  const char* place;
  std::string title, value, first, second, tip;
};

void draw_number(const CostPanel& p, Rect r, const Number& n) {
  Ui& ui = p.ui();
  const Theme& t = p.theme();
  const Rect whole = r;
  ui.text_in(r.take_top(ui.px(20)), n.title, TextSize::Caption, t.text2);
  ui.text_in(r.take_top(ui.px(32)), n.value, TextSize::Result, t.text1);
  ui.text_in(r.take_top(ui.px(20)), n.first, TextSize::Caption, t.text2);
  if (r.h >= ui.px(18)) ui.text_in(r.take_top(ui.px(20)), n.second, TextSize::Caption, t.text3);
  const Hit h = ui.hit(std::string("cost.") + n.place, whole);
  if (h.hovered && !n.tip.empty()) ui.tooltip(n.tip);
}

Number occupancy(const CostPanel& p) {
  const cost::Occupancy& o = p.view.report->occupancy;
  Ui& ui = p.ui();
  const std::string known_registers(o.registers_known ? "" : ui.t(Text::CostEstimated)), known_shared(o.shared_known ? "" : ui.t(Text::CostEstimated));
  const std::string per_sm = p.say(Text::CostPerSm, o.programs_per_sm, limit_text(p, o.limited_by));
  const std::string last = fmt::format("{:.0f}", o.last_wave * 100);
  const std::string waves = o.waves <= 1 ? p.say(Text::CostOneWave, fmt::format("{:.0f}", o.waves * 100)) : p.say(Text::CostWaves, fmt::format("{:.1f}", o.waves), last);
  return {"occupancy", std::string(ui.t(Text::CostAtOnce)), std::to_string(o.at_once), per_sm, waves,
          per_sm + "\n" + p.say(Text::CostOccupancyTip, o.registers, known_registers, model::bytes_text(static_cast<double>(o.shared_bytes)), known_shared) + "\n" + waves};
}

Number time(const CostPanel& p) {
  const cost::Estimate& e = p.view.report->estimate;
  Ui& ui = p.ui();
  const Text bound = p.view.parts[1].bound ? Text::CostBoundL2 : e.bound == cost::Bound::Memory ? Text::CostBoundMemory : e.bound == cost::Bound::Compute ? Text::CostBoundCompute : Text::CostBoundLatency;
  return {"time", std::string(ui.t(Text::CostTime)), model::time_text(e.total_ms), std::string(ui.t(bound)), e.because, e.because};
}

Number hit_rate(const CostPanel& p) {
  const cost::Spread& s = p.view.report->l2_hit_rate;
  const auto percent = [](double x) { return fmt::format("{:.0f}%", x * 100); };
  const std::string spread = p.say(Text::CostOverSeeds, percent(s.low), percent(s.high), p.view.report->seeds);
  return {"hit_rate", std::string(p.ui().t(Text::CostHitRate)), percent(s.mean), spread, "", fmt::format("{:.1f}%", s.mean * 100) + "\n" + spread};
}

/// The four parts of the time as bars; the one that decides is strong.
void draw_parts(const CostPanel& p, Rect r) {
  Ui& ui = p.ui();
  const Theme& t = p.theme();
  constexpr Text kNames[] = {Text::CostPartDram, Text::CostPartL2, Text::CostPartCompute, Text::CostPartLatency};
  ui.text_in(r.take_top(ui.px(20)), ui.t(Text::CostParts), TextSize::Caption, t.text2);
  float name = 0, number = 0;
  double most = 0;
  for (const model::TimePart& part : p.view.parts) {
    name = std::max(name, ui.width(ui.t(kNames[static_cast<size_t>(part.of)]), TextSize::Caption));
    number = std::max(number, ui.width(model::time_text(part.ms), TextSize::Caption, true));
    most = std::max(most, part.ms);
  }
  const float row = ui.px(18);
  for (const model::TimePart& part : p.view.parts) {
    Rect line = r.take_top(row);
    const ImU32 ink = part.bound ? t.text1 : t.text3;
    ui.text_in(line.take_left(name), ui.t(kNames[static_cast<size_t>(part.of)]), TextSize::Caption, ink);
    line.take_left(ui.px(8));
    ui.text_in(line.take_right(number), model::time_text(part.ms), TextSize::Caption, ink, true, Align::Right);
    line.take_right(ui.px(8));
    if (line.w < ui.px(8)) continue;
    const float w = most > 0 ? std::max(1.0f, std::round(line.w * static_cast<float>(part.ms / most))) : 0;
    ui.fill({line.x, line.y + ui.px(4), w, row - ui.px(8)}, part.bound ? t.selected : mix(t.panel, t.text3, 0.5f));
  }
}

}  // namespace

void draw_cost_summary(const CostPanel& p, Rect r) {
  Ui& ui = p.ui();
  ui.place("cost.summary", r);
  const float gap = ui.px(20);
  const auto columns = [&](Rect row, int n, auto&& draw) {
    const float w = std::floor((row.w - gap * static_cast<float>(n - 1)) / static_cast<float>(n));
    for (int i = 0; i < n; ++i) draw(i, Rect{row.x + static_cast<float>(i) * (w + gap), row.y, w, row.h});
  };
  const auto part = [&](int i, const Rect& at) {
    if (i == 0) draw_number(p, at, time(p));
    else if (i == 1) draw_parts(p, at);
    else if (i == 2) draw_number(p, at, occupancy(p));
    else draw_number(p, at, hit_rate(p));
  };
  if (r.w >= ui.px(560)) return columns(r, 4, part);
  columns(r.take_top(std::floor(r.h / 2)), 2, part);
  columns(r, 2, [&](int i, const Rect& at) { part(i + 2, at); });
}

}  // namespace tilescope::window
