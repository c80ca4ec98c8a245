// How long the parts of a frame take, so that a stall can be traced to the panel at fault. Switched on by the environment
// variable TILESCOPE_FRAME_TIMES.
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace tilescope::window {

class FrameTimes {
 public:
  explicit FrameTimes(bool on) : on_(on) {}
  static bool wanted();

  void start();
  /// What was done since start() or the last mark().
  void mark(const char* part);
  void finish();

  /// Number of frames, the worst one with its parts, and each part's own worst time; nothing when switched off.
  void report(std::ostream& out) const;
  /// Forgets what was measured so far.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  using Parts = std::vector<std::pair<std::string, double>>;  ///< milliseconds

  bool on_;
  Clock::time_point last_{};
  Parts now_, worst_, worst_of_part_;
  double worst_total_ = 0, sum_ = 0;
  size_t frames_ = 0, worst_frame_ = 0;
};

}  // namespace tilescope::window
