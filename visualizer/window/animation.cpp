#include "visualizer/window/animation.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace tilescope::window {
namespace {

struct Area {
  int x = 0, y = 0, w = 0, h = 0;
};

void put32(std::vector<uint8_t>& out, uint32_t v) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<uint8_t>(v >> shift));
}
void put16(std::vector<uint8_t>& out, uint32_t v) {
  out.push_back(static_cast<uint8_t>(v >> 8));
  out.push_back(static_cast<uint8_t>(v));
}

const uint8_t* pixel(const Picture& p, int x, int y) {
  return p.pixels.data() + (static_cast<size_t>(y) * static_cast<size_t>(p.width) + static_cast<size_t>(x)) * 4;
}

/// The smallest box around all pixels that differ; one pixel when none does, as a frame may not be empty.
Area changed_area(const Picture& a, const Picture& b) {
  int x0 = a.width, y0 = a.height, x1 = 0, y1 = 0;
  const size_t row = static_cast<size_t>(a.width) * 4;
  for (int y = 0; y < a.height; ++y) {
    const uint8_t *p = pixel(a, 0, y), *q = pixel(b, 0, y);
    if (std::memcmp(p, q, row) == 0) continue;
    y0 = std::min(y0, y);
    y1 = y + 1;
    for (int x = 0; x < a.width; ++x)
      if (std::memcmp(p + x * 4, q + x * 4, 3) != 0) {
        x0 = std::min(x0, x);
        x1 = std::max(x1, x + 1);
      }
  }
  return x1 > x0 ? Area{x0, y0, x1 - x0, y1 - y0} : Area{0, 0, 1, 1};
}

/// The filter of PNG (0 none, 1 left, 2 up) that leaves the smallest differences, and its bytes.
void filter_row(const std::vector<uint8_t>& row, const std::vector<uint8_t>& up, std::vector<uint8_t>& out) {
  constexpr size_t kBytes = 3;
  uint64_t best = UINT64_MAX;
  std::vector<uint8_t> line(row.size()), chosen;
  for (uint8_t filter = 0; filter < 3; ++filter) {
    uint64_t sum = 0;
    for (size_t i = 0; i < row.size(); ++i) {
      const uint8_t before = filter == 1 ? (i >= kBytes ? row[i - kBytes] : 0) : filter == 2 ? up[i] : 0;
      line[i] = static_cast<uint8_t>(row[i] - before);
      sum += static_cast<uint64_t>(std::abs(static_cast<int8_t>(line[i])));
    }
    if (sum >= best) continue;
    best = sum;
    chosen = line;
    chosen.insert(chosen.begin(), filter);
  }
  out.insert(out.end(), chosen.begin(), chosen.end());
}

/// The area as a zlib stream of filtered RGB rows.
std::vector<uint8_t> compress_area(const Picture& p, const Area& a) {
  const size_t row_bytes = static_cast<size_t>(a.w) * 3;
  std::vector<uint8_t> raw, row(row_bytes), up(row_bytes, 0);
  raw.reserve((row_bytes + 1) * static_cast<size_t>(a.h));
  for (int y = a.y; y < a.y + a.h; ++y) {
    for (int x = 0; x < a.w; ++x) std::memcpy(row.data() + static_cast<size_t>(x) * 3, pixel(p, a.x + x, y), 3);
    filter_row(row, up, raw);
    up = row;
  }
  uLongf size = compressBound(static_cast<uLong>(raw.size()));
  std::vector<uint8_t> out(size);
  if (compress2(out.data(), &size, raw.data(), static_cast<uLong>(raw.size()), 6) != Z_OK) size = 0;
  out.resize(size);
  return out;
}

std::vector<uint8_t> header(const Picture& p) {
  std::vector<uint8_t> out;
  put32(out, static_cast<uint32_t>(p.width));
  put32(out, static_cast<uint32_t>(p.height));
  for (uint8_t b : {8, 2, 0, 0, 0}) out.push_back(b);  // 8 bits, RGB, deflate, standard filters, not interlaced
  return out;
}

std::vector<uint8_t> frame_control(uint32_t sequence, const Area& a, int milliseconds) {
  std::vector<uint8_t> out;
  put32(out, sequence);
  for (int v : {a.w, a.h, a.x, a.y}) put32(out, static_cast<uint32_t>(v));
  put16(out, static_cast<uint32_t>(std::clamp(milliseconds, 1, 65535)));
  put16(out, 1000);
  out.push_back(0);  // the next frame is drawn over this one
  out.push_back(0);  // and replaces its area
  return out;
}

std::string part_of(const std::string& path) { return path + ".part"; }

}  // namespace

AnimationWriter::AnimationWriter(std::string path, int frames) : path_(std::move(path)), frames_(frames) {
  file_.open(part_of(path_), std::ios::binary | std::ios::trunc);
}

AnimationWriter::~AnimationWriter() {
  if (finished_) return;
  file_.close();
  std::error_code ec;
  std::filesystem::remove(part_of(path_), ec);
}

void AnimationWriter::chunk(const char* type, const std::vector<uint8_t>& data) {
  std::vector<uint8_t> out;
  put32(out, static_cast<uint32_t>(data.size()));
  out.insert(out.end(), type, type + 4);
  out.insert(out.end(), data.begin(), data.end());
  put32(out, static_cast<uint32_t>(crc32(0, out.data() + 4, static_cast<uInt>(out.size() - 4))));
  file_.write(reinterpret_cast<const char*>(out.data()), static_cast<std::streamsize>(out.size()));
}

std::optional<std::string> AnimationWriter::add(const Picture& picture, int milliseconds) {
  errno = 0;
  const bool first = added_ == 0;
  if (first) {
    file_.write("\x89PNG\r\n\x1a\n", 8);
    chunk("IHDR", header(picture));
    std::vector<uint8_t> control;
    put32(control, static_cast<uint32_t>(frames_));
    put32(control, 0);  // plays forever
    chunk("acTL", control);
  } else if (picture.width != last_.width || picture.height != last_.height) {
    return "the window changed its size";
  }
  const Area area = first ? Area{0, 0, picture.width, picture.height} : changed_area(last_, picture);
  chunk("fcTL", frame_control(sequence_++, area, milliseconds));
  std::vector<uint8_t> data = compress_area(picture, area);
  if (data.empty()) return "out of memory";
  if (first) {
    chunk("IDAT", data);
  } else {
    std::vector<uint8_t> numbered;
    numbered.reserve(data.size() + 4);
    put32(numbered, sequence_++);
    numbered.insert(numbered.end(), data.begin(), data.end());
    chunk("fdAT", numbered);
  }
  last_ = picture;
  ++added_;
  if (!file_) return errno != 0 ? std::strerror(errno) : std::string("cannot be written");
  return std::nullopt;
}

std::optional<std::string> AnimationWriter::finish() {
  errno = 0;
  chunk("IEND", {});
  file_.close();
  if (!file_) return errno != 0 ? std::strerror(errno) : std::string("cannot be written");
  std::error_code ec;
  std::filesystem::rename(part_of(path_), path_, ec);
  if (ec) return ec.message();
  finished_ = true;
  return std::nullopt;
}

}  // namespace tilescope::window
