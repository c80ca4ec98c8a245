// Pictures in memory and as PNG files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::window {

/// RGBA, 8 bits each, rows from the top.
struct Picture {
  int width = 0, height = 0;
  std::vector<uint8_t> pixels;
};

/// Reads the framebuffer of the current OpenGL context.
Picture read_framebuffer(int width, int height);
/// The reason why it could not be written, or nothing.
std::optional<std::string> write_png(const std::string& path, const Picture& picture);
std::optional<Picture> read_png(const std::string& path);

}  // namespace tilescope::window
