#include "visualizer/model/memory_view.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "sim/memory.h"

namespace tilescope::model {
namespace {

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }

size_t at(int axis) { return static_cast<size_t>(axis); }

}  // namespace

// ---- offsets and planes

OffsetMap::OffsetMap(const TensorLayout& layout) : layout_(layout), lowest_(layout.lowest()), highest_(layout.highest()) {
  for (int a = 0; a < layout.rank(); ++a) {
    const int64_t stride = layout.strides[at(a)];
    if (layout.shape[at(a)] > 1 && stride != 0) levels_.push_back({a, std::abs(stride), layout.shape[at(a)], stride < 0});
  }
  std::stable_sort(levels_.begin(), levels_.end(), [](const Level& a, const Level& b) { return a.stride > b.stride; });
  int64_t reach = 0;
  for (size_t i = levels_.size(); i-- > 0;) {
    nested_ = nested_ && levels_[i].stride > reach;
    reach += levels_[i].stride * (levels_[i].extent - 1);
  }
  if (layout.elements() == 0) highest_ = lowest_ - 1;
}

bool OffsetMap::find(int64_t offset, std::vector<int64_t>& index) const {
  if (offset < lowest_ || offset > highest_) return false;
  if (!nested_) {
    std::optional<std::vector<int64_t>> found = layout_.index_of(offset);
    if (found) index = std::move(*found);
    return found.has_value();
  }
  index.assign(layout_.shape.size(), 0);
  int64_t rest = offset - lowest_;
  for (const Level& l : levels_) {
    const int64_t k = rest / l.stride;
    if (k >= l.extent) return false;
    rest -= k * l.stride;
    index[at(l.axis)] = l.negative ? l.extent - 1 - k : k;
  }
  return rest == 0;
}

bool OffsetMap::holds(int64_t offset) const {
  if (offset < lowest_ || offset > highest_) return false;
  if (!nested_) return layout_.index_of(offset).has_value();
  int64_t rest = offset - lowest_;
  for (const Level& l : levels_) {
    const int64_t k = rest / l.stride;
    if (k >= l.extent) return false;
    rest -= k * l.stride;
  }
  return rest == 0;
}

void OffsetMap::find_beyond(int64_t offset, std::vector<int64_t>& index) const {
  if (find(offset, index)) return;
  index.assign(layout_.shape.size(), 0);
  if (index.empty()) return;
  if (levels_.empty()) {
    index.back() = offset;
    return;
  }
  int64_t rest = 0;  // lowest_ is at most 0 and within 2^62, offsets may be anything
  if (__builtin_sub_overflow(offset, lowest_, &rest)) rest = offset;
  for (size_t i = 0; i < levels_.size(); ++i) {
    const Level& l = levels_[i];
    const int64_t k = i == 0 ? floor_div(rest, l.stride) : std::min(rest / l.stride, l.extent - 1);
    rest -= k * l.stride;
    index[at(l.axis)] = l.negative ? l.extent - 1 - k : k;
  }
}

std::vector<int64_t> Plane::index(int64_t row, int64_t col) const {
  std::vector<int64_t> out = at;
  if (down >= 0) out[static_cast<size_t>(down)] = row;
  if (across >= 0) out[static_cast<size_t>(across)] = col;
  return out;
}

bool Plane::shows(const std::vector<int64_t>& index) const {
  if (index.size() != at.size()) return false;
  for (size_t a = 0; a < index.size(); ++a)
    if (static_cast<int>(a) != down && static_cast<int>(a) != across && index[a] != at[a]) return false;
  return true;
}

Plane make_plane(const TensorLayout& layout, const std::vector<int64_t>& chosen) {
  Plane p;
  const int rank = layout.rank();
  p.at.assign(at(rank), 0);
  p.across = rank >= 1 ? rank - 1 : -1;
  p.down = rank >= 2 ? rank - 2 : -1;
  for (int a = 0; a < rank; ++a) {
    if (a == p.across || a == p.down) continue;
    const int64_t wanted = at(a) < chosen.size() ? chosen[at(a)] : 0;
    p.at[at(a)] = std::clamp<int64_t>(wanted, 0, std::max<int64_t>(layout.shape[at(a)] - 1, 0));
    p.base += p.at[at(a)] * layout.strides[at(a)];
  }
  if (p.across >= 0) p.cols = layout.shape[at(p.across)], p.col_stride = layout.strides[at(p.across)];
  if (p.down >= 0) p.rows = layout.shape[at(p.down)], p.row_stride = layout.strides[at(p.down)];
  return p;
}

