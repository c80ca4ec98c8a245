// A kernel with its grid and arguments, for C++ programs: run it on the simulator, compare with the GPU, look at it in
// the window.
//
//   tilescope::KernelLaunch launch(vector_add, "cdiv(n, BLOCK)");
//   launch.in("x_ptr", x).in("y_ptr", y).out("z_ptr", tilescope::DType::Float32, {n}).set("n", n).set("BLOCK", 256);
//   const tilescope::KernelReport report = launch.run();
//   std::cout << report.text();
//   return launch.view();
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/compile.h"
#include "core/launch_file.h"
#include "core/tensor.h"
#include "core/trace.h"
#include "gpu/compare.h"
#include "sim/launch.h"
#include "sim/run.h"
#include "visualizer/window/view.h"

namespace tilescope {

/// The element type that holds values of T: float is float32, int64_t is int64 ... bool is int1.
template <class T>
constexpr DType dtype_of() {
  static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8, "there is no element type for this C++ type");
  if constexpr (std::is_same_v<T, bool>) return DType::Int1;
  else if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? DType::Float32 : DType::Float64;
  else if constexpr (std::is_signed_v<T>)
    return sizeof(T) == 1 ? DType::Int8 : sizeof(T) == 2 ? DType::Int16 : sizeof(T) == 4 ? DType::Int32 : DType::Int64;
  else
    return sizeof(T) == 1 ? DType::UInt8 : sizeof(T) == 2 ? DType::UInt16 : sizeof(T) == 4 ? DType::UInt32 : DType::UInt64;
}

/// What came out of a run on the simulator.
struct KernelReport {
  std::vector<Diagnostic> errors;     ///< why it did not run: the kernel, an argument, the grid; else empty
  std::vector<Diagnostic> notes;      ///< of the compiler
  RunTrace trace;                     ///< counters, faults, printed lines; empty when it did not run
  std::vector<Tensor> tensors;        ///< after the run, in the order of the kernel's parameters
  std::vector<OutputCheck> outputs;   ///< of what was expected
  SourcePtr source;
  std::vector<std::pair<std::string, std::string>> constexprs;

  bool ran() const { return errors.empty(); }
  /// It ran without a fault, and every output is as expected.
  bool ok() const;
  /// Errors, or the report of `tilescope check` with faults behind it.
  std::string text() const;
  /// Null when there is no tensor of that name.
  const Tensor* tensor(const std::string& name) const;
  /// The tensor's elements in row-major order, converted to T; empty when there is no such tensor.
  template <class T>
  std::vector<T> values(const std::string& name) const;
};

/// The simulator's run beside the GPU's.
struct GpuComparison {
  std::string no_gpu;              ///< why nothing was compared: no driver, no GPU. No error
  std::vector<Diagnostic> errors;  ///< the kernel, its launch, a fault
  std::string device;              ///< "NVIDIA H200"
  double gpu_ms = 0;               ///< one launch, warm
  std::vector<gpu::TensorComparison> tensors;

  bool compared() const { return no_gpu.empty() && errors.empty(); }
  bool equal() const;        ///< compared, and every tensor is equal to the last bit
  std::string text() const;  ///< a line for each tensor, "no GPU here: ..." or the errors; ends in a newline
};

class KernelLaunch {
 public:
  /// A kernel that C++ builds. `grid`: "4", "4,2", "cdiv(n, BLOCK)": as `tilescope run --grid`. A mistake in it is reported
  /// by run().
  KernelLaunch(std::shared_ptr<const HostKernel> kernel, const std::string& grid);
  /// A launch that is at hand, such as one from load_launch_file().
  explicit KernelLaunch(LaunchSpec spec) : spec_(std::move(spec)) {}

