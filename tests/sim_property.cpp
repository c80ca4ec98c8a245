// Random kernels against a reference that walks their trees lane by lane, and against themselves: other program orders,
// thread counts, instruction sets, without passes, with and without recording. All bytes are equal (NaN by class).
#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>

#include "core/compile.h"
#include "core/passes.h"
#include "core/print.h"
#include "sim/kernels/dispatch.h"
#include "sim/run.h"
#include "tests/property/lanes.h"
#include "tests/property/program.h"

namespace tilescope {
namespace {

using property::Program;

Expected<CompiledKernel> compile(const Program& p, bool optimise) {
  auto source = std::make_shared<SourceFile>();
  source->path = "kernel.py";
  source->text = property::kernel_text(p);
  CompileRequest request;
  request.source = source;
  request.kernel = "kernel";
  request.num_warps = p.num_warps;
  request.optimise = optimise;
  for (const property::TensorArg& t : p.tensors) {
    const int64_t origin = -t.layout.lowest() * dtype_bytes(t.dtype);
    request.args.push_back({t.name, PointerArg{t.dtype, origin % 16 == 0 ? 16 : 1}});
  }
  for (const auto& [name, value] : p.integers) request.args.push_back({name, IntArg{value, false}});
  for (const auto& [name, value] : p.constexprs) request.args.push_back({name, IntArg{value, false}});
  for (const auto& [name, value] : p.floats) request.args.push_back({name, FloatArg{value}});
  return compile_kernel(request);
}

std::vector<Argument> bind(const Program& p, const Function& f, std::vector<Tensor>& tensors) {
  std::vector<Argument> out;
  for (const Param& param : f.params) {
    Argument a;
    for (Tensor& t : tensors)
      if (t.name == param.name) a.tensor = &t;
    for (const auto& [name, value] : p.integers)
      if (name == param.name) a.bits = property::number_lane(param.type.elem, static_cast<double>(value));
    for (const auto& [name, value] : p.floats)
      if (name == param.name) a.bits = property::number_lane(param.type.elem, value);
    out.push_back(a);
  }
  return out;
}

/// The first element in which two runs differ, in words; "" when there is none.
std::string difference(const std::vector<Tensor>& got, const std::vector<Tensor>& expected) {
  for (size_t k = 0; k < got.size(); ++k) {
    const DType t = got[k].dtype;
    const auto bytes = static_cast<size_t>(dtype_bytes(t));
    for (int64_t i = 0; i < got[k].storage_elements(); ++i) {
      uint64_t x = 0, y = 0;
      std::memcpy(&x, got[k].element(i), bytes);
      std::memcpy(&y, expected[k].element(i), bytes);
      if (x == y || (property::is_nan_lane(t, x) && property::is_nan_lane(t, y))) continue;
      return got[k].name + " (" + std::string(dtype_name(t)) + "), element " + std::to_string(i) + " of storage: got " +
             format_element(t, got[k].element(i)) + ", expected " + format_element(t, expected[k].element(i));
    }
  }
  return {};
}

/// Runs the kernel on fresh tensors; what differs from `expected`, or a fault.
std::string outcome(const Program& p, const Function& f, const RunOptions& options,
                    const std::vector<Tensor>& expected) {
  std::vector<Tensor> tensors = property::make_tensors(p);
  const RunTrace trace = run(f, bind(p, f, tensors), p.grid, options);
  if (!trace.faults.empty()) return render(to_diagnostic(trace.faults.front()));
  return difference(tensors, expected);
}

struct Variant {
  std::string name;
  RunOptions options;
  Isa isa;
  bool optimised = true;
};

/// Every choice is met in at least one run of each kernel; which ones meet depends on the seed.
std::vector<Variant> variants(uint64_t seed) {
  RunOptions plain;
  plain.record = RecordLevel::None;
  plain.threads = 1;
  std::vector<Variant> out;
  const Isa best = current_isa();
  const auto variant = [&](const char* name, auto&& change, Isa isa, bool optimised = true) {
    Variant v{name, plain, isa, optimised};
    change(v.options);
    out.push_back(v);
  };
  const auto nothing = [](RunOptions&) {};
  variant("plain", nothing, best);
  variant(
      "base instructions, reverse order", [](RunOptions& o) { o.order = ProgramOrder::Reverse; }, Isa::Base);
  variant(
      "v3 instructions, counters", [](RunOptions& o) { o.record = RecordLevel::Counters; }, Isa::V3, seed % 2 == 0);
  variant(
      "without passes, all checkers", [](RunOptions& o) { o.check.uninitialised = true; }, best, false);
  variant(
      "shuffled order, counters, all checkers",
      [&](RunOptions& o) {
        o.order = ProgramOrder::Shuffled;
        o.shuffle_seed = seed;
        o.threads = seed % 4 == 0 ? 2 : 1;  // threads that wait spin, which takes long on a busy machine
        o.record = RecordLevel::Counters;
        o.check.uninitialised = true;
      },
      best);
  variant(
      "every tile written out", [](RunOptions& o) { o.closed_forms = false; }, seed % 3 == 0 ? Isa::Base : best,
      seed % 2 == 1);
  return out;
}

/// Elements of the tensors that differ.
int64_t count_changed(const std::vector<Tensor>& before, const std::vector<Tensor>& after) {
  int64_t changed = 0;
  for (size_t k = 0; k < before.size(); ++k)
    for (int64_t i = 0; i < before[k].storage_elements(); ++i)
      changed += std::memcmp(before[k].element(i), after[k].element(i),
                             static_cast<size_t>(dtype_bytes(before[k].dtype))) != 0;
  return changed;
}

enum class Failure { None, BadProgram, DoesNotCompile, Differs };
struct Verdict {
  Failure failure = Failure::None;
  std::string text;
  int64_t changed = 0;  ///< elements that the kernel writes
};

Verdict verdict(const Program& p) {
  std::vector<Tensor> expected = property::make_tensors(p);
  const std::string problem = property::evaluate(p, expected);
  if (!problem.empty()) return {Failure::BadProgram, "the generator made a bad program: " + problem};
  const int64_t changed = count_changed(property::make_tensors(p), expected);
  Expected<CompiledKernel> optimised = compile(p, true), plain = compile(p, false);
  if (!optimised) return {Failure::DoesNotCompile, render(optimised.errors())};
  if (!plain) return {Failure::DoesNotCompile, "without passes: " + render(plain.errors())};
  run_passes(plain->function, {"fold-dot-acc"});  // it chooses a meaning, so it belongs to the language
  const Isa best = current_isa();
  std::string wrong;
  for (const Variant& v : variants(p.seed)) {
    if (!use_isa(v.isa)) continue;
    const std::string d = outcome(p, v.optimised ? optimised->function : plain->function, v.options, expected);
    if (wrong.empty() && !d.empty()) wrong = v.name + ": " + d;
  }
  use_isa(best);
  return {wrong.empty() ? Failure::None : Failure::Differs, wrong, changed};
}

std::string report(const Program& p, const Verdict& v) {
  const Program small = property::shrink(p, [&](const Program& q) { return verdict(q).failure == v.failure; });
  return "seed " + std::to_string(p.seed) + ": " + v.text + "\nshrunk: " + verdict(small).text + "\n" +
         property::kernel_text(small);
}

/// TILESCOPE_SEED=123 runs one seed; TILESCOPE_SEEDS=5000 more of them.
int64_t from_environment(const char* name, int64_t fallback) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoll(text) : fallback;
}

TEST_CASE("random kernels give the bytes of a lane-by-lane reference, in any order, on any instruction set") {
  const int64_t only = from_environment("TILESCOPE_SEED", -1), count = from_environment("TILESCOPE_SEEDS", 400);
  int failures = 0;
  int64_t changed = 0, programs = 0;
  for (int64_t seed = only >= 0 ? only : 0; seed < (only >= 0 ? only + 1 : count) && failures < 5; ++seed) {
    const Program p = property::generate(static_cast<uint64_t>(seed));
    const Verdict v = verdict(p);
    const bool fine = v.failure == Failure::None;
    changed += v.changed;
    ++programs;
    failures += !fine;
    if (only >= 0) MESSAGE(property::kernel_text(p));
    CHECK_MESSAGE(fine, report(p, v));
  }
  if (only < 0) CHECK(changed > 100 * programs);  // kernels that store nothing would show nothing
}

}  // namespace
}  // namespace tilescope