void CellBox::include(int64_t r, int64_t c, int64_t count) {
  if (empty()) {
    *this = {r, c, 1, count};
    return;
  }
  const int64_t b = std::max(bottom(), r + 1), e = std::max(right(), c + count);
  row = std::min(row, r), col = std::min(col, c);
  rows = b - row, cols = e - col;
}

// ---- samples

namespace {

// Joins two boxes that are equal but for one axis, along which they touch or overlap.
bool join(IndexBox& a, const IndexBox& b) {
  size_t differing = a.lo.size();
  for (size_t i = 0; i < a.lo.size(); ++i) {
    if (a.lo[i] == b.lo[i] && a.hi[i] == b.hi[i]) continue;
    if (differing < a.lo.size() || b.lo[i] > a.hi[i] || a.lo[i] > b.hi[i]) return false;
    differing = i;
  }
  if (differing == a.lo.size()) return true;
  a.lo[differing] = std::min(a.lo[differing], b.lo[differing]);
  a.hi[differing] = std::max(a.hi[differing], b.hi[differing]);
  return true;
}

// Neighbouring tiles become rows or columns of tiles, and these become areas: there are few boxes to look through.
void join_neighbours(std::vector<IndexBox>& boxes) {
  for (size_t before = boxes.size() + 1; boxes.size() < before;) {
    before = boxes.size();
    std::vector<IndexBox> joined;
    for (const IndexBox& b : boxes) {
      bool taken = false;
      for (size_t back = 0; !taken && back < std::min<size_t>(joined.size(), 8); ++back) taken = join(joined[joined.size() - 1 - back], b);
      if (!taken) joined.push_back(b);
    }
    boxes = std::move(joined);
  }
}

}  // namespace

NeverStored::NeverStored(const Scene& scene, int tensor) {
  const Tensor& t = *scene.tensors[at(tensor)].tensor;
  look_ = t.uninitialised;
  integer_ = is_int(t.dtype);
  if (!look_ || !integer_) return;
  map_ = OffsetMap(t.layout);
  for (const MemoryChange& c : scene.trace->changes)
    if (c.tensor == tensor && c.step <= scene.step) offsets_.insert(offsets_.end(), c.offsets.begin(), c.offsets.end());
  std::sort(offsets_.begin(), offsets_.end());
  if (!scene.run.totals || scene.run.totals->trace.footprints.empty()) return;
  const RunTrace& totals = scene.run.totals->trace;
  const ProgramIndex p = scene.program;
  const int64_t before = p[0] + totals.grid[0] * (p[1] + totals.grid[1] * p[2]);
  for (int64_t i = 0; i < before; ++i) {
    const size_t f = static_cast<size_t>(i) * totals.tensors.size() + at(tensor);
    if (f >= totals.footprints.size()) break;
    const IndexBox& stored = totals.footprints[f].stored;
    if (stored.lo.size() == t.layout.shape.size() && !stored.empty() && (boxes_.empty() || !join(boxes_.back(), stored))) boxes_.push_back(stored);
  }
  join_neighbours(boxes_);
  if (boxes_.size() > 64) boxes_.resize(64);
}

bool NeverStored::operator()(const Tensor& t, int64_t storage_index) const {
  if (!look_) return false;
  const std::byte* e = t.element(storage_index);
  for (int b = 0; b < dtype_bytes(t.dtype); ++b)
    if (e[b] != std::byte{0xff}) return false;
  if (!integer_) return true;
  const int64_t offset = storage_index - t.origin;
  if (std::binary_search(offsets_.begin(), offsets_.end(), offset)) return false;
  std::vector<int64_t> index;
  if (boxes_.empty() || !map_.find(offset, index)) return true;
  for (const IndexBox& b : boxes_) {
    bool inside = b.lo.size() == index.size();
    for (size_t a = 0; inside && a < index.size(); ++a) inside = index[a] >= b.lo[a] && index[a] < b.hi[a];
    if (inside) return false;
  }
  return true;
}

