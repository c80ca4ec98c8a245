#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <thread>

#include "sim/intervals.h"

using namespace tilescope;

namespace {

constexpr uint64_t kBegin = uint64_t{1} << 44 | uint64_t{1} << 43;

/// The same counts from one counter a byte.
struct Brute {
  explicit Brute(uint64_t bytes) : times(bytes, 0) {}
  void add(const ByteRect& r) {
    for (uint64_t row = 0; row < r.rows; ++row)
      for (uint64_t b = 0; b < r.bytes; ++b) times[r.start - kBegin + row * r.stride + b] += r.times;
  }
  TouchTotals elements(int size) const {
    TouchTotals out;
    for (size_t e = 0; e < times.size(); e += static_cast<size_t>(size)) {
      uint64_t most = 0;
      for (size_t b = e; b < e + static_cast<size_t>(size); ++b) most = std::max(most, times[b]);
      if (most == 0) continue;
      ++out.elements;
      out.max = std::max(out.max, most);
      out.total += static_cast<double>(most);
      ++out.histogram[most];
    }
    return out;
  }
  uint64_t touched() const {
    return static_cast<uint64_t>(std::count_if(times.begin(), times.end(), [](uint64_t t) { return t != 0; }));
  }
  std::vector<uint64_t> times;
};

void check_same(const TouchTotals& got, const TouchTotals& expected) {
  CHECK(got.elements == expected.elements);
  CHECK(got.max == expected.max);
  CHECK(got.total == expected.total);
  CHECK(got.histogram == expected.histogram);
}

ByteRect row(uint64_t start, uint64_t bytes, uint64_t times = 1) { return {kBegin + start, bytes, 1, 0, times}; }
ByteRect rect(uint64_t start, uint64_t bytes, uint64_t rows, uint64_t stride, uint64_t times = 1) {
  return {kBegin + start, bytes, rows, stride, times};
}

ByteRect joined(ByteRect a, const ByteRect& b) {
  REQUIRE(join(a, b));
  return a;
}
bool can_join(ByteRect a, const ByteRect& b) { return join(a, b); }

}  // namespace

TEST_CASE("rectangles join along rows, along columns and in place, and only where that is exact") {
  CHECK(joined(row(0, 64), row(64, 32)) == row(0, 96));
  CHECK(joined(row(0, 64), row(256, 64)) == rect(0, 64, 2, 256));
  CHECK(joined(rect(0, 64, 4, 256), rect(64, 64, 4, 256)) == rect(0, 128, 4, 256));
  CHECK(joined(rect(0, 128, 4, 256), rect(128, 128, 4, 256)) == row(0, 1024));
  CHECK(joined(rect(0, 64, 4, 256), rect(1024, 64, 2, 256)) == rect(0, 64, 6, 256));
  CHECK(joined(rect(0, 64, 4, 256), row(1024, 64)) == rect(0, 64, 5, 256));
  CHECK(joined(row(0, 64), rect(256, 64, 3, 256)) == rect(0, 64, 4, 256));
  CHECK(joined(rect(0, 64, 4, 256, 2), rect(0, 64, 4, 256, 5)) == rect(0, 64, 4, 256, 7));
  CHECK_FALSE(can_join(row(0, 64), row(32, 64)));                            // overlap
  CHECK_FALSE(can_join(row(0, 64, 2), row(64, 64, 1)));                      // other counts
  CHECK_FALSE(can_join(rect(0, 64, 4, 256), rect(64, 64, 3, 256)));          // fewer rows
  CHECK_FALSE(can_join(rect(0, 192, 4, 256), rect(192, 128, 4, 256)));       // into the next row
  CHECK_FALSE(can_join(rect(0, 64, 4, 256), rect(1024 + 256, 64, 4, 256)));  // a row is missing
  CHECK_FALSE(can_join(rect(0, 64, 4, 256), rect(1024, 64, 4, 512)));        // another stride
}

TEST_CASE("joining never changes what is counted: random pairs of rectangles") {
  std::mt19937 random(3);
  const auto pick = [&](int n) { return static_cast<uint64_t>(random() % static_cast<unsigned>(n)); };
  const auto make = [&] {
    ByteRect r = rect(pick(8) * 4, (1 + pick(4)) * 4, 1 + pick(3), 0, 1 + pick(2));
    if (r.rows > 1) r.stride = (1 + pick(6)) * 4;
    r.flatten();
    return r;
  };
  int joins = 0;
  for (int i = 0; i < 20000; ++i) {
    const ByteRect a = make(), b = make();
    ByteRect c = a;
    if (!join(c, b)) continue;
    ++joins;
    Brute apart(256), together(256);
    apart.add(a);
    apart.add(b);
    together.add(c);
    REQUIRE(apart.times == together.times);
  }
  CHECK(joins > 300);
}

TEST_CASE("the tiles of a matmul join to whole matrices") {
  // 256 x 256 floats in tiles of 64 x 32, each tile of A loaded by 4 programs, K inside.
  std::vector<ByteRect> log;
  TouchCounts counts(kBegin, kBegin + 256 * 1024, 4);
  TouchLog touches;
  for (uint64_t m = 0; m < 4; ++m)
    for (uint64_t n = 0; n < 4; ++n) {
      ByteRect open = rect(m * 64 * 1024, 128, 64, 1024);
      for (uint64_t k = 1; k < 8; ++k) REQUIRE(join(open, rect(m * 64 * 1024 + k * 128, 128, 64, 1024)));
      CHECK(open == row(m * 64 * 1024, 64 * 1024));
      log.push_back(open);
      touches.add(open, counts);
    }
  join_all(log);
  REQUIRE(log.size() == 1);
  CHECK(log[0] == row(0, 256 * 1024, 4));
  touches.flush(counts);
  counts.settle();
  CHECK(count_elements(counts, 4).histogram == std::map<uint64_t, uint64_t>{{4, 65536}});
}

