#include "gpu/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tilescope::gpu {
namespace {

uint64_t bits_of(const Tensor& t, const std::byte* e) {
  uint64_t bits = 0;
  std::memcpy(&bits, e, static_cast<size_t>(dtype_bytes(t.dtype)));
  return bits;
}

/// The bit pattern that all NaNs of the type share here.
uint64_t nan_bits(DType t) { return ~uint64_t{0} >> (64 - dtype_bits(t)); }

/// The place of a float among all floats of its type, negative ones below zero.
int64_t ordinal(DType t, uint64_t bits) {
  const uint64_t sign = uint64_t{1} << (dtype_bits(t) - 1);
  const auto magnitude = static_cast<int64_t>(bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

int bin_of(uint64_t distance) {
  if (distance <= 2) return static_cast<int>(distance);
  if (distance <= 4) return 3;
  if (distance <= 8) return 4;
  if (distance <= 16) return 5;
  return distance <= 256 ? 6 : 7;
}

/// Calls fn(row-major number, offset in storage) for every logical element.
template <class Fn>
void for_each_element(const Tensor& t, Fn&& fn) {
  const int64_t n = t.elements();
  if (t.layout.is_contiguous()) {
    for (int64_t i = 0; i < n; ++i) fn(i, t.origin + i);
    return;
  }
  std::vector<int64_t> index(t.layout.shape.size(), 0);
  for (int64_t i = 0; i < n; ++i) {
    fn(i, t.origin + t.layout.offset_of(index));
    for (size_t a = index.size(); a-- > 0;) {
      if (++index[a] < t.layout.shape[a]) break;
      index[a] = 0;
    }
  }
}

std::vector<int64_t> index_of(const Tensor& t, int64_t number) {
  std::vector<int64_t> out(t.layout.shape.size());
  for (size_t a = out.size(); a-- > 0;) {
    out[a] = number % t.layout.shape[a];
    number /= t.layout.shape[a];
  }
  return out;
}

}  // namespace

TensorComparison compare_tensors(const Tensor& a, const Tensor& b) {
  TensorComparison c;
  c.tensor = a.name;
  c.elements = a.elements();
  const bool floats = is_float(a.dtype);
  for_each_element(a, [&](int64_t number, int64_t offset) {
    const std::byte *x = a.element(offset), *y = b.element(offset);
    const uint64_t p = bits_of(a, x), q = bits_of(b, y);
    if (p == q) {
      ++c.ulps[0];
      return;
    }
    double u = 0, v = 0;
    if (floats || dtype_bits(a.dtype) <= 32) u = read_double(a.dtype, x), v = read_double(a.dtype, y);
    if (floats && std::isnan(u) && std::isnan(v)) {
      ++c.ulps[0];
      return;
    }
    if (c.differing++ == 0) {
      c.first_index = index_of(a, number);
      c.first_a = format_element(a.dtype, x);
      c.first_b = format_element(a.dtype, y);
    }
    const bool near = floats && std::isfinite(u) && std::isfinite(v) && (u < 0) == (v < 0);
    const auto distance =
        static_cast<uint64_t>(std::llabs(ordinal(a.dtype, p) - ordinal(a.dtype, q)));  // 0 between -0 and +0
    ++c.ulps[near ? static_cast<size_t>(bin_of(std::max<uint64_t>(1, distance))) : kUlpBins - 1];
    if (!std::isfinite(u) || !std::isfinite(v)) return;
    c.max_abs = std::max(c.max_abs, std::abs(u - v));
    if (u != 0) c.max_rel = std::max(c.max_rel, std::abs(u - v) / std::abs(u));
  });
  return c;
}

uint64_t hash_tensor(const Tensor& t) {
  uint64_t hash = 0xcbf29ce484222325u;
  for_each_element(t, [&](int64_t, int64_t offset) {
    uint64_t bits = bits_of(t, t.element(offset));
    if (is_float(t.dtype) && std::isnan(read_double(t.dtype, t.element(offset)))) bits = nan_bits(t.dtype);
    for (int i = 0; i < dtype_bytes(t.dtype); ++i) hash = (hash ^ (bits >> (8 * i) & 0xff)) * 0x100000001b3u;
  });
  return hash;
}

}  // namespace tilescope::gpu