namespace {

void reset(Samples& out, int rows, int cols) {
  out.rows = rows, out.cols = cols;
  out.values.assign(static_cast<size_t>(rows) * static_cast<size_t>(cols), 0);
  out.kinds.assign(out.values.size(), CellKind::Nothing);
}

// `read(storage index, place)` for every sample of a plane.
template <class Read>
void walk_plane(const Tensor& t, const Plane& plane, const PlaneWindow& w, Samples& out, Read read) {
  reset(out, w.rows, w.cols);
  for (int i = 0; i < w.rows; ++i) {
    const int64_t r = w.row + i * w.row_step;
    if (r < 0 || r >= plane.rows) continue;
    for (int j = 0; j < w.cols; ++j) {
      const int64_t c = w.col + j * w.col_step;
      if (c < 0 || c >= plane.cols) continue;
      read(t.origin + plane.offset(r, c), static_cast<size_t>(i) * static_cast<size_t>(w.cols) + static_cast<size_t>(j));
    }
  }
}

template <class Read>
void walk_line(const Tensor& t, const OffsetMap& map, double first, double step, int count, Samples& out, Read read) {
  reset(out, 1, count);
  for (int j = 0; j < count; ++j) {
    const double place = std::floor(first + j * step);
    if (place < static_cast<double>(map.lowest()) || place > static_cast<double>(map.highest())) continue;
    const int64_t offset = static_cast<int64_t>(place);
    if (map.holds(offset)) read(t.origin + offset, static_cast<size_t>(j));
  }
}

auto value_reader(const Tensor& t, const NeverStored& never, Samples& out) {
  return [&t, &never, &out](int64_t storage, size_t i) {
    const bool blank = never(t, storage);
    out.kinds[i] = blank ? CellKind::NeverStored : CellKind::Value;
    if (!blank) out.values[i] = read_double(t.dtype, t.element(storage));
  };
}

auto count_reader(const std::vector<uint32_t>& counts, int64_t elements_per_count, Samples& out) {
  return [&counts, elements_per_count, &out](int64_t storage, size_t i) {
    const size_t place = static_cast<size_t>(storage / std::max<int64_t>(elements_per_count, 1));
    out.kinds[i] = CellKind::Value;
    out.values[i] = place < counts.size() ? counts[place] : 0;
  };
}

}  // namespace

void sample_plane(const Tensor& t, const Plane& plane, const NeverStored& never, const PlaneWindow& window, Samples& out) {
  walk_plane(t, plane, window, out, value_reader(t, never, out));
}

void sample_line(const Tensor& t, const OffsetMap& map, const NeverStored& never, double first, double step, int count, Samples& out) {
  walk_line(t, map, first, step, count, out, value_reader(t, never, out));
}

void count_plane(const Tensor& t, const Plane& plane, const std::vector<uint32_t>& counts, int64_t elements_per_count, const PlaneWindow& window,
                 Samples& out) {
  walk_plane(t, plane, window, out, count_reader(counts, elements_per_count, out));
}

void count_line(const Tensor& t, const OffsetMap& map, const std::vector<uint32_t>& counts, int64_t elements_per_count, double first, double step,
                int count, Samples& out) {
  walk_line(t, map, first, step, count, out, count_reader(counts, elements_per_count, out));
}

int level_of_detail(double pixels) {
  int level = 0;
  while (level < 40 && pixels * std::ldexp(1.0, level) < 1) ++level;
  return level;
}

// ---- the launch's view of a tensor

std::vector<ProgramRange> program_ranges(const RunTrace& totals, int tensor, const TensorLayout& layout, size_t most) {
  std::vector<ProgramRange> out;
  const size_t tensors = totals.tensors.size();
  if (tensors == 0 || totals.footprints.size() / tensors > most) return out;
  for (size_t p = 0; p * tensors < totals.footprints.size(); ++p) {
    const ProgramFootprint& f = totals.footprints[p * tensors + at(tensor)];
    ProgramRange range{static_cast<int64_t>(p), INT64_MAX, INT64_MIN};
    for (const IndexBox* b : {&f.loaded, &f.stored}) {
      if (b->empty() || b->lo.size() != layout.shape.size()) continue;
      int64_t low = 0, high = 0;
      for (size_t a = 0; a < b->lo.size(); ++a) {
        const int64_t x = b->lo[a] * layout.strides[a], y = (b->hi[a] - 1) * layout.strides[a];
        low += std::min(x, y), high += std::max(x, y);
      }
      range.first = std::min(range.first, low), range.end = std::max(range.end, high + 1);
    }
    if (range.first < range.end) out.push_back(range);
  }
  std::sort(out.begin(), out.end(), [](const ProgramRange& a, const ProgramRange& b) { return a.first < b.first; });
  for (size_t i = 1; i < out.size(); ++i)
    if (out[i].first < out[i - 1].end) return {};
  return out;
}

namespace {

double largest_magnitude(DType dtype, const std::byte* data, int64_t count, int64_t step) {
  double reach = 0;
  for (int64_t i = 0; i < count; i += step) {
    const double v = std::abs(read_double(dtype, data + i * dtype_bytes(dtype)));
    if (std::isfinite(v)) reach = std::max(reach, v);
  }
  return reach;
}

}  // namespace

