#include "visualizer/report/program_order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "core/arg_spec.h"
#include "sim/cost/deal.h"

namespace tilescope::report {
namespace {

using Tile = OrderTensor::Tile;
constexpr int64_t kMostPrograms = 256;
constexpr size_t kMostTiles = 100'000;

/// The box on the last two axes; the axes before them are left out.
Tile tile_of(const IndexBox& box) {
  Tile t;
  const size_t axes = box.lo.size();
  if (axes >= 1) t.column = box.lo[axes - 1], t.columns = box.hi[axes - 1] - box.lo[axes - 1];
  if (axes >= 2) t.row = box.lo[axes - 2], t.rows = box.hi[axes - 2] - box.lo[axes - 2];
  return t;
}

/// How many programs make the figure: a row of the result's tiles, as far as the launch has them and their tiles can be
/// held. 0: those of one cannot.
int64_t programs_to_show(cost::TrafficSource& source) {
  const auto grid = source.grid();
  const int64_t all = grid[0] * grid[1] * grid[2];
  int64_t columns = 0;
  const std::vector<cost::TileUse> uses = cost::tiles_of(source, {0}, kMostTiles);
  if (uses.size() >= kMostTiles) return 0;
  for (const cost::TileUse& use : uses) {
    const cost::TrafficOp& op = source.ops()[use.op];
    if (!op.stores || op.tensor < 0 || use.box.empty()) continue;
    const auto& shape = source.tensors()[op.tensor].shape;
    const Tile t = tile_of(use.box);
    if (!shape.empty() && t.columns > 0) columns = std::max(columns, (shape.back() + t.columns - 1) / t.columns);
  }
  if (columns <= 1) columns = 16;
  return std::min(
      {columns, all, kMostPrograms, static_cast<int64_t>((kMostTiles - 1) / std::max<size_t>(uses.size(), 1))});
}

/// The first `count` programs under a dealt order.
std::vector<int64_t> dealt(const std::array<int64_t, 3>& grid, const cost::DealOrder& order, int64_t count) {
  const cost::Dealer dealer(order, grid);
  std::vector<int64_t> out(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) out[i] = dealer.program(i);
  return out;
}

ProgramOrderView view_of(cost::TrafficSource& source, const std::vector<int64_t>& programs, std::string label) {
  ProgramOrderView out;
  out.label = std::move(label);
  out.programs = static_cast<int64_t>(programs.size());
  std::map<int, OrderTensor> loaded, stored;
  std::map<int64_t, int64_t> turn;
  for (size_t i = 0; i < programs.size(); ++i) turn.emplace(programs[i], static_cast<int64_t>(i));
  std::set<std::tuple<int, std::vector<int64_t>, std::vector<int64_t>>> seen;
  for (const cost::TileUse& use : cost::tiles_of(source, programs, kMostTiles)) {
    const cost::TrafficOp& op = source.ops()[use.op];
    if (op.tensor < 0 || use.box.empty() || use.programs.empty()) continue;
    if (op.loads && seen.emplace(op.tensor, use.box.lo, use.box.hi).second) ++out.tile_loads;
    const cost::TrafficTensor& tensor = source.tensors()[op.tensor];
    OrderTensor& t = (op.stores ? stored : loaded)[op.tensor];
    const auto& shape = tensor.shape;
    t.name = tensor.name;
    t.columns = shape.empty() ? 1 : shape.back();
    t.rows = shape.size() < 2 ? 1 : shape[shape.size() - 2];
    Tile tile = tile_of(use.box);
    tile.stored = op.stores;
    tile.program = turn[use.programs.front()];
    t.tiles.push_back(tile);
  }
  for (auto* side : {&loaded, &stored})
    for (auto& [index, tensor] : *side) out.tensors.push_back(std::move(tensor));
  return out;
}

const cost::Alternative* other_order(const cost::CostReport& report) {
  const cost::Alternative *most = nullptr, *least = nullptr, *now = nullptr;
  for (const cost::Alternative& a : report.alternatives) {
    if (a.current) now = &a;
    if (most == nullptr || a.dram_read.mean > most->dram_read.mean) most = &a;
    if (least == nullptr || a.dram_read.mean < least->dram_read.mean) least = &a;
  }
  if (now == nullptr) return nullptr;
  const cost::Alternative* other = now == most ? least : most;
  return other == now ? nullptr : other;
}

}  // namespace

std::vector<ProgramOrderView> program_orders(const LaunchSpec& spec, const cost::CostReport& report) {
  std::vector<ProgramOrderView> out;
  auto source = cost::TrafficSource::open(spec);
  if (!source) return out;
  const int64_t count = programs_to_show(**source);
  if (count == 0) return out;
  std::vector<int64_t> first(static_cast<size_t>(count));
  std::iota(first.begin(), first.end(), int64_t{0});
  std::string label = "this launch";
  for (const cost::Alternative& a : report.alternatives)
    if (a.current) label = a.label;
  ProgramOrderView now = view_of(**source, first, label);
  if (now.tensors.empty()) return out;
  out.push_back(std::move(now));
  const cost::Alternative* other = other_order(report);
  if (other == nullptr) return out;
  if (other->parameter != "order") {
    LaunchSpec changed = spec;
    set_arg(changed, {other->parameter, other->value});
    auto changed_source = cost::TrafficSource::open(changed);
    if (changed_source) out.push_back(view_of(**changed_source, first, other->label));
  } else {
    out.push_back(view_of(**source, dealt((*source)->grid(), other->order, count), other->label));
  }
  // The order that loads more stands on the left, as one reads: before and after.
  if (out.size() == 2 && out[0].tile_loads < out[1].tile_loads) std::swap(out[0], out[1]);
  return out;
}

}  // namespace tilescope::report
