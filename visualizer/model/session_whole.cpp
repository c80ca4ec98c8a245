// Back thread of a session: the whole launch, run once by the optimised kernel (the same bits, faster).
#include <algorithm>

#include "sim/order_check.h"
#include "visualizer/model/session_worker.h"
#include "visualizer/model/words.h"

namespace tilescope::model {
namespace {

constexpr int64_t kMaxFootprints = int64_t{1} << 19;         ///< program x tensor entries of the maps
constexpr uint64_t kMaxSteps = 20'000'000;                    ///< per program: a loop without end is told of soon
constexpr double kMaxOrderCheckMs = 1000;                     ///< a launch that takes longer is not run twice
constexpr int64_t kMaxReferenceProducts = int64_t{1} << 30;   ///< nor can a host reference

int64_t bytes_of(const std::vector<Tensor>& tensors) {
  int64_t bytes = 0;
  for (const Tensor& t : tensors) bytes += static_cast<int64_t>(t.storage.size());
  return bytes;
}

/// Multiply-adds that the host reference of an output takes; 0 for cheap ones.
double reference_products(const Launch& launch, const OutputSpec& output) {
  const Tensor* first = output.inputs.empty() ? nullptr : launch.find_tensor(output.inputs[0]);
  const Tensor* result = launch.find_tensor(output.tensor);
  if (first == nullptr || result == nullptr || first->layout.rank() < 2) return 0;
  const auto& shape = first->layout.shape;
  if (output.reference == "matmul") return static_cast<double>(result->elements()) * static_cast<double>(shape.back());
  if (output.reference == "attention")
    return 2.0 * static_cast<double>(first->elements()) * static_cast<double>(shape[shape.size() - 2]);
  return 0;
}

/// The launch with memory of its own.
Expected<Launch> second_launch(const Launch& first) {
  CompileRequest request = compile_request(first.spec, first.kernel.function.source);
  Expected<CompiledKernel> kernel = compile_kernel(request);
  if (!kernel) return kernel.errors();
  return bind_launch(first.spec, std::move(*kernel), first.tensors);
}

}  // namespace

void SessionWorker::run_whole(const JobPtr& job, const Ticket& ticket) {
  if (launch_outdated(ticket)) return;
  const Launch& first = *job->launch;
  std::vector<std::string> notes;
  if (bytes_of(first.tensors) > tensor_bytes_limit() / 4) {
    notes.push_back(remember(model::say(ModelWords::TooLargeTwice)));
    return finish_whole(job, nullptr, notes);
  }
  say(back_, Work::RunningAll, {}, 0);
  Expected<Launch> launch = second_launch(first);
  if (!launch) {
    notes.push_back(remember(model::say(ModelWords::NotRunWhole, {{"why", words_of(launch.errors().front().message)}})));
    return finish_whole(job, nullptr, notes);
  }
  RunOptions options;
  options.dot = options_.dot;
  options.check = options_.check;
  options.limits.max_steps_per_program = kMaxSteps;
  const double programs = static_cast<double>(first.grid[0]) * static_cast<double>(first.grid[1]) * static_cast<double>(first.grid[2]);
  options.maps = programs * static_cast<double>(first.tensors.size()) <= static_cast<double>(kMaxFootprints);
  options.progress = [&](int64_t done, int64_t total) {
    say(back_, Work::RunningAll, {}, static_cast<double>(done) / static_cast<double>(std::max<int64_t>(total, 1)), true);
    return !launch_outdated(ticket);
  };
  auto totals = std::make_shared<Totals>();
  totals->trace = execute(*launch, options);
  if (launch_outdated(ticket)) return;
  const RunTrace& trace = totals->trace;
  if (!has_failed(trace) && trace.programs > 1 && trace.time_ms < kMaxOrderCheckMs && !depends_on_order(trace) && !order_cannot_matter(*launch, trace, options.check))
    if (auto problem = find_order_dependence(*launch, options, totals->trace.faults)) notes.push_back(problem->message);
  if (launch_outdated(ticket)) return;
  totals->outputs = compare(*launch, first, notes);
  totals->tensors = std::move(launch->tensors);
  finish_whole(job, std::move(totals), notes);
}

std::vector<OutputCheck> SessionWorker::compare(const Launch& done, const Launch& first, std::vector<std::string>& notes) const {
  for (const OutputSpec& output : done.spec.outputs)
    if (reference_products(done, output) > static_cast<double>(kMaxReferenceProducts)) {
      notes.push_back(remember(model::say(ModelWords::NotCompared, {{"tensor", output.tensor}})));
      return {};
    }
  std::optional<Diagnostic> problem = find_output_problem(done);
  if (!problem) {
    Expected<std::vector<OutputCheck>> checks = check_outputs(done, first.tensors);
    if (checks) return std::move(*checks);
    problem = checks.errors().front();
  }
  notes.push_back(problem->message);
  return {};
}

void SessionWorker::finish_whole(const JobPtr& job, std::shared_ptr<const Totals> totals, const std::vector<std::string>& notes) {
  std::vector<ValueRange> after;
  if (totals != nullptr)  // an output that had no values has them now, as far as the programs wrote it
    for (const Tensor& t : totals->tensors) after.push_back(value_range(t));
  std::lock_guard lock(mutex_);
  job->totals = totals;
  for (size_t i = 0; i < after.size() && i < job->ranges.size(); ++i) job->ranges[i] = join(job->ranges[i], after[i]);
  if (job != job_) return;
  published_.totals = totals;
  published_.notes.insert(published_.notes.end(), notes.begin(), notes.end());
  totals_arrived_ = totals != nullptr;
  changed();
}

}  // namespace tilescope::model
