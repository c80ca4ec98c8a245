// Front thread of a session: from a request to a recorded program.
#include <algorithm>
#include <cstring>

#include "core/stop.h"
#include "visualizer/model/session_worker.h"

namespace tilescope::model {
namespace {

bool same_values(const Init& a, const Init& b) {
  return a.kind == b.kind && a.values == b.values && a.seed == b.seed && a.lo == b.lo && a.hi == b.hi &&
         a.npy_path == b.npy_path;
}

bool same_tensor(const TensorSpec& a, const TensorSpec& b) {
  return a.dtype == b.dtype && a.layout.shape == b.layout.shape && a.layout.strides == b.layout.strides &&
         same_values(a.init, b.init);
}

/// The program itself, or the nearest one inside the grid.
ProgramIndex clamp_to_grid(ProgramIndex p, const std::array<int64_t, 3>& grid) {
  for (size_t i = 0; i < 3; ++i) p[i] = std::clamp<int64_t>(p[i], 0, grid[i] - 1);
  return p;
}

std::vector<ValueRange> ranges_of(const std::vector<Tensor>& tensors) {
  std::vector<ValueRange> out;
  for (const Tensor& t : tensors) out.push_back(t.uninitialised ? ValueRange{} : value_range(t));
  return out;
}

/// The first values, kept alive by the launch.
std::shared_ptr<const std::vector<Tensor>> first_values(const std::shared_ptr<const Launch>& launch) {
  return {launch, &launch->tensors};
}

constexpr double kPatience = 0.15;  ///< seconds until something provisional is shown

}  // namespace

Expected<std::vector<Tensor>> SessionWorker::allocate(const LaunchSpec& spec, const Ticket& ticket) const {
  std::shared_ptr<const Launch> old;
  {
    std::lock_guard lock(mutex_);
    if (job_ != nullptr) old = job_->launch;
  }
  std::vector<Tensor> out;
  int64_t total = 0;
  for (const LaunchArg& arg : spec.args) {
    const auto* wanted = std::get_if<TensorSpec>(&arg.value);
    if (wanted == nullptr) continue;
    if (launch_outdated(ticket)) return plain_error("given up");
    Expected<Tensor> tensor = allocate_tensor(arg.name, wanted->dtype, wanted->layout);
    if (!tensor) return tensor.errors();
    total += static_cast<int64_t>(tensor->storage.size());
    if (total > tensor_bytes_limit())
      return plain_error("args." + arg.name + ": the tensors of this launch take more than the limit of " +
                         std::to_string(tensor_bytes_limit() >> 20) + " MiB in all");
    const LaunchArg* before = old == nullptr ? nullptr : old->spec.find(arg.name);
    const auto* had = before == nullptr ? nullptr : std::get_if<TensorSpec>(&before->value);
    const Tensor* kept = had != nullptr && same_tensor(*had, *wanted) ? old->find_tensor(arg.name) : nullptr;
    if (kept != nullptr) {
      std::memcpy(tensor->storage.data(), kept->storage.data(), kept->storage.size());
      tensor->uninitialised = kept->uninitialised;
    } else if (auto problem = fill_tensor(*tensor, wanted->init, "args." + arg.name)) {
      return *problem;
    }
    out.push_back(std::move(*tensor));
  }
  return out;
}

void SessionWorker::build(Request request, const Ticket& ticket) {
  say(front_, Work::Compiling);
  SourcePtr text = request.text;
  if (text == nullptr) {
    Expected<SourcePtr> read = launch_source(request.spec);
    if (!read) return fail(read.errors(), ticket);
    text = *read;
    std::lock_guard lock(mutex_);
    if (request_.text == nullptr) request_.text = published_.text = text;
    changed();
  }
  Expected<LaunchSpec> complete = complete_launch(request.spec, text);
  if (!complete) return fail(complete.errors(), ticket);
  request.spec = std::move(*complete);
  Expected<CompiledKernel> kernel = compile_for_recording(request.spec, text);
  if (!kernel) return fail(kernel.errors(), ticket);
  if (auto grid = evaluate_grid(request.spec); !grid) return fail(grid.errors(), ticket);
  say(front_, Work::FillingTensors);
  Expected<std::vector<Tensor>> tensors = allocate(request.spec, ticket);
  if (launch_outdated(ticket)) return;
  if (!tensors) return fail(tensors.errors(), ticket);
  Expected<Launch> launch = bind_launch(request.spec, std::move(*kernel), std::move(*tensors));
  if (!launch) return fail(launch.errors(), ticket);
  auto job = std::make_shared<Job>();
  job->number = ticket.launch;
  job->launch = std::make_shared<const Launch>(std::move(*launch));
  job->ranges = ranges_of(job->launch->tensors);
  record_first(job, ticket);
}

/// The new launch is shown together with its first recording; until then the old one stays.
void SessionWorker::record_first(const JobPtr& job, Ticket ticket) {
  while (!launch_outdated(ticket)) {
    ProgramIndex program;
    {
      std::lock_guard lock(mutex_);
      ticket.program = program_taken_ = program_asked_;
      program = request_.program = clamp_to_grid(request_.program, job->launch->grid);
    }
    const bool provisional = program != ProgramIndex{};
    auto recorded = record(job, first_values(job->launch), program, provisional, ticket);
    if (recorded != nullptr) return show(job, std::move(recorded), ticket);
    if (!outdated(ticket)) return;  // it failed, and said so
  }
}

void SessionWorker::record_again(const JobPtr& job, const Ticket& ticket, ProgramIndex program) {
  std::shared_ptr<const Totals> totals;
  std::shared_ptr<const Recorded> shown;
  {
    std::lock_guard lock(mutex_);
    program = clamp_to_grid(program, job->launch->grid);
    if (!outdated(ticket)) request_.program = program;
    totals = job->totals;
    if (job == job_) shown = published_.recorded;
  }
  const bool is_first = program == ProgramIndex{};
  const bool is_shown = shown != nullptr && shown->recording->trace().program == program;
  if (is_shown && (is_first || !shown->provisional)) {
    if (totals == nullptr || shown->ranges.size() != job->ranges.size()) return;
    auto same = std::make_shared<Recorded>(*shown);  // only the ranges of values are new
    same->ranges = job->ranges;
    return show(job, std::move(same), ticket);
  }
  Memory before = first_values(job->launch);
  bool final = is_first;
  if (!is_first && totals != nullptr) {
    Memory known = memory_before(job, *totals, program, ticket, is_shown ? 0 : kPatience);
    if (known != nullptr) before = known, final = true;
  }
  if (outdated(ticket) || (is_shown && !final)) return;
  auto recorded = record(job, before, program, !final, ticket);
  if (recorded == nullptr) return;
  show(job, std::move(recorded), ticket);
  if (final || totals == nullptr || outdated(ticket)) return;
  if (Memory known = memory_before(job, *totals, program, ticket, 0)) {
    recorded = record(job, known, program, false, ticket);
    if (recorded != nullptr) show(job, std::move(recorded), ticket);
  }
}

/// `patience` in seconds; 0: as long as it takes.
SessionWorker::Memory SessionWorker::memory_before(const JobPtr& job, const Totals& totals, ProgramIndex program,
                                                   const Ticket& ticket, double patience) {
  const auto begin = std::chrono::steady_clock::now();
  say(front_, Work::RunningBefore, program);
  const auto go_on = [&] {
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begin;
    return !outdated(ticket) && (patience <= 0 || waited.count() < patience);
  };
  const StopScope scope([&] { return !go_on(); });
  try {
    return tensors_before(*job->launch, program, &totals.tensors, &totals.trace, [&](int64_t done, int64_t total) {
      say(front_, Work::RunningBefore, program,
          total > 0 ? static_cast<double>(done) / static_cast<double>(total) : -1, true);
      return go_on();
    });
  } catch (const Stopped&) {
    return nullptr;
  }
}

std::shared_ptr<Recorded> SessionWorker::record(const JobPtr& job, Memory before, ProgramIndex program,
                                                bool provisional, const Ticket& ticket) {
  say(front_, Work::Recording, program);
  RecordOptions options = options_;
  options.progress = [&](uint64_t steps) { return !outdated(ticket) && (!options_.progress || options_.progress(steps)); };
  const StopScope scope([&] { return outdated(ticket); });
  try {
    auto recording = ProgramRecording::make(*job->launch, std::move(before), program, options);
    stop_if_asked();
    if (!recording) {
      fail(recording.errors(), ticket);
      return nullptr;
    }
    std::vector<ValueRange> ranges;
    {
      std::lock_guard lock(mutex_);
      ranges = job->ranges;
    }
    auto out = std::make_shared<Recorded>(make_recorded(std::move(*recording), *job->launch, std::move(ranges)));
    out->provisional = provisional;
    return out;
  } catch (const Stopped&) {
    return nullptr;
  }
}

void SessionWorker::show(const JobPtr& job, std::shared_ptr<Recorded> recorded, const Ticket& ticket) {
  std::lock_guard lock(mutex_);
  if (launch_outdated(ticket)) return;
  if (job != job_) {
    job_ = job;
    published_.launch = job->launch;
    published_.totals = nullptr;
    published_.notes = request_.notes;
    whole_wanted_ = job;
  }
  if (job->number == launch_asked_) {
    published_.stale = false;
    published_.errors.clear();
  }
  published_.recorded = std::move(recorded);
  changed();
}

}  // namespace tilescope::model
