// A progress bar on standard error: only on a terminal, only when a run takes long.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <mutex>

namespace tilescope::terminal {

/// True when the process's standard error is a terminal.
bool stderr_is_terminal();

class Progress {
 public:
  /// Silent when `enabled` is false.
  Progress(std::ostream& err, bool enabled) : err_(err), enabled_(enabled), start_(Clock::now()), last_(start_) {}
  ~Progress() { clear(); }
  /// May be called from any thread, as often as wanted.
  void update(int64_t done, int64_t total);
  /// Wipes the bar.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  std::ostream& err_;
  bool enabled_, shown_ = false;
  Clock::time_point start_, last_;
  std::mutex mutex_;
};

}  // namespace tilescope::terminal
