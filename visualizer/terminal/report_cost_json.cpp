#include <nlohmann/json.hpp>

#include "visualizer/terminal/report_cost.h"

namespace tilescope::terminal {
namespace {

using Json = nlohmann::ordered_json;
using cost::OpTraffic;
using cost::Spread;

Json spread_json(const Spread& s) { return {{"mean", s.mean}, {"low", s.low}, {"high", s.high}}; }

Json traffic_json(const OpTraffic& t) {
  return {{"times", t.times},
          {"lanes", t.lanes},
          {"requests", t.requests},
          {"sectors", t.sectors},
          {"asked_bytes", t.asked_bytes},
          {"moved_bytes", t.moved_bytes},
          {"efficiency", t.efficiency()},
          {"distinct_bytes", t.distinct_bytes},
          {"program_bytes", t.program_bytes},
          {"distinct_sectors", t.distinct_sectors},
          {"tiles", t.tiles}};
}

Json gpu_json(const cost::GpuDescription& g) {
  Json peaks = Json::object();
  for (int u = 0; u < cost::kWorkUnits; ++u)
    if (g.peak[u] > 0) peaks[std::string(cost::work_unit_name(static_cast<cost::WorkUnit>(u)))] = g.peak[u];
  return {{"id", g.id},
          {"name", g.name},
          {"compute_capability", g.compute_capability},
          {"sms", g.sms},
          {"l2_bytes", g.l2_bytes},
          {"l2_partitions", g.l2_partitions},
          {"dram_bytes_per_s", g.dram_bytes_per_s},
          {"l2_bytes_per_s", g.l2_bytes_per_s},
          {"peak_flops", peaks}};
}

Json occupancy_json(const cost::Occupancy& o) {
  return {{"registers", o.registers},
          {"registers_known", o.registers_known},
          {"shared_bytes", o.shared_bytes},
          {"shared_known", o.shared_known},
          {"programs_per_sm", o.programs_per_sm},
          {"limited_by", o.limited_by},
          {"warps_fraction", o.warps_fraction},
          {"at_once", o.at_once},
          {"waves", o.waves},
          {"last_wave", o.last_wave}};
}

Json launch_json(const cost::LaunchTraffic& t) {
  Json flops = Json::object();
  for (int u = 0; u < cost::kWorkUnits; ++u)
    if (t.work.flops[u] > 0) flops[std::string(cost::work_unit_name(static_cast<cost::WorkUnit>(u)))] = t.work.flops[u];
  return {{"programs", t.programs},
          {"stopped", t.stopped},
          {"naive_bytes", t.naive_bytes},
          {"tiled_bytes", t.tiled_bytes},
          {"ideal_bytes", t.ideal_bytes},
          {"flops", flops},
          {"dot_multiply_adds", t.work.dot_multiply_adds}};
}

Json tensor_json(const cost::TensorCost& t) {
  Json out = Json::object();
  if (t.loads.times > 0) out["loads"] = traffic_json(t.loads);
  if (t.stores.times > 0) out["stores"] = traffic_json(t.stores);
  out["dram_read"] = spread_json(t.dram_read);
  out["dram_written"] = spread_json(t.dram_written);
  out["l2_hit_rate"] = spread_json(t.l2_hit_rate);
  return out;
}

Json line_json(const cost::LineCost& l) {
  Json out = {{"line", l.op.line},  {"column", l.op.column},         {"op", l.op.mnemonic},
              {"tensor", l.tensor}, {"elem_bytes", l.op.elem_bytes}, {"feeds_dot", l.op.feeds_dot}};
  out.update(traffic_json(l.traffic));
  out["dram_read"] = spread_json(l.dram_read);
  return out;
}

Json roofline_json(const cost::Roofline& r) {
  return {{"unit", cost::work_unit_name(r.unit)},   {"peak_flops", r.peak_flops},
          {"dram_bytes_per_s", r.dram_bytes_per_s}, {"intensity", r.intensity},
          {"naive_intensity", r.naive_intensity},   {"tiled_intensity", r.tiled_intensity},
          {"ideal_intensity", r.ideal_intensity},   {"estimated_flops", r.estimated_flops}};
}

Json estimate_json(const cost::Estimate& e) {
  constexpr const char* kBounds[] = {"memory", "compute", "latency"};
  return {{"memory_ms", e.memory_ms},   {"l2_ms", e.l2_ms},       {"compute_ms", e.compute_ms},
          {"latency_ms", e.latency_ms}, {"total_ms", e.total_ms}, {"bound", kBounds[static_cast<int>(e.bound)]},
          {"because", e.because}};
}

Json alternative_json(const cost::Alternative& a) {
  return {{"parameter", a.parameter},
          {"value", a.value},
          {"label", a.label},
          {"current", a.current},
          {"dram_read", spread_json(a.dram_read)},
          {"l2_hit_rate", spread_json(a.l2_hit_rate)},
          {"total_ms", a.total_ms},
          {"tile_loads_first", a.tile_loads_first}};
}

}  // namespace

Json cost_json(const cost::CostReport& r) {
  Json out = {{"gpu", gpu_json(r.gpu)},
              {"seeds", r.seeds},
              {"drift", r.drift},
              {"occupancy", occupancy_json(r.occupancy)},
              {"traffic", launch_json(r.traffic)},
              {"dram_read", spread_json(r.dram_read)},
              {"dram_written", spread_json(r.dram_written)},
              {"l2_hit_rate", spread_json(r.l2_hit_rate)},
              {"l2_bytes", r.l2_bytes},
              {"estimate", estimate_json(r.estimate)},
              {"roofline", roofline_json(r.roofline)}};
  Json tensors = Json::object();
  for (const cost::TensorCost& t : r.tensors) tensors[t.name] = tensor_json(t);
  out["tensors"] = tensors;
  out["lines"] = Json::array();
  for (const cost::LineCost& l : r.lines) out["lines"].push_back(line_json(l));
  out["alternatives"] = Json::array();
  for (const cost::Alternative& a : r.alternatives) out["alternatives"].push_back(alternative_json(a));
  out["notes"] = r.notes;
  return out;
}

std::string gpu_list_json() {
  Json out = Json::array();
  for (const cost::GpuDescription& g : cost::gpu_descriptions()) out.push_back(gpu_json(g));
  return Json{{"gpus", out}}.dump(1) + "\n";
}

}  // namespace tilescope::terminal