TEST_CASE("counts equal those of an array of counters: random rectangles and runs, several threads, any element size") {
  std::mt19937 random(11);
  const auto pick = [&](uint64_t n) { return random() % n; };
  for (int size : {1, 2, 4, 8})
    for (uint64_t elements : {7u, 300u, 5000u, 70000u})
      for (int narrow : {1, 2}) {
        if (size % narrow != 0) continue;
        const uint64_t bytes = elements * static_cast<uint64_t>(size), unit = static_cast<uint64_t>(size / narrow);
        TouchCounts counts(kBegin, kBegin + bytes, size);
        Brute brute(bytes);
        std::vector<TouchLog> logs(3);
        const int accesses = elements > 5000 ? 40000 : 6000;
        for (int i = 0; i < accesses; ++i) {
          TouchLog& log = logs[pick(3)];
          ByteRect r = row(pick(bytes / unit) * unit, 0, 1 + pick(2));
          const uint64_t left = kBegin + bytes - r.start;
          r.bytes = std::min(left, (1 + pick(9)) * unit);
          if (pick(2) == 0) {
            r.times = 1;
            log.add_run(r.start, r.start + r.bytes, counts);
          } else {
            r.stride = (1 + pick(40)) * unit;
            r.rows = 1 + pick(std::min<uint64_t>(8, (left - r.bytes) / r.stride + 1));
            if (r.rows == 1) r.stride = 0;
            r.flatten();
            log.add(r, counts);
          }
          brute.add(r);
        }
        logs[0].take(logs[1], counts);
        logs[0].flush(counts);
        logs[2].flush(counts);
        counts.settle();
        CAPTURE(size);
        CAPTURE(elements);
        CAPTURE(narrow);
        check_same(count_elements(counts, size), brute.elements(size));
        const TouchCounts none(kBegin, kBegin + bytes, size);
        CHECK(count_bytes(counts, none) == brute.touched());
        CHECK(count_bytes(counts, counts) == brute.touched());
      }
}

TEST_CASE("a random gather ends in one difference an element; its memory does not grow with the number of accesses") {
  constexpr uint64_t kElements = 1 << 16;
  TouchCounts counts(kBegin, kBegin + kElements * 4, 4);
  TouchLog log;
  Brute brute(kElements * 4);
  std::mt19937 random(5);
  size_t memory = 0;
  for (int i = 0; i < 400000; ++i) {
    const ByteRect r = row(random() % kElements * 4, 4);
    log.add_run(r.start, r.start + 4, counts);
    brute.add(r);
    if (i == 200000) memory = counts.memory_bytes() + log.memory_bytes();
  }
  CHECK(counts.memory_bytes() + log.memory_bytes() <= memory);
  log.flush(counts);
  counts.settle();
  CHECK(counts.is_dense());
  check_same(count_elements(counts, 4), brute.elements(4));
}

TEST_CASE("a million programs that each load the next block leave one rectangle") {
  TouchCounts counts(kBegin, kBegin + (uint64_t{1} << 32), 4);
  TouchLog log;
  for (uint64_t i = 0; i < 1000000; ++i) log.add(row(i * 4096, 4096), counts);
  CHECK(log.memory_bytes() < 1000);
  log.flush(counts);
  counts.settle();
  CHECK(count_elements(counts, 4).histogram == std::map<uint64_t, uint64_t>{{1, 1024000000}});
}

TEST_CASE("counts go beyond 32 bits") {
  TouchCounts counts(kBegin, kBegin + 64, 4);
  TouchLog log;
  log.add(row(0, 32, uint64_t{3} << 32), counts);
  log.add(row(16, 32, uint64_t{1} << 33), counts);
  log.flush(counts);
  counts.settle();
  const TouchTotals c = count_elements(counts, 4);
  CHECK(c.histogram ==
        std::map<uint64_t, uint64_t>{{uint64_t{3} << 32, 4}, {uint64_t{5} << 32, 4}, {uint64_t{1} << 33, 4}});
  CHECK(c.max == uint64_t{5} << 32);
}

TEST_CASE("bytes touched by loads or by stores count once") {
  TouchCounts loads(kBegin, kBegin + 1024, 4), stores(kBegin, kBegin + 1024, 4);
  loads.add({{kBegin + 0, 1}, {kBegin + 100, -1}, {kBegin + 400, 1}, {kBegin + 500, -1}});
  stores.add({{kBegin + 50, 2}, {kBegin + 60, 1}, {kBegin + 200, -3}, {kBegin + 500, 1}, {kBegin + 512, -1}});
  loads.settle();
  stores.settle();
  CHECK(count_bytes(loads, stores) == 200 + 112);
}

TEST_CASE("threads may add to one tensor's counts at the same time") {
  TouchCounts counts(kBegin, kBegin + (1 << 20), 4);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      TouchLog log;
      std::mt19937 random(t);
      for (int i = 0; i < 60000; ++i) {
        const uint64_t start = kBegin + random() % (1 << 18) * 4;
        log.add_run(start, start + 4, counts);
      }
      log.flush(counts);
    });
  for (std::thread& t : threads) t.join();
  counts.settle();
  CHECK(count_elements(counts, 4).total == 180000);
}
