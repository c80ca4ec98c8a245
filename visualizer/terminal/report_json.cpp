#include <nlohmann/json.hpp>

#include "visualizer/terminal/report.h"
#include "visualizer/terminal/report_cost.h"

namespace tilescope::terminal {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& j) {
  // Kernel text and file names may hold bytes that are not UTF-8; JSON may not.
  return j.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Bytes asked for / bytes of the sectors that moved; above 1 where lanes share elements.
double efficiency(const AccessCounters& c) { return c.sectors == 0 ? 1 : static_cast<double>(c.bytes) / (32.0 * static_cast<double>(c.sectors)); }

Json counters_json(const AccessCounters& c) {
  return {{"programs", c.programs},
          {"times", c.times},
          {"lanes_active", c.lanes_active},
          {"lanes_masked", c.lanes_masked},
          {"bytes", c.bytes},
          {"requests", c.requests},
          {"sectors", c.sectors},
          {"efficiency", efficiency(c)}};
}

Json tensor_json(const TensorReport& t) {
  Json histogram = Json::object();
  for (const auto& [times, elements] : t.reuse.histogram) histogram[std::to_string(times)] = elements;
  Json out = {{"dtype", dtype_name(t.dtype)}, {"shape", t.shape}};
  out["loads"] = counters_json(t.loads);
  out["stores"] = counters_json(t.stores);
  if (t.atomics.times > 0) out["atomics"] = counters_json(t.atomics);
  out["distinct_bytes"] = t.distinct_bytes;
  out["distinct_sectors"] = {{"loaded", t.distinct_sectors_loaded}, {"stored", t.distinct_sectors_stored}};
  out["reuse"] = {{"max", t.reuse.max}, {"mean", t.reuse.mean}, {"histogram", histogram}};
  return out;
}

Json line_json(const LineReport& l) {
  Json out = {{"line", l.line}, {"column", l.column}, {"op", l.op}, {"tensor", l.tensor}};
  out.update(counters_json(l.counters));
  return out;
}

Json fault_json(const Fault& f) {
  Json out = {{"kind", fault_kind_name(f.kind)}};
  if (f.range.valid()) {
    out["file"] = f.range.file->path;
    out["line"] = f.range.line;
    out["column"] = f.range.column;
  }
  out["program"] = f.program;
  out["lane"] = f.lane;
  out["lane_index"] = f.lane_index;
  out["tensor"] = f.tensor;
  out["offset"] = f.offset;
  out["size"] = f.size;
  if (!f.element.empty()) out["element"] = f.element;
  Json loops = Json::array();
  for (const LoopPosition& l : f.loops)
    loops.push_back({{"line", l.line}, {"variable", l.variable}, {"value", l.value}, {"iteration", l.iteration}});
  out["loops"] = loops;
  out["count"] = f.count;
  out["same_value"] = f.same_value;
  if (f.other) {
    const FaultPartner& o = *f.other;
    Json other = {{"program", o.program}, {"lane", o.lane}, {"lane_index", o.lane_index}, {"writes", o.writes}};
    if (o.range.valid()) {
      other["file"] = o.range.file->path;
      other["line"] = o.range.line;
      other["column"] = o.range.column;
    }
    out["other"] = other;
  }
  out["message"] = f.message;
  if (!f.hint.empty()) out["hint"] = f.hint;
  return out;
}

Json output_json(const OutputCheck& o) {
  Json out = {{"equal", o.equal},           {"exact", o.exact},       {"max_abs", o.max_abs},
              {"max_rel", o.max_rel},       {"elements", o.elements}, {"differing", o.differing},
              {"expected", o.expected_from}};
  if (!o.equal) out["first"] = {{"index", o.first_index}, {"got", o.first_got}, {"expected", o.first_expected}};
  return out;
}

Json errors_array(const std::vector<Diagnostic>& errors) {
  Json out = Json::array();
  for (const Diagnostic& d : errors) {
    Json e = {{"message", d.message}};
    if (d.range.valid()) {
      e["file"] = d.range.file->path;
      e["line"] = d.range.line;
      e["column"] = d.range.column;
    }
    if (!d.hint.empty()) e["hint"] = d.hint;
    out.push_back(std::move(e));
  }
  return out;
}

}  // namespace

std::string report_json(const RunReport& r) {
  const RunTrace& t = r.trace;
  Json out = {{"kernel", t.kernel},       {"grid", t.grid},       {"programs", t.programs},
              {"num_warps", t.num_warps}, {"backend", t.backend}, {"time_ms", t.time_ms}};
  Json constexprs = Json::object(), tensors = Json::object(), outputs = Json::object();
  for (const auto& [name, value] : r.constexprs) constexprs[name] = value;
  for (const TensorReport& tensor : t.tensors) tensors[tensor.name] = tensor_json(tensor);
  for (const OutputCheck& o : r.outputs) outputs[o.tensor] = output_json(o);
  out["constexprs"] = constexprs;
  out["tensors"] = tensors;
  out["lines"] = Json::array();
  for (const LineReport& l : t.lines) out["lines"].push_back(line_json(l));
  out["faults"] = Json::array();
  for (const Fault& f : t.faults) out["faults"].push_back(fault_json(f));
  out["outputs"] = outputs;
  if (!r.causes.empty()) out["causes"] = errors_array(r.causes);
  out["printed"] = t.printed;
  out["notes"] = t.notes;
  if (r.cost) out["cost"] = cost_json(*r.cost);
  return text_of(out);
}

std::string cost_report_json(const cost::CostReport& r, const std::vector<std::pair<std::string, std::string>>& constexprs) {
  Json out = {{"kernel", r.kernel}, {"grid", r.grid}, {"programs", r.grid[0] * r.grid[1] * r.grid[2]}, {"num_warps", r.num_warps},
              {"num_stages", r.num_stages}};
  out["constexprs"] = Json::object();
  for (const auto& [name, value] : constexprs) out["constexprs"][name] = value;
  out["cost"] = cost_json(r);
  return text_of(out);
}

std::string errors_json(const std::vector<Diagnostic>& errors) { return text_of({{"errors", errors_array(errors)}}); }

std::string refusal_json(const std::string& kernel, bool refused, const std::vector<Diagnostic>& errors,
                         const std::string& problem) {
  Json out = {{"kernel", kernel}, {"expect_error", true}, {"refused", refused}, {"as_expected", problem.empty()}};
  if (!problem.empty()) out["problem"] = problem;
  out["errors"] = errors_array(errors);
  return text_of(out);
}

}  // namespace tilescope::terminal
