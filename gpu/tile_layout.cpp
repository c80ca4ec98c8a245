#include "gpu/tile_layout.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace tilescope::gpu {
namespace {

constexpr int kDefaultBytes = 16;

int zero_bits(const std::vector<int64_t>& bits) {
  int mask = 0;
  for (size_t i = 0; i < bits.size(); ++i)
    if (bits[i] == 0) mask |= 1 << i;
  return mask;
}

int64_t combine(const std::vector<int64_t>& bits, unsigned index) {
  int64_t element = 0;
  for (size_t i = 0; i < bits.size(); ++i)
    if (index >> i & 1) element |= bits[i];
  return element;
}

/// Maps every index bit; register bits that become 0 disappear.
template <class Fn>
Implied map_bits(const TileLayout& l, Fn&& map) {
  Implied out;
  const auto bit = [&](int64_t b) { return b == 0 ? int64_t{0} : map(b); };
  for (int64_t b : l.register_bits) {
    const int64_t to = bit(b);
    out.map.push_back(to != 0 ? int64_t{1} << out.layout.register_bits.size() : 0);
    if (to != 0) out.layout.register_bits.push_back(to);
  }
  for (int64_t b : l.lane_bits) out.layout.lane_bits.push_back(bit(b));
  for (int64_t b : l.warp_bits) out.layout.warp_bits.push_back(bit(b));
  for (int64_t rest = l.flip; rest != 0; rest &= rest - 1) out.layout.flip ^= bit(rest & -rest);
  return out;
}

/// The axis that an index bit belongs to, and the position along it.
struct AxisBit {
  int axis = 0;
  int64_t position = 1;
};
AxisBit axis_of(int64_t bit, const Shape& s) {
  const auto strides = row_major_strides(s);
  for (int d = 0; d < s.rank; ++d)
    if (bit >= strides[d] && bit < strides[d] * s[d]) return {d, bit / strides[d]};
  return {0, bit};
}

/// Splits the threads of a program over the tiles of the accumulator and deals out the rest to registers.
class MmaBits {
 public:
  MmaBits(int64_t m, int64_t n) : m_(m), n_(n) {}
  int64_t row(int64_t r) const { return r < m_ ? r * n_ : 0; }
  int64_t column(int64_t c) const { return c < n_ ? c : 0; }

 private:
  int64_t m_, n_;
};

}  // namespace

int TileLayout::copy_lanes() const { return zero_bits(lane_bits); }
int TileLayout::copy_warps() const { return zero_bits(warp_bits); }

int64_t TileLayout::element_of(int reg, int lane, int warp) const {
  return flip ^ (combine(register_bits, static_cast<unsigned>(reg)) | combine(lane_bits, static_cast<unsigned>(lane)) |
                 combine(warp_bits, static_cast<unsigned>(warp)));
}

std::array<int64_t, kMaxRank> row_major_strides(const Shape& s) {
  std::array<int64_t, kMaxRank> strides{};
  int64_t step = 1;
  for (int d = s.rank - 1; d >= 0; --d) {
    strides[d] = step;
    step *= s[d];
  }
  return strides;
}

int log2_of(int64_t x) { return std::bit_width(static_cast<uint64_t>(x)) - 1; }

TileLayout from_access(const AccessLayout& l) {
  TileLayout out;
  for (int64_t b : l.register_bits)
    if (b != 0) out.register_bits.push_back(b);
  out.lane_bits = l.lane_bits;
  out.warp_bits = l.warp_bits;
  return out;
}

TileLayout default_layout(const Type& tile, int num_warps) {
  std::vector<int> order(static_cast<size_t>(tile.shape.rank));
  std::iota(order.rbegin(), order.rend(), 0);
  const int64_t per_thread = std::max<int64_t>(1, tile.elements() / (int64_t{num_warps} * kLanesPerWarp));
  const int64_t contiguous =
      std::min({int64_t{kDefaultBytes / tile.storage_bytes()}, per_thread, tile.shape[tile.shape.rank - 1]});
  return from_access(blocked_layout(tile, num_warps, std::move(order), static_cast<int>(contiguous)));
}

TileLayout mma_layout(const Shape& shape, int num_warps) {
  const int64_t m = shape[shape.rank - 2], n = shape[shape.rank - 1];
  const MmaBits at(m, n);
  TileLayout l;
  for (int64_t c : {2, 4}) l.lane_bits.push_back(at.column(c));
  for (int64_t r : {1, 2, 4}) l.lane_bits.push_back(at.row(r));
  int64_t warp_m = m, warp_n = n;  // what one warp computes
  for (int w = num_warps; w > 1; w /= 2) {
    if (warp_m > 16 && (warp_m >= warp_n || warp_n <= 8))
      l.warp_bits.push_back(at.row(warp_m /= 2));
    else if (warp_n > 8)
      l.warp_bits.push_back(at.column(warp_n /= 2));
    else
      l.warp_bits.push_back(0);
  }
  const auto reg = [&](int64_t bit) {
    if (bit != 0) l.register_bits.push_back(bit);
  };
  reg(at.column(1));
  reg(at.row(8));
  for (int64_t c = 8; c < warp_n; c *= 2) reg(at.column(c));
  for (int64_t r = 16; r < warp_m; r *= 2) reg(at.row(r));
  for (int64_t b = m * n; b < shape.elements(); b *= 2) reg(b);
  return l;
}

