// The threads of a session, and what others ask of them. What they do: session_record.cpp, session_whole.cpp,
// session_cost.cpp.
#include "visualizer/model/session_worker.h"

#include <new>
#include <utility>

#include "core/arg_spec.h"
#include "core/stop.h"
#include "visualizer/model/cost_findings.h"
#include "visualizer/model/follow_sizes.h"

#if defined(__linux__)
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tilescope::model {
namespace {

/// The window's own thread goes first. Only a wish.
void lower_priority([[maybe_unused]] int nice) {
#if defined(__linux__)
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), nice);
#endif
}

std::set<std::string> names_of(const LaunchSpec& spec) {
  std::set<std::string> out;
  for (const LaunchArg& arg : spec.args) out.insert(arg.name);
  return out;
}

constexpr int kFrontNice = 5, kBackNice = 10;
constexpr auto kBetweenWords = std::chrono::milliseconds(50);

}  // namespace

SessionWorker::SessionWorker(LaunchSpec spec, RecordOptions options) : options_(std::move(options)) {
  opened_names_ = names_of(spec);
  request_.spec = std::move(spec);
  changed();
  front_thread_ = std::thread([this] { front_loop(); });
  back_thread_ = std::thread([this] { back_loop(); });
  cost_thread_ = std::thread([this] { lower_priority(kFrontNice); cost_loop(); });
}

SessionWorker::~SessionWorker() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  front_thread_.join();
  back_thread_.join();
  cost_thread_.join();
}

Published SessionWorker::published() const {
  std::lock_guard lock(mutex_);
  return published_;
}

LaunchSpec SessionWorker::spec() const {
  std::lock_guard lock(mutex_);
  return request_.spec;
}

ProgramIndex SessionWorker::program() const {
  std::lock_guard lock(mutex_);
  return request_.program;
}

void SessionWorker::open(LaunchSpec spec, SourcePtr text, ProgramIndex program) {
  std::lock_guard lock(mutex_);
  opened_names_ = names_of(spec);
  request_ = {std::move(spec), text, program, {}};
  for (auto old : {std::shared_ptr<const void>(published_.launch), std::shared_ptr<const void>(published_.recorded),
                   std::shared_ptr<const void>(published_.totals)})
    if (old != nullptr) unused_.push_back(std::move(old));
  Published fresh;
  fresh.version = published_.version;
  fresh.text = std::move(text);
  published_ = std::move(fresh);
  job_ = whole_wanted_ = nullptr;
  totals_arrived_ = false;
  ++launch_asked_;
  ++program_asked_;
  changed();
}

void SessionWorker::set_text(std::string text) {
  std::lock_guard lock(mutex_);
  if (request_.spec.host != nullptr) return;  // its text is a C++ program: that is changed by compiling it anew
  auto file = std::make_shared<SourceFile>();
  file->path = request_.spec.kernel_path;
  file->text = std::move(text);
  request_.text = file;
  request_.notes.clear();
  published_.text = file;
  published_.stale = published_.launch != nullptr;
  ++launch_asked_;
  changed();
}

void SessionWorker::set_argument(const std::string& name, ArgValue value) {
  std::lock_guard lock(mutex_);
  // What a config or a heuristic gave becomes the launch's own.
  const LaunchArg* given = published_.launch != nullptr ? published_.launch->spec.find(name) : nullptr;
  if (given != nullptr && request_.spec.find(name) == nullptr) request_.spec.args.push_back(*given);
  const LaunchArg* now = request_.spec.find(name);
  if (now != nullptr && std::holds_alternative<TensorSpec>(now->value) && std::holds_alternative<TensorSpec>(value)) {
    set_arg(request_.spec, {name, std::move(value)});
    request_.notes.clear();
  } else {
    request_.notes = change_argument(request_.spec, name, std::move(value),
                                     constexpr_parameters(published_.text, request_.spec));
  }
  published_.stale = published_.launch != nullptr;
  ++launch_asked_;
  changed();
}

void SessionWorker::set_notes(std::vector<std::string> notes) {
  std::lock_guard lock(mutex_);
  request_.notes = notes;
  published_.notes = std::move(notes);
  changed();
}

void SessionWorker::set_config(int64_t config) {
  std::lock_guard lock(mutex_);
  request_.spec.config = config;
  std::erase_if(request_.spec.args, [this](const LaunchArg& a) { return opened_names_.count(a.name) == 0; });
  request_.notes.clear();
  published_.stale = published_.launch != nullptr;
  ++launch_asked_;
  changed();
}

void SessionWorker::select_program(ProgramIndex program) {
  std::lock_guard lock(mutex_);
  const Recorded* shown = published_.recorded.get();
  if (request_.program == program && shown != nullptr && shown->recording->trace().program == program) return;
  request_.program = program;
  ++program_asked_;
  changed();
}

void SessionWorker::cancel() {
  std::lock_guard lock(mutex_);
  ++cancels_;
  launch_taken_ = launch_asked_;
  program_taken_ = program_asked_;
  totals_arrived_ = false;
  whole_wanted_ = nullptr;
  changed();
}

void SessionWorker::dispose(std::shared_ptr<const void> unused) {
  if (unused == nullptr) return;
  std::lock_guard lock(mutex_);
  unused_.push_back(std::move(unused));
  wake_.notify_all();
}

