#include "visualizer/library/kernel_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "core/arg_spec.h"
#include "gpu/driver.h"
#include "gpu/launch.h"
#include "visualizer/terminal/report.h"

namespace tilescope {
namespace {

constexpr int kTimedLaunches = 20;

RunOptions careful() {
  RunOptions o;
  o.check = Checkers::all();
  return o;
}

/// "row 3, column 5" and both values of the first difference.
std::string comparison_line(const gpu::TensorComparison& t) {
  if (t.equal()) return fmt::format("{}: all {} elements are equal to the last bit\n", t.tensor, t.elements);
  return fmt::format("{}: {} of {} elements differ; {}: simulator {}, GPU {}; largest difference {:.3g}\n", t.tensor, t.differing,
                     t.elements, index_in_words(t.first_index), t.first_a, t.first_b, t.max_abs);
}

}  // namespace

// ---- reports

bool KernelReport::ok() const {
  return ran() && !has_failed(trace) && std::all_of(outputs.begin(), outputs.end(), [](const OutputCheck& o) { return o.equal; });
}

std::string KernelReport::text() const {
  if (!ran()) return render(errors);
  terminal::RunReport report{trace, source, constexprs, notes, outputs, {}, {}, {}};
  return terminal::report_text(report) + terminal::faults_text(trace);
}

const Tensor* KernelReport::tensor(const std::string& name) const {
  const auto it = std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& t) { return t.name == name; });
  return it == tensors.end() ? nullptr : &*it;
}

bool GpuComparison::equal() const {
  return compared() && std::all_of(tensors.begin(), tensors.end(), [](const gpu::TensorComparison& t) { return t.equal(); });
}

std::string GpuComparison::text() const {
  if (!errors.empty()) return render(errors);
  if (!no_gpu.empty()) return "no GPU here: " + no_gpu + "\n";
  std::string out = fmt::format("simulator and {} ({:.4f} ms a launch)\n", device, gpu_ms);
  for (const gpu::TensorComparison& t : tensors) out += "  " + comparison_line(t);
  return out;
}

// ---- the launch

KernelLaunch::KernelLaunch(std::shared_ptr<const HostKernel> kernel, const std::string& grid) {
  if (kernel != nullptr) spec_.kernel = kernel->name;
  else mistakes_.push_back(plain_error("there is no kernel to launch"));
  spec_.host = std::move(kernel);
  auto parsed = parse_grid(grid);
  if (parsed) spec_.grid = std::move(*parsed);
  else mistakes_.insert(mistakes_.end(), parsed.errors().begin(), parsed.errors().end());
}

KernelLaunch& KernelLaunch::set_value(const std::string& name, ArgValue value) {
  set_arg(spec_, {name, std::move(value)});
  return *this;
}

KernelLaunch& KernelLaunch::in_numbers(const std::string& name, std::vector<Init::Number> values, std::vector<int64_t> shape, DType dtype) {
  auto layout = make_layout("args." + name + ".shape", dtype, std::move(shape), {});
  if (!layout) {
    mistakes_.insert(mistakes_.end(), layout.errors().begin(), layout.errors().end());
    return *this;
  }
  TensorSpec t{dtype, std::move(*layout), {}};
  t.init.kind = Init::Kind::Values;
  t.init.values = std::move(values);
  return set_value(name, std::move(t));
}

KernelLaunch& KernelLaunch::out(const std::string& name, DType dtype, std::vector<int64_t> shape) {
  auto layout = make_layout("args." + name + ".shape", dtype, std::move(shape), {});
  if (layout) return set_value(name, TensorSpec{dtype, std::move(*layout), {}});
  mistakes_.insert(mistakes_.end(), layout.errors().begin(), layout.errors().end());
  return *this;
}

TensorSpec* KernelLaunch::tensor_given(const std::string& name, const std::string& what) {
  for (LaunchArg& arg : spec_.args)
    if (auto* tensor = std::get_if<TensorSpec>(&arg.value); tensor != nullptr && arg.name == name) return tensor;
  mistakes_.push_back(plain_error(what + "(\"" + name + "\"): the launch has no tensor of that name", "call in() or out() first"));
  return nullptr;
}

KernelLaunch& KernelLaunch::strides(const std::string& name, const std::vector<int64_t>& strides) {
  TensorSpec* tensor = tensor_given(name, "strides");
  if (tensor == nullptr) return *this;
  auto layout = make_layout("args." + name + ".strides", tensor->dtype, tensor->layout.shape, strides);
  if (layout) tensor->layout = std::move(*layout);
  else mistakes_.insert(mistakes_.end(), layout.errors().begin(), layout.errors().end());
  return *this;
}

