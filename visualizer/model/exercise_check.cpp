#include "visualizer/model/exercise_check.h"

#include <chrono>
#include <new>
#include <utility>

#include "core/stop.h"
#include "lessons/words.h"

namespace tilescope::model {
namespace {

using lessons::LessonWords;

lessons::CheckResult not_run(Words expected, Words found) {
  lessons::CheckResult r;
  r.failure.emplace();
  r.failure->expected = lessons::per_language(std::move(expected));
  r.failure->found = lessons::per_language(std::move(found));
  return r;
}

}  // namespace

ExerciseCheck::~ExerciseCheck() {
  {
    std::lock_guard lock(mutex_);
    ends_ = true;
    ++asked_;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void ExerciseCheck::start(std::shared_ptr<const lessons::Exercise> exercise, SourcePtr text) {
  std::lock_guard lock(mutex_);
  state_ = {Phase::Running, std::move(text), std::move(exercise), 0, nullptr};
  ++asked_;
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  changed_.notify_all();
}

void ExerciseCheck::cancel() {
  std::lock_guard lock(mutex_);
  if (state_.phase != Phase::Running) return;
  ++asked_;
  state_.phase = Phase::Stopped;
  changed_.notify_all();
}

void ExerciseCheck::forget() {
  std::lock_guard lock(mutex_);
  ++asked_;
  state_ = {};
  changed_.notify_all();
}

ExerciseCheck::State ExerciseCheck::state() const {
  std::lock_guard lock(mutex_);
  return state_;
}

bool ExerciseCheck::wait(double seconds) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return state_.phase != Phase::Running; });
}

void ExerciseCheck::work() {
  for (;;) {
    State job;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ends_ || (asked_ != taken_ && state_.phase == Phase::Running); });
      if (ends_) return;
      taken_ = asked_;
      job = state_;
    }
    check(job, taken_);
  }
}

void ExerciseCheck::check(const State& job, uint64_t number) {
  lessons::CheckResult result;
  const StopScope scope([&] { return asked_ != number; });
  try {
    result = lessons::check_exercise(*job.exercise, job.text, [&] { return asked_ == number; }, [&](size_t launch) {
      std::lock_guard lock(mutex_);
      if (asked_ == number) state_.launch = launch;
    });
  } catch (const Stopped&) {
    return;
  } catch (const std::bad_alloc&) {
    result = not_run(say(LessonWords::FitsMemory), say(LessonWords::NoMemory));
  } catch (const std::exception& e) {
    result = not_run(say(LessonWords::CanBeTried), say(LessonWords::CouldNotBeTried, {{"why", std::string(e.what())}}));
  }
  std::lock_guard lock(mutex_);
  if (asked_ != number) return;
  state_.phase = result.stopped ? Phase::Stopped : result.passed() ? Phase::Passed : Phase::Failed;
  state_.result = std::make_shared<const lessons::CheckResult>(std::move(result));
  changed_.notify_all();
}

}  // namespace tilescope::model
