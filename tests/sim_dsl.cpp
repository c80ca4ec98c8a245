// Kernels written in C++ run as their Triton text does: the same bytes, accesses and recorded programs.
#include <doctest/doctest.h>

#include <cstring>

#include "core/print.h"
#include "sim/launch.h"
#include "sim/record.h"
#include "tests/dsl_kernels.h"

using namespace tilescope;

namespace {

struct Ran {
  Launch launch;
  std::vector<Tensor> before;
  RunTrace trace;
};

Ran run_launch(const LaunchSpec& spec, const RunOptions& options) {
  Expected<Launch> launch = prepare_launch(spec);
  REQUIRE_MESSAGE(launch.ok(), (launch.ok() ? "" : render(launch.errors())));
  Ran out{std::move(*launch), {}, {}};
  out.before = copy_reference_inputs(out.launch);
  out.trace = execute(out.launch, options);
  return out;
}

/// The launch with its kernel compiled for recording, and the recording of its last program.
struct Recorded {
  Launch launch;
  std::unique_ptr<ProgramRecording> recording;
};

Recorded record(const LaunchSpec& spec) {
  Expected<CompiledKernel> kernel = compile_for_recording(spec);
  Expected<std::vector<Tensor>> tensors = make_tensors(spec);
  REQUIRE(kernel.ok());
  REQUIRE(tensors.ok());
  Expected<Launch> launch = bind_launch(spec, std::move(*kernel), std::move(*tensors));
  REQUIRE(launch.ok());
  Recorded out{std::move(*launch), nullptr};
  const ProgramIndex last = {out.launch.grid[0] - 1, out.launch.grid[1] - 1, out.launch.grid[2] - 1};
  auto made = ProgramRecording::make(out.launch, tensors_before(out.launch, last, nullptr, nullptr), last);
  REQUIRE(made.ok());
  out.recording = std::move(*made);
  return out;
}

/// Step by step: the same ops with the same values, masks and addresses. The C++ steps stand on lines of the C++ file.
void check_recorded_alike(const LaunchSpec& in_text, const LaunchSpec& in_cpp) {
  const Recorded text = record(in_text), cpp = record(in_cpp);
  const ProgramTrace &a = text.recording->trace(), &b = cpp.recording->trace();
  REQUIRE(a.steps.size() == b.steps.size());
  REQUIRE(a.accesses.size() == b.accesses.size());
  for (uint64_t i = 0; i < a.steps.size(); ++i) {
    CHECK(a.steps[i].op == b.steps[i].op);
    const auto x = text.recording->step(i), y = cpp.recording->step(i);
    REQUIRE(x->results.size() == y->results.size());
    for (size_t r = 0; r < x->results.size(); ++r) {
      CHECK(x->results[r].data == y->results[r].data);
      CHECK(x->results[r].poison == y->results[r].poison);
    }
    CHECK(x->access.has_value() == y->access.has_value());
    if (x->access && y->access) {
      CHECK(x->access->offsets == y->access->offsets);
      CHECK(x->access->states == y->access->states);
    }
    const Op& op = *cpp.recording->ops()[static_cast<size_t>(b.steps[i].op)];
    CHECK(op.loc->range.file->text == in_cpp.host->source->text);
  }
}

/// Runs lessons/kernels/NAME/launch.json as it is and with the kernel from C++.
void check_runs_alike(const std::string& name, const std::shared_ptr<const HostKernel>& host) {
  Expected<LaunchSpec> spec =
      load_launch_file(std::string(TILESCOPE_SOURCE_DIR) + "/lessons/kernels/" + name + "/launch.json");
  REQUIRE(spec.ok());
  LaunchSpec in_cpp = *spec;
  in_cpp.host = host;
  const Ran text = run_launch(*spec, {}), cpp = run_launch(in_cpp, {});
  CHECK(print(cpp.launch.kernel.function) == print(text.launch.kernel.function));
  REQUIRE(cpp.launch.tensors.size() == text.launch.tensors.size());
  for (size_t i = 0; i < cpp.launch.tensors.size(); ++i) {
    const Tensor &a = cpp.launch.tensors[i], &b = text.launch.tensors[i];
    CHECK(a.name == b.name);
    REQUIRE(a.storage.size() == b.storage.size());
    CHECK(std::memcmp(a.storage.data(), b.storage.data(), a.storage.size()) == 0);
  }
  CHECK(cpp.trace.faults.empty());
  check_recorded_alike(*spec, in_cpp);
  Expected<SourcePtr> source = launch_source(in_cpp);
  REQUIRE(source.ok());
  CHECK((*source)->text.find("kernel(\"" + host->name + "\"") != std::string::npos);
  Expected<std::vector<OutputCheck>> checked = check_outputs(cpp.launch, cpp.before);
  REQUIRE(checked.ok());
  for (const OutputCheck& c : *checked) CHECK(c.equal);
}

}  // namespace

TEST_CASE("the four kernels written in C++ leave the same bytes as their Triton text, and are recorded alike") {
  check_runs_alike("vector_add", dsl_kernels::vector_add());
  check_runs_alike("softmax", dsl_kernels::softmax());
  check_runs_alike("matmul", dsl_kernels::matmul());
  check_runs_alike("grouped_matmul", dsl_kernels::grouped_matmul());
}
