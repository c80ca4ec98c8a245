// The passes, the printer, the reader and the layouts on real kernels: the conformance cases.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "core/compile.h"
#include "core/launch_file.h"
#include "core/layout.h"
#include "core/passes.h"
#include "core/print.h"
#include "core/read.h"
#include "core/verify.h"

using namespace tilescope;
namespace fs = std::filesystem;

namespace {

struct ToCompileArg {
  using Value = decltype(CompileArg::value);
  Value operator()(std::monostate) const { return NoneArg{}; }
  Value operator()(const TensorSpec& t) const { return PointerArg{t.dtype, 16}; }
  Value operator()(int64_t i) const { return IntArg{i, false}; }
  Value operator()(uint64_t u) const { return IntArg{static_cast<int64_t>(u), true}; }
  Value operator()(double d) const { return FloatArg{d}; }
  Value operator()(bool b) const { return BoolArg{b}; }
  Value operator()(const std::string& s) const { return StringArg{s}; }
};

/// Compiles every conformance case without passes; those that must be refused are left out.
std::vector<std::pair<std::string, Function>> conformance_kernels() {
  fs::path root = fs::path(TILESCOPE_SOURCE_DIR) / "tests" / "conformance";
  if (!fs::exists(root)) root = fs::path(TILESCOPE_SOURCE_DIR).parent_path() / "shared" / "conformance";
  std::vector<std::pair<std::string, Function>> out;
  for (const auto& entry : fs::directory_iterator(root)) {
    const fs::path file = entry.path() / "launch.json";
    if (!fs::exists(file)) continue;
    const auto spec = load_launch_file(file.string());
    REQUIRE(spec.ok());
    const auto source = read_source(spec->kernel_path);
    REQUIRE(source.ok());
    CompileRequest request;
    request.source = *source;
    request.kernel = spec->kernel;
    request.num_warps = spec->num_warps;
    request.num_stages = spec->num_stages;
    request.optimise = false;
    for (const LaunchArg& arg : spec->args) request.args.push_back({arg.name, std::visit(ToCompileArg{}, arg.value)});
    auto kernel = compile_kernel(request);
    if (kernel.ok()) out.emplace_back(entry.path().filename().string(), std::move(kernel->function));
  }
  return out;
}

void check_round_trip(const Function& f) {
  for (bool locations : {false, true}) {
    const std::string text = print(f, {.locations = locations});
    const auto again = read_ir(std::make_shared<SourceFile>(SourceFile{"k.ir", text}), f.source);
    if (!again.ok()) FAIL(render(again.errors()));
    REQUIRE(print(*again, {.locations = locations}) == text);
  }
}

}  // namespace

TEST_CASE("real kernels print and read back, and each pass keeps them well formed and changes nothing a second time") {
  auto kernels = conformance_kernels();
  CHECK(kernels.size() >= 100);
  for (auto& [name, f] : kernels) {
    CAPTURE(name);
    check_round_trip(f);
    for (const std::string& pass : default_pipeline()) {
      CAPTURE(pass);
      run_passes(f, {pass});
      const std::vector<Diagnostic> errors = verify(f);
      if (!errors.empty()) FAIL(render(errors));
      const std::string once = print(f);
      run_passes(f, {pass});
      CHECK(print(f) == once);
    }
    check_round_trip(f);
  }
}

TEST_CASE("the whole pipeline has nothing left to do on a kernel that went through it") {
  for (auto& [name, f] : conformance_kernels()) {
    CAPTURE(name);
    run_passes(f, default_pipeline());
    const std::string once = print(f);
    run_passes(f, default_pipeline());
    CHECK(print(f) == once);
  }
}

TEST_CASE("every memory op of real kernels has a layout that holds each element once") {
  for (auto& [name, f] : conformance_kernels()) {
    CAPTURE(name);
    run_passes(f, default_pipeline());
    const AxisAnalysis axes(f);
    walk(f.body, [&, &f = f](const Op& op) {
      if (op.info().group != OpGroup::Memory) return;
      const AccessLayout l = choose_access_layout(f, op, f.num_warps, axes);
      std::vector<int> held(static_cast<size_t>(l.shape.elements()), 0);
      for (int warp = 0; warp < l.num_warps; ++warp)
        for (int lane = 0; lane < kLanesPerWarp; ++lane)
          for (int r = 0; r < l.registers() && l.is_first_copy(lane, warp); ++r) ++held[static_cast<size_t>(l.element_of(r, lane, warp))];
      CHECK(std::all_of(held.begin(), held.end(), [](int n) { return n == 1; }));
      CHECK(l.vector_width * l.elem_bytes <= 16);
      CHECK(l.registers() % l.vector_width == 0);
    });
  }
}
