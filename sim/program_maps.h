// Which part of every tensor each program of a launch loads and stores: filled beside the counters, when asked for.
#pragma once

#include <cstdint>
#include <vector>

#include "core/trace.h"
#include "sim/coalesce.h"
#include "sim/index_map.h"
#include "sim/intervals.h"
#include "sim/memory.h"

namespace tilescope {

/// Shared by the threads of a launch: each writes to the programs that it runs.
class ProgramMaps {
 public:
  /// Larger grids have no footprints: nobody could look at them.
  static constexpr int64_t kMostPrograms = int64_t{1} << 18;

  /// Keeps the footprints of programs 0 .. programs - 1.
  ProgramMaps(const Memory& memory, int64_t programs);

  void count(int64_t program, int tensor, int64_t on, int64_t masked) {
    if (program >= programs_) return;
    int64_t* c = row(program, tensor);
    c[0] += on;
    c[1] += masked;
  }
  /// As Recorder::affine; `cost` of the same access.
  void affine(int64_t program, int tensor, bool stores, const TileType& tile, uint64_t base, const int64_t* strides,
              const Box& on, const AccessCost& cost);
  /// Bytes [start, end) of the tensor.
  void run(int64_t program, int tensor, bool stores, uint64_t start, uint64_t end);

  void report(RunTrace& trace) const;

 private:
  // Of one program and tensor: lanes on, lanes masked, then lo and hi along each axis of what was loaded and stored.
  int64_t* row(int64_t program, int tensor) {
    return data_.data() + program * row_size_ + offsets_[static_cast<size_t>(tensor)];
  }
  void grow(int64_t program, int tensor, bool stores, const IndexRange& r);

  const Memory& memory_;
  std::vector<IndexMap> maps_;
  std::vector<int64_t> offsets_;  ///< of the tensors within a program's part
  int64_t row_size_ = 0, programs_ = 0;
  std::vector<int64_t> data_;
};

/// How often each element was touched, or the largest count of each group of elements; empty when nothing was.
std::vector<uint32_t> expand_counts(const TouchCounts& counts, int elem_bytes, int64_t elements_per_count);
/// Elements that share a count in a tensor of so many elements.
int64_t elements_per_count(int64_t elements);

}  // namespace tilescope
