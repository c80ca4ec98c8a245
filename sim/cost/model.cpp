#include "sim/cost/model.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>

#include "sim/cost/occupancy.h"

namespace tilescope::cost {
namespace {

void widen(Spread& s, double x, int so_far) {
  s.low = so_far == 0 ? x : std::min(s.low, x);
  s.high = so_far == 0 ? x : std::max(s.high, x);
  s.mean = (s.mean * so_far + x) / (so_far + 1);
}

void add_seed(SeedSpread& out, const ReplayResult& r, int so_far) {
  auto bytes = [](const CacheCounts& c) { return 32.0 * static_cast<double>(c.dram_read); };
  widen(out.dram_read, r.dram_read_bytes(), so_far);
  widen(out.dram_written, r.dram_written_bytes(), so_far);
  widen(out.hit_rate, r.hit_rate(), so_far);
  out.op_read.resize(r.ops.size());
  for (size_t i = 0; i < r.ops.size(); ++i) widen(out.op_read[i], bytes(r.ops[i]), so_far);
  out.tensor_read.resize(r.loads.size()), out.tensor_hit.resize(r.loads.size()), out.tensor_written.resize(r.loads.size());
  for (size_t i = 0; i < r.loads.size(); ++i) {
    widen(out.tensor_read[i], bytes(r.loads[i]), so_far);
    widen(out.tensor_hit[i], hit_rate_of(r.loads[i]), so_far);
    widen(out.tensor_written[i], r.written_bytes[i], so_far);
  }
  CacheCounts all = r.total();
  out.l2_bytes += (32.0 * static_cast<double>(all.asked) - out.l2_bytes) / (so_far + 1);
  out.l2_served += (32.0 * static_cast<double>(all.asked + all.far_asked) - out.l2_served) / (so_far + 1);
}

double total_flops(const WorkCounts& work) {
  double sum = 0;
  for (double f : work.flops) sum += f;
  return sum;
}

Roofline find_roofline(const LaunchFacts& facts, const LaunchTraffic& traffic, const SeedSpread& spread, const Estimate& estimate) {
  Roofline r;
  double flops = total_flops(traffic.work);
  auto per_byte = [&](double bytes) { return bytes > 0 ? flops / bytes : 0; };
  r.unit = main_unit(traffic.work, facts.gpu);
  r.peak_flops = facts.gpu.peak[static_cast<int>(r.unit)];
  r.dram_bytes_per_s = facts.gpu.dram_bytes_per_s;
  r.intensity = per_byte(spread.dram_read.mean + spread.dram_written.mean);
  r.naive_intensity = per_byte(traffic.naive_bytes);
  r.tiled_intensity = per_byte(traffic.tiled_bytes);
  r.ideal_intensity = per_byte(traffic.ideal_bytes);
  r.estimated_flops = estimate.total_ms > 0 ? flops / (estimate.total_ms * 1e-3) : 0;
  return r;
}

/// Stretches a schedule to the estimated time: the model's own time has no units that matter.
void scale_schedule(Schedule& s, double model_seconds, double total_us) {
  double by = model_seconds > 0 ? total_us / model_seconds : 0;
  for (auto& slice : s.slices) slice.start_us *= by, slice.end_us *= by;
  for (auto& sample : s.samples) {
    sample.time_us *= by;
    if (by > 0) sample.dram_bytes_per_s *= 1e6 / by;
  }
}

void fill_rows(CostReport& report, const TrafficSource& source, const SeedSpread& spread) {
  const auto& tensors = source.tensors();
  for (size_t t = 0; t < tensors.size(); ++t) {
    TensorCost c;
    c.name = tensors[t].name;
    if (t < report.traffic.loads.size()) c.loads = report.traffic.loads[t];
    if (t < report.traffic.stores.size()) c.stores = report.traffic.stores[t];
    c.dram_read = spread.tensor_read[t];
    c.dram_written = spread.tensor_written[t];
    c.l2_hit_rate = spread.tensor_hit[t];
    report.tensors.push_back(std::move(c));
  }
  for (size_t i = 0; i < source.ops().size(); ++i) {
    LineCost c;
    c.op = source.ops()[i];
    c.tensor = c.op.tensor >= 0 ? tensors[c.op.tensor].name : "several";
    if (i < report.traffic.ops.size()) c.traffic = report.traffic.ops[i];
    c.dram_read = spread.op_read[i];
    report.lines.push_back(std::move(c));
  }
}

std::vector<std::string> notes_of(const CostReport& report, const LaunchSteps& steps, const TrafficSource& source) {
  std::vector<std::string> notes = source.notes();
  const Occupancy& o = report.occupancy;
  if (!o.registers_known || !o.shared_known)
    notes.push_back(fmt::format("estimated from the kernel: {}{}{}", o.registers_known ? "" : "registers",
                                o.registers_known || o.shared_known ? "" : " and ", o.shared_known ? "" : "shared memory"));
  notes.push_back(fmt::format("the L2 has its nominal size and begins empty; programs differ in speed by {:.2f}% (fitted to counters of "
                              "an H200), the older of an SM goes first; mean of {} seeds",
                              100 * report.drift, report.seeds));
  if (steps.shape.sampled_sets < steps.shape.sets)
    notes.push_back(fmt::format("one in {:.0f} sets of the L2 was simulated", steps.shape.scale()));
  if (!steps.whole)
    notes.push_back(fmt::format("the L2 was simulated for the first {} of {} programs and its counts scaled up", steps.recorded(),
                                steps.programs));
  if (steps.stopped > 0)
    notes.push_back(fmt::format("{} program{} faulted or reached the step limit; the numbers cover what they did before", steps.stopped,
                                steps.stopped == 1 ? "" : "s"));
  return notes;
}

}  // namespace

Diagnostic stopped_by_user() { return plain_error("the cost model was stopped"); }

std::optional<SeedSpread> replay_seeds(const LaunchSteps& steps, const Dealer& dealer, const LaunchFacts& facts,
                                       uint64_t schedule_slices, const std::function<bool(double)>& progress) {
  ReplayOptions base;
  WorkUnit unit = main_unit(facts.work, facts.gpu);
  base.programs_per_sm = facts.occupancy.programs_per_sm;
  base.seconds_per_flop = facts.gpu.sms / (facts.gpu.peak[static_cast<int>(unit)] * unit_fraction(unit));
  base.seconds_per_byte = facts.gpu.sms / (facts.gpu.l2_bytes_per_s * kL2Fraction);
  base.drift = facts.drift;
  base.older_first = facts.older_first;
  std::atomic<bool> stop{false};
  base.stop = &stop;
  const int seeds = std::clamp(facts.seeds, 1, 64);
  std::vector<ReplayResult> results(seeds);
  std::atomic<int> done{0};
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < seeds; ++i) {
    if (stop) continue;
    ReplayOptions o = base;
    o.seed = mix_bits(static_cast<uint64_t>(i) + 1);
    o.schedule = schedule_slices > 0 && i == 0;
    o.most_slices = schedule_slices;
    // Only the caller's own thread tells of progress.
    if (omp_get_thread_num() == 0 && progress) o.progress = [&](double x) { return progress(std::min(1.0, (done + x) / seeds)); };
    results[i] = replay(steps, dealer, facts.gpu, facts.ops, facts.tensors, o);
    if (results[i].stopped) stop = true;
    ++done;
  }
  if (stop || (progress && !progress(1))) return std::nullopt;
  SeedSpread out;
  for (int i = 0; i < seeds; ++i) add_seed(out, results[i], i);
  out.seconds = results[0].seconds;
  out.schedule = std::move(results[0].schedule);
  return out;
}

