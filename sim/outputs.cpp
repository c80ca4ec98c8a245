// Comparison of a launch's outputs with expected values: sim/launch.h.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "core/json_text.h"
#include "core/user_file.h"
#include "sim/launch.h"
#include "sim/reference.h"
#include "sim/words.h"

namespace tilescope {
namespace {

bool is_nan_element(DType t, const std::byte* e) { return is_float(t) && std::isnan(read_double(t, e)); }

/// Equal bytes, or both NaN (payloads carry no meaning).
bool same_element(DType t, const std::byte* a, const std::byte* b) {
  return std::memcmp(a, b, dtype_bytes(t)) == 0 || (is_nan_element(t, a) && is_nan_element(t, b));
}

bool within(double got, double expected, double rtol, double atol) {
  if (std::isnan(got) || std::isnan(expected)) return std::isnan(got) && std::isnan(expected);
  if (std::isinf(got) || std::isinf(expected)) return got == expected;
  return std::abs(got - expected) <= atol + rtol * std::abs(expected);
}

/// Walks an output in logical row-major order against expected values and fills in the verdict.
struct Comparison {
  OutputCheck& check;
  const Tensor& tensor;
  std::vector<std::byte> got;

  Comparison(OutputCheck& c, const Tensor& t) : check(c), tensor(t) {
    check.elements = t.elements();
    got.resize(static_cast<size_t>(check.elements) * dtype_bytes(t.dtype));
    gather_contiguous(t, got.data());
  }

  const std::byte* element(int64_t i) const { return got.data() + i * dtype_bytes(tensor.dtype); }

  void add(int64_t i, double expected, bool ok, const std::string& expected_text) {
    const double value = read_double(tensor.dtype, element(i));
    if (std::isfinite(value) && std::isfinite(expected)) {
      const double error = std::abs(value - expected);
      check.max_abs = std::max(check.max_abs, error);
      if (expected != 0) check.max_rel = std::max(check.max_rel, error / std::abs(expected));
    }
    if (ok || check.differing++ > 0) return;
    check.first_got = format_element(tensor.dtype, element(i));
    check.first_expected = expected_text;
    check.first_index.assign(tensor.layout.shape.size(), 0);
    for (size_t d = check.first_index.size(); d-- > 0; i /= tensor.layout.shape[d]) check.first_index[d] = i % tensor.layout.shape[d];
  }

