// The Cost panel's view in short as JSON: what tests and scripts compare.
#include <nlohmann/json.hpp>

#include "visualizer/model/cost_view.h"

namespace tilescope::model {
namespace {

using Json = nlohmann::ordered_json;

const char* name_of(CostView::Stage stage) {
  switch (stage) {
    case CostView::Stage::Nothing: return "nothing";
    case CostView::Stage::Waiting: return "waiting";
    case CostView::Stage::Cancelled: return "cancelled";
    case CostView::Stage::Failed: return "failed";
    case CostView::Stage::Partial: return "partial";
    case CostView::Stage::Ready: return "ready";
  }
  return "";
}

const char* name_of(TileCount::Form form) {
  switch (form) {
    case TileCount::Form::Rows: return "rows";
    case TileCount::Form::Cols: return "cols";
    case TileCount::Form::Block: return "block";
    case TileCount::Form::Loose: return "loose";
  }
  return "";
}

const char* name_of(TimePart::Of of) {
  switch (of) {
    case TimePart::Of::Dram: return "dram";
    case TimePart::Of::L2: return "l2";
    case TimePart::Of::Compute: return "compute";
    case TimePart::Of::Latency: return "latency";
  }
  return "";
}

Json spread_json(const cost::Spread& s) { return {{"mean", s.mean}, {"low", s.low}, {"high", s.high}}; }

Json figure_json(const OrderFigure& f) {
  Json j{{"label", f.order.label}, {"current", f.current}, {"loads", f.loads}, {"product", f.map->is_product()}, {"tensors", Json::array()}};
  for (size_t i = 0; i < f.counts.size(); ++i) {
    const TileGrid& g = f.map->loads[i];
    const TileCount& n = f.counts[i];
    j["tensors"].push_back({{"name", g.tensor}, {"tile_rows", g.rows}, {"tile_cols", g.cols}, {"form", name_of(n.form)}, {"tiles", n.tiles}, {"rows", n.rows}, {"cols", n.cols}});
  }
  if (f.map->stores) j["output"] = {{"name", f.map->stores->tensor}, {"tile_rows", f.map->stores->rows}, {"tile_cols", f.map->stores->cols}};
  if (f.map->refusal != TileMap::Refusal::None) j["refused"] = f.map->refused;
  return j;
}

}  // namespace

std::string to_json(const CostView& v) {
  Json j{{"stage", name_of(v.stage)}, {"stale", v.stale}, {"kernel", v.kernel}, {"gpu", v.gpu_id}, {"programs", v.programs}, {"most_programs", v.most_programs}, {"all_programs", v.all_programs}};
  j["figures"] = Json::array();
  for (const OrderFigure& f : v.figures) j["figures"].push_back(figure_json(f));
  j["bars"] = Json::array();
  for (const TrafficBar& b : v.bars)
    j["bars"].push_back({{"label", b.order.label}, {"current", b.current}, {"bytes", spread_json(b.bytes)}, {"hit_rate", b.hit_rate.mean}, {"ms", b.total_ms}, {"least", b.least}});
  j["ideal_bytes"] = v.ideal_bytes;
  if (v.roofline) {
    const RooflineView& r = *v.roofline;
    Json points = Json::array();
    for (const RooflinePoint& p : r.points) points.push_back({{"label", p.order.label}, {"current", p.current}, {"intensity", p.intensity}, {"flops", p.flops}});
    j["roofline"] = {{"unit", r.unit}, {"peak", r.peak}, {"bandwidth", r.bandwidth}, {"naive", r.naive}, {"tiled", r.tiled}, {"ideal", r.ideal}, {"points", points}};
  }
  if (v.report != nullptr) {
    const cost::Occupancy& o = v.report->occupancy;
    j["occupancy"] = {{"programs_per_sm", o.programs_per_sm}, {"limited_by", o.limited_by}, {"at_once", o.at_once}, {"waves", o.waves}};
    j["hit_rate"] = v.report->l2_hit_rate.mean;
    j["ms"] = v.report->estimate.total_ms;
    for (const TimePart& p : v.parts)
      if (p.bound) j["bound"] = name_of(p.of);
  }
  j["errors"] = Json::array();
  for (const Diagnostic& d : v.errors) j["errors"].push_back(d.message);
  return j.dump(1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tilescope::model
