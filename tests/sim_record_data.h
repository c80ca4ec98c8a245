// Helpers of the recording's tests: launches compiled for recording, from files and from text.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "sim/record.h"

namespace tilescope::testing {

/// A launch compiled for recording, and memory as it is when the program starts.
struct Recordable {
  Launch launch;
  std::shared_ptr<const std::vector<Tensor>> before;
  ProgramIndex program{};

  std::shared_ptr<ProgramRecording> record(const RecordOptions& options = {}) const {
    auto recording = ProgramRecording::make(launch, before, program, options);
    REQUIRE(recording.ok());
    return std::move(*recording);
  }
};

inline Recordable recordable(const LaunchSpec& spec, SourcePtr source, ProgramIndex program) {
  Expected<CompiledKernel> kernel = compile_for_recording(spec, std::move(source));
  if (!kernel) FAIL(render(kernel.errors()));
  Expected<std::vector<Tensor>> tensors = make_tensors(spec);
  REQUIRE(tensors.ok());
  Expected<Launch> launch = bind_launch(spec, std::move(*kernel), std::move(*tensors));
  REQUIRE(launch.ok());
  Recordable r{std::move(*launch), nullptr, program};
  r.before = tensors_before(r.launch, program, nullptr, nullptr);
  return r;
}

inline Recordable recordable(const std::filesystem::path& file, ProgramIndex program = {}) {
  Expected<LaunchSpec> spec = load_launch_file(file.string());
  REQUIRE(spec.ok());
  return recordable(*spec, nullptr, program);
}

/// `launch`: the members of a launch file, without "file".
inline LaunchSpec spec_from_text(const std::string& launch) {
  Expected<LaunchSpec> spec =
      parse_launch_text("{\"file\": \"kernel.py\", \"kernel\": \"kernel\", " + launch + "}", "/launch.json");
  if (!spec) FAIL(render(spec.errors()));
  return *spec;
}
inline SourcePtr kernel_source(const std::string& text) {
  auto source = std::make_shared<SourceFile>();
  source->path = "kernel.py";
  source->text = "import triton\nimport triton.language as tl\n\n@triton.jit\n" + text;
  return source;
}
inline Recordable recordable(const std::string& text, const std::string& launch, ProgramIndex program = {}) {
  return recordable(spec_from_text(launch), kernel_source(text), program);
}

inline std::filesystem::path lesson(const std::string& name) {
  return std::filesystem::path(TILESCOPE_SOURCE_DIR) / "lessons/kernels" / name / "launch.json";
}

inline bool same(const StepData& a, const StepData& b) {
  if (a.results.size() != b.results.size() || a.access.has_value() != b.access.has_value()) return false;
  for (size_t k = 0; k < a.results.size(); ++k) {
    const ValueRecord &x = a.results[k], &y = b.results[k];
    if (x.value != y.value || x.data != y.data || x.poison != y.poison) return false;
  }
  return !a.access || (a.access->tensor == b.access->tensor && a.access->offsets == b.access->offsets &&
                       a.access->states == b.access->states);
}

inline bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.storage.size() == b.storage.size() &&
         std::equal(a.storage.data(), a.storage.data() + a.storage.size(), b.storage.data());
}

inline IndexBox box(std::vector<int64_t> lo, std::vector<int64_t> hi) { return {std::move(lo), std::move(hi)}; }
inline bool operator==(const IndexBox& a, const IndexBox& b) { return a.lo == b.lo && a.hi == b.hi; }

}  // namespace tilescope::testing
