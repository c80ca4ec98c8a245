// Runs the programs of a launch as OpenMP tasks, each task a stretch of consecutive programs.
#include "sim/grid.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>

#include "core/stop.h"
#include "sim/exec_access.h"
#include "sim/faults.h"
#include "sim/machine.h"
#include "sim/offset_shadow.h"
#include "sim/race_check.h"
#include "sim/words.h"

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;
double ms_since(Clock::time_point t) { return std::chrono::duration<double, std::milli>(Clock::now() - t).count(); }

/// One launch on its way.
class Launcher {
 public:
  Launcher(const Plan& plan, Memory& memory, const std::vector<uint64_t>& arguments, std::array<int64_t, 3> grid, const RunOptions& options)
      : plan_(plan), memory_(memory), arguments_(arguments), grid_(grid), options_(options), programs_(programs_to_run(grid, options)),
        sequence_(options.order, options.shuffle_seed, grid[0] * grid[1] * grid[2]) {
    const int threads = options.threads > 0 ? options.threads : omp_get_max_threads();
    if (options.record == RecordLevel::Counters) {
      counts_.emplace(plan.memory_ops, memory, arguments);
      const int64_t all = grid[0] * grid[1] * grid[2];
      if (options.maps) maps_.emplace(memory, all <= ProgramMaps::kMostPrograms ? all : 0);
    }
    if (options.check.races && programs_ > 1) {
      access_plan_.emplace(*plan.function, plan.memory_ops, tensors_of_ops(), memory.size());
      if (!access_plan_->any()) access_plan_.reset();
    }
    threads_ = plan.ordered ? 1 : static_cast<int>(std::clamp<int64_t>(std::min<int64_t>(threads, programs_), 1, 1024));
    for (int t = 0; t < threads_; ++t) add_machine();
  }

  void run(RunTrace& trace) {
    if (!prologue_faults_.empty() || programs_ == 0) return;
    if (threads_ > 1) warm_up();
    const auto start = Clock::now();
    last_report_ = start;
    // The first program tells whether the others are worth a parallel region.
    constexpr double kParallelFrom = 0.02;
    run_range(*machines_[0], 0, 1);
    const double rest = ms_since(start) * static_cast<double>(programs_ - 1);
    if (threads_ == 1 || rest < kParallelFrom) run_range(*machines_[0], 1, programs_);
    else run_tasks(1);
    finish_streams();
    relay_.rethrow();
    trace.time_ms = ms_since(start);
    if (cancelled_) trace.notes.push_back(remember(say(SimWords::StoppedAfter, {{"done", done_.load()}, {"all", programs_}})));
  }