  void finish() { check.equal = check.differing == 0; }
};

std::string where_from(const Init& init) {
  return init.kind == Init::Kind::Npy ? std::filesystem::path(init.npy_path).filename().string() : "the launch file's values";
}

std::optional<Diagnostic> compare_values(const OutputSpec& spec, const Tensor& t, OutputCheck& check) {
  const std::string place = "outputs." + spec.tensor;
  Expected<Tensor> expected = allocate_tensor(t.name, t.dtype, TensorLayout::contiguous(t.layout.shape));
  if (!expected) return expected.errors().front();
  if (auto problem = fill_tensor(*expected, *spec.expected, place)) return problem;
  check.expected_from = where_from(*spec.expected);
  Comparison comparison(check, t);
  for (int64_t i = 0; i < check.elements; ++i) {
    const std::byte* element = expected->element(i);
    const double value = read_double(t.dtype, element);
    const bool ok = spec.exact ? same_element(t.dtype, comparison.element(i), element)
                               : within(read_double(t.dtype, comparison.element(i)), value, spec.rtol, spec.atol);
    comparison.add(i, value, ok, ok ? std::string() : format_element(t.dtype, element));
  }
  comparison.finish();
  return std::nullopt;
}

std::optional<Diagnostic> compare_reference(const OutputSpec& spec, const Tensor& t, const std::vector<const Tensor*>& inputs,
                                            OutputCheck& check) {
  auto reference = compute_reference(spec.reference, inputs, spec.params, t, "outputs." + spec.tensor);
  if (!reference) return reference.errors().front();
  check.expected_from = remember(say(SimWords::ReferenceInFloat64, {{"name", spec.reference}}));
  Comparison comparison(check, t);
  std::byte rounded[8];
  for (int64_t i = 0; i < check.elements; ++i) {
    const double value = (*reference)[static_cast<size_t>(i)];
    bool ok = within(read_double(t.dtype, comparison.element(i)), value, spec.rtol, spec.atol);
    if (spec.exact || !ok) write_double(t.dtype, rounded, value);
    if (spec.exact) ok = same_element(t.dtype, comparison.element(i), rounded);
    comparison.add(i, value, ok, ok ? std::string() : format_element(t.dtype, rounded));
  }
  comparison.finish();
  return std::nullopt;
}

constexpr uint64_t kMostText = 16 << 20;  // bytes of a launch file

/// The problem with its place in the launch file, when that can still be read: `key` of the output ("reference").
Diagnostic placed(const Launch& launch, const OutputSpec& spec, const char* key, Diagnostic d) {
  if (d.range.valid() || launch.spec.path.empty()) return d;
  Expected<std::string> text = read_user_file(launch.spec.path, kMostText);
  if (!text) return d;
  const SourcePtr source = std::make_shared<SourceFile>(SourceFile{launch.spec.path, std::move(*text)});
  const Expected<Json> json = parse_json(source);
  if (!json || !json->is_object() || !json->contains("outputs") || !(*json)["outputs"].is_object() || !(*json)["outputs"].contains(spec.tensor)) return d;
  const Json& output = (*json)["outputs"][spec.tensor];
  JsonPlace place = JsonPlace() / "outputs" / spec.tensor;
  if (output.is_object() && output.contains(key)) place = place / key;
  d.range = place.find(source);
  return d;
}

const Tensor* find(const std::vector<Tensor>& tensors, const std::string& name) {
  for (const Tensor& t : tensors)
    if (t.name == name) return &t;
  return nullptr;
}

}  // namespace

std::vector<Tensor> copy_reference_inputs(const Launch& launch) {
  std::vector<Tensor> copies;
  for (const OutputSpec& output : launch.spec.outputs)
    for (const std::string& name : output.inputs)
      if (const Tensor* t = launch.find_tensor(name); t != nullptr && find(copies, name) == nullptr) copies.push_back(*t);
  return copies;
}

std::optional<Diagnostic> find_output_problem(const Launch& launch) {
  for (const OutputSpec& spec : launch.spec.outputs) {
    const std::string place = "outputs." + spec.tensor;
    const Tensor* tensor = launch.find_tensor(spec.tensor);
    if (tensor == nullptr) return plain_error(place + ": the launch has no tensor of that name");
    if (spec.expected) {
      Expected<Tensor> expected = allocate_tensor(tensor->name, tensor->dtype, TensorLayout::contiguous(tensor->layout.shape));
      if (!expected) return expected.errors().front();
      if (auto problem = fill_tensor(*expected, *spec.expected, place)) return problem;
      continue;
    }
    if (auto problem = find_reference_problem(spec.reference, static_cast<int>(spec.inputs.size()), place)) return placed(launch, spec, "reference", *problem);
    for (const std::string& name : spec.inputs)
      if (launch.find_tensor(name) == nullptr) return placed(launch, spec, "inputs", plain_error(place + ".inputs: there is no tensor \"" + name + "\""));
  }
  return std::nullopt;
}

Expected<std::vector<OutputCheck>> check_outputs(const Launch& launch, const std::vector<Tensor>& before) {
  std::vector<OutputCheck> checks;
  for (const OutputSpec& spec : launch.spec.outputs) {
    const Tensor* tensor = launch.find_tensor(spec.tensor);
    if (tensor == nullptr) return plain_error("outputs." + spec.tensor + ": the launch has no tensor of that name");
    OutputCheck check;
    check.tensor = spec.tensor;
    check.exact = spec.exact;
    check.rtol = spec.rtol;
    check.atol = spec.atol;
    std::optional<Diagnostic> problem;
    if (spec.expected) {
      problem = compare_values(spec, *tensor, check);
    } else {
      std::vector<const Tensor*> inputs;
      for (const std::string& name : spec.inputs) {
        const Tensor* input = find(before, name);
        if (input == nullptr) return plain_error("outputs." + spec.tensor + ".inputs: there is no tensor \"" + name + "\"");
        inputs.push_back(input);
      }
      problem = compare_reference(spec, *tensor, inputs, check);
    }
    if (problem) return placed(launch, spec, "reference", *problem);
    checks.push_back(std::move(check));
  }
  return checks;
}

}  // namespace tilescope
