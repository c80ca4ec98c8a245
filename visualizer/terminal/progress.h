// A progress bar on standard error: only on a terminal, only when a run takes long.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <mutex>
#include <string>
#include <string_view>

namespace tilescope::terminal {

class Progress {
 public:
  /// Silent when `enabled` is false.
  Progress(std::ostream& err, bool enabled) : err_(err), enabled_(enabled), start_(Clock::now()), last_(start_) {}
  ~Progress() { clear(); }
  /// May be called from any thread, as often as wanted.
  void update(int64_t done, int64_t total);
  /// The same with a share from 0 to 1 of some work.
  void update_share(double share, std::string_view work);
  /// Wipes the bar.
  void clear();

 private:
  /// `text` is asked for only when it is time to draw.
  void draw(double share, const std::function<std::string()>& text);

  using Clock = std::chrono::steady_clock;
  std::ostream& err_;
  bool enabled_, shown_ = false;
  Clock::time_point start_, last_;
  std::mutex mutex_;
};

}  // namespace tilescope::terminal
