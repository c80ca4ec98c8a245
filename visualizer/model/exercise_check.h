// Checks the learner's text on a thread of its own, so that the window never waits.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "lessons/exercise.h"

namespace tilescope::model {

class ExerciseCheck {
 public:
  enum class Phase : uint8_t { Nothing, Running, Stopped, Failed, Passed };
  /// All parts belong to the text that was checked.
  struct State {
    Phase phase = Phase::Nothing;
    SourcePtr text;
    std::shared_ptr<const lessons::Exercise> exercise;
    size_t launch = 0;  ///< Running: the one that is tried now, from 0
    std::shared_ptr<const lessons::CheckResult> result;  ///< Failed, Passed
    /// The result says nothing of `now`: it has been edited.
    bool is_old(const SourceFile* now) const { return text != nullptr && now != nullptr && text.get() != now && text->text != now->text; }
  };

  ExerciseCheck() = default;
  /// Stops what is running, which takes some milliseconds.
  ~ExerciseCheck();
  ExerciseCheck(const ExerciseCheck&) = delete;
  ExerciseCheck& operator=(const ExerciseCheck&) = delete;

  /// A check that is running is given up.
  void start(std::shared_ptr<const lessons::Exercise> exercise, SourcePtr text);
  void cancel();
  /// As before the first check.
  void forget();
  State state() const;
  /// Waits until nothing runs (tests, scripts). False after `seconds`.
  bool wait(double seconds) const;

 private:
  void work();
  void check(const State& job, uint64_t number);

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  State state_;
  std::atomic<uint64_t> asked_ = 0;  ///< number of the job that counts; another one makes the running job stop
  uint64_t taken_ = 0;
  bool ends_ = false;
  std::thread thread_;  ///< from the first check on
};

}  // namespace tilescope::model
