#include "sim/cost/l2_cache.h"

#include <algorithm>
#include <bit>

#include "sim/cost/deal.h"

namespace tilescope::cost {
namespace {

constexpr int64_t kFewestSets = 64;  // that are simulated, where the cache has as many

int count(uint16_t sectors) { return std::popcount(sectors); }

}  // namespace

CacheShape cache_shape(const GpuDescription& gpu, int64_t sample) {
  CacheShape s;
  s.partitions = gpu.l2_partitions;
  s.ways = gpu.l2_ways;
  s.line_bytes = gpu.l2_line_bytes;
  s.sets = std::max<int64_t>(1, gpu.l2_bytes / gpu.l2_partitions / gpu.l2_line_bytes / gpu.l2_ways);
  s.sampled_sets = std::clamp<int64_t>(s.sets / std::max<int64_t>(1, sample), std::min(kFewestSets, s.sets), s.sets);
  return s;
}

bool place_line(uint64_t number, const CacheShape& shape, CacheLine& out) {
  uint64_t h = mix_bits(number);
  // The high half times the number of sets, cut off: uniform, whatever the number.
  out.set = static_cast<uint32_t>(((h >> 32) * static_cast<uint64_t>(shape.sets)) >> 32);
  if (out.set >= static_cast<uint64_t>(shape.sampled_sets)) return false;
  uint64_t other = mix_bits(h);
  out.home = static_cast<uint16_t>((h & 0xffff) * static_cast<uint64_t>(shape.partitions) >> 16);
  out.tag = static_cast<uint32_t>(other) | 1;  // never 0; two of the lines of a set do not meet in practice
  return true;
}

L2Cache::L2Cache(const CacheShape& shape, int tensors)
    : shape_(shape),
      entries_(static_cast<size_t>(shape.partitions) * shape.sampled_sets * shape.ways),
      written_(static_cast<size_t>(tensors) + 1) {}

L2Cache::Entry& L2Cache::touch(int partition, const CacheLine& line) {
  Entry* set = set_of(partition, line);
  int at = 0;
  while (at < shape_.ways && set[at].tag != line.tag) ++at;
  Entry found;
  if (at < shape_.ways) {
    if (at == 0) return set[0];
    found = set[at];
  } else {
    at = shape_.ways - 1;
    written_[set[at].tensor] += count(set[at].dirty);
    found.tag = line.tag;
  }
  std::move_backward(set, set + at, set + at + 1);
  set[0] = found;
  return set[0];
}

void L2Cache::load(int partition, const CacheLine& line, CacheCounts& counts) {
  Entry& near = touch(partition, line);
  uint16_t missing = line.sectors & ~near.valid;
  near.valid |= line.sectors;
  counts.asked += count(line.sectors);
  counts.hit += count(line.sectors) - count(missing);
  if (missing == 0) return;
  if (line.home != partition) {
    Entry& home = touch(line.home, line);
    uint16_t absent = missing & ~home.valid;
    home.valid |= missing;
    counts.far_asked += count(missing);
    counts.far_hit += count(missing) - count(absent);
    missing = absent;
  }
  counts.dram_read += count(missing);
}

void L2Cache::store(int partition, const CacheLine& line, int tensor, CacheCounts& counts) {
  int n = count(line.sectors);
  counts.asked += n, counts.hit += n;
  if (line.home != partition) counts.far_asked += n, counts.far_hit += n;
  Entry& home = touch(line.home, line);
  home.valid |= line.sectors;
  home.dirty |= line.sectors;
  home.tensor = tensor;
}

void L2Cache::atomic(int partition, const CacheLine& line, int tensor, CacheCounts& counts) {
  Entry& home = touch(line.home, line);
  uint16_t missing = line.sectors & ~home.valid;
  int n = count(line.sectors);
  counts.asked += n;
  if (line.home != partition) {
    counts.hit += n;  // its own partition only passes it on
    counts.far_asked += n;
    counts.far_hit += n - count(missing);
  } else {
    counts.hit += n - count(missing);
  }
  counts.dram_read += count(missing);
  home.valid |= line.sectors;
  home.dirty |= line.sectors;
  home.tensor = tensor;
}

void L2Cache::flush() {
  for (Entry& e : entries_) {
    written_[e.tensor] += count(e.dirty);
    e.dirty = 0;
  }
}

}  // namespace tilescope::cost
