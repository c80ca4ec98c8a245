// The passes change no bit of what a kernel computes: every conformance case runs with and without them.
#include <doctest/doctest.h>

#include <filesystem>

#include "core/passes.h"
#include "sim/launch.h"

using namespace tilescope;
namespace fs = std::filesystem;

namespace {

/// Runs the case with these passes and returns the bytes of all its tensors.
std::vector<std::vector<std::byte>> run_with(const LaunchSpec& spec, const std::vector<std::string>& passes) {
  Expected<Launch> launch = prepare_launch(spec);
  REQUIRE(launch.ok());
  Expected<CompiledKernel> plain = compile_launch(spec, false);
  REQUIRE(plain.ok());
  run_passes(plain->function, passes);
  launch->kernel = std::move(*plain);
  RunOptions options;
  options.record = RecordLevel::None;
  execute(*launch, options);
  std::vector<std::vector<std::byte>> bytes;
  for (const Tensor& t : launch->tensors) bytes.emplace_back(t.storage.data(), t.storage.data() + t.storage.size());
  return bytes;
}

}  // namespace

TEST_CASE("every conformance case gives the same bytes with each pass and with all of them") {
  fs::path root = fs::path(TILESCOPE_SOURCE_DIR) / "tests" / "conformance";
  if (!fs::exists(root)) root = fs::path(TILESCOPE_SOURCE_DIR).parent_path() / "shared" / "conformance";
  int compared = 0;
  for (const auto& entry : fs::directory_iterator(root)) {
    if (!fs::exists(entry.path() / "launch.json")) continue;
    const Expected<LaunchSpec> spec = load_launch_file((entry.path() / "launch.json").string());
    REQUIRE(spec.ok());
    if (spec->expect_error || !compile_launch(*spec, false).ok()) continue;
    CAPTURE(entry.path().filename().string());
    // fold-dot-acc chooses the accumulation that the language promises, so it is part of the meaning.
    const auto plain = run_with(*spec, {"fold-dot-acc"});
    for (const char* pass : {"fold", "canonicalise", "cse", "licm", "dce"}) {
      CAPTURE(pass);
      CHECK(run_with(*spec, {"fold-dot-acc", pass}) == plain);
    }
    CHECK(run_with(*spec, default_pipeline()) == plain);
    ++compared;
  }
  CHECK(compared >= 100);
}
