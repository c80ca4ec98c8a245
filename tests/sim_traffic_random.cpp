// Traffic of random kernels, some of whose addresses, masks, branches and loops depend on values in memory: what their
// runs count.
#include <doctest/doctest.h>

#include "core/verify.h"
#include "sim/cost/traffic.h"
#include "tests/property/lanes.h"
#include "tests/property/program.h"

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
  for (const property::TensorArg& t : p.tensors) request.args.push_back({t.name, PointerArg{t.dtype, 1}});
  for (const auto& [name, value] : p.integers) request.args.push_back({name, IntArg{value, false}});
  for (const auto& [name, value] : p.constexprs) request.args.push_back({name, IntArg{value, false}});
  for (const auto& [name, value] : p.floats) request.args.push_back({name, FloatArg{value}});
  Expected<CompiledKernel> kernel = compile_kernel(request);
  if (!kernel) return kernel.errors();
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

bool same(const cost::OpTraffic& t, const AccessCounters& c) {
  return t.times == c.times && t.lanes == c.lanes_active && t.requests == c.requests && t.sectors == c.sectors;
}

}  // namespace

TEST_CASE("the traffic of random kernels is what their runs count") {
  int compared = 0, with_values = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const Program p = property::generate(seed);
    Expected<Launch> launch = launch_of(p), again = launch_of(p);
    REQUIRE(launch.ok());
    RunOptions options;
    options.threads = 1;
    const RunTrace trace = execute(*launch, options);
    if (!trace.faults.empty()) continue;
    auto source = cost::TrafficSource::open(std::move(*again), 1);
    REQUIRE(source.ok());
    CHECK(verify((*source)->sliced()).empty());
    const cost::LaunchTraffic t = account(**source);
    CHECK(t.stopped == 0);
    REQUIRE(t.ops.size() == trace.lines.size());
    bool equal = true;
    for (size_t i = 0; i < t.ops.size(); ++i) equal = equal && same(t.ops[i], trace.lines[i].counters);
    for (size_t i = 0; i < t.loads.size(); ++i)
      equal = equal && same(t.loads[i], trace.tensors[i].loads) && t.loads[i].distinct_sectors == trace.tensors[i].distinct_sectors_loaded &&
              t.stores[i].distinct_sectors == trace.tensors[i].distinct_sectors_stored;
    CHECK(equal);
    ++compared;
    bool reads = false;
    walk((*source)->sliced().body, [&](const Op& op) { reads = reads || (op.code == OpCode::Load && op.int_attr("address_only") == 0); });
    with_values += reads;
  }
  CHECK(compared > 40);
  CHECK(with_values > 4);
}

}  // namespace tilescope
