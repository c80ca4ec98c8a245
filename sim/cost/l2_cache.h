// The L2 of a GPU: partitions that each cache what their own SMs ask for, set-associative, filled by 32-byte sectors. Only
// some of the sets are simulated, chosen by the hash of a line's address; counts are then scaled up.
//
// A line has a home partition (that of its memory controller). An SM asks its own partition; a sector that is missing there
// comes from DRAM when this is its home, else it is asked of the home partition, which counts a second time and keeps the
// line too. Stores and atomics are done at home, and written to DRAM when the line leaves or the launch ends.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/cost/gpu_description.h"

namespace tilescope::cost {

struct CacheShape {
  int partitions = 1, ways = 16;
  int64_t line_bytes = 128;
  int64_t sets = 1;          ///< of one partition
  int64_t sampled_sets = 1;  ///< of them simulated
  double scale() const { return static_cast<double>(sets) / static_cast<double>(sampled_sets); }
};

/// The nominal capacity, with one set in `sample` simulated.
CacheShape cache_shape(const GpuDescription& gpu, int64_t sample);

/// What an access touches of one line.
struct CacheLine {
  uint32_t tag = 0, set = 0;
  uint16_t sectors = 0;  ///< bits
  uint16_t home = 0;     ///< partition
};

/// The line at that number (address / line bytes), all but its sectors. Returns false when its set is not simulated.
bool place_line(uint64_t number, const CacheShape& shape, CacheLine& out);

/// Sectors.
struct CacheCounts {
  uint64_t asked = 0, hit = 0;          ///< of the SM's own partition
  uint64_t far_asked = 0, far_hit = 0;  ///< of the home partition, after a miss
  uint64_t dram_read = 0;
  CacheCounts& operator+=(const CacheCounts& o) {
    asked += o.asked, hit += o.hit, far_asked += o.far_asked, far_hit += o.far_hit, dram_read += o.dram_read;
    return *this;
  }
};

class L2Cache {
 public:
  L2Cache(const CacheShape& shape, int tensors);

  void load(int partition, const CacheLine& line, CacheCounts& counts);
  void store(int partition, const CacheLine& line, int tensor, CacheCounts& counts);
  void atomic(int partition, const CacheLine& line, int tensor, CacheCounts& counts);
  /// Writes back what is left.
  void flush();
  /// Sectors written to DRAM, by tensor.
  const std::vector<uint64_t>& written() const { return written_; }

 private:
  struct Entry {
    uint32_t tag = 0;  ///< 0: empty
    uint16_t valid = 0, dirty = 0;
    int32_t tensor = 0;
  };
  Entry* set_of(int partition, const CacheLine& line) {
    return entries_.data() + (static_cast<size_t>(partition) * shape_.sampled_sets + line.set) * shape_.ways;
  }
  /// The line's entry, made the most recently used; the least recently used one leaves for it.
  Entry& touch(int partition, const CacheLine& line);

  CacheShape shape_;
  std::vector<Entry> entries_;  ///< of a set: the most recently used first
  std::vector<uint64_t> written_;
};

}  // namespace tilescope::cost