  void collect(RunTrace& trace) {
    FaultTable all;
    std::vector<std::pair<int64_t, std::string>> printed;
    const int64_t stop = stop_.load();
    for (size_t t = 0; t < machines_.size(); ++t) {
      all.merge(tables_[t], stop);
      for (auto& line : machines_[t]->printed) printed.push_back(std::move(line));
      if (t > 0 && machines_[0]->recorder != nullptr) recorders_[0]->merge(*recorders_[t]);
    }
    for (const RawFault& f : prologue_faults_) all.add(f);
    std::vector<Fault> races;
    if (access_plan_) races = find_all_races(trace, stop);
    trace.faults = all.report(plan_, memory_, std::move(races), options_.limits.max_faults, trace.notes);
    std::stable_sort(printed.begin(), printed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const size_t most = static_cast<size_t>(options_.limits.max_printed);
    if (printed.size() > most) {
      printed.resize(most);
      trace.notes.push_back(remember(say(SimWords::PrintStopped, {{"n", static_cast<int64_t>(most)}})));
    }
    for (auto& [order, line] : printed) trace.printed.push_back(std::move(line));
    if (!recorders_.empty()) recorders_[0]->report(trace);
    if (maps_) maps_->report(trace);
  }

 private:
  // The tensor that each memory op is known to touch, or -1.
  std::vector<int> tensors_of_ops() const {
    std::vector<int> out;
    for (const MemoryOp& op : plan_.memory_ops) {
      const TensorRange* r = op.param < 0 ? nullptr : memory_.find(arguments_[static_cast<size_t>(op.param)]);
      out.push_back(r == nullptr ? -1 : r->index);
    }
    return out;
  }

  std::vector<Fault> find_all_races(RunTrace& trace, int64_t last_position) const {
    std::vector<const AccessLog*> logs;
    bool full = true;
    for (const auto& log : access_logs_) {
      logs.push_back(log.get());
      full = full && !log->overflowed();
    }
    if (!full) trace.notes.push_back(remember(say(SimWords::RacesInPart)));
    return find_races(plan_, memory_, *access_plan_, logs, grid_, last_position);
  }

  static int64_t programs_to_run(std::array<int64_t, 3> grid, const RunOptions& options) {
    const int64_t all = grid[0] * grid[1] * grid[2];
    return options.first_programs < 0 ? all : std::min(all, options.first_programs);
  }

  void add_machine() {
    machines_.push_back(std::make_unique<Machine>(plan_, memory_));
    Machine& m = *machines_.back();
    tables_.emplace_back();
    m.grid = grid_;
    if (counts_) {
      recorders_.push_back(std::make_unique<Recorder>(*counts_, maps_ ? &*maps_ : nullptr));
      m.recorder = recorders_.back().get();
    }
    if (access_plan_) {
      access_logs_.push_back(std::make_unique<AccessLog>(*access_plan_));
      m.accesses = access_logs_.back().get();
    }
    for (size_t p = 0; p < arguments_.size(); ++p) m.reg(plan_.slots[p].index) = arguments_[p];
    try {
      for (const Inst* i = plan_.prologue.data(); i != nullptr;) i = i->run(m, i);
      m.wrapped_in_prologue = m.wrapped;
    } catch (const ProgramStopped&) {
      prologue_faults_ = m.faults;
    }
  }

  static void warm_up_body(std::atomic<int>& n) { n.fetch_add(1, std::memory_order_relaxed); }
  void warm_up() {
    std::atomic<int> n{0};
#pragma omp parallel num_threads(threads_)
    warm_up_body(n);
  }

  void run_one(Machine& m, int64_t position) {
    const int64_t program = sequence_[position];
    // Divisions cost as much as several instructions of a tiny program; mostly the next program is next door.
    if (program == m.order + 1 && m.program[0] + 1 < grid_[0]) ++m.program[0];
    else m.program = {program % grid_[0], program / grid_[0] % grid_[1], program / grid_[0] / grid_[1]};
    m.order = program;
    m.position = position;
    if (m.recorder != nullptr) m.recorder->begin_program(program);
    if (m.accesses != nullptr) m.accesses->begin_program(program, position);
    const bool finished = run_program(m);
    for (RawFault& f : m.findings) tables_[static_cast<size_t>(index_of(m))].add(std::move(f));
    m.findings.clear();
    if (finished) return;
    RawFault f = std::move(m.faults.back());
    m.faults.clear();
    // A program that does not end is likely not alone: what comes after it is not run.
    if (f.kind == FaultKind::Limit) {
      int64_t old = stop_.load();
      while (position < old && !stop_.compare_exchange_weak(old, position)) {
      }
    }
    tables_[static_cast<size_t>(index_of(m))].add(std::move(f));
  }
  int index_of(const Machine& m) const {
    for (size_t t = 0; t < machines_.size(); ++t)
      if (machines_[t].get() == &m) return static_cast<int>(t);
    return 0;
  }

  void run_range(Machine& m, int64_t from, int64_t to) {
    relay_([&] { run_programs(m, from, to); });
  }

  void run_programs(Machine& m, int64_t from, int64_t to) {
    constexpr int64_t kMostAtOnce = 32;  // programs between two looks at the clock
    constexpr double kQuick = 2;         // ms
    int64_t batch = options_.progress ? 1 : kMostAtOnce;
    for (int64_t p = from; p < to;) {
      const int64_t end = std::min(to, p + batch), begin = p;
      const auto start = options_.progress ? Clock::now() : Clock::time_point();
      for (; p < end; ++p) {
        if (p > stop_.load(std::memory_order_relaxed) || cancelled_.load(std::memory_order_relaxed)) return;
        run_one(m, p);
      }
      if (!options_.progress) continue;
      report_progress(end - begin);
      batch = ms_since(start) < kQuick ? std::min(batch * 2, kMostAtOnce) : std::max<int64_t>(batch / 2, 1);
    }
  }

  void report_progress(int64_t finished) {
    const int64_t done = done_.fetch_add(finished) + finished;
#pragma omp critical(tilescope_progress)
    {
      if (!cancelled_ && (ms_since(last_report_) > 50 || done == programs_)) {
        last_report_ = Clock::now();
        if (!options_.progress(done, programs_)) cancelled_ = true;
      }
    }
  }

  // libgomp runs a taskloop of more than 64 tasks a thread serially, so the number of tasks is given.
  void run_tasks(int64_t from) {
    const int64_t left = programs_ - from;
    const int64_t tasks = std::min<int64_t>(left, int64_t{16} * threads_);
#pragma omp parallel num_threads(threads_)
#pragma omp single
#pragma omp taskloop num_tasks(tasks)
    for (int64_t t = 0; t < tasks; ++t) {
      const int64_t begin = from + left * t / tasks, end = from + left * (t + 1) / tasks;
      run_range(*machines_[static_cast<size_t>(omp_get_thread_num())], begin, end);
      finish_streams();
    }
  }

  const Plan& plan_;
  Memory& memory_;
  const std::vector<uint64_t>& arguments_;
  const std::array<int64_t, 3> grid_;
  const RunOptions& options_;
  const int64_t programs_;
  const ProgramSequence sequence_;
  int threads_ = 1;
  std::vector<std::unique_ptr<Machine>> machines_;
  std::optional<LaunchCounts> counts_;
  std::optional<ProgramMaps> maps_;
  std::vector<std::unique_ptr<Recorder>> recorders_;
  std::optional<AccessLogPlan> access_plan_;
  std::vector<std::unique_ptr<AccessLog>> access_logs_;
  std::vector<FaultTable> tables_;
  std::vector<RawFault> prologue_faults_;
  std::atomic<int64_t> stop_{INT64_MAX};  ///< first position at which a limit was reached
  std::atomic<int64_t> done_{0};
  std::atomic<bool> cancelled_{false};
  StopRelay relay_;
  Clock::time_point last_report_;
};

Fault launch_fault(std::string message, std::string hint = {}) {
  Fault f;
  f.kind = FaultKind::Limit;
  f.message = std::move(message);
  f.hint = std::move(hint);
  return f;
}

void name_tensors(const Memory& memory, RunTrace& trace) {
  for (int t = 0; t < memory.size(); ++t) {
    TensorReport r;
    const Tensor& tensor = *memory.range(t).tensor;
    r.name = tensor.name;
    r.dtype = tensor.dtype;
    r.shape = tensor.layout.shape;
    trace.tensors.push_back(std::move(r));
  }
}

}  // namespace