KernelLaunch& KernelLaunch::descriptor(const std::string& name, const std::string& block) {
  TensorSpec* tensor = tensor_given(name, "descriptor");
  if (tensor == nullptr) return *this;
  auto extents = parse_block(block, "args." + name + ".descriptor");
  if (extents) tensor->block = std::move(*extents);
  else mistakes_.insert(mistakes_.end(), extents.errors().begin(), extents.errors().end());
  return *this;
}

KernelLaunch& KernelLaunch::warps(int num_warps) {
  if (auto problem = check_num_warps(num_warps, "num_warps")) mistakes_.push_back(*problem);
  else spec_.num_warps = num_warps, spec_.num_warps_stated = true;
  return *this;
}

KernelLaunch& KernelLaunch::expect_numbers(const std::string& name, std::vector<Init::Number> values, double rtol, double atol) {
  const TensorSpec* tensor = tensor_given(name, "expect");
  if (tensor == nullptr) return *this;
  OutputSpec o;
  o.tensor = name;
  o.expected.emplace();
  o.expected->kind = Init::Kind::Values;
  o.expected->values = std::move(values);
  set_default_tolerance(o, tensor->dtype);
  if (rtol >= 0 || atol >= 0) {
    o.exact = false;
    o.rtol = std::max(rtol, 0.0);
    o.atol = std::max(atol, 0.0);
  }
  std::erase_if(spec_.outputs, [&](const OutputSpec& old) { return old.tensor == name; });
  spec_.outputs.push_back(std::move(o));
  return *this;
}

Expected<Launch> KernelLaunch::prepare() const {
  if (!mistakes_.empty()) return mistakes_;
  return prepare_launch(spec_);
}

KernelReport KernelLaunch::run() const { return run(careful()); }

KernelReport KernelLaunch::run(const RunOptions& options) const {
  KernelReport report;
  Expected<Launch> launch = prepare();
  if (launch)
    if (auto problem = find_output_problem(*launch)) launch = *problem;
  if (!launch) {
    report.errors = launch.errors();
    return report;
  }
  const std::vector<Tensor> before = copy_reference_inputs(*launch);
  report.trace = execute(*launch, options);
  report.source = launch->kernel.function.source;
  report.constexprs = launch->kernel.function.constexprs;
  report.notes = launch->kernel.notes;
  if (!has_failed(report.trace)) {
    auto outputs = check_outputs(*launch, before);
    if (outputs) report.outputs = std::move(*outputs);
    else report.errors = outputs.errors();
  }
  report.tensors = std::move(launch->tensors);
  return report;
}

GpuComparison KernelLaunch::compare_with_gpu() const {
  GpuComparison result;
  Expected<Launch> launch = prepare();
  if (!launch) return result.errors = launch.errors(), result;
  auto device = gpu::Device::open();
  if (!device) return result.no_gpu = device.errors().front().message, result;
  std::vector<Tensor> tensors = launch->tensors;  // a copy of its bytes
  const RunTrace trace = execute(*launch, careful());
  if (has_failed(trace)) return result.errors.push_back(to_diagnostic(trace.faults.front())), result;
  result.device = device->info().name;
  auto kernel = gpu::compile_for_gpu(launch->kernel.function, launch->grid, device->info().architecture(), device->info().shared_limit);
  if (!kernel) return result.errors = kernel.errors(), result;
  auto ran = gpu::run_on_gpu(*device, *kernel, launch->kernel.function, arguments_on(*launch, tensors), launch->grid, kTimedLaunches);
  if (!ran) return result.errors = ran.errors(), result;
  for (const std::string& problem : {ran->fault, ran->failed_assert})
    if (!problem.empty()) return result.errors.push_back(plain_error(problem)), result;
  result.gpu_ms = ran->time_ms;
  for (size_t i = 0; i < tensors.size(); ++i) result.tensors.push_back(gpu::compare_tensors(launch->tensors[i], tensors[i]));
  return result;
}

#ifdef TILESCOPE_WINDOW
int KernelLaunch::view(const window::ViewOptions& options) const {
  if (mistakes_.empty()) return window::view(spec_, options, std::cout, std::cerr);
  std::cerr << render(mistakes_);
  return 2;
}
#else
int KernelLaunch::view(const window::ViewOptions&) const {
  std::cerr << render(plain_error("this library was built without the window"));
  return 2;
}
#endif

}  // namespace tilescope
