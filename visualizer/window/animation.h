// Animated PNG files (APNG, https://wiki.mozilla.org/APNG_Specification): every browser plays them, and a program that
// knows PNG only shows the first frame.
#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "visualizer/window/picture.h"

namespace tilescope::window {

/// Writes one frame after the other, so that a long animation takes no memory. All have the size of the first.
class AnimationWriter {
 public:
  /// `frames`: how many will be added, at least 1. The file appears under its name when it is finished.
  AnimationWriter(std::string path, int frames);
  ~AnimationWriter();
  AnimationWriter(const AnimationWriter&) = delete;
  AnimationWriter& operator=(const AnimationWriter&) = delete;

  /// Shown for `milliseconds`. Returns the reason when it could not be written.
  std::optional<std::string> add(const Picture& picture, int milliseconds);
  /// After the last frame.
  std::optional<std::string> finish();

 private:
  void chunk(const char* type, const std::vector<uint8_t>& data);

  std::string path_;
  std::ofstream file_;
  int frames_ = 0, added_ = 0;
  uint32_t sequence_ = 0;
  Picture last_;
  bool finished_ = false;
};

}  // namespace tilescope::window
