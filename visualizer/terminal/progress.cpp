#include "visualizer/terminal/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "visualizer/terminal/table.h"

namespace tilescope::terminal {
namespace {

constexpr auto kFirstShown = std::chrono::milliseconds(700);
constexpr auto kBetween = std::chrono::milliseconds(100);
constexpr int kWidth = 30;

}  // namespace

void Progress::update(int64_t done, int64_t total) {
  if (total <= 0) return;
  draw(static_cast<double>(done) / static_cast<double>(total), [=] { return with_commas(done) + " of " + counted(total, "program"); });
}

void Progress::update_share(double share, std::string_view work) { draw(share, [=] { return std::string(work); }); }

void Progress::draw(double share, const std::function<std::string()>& text) {
  if (!enabled_) return;
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;  // another thread is drawing
  auto now = Clock::now();
  if (now - start_ < kFirstShown || now - last_ < kBetween) return;
  last_ = now;
  shown_ = true;
  share = std::clamp(share, 0.0, 1.0);
  int filled = static_cast<int>(share * kWidth);
  std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
  err_ << fmt::format("\r[{}] {:3.0f}%  {}", bar, share * 100, text()) << std::flush;
}

void Progress::clear() {
  std::lock_guard lock(mutex_);
  if (!shown_) return;
  shown_ = false;
  err_ << "\r\x1b[K" << std::flush;
}

}  // namespace tilescope::terminal
