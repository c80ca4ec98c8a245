#include "sim/tile.h"

namespace tilescope {

TileType tile_type(const Type& t) {
  TileType out;
  out.dtype = t.pointer ? DType::UInt64 : t.elem;
  out.pointer = t.pointer;
  out.elem_bytes = t.storage_bytes();
  out.rank = t.shape.rank;
  out.elements = t.elements();
  int64_t step = out.elem_bytes;
  for (int i = out.rank - 1; i >= 0; --i) {
    out.dims[i] = t.shape[i];
    out.whole.hi[i] = static_cast<int32_t>(t.shape[i]);
    out.row_major[i] = step;
    step *= t.shape[i];
  }
  out.unused_bits = 64 - 8 * out.elem_bytes;
  out.is_signed = is_signed_int(out.dtype);
  if (is_int(out.dtype)) {
    const int bits = dtype_bits(out.dtype);
    out.lowest = out.is_signed ? INT64_MIN >> (64 - bits) : 0;
    out.highest = bits == 64 ? INT64_MAX : (int64_t{1} << (out.is_signed ? bits - 1 : bits)) - 1;
  }
  return out;
}

Storage* StoragePool::grow(int size_class) {
  const int64_t bytes = int64_t{1} << size_class;
  if (allocated_ + bytes > kLimit) return nullptr;
  auto* p = static_cast<std::byte*>(::operator new[](static_cast<size_t>(bytes), std::align_val_t{64}, std::nothrow));
  if (p == nullptr) return nullptr;
  blocks_.emplace_back(p);
  headers_.push_back(std::make_unique<Storage>());
  allocated_ += bytes;
  Storage* s = headers_.back().get();
  s->data = p;
  s->references = 1;
  s->size_class = size_class;
  return s;
}

void StoragePool::reclaim(const std::vector<Tile*>& kept) {
  for (auto& s : headers_) s->references = 0;
  for (const Tile* t : kept) {
    if (t->storage != nullptr) ++t->storage->references;
    if (t->poison_lanes != nullptr) ++t->poison_lanes->references;
  }
  free_ = {};
  for (auto& s : headers_) {
    if (s->references != 0) continue;
    s->next_free = free_[s->size_class];
    free_[s->size_class] = s.get();
  }
}

}  // namespace tilescope