  /// A tensor with these values, row major; without a shape it has one axis. `dtype` may be another one than T's: values
  /// are rounded to it.
  template <class T>
  KernelLaunch& in(const std::string& name, std::span<const T> values, std::vector<int64_t> shape = {}, DType dtype = dtype_of<T>());
  template <class T>
  KernelLaunch& in(const std::string& name, const std::vector<T>& values, std::vector<int64_t> shape = {}, DType dtype = dtype_of<T>()) {
    return in(name, std::span<const T>(values), std::move(shape), dtype);
  }
  /// A tensor without values: reading an element before it is stored is a fault.
  KernelLaunch& out(const std::string& name, DType dtype, std::vector<int64_t> shape);
  /// The tensor's strides in elements, outermost first, in place of row-major ones; after in() or out().
  KernelLaunch& strides(const std::string& name, const std::vector<int64_t>& strides);
  /// The kernel gets a tensor descriptor of this tensor in place of a pointer; after in() or out(). `block` are the extents
  /// of its blocks, numbers or expressions of integer arguments: "64, 32", "BLOCK_M, cdiv(BLOCK_K, 2)". As on a GPU the
  /// last stride is 1 and the others are multiples of 16 bytes: run() says so otherwise.
  KernelLaunch& descriptor(const std::string& name, const std::string& block);
  /// A number, true or false, a string: a run-time argument or a constexpr, as the kernel says.
  template <class T>
  KernelLaunch& set(const std::string& name, const T& value) {
    if constexpr (std::is_same_v<T, bool>) return set_value(name, value);
    else if constexpr (std::is_floating_point_v<T>) return set_value(name, static_cast<double>(value));
    else if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8)
      return value > INT64_MAX ? set_value(name, uint64_t{value}) : set_value(name, static_cast<int64_t>(value));
    else if constexpr (std::is_integral_v<T>) return set_value(name, static_cast<int64_t>(value));
    else return set_value(name, std::string(value));
  }
  KernelLaunch& warps(int num_warps);
  /// What a tensor must hold after the launch: compared by run(), shown in the window. Without tolerances they follow the
  /// dtype, as in launch files.
  template <class T>
  KernelLaunch& expect(const std::string& name, const std::vector<T>& values, double rtol = -1, double atol = -1) {
    return expect_numbers(name, numbers(std::span<const T>(values)), rtol, atol);
  }

  const LaunchSpec& spec() const { return spec_; }

  /// On the simulator, with every checker on unless the options say otherwise; whether the result depends on the order of
  /// programs is not looked for (sim/order_check.h does). The tensors of this launch stay as they
  /// are: it can be run again.
  KernelReport run() const;
  KernelReport run(const RunOptions& options) const;
  /// On the simulator and, where there is one, on the first GPU. A launch that faults is not sent to the GPU.
  GpuComparison compare_with_gpu() const;
  /// Opens the window and returns when it is closed, or writes options.shot. Returns 0, or 2 for what cannot be shown
  /// and in a library without the window, 3 for a picture of a launch that faults. Messages go to stderr.
  int view(const window::ViewOptions& options = {}) const;

 private:
  template <class T>
  static std::vector<Init::Number> numbers(std::span<const T> values);
  KernelLaunch& in_numbers(const std::string& name, std::vector<Init::Number> values, std::vector<int64_t> shape, DType dtype);
  KernelLaunch& expect_numbers(const std::string& name, std::vector<Init::Number> values, double rtol, double atol);
  KernelLaunch& set_value(const std::string& name, ArgValue value);
  /// Of an earlier in() or out(); null with a mistake noted when there was none. `what` names the call.
  TensorSpec* tensor_given(const std::string& name, const std::string& what);
  Expected<Launch> prepare() const;

  LaunchSpec spec_;
  std::vector<Diagnostic> mistakes_;  ///< of the calls above
};

// ---- templates

template <class T>
std::vector<Init::Number> KernelLaunch::numbers(std::span<const T> values) {
  std::vector<Init::Number> out;
  out.reserve(values.size());
  for (const T v : values) {
    if constexpr (std::is_same_v<T, bool>) out.emplace_back(v);
    else if constexpr (std::is_floating_point_v<T>) out.emplace_back(static_cast<double>(v));
    else if constexpr (std::is_signed_v<T>) out.emplace_back(static_cast<int64_t>(v));
    else out.emplace_back(static_cast<uint64_t>(v));
  }
  return out;
}

template <class T>
KernelLaunch& KernelLaunch::in(const std::string& name, std::span<const T> values, std::vector<int64_t> shape, DType dtype) {
  if (shape.empty()) shape = {static_cast<int64_t>(values.size())};
  return in_numbers(name, numbers(values), std::move(shape), dtype);
}

template <class T>
std::vector<T> KernelReport::values(const std::string& name) const {
  const Tensor* t = tensor(name);
  if (t == nullptr) return {};
  std::vector<std::byte> bytes(static_cast<size_t>(t->elements() * dtype_bytes(t->dtype)));
  gather_contiguous(*t, bytes.data());
  std::vector<T> out;
  out.reserve(static_cast<size_t>(t->elements()));
  for (size_t at = 0; at < bytes.size(); at += static_cast<size_t>(dtype_bytes(t->dtype))) {
    if (is_float(t->dtype)) out.push_back(static_cast<T>(read_double(t->dtype, &bytes[at])));
    else out.push_back(static_cast<T>(read_int64(t->dtype, &bytes[at])));
  }
  return out;
}

}  // namespace tilescope
