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
    c.launch_file = fs::absolute(path).string();
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

void add_conformance(std::vector<Case>& cases, const Options& o) {
  add_folder(cases, o.root + "/tests/conformance", "conformance cases");
}
void add_lessons(std::vector<Case>& cases, const Options& o) {
  add_folder(cases, o.root + "/lessons/kernels", "lesson kernels");
}

void add_descriptors(std::vector<Case>& cases, const Options& o) {
  add_folder(cases, o.root + "/tests/descriptors", "descriptor arguments");
}

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

namespace {

struct Loop {
  DType t, out;
  int64_t m_block, n_block, k_block;
  int num_warps, num_stages;
};

void add_loop(std::vector<Case>& cases, const SourcePtr& source, const Loop& l, uint64_t seed) {
  constexpr int64_t M = 200, N = 208, K = 336;
  const std::pair<const char*, int64_t> numbers[] = {{"M", M},
                                                     {"N", N},
                                                     {"K", K},
                                                     {"stride_am", K},
                                                     {"stride_ak", 1},
                                                     {"stride_bk", N},
                                                     {"stride_bn", 1},
                                                     {"stride_cm", N},
                                                     {"stride_cn", 1},
                                                     {"BLOCK_M", l.m_block},
                                                     {"BLOCK_N", l.n_block},
                                                     {"BLOCK_K", l.k_block},
                                                     {"GROUP_M", 2}};
  CompileRequest request;
  request.source = source;
  request.num_warps = l.num_warps;
  request.num_stages = l.num_stages;
  request.args = {{"a_ptr", PointerArg{l.t, 16}}, {"b_ptr", PointerArg{l.t, 16}}, {"c_ptr", PointerArg{l.out, 16}}};
  for (const auto& [name, value] : numbers) request.args.push_back({name, IntArg{value, false}});
  auto kernel = compile_kernel(request);
  if (!kernel) {
    std::fprintf(stderr, "%s", render(kernel.errors()).c_str());
    return;
  }
  Case c;
  c.rung = "L5";
  c.group = "matmul loops, loads ahead";
  c.name = std::string(dtype_name(l.t)) + " " + to_string(Shape{l.m_block, l.n_block, l.k_block}) + ", " +
           std::to_string(l.num_warps) + " warps, " + std::to_string(l.num_stages) + " stages";
  c.function = std::move(kernel->function);
  c.grid = {((M + l.m_block - 1) / l.m_block) * ((N + l.n_block - 1) / l.n_block), 1, 1};
  const std::pair<const char*, std::vector<int64_t>> shapes[] = {
      {"a_ptr", {M, K}}, {"b_ptr", {K, N}}, {"c_ptr", {M, N}}};
  for (const auto& [name, shape] : shapes) {
    auto t = allocate_tensor(name, std::string(name) == "c_ptr" ? l.out : l.t, TensorLayout::contiguous(shape));
    Init init;
    init.kind = is_float(t->dtype) ? Init::Kind::Randn : Init::Kind::RandInt;
    init.seed = ++seed;
    init.lo = -100;
    init.hi = 100;
    if (!t || fill_tensor(*t, init, name)) return;
    c.tensors.push_back(std::move(*t));
  }
  for (const Param& param : c.function.params) {
    Case::Arg a;
    for (size_t i = 0; i < c.tensors.size(); ++i)
      if (c.tensors[i].name == param.name) a.tensor = static_cast<int>(i);
    for (const auto& [name, value] : numbers)
      if (name == param.name) a.bits = static_cast<uint64_t>(value);
    c.args.push_back(a);
  }
  cases.push_back(std::move(c));
}

}  // namespace

void add_loops(std::vector<Case>& cases, const Options& o) {
  auto source = read_source(o.root + "/lessons/kernels/grouped_matmul/kernel.py");
  if (!source) return;
  uint64_t seed = 0;
  for (DType t : {DType::Float16, DType::BFloat16, DType::Float32, DType::Float8E5})
    for (const auto& block :
         {Shape{64, 64, 32}, Shape{128, 64, 64}, Shape{32, 32, 32}, Shape{16, 128, 64}, Shape{128, 128, 32}})
      for (int warps : {1, 4, 8})
        for (int stages : {2, 4}) {
          if (warps == 1 && block[0] == 128) continue;
          add_loop(cases, *source,
                   {t, t == DType::Float8E5 ? DType::Float16 : t, block[0], block[1], block[2], warps, stages},
                   seed += 7);
        }
}

}  // namespace tilescope::parity
