#include "visualizer/window/frame_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ostream>

namespace tilescope::window {

bool FrameTimes::wanted() { return std::getenv("TILESCOPE_FRAME_TIMES") != nullptr; }

void FrameTimes::start() {
  if (!on_) return;
  now_.clear();
  last_ = Clock::now();
}

void FrameTimes::mark(const char* part) {
  if (!on_) return;
  const Clock::time_point now = Clock::now();
  const double ms = std::chrono::duration<double, std::milli>(now - last_).count();
  last_ = now;
  const auto it = std::find_if(now_.begin(), now_.end(), [&](const auto& p) { return p.first == part; });
  if (it == now_.end()) now_.emplace_back(part, ms);
  else it->second += ms;
}

void FrameTimes::finish() {
  if (!on_) return;
  double total = 0;
  for (const auto& [part, ms] : now_) {
    total += ms;
    const auto it = std::find_if(worst_of_part_.begin(), worst_of_part_.end(), [&, &name = part](const auto& p) { return p.first == name; });
    if (it == worst_of_part_.end()) worst_of_part_.emplace_back(part, ms);
    else it->second = std::max(it->second, ms);
  }
  ++frames_;
  sum_ += total;
  if (total <= worst_total_) return;
  worst_total_ = total;
  worst_frame_ = frames_;
  worst_ = now_;
}

void FrameTimes::clear() { *this = FrameTimes(on_); }

void FrameTimes::report(std::ostream& out) const {
  if (!on_ || frames_ == 0) return;
  const auto list = [](Parts parts) {
    std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string text;
    for (const auto& [part, ms] : parts) text += fmt::format("  {} {:.1f}", part, ms);
    return text;
  };
  out << fmt::format("frames: {}, mean {:.1f} ms, worst {:.1f} ms (frame {})\n", frames_, sum_ / static_cast<double>(frames_), worst_total_, worst_frame_);
  out << "worst frame:" << list(worst_) << "\n";
  out << "worst of each part:" << list(worst_of_part_) << "\n";
}

}  // namespace tilescope::window
