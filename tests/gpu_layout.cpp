// Layouts of tiles over threads: every element is held, and moving elements means what the op says.
#include <doctest/doctest.h>

#include <set>

#include "gpu/tile_layout.h"

namespace tilescope::gpu {
namespace {

constexpr int kLanes = 32;

template <class Fn>
void for_each_register(const TileLayout& l, Fn&& fn) {
  const int warps = 1 << l.warp_bits.size();
  for (int w = 0; w < warps; ++w)
    for (int lane = 0; lane < kLanes; ++lane)
      for (int r = 0; r < l.registers(); ++r) fn(r, lane, w);
}

bool covers(const TileLayout& l, int64_t elements) {
  std::set<int64_t> held;
  for_each_register(l, [&](int r, int lane, int w) { held.insert(l.element_of(r, lane, w)); });
  return static_cast<int64_t>(held.size()) == elements && *held.begin() == 0 && *held.rbegin() == elements - 1;
}

int mapped(const std::vector<int64_t>& map, int r) {
  int64_t out = 0;
  for (size_t i = 0; i < map.size(); ++i)
    if (r >> i & 1) out += map[i];
  return static_cast<int>(out);
}

const Shape kShapes[] = {{1},     {2},     {64},    {1024},     {1, 1},     {16, 8},
                         {8, 16}, {64, 4}, {4, 64}, {128, 128}, {2, 8, 16}, {4, 1, 32}};
constexpr int kWarps[] = {1, 2, 4, 8};

TEST_CASE("default and accumulator layouts hold every element, whatever the shape and the number of warps") {
  for (const Shape& s : kShapes)
    for (int warps : kWarps) {
      CAPTURE(to_string(s));
      CAPTURE(warps);
      CHECK(covers(default_layout(Type::tile(DType::Float32, s), warps), s.elements()));
      if (s.rank >= 2) CHECK(covers(mma_layout(s, warps), s.elements()));
    }
}

TEST_CASE("under wgmma four warps take 64 rows, and groups of four divide the rows before the columns") {
  for (const Shape& s : {Shape{64, 64}, Shape{64, 256}, Shape{128, 64}, Shape{256, 128}})
    for (int warps : {4, 8, 16}) {
      CAPTURE(to_string(s));
      CAPTURE(warps);
      const TileLayout l = wgmma_layout(s, warps);
      const auto [along_m, along_n] = wgmma_groups(s, warps);
      CHECK(covers(l, s.elements()));
      CHECK(along_m * along_n == warps / 4);
      CHECK(l.registers() * 32 * warps == s.elements());
      for_each_register(l, [&](int r, int lane, int w) {
        const int64_t e = l.element_of(r, lane, w), row = e / s[1], column = e % s[1];
        // Registers run along the columns first: (row g, columns 2q and 2q + 1), (row g + 8, the same), the next 8
        // columns.
        const int64_t per_step = s[1] / along_n / 2, i = r % per_step;
        CHECK(row % 64 == w % 4 * 16 + lane / 4 + i / 2 % 2 * 8);
        CHECK(column % (s[1] / along_n) == lane % 4 * 2 + i % 2 + i / 4 * 8);
      });
    }
}

TEST_CASE("an accumulator of 16 x 8 lies in a warp as mma.sync m16n8 has it") {
  const TileLayout l = mma_layout({16, 8}, 1);
  for (int lane = 0; lane < kLanes; ++lane)
    for (int i = 0; i < 4; ++i) CHECK(l.element_of(i, lane, 0) == (lane / 4 + 8 * (i / 2)) * 8 + lane % 4 * 2 + i % 2);
}

TEST_CASE("a transposed tile holds in each register the element that the permutation says") {
  for (int warps : kWarps) {
    const Shape from{2, 8, 16}, to{16, 2, 8};
    const std::vector<int64_t> order = {2, 0, 1};
    const TileLayout result = default_layout(Type::tile(DType::Float16, to), warps);
    const Implied operand = before_trans(result, to, order);
    CHECK(covers(operand.layout, from.elements()));
    CHECK(after_trans(operand.layout, from, order) == result);
    for_each_register(result, [&](int r, int lane, int w) {
      const int64_t e = result.element_of(r, lane, w), i = e / 16, j = e / 8 % 2, k = e % 8;
      CHECK(operand.layout.element_of(mapped(operand.map, r), lane, w) == j * 128 + k * 16 + i);
    });
  }
}

TEST_CASE("a broadcast axis costs nothing: its operand's registers are shared") {
  const Shape from{8, 1}, to{8, 64};
  for (int warps : kWarps) {
    const TileLayout result = default_layout(Type::tile(DType::Float32, to), warps);
    const Implied operand = before_broadcast(result, from, to);
    CHECK(covers(operand.layout, 8));
    for_each_register(result, [&](int r, int lane, int w) {
      CHECK(operand.layout.element_of(mapped(operand.map, r), lane, w) == result.element_of(r, lane, w) / 64);
    });
  }
}

TEST_CASE("join, cat, split and flip find their operand's registers") {
  for (int warps : kWarps) {
    const TileLayout whole = default_layout(Type::tile(DType::Float32, {32, 2}), warps);
    const Implied joined = before_join(whole), halved = before_cat(whole, 32);
    for_each_register(whole, [&](int r, int lane, int w) {
      const int64_t e = whole.element_of(r, lane, w);
      CHECK(joined.layout.element_of(mapped(joined.map, r), lane, w) == e / 2);
      CHECK(halved.layout.element_of(mapped(halved.map, r), lane, w) == e % 32);
    });
    const TileLayout part = default_layout(Type::tile(DType::Float32, {32}), warps), pair = before_split(part);
    CHECK(covers(pair, 64));
    CHECK(after_split(pair) == part);
    for_each_register(part, [&](int r, int lane, int w) {
      for (int s : {0, 1}) CHECK(pair.element_of(2 * r + s, lane, w) == 2 * part.element_of(r, lane, w) + s);
    });
    const TileLayout back = flipped(whole, {32, 2}, 0);
    CHECK(flipped(back, {32, 2}, 0) == whole);
    for_each_register(whole, [&](int r, int lane, int w) {
      const int64_t e = whole.element_of(r, lane, w);
      CHECK(back.element_of(r, lane, w) == (31 - e / 2) * 2 + e % 2);
    });
  }
}

TEST_CASE("a reduced axis leaves copies in the threads that lay along it") {
  for (int axis : {0, 1}) {
    const Shape s{16, 64};
    const TileLayout l = default_layout(Type::tile(DType::Float32, s), 4);
    const Implied rest = without_axis(l, s, axis);
    CHECK(covers(rest.layout, axis == 0 ? 64 : 16));
    for_each_register(l, [&](int r, int lane, int w) {
      const int64_t e = l.element_of(r, lane, w);
      CHECK(rest.layout.element_of(mapped(rest.map, r), lane, w) == (axis == 0 ? e % 64 : e / 64));
    });
  }
}

}  // namespace
}  // namespace tilescope::gpu
