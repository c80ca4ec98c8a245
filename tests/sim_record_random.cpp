// Random kernels, recorded program by program, against the reference that walks their trees lane by lane.
#include <cstring>
#include <random>

#include "core/passes.h"
#include "tests/property/lanes.h"
#include "tests/property/program.h"
#include "tests/sim_record_data.h"

namespace tilescope {
namespace {

using property::Program;

Expected<Launch> launch_of(const Program& p) {
  auto source = std::make_shared<SourceFile>();
  source->path = "kernel.py";
  source->text = property::kernel_text(p);
  CompileRequest request;
  request.source = source;
  request.kernel = "kernel";
  request.num_warps = p.num_warps;
  request.optimise = false;
  for (const property::TensorArg& t : p.tensors) request.args.push_back({t.name, PointerArg{t.dtype, 1}});
  for (const auto& [name, value] : p.integers) request.args.push_back({name, IntArg{value, false}});
  for (const auto& [name, value] : p.constexprs) request.args.push_back({name, IntArg{value, false}});
  for (const auto& [name, value] : p.floats) request.args.push_back({name, FloatArg{value}});
  Expected<CompiledKernel> kernel = compile_kernel(request);
  if (!kernel) return kernel.errors();
  run_passes(kernel->function, {"fold-dot-acc"});
  Launch launch;
  launch.kernel = std::move(*kernel);
  launch.grid = p.grid;
  launch.tensors = property::make_tensors(p);
  for (const Param& param : launch.kernel.function.params) {
    Argument a;
    a.tensor = launch.find_tensor(param.name);
    for (const auto& [name, value] : p.integers)
      if (name == param.name) a.bits = property::number_lane(param.type.elem, static_cast<double>(value));
    for (const auto& [name, value] : p.floats)
      if (name == param.name) a.bits = property::number_lane(param.type.elem, value);
    launch.arguments.push_back(a);
  }
  return launch;
}

bool same_elements(const Tensor& a, const Tensor& b) {
  for (int64_t i = 0; i < a.storage_elements(); ++i) {
    uint64_t x = 0, y = 0;
    std::memcpy(&x, a.element(i), static_cast<size_t>(dtype_bytes(a.dtype)));
    std::memcpy(&y, b.element(i), static_cast<size_t>(dtype_bytes(a.dtype)));
    if (x != y && !(property::is_nan_lane(a.dtype, x) && property::is_nan_lane(a.dtype, y))) return false;
  }
  return true;
}

// All steps forward, then again in any order with hardly a checkpoint.
bool order_does_not_matter(const testing::Recordable& c, ProgramRecording& r, std::mt19937_64& random) {
  RecordOptions tight;
  tight.memory_limit = r.bytes();
  const auto other = c.record(tight);
  const uint64_t steps = std::min(r.trace().steps.size(), other->trace().steps.size());
  bool equal = true;
  for (uint64_t s = 0; s < steps; ++s) r.step(s);
  for (int n = 0; n < 20; ++n) {
    const uint64_t s = random() % steps;
    equal = equal && testing::same(*other->step(s), *r.step(s));
  }
  return equal;
}

TEST_CASE("random kernels recorded program by program change memory as the reference does") {
  int recorded = 0;
  for (uint64_t seed = 1; seed <= 25; ++seed) {
    CAPTURE(seed);
    const Program p = property::generate(seed);
    std::vector<Tensor> expected = property::make_tensors(p);
    REQUIRE(property::evaluate(p, expected).empty());
    Expected<Launch> launch = launch_of(p);
    REQUIRE(launch.ok());
    testing::Recordable c{std::move(*launch), nullptr, {}};
    c.before = tensors_before(c.launch, {}, nullptr, nullptr);
    std::mt19937_64 random(seed);
    const int64_t programs = p.grid[0] * p.grid[1] * p.grid[2];
    const int64_t chosen = static_cast<int64_t>(random() % static_cast<uint64_t>(programs));
    for (int64_t n = 0; n < programs; ++n) {
      c.program = {n % p.grid[0], n / p.grid[0] % p.grid[1], n / p.grid[0] / p.grid[1]};
      const auto r = c.record();
      REQUIRE(r->trace().faults.empty());
      REQUIRE(r->trace().truncated.empty());
      if (n == chosen) CHECK(order_does_not_matter(c, *r, random));
      auto after = std::make_shared<std::vector<Tensor>>();
      for (size_t t = 0; t < c.before->size(); ++t)
        after->push_back(r->memory(static_cast<int>(t), r->trace().steps.size()));
      for (size_t t = 0; t < after->size(); ++t) {
        if (!(*after)[t].uninitialised) continue;
        // The next program must know what this one and those before it have written.
        auto flags = (*c.before)[t].written == nullptr
                         ? std::vector<uint8_t>(static_cast<size_t>((*after)[t].storage_elements()), 0)
                         : *(*c.before)[t].written;
        for (const MemoryChange& change : r->trace().changes)
          if (change.tensor == static_cast<int>(t))
            for (int64_t o : change.offsets) flags[static_cast<size_t>((*after)[t].origin + o)] = 1;
        (*after)[t].written = std::make_shared<const std::vector<uint8_t>>(std::move(flags));
      }
      c.before = after;
      ++recorded;
    }
    for (size_t t = 0; t < expected.size(); ++t) CHECK(same_elements((*c.before)[t], expected[t]));
  }
  CHECK(recorded >= 25);
}

}  // namespace
}  // namespace tilescope
