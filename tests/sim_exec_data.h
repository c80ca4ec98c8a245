// Helpers of the executor's tests: kernels from text, tensors from numbers, one call to run them.
#pragma once

#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/compile.h"
#include "core/tensor.h"
#include "sim/run.h"

namespace tilescope::testing {

/// Tensors and scalars of one launch, by parameter name, in the order they were added.
class Bench {
 public:
  Tensor& tensor(const std::string& name, DType dtype, std::vector<int64_t> shape, std::vector<int64_t> strides = {}) {
    Expected<TensorLayout> layout = make_layout(name, dtype, std::move(shape), std::move(strides));
    Expected<Tensor> t = allocate_tensor(name, dtype, *layout);
    tensors_.push_back(std::make_unique<Tensor>(std::move(*t)));
    Tensor& out = *tensors_.back();
    std::memset(out.storage.data(), 0, out.storage.size());
    args_.push_back({name, PointerArg{dtype}});
    return out;
  }
  /// 0, 1, 2 ... in storage order.
  Tensor& range(const std::string& name, DType dtype, std::vector<int64_t> shape) {
    Tensor& t = tensor(name, dtype, std::move(shape));
    for (int64_t i = 0; i < t.storage_elements(); ++i) write_double(dtype, t.element(i), static_cast<double>(i));
    return t;
  }
  void integer(const std::string& name, int64_t value) { args_.push_back({name, IntArg{value, false}}); }

  /// Compiles `text` (a kernel file) and runs it. Compilation errors come back as a fault's message.
  RunTrace run(const std::string& text, std::array<int64_t, 3> grid = {1, 1, 1}, const RunOptions& options = {}) {
    auto source = std::make_shared<SourceFile>();
    source->path = "kernel.py";
    source->text = "import triton\nimport triton.language as tl\n\n@triton.jit\n" + text;
    CompileRequest request;
    request.source = source;
    request.args = args_;
    Expected<CompiledKernel> kernel = compile_kernel(request);
    if (!kernel) {
      RunTrace trace;
      trace.faults.emplace_back();
      trace.faults.back().message = "does not compile: " + render(kernel.errors());
      return trace;
    }
    return tilescope::run(kernel->function, bind(kernel->function), grid, options);
  }

  std::vector<Argument> bind(const Function& f) {
    std::vector<Argument> out;
    for (const Param& p : f.params) {
      Argument a;
      for (auto& t : tensors_)
        if (t->name == p.name) a.tensor = t.get();
      for (const CompileArg& c : args_)
        if (c.name == p.name && std::holds_alternative<IntArg>(c.value)) a.bits = static_cast<uint64_t>(std::get<IntArg>(c.value).value);
      out.push_back(a);
    }
    return out;
  }

  /// All bytes of all tensors.
  std::string bytes() const {
    std::string out;
    for (const auto& t : tensors_) out.append(reinterpret_cast<const char*>(t->storage.data()), t->storage.size());
    return out;
  }

 private:
  std::vector<std::unique_ptr<Tensor>> tensors_;
  std::vector<CompileArg> args_;
};

inline std::vector<double> values(const Tensor& t) {
  std::vector<double> out;
  for (int64_t i = 0; i < t.storage_elements(); ++i) out.push_back(read_double(t.dtype, t.element(i)));
  return out;
}

/// Every counter of the report as text, to compare whole reports.
inline std::string text_of(const AccessCounters& c) {
  std::string out;
  for (uint64_t n : {c.programs, c.times, c.lanes_active, c.lanes_masked, c.bytes, c.requests, c.sectors}) out += std::to_string(n) + " ";
  return out;
}
inline std::string text_of(const RunTrace& trace) {
  std::string out;
  for (const TensorReport& t : trace.tensors) {
    out += t.name + ": " + text_of(t.loads) + "| " + text_of(t.stores) + "| " + text_of(t.atomics) + "| " + std::to_string(t.distinct_bytes) + " bytes";
    for (const auto& [times, elements] : t.reuse.histogram) out += " " + std::to_string(times) + ":" + std::to_string(elements);
    out += " max " + std::to_string(t.reuse.max) + " mean " + std::to_string(t.reuse.mean) + "\n";
  }
  for (const LineReport& l : trace.lines) out += std::to_string(l.line) + " " + l.op + " " + l.tensor + " " + text_of(l.counters) + "\n";
  return out;
}

/// Messages and hints of all faults, one a line; "" when there are none.
inline std::string faults(const RunTrace& t) {
  std::string out;
  for (const Fault& f : t.faults) out += f.message + " | " + f.hint + "\n";
  return out;
}

}  // namespace tilescope::testing
