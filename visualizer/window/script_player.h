// Carries out scripted input (script.h) frame by frame.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "visualizer/window/platform.h"
#include "visualizer/window/script.h"
#include "visualizer/window/window.h"

namespace tilescope::window {

class ScriptPlayer {
 public:
  /// `frame` draws one frame, into the picture when one is given.
  ScriptPlayer(Window& window, Platform& platform, std::function<void(Picture*)> frame, std::ostream& out, std::ostream& err)
      : window_(window), platform_(platform), frame_(std::move(frame)), out_(out), err_(err) {}

  /// False, with a message, when a place does not exist or a file cannot be written.
  bool play(const ScriptLine& line);
  bool shot(const std::string& path);
  bool state(const std::string& path);

 private:
  bool move_to(const ScriptLine& line, float fx, float fy);
  void press(int times);
  bool drag(const ScriptLine& line);
  bool wheel(const ScriptLine& line);
  bool key(const ScriptLine& line);
  bool resize(const ScriptLine& line);
  bool monkey(const ScriptLine& line);
  bool refuse(const ScriptLine& line, const std::string& why);
  void frames(int n) {
    for (int i = 0; i < n; ++i) frame_(nullptr);
  }

  Window& window_;
  Platform& platform_;
  std::function<void(Picture*)> frame_;
  std::ostream &out_, &err_;
};

}  // namespace tilescope::window