ProgramSequence::ProgramSequence(ProgramOrder order, uint64_t seed, int64_t programs) : order_(order), seed_(seed), programs_(programs) {
  while ((int64_t{1} << (2 * half_bits_)) < programs) ++half_bits_;
}

int64_t ProgramSequence::operator[](int64_t position) const {
  if (order_ == ProgramOrder::RowMajor) return position;
  if (order_ == ProgramOrder::Reverse) return programs_ - 1 - position;
  const uint64_t mask = (uint64_t{1} << half_bits_) - 1;
  auto x = static_cast<uint64_t>(position);
  do {
    uint64_t left = x >> half_bits_, right = x & mask;
    for (uint64_t round = 0; round < 4; ++round) {
      uint64_t h = (right + seed_ + round * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
      h = (h ^ (h >> 31)) * 0x94d049bb133111ebu;
      const uint64_t next = left ^ ((h ^ (h >> 29)) & mask);
      left = right;
      right = next;
    }
    x = left << half_bits_ | right;
  } while (x >= static_cast<uint64_t>(programs_));
  return static_cast<int64_t>(x);
}

RunTrace run(const Function& function, const std::vector<Argument>& args, std::array<int64_t, 3> grid, const RunOptions& options) {
  RunTrace trace;
  trace.kernel = function.name;
  trace.grid = grid;
  trace.num_warps = function.num_warps;
  if (args.size() != function.params.size()) internal_error("run: one argument for each parameter");
  uint64_t programs = 1;
  for (int64_t g : grid) {
    if (g < 1 || static_cast<uint64_t>(g) > options.limits.max_programs / programs) {
      trace.faults.push_back(launch_fault("a grid of " + std::to_string(grid[0]) + " x " + std::to_string(grid[1]) + " x " + std::to_string(grid[2]) +
                                          " programs is not between 1 and " + std::to_string(options.limits.max_programs)));
      return trace;
    }
    programs *= static_cast<uint64_t>(g);
  }
  trace.programs = static_cast<int64_t>(programs);
  // The function that runs: the plan points into it.
  std::optional<Function> shadowed;
  if (options.check.overflow) shadowed = with_offset_shadows(function);
  Expected<std::unique_ptr<Plan>> plan = make_plan(shadowed ? *shadowed : function, options);
  if (!plan) {
    const Diagnostic& d = plan.errors()[0];
    trace.faults.push_back(launch_fault(d.message, d.hint));
    trace.faults.back().range = d.range;
    trace.faults.back().calls = d.calls;
    return trace;
  }
  Memory memory;
  std::vector<uint64_t> arguments;
  for (size_t p = 0; p < args.size(); ++p) {
    const Type& type = function.params[p].type;
    if (!type.pointer) arguments.push_back(canonical(type.elem, args[p].bits));
    else if (args[p].tensor == nullptr) arguments.push_back(0);
    else arguments.push_back(memory.range(memory.add(args[p].tensor, (*plan)->may_load[p])).origin);
  }
  name_tensors(memory, trace);
  Launcher launcher(**plan, memory, arguments, grid, options);
  launcher.run(trace);
  launcher.collect(trace);
  if (options.first_programs >= 0) memory.keep_written();
  if ((*plan)->ordered) trace.notes.push_back(remember(say(SimWords::DependsOnOrder, {{"because", words_of((*plan)->ordered_because)}})));
  return trace;
}

}  // namespace tilescope
