// Cases that are kernel files: conformance, lessons, random ones.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "sim/launch.h"
#include "tests/parity/suite.h"
#include "tests/property/lanes.h"
#include "tests/property/program.h"

namespace tilescope::parity {
namespace {

namespace fs = std::filesystem;

/// Launch files of the folders of a folder.
void add_folder(std::vector<Case>& cases, const std::string& folder, const std::string& group) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder))
    if (fs::exists(entry.path() / "launch.json")) paths.push_back(entry.path() / "launch.json");
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) {
    auto spec = load_launch_file(path.string());
    if (!spec || spec->expect_error) continue;
    auto launch = prepare_launch(*spec);
    if (!launch) {
      std::fprintf(stderr, "%s", render(launch.errors()).c_str());
      continue;
    }
    Case c;
    c.rung = "L5";
    c.group = group;
    c.name = path.parent_path().filename().string();
    c.function = std::move(launch->kernel.function);
    c.grid = launch->grid;
    for (const Argument& a : launch->arguments)
      c.args.push_back({a.tensor != nullptr ? static_cast<int>(a.tensor - launch->tensors.data()) : -1, a.bits});
    c.tensors = std::move(launch->tensors);
    cases.push_back(std::move(c));
  }
}

Expected<CompiledKernel> compile(const property::Program& p) {
  auto source = std::make_shared<SourceFile>();
  source->path = "kernel.py";
  source->text = property::kernel_text(p);
  CompileRequest request;
  request.source = source;
  request.kernel = "kernel";
  request.num_warps = p.num_warps;
  for (const property::TensorArg& t : p.tensors) {
    const int64_t origin = -t.layout.lowest() * dtype_bytes(t.dtype);
    request.args.push_back({t.name, PointerArg{t.dtype, origin % 16 == 0 ? 16 : 1}});
  }
  for (const auto& [name, value] : p.integers) request.args.push_back({name, IntArg{value, false}});
  for (const auto& [name, value] : p.constexprs) request.args.push_back({name, IntArg{value, false}});
  for (const auto& [name, value] : p.floats) request.args.push_back({name, FloatArg{value}});
  return compile_kernel(request);
}

}  // namespace

void add_conformance(std::vector<Case>& cases, const Options& o) { add_folder(cases, o.root + "/tests/conformance", "conformance cases"); }
void add_lessons(std::vector<Case>& cases, const Options& o) { add_folder(cases, o.root + "/lessons/kernels", "lesson kernels"); }

void add_random(std::vector<Case>& cases, const Options& o) {
  for (int64_t seed = 0; seed < o.random_kernels; ++seed) {
    const property::Program p = property::generate(static_cast<uint64_t>(seed));
    auto kernel = compile(p);
    if (!kernel) continue;
    Case c;
    c.rung = "L5";
    c.group = "random kernels";
    c.name = "seed " + std::to_string(seed);
    c.function = std::move(kernel->function);
    c.grid = p.grid;
    c.tensors = property::make_tensors(p);
    for (const Param& param : c.function.params) {
      Case::Arg a;
      for (size_t i = 0; i < c.tensors.size(); ++i)
        if (c.tensors[i].name == param.name) a.tensor = static_cast<int>(i);
      for (const auto& [name, value] : p.integers)
        if (name == param.name) a.bits = property::number_lane(param.type.elem, static_cast<double>(value));
      for (const auto& [name, value] : p.floats)
        if (name == param.name) a.bits = property::number_lane(param.type.elem, value);
      c.args.push_back(a);
    }
    cases.push_back(std::move(c));
  }
}

}  // namespace tilescope::parity
