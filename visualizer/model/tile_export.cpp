#include "visualizer/model/tile_export.h"

#include "core/npy.h"
#include "visualizer/model/values.h"

namespace tilescope::model {

const Variable* looked_at(const Scene& scene, const ViewState& state) {
  for (const std::string* name : {&state.pinned_variable, &state.shown_variable}) {
    const Variable* v = name->empty() ? nullptr : scene.find_variable(*name);
    if (v != nullptr && v->record != nullptr) return v;
  }
  const Variable* last = nullptr;
  for (const Variable& v : scene.variables)
    if (v.record != nullptr && (last == nullptr || v.defined_at >= last->defined_at)) last = &v;
  return last;
}

std::string tile_text(const Scene& scene, const Variable& variable) {
  const ProgramValues* values = program_values(scene);
  if (values == nullptr || variable.record == nullptr) return {};
  const Shape& shape = variable.type.shape;
  const int64_t lanes = variable.type.elements();
  const int64_t columns = shape.rank == 0 ? 1 : shape[shape.rank - 1];
  const int64_t rows = shape.rank < 2 ? 1 : shape[shape.rank - 2];
  std::string out;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    if (lane > 0 && lane % columns != 0) out += '\t';
    else if (lane > 0) out += lane % (columns * rows) == 0 ? "\n\n" : "\n";
    out += values->lane_text(*variable.record, lane);
  }
  return out + "\n";
}

std::string tile_file_name(const Scene& scene, const Variable& variable) {
  std::string out = variable.name + "-program";
  size_t axes = scene.run.launch != nullptr ? scene.run.launch->spec.grid.size() : 3;
  if (axes == 0) axes = 1;
  for (size_t i = 0; i < std::min<size_t>(axes, 3); ++i) out += "-" + std::to_string(scene.program[i]);
  return out + "-step-" + std::to_string(scene.line_step + 1) + ".npy";
}

std::optional<Diagnostic> save_tile(const std::string& path, const Variable& variable) {
  if (variable.record == nullptr) return plain_error(variable.name + " has no value at this step");
  const Type& type = variable.record->type;
  std::vector<int64_t> shape;
  for (int i = 0; i < type.shape.rank; ++i) shape.push_back(type.shape[i]);
  return save_npy(path, type.pointer ? DType::Int64 : type.elem, shape, variable.record->data.data());
}

}  // namespace tilescope::model
