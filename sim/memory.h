// The virtual address space of a launch: every tensor argument has a neighbourhood of 2^44 bytes of its own, so an
// address knows its tensor, also when it was loaded from memory, cast to an integer and back, or computed past the end.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tensor.h"

namespace tilescope {

/// One tensor's place in the address space.
struct TensorRange {
  Tensor* tensor = nullptr;
  int index = 0;
  uint64_t begin = 0, end = 0;  ///< virtual byte addresses of the storage, half open
  uint64_t origin = 0;          ///< of logical index 0: what the kernel's pointer argument holds
  uint64_t to_host = 0;         ///< host address = virtual address + to_host, wrapping
  int elem_bytes = 4;
  bool backed = true;           ///< false: there is no storage, only addresses; values read as 0 and are not kept
  bool has_gaps = false;        ///< some elements of the storage belong to no logical index
  std::vector<bool> reachable;  ///< with gaps: one flag an element of the storage
  std::vector<uint8_t> written; ///< one byte an element while the tensor started uninitialised; else empty

  std::byte* host(uint64_t address) const { return reinterpret_cast<std::byte*>(address + to_host); }
  /// `bytes` bytes at `address` lie in the storage and touch reachable elements only.
  bool holds(uint64_t address, int64_t bytes) const {
    const uint64_t offset = address - begin;
    if (offset >= end - begin || static_cast<uint64_t>(bytes) > end - begin - offset) return false;
    return !has_gaps || all_reachable(address, bytes);
  }
  bool all_reachable(uint64_t address, int64_t bytes) const;
  /// All elements that these bytes touch have been stored. The bytes lie in the storage.
  bool all_written(uint64_t address, int64_t bytes) const;
  void mark_written(uint64_t address, int64_t bytes);
  /// Element offset relative to logical index 0, rounded down; outside the tensor as well.
  int64_t element_offset(uint64_t address) const;
};

class Memory {
 public:
  static constexpr int kRegionBits = 44;

  /// Adds a tensor, or finds it again (two arguments may be one tensor). Returns its index.
  /// `track` keeps the shadow of an uninitialised tensor: needed when something may load from it.
  int add(Tensor* tensor, bool track);

  /// Adds a tensor that has no storage: its addresses are as if it had, and are never read or written. Gaps of a strided
  /// tensor count as its memory.
  int add_virtual(Tensor* tensor);

  /// The tensor in whose neighbourhood the address lies, or null.
  TensorRange* find(uint64_t address) {
    const uint64_t region = (address >> kRegionBits) - 1;
    return region < ranges_.size() ? &ranges_[region] : nullptr;
  }
  TensorRange& range(int index) { return ranges_[static_cast<size_t>(index)]; }
  const TensorRange& range(int index) const { return ranges_[static_cast<size_t>(index)]; }
  int size() const { return static_cast<int>(ranges_.size()); }
  /// Leaves the shadows to the tensors: the launch is not over yet (Tensor::written).
  void keep_written();

 private:
  TensorRange& place(Tensor* tensor, uint64_t bytes);

  std::vector<TensorRange> ranges_;
};

}  // namespace tilescope
