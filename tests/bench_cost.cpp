// How long the cost model takes: an fp16 matmul of 8192^3 in 128x128x64 tiles, once with its order of programs and once with
// GROUP_M 1 to 16 beside it; and its parts.
#include <benchmark/benchmark.h>

#include "tests/sim_cost_data.h"

using namespace tilescope;
using namespace tilescope::cost;

namespace {

CostOptions on_h200() {
  CostOptions o;
  o.gpu = gpu_descriptions().front();
  return o;
}

void one_order(benchmark::State& state) {
  LaunchSpec spec = cost_data::grouped_matmul({});
  CostOptions o = on_h200();
  o.alternatives = false;
  for (auto _ : state) benchmark::DoNotOptimize(estimate_cost(spec, o)->dram_read.mean);
}
BENCHMARK(one_order)->Unit(benchmark::kSecond)->UseRealTime()->MeasureProcessCPUTime()->Iterations(1);

void group_1_to_16(benchmark::State& state) {
  LaunchSpec spec = cost_data::grouped_matmul({});
  for (auto _ : state) benchmark::DoNotOptimize(estimate_cost(spec, on_h200())->alternatives.size());
}
BENCHMARK(group_1_to_16)->Unit(benchmark::kSecond)->UseRealTime()->MeasureProcessCPUTime()->Iterations(1);

void addresses_of_all_programs(benchmark::State& state) {
  LaunchSpec spec = cost_data::grouped_matmul({});
  auto source = TrafficSource::open(spec, 2);
  Dealer dealer({}, (*source)->grid());
  for (auto _ : state) benchmark::DoNotOptimize(record_steps(**source, dealer, on_h200().gpu, {})->steps.size());
}
BENCHMARK(addresses_of_all_programs)->Unit(benchmark::kSecond)->UseRealTime()->MeasureProcessCPUTime()->Iterations(1);

/// One seed of the cache model.
void one_replay(benchmark::State& state) {
  LaunchSpec spec = cost_data::grouped_matmul({});
  auto source = TrafficSource::open(spec, 2);
  Dealer dealer({}, (*source)->grid());
  auto steps = record_steps(**source, dealer, on_h200().gpu, {});
  ReplayOptions o;
  o.programs_per_sm = 2;
  o.seconds_per_flop = 1e-13, o.seconds_per_byte = 1e-11;
  for (auto _ : state) {
    o.seed++;
    benchmark::DoNotOptimize(replay(*steps, dealer, on_h200().gpu, 3, 3, o).seconds);
  }
}
BENCHMARK(one_replay)->Unit(benchmark::kSecond);

}  // namespace

BENCHMARK_MAIN();