std::pair<int64_t, int64_t> wgmma_groups(const Shape& shape, int num_warps) {
  const int64_t groups = num_warps / 4, along_m = std::min(groups, shape[0] / 64);
  return {along_m, groups / along_m};
}

TileLayout wgmma_layout(const Shape& shape, int num_warps) {
  const int64_t m = shape[0], n = shape[1];
  const auto [along_m, along_n] = wgmma_groups(shape, num_warps);
  const int64_t columns = n / along_n;
  TileLayout l;
  l.lane_bits = {2, 4, n, 2 * n, 4 * n};
  l.warp_bits = {16 * n, 32 * n};
  for (int64_t r = 64; r < 64 * along_m; r *= 2) l.warp_bits.push_back(r * n);
  for (int64_t c = columns; c < n; c *= 2) l.warp_bits.push_back(c);
  l.register_bits = {1, 8 * n};
  for (int64_t c = 8; c < columns; c *= 2) l.register_bits.push_back(c);
  for (int64_t r = 64 * along_m; r < m; r *= 2) l.register_bits.push_back(r * n);
  return l;
}

TileLayout pair_everywhere(int num_warps) {
  TileLayout l;
  l.register_bits = {1};
  l.lane_bits.assign(static_cast<size_t>(log2_of(kLanesPerWarp)), 0);
  l.warp_bits.assign(static_cast<size_t>(log2_of(num_warps)), 0);
  return l;
}

Implied before_broadcast(const TileLayout& result, const Shape& from, const Shape& to) {
  const auto strides = row_major_strides(from);
  return map_bits(result, [&](int64_t b) {
    const AxisBit a = axis_of(b, to);
    return from[a.axis] == 1 ? int64_t{0} : a.position * strides[a.axis];
  });
}

Implied before_trans(const TileLayout& result, const Shape& to, const std::vector<int64_t>& order) {
  Shape from = to;
  for (int i = 0; i < to.rank; ++i) from[static_cast<int>(order[static_cast<size_t>(i)])] = to[i];
  const auto strides = row_major_strides(from);
  return map_bits(result, [&](int64_t b) {
    const AxisBit a = axis_of(b, to);
    return a.position * strides[static_cast<size_t>(order[static_cast<size_t>(a.axis)])];
  });
}

TileLayout after_trans(const TileLayout& operand, const Shape& from, const std::vector<int64_t>& order) {
  Shape to = from;
  std::vector<int64_t> inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    to[static_cast<int>(i)] = from[static_cast<int>(order[i])];
    inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  }
  return before_trans(operand, from, inverse).layout;
}

Implied before_join(const TileLayout& result) {
  return map_bits(result, [](int64_t b) { return b >> 1; });
}
TileLayout after_join(const TileLayout& operand) {
  TileLayout l = before_split(operand);
  return l;
}

Implied before_cat(const TileLayout& result, int64_t half) {
  return map_bits(result, [&](int64_t b) { return b == half ? int64_t{0} : b; });
}
TileLayout after_cat(const TileLayout& operand, int64_t half) {
  TileLayout l = operand;
  l.register_bits.push_back(half);
  return l;
}

TileLayout before_split(const TileLayout& result) {
  TileLayout l = map_bits(result, [](int64_t b) { return b << 1; }).layout;
  l.register_bits.insert(l.register_bits.begin(), 1);
  return l;
}
std::optional<TileLayout> after_split(const TileLayout& operand) {
  if (std::find(operand.register_bits.begin(), operand.register_bits.end(), 1) == operand.register_bits.end())
    return std::nullopt;
  TileLayout l = before_join(operand).layout;
  l.flip = operand.flip >> 1;
  return l;
}

TileLayout flipped(const TileLayout& l, const Shape& shape, int axis) {
  TileLayout out = l;
  out.flip ^= (shape[axis] - 1) * row_major_strides(shape)[axis];
  return out;
}

Implied without_axis(const TileLayout& operand, const Shape& shape, int axis) {
  const int64_t inner = row_major_strides(shape)[axis], outer = inner * shape[axis];
  return map_bits(operand, [&](int64_t b) {
    if (b < inner) return b;
    return b < outer ? int64_t{0} : b / shape[axis];
  });
}

}  // namespace tilescope::gpu
