#include "visualizer/window/picture.h"

#include <GL/gl.h>
#include <png.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace tilescope::window {

Picture read_framebuffer(int width, int height) {
  Picture p{width, height, std::vector<uint8_t>(static_cast<size_t>(width) * static_cast<size_t>(height) * 4)};
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, p.pixels.data());
  const size_t row = static_cast<size_t>(width) * 4;
  for (int y = 0; y < height / 2; ++y)
    std::swap_ranges(p.pixels.begin() + static_cast<std::ptrdiff_t>(static_cast<size_t>(y) * row), p.pixels.begin() + static_cast<std::ptrdiff_t>(static_cast<size_t>(y + 1) * row),
                     p.pixels.begin() + static_cast<std::ptrdiff_t>(static_cast<size_t>(height - 1 - y) * row));
  for (size_t i = 3; i < p.pixels.size(); i += 4) p.pixels[i] = 255;
  return p;
}

std::optional<std::string> write_png(const std::string& path, const Picture& picture) {
  // Opening a pipe that nobody reads would wait for ever.
  std::error_code ec;
  if (std::filesystem::is_fifo(path, ec)) return "it is a pipe";
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_RGBA;
  errno = 0;
  if (png_image_write_to_file(&image, path.c_str(), 0, picture.pixels.data(), 0, nullptr) != 0) return std::nullopt;
  return std::string(errno != 0 ? std::strerror(errno) : image.message);
}

std::optional<Picture> read_png(const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, path.c_str()) == 0) return std::nullopt;
  image.format = PNG_FORMAT_RGBA;
  constexpr png_uint_32 kMost = 1u << 14;
  if (image.width > kMost || image.height > kMost) {
    png_image_free(&image);
    return std::nullopt;
  }
  Picture p{static_cast<int>(image.width), static_cast<int>(image.height), std::vector<uint8_t>(PNG_IMAGE_SIZE(image))};
  if (png_image_finish_read(&image, nullptr, p.pixels.data(), 0, nullptr) == 0) return std::nullopt;
  return p;
}

}  // namespace tilescope::window
