// Saves the loop of the program that is shown as pictures: frame-001.png, ... and loop.png, which is animated.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "visualizer/model/record_plan.h"
#include "visualizer/window/animation.h"
#include "visualizer/window/window.h"

namespace tilescope::window {

class LoopRecorder {
 public:
  static constexpr size_t kMostFrames = 300;

  /// `frame` draws one still frame, into the picture when one is given. Nothing is written yet.
  LoopRecorder(Window& window, std::string folder, std::function<void(Picture*)> frame);

  /// Makes the folder. Returns why it cannot be: there is nothing to record, or the folder holds pictures already.
  std::optional<std::string> start();
  /// Draws and saves the next picture. False at the end, and when a file could not be written (see problem()).
  bool next();
  /// Ends early; what was saved stays, without loop.png.
  void stop();

  size_t done() const { return done_; }
  size_t frames() const { return plan_.line_steps.size(); }
  const model::RecordPlan& plan() const { return plan_; }
  const std::string& problem() const { return problem_; }
  const std::string& folder() const { return folder_; }

 private:
  void finish();

  Window& window_;
  std::string folder_, problem_;
  std::function<void(Picture*)> frame_;
  model::RecordPlan plan_;
  std::unique_ptr<AnimationWriter> animation_;
  size_t done_ = 0;
  uint64_t step_before_ = 0;  ///< that was shown; it is shown again afterwards
};

}  // namespace tilescope::window
