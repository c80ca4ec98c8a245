// From a launch (file or command line) to a finished run: compile, allocate, bind, execute, compare. Everything that
// runs kernels goes through here: the command, tests, benchmarks, lessons, the window.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/compile.h"
#include "core/launch_file.h"
#include "core/tensor.h"
#include "sim/run.h"

namespace tilescope {

/// A launch ready to execute. Tensors are in the order of the kernel's parameters, as in RunTrace; the arguments point into
/// `tensors`, so a Launch is moved, not copied.
struct Launch {
  LaunchSpec spec;
  CompiledKernel kernel;
  std::array<int64_t, 3> grid{1, 1, 1};
  std::vector<Tensor> tensors;
  std::vector<Argument> arguments;  ///< one for each kernel.function.params

  Tensor* find_tensor(const std::string& name);
  const Tensor* find_tensor(const std::string& name) const { return const_cast<Launch*>(this)->find_tensor(name); }
};

/// What the compiler must know about the arguments of a launch. Pointers: 16-byte aligned when the address of index 0 is
/// (a negative stride moves it).
CompileRequest compile_request(const LaunchSpec& spec, SourcePtr source);

/// The text that the launch's kernel comes from: its file, or the C++ file that builds it.
Expected<SourcePtr> launch_source(const LaunchSpec& spec);

/// Compiles the launch's kernel only, with what its decorators give. The launch's `expect_error` is not looked at.
Expected<CompiledKernel> compile_launch(const LaunchSpec& spec, bool optimise = true);

/// The launch with the values that its kernel's decorators give where it leaves them open (core/decorators.h).
/// `source`: the kernel's text; null: the launch's own. Errors: the text cannot be read, or such a value.
Expected<LaunchSpec> complete_launch(const LaunchSpec& spec, SourcePtr source = nullptr);

/// compile_launch that also completes `spec`; which config that took stands among the kernel's notes.
Expected<CompiledKernel> compile_complete(LaunchSpec& spec, SourcePtr source = nullptr, bool optimise = true);

/// Compiles, evaluates the grid, allocates and fills the tensors, binds the arguments.
Expected<Launch> prepare_launch(const LaunchSpec& open);

/// The tensors of the launch take more memory than there is for them.
bool exceeds_memory(const LaunchSpec& spec);

/// The same, but the largest tensors are left without storage until the others fit: addresses, masks and offsets are
/// those of the launch, values loaded from such tensors are 0 and what is stored there is lost. `unbacked`: their names.
Expected<Launch> prepare_addresses(const LaunchSpec& open, std::vector<std::string>& unbacked);

/// The last step alone, for a kernel compiled from `spec` and tensors that are at hand: evaluates the grid, binds the
/// arguments. `tensors` are those of make_tensors(spec) in its order.
Expected<Launch> bind_launch(const LaunchSpec& spec, CompiledKernel kernel, std::vector<Tensor> tensors);

/// The launch's arguments on other tensors: copies of its own, in the same order.
std::vector<Argument> arguments_on(const Launch& launch, std::vector<Tensor>& tensors);

/// Runs it; tensors change in place.
RunTrace execute(Launch& launch, const RunOptions& options);

/// How one output compares with what was expected.
struct OutputCheck {
  std::string tensor;
  bool equal = false;         ///< within the tolerance; equal bytes when `exact`
  bool exact = false;
  double rtol = 0, atol = 0;
  double max_abs = 0, max_rel = 0;  ///< over elements where both are finite
  int64_t elements = 0, differing = 0;
  /// First element outside the tolerance: its logical index and both values as text.
  std::vector<int64_t> first_index;
  std::string first_got, first_expected;
  std::string expected_from;  ///< "y.expected.npy", "reference matmul in float64"
};

/// Compares every output of the spec with its .npy or its host reference (sim/reference.h). References read the inputs
/// as they were before the run, so `before` is a copy of the launch's tensors made then (see copy_reference_inputs).
Expected<std::vector<OutputCheck>> check_outputs(const Launch& launch, const std::vector<Tensor>& before);

/// What is wrong with the expected outputs, found before anything runs: a missing or unfit file, an unknown reference or
/// input.
std::optional<Diagnostic> find_output_problem(const Launch& launch);

/// Copies the tensors that references of this launch read (none when every output names an .npy).
std::vector<Tensor> copy_reference_inputs(const Launch& launch);

}  // namespace tilescope
