#include "sim/launch.h"

#include <algorithm>
#include <cstring>

#include "core/builder.h"
#include "core/decorators.h"
#include "core/launch_arguments.h"

namespace tilescope {
namespace {

/// Bit pattern of a scalar argument in the parameter's type, which the compiler chose from the same value.
uint64_t scalar_bits(const ArgValue& value, DType t) {
  if (const auto* i = std::get_if<int64_t>(&value)) return is_float(t) ? element_bits(t, static_cast<double>(*i)) : element_bits(t, *i);
  if (const auto* u = std::get_if<uint64_t>(&value)) return *u;
  if (const auto* d = std::get_if<double>(&value)) return element_bits(t, *d);
  if (const auto* b = std::get_if<bool>(&value)) return element_bits(t, static_cast<int64_t>(*b));
  internal_error("a string or None reached a run-time parameter");
}

// Pointer parameters come first, in their order: as in the trace of a run.
void sort_by_parameter(std::vector<Tensor>& tensors, const Function& f) {
  auto place = [&](const Tensor& t) {
    return std::find_if(f.params.begin(), f.params.end(), [&](const Param& p) { return p.name == t.name; });
  };
  std::stable_sort(tensors.begin(), tensors.end(), [&](const Tensor& a, const Tensor& b) { return place(a) < place(b); });
}

}  // namespace

Tensor* Launch::find_tensor(const std::string& name) {
  for (Tensor& t : tensors)
    if (t.name == name) return &t;
  return nullptr;
}

std::vector<Argument> arguments_on(const Launch& launch, std::vector<Tensor>& tensors) {
  std::vector<Argument> out = launch.arguments;
  for (Argument& a : out)
    if (a.tensor != nullptr) a.tensor = &tensors[static_cast<size_t>(a.tensor - launch.tensors.data())];
  return out;
}

CompileRequest compile_request(const LaunchSpec& spec, SourcePtr source) {
  CompileRequest request;
  request.host = spec.host;
  request.source = std::move(source);
  request.kernel = spec.kernel;
  request.num_warps = spec.num_warps;
  request.num_stages = spec.num_stages;
  for (const LaunchArg& arg : spec.args) request.args.push_back(compile_argument(arg));
  return request;
}

Expected<SourcePtr> launch_source(const LaunchSpec& spec) {
  return spec.host != nullptr ? spec.host->source : read_source(spec.kernel_path);
}

Expected<LaunchSpec> complete_launch(const LaunchSpec& spec, SourcePtr source) {
  if (spec.host != nullptr) return spec;
  if (source == nullptr) {
    Expected<SourcePtr> read = launch_source(spec);
    if (!read) return read.errors();
    source = *read;
  }
  return apply_decorators(spec, source);
}

Expected<CompiledKernel> compile_complete(LaunchSpec& spec, SourcePtr source, bool optimise) {
  if (source == nullptr) {
    Expected<SourcePtr> read = launch_source(spec);
    if (!read) return read.errors();
    source = *read;
  }
  std::vector<Diagnostic> notes;
  Expected<LaunchSpec> complete = apply_decorators(spec, source, &notes);
  if (!complete) return complete.errors();
  CompileRequest request = compile_request(*complete, source);
  request.optimise = optimise;
  Expected<CompiledKernel> kernel = compile_kernel(request);
  if (!kernel) return kernel;
  spec = std::move(*complete);
  kernel->notes.insert(kernel->notes.begin(), notes.begin(), notes.end());
  return kernel;
}

Expected<CompiledKernel> compile_launch(const LaunchSpec& spec, bool optimise) {
  LaunchSpec complete = spec;
  return compile_complete(complete, nullptr, optimise);
}

Expected<Launch> bind_launch(const LaunchSpec& spec, CompiledKernel kernel, std::vector<Tensor> tensors) {
  Expected<std::array<int64_t, 3>> grid = evaluate_grid(spec);
  if (!grid) return grid.errors();
  sort_by_parameter(tensors, kernel.function);
  Launch launch;
  launch.spec = spec;
  launch.kernel = std::move(kernel);
  launch.grid = *grid;
  launch.tensors = std::move(tensors);
  for (const Param& param : launch.kernel.function.params) {
    Argument argument;
    if (param.type.pointer)
      argument.tensor = launch.find_tensor(param.name);
    else
      argument.bits = scalar_bits(spec.find(param.name)->value, param.type.elem);
    launch.arguments.push_back(argument);
  }
  return launch;
}

Expected<Launch> prepare_launch(const LaunchSpec& open) {
  LaunchSpec spec = open;
  Expected<CompiledKernel> kernel = compile_complete(spec);
  if (!kernel) return kernel.errors();
  if (Expected<std::array<int64_t, 3>> grid = evaluate_grid(spec); !grid) return grid.errors();
  Expected<std::vector<Tensor>> tensors = make_tensors(spec);
  if (!tensors) return tensors.errors();
  return bind_launch(spec, std::move(*kernel), std::move(*tensors));
}

namespace {

int64_t bytes_of(const TensorSpec& t) {
  if (t.layout.elements() == 0) return 0;
  return std::max(t.layout.highest() - t.layout.lowest() + 1, t.layout.elements()) * dtype_bytes(t.dtype);
}

}  // namespace

bool exceeds_memory(const LaunchSpec& spec) {
  int64_t total = 0;
  for (const LaunchArg& arg : spec.args)
    if (const auto* t = std::get_if<TensorSpec>(&arg.value)) total += bytes_of(*t);  // at most 2^41 each
  return total > tensor_bytes_limit();
}

Expected<Launch> prepare_addresses(const LaunchSpec& open, std::vector<std::string>& unbacked) {
  LaunchSpec spec = open;
  Expected<CompiledKernel> kernel = compile_complete(spec);
  if (!kernel) return kernel.errors();
  LaunchSpec backed = spec;
  std::vector<Tensor> tensors;
  while (exceeds_memory(backed)) {
    const auto size = [](const LaunchArg& a) {
      const auto* t = std::get_if<TensorSpec>(&a.value);
      return t == nullptr ? -1 : bytes_of(*t);
    };
    const auto largest = std::max_element(backed.args.begin(), backed.args.end(), [&](const LaunchArg& a, const LaunchArg& b) { return size(a) < size(b); });
    const auto& t = std::get<TensorSpec>(largest->value);
    Tensor tensor;
    tensor.name = largest->name;
    tensor.dtype = t.dtype;
    tensor.layout = t.layout;
    tensor.origin = -t.layout.lowest();
    unbacked.push_back(tensor.name);
    tensors.push_back(std::move(tensor));
    backed.args.erase(largest);
  }
  Expected<std::vector<Tensor>> others = make_tensors(backed);
  if (!others) return others.errors();
  for (Tensor& t : *others) tensors.push_back(std::move(t));
  return bind_launch(spec, std::move(*kernel), std::move(tensors));
}

RunTrace execute(Launch& launch, const RunOptions& options) {
  return run(launch.kernel.function, launch.arguments, launch.grid, options);
}

}  // namespace tilescope