double value_reach(const Scene& scene, int tensor) {
  const TensorNow& now = scene.tensors[at(tensor)];
  double reach = std::max(std::abs(now.low), std::abs(now.high));
  if (!now.tensor->uninitialised && reach > 0) return reach;
  const DType dtype = now.tensor->dtype;
  for (const MemoryChange& c : scene.trace->changes)
    if (c.tensor == tensor) reach = std::max(reach, largest_magnitude(dtype, c.after.data(), static_cast<int64_t>(c.offsets.size()), 1));
  if (scene.run.totals && at(tensor) < scene.run.totals->tensors.size()) {
    const Tensor& t = scene.run.totals->tensors[at(tensor)];
    reach = std::max(reach, largest_magnitude(t.dtype, t.storage.data(), t.storage_elements(), std::max<int64_t>(1, t.storage_elements() / 65536)));
  }
  return reach > 0 ? reach : 1;
}

uint64_t tensor_address(const Launch& launch, int tensor) {
  uint64_t region = 0;  // in the order of the kernel's pointer parameters
  for (const Argument& a : launch.arguments) {
    if (a.tensor == nullptr) continue;
    ++region;
    if (a.tensor == &launch.tensors[at(tensor)]) break;
  }
  const Tensor& t = launch.tensors[at(tensor)];
  return (region << Memory::kRegionBits | uint64_t{1} << (Memory::kRegionBits - 1)) +
         static_cast<uint64_t>(t.origin) * static_cast<uint64_t>(dtype_bytes(t.dtype));
}

int nearest_access(const Scene& scene, int tensor) {
  if (scene.trace == nullptr) return -1;
  const std::vector<AccessSummary>& all = scene.trace->accesses;
  const auto wanted = [&](const AccessSummary& a) { return tensor >= 0 ? a.tensor == tensor : a.tensor >= 0; };
  const auto next = std::upper_bound(all.begin(), all.end(), scene.step, [](uint64_t step, const AccessSummary& a) { return step < a.step; });
  for (auto i = next; i != all.begin();)
    if (wanted(*--i)) return static_cast<int>(i - all.begin());
  for (auto i = next; i != all.end(); ++i)
    if (wanted(*i)) return static_cast<int>(i - all.begin());
  return -1;
}

int tensor_in_focus(const Scene& scene) {
  for (const CurrentAccess& a : scene.accesses)
    if (a.summary != nullptr && a.summary->tensor >= 0) return a.summary->tensor;
  const int access = nearest_access(scene, -1);
  return access < 0 ? 0 : scene.trace->accesses[at(access)].tensor;
}

OutsideLanes outside_lanes(int64_t from, int64_t to, int64_t on_from, int64_t on_to, uint64_t lanes) {
  const auto before = static_cast<uint64_t>(std::max<int64_t>(0, on_from - from)), after = static_cast<uint64_t>(std::max<int64_t>(0, to - on_to));
  if (lanes == 0) return {};
  if (on_from >= on_to) return {0, lanes};
  if (before + after == lanes) return {before, after};
  return before > after ? OutsideLanes{lanes, 0} : OutsideLanes{0, lanes};
}

std::vector<Stored> stored_now(const Scene& scene, int tensor, size_t most) {
  std::vector<Stored> out;
  if (scene.trace == nullptr || scene.timeline == nullptr || scene.line_step >= scene.timeline->lines.size()) return out;
  const uint64_t first = scene.timeline->lines[scene.line_step].first;
  const size_t bytes = static_cast<size_t>(dtype_bytes(scene.tensors[at(tensor)].tensor->dtype));
  const std::vector<MemoryChange>& all = scene.trace->changes;
  for (auto i = std::lower_bound(all.begin(), all.end(), first, [](const MemoryChange& c, uint64_t step) { return c.step < step; });
       i != all.end() && i->step <= scene.step; ++i) {
    const MemoryChange& c = *i;
    if (c.tensor != tensor) continue;
    for (size_t i = 0; i < c.offsets.size() && out.size() < most; ++i) out.push_back({c.offsets[i], c.before.data() + i * bytes});
  }
  std::stable_sort(out.begin(), out.end(), [](const Stored& a, const Stored& b) { return a.offset < b.offset; });
  return out;
}

std::string element_name(const std::string& tensor, const std::vector<int64_t>& index) {
  std::string out = tensor + "[";
  for (size_t a = 0; a < index.size(); ++a) out += (a > 0 ? ", " : "") + std::to_string(index[a]);
  return out + "]";
}

}  // namespace tilescope::model
