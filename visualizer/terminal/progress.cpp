#include "visualizer/terminal/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "visualizer/terminal/table.h"

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

namespace tilescope::terminal {
namespace {

constexpr auto kFirstShown = std::chrono::milliseconds(700);
constexpr auto kBetween = std::chrono::milliseconds(100);
constexpr int kWidth = 30;

}  // namespace

bool stderr_is_terminal() {
#if defined(__unix__) || defined(__APPLE__)
  return isatty(2) == 1;
#else
  return false;
#endif
}

void Progress::update(int64_t done, int64_t total) {
  if (!enabled_ || total <= 0) return;
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;  // another thread is drawing
  auto now = Clock::now();
  if (now - start_ < kFirstShown || now - last_ < kBetween) return;
  last_ = now;
  shown_ = true;
  double share = std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0);
  int filled = static_cast<int>(share * kWidth);
  std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
  err_ << fmt::format("\r[{}] {:3.0f}%  {} of {}", bar, share * 100, with_commas(done), counted(total, "program"))
       << std::flush;
}

void Progress::clear() {
  std::lock_guard lock(mutex_);
  if (!shown_) return;
  shown_ = false;
  err_ << "\r\x1b[K" << std::flush;
}

}  // namespace tilescope::terminal
