// Shape and collective operations in grids of several programs with data of their own.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "tests/property/grids.h"

namespace tilescope::testing {
namespace {

using Tile = std::function<Numbers(const Numbers&, const Numbers&)>;

TileCase tile_case(const std::string& body, int64_t results, Tile expected, DType t = DType::Int32) {
  TileCase c;
  c.body = body;
  c.in = c.out = t;
  c.results = results;
  c.expected = std::move(expected);
  return c;
}

/// z[k] = f(x, y, k).
Tile each(int64_t results, std::function<double(const Numbers&, const Numbers&, size_t)> f) {
  return [results, f](const Numbers& x, const Numbers& y) {
    Numbers z;
    for (size_t k = 0; k < static_cast<size_t>(results); ++k) z.push_back(f(x, y, k));
    return z;
  };
}

double total(const Numbers& x, size_t from, size_t to) {
  return std::accumulate(x.begin() + static_cast<int64_t>(from), x.begin() + static_cast<int64_t>(to), 0.0);
}

}  // namespace

void shape_grids(OpSet& ops) {
  const std::vector<TileCase> cases = {
      tile_case("z = x + tl.full((16,), 7, tl.int32)", 16,
                each(16, [](const Numbers& x, const Numbers&, size_t k) { return x[k] + 7; })),
      tile_case(
          "z = tl.reshape(tl.expand_dims(x, 1) + tl.arange(0, 2)[None, :], (32,))", 32,
          each(32, [](const Numbers& x, const Numbers&, size_t k) { return x[k / 2] + static_cast<double>(k % 2); })),
      tile_case("z = tl.reshape(tl.trans(tl.reshape(x, (2, 8))), (16,))", 16,
                each(16, [](const Numbers& x, const Numbers&, size_t k) { return x[k % 2 * 8 + k / 2]; })),
      tile_case(
          "z = tl.reshape(tl.permute(tl.reshape(x, (2, 4, 2)), 2, 0, 1), (16,))", 16,
          each(16, [](const Numbers& x, const Numbers&, size_t k) { return x[k / 4 % 2 * 8 + k % 4 * 2 + k / 8]; })),
      tile_case("z = tl.reshape(tl.join(x, y), (32,))", 32,
                each(32, [](const Numbers& x, const Numbers& y, size_t k) { return (k % 2 == 0 ? x : y)[k / 2]; })),
      tile_case("a, b = tl.split(tl.reshape(x, (8, 2)))\n    z = a * 1000 + b", 8,
                each(8, [](const Numbers& x, const Numbers&, size_t k) { return x[2 * k] * 1000 + x[2 * k + 1]; })),
      tile_case("z = tl.cat(x, y, can_reorder=True)", 32,
                each(32, [](const Numbers& x, const Numbers& y, size_t k) { return (k % 2 == 0 ? x : y)[k / 2]; })),
      tile_case("z = tl.flip(x, 0)", 16,
                each(16, [](const Numbers& x, const Numbers&, size_t k) { return x[15 - k]; })),
      tile_case("z = tl.reshape(tl.flip(tl.reshape(x, (4, 4)), 0), (16,))", 16,
                each(16, [](const Numbers& x, const Numbers&, size_t k) { return x[(3 - k / 4) * 4 + k % 4]; })),
      tile_case("z = tl.gather(x, (tl.abs(y) * 5) & 15, 0)", 16,
                each(16, [](const Numbers& x, const Numbers& y,
                            size_t k) { return x[static_cast<size_t>(std::fabs(y[k]) * 5) & 15]; })),
      tile_case("z = tl.reshape(tl.gather(tl.reshape(x, (4, 4)), tl.reshape(tl.abs(y) & 3, (4, 4)), 1), (16,))", 16,
                each(16, [](const Numbers& x, const Numbers& y,
                            size_t k) { return x[k / 4 * 4 + (static_cast<size_t>(std::fabs(y[k])) & 3)]; })),
  };
  for (const TileCase& c : cases) check_tile_case(c, ops);
}

namespace {

std::vector<TileCase> reductions() {
  const auto largest = [](const Numbers& x) { return *std::max_element(x.begin(), x.end()); };
  const auto smallest = [](const Numbers& x) { return *std::min_element(x.begin(), x.end()); };
  const auto place = [](const Numbers& x, double v) {
    return static_cast<double>(std::find(x.begin(), x.end(), v) - x.begin());
  };
  return {
      tile_case("z = tl.sum(x)", 1, [](const Numbers& x, const Numbers&) { return Numbers{total(x, 0, 16)}; }),
      tile_case("z = tl.sum(tl.reshape(x, (4, 4)), axis=1)", 4,
                each(4, [](const Numbers& x, const Numbers&, size_t k) { return total(x, 4 * k, 4 * k + 4); })),
      tile_case(
          "z = tl.sum(tl.reshape(x, (4, 4)), axis=0)", 4,
          each(4, [](const Numbers& x, const Numbers&, size_t k) { return x[k] + x[k + 4] + x[k + 8] + x[k + 12]; })),
      tile_case("z = tl.max(x) * 1000 + tl.min(x)", 1,
                [=](const Numbers& x, const Numbers&) { return Numbers{largest(x) * 1000 + smallest(x)}; }),
      tile_case("z = tl.argmax(x, 0) * 100 + tl.argmin(x, 0)", 1,
                [=](const Numbers& x, const Numbers&) {
                  return Numbers{place(x, largest(x)) * 100 + place(x, smallest(x))};
                }),
      tile_case("z = tl.xor_sum(x)", 1,
                [](const Numbers& x, const Numbers&) {
                  int32_t all = 0;
                  for (double v : x) all ^= static_cast<int32_t>(v);
                  return Numbers{static_cast<double>(all)};
                }),
      tile_case("z = tl.cumsum(x, 0)", 16,
                each(16, [](const Numbers& x, const Numbers&, size_t k) { return total(x, 0, k + 1); })),
      tile_case("z = tl.cumsum(x, 0, reverse=True)", 16,
                each(16, [](const Numbers& x, const Numbers&, size_t k) { return total(x, k, 16); })),
      tile_case("z = tl.reshape(tl.cumsum(tl.reshape(x, (4, 4)), 1), (16,))", 16,
                each(16, [](const Numbers& x, const Numbers&, size_t k) { return total(x, k / 4 * 4, k + 1); })),
      tile_case("z = tl.cumprod((x & 1) + 1, 0)", 16,
                each(16,
                     [](const Numbers& x, const Numbers&, size_t k) {
                       double p = 1;
                       for (size_t l = 0; l <= k; ++l) p *= (static_cast<int>(x[l]) & 1) + 1;
                       return p;
                     })),
  };
}

std::vector<TileCase> orders() {
  const auto sorted = [](Numbers x, bool down) {
    std::sort(x.begin(), x.end());
    if (down) std::reverse(x.begin(), x.end());
    return x;
  };
  std::vector<TileCase> out = {
      tile_case("z = tl.sort(x)", 16, [=](const Numbers& x, const Numbers&) { return sorted(x, false); }),
      tile_case("z = tl.sort(x, descending=True)", 16,
                [=](const Numbers& x, const Numbers&) { return sorted(x, true); }),
      tile_case("z = tl.topk(x, 4)", 4,
                [=](const Numbers& x, const Numbers&) {
                  Numbers z = sorted(x, true);
                  z.resize(4);
                  return z;
                }),
      tile_case(
          "z = tl.sort(x)", 16, [=](const Numbers& x, const Numbers&) { return sorted(x, false); }, DType::Float32),
      tile_case("z = tl.histogram(tl.abs(x), 64)", 64,
                each(64,
                     [](const Numbers& x, const Numbers&, size_t k) {
                       return static_cast<double>(std::count_if(
                           x.begin(), x.end(), [&](double v) { return std::fabs(v) == static_cast<double>(k); }));
                     })),
      tile_case("z = tl.histogram(tl.abs(x), 8, mask=x < 0)", 8,
                each(8,
                     [](const Numbers& x, const Numbers&, size_t k) {
                       return static_cast<double>(std::count(x.begin(), x.end(), -static_cast<double>(k))) *
                              (k > 0 ? 1 : 0);
                     })),
  };
  return out;
}

/// Digits of a number, which tell the order in which a combine function saw its lanes.
std::vector<TileCase> user_functions() {
  TileCase reduce = tile_case("z = tl.reduce(x, 0, left_heavy)", 1, [](Numbers x, const Numbers&) {
    for (; x.size() > 1;) {
      Numbers next;
      for (size_t k = 0; k < x.size(); k += 2) next.push_back(2 * x[k] - x[k + 1]);
      x = next;
    }
    return x;
  });
  reduce.helpers = "def left_heavy(a, b):\n    return 2 * a - b\n";
  TileCase pair = tile_case("best, at = tl.reduce((x, i), 0, keep_larger)\n    z = best * 100 + at", 1,
                            [](const Numbers& x, const Numbers&) {
                              const auto at = std::max_element(x.begin(), x.end());
                              return Numbers{*at * 100 + static_cast<double>(at - x.begin())};
                            });
  pair.helpers =
      "def keep_larger(a, i, b, j):\n    left = (a > b) | ((a == b) & (i < j))\n    return tl.where(left, a, b), "
      "tl.where(left, i, j)\n";
  TileCase scan =
      tile_case("z = tl.associative_scan(x, 0, keep_max)", 16, each(16, [](const Numbers& x, const Numbers&, size_t k) {
                  return *std::max_element(x.begin(), x.begin() + static_cast<int64_t>(k) + 1);
                }));
  scan.helpers = "def keep_max(a, b):\n    return tl.maximum(a, b)\n";
  return {reduce, pair, scan};
}

/// x times y as square matrices: small numbers, so that the sum is exact in every type.
TileCase product(DType t, const std::string& options) {
  TileCase c;
  c.in = t;
  c.out = t == DType::Float64 ? t : is_float(t) ? DType::Float32 : DType::Int32;
  const bool bytes = dtype_bits(t) == 8;
  c.lanes = bytes ? 1024 : 256;
  c.results = bytes ? 1024 : 256;
  const size_t n = bytes ? 32 : 16;
  const std::string side = std::to_string(n);
  c.body = "z = tl.reshape(tl.dot(tl.reshape(x, (" + side + ", " + side + ")), tl.reshape(y, (" + side + ", " + side +
           "))" + options + "), (" + std::to_string(n * n) + ",))";
  c.expected = [n](const Numbers& x, const Numbers& y) {
    Numbers z;
    for (size_t r = 0; r < n; ++r)
      for (size_t k = 0; k < n; ++k) {
        double sum = 0;
        for (size_t q = 0; q < n; ++q) sum += x[r * n + q] * y[q * n + k];
        z.push_back(sum);
      }
    return z;
  };
  return c;
}

}  // namespace

void collective_grids(OpSet& ops) {
  for (const auto& list : {reductions(), orders(), user_functions()})
    for (const TileCase& c : list) check_tile_case(c, ops);
  for (DType t : {DType::Float16, DType::BFloat16, DType::Float32, DType::Float64, DType::Int8})
    check_tile_case(product(t, t == DType::Float64 ? ", out_dtype=tl.float64"
                               : t == DType::Int8  ? ", out_dtype=tl.int32"
                                                   : ""),
                    ops);
  check_tile_case(product(DType::Float32, ", input_precision=\"ieee\""), ops);
}

TEST_CASE("shape ops work in every program of a grid on that program's tile") {
  OpSet ops;
  shape_grids(ops);
  CHECK(ops.count(OpCode::Gather) == 1);
}

TEST_CASE("reductions, scans, sorting, histograms and dots work in every program of a grid on that program's tile") {
  OpSet ops;
  collective_grids(ops);
  CHECK(ops.count(OpCode::Histogram) == 1);
}

}  // namespace tilescope::testing
