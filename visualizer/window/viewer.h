// A window together with the platform it is drawn on.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "visualizer/window/platform.h"
#include "visualizer/window/window.h"

namespace tilescope::window {

class Viewer {
 public:
  Viewer(std::unique_ptr<Platform> platform, std::unique_ptr<model::Controller> controller, std::unique_ptr<LessonGuide> lesson);
  ~Viewer();

  Window& window() { return *window_; }
  Platform& platform() { return *platform_; }

  /// One frame, after at most `wait` seconds without input; into the picture when one is given. `still`: nothing moves.
  /// False when the window was closed.
  bool frame(double wait, bool still, Picture* into = nullptr);
  /// The last frame() began with input, not after waiting in vain.
  bool had_input() const { return had_input_; }

 private:
  std::unique_ptr<Platform> platform_;
  std::unique_ptr<Window> window_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  bool had_input_ = false;
};

}  // namespace tilescope::window