Estimate estimate_order(const LaunchSteps& steps, const SeedSpread& spread, const LaunchFacts& facts,
                        const std::vector<TrafficOp>& ops) {
  MovedBytes moved{spread.dram_read.mean + spread.dram_written.mean, spread.l2_served, spread.hit_rate.mean,
                   spread.l2_served - spread.l2_bytes};
  return estimate_time(facts.gpu, facts.occupancy, facts.programs, facts.num_stages, facts.work, moved,
                       count_rounds(*facts.kernel, steps, ops));
}

Expected<CostReport> cost_of(TrafficSource& source, LaunchTraffic traffic, const ModelInput& input) {
  const CostOptions& options = *input.options;
  const Function& f = source.kernel().function;
  if (auto problem = order_problem(options.order, source.grid())) return *problem;
  auto part = [&](double from, double to) {
    return [&, from, to](double x) { return !options.progress || options.progress(from + (to - from) * x); };
  };
  LaunchFacts facts;
  facts.gpu = options.gpu;
  facts.grid = source.grid();
  facts.work = traffic.work;
  Dealer dealer(options.order, facts.grid);
  facts.programs = dealer.programs();
  facts.kernel = &f;
  facts.num_stages = f.num_stages;
  facts.ops = static_cast<int>(source.ops().size());
  facts.tensors = static_cast<int>(source.tensors().size());
  facts.seeds = options.seeds;
  facts.drift = input.drift;
  Expected<Occupancy> occupancy = find_occupancy(f, facts.programs, facts.gpu, options.registers, options.shared_bytes);
  if (!occupancy) return occupancy.errors();
  facts.occupancy = *occupancy;

  std::optional<LaunchSteps> steps = record_steps(source, dealer, facts.gpu, part(0.25, 0.4));
  if (!steps) return stopped_by_user();
  std::optional<SeedSpread> spread =
      replay_seeds(*steps, dealer, facts, options.schedule ? std::max<uint64_t>(1, options.most_slices) : 0, part(0.4, 0.6));
  if (!spread) return stopped_by_user();

  CostReport report;
  report.kernel = f.name;
  report.grid = facts.grid;
  report.num_warps = f.num_warps, report.num_stages = f.num_stages;
  report.gpu = facts.gpu;
  report.traffic = std::move(traffic);
  report.occupancy = facts.occupancy;
  fill_rows(report, source, *spread);
  report.dram_read = spread->dram_read, report.dram_written = spread->dram_written, report.l2_hit_rate = spread->hit_rate;
  report.l2_bytes = spread->l2_bytes;
  report.seeds = std::clamp(options.seeds, 1, 64);
  report.drift = facts.drift;
  report.estimate = estimate_order(*steps, *spread, facts, source.ops());
  report.roofline = find_roofline(facts, report.traffic, *spread, report.estimate);
  if (options.alternatives) {
    auto others = find_alternatives(source, *steps, *spread, facts, input, part(0.6, 1));
    if (!others) return stopped_by_user();
    report.alternatives = std::move(*others);
  }
  if (spread->schedule) {
    report.schedule = std::move(spread->schedule);
    scale_schedule(*report.schedule, spread->seconds, std::max(0.0, 1e3 * report.estimate.total_ms - facts.gpu.launch_us));
  }
  report.notes = notes_of(report, *steps, source);
  if (!part(1, 1)(1)) return stopped_by_user();
  return report;
}

}  // namespace tilescope::cost