bool SessionWorker::wait(double seconds, bool whole) {
  std::unique_lock lock(mutex_);
  const auto done = [&] { return (whole ? idle() : !front_.busy && !front_has_work()) && cost_idle(); };
  return wake_.wait_for(lock, std::chrono::duration<double>(seconds), done);
}

bool SessionWorker::front_has_work() const {
  if (launch_asked_ != launch_taken_) return true;
  return job_ != nullptr && (program_asked_ != program_taken_ || totals_arrived_);
}

bool SessionWorker::idle() const {
  return !front_.busy && !back_.busy && !front_has_work() && whole_wanted_ == nullptr;
}

void SessionWorker::changed() {
  const Activity& shown = front_.busy || !back_.busy ? front_ : back_;
  published_.busy = !idle();
  published_.work = shown.busy ? shown.work : Work::Nothing;
  published_.work_program = shown.program;
  published_.progress = shown.busy ? shown.progress : -1;
  published_.cost_busy = !cost_idle();
  published_.cost_progress = cost_.busy ? cost_.progress : -1;
  published_.cost_stale = published_.cost != nullptr && published_cost_launch_ != launch_asked_;
  published_.version = version_.load(std::memory_order_relaxed) + 1;
  version_.store(published_.version, std::memory_order_release);
  wake_.notify_all();
}

void SessionWorker::say(Activity& activity, Work work, ProgramIndex program, double progress, bool later) {
  std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (later && now - activity.said < kBetweenWords) return;
  activity.said = now;
  activity.work = work;
  activity.program = program;
  activity.progress = progress;
  changed();
}

void SessionWorker::fail(std::vector<Diagnostic> errors, const Ticket& ticket) {
  std::lock_guard lock(mutex_);
  // Which program is asked for does not matter: the errors are the launch's.
  if (launch_outdated(ticket)) return;
  published_.errors = std::move(errors);
  changed();
}

void SessionWorker::guarded(const std::function<void()>& work, const Ticket& ticket) {
  const StopScope scope([&] { return launch_outdated(ticket); });
  try {
    work();
  } catch (const Stopped&) {  // nobody wants it any more
  } catch (const std::bad_alloc&) {
    fail({plain_error("this machine has not enough memory for the launch", "make the tensors or the tiles smaller")}, ticket);
  } catch (const std::exception& e) {
    fail({plain_error(std::string("the work stopped: ") + e.what())}, ticket);
  }
}

void SessionWorker::front_loop() {
  lower_priority(kFrontNice);
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stop_ || front_has_work() || !unused_.empty(); });
    if (stop_) return;
    if (!front_has_work()) {
      auto unused = std::exchange(unused_, {});
      lock.unlock();
      unused.clear();
      lock.lock();
      continue;
    }
    const Ticket now = ticket();
    const bool launch = launch_asked_ != launch_taken_;
    const Request request = request_;
    const JobPtr job = job_;
    launch_taken_ = launch_asked_;
    program_taken_ = program_asked_;
    totals_arrived_ = false;
    front_ = Activity{true, Work::Compiling, {}, -1, {}};
    lock.unlock();
    guarded([&] { launch ? build(request, now) : record_again(job, now, request.program); }, now);
    lock.lock();
    front_.busy = false;
    changed();
  }
}

void SessionWorker::back_loop() {
  lower_priority(kBackNice);
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stop_ || whole_wanted_ != nullptr; });
    if (stop_) return;
    const JobPtr job = std::exchange(whole_wanted_, nullptr);
    Ticket now = ticket();
    now.launch = job->number;
    back_ = Activity{true, Work::RunningAll, {}, -1, {}};
    lock.unlock();
    guarded([&] { run_whole(job, now); }, now);
    lock.lock();
    back_.busy = false;
    changed();
  }
}

// ---- the public face

RecordOptions careful_options() {
  RecordOptions options;
  options.check = Checkers::all();
  return options;
}

Session::Session(LaunchSpec spec, RecordOptions options)
    : worker_(std::make_unique<SessionWorker>(std::move(spec), std::move(options))) {}
Session::~Session() = default;
Published Session::published() const { return worker_->published(); }
uint64_t Session::version() const { return worker_->version(); }
LaunchSpec Session::spec() const { return worker_->spec(); }
ProgramIndex Session::program() const { return worker_->program(); }
void Session::open(LaunchSpec spec, SourcePtr text, ProgramIndex program) {
  worker_->open(std::move(spec), std::move(text), program);
}
void Session::set_text(std::string text) { worker_->set_text(std::move(text)); }
void Session::set_argument(std::string name, ArgValue value) { worker_->set_argument(name, std::move(value)); }
void Session::set_notes(std::vector<std::string> notes) { worker_->set_notes(std::move(notes)); }
void Session::set_config(int64_t config) { worker_->set_config(config); }
void Session::select_program(ProgramIndex program) { worker_->select_program(program); }
void Session::cancel() { worker_->cancel(); }
void Session::dispose(std::shared_ptr<const void> unused) { worker_->dispose(std::move(unused)); }
void Session::want_cost(const CostWish& wish, bool again) { worker_->want_cost(wish, again); }
void Session::cancel_cost() { worker_->cancel_cost(); }
bool Session::wait(double seconds, bool whole) { return worker_->wait(seconds, whole); }

}  // namespace tilescope::model
