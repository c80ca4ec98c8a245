// Values of tiles at run time: how the lanes of a tile are held, and the pool that owns their storage.
//
// A tile is held in the cheapest form that says exactly what its lanes are: one value for all lanes, an affine function
// of the index, a box of true lanes, or lanes in memory (the pool's, or a tensor's own). Lanes are written out only when
// a consumer needs them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "core/types.h"

namespace tilescope {

/// Half-open ranges of the index along each axis.
struct Box {
  std::array<int32_t, kMaxRank> lo{}, hi{};

  bool empty(int rank) const {
    for (int i = 0; i < rank; ++i)
      if (lo[i] >= hi[i]) return true;
    return false;
  }
  int64_t lanes(int rank) const {
    int64_t n = 1;
    for (int i = 0; i < rank; ++i) n *= hi[i] > lo[i] ? hi[i] - lo[i] : 0;
    return n;
  }
  bool contains(const Box& other, int rank) const {
    for (int i = 0; i < rank; ++i)
      if (other.lo[i] < lo[i] || other.hi[i] > hi[i]) return other.empty(rank);
    return true;
  }
  void intersect(const Box& other, int rank) {
    for (int i = 0; i < rank; ++i) {
      if (other.lo[i] > lo[i]) lo[i] = other.lo[i];
      if (other.hi[i] < hi[i]) hi[i] = other.hi[i];
    }
  }
};

/// Static facts about a tile value. `row_major` are the byte strides of a contiguous tile.
struct TileType {
  DType dtype = DType::Int32;  ///< element type; UInt64 for pointers
  bool pointer = false;
  int elem_bytes = 4;
  int rank = 0;
  int64_t elements = 1;
  std::array<int64_t, kMaxRank> dims{};
  std::array<int64_t, kMaxRank> row_major{};
  Box whole;                    ///< every lane
  int64_t lowest = 0, highest = 0;  ///< integers: the values that the type holds, as far as int64 goes
  int unused_bits = 0;          ///< 64 minus the width
  bool is_signed = false;

  /// Sign- or zero-extends an integer of this type.
  uint64_t wrap(uint64_t x) const {
    return is_signed ? static_cast<uint64_t>(wrap_stride(x)) : x << unused_bits >> unused_bits;
  }
  /// Strides are always kept sign-extended, so that a falling sequence of unsigned numbers has a negative stride.
  int64_t wrap_stride(uint64_t x) const { return static_cast<int64_t>(x << unused_bits) >> unused_bits; }
};
TileType tile_type(const Type& t);

/// A piece of pool memory, shared by the tiles that look into it.
struct Storage {
  std::byte* data = nullptr;
  int32_t references = 0;
  int32_t size_class = 0;
  Storage* next_free = nullptr;
};

enum class TileKind : uint8_t {
  None,     ///< not computed, or already released
  Uniform,  ///< `bits` in every lane
  Affine,   ///< integers and pointers: bits + sum(index[i] * stride[i]), wrapped to the element type
  Mask,     ///< int1: true inside `box`
  Memory,   ///< lanes at data + sum(index[i] * stride[i]) bytes
};

enum class PoisonKind : uint8_t {
  Clean,
  Outside,  ///< the lanes outside `clean` are poisoned
  Lanes,    ///< one byte a lane, row-major, in `poison_lanes`
};

struct Tile {
  TileKind kind = TileKind::None;
  PoisonKind poison = PoisonKind::Clean;
  bool row_major = false;         ///< Memory: the strides are those of a contiguous tile
  int32_t tensor = -1;            ///< Memory that belongs to this tensor (index into Memory's ranges)
  uint64_t bits = 0;              ///< canonical: sign- or zero-extended to 64 bits by the element type
  std::byte* data = nullptr;
  Storage* storage = nullptr;     ///< keeps `data` alive; null for tensor memory
  Storage* poison_lanes = nullptr;
  std::array<int64_t, kMaxRank> stride{};
  Box box;
  Box clean;
};

/// Per-thread memory for lanes, recycled by size class: after warm-up nothing is allocated.
class StoragePool {
 public:
  StoragePool() = default;
  StoragePool(const StoragePool&) = delete;
  StoragePool& operator=(const StoragePool&) = delete;

  /// At least `bytes` bytes at a multiple of 64, with one reference. Null when the pool's limit is reached.
  Storage* acquire(int64_t bytes) {
    const int size_class = class_of(bytes);
    Storage* s = free_[size_class];
    if (s == nullptr) return grow(size_class);
    free_[size_class] = s->next_free;
    s->references = 1;
    return s;
  }
  void release(Storage* s) {
    if (--s->references != 0) return;
    s->next_free = free_[s->size_class];
    free_[s->size_class] = s;
  }
  /// Takes everything back but what these tiles hold: after a program that was stopped half way.
  void reclaim(const std::vector<Tile*>& kept);

 private:
  static constexpr int kClasses = 40;
  static constexpr int64_t kLimit = int64_t{1} << 30;
  static int class_of(int64_t bytes) {
    return bytes <= 64 ? 6 : 64 - __builtin_clzll(static_cast<unsigned long long>(bytes) - 1);
  }
  Storage* grow(int size_class);

  struct Free {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  std::array<Storage*, kClasses> free_{};
  std::vector<std::unique_ptr<Storage>> headers_;
  std::vector<std::unique_ptr<std::byte[], Free>> blocks_;
  int64_t allocated_ = 0;
};

/// Sign- or zero-extends the low bits of `x` as the element type says. Floats keep their bits, zero-extended.
inline uint64_t canonical(DType t, uint64_t x) {
  switch (t) {
    case DType::Int1: return x & 1;
    case DType::Int8: return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int8_t>(x)));
    case DType::Int16: return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int16_t>(x)));
    case DType::Int32: return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(x)));
    case DType::UInt8: case DType::Float8E4NV: case DType::Float8E5: return x & 0xff;
    case DType::UInt16: case DType::Float16: case DType::BFloat16: return x & 0xffff;
    case DType::UInt32: case DType::Float32: return x & 0xffffffff;
    default: return x;
  }
}

/// One element of memory as canonical bits, and back (the low bytes are stored).
inline uint64_t read_bits(DType t, const void* p) {
  uint64_t x = 0;
  switch (dtype_bytes(t)) {
    case 1: x = *static_cast<const uint8_t*>(p); break;
    case 2: { uint16_t v; __builtin_memcpy(&v, p, 2); x = v; break; }
    case 4: { uint32_t v; __builtin_memcpy(&v, p, 4); x = v; break; }
    default: __builtin_memcpy(&x, p, 8);
  }
  return canonical(t, x);
}
inline void write_bits(int elem_bytes, void* p, uint64_t x) {
  switch (elem_bytes) {
    case 1: *static_cast<uint8_t*>(p) = static_cast<uint8_t>(x); break;
    case 2: { const auto v = static_cast<uint16_t>(x); __builtin_memcpy(p, &v, 2); break; }
    case 4: { const auto v = static_cast<uint32_t>(x); __builtin_memcpy(p, &v, 4); break; }
    default: __builtin_memcpy(p, &x, 8);
  }
}

}  // namespace tilescope
