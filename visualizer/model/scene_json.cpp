// A scene in short as JSON: what tests and scripts compare.
#include <nlohmann/json.hpp>

#include "visualizer/model/scene.h"
#include "visualizer/model/values.h"

namespace tilescope::model {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kShownLanes = 4;

/// FNV-1a over the bytes: two scenes with equal values agree in it.
std::string hash_of(const std::vector<std::byte>& data) {
  uint64_t h = 14695981039346656037u;
  for (std::byte b : data) h = (h ^ static_cast<uint8_t>(b)) * 1099511628211u;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(h));
  return text;
}

Json variable_json(const Scene& scene, const Variable& v) {
  Json j{{"name", v.name}, {"type", to_string(v.type)}};
  if (v.record == nullptr) {
    j["values"] = nullptr;
    return j;
  }
  j["step"] = v.defined_at;
  if (v.now) j["now"] = true;
  Json values = Json::array();
  const ProgramValues* reader = program_values(scene);
  for (int64_t lane = 0; reader != nullptr && lane < std::min(kShownLanes, v.type.elements()); ++lane)
    values.push_back(reader->lane_text(*v.record, lane));
  j["values"] = values;
  if (v.type.elements() > kShownLanes) j["hash"] = hash_of(v.record->data);
  return j;
}

Json access_json(const Scene& scene, const CurrentAccess& a) {
  Json j{{"op", a.op->info().name}, {"tensor", nullptr}, {"variable", a.variable}};
  if (a.summary->tensor >= 0) j["tensor"] = scene.run.launch->tensors[static_cast<size_t>(a.summary->tensor)].name;
  j["on"] = a.summary->on;
  j["masked"] = a.summary->masked;
  j["out_of_bounds"] = a.summary->out_of_bounds;
  j["uninitialised"] = a.summary->uninitialised;
  j["duplicates"] = a.summary->duplicates;
  return j;
}

}  // namespace

std::string to_json(const Scene& scene) {
  Json j;
  j["ready"] = scene.ready;
  j["busy"] = scene.run.busy;
  j["stale"] = scene.run.stale;
  j["errors"] = Json::array();
  for (const Diagnostic& d : scene.run.errors) j["errors"].push_back({{"line", d.range.line}, {"message", d.message}});
  if (scene.ready) {
    const LineStep& line = scene.timeline->lines[scene.line_step];
    j["kernel"] = scene.function->name;
    j["program"] = scene.program;
    j["provisional"] = scene.run.recorded->provisional;
    j["step"] = scene.step;
    j["steps"] = scene.trace->steps.size();
    j["line_step"] = scene.line_step;
    j["line_steps"] = scene.timeline->lines.size();
    j["line"] = scene.line;
    if (scene.helper_line > 0) j["helper_line"] = scene.helper_line;
    j["text"] = line.statement.file == nullptr ? std::string() : std::string(line.statement.file->line(scene.line));
    j["label"] = line.label;
    j["section"] = scene.timeline->sections[scene.section].detail;
    j["loops"] = Json::array();
    for (const LoopPosition& p : scene.loops)
      j["loops"].push_back({{"line", p.line}, {"variable", p.variable}, {"value", p.value}, {"iteration", p.iteration}});
    j["variables"] = Json::array();
    for (const Variable& v : scene.variables) j["variables"].push_back(variable_json(scene, v));
    j["accesses"] = Json::array();
    for (const CurrentAccess& a : scene.accesses) j["accesses"].push_back(access_json(scene, a));
    j["tensors"] = Json::array();
    for (const TensorNow& t : scene.tensors)
      j["tensors"].push_back({{"name", t.name}, {"loaded", t.loaded}, {"stored", t.stored}, {"low", t.low}, {"high", t.high}});
    j["faults"] = Json::array();
    for (const Fault& f : scene.trace->faults) j["faults"].push_back(f.message);
    if (!scene.trace->truncated.empty()) j["truncated"] = scene.trace->truncated;
  }
  return j.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tilescope::model
