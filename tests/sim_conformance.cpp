// Small kernels with the outputs that real Triton gave on a GPU (tests/conformance/README.md).
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "sim/launch.h"

using namespace tilescope;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> cases() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(fs::path(TILESCOPE_SOURCE_DIR) / "tests/conformance"))
    if (fs::exists(entry.path() / "launch.json")) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

std::string refused_as_expected(const LaunchSpec& spec) {
  auto kernel = compile_launch(spec);
  if (kernel) return "compiles, but Triton refuses it";
  const Diagnostic& d = kernel.errors().front();
  if (!spec.expect_error_at) return "the launch file does not say where the caret must stand";
  const auto [line, column] = *spec.expect_error_at;
  if (d.range.line != line || d.range.column != column)
    return "caret at " + std::to_string(d.range.line) + ":" + std::to_string(d.range.column) + ", expected " +
           std::to_string(line) + ":" + std::to_string(column);
  return {};
}

/// Empty when the case holds, else what is wrong.
std::string verdict(const fs::path& folder, const RunOptions& options) {
  auto spec = load_launch_file((folder / "launch.json").string());
  if (!spec) return render(spec.errors());
  if (spec->expect_error) return refused_as_expected(*spec);
  auto launch = prepare_launch(*spec);
  if (!launch) return render(launch.errors());
  const std::vector<Tensor> before = copy_reference_inputs(*launch);
  const RunTrace trace = execute(*launch, options);
  if (!trace.faults.empty()) return render(to_diagnostic(trace.faults.front()));
  auto checks = check_outputs(*launch, before);
  if (!checks) return render(checks.errors());
  if (checks->empty()) return "the case compares nothing";
  for (const OutputCheck& c : *checks)
    if (!c.equal)
      return c.tensor + " differs in " + std::to_string(c.differing) + " of " + std::to_string(c.elements) + " elements; got " +
             c.first_got + ", expected " + c.first_expected;
  return {};
}

}  // namespace

TEST_CASE("kernels give what real Triton gave on a GPU, or are refused where it refuses them") {
  RunOptions options;
  options.check = Checkers::all();  // no false alarms either
  int passed = 0;
  const auto folders = cases();
  REQUIRE(folders.size() == 181);
  for (const fs::path& folder : folders) {
    const std::string name = folder.filename().string();
    const std::string problem = verdict(folder, options);
    CHECK_MESSAGE(problem.empty(), name << ": " << problem);
    passed += problem.empty();
  }
  MESSAGE(passed << " of " << folders.size() << " conformance cases hold");
}

TEST_CASE("the conformance outputs do not depend on the order of programs or the number of threads") {
  for (const fs::path& folder : cases()) {
    const std::string name = folder.filename().string();
    if (name.ends_with("_error")) continue;
    if (name.starts_with("atomic_")) continue;  // the old values that atomics return depend on the order by their nature
    RunOptions options;
    options.order = ProgramOrder::Shuffled;
    options.shuffle_seed = 3;
    options.threads = 2;
    CHECK_MESSAGE(verdict(folder, options).empty(), name << " shuffled: " << verdict(folder, options));
    options.order = ProgramOrder::Reverse;
    options.threads = 1;
    CHECK_MESSAGE(verdict(folder, options).empty(), name << " reversed: " << verdict(folder, options));
  }
}
