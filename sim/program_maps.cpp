#include "sim/program_maps.h"

#include <algorithm>

namespace tilescope {

ProgramMaps::ProgramMaps(const Memory& memory, int64_t programs) : memory_(memory), programs_(programs) {
  std::vector<int64_t> empty;
  for (int t = 0; t < memory.size(); ++t) {
    maps_.emplace_back(memory.range(t).tensor->layout);
    offsets_.push_back(static_cast<int64_t>(empty.size()));
    const auto rank = static_cast<size_t>(maps_.back().rank());
    empty.insert(empty.end(), 2, 0);
    for (int kind = 0; kind < 2; ++kind) {
      empty.insert(empty.end(), rank, INT64_MAX);
      empty.insert(empty.end(), rank, INT64_MIN);
    }
  }
  row_size_ = static_cast<int64_t>(empty.size());
  data_.reserve(empty.size() * static_cast<size_t>(programs));
  for (int64_t p = 0; p < programs; ++p) data_.insert(data_.end(), empty.begin(), empty.end());
}

void ProgramMaps::grow(int64_t program, int tensor, bool stores, const IndexRange& r) {
  if (program >= programs_) return;
  const int rank = maps_[static_cast<size_t>(tensor)].rank();
  int64_t* lo = row(program, tensor) + 2 + (stores ? 2 * rank : 0);
  int64_t* hi = lo + rank;
  for (int d = 0; d < rank; ++d) {
    lo[d] = std::min(lo[d], r.lo[d]);
    hi[d] = std::max(hi[d], r.hi[d]);
  }
}

void ProgramMaps::affine(int64_t program, int tensor, bool stores, const TileType& tile, uint64_t base,
                         const int64_t* strides, const Box& on, const AccessCost& cost) {
  if (program >= programs_) return;
  TilePlace place;
  if (place.find(maps_[static_cast<size_t>(tensor)], memory_.range(tensor), tile, base, strides, on))
    return grow(program, tensor, stores, place.bound(on));
  std::array<int64_t, kMaxRank> at{};
  uint64_t start = base + cost.covers.start;
  for (int axis = 0; axis >= 0;) {
    for (uint64_t r = 0; r < cost.covers.rows; ++r) {
      const uint64_t from = start + r * cost.covers.stride;
      run(program, tensor, stores, from, from + cost.covers.bytes);
    }
    for (axis = cost.outer_rank - 1; axis >= 0; --axis) {
      start += static_cast<uint64_t>(cost.outer_strides[axis]);
      if (++at[axis] < cost.outer_dims[axis]) break;
      start -= static_cast<uint64_t>(cost.outer_strides[axis] * cost.outer_dims[axis]);
      at[axis] = 0;
    }
  }
}

void ProgramMaps::run(int64_t program, int tensor, bool stores, uint64_t start, uint64_t end) {
  if (program >= programs_) return;
  const TensorRange& r = memory_.range(tensor);
  grow(program, tensor, stores,
       maps_[static_cast<size_t>(tensor)].around(r.element_offset(start), r.element_offset(end - 1)));
}

void ProgramMaps::report(RunTrace& trace) const {
  trace.footprints.resize(static_cast<size_t>(programs_) * maps_.size());
  size_t n = 0;
  for (int64_t p = 0; p < programs_; ++p) {
    for (size_t t = 0; t < maps_.size(); ++t) {
      ProgramFootprint& out = trace.footprints[n++];
      const int64_t* c = data_.data() + p * row_size_ + offsets_[t];
      const int rank = maps_[t].rank();
      out.lanes_on = static_cast<uint64_t>(c[0]);
      out.lanes_masked = static_cast<uint64_t>(c[1]);
      const auto read = [&](const int64_t* lo, IndexBox& box) {
        if (rank == 0 || lo[0] == INT64_MAX) return;
        box.lo.assign(lo, lo + rank);
        box.hi.assign(lo + rank, lo + 2 * rank);
      };
      read(c + 2, out.loaded);
      read(c + 2 + 2 * rank, out.stored);
    }
  }
}

int64_t elements_per_count(int64_t elements) {
  constexpr int64_t kMostCounts = int64_t{1} << 25;
  int64_t group = 1;
  while ((elements + group - 1) / group > kMostCounts) group *= 2;
  return group;
}

std::vector<uint32_t> expand_counts(const TouchCounts& counts, int elem_bytes, int64_t elements_per_count) {
  std::vector<uint32_t> out;
  const uint64_t size = static_cast<uint64_t>(elem_bytes) * static_cast<uint64_t>(elements_per_count);
  TouchCounts::Cursor cursor(counts);
  for (Segment s; cursor.next(s);) {
    if (out.empty()) out.resize((counts.end() - counts.begin() + size - 1) / size);
    const auto times = static_cast<uint32_t>(std::min<uint64_t>(s.times, UINT32_MAX));
    const uint64_t first = (s.start - counts.begin()) / size, last = (s.end - 1 - counts.begin()) / size;
    for (uint64_t e = first; e <= last; ++e) out[e] = std::max(out[e], times);
  }
  return out;
}

}  // namespace tilescope
