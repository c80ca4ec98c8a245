// Frames of the four kernels against kept ones (tests/frames, half the size). Another release of FreeType or Mesa draws
// letters and edges a little differently: what counts is the mean difference and how many pixels differ clearly.
// TILESCOPE_RENEW_FRAMES=1 build/tests_window -tc='*frames look*' keeps new ones.
#include <doctest/doctest.h>
#ifndef TILESCOPE_NO_WINDOW
#include <png.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include "window_run.h"

using namespace window_run;

namespace {

struct Image {
  size_t width = 0, height = 0;
  std::vector<uint8_t> rgb;
};

std::optional<Image> read_image(const std::string& path) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&png, path.c_str()) == 0) return std::nullopt;
  png.format = PNG_FORMAT_RGB;
  Image out{png.width, png.height, std::vector<uint8_t>(PNG_IMAGE_SIZE(png))};
  if (png_image_finish_read(&png, nullptr, out.rgb.data(), 0, nullptr) == 0) return std::nullopt;
  return out;
}

void write_image(const std::string& path, const Image& image) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = PNG_FORMAT_RGB;
  CHECK(png_image_write_to_file(&png, path.c_str(), 0, image.rgb.data(), 0, nullptr) != 0);
}

/// Half the size: the mean of four pixels.
Image halved(const Image& a) {
  Image out{a.width / 2, a.height / 2, std::vector<uint8_t>(a.width / 2 * (a.height / 2) * 3)};
  for (size_t y = 0; y < out.height; ++y)
    for (size_t x = 0; x < out.width; ++x)
      for (size_t c = 0; c < 3; ++c) {
        const auto at = [&](size_t dx, size_t dy) { return static_cast<int>(a.rgb[((2 * y + dy) * a.width + 2 * x + dx) * 3 + c]); };
        out.rgb[(y * out.width + x) * 3 + c] = static_cast<uint8_t>((at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1) + 2) / 4);
      }
  return out;
}

struct Difference {
  double mean = 0;   ///< of all channels, in 255ths
  double clear = 0;  ///< share of pixels with a channel more than 40 off
  Image picture;     ///< white where pixels differ clearly, else the difference
};

Difference compare(const Image& a, const Image& b) {
  Difference d;
  d.picture = a;
  size_t clear = 0;
  double sum = 0;
  for (size_t i = 0; i < a.rgb.size(); i += 3) {
    int most = 0;
    for (size_t c = 0; c < 3; ++c) {
      const int off = std::abs(a.rgb[i + c] - b.rgb[i + c]);
      sum += off;
      most = std::max(most, off);
      d.picture.rgb[i + c] = static_cast<uint8_t>(off);
    }
    if (most <= 40) continue;
    ++clear;
    std::memset(&d.picture.rgb[i], 255, 3);
  }
  d.mean = sum / static_cast<double>(std::max<size_t>(1, a.rgb.size()));
  d.clear = static_cast<double>(clear) / static_cast<double>(std::max<size_t>(1, a.rgb.size() / 3));
  return d;
}

constexpr double kMostMean = 2.5, kMostClear = 0.02;

void check_frame_of(const std::string& name, const std::string& launch, const std::string& options) {
  const Folder folder;
  const Result r = run(folder, "view " + quoted(launch) + " --shot frame.png " + options);
  INFO(name << ": " << r.output);
  REQUIRE(r.status == 0);
  const std::optional<Image> full = read_image(folder.file("frame.png"));
  REQUIRE(full.has_value());
  const Image now = halved(*full);
  const std::string kept_path = std::string(TILESCOPE_SOURCE_DIR) + "/tests/frames/" + name + ".png";
  if (std::getenv("TILESCOPE_RENEW_FRAMES") != nullptr) return write_image(kept_path, now);
  const std::optional<Image> kept = read_image(kept_path);
  REQUIRE_MESSAGE(kept.has_value(), kept_path << " is missing");
  const bool same_size = kept->width == now.width && kept->height == now.height;
  const Difference d = same_size ? compare(*kept, now) : Difference{255, 1, now};
  if (d.mean <= kMostMean && d.clear <= kMostClear) return;
  const std::string beside = fs::path(TILESCOPE_BINARY).parent_path().string() + "/frame_" + name;
  write_image(beside + ".now.png", now);
  write_image(beside + ".difference.png", d.picture);
  FAIL_CHECK(name << " differs: mean " << d.mean << " of 255, " << d.clear * 100 << "% of the pixels clearly; see " << beside << ".now.png and .difference.png");
}

void check_frame(const std::string& name, const std::string& kernel_name, const std::string& options) { check_frame_of(name, kernel(kernel_name), options); }

std::string lesson(const std::string& name) { return std::string(TILESCOPE_SOURCE_DIR) + "/lessons/" + name; }

}  // namespace

TEST_CASE("frames look as the kept ones do") {
  if (!can_draw()) return;
  check_frame("vector_add", "vector_add", "--program 3 --step 4");
  check_frame("softmax", "softmax", "--step 5 --panel reduction");
  check_frame("matmul", "matmul", "--program 2,0 --step 13");
  check_frame("grouped_matmul", "grouped_matmul", "--program 5 --step 30 --panel memory");
  check_frame("threads", "vector_add", "--program 3 --step 6 --panel threads");
  check_frame("cost", "grouped_matmul", "--panel cost --step 30");
  check_frame("matmul_light", "matmul", "--program 2,0 --step 13 --theme light");
  check_frame("matmul_zh", "matmul", "--program 1,0 --step 8 --lang zh --panel addresses");
  check_frame("matmul_small", "matmul", "--program 2,0 --step 13 --size 1280x720");
  check_frame_of("lesson_fraction", lesson("06_stability"), "--page 1");
  check_frame_of("lesson_matrix_zh", lesson("08_matmul"), "--page 1 --lang zh --theme light --size 1280x720");
}
#endif
