// Pictures of large tensors: one texel an element (or a block of elements), made once and drawn scaled, because a
// rectangle per element stalls from some 10,000 elements on.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tilescope::window {

class TextureCache {
 public:
  ~TextureCache();
  /// The texture kept under `key` (who and what: "kloop.A", "memory.c_ptr"), made anew by `paint` (width x height
  /// texels, row-major, as IM_COL32) when `version` or the size differs from the one kept. Drawn with nearest
  /// neighbours. At most 4096 x 4096 texels.
  ImTextureID get(const std::string& key, uint64_t version, int width, int height,
                  const std::function<void(std::vector<ImU32>& texels)>& paint);
  void clear();  ///< frees all; needed before the OpenGL context goes away
  /// Frees what was not used for some frames.
  void end_frame();

 private:
  struct Entry {
    unsigned texture = 0;
    uint64_t version = 0;
    int width = 0, height = 0;
    uint64_t used = 0;
  };
  std::map<std::string, Entry> entries_;
  uint64_t frame_ = 0;
};

}  // namespace tilescope::window
