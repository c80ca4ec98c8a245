#include "sim/memory.h"

#include <algorithm>
#include <cstring>

namespace tilescope {
namespace {

// Marks the elements that some logical index reaches, walking all axes but the innermost as an odometer.
std::vector<bool> reachable_elements(const Tensor& t) {
  std::vector<bool> out(static_cast<size_t>(t.storage_elements()), false);
  const TensorLayout& l = t.layout;
  if (l.elements() == 0) return out;
  std::vector<int64_t> index(l.shape.size(), 0);
  int64_t offset = t.origin;
  for (;;) {
    out[static_cast<size_t>(offset)] = true;
    int axis = l.rank() - 1;
    for (; axis >= 0; --axis) {
      const size_t a = static_cast<size_t>(axis);
      offset += l.strides[a];
      if (++index[a] < l.shape[a]) break;
      offset -= l.strides[a] * l.shape[a];
      index[a] = 0;
    }
    if (axis < 0) return out;
  }
}

// One flag an element while the tensor is uninitialised; else empty.
std::vector<uint8_t> shadow_of(const Tensor& t) {
  if (!t.uninitialised) return {};
  if (t.written != nullptr) return *t.written;
  return std::vector<uint8_t>(static_cast<size_t>(t.storage_elements()), 0);
}

}  // namespace

bool TensorRange::all_reachable(uint64_t address, int64_t bytes) const {
  const uint64_t first = (address - begin) / static_cast<uint64_t>(elem_bytes);
  const uint64_t last = (address - begin + static_cast<uint64_t>(bytes) - 1) / static_cast<uint64_t>(elem_bytes);
  for (uint64_t i = first; i <= last; ++i)
    if (!reachable[i]) return false;
  return true;
}

bool TensorRange::all_written(uint64_t address, int64_t bytes) const {
  const uint64_t first = (address - begin) / static_cast<uint64_t>(elem_bytes);
  const uint64_t last = (address - begin + static_cast<uint64_t>(bytes) - 1) / static_cast<uint64_t>(elem_bytes);
  return std::memchr(written.data() + first, 0, last - first + 1) == nullptr;
}

void TensorRange::mark_written(uint64_t address, int64_t bytes) {
  const uint64_t first = (address - begin) / static_cast<uint64_t>(elem_bytes);
  const uint64_t last = (address - begin + static_cast<uint64_t>(bytes) - 1) / static_cast<uint64_t>(elem_bytes);
  std::memset(written.data() + first, 1, last - first + 1);
}

int64_t TensorRange::element_offset(uint64_t address) const {
  const int64_t bytes = static_cast<int64_t>(address - origin);
  const int64_t q = bytes / elem_bytes;
  return bytes % elem_bytes < 0 ? q - 1 : q;
}

void Memory::keep_written() {
  for (TensorRange& r : ranges_)
    if (!r.written.empty()) r.tensor->written = std::make_shared<const std::vector<uint8_t>>(r.written);
}

int Memory::add(Tensor* tensor, bool track) {
  for (TensorRange& r : ranges_) {
    if (r.tensor != tensor) continue;
    if (track && r.backed && r.written.empty()) r.written = shadow_of(*tensor);
    return r.index;
  }
  const bool backed = tensor->storage.size() != 0 || tensor->elements() == 0;
  if (!backed) {
    const int index = add_virtual(tensor);
    range(index).backed = false;
    return index;
  }
  TensorRange& r = place(tensor, tensor->storage.size());
  r.to_host = reinterpret_cast<uint64_t>(tensor->storage.data()) - r.begin;
  r.has_gaps = tensor->layout.elements() > 0 && !tensor->layout.is_dense();
  if (r.has_gaps) r.reachable = reachable_elements(*tensor);
  if (track) r.written = shadow_of(*tensor);
  return r.index;
}

int Memory::add_virtual(Tensor* tensor) {
  const TensorLayout& l = tensor->layout;
  const int64_t elements = l.elements() == 0 ? 0 : l.highest() - l.lowest() + 1;
  return place(tensor, static_cast<uint64_t>(elements) * static_cast<uint64_t>(dtype_bytes(tensor->dtype))).index;
}

TensorRange& Memory::place(Tensor* tensor, uint64_t bytes) {
  TensorRange r;
  r.tensor = tensor;
  r.index = size();
  r.elem_bytes = dtype_bytes(tensor->dtype);
  // The middle of the neighbourhood, so that negative offsets still know their tensor. Storage starts aligned, as the
  // host's does: a negative stride moves the origin the same way in both.
  r.begin = (static_cast<uint64_t>(r.index) + 1) << kRegionBits | uint64_t{1} << (kRegionBits - 1);
  r.origin = r.begin + static_cast<uint64_t>(tensor->origin) * static_cast<uint64_t>(r.elem_bytes);
  r.end = r.begin + bytes;
  ranges_.push_back(std::move(r));
  return ranges_.back();
}

}  // namespace tilescope
