#include "visualizer/model/cost_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tilescope::model {
namespace {

constexpr double kClearly = 0.02;  ///< differences below this share are not worth a word

OtherOrder order_of(const cost::Alternative& a) { return {a.parameter, a.value, a.label, a.order}; }

/// The launch's own order. It may stand there twice, as the value of a constexpr and as "dealt by number": the former.
const cost::Alternative* current_of(const cost::CostReport& r) {
  for (const cost::Alternative& a : r.alternatives)
    if (a.current) return &a;
  return nullptr;
}

/// Columns of tiles of the output: what one sweep along a row launches. Of a single row or column the half.
int64_t usual_programs(const TileMap& map) {
  const auto most = static_cast<int64_t>(map.order.size());
  const bool matrix = map.stores && map.stores->rows > 1 && map.stores->cols > 1;
  return std::clamp<int64_t>(matrix ? map.stores->cols : most / 2, 1, std::max<int64_t>(1, most));
}

OrderFigure figure(std::shared_ptr<const TileMap> map, int64_t programs) {
  OrderFigure f;
  for (const TileGrid& g : map->loads) {
    f.counts.push_back(count_tiles(g, programs, map->is_product() && &g == &map->loads[1]));
    f.loads += f.counts.back().tiles;
  }
  f.map = std::move(map);
  return f;
}

/// 0 .. high in steps of 1, 2 or 5 times a power of ten: four to eight of them.
Axis linear_axis(double high) {
  Axis a;
  if (!(high > 0) || !std::isfinite(high)) return a;
  const double base = std::pow(10, std::floor(std::log10(high / 4)));
  double step = base * 10;
  for (const double factor : {5.0, 2.0, 1.0})
    if (high / (base * factor) <= 8) step = base * factor;
  const int steps = static_cast<int>(std::ceil(high / step - 1e-9));
  for (int i = 0; i <= steps; ++i) a.ticks.push_back(i * step);
  a.high = a.ticks.back();
  return a;
}

/// From `low` to `high` with a tick at every power of ten in between.
Axis decades(double low, double high) {
  Axis a{low, high, {}};
  for (double e = std::ceil(std::log10(low) - 1e-9); std::pow(10, e) <= high * (1 + 1e-9); e += 1) a.ticks.push_back(std::pow(10, e));
  return a;
}

void add_bars(CostView& v, const cost::CostReport& r) {
  for (const cost::OpTraffic& loads : r.traffic.loads) v.ideal_bytes += static_cast<double>(loads.distinct_bytes);
  double high = v.ideal_bytes, current = r.dram_read.mean, least = r.dram_read.mean, most = r.dram_read.mean;
  for (const cost::Alternative& a : r.alternatives) {
    if (a.current && &a != current_of(r)) continue;
    TrafficBar b{order_of(a), a.current, !a.current && a.parameter != "order", a.dram_read, a.l2_hit_rate, a.total_ms, 1, false};
    v.bars.push_back(std::move(b));
  }
  const bool listed = std::any_of(v.bars.begin(), v.bars.end(), [](const TrafficBar& b) { return b.current; });
  if (!listed) v.bars.insert(v.bars.begin(), {{}, true, false, r.dram_read, r.l2_hit_rate, r.estimate.total_ms, 1, false});
  for (const TrafficBar& b : v.bars) {
    if (b.current) current = b.bytes.mean;
    high = std::max({high, b.bytes.high, b.bytes.mean});
    least = std::min(least, b.bytes.mean), most = std::max(most, b.bytes.mean);
  }
  for (TrafficBar& b : v.bars) {
    b.against_current = current > 0 ? b.bytes.mean / current : 1;
    b.least = b.bytes.mean == least && most > least * (1 + kClearly);
  }
  v.bytes = linear_axis(high);
}

void add_roofline(CostView& v, const cost::CostReport& r) {
  const cost::Roofline& in = r.roofline;
  if (!(in.peak_flops > 0) || !(in.dram_bytes_per_s > 0) || !(r.traffic.work.total() > 0)) return;
  RooflineView out;
  out.unit = std::string(cost::work_unit_name(in.unit));
  out.peak = in.peak_flops, out.bandwidth = in.dram_bytes_per_s;
  out.naive = in.naive_intensity, out.tiled = in.tiled_intensity, out.ideal = in.ideal_intensity;
  const double flops = r.traffic.work.total();
  const RooflinePoint* current = nullptr;
  for (const cost::Alternative& a : r.alternatives) {
    const double bytes = a.dram_read.mean + r.dram_written.mean;
    if (!a.current && bytes > 0 && a.total_ms > 0) out.points.push_back({order_of(a), false, flops / bytes, flops / (a.total_ms * 1e-3)});
  }
  if (in.intensity > 0 && in.estimated_flops > 0) {
    const cost::Alternative* own = current_of(r);
    out.points.push_back({own != nullptr ? order_of(*own) : OtherOrder{}, true, in.intensity, in.estimated_flops});
    current = &out.points.back();
  }
  const double ridge = out.peak / out.bandwidth;
  double low = ridge, high = ridge, least = out.peak;
  for (const double x : {out.naive, out.tiled, out.ideal})
    if (x > 0 && std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
  for (const RooflinePoint& p : out.points) low = std::min(low, p.intensity), high = std::max(high, p.intensity), least = std::min(least, p.flops);
  if (current == nullptr) out.points.clear();
  out.x = decades(low / 3, high * 3);
  // Points of tiny launches lie far below the roof: as many decades as are needed, twelve at most.
  out.y = decades(std::max(std::min(least * 0.3, out.x.low * out.bandwidth), out.peak * 1e-12), out.peak * 2);
  v.roofline = std::move(out);
}

void add_parts(CostView& v, const cost::CostReport& r) {
  using Of = TimePart::Of;
  const cost::Estimate& e = r.estimate;
  v.parts = {{Of::Dram, e.memory_ms, false}, {Of::L2, e.l2_ms, false}, {Of::Compute, e.compute_ms, false}, {Of::Latency, e.latency_ms, false}};
  switch (e.bound) {
    case cost::Bound::Memory: v.parts[cost::bound_by_l2(e) ? 1 : 0].bound = true; break;
    case cost::Bound::Compute: v.parts[2].bound = true; break;
    case cost::Bound::Latency: v.parts[3].bound = true; break;
  }
}

void add_figures(CostView& v, const CostFindings& f, const CostChoices& choices) {
  if (f.tiles == nullptr) return;
  v.all_programs = f.tiles->programs;
  v.most_programs = static_cast<int64_t>(f.tiles->order.size());
  v.programs = std::clamp<int64_t>(choices.programs > 0 ? choices.programs : usual_programs(*f.tiles), std::min<int64_t>(1, v.most_programs), v.most_programs);
  v.figures.push_back(figure(f.tiles, v.programs));
  v.figures[0].current = true;
  if (f.report != nullptr) {
    for (const cost::Alternative& a : f.report->alternatives)
      if (!a.current) v.others.push_back(order_of(a));
    if (const cost::Alternative* own = current_of(*f.report)) v.figures[0].order = order_of(*own);
  }
  if (!f.other) return;
  for (size_t i = 0; i < v.others.size(); ++i)
    if (v.others[i] == *f.other) v.other = i;
  if (f.other_tiles == nullptr || f.tiles->loads.empty()) return;
  OrderFigure other = figure(f.other_tiles, v.programs);
  other.order = *f.other;
  v.figures.push_back(std::move(other));
  v.figures[0].fewer = v.figures[0].loads < v.figures[1].loads;
  v.figures[1].fewer = v.figures[1].loads < v.figures[0].loads;
}

/// Three digits below 1000, as in the terminal; whole numbers as they are.
std::string three_digits(double x) {
  const double a = std::fabs(x);
  if (!std::isfinite(x) || a == std::floor(a) || a < 0.0995) return number_text(x);
  return fmt::format("{:.{}f}", x, a >= 99.95 ? 0 : a >= 9.995 ? 1 : 2);
}

/// 12.3, 123, 1.23 of a unit with a prefix.
std::string scaled(double x, const std::string& unit) {
  constexpr std::array<const char*, 7> kPrefix{"", "k", "M", "G", "T", "P", "E"};
  if (!std::isfinite(x)) return "∞ " + unit;
  size_t i = 0;
  // 999.5 and more would be written as 1000.
  while (i + 1 < kPrefix.size() && std::fabs(x) >= 999.5) x /= 1000, ++i;
  return three_digits(x) + " " + kPrefix[i] + unit;
}

}  // namespace

std::string number_text(double x) {
  if (!std::isfinite(x)) return "∞";
  const double a = std::fabs(x);
  if (a >= 99.5 || a == std::floor(a)) return fmt::format("{:.0f}", x);
  std::string out = a >= 9.95 ? fmt::format("{:.1f}", x) : a >= 0.0995 ? fmt::format("{:.2f}", x) : fmt::format("{:.2g}", x);
  if (out.find('e') == std::string::npos && out.find('.') != std::string::npos) {
    out.erase(out.find_last_not_of('0') + 1);
    if (out.back() == '.') out.pop_back();
  }
  return out;
}

std::string bytes_text(double bytes) { return scaled(bytes, "B"); }
std::string quantity_text(double value, const std::string& unit) { return scaled(value, unit); }

std::string time_text(double ms) {
  if (ms >= 999.5) return three_digits(ms / 1000) + " s";
  if (ms >= 0.9995) return three_digits(ms) + " ms";
  if (ms >= 0.0009995) return three_digits(ms * 1000) + " µs";
  return three_digits(ms * 1e6) + " ns";
}

std::string with_window_units(std::string text) {
  for (size_t at = 0; (at = text.find(" us", at)) != std::string::npos; at += 2) {
    const size_t end = at + 3;
    if (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9' && (end == text.size() || text[end] == ' ' || text[end] == ',')) text.replace(at + 1, 1, "µ");
  }
  return text;
}

std::optional<OtherOrder> choose_other(const cost::CostReport& report, const std::string& label) {
  const cost::Alternative *current = nullptr, *best = nullptr, *plainest = nullptr, *named = nullptr;
  for (const cost::Alternative& a : report.alternatives) {
    if (a.current) {
      current = &a;
      continue;
    }
    if (a.label == label && !label.empty()) named = &a;
    if (best == nullptr || a.dram_read.mean < best->dram_read.mean) best = &a;
    if (plainest == nullptr || a.value < plainest->value) plainest = &a;
  }
  if (best == nullptr) return std::nullopt;
  const bool plain = current == nullptr || current->value <= plainest->value;
  const cost::Alternative* chosen = named != nullptr ? named : plain ? best : plainest;
  return order_of(*chosen);
}

CostView make_cost_view(const std::shared_ptr<const CostFindings>& findings, const CostChoices& choices, bool busy, bool stale) {
  using Stage = CostView::Stage;
  CostView v;
  v.gpu_id = v.gpu = choices.gpu;
  for (const cost::GpuDescription& g : cost::gpu_descriptions())
    if (g.id == choices.gpu) v.gpu = g.name;
  if (findings == nullptr) {
    v.stage = busy ? Stage::Waiting : Stage::Nothing;
    return v;
  }
  v.stale = stale || findings->wish.gpu != choices.gpu;
  v.kernel = findings->kernel;
  v.errors = findings->errors;
  v.report = findings->report;
  add_figures(v, *findings, choices);
  if (v.report != nullptr) {
    v.gpu_id = v.report->gpu.id, v.gpu = v.report->gpu.name;
    add_bars(v, *v.report);
    add_roofline(v, *v.report);
    add_parts(v, *v.report);
    v.stage = Stage::Ready;
  } else if (!v.errors.empty()) {
    v.stage = Stage::Failed;
  } else if (findings->cancelled) {
    v.stage = Stage::Cancelled;
  } else {
    v.stage = findings->tiles != nullptr ? Stage::Partial : Stage::Waiting;
  }
  return v;
}

}  // namespace tilescope::model
