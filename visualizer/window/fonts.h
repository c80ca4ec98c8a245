// The two faces of the window at every size: WenQuanYi Micro Hei for the interface, DejaVu Sans Mono for code and numbers,
// with the former's glyphs for Chinese comments. Glyphs are those of the texts that are shown.
#pragma once

#include <imgui.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "visualizer/window/theme.h"

namespace tilescope::window {

class FontSet {
 public:
  /// Builds ImGui's atlas for this scale with the glyphs of `text` and of all window texts; what was asked for before is
  /// kept. Call between frames. False when no font file was found: ImGui's own small Latin face is used then.
  bool build(float scale, std::string_view text);
  /// The fonts have every character of `text`, as far as the files do.
  bool covers(std::string_view text) const;
  float scale() const { return scale_; }
  ImFont* get(TextSize size, bool code) const;

 private:
  float scale_ = 0;
  std::vector<bool> wanted_;  ///< by code point
  std::map<std::pair<int, bool>, ImFont*> fonts_;
  std::vector<ImWchar> ranges_;
};

/// Code points of UTF-8 text; broken bytes are left out.
std::vector<uint32_t> code_points(std::string_view text);

}  // namespace tilescope::window
