// The numbers of the Cost panel in one row: time, what it is made of, programs at once, hit rate.
#include <algorithm>
#include <cmath>
#include <vector>

#include "visualizer/window/panels/cost_parts.h"
#include "visualizer/window/spoken.h"

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

constexpr float kLine = 18, kNumberHead = 20 + 32;  ///< heights before scaling

/// Below the number: what has no room in one line is wrapped.
float words_of(Ui& ui, Rect r, const Number& n, ImU32 first, ImU32 second) {
  const float top = r.y;
  r.take_top(ui.paragraph(r, n.first, TextSize::Caption, first, ui.px(kLine)));
  if (!n.second.empty()) r.y += ui.paragraph(r, n.second, TextSize::Caption, second, ui.px(kLine));
  return r.y - top;
}

float height_of(Ui& ui, const Number& n, float width) {
  return ui.px(kNumberHead) + words_of(ui, {0, 0, width, ui.px(1000)}, n, 0, 0);  // transparent: only measured
}

void draw_number(const CostPanel& p, Rect r, const Number& n) {
  Ui& ui = p.ui();
  const Theme& t = p.theme();
  const Hit h = ui.hit(std::string("cost.") + n.place, r);
  ui.text_in(r.take_top(ui.px(20)), n.title, TextSize::Caption, t.text2);
  ui.text_in(r.take_top(ui.px(32)), n.value, TextSize::Result, t.text1);
  words_of(ui, r, n, t.text2, t.text3);
  if (h.hovered && !n.tip.empty()) ui.tooltip(n.tip);
}

Number occupancy(const CostPanel& p) {
  const cost::Occupancy& o = p.view.report->occupancy;
  Ui& ui = p.ui();
  const std::string known_registers(o.registers_known ? "" : ui.t(Text::CostEstimated)), known_shared(o.shared_known ? "" : ui.t(Text::CostEstimated));
  const std::string per_sm = p.say(Text::CostPerSm, o.programs_per_sm, limit_text(p, o.limited_by));
  const std::string last = fmt::format("{:.0f}", o.last_wave * 100);
  // As the terminal says it: of all programs that the GPU could hold at once.
  const std::string share = fmt::format("{:.{}f}", o.waves * 100, o.waves < 0.0995 ? 1 : 0);
  const std::string waves = o.waves < 1 ? p.say(Text::CostPartOfWave, share, std::llround(static_cast<double>(o.at_once) / o.waves))
                            : o.waves == 1 ? std::string(ui.t(Text::CostOneWave)) : p.say(Text::CostWaves, fmt::format("{:.1f}", o.waves), last);
  return {"occupancy", std::string(ui.t(Text::CostAtOnce)), std::to_string(o.at_once), per_sm, waves,
          per_sm + "\n" + p.say(Text::CostOccupancyTip, o.registers, known_registers, model::bytes_text(static_cast<double>(o.shared_bytes)), known_shared) + "\n" + waves};
}

Number time(const CostPanel& p) {
  const cost::Estimate& e = p.view.report->estimate;
  Ui& ui = p.ui();
  const Text bound = cost::bound_by_l2(e) ? Text::CostBoundL2 : e.bound == cost::Bound::Memory ? Text::CostBoundMemory : e.bound == cost::Bound::Compute ? Text::CostBoundCompute : Text::CostBoundLatency;
  const std::string because = model::with_window_units(spoken(ui, e.because));
  return {"time", std::string(ui.t(Text::CostTime)), model::time_text(e.total_ms), std::string(ui.t(bound)), because, because};
}

Number hit_rate(const CostPanel& p) {
  const cost::Spread& s = p.view.report->l2_hit_rate;
  const auto percent = [](double x) { return fmt::format("{:.0f}%", x * 100); };
  const std::string spread = p.over_seeds(percent(s.low), percent(s.high));
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

/// Where the four cards lie: the time's has the most words.
struct Cards {
  int columns;
  std::vector<float> x, w;  ///< of each column
};

Cards cards_of(const Ui& ui, float width) {
  const bool one_row = width >= ui.px(560);
  const std::vector<float> shares = one_row ? std::vector<float>{0.29f, 0.27f, 0.25f, 0.19f} : std::vector<float>{0.5f, 0.5f};
  const float gap = ui.px(20), room = std::max(0.0f, width - gap * static_cast<float>(shares.size() - 1));
  Cards c{static_cast<int>(shares.size()), {}, {}};
  float x = 0;
  for (const float share : shares) {
    c.x.push_back(x), c.w.push_back(std::floor(room * share));
    x += c.w.back() + gap;
  }
  return c;
}

constexpr float kPartsHeight = 20 + 4 * 18;

/// Heights of the rows of cards.
std::vector<float> rows_of(const CostPanel& p, const Cards& cards) {
  Ui& ui = p.ui();
  const auto w = [&](int i) { return cards.w[static_cast<size_t>(i % cards.columns)]; };
  const float heights[] = {height_of(ui, time(p), w(0)), ui.px(kPartsHeight), height_of(ui, occupancy(p), w(2)), height_of(ui, hit_rate(p), w(3))};
  std::vector<float> rows(static_cast<size_t>(4 / cards.columns), 0);
  for (int i = 0; i < 4; ++i) {
    float& row = rows[static_cast<size_t>(i / cards.columns)];
    row = std::max(row, heights[i] + ui.px(2));
  }
  return rows;
}

}  // namespace

float cost_summary_height(const CostPanel& p, float width) {
  float height = 0;
  for (const float row : rows_of(p, cards_of(p.ui(), width))) height += row;
  return height;
}

void draw_cost_summary(const CostPanel& p, Rect r) {
  Ui& ui = p.ui();
  ui.place("cost.summary", r);
  const Cards cards = cards_of(ui, r.w);
  const std::vector<float> rows = rows_of(p, cards);
  float y = r.y;
  for (int i = 0; i < 4; ++i) {
    const auto column = static_cast<size_t>(i % cards.columns), row = static_cast<size_t>(i / cards.columns);
    if (i > 0 && column == 0) y += rows[row - 1];
    const Rect at{r.x + cards.x[column], y, cards.w[column], rows[row]};
    if (i == 0) draw_number(p, at, time(p));
    else if (i == 1) draw_parts(p, at);
    else if (i == 2) draw_number(p, at, occupancy(p));
    else draw_number(p, at, hit_rate(p));
  }
}

}  // namespace tilescope::window
