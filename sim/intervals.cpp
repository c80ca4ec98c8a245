#include "sim/intervals.h"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>
#include <utility>

namespace tilescope {
namespace {

bool same_place(const ByteRect& a, const ByteRect& b) {
  return a.start == b.start && a.bytes == b.bytes && a.rows == b.rows && a.stride == b.stride;
}

// The next columns of the same rows.
bool join_columns(ByteRect& a, const ByteRect& b) {
  if (a.rows != b.rows || a.stride != b.stride || b.start != a.start + a.bytes) return false;
  if (a.rows > 1 && a.bytes + b.bytes > a.stride) return false;
  a.bytes += b.bytes;
  a.flatten();
  return true;
}

// The next rows of the same columns. Two single rows make a rectangle when they do not overlap.
bool join_rows(ByteRect& a, const ByteRect& b) {
  if (a.bytes != b.bytes) return false;
  const uint64_t stride = a.rows > 1 ? a.stride : b.rows > 1 ? b.stride : b.start - a.start;
  if (a.rows == 1 && b.rows == 1 && (b.start < a.start || stride < a.bytes)) return false;
  if ((b.rows > 1 && b.stride != stride) || b.start != a.start + a.rows * stride) return false;
  a.rows += b.rows;
  a.stride = stride;
  a.flatten();
  return true;
}

template <class Key>
void sort_and_join(std::vector<ByteRect>& rects, Key&& key) {
  if (rects.empty()) return;
  std::sort(rects.begin(), rects.end(), [&](const ByteRect& a, const ByteRect& b) { return key(a) < key(b); });
  size_t last = 0;
  for (size_t i = 1; i < rects.size(); ++i)
    if (!join(rects[last], rects[i])) rects[++last] = rects[i];
  rects.resize(last + 1);
}

// Sorts by the low bits of `position` that differ; stable, linear.
void radix_sort(std::vector<Edge>& edges) {
  constexpr int kBits = 11;
  uint64_t differ = 0;
  for (const Edge& e : edges) differ |= e.position ^ edges[0].position;
  std::vector<Edge> other(edges.size());
  for (int shift = 0; shift < 64 && differ >> shift != 0; shift += kBits) {
    if ((differ >> shift & ((1u << kBits) - 1)) == 0) continue;
    std::array<uint32_t, 1u << kBits> place{};
    for (const Edge& e : edges) ++place[e.position >> shift & (place.size() - 1)];
    uint32_t sum = 0;
    for (uint32_t& p : place) sum += std::exchange(p, sum);
    for (const Edge& e : edges) other[place[e.position >> shift & (place.size() - 1)]++] = e;
    edges.swap(other);
  }
}

int log2_of(uint64_t x) { return std::countr_zero(x); }

}  // namespace

bool join(ByteRect& a, const ByteRect& b) {
  if (same_place(a, b)) {
    a.times += b.times;
    return true;
  }
  return a.times == b.times && (join_columns(a, b) || join_rows(a, b));
}

void join_all(std::vector<ByteRect>& rects) {
  const auto columns = [](const ByteRect& r) { return std::tuple(r.rows, r.stride, r.times, r.start, r.bytes); };
  const auto rows = [](const ByteRect& r) { return std::tuple(r.bytes, r.times, r.start, r.stride, r.rows); };
  const auto places = [](const ByteRect& r) { return std::tuple(r.start, r.bytes, r.rows, r.stride); };
  sort_and_join(rects, places);
  sort_and_join(rects, columns);
  sort_and_join(rects, rows);
}

void fold_edges(std::vector<Edge>& edges) {
  constexpr size_t kRadixFrom = 256, kRadixTo = size_t{1} << 31;
  const auto before = [](const Edge& a, const Edge& b) { return a.position < b.position; };
  if (std::is_sorted(edges.begin(), edges.end(), before)) {
  } else if (edges.size() >= kRadixFrom && edges.size() < kRadixTo) {
    radix_sort(edges);
  } else {
    std::sort(edges.begin(), edges.end(), before);
  }
  size_t n = 0;
  for (size_t i = 0; i < edges.size();) {
    Edge sum = edges[i++];
    for (; i < edges.size() && edges[i].position == sum.position; ++i) sum.delta += edges[i].delta;
    if (sum.delta != 0) edges[n++] = sum;
  }
  edges.resize(n);
}

// ---- TouchCounts
// --------------------------------------------------------------------------------------------------------

TouchCounts::TouchCounts(uint64_t begin, uint64_t end, int elem_bytes)
    : begin_(begin), end_(end), unit_bits_(log2_of(static_cast<uint64_t>(elem_bytes))) {}

void TouchCounts::add(const std::vector<Edge>& edges) {
  const std::lock_guard lock(mutex_);
  if (is_dense()) return add_dense(edges);
  pending_.insert(pending_.end(), edges.begin(), edges.end());
  // A merge walks all steps, so it waits for as much news as pays for that.
  constexpr size_t kLeast = size_t{1} << 16;
  if (pending_.size() >= std::max(kLeast, steps_.size() / 2)) merge_pending();
}

void TouchCounts::settle() { merge_pending(); }

void TouchCounts::merge_pending() {
  if (pending_.empty()) return;
  fold_edges(pending_);
  std::vector<Edge> merged;
  merged.reserve(steps_.size() + pending_.size());
  size_t i = 0, k = 0;
  while (i < steps_.size() || k < pending_.size()) {
    if (k == pending_.size() || (i < steps_.size() && steps_[i].position < pending_[k].position)) {
      merged.push_back(steps_[i++]);
    } else if (i == steps_.size() || pending_[k].position < steps_[i].position) {
      merged.push_back(pending_[k++]);
    } else {
      const int64_t delta = steps_[i].delta + pending_[k].delta;
      if (delta != 0) merged.push_back({steps_[i].position, delta});
      ++i, ++k;
    }
  }
  steps_.swap(merged);
  pending_.clear();
  // An edge takes twice the memory of a difference; below an eighth of the elements it is worth its order.
  constexpr uint64_t kAlways = 4096;
  if (steps_.size() > kAlways && steps_.size() > ((end_ - begin_) >> unit_bits_) / 8) make_dense();
}

void TouchCounts::make_dense() {
  differences_.assign(((end_ - begin_) >> unit_bits_) + 1, 0);
  add_dense(steps_);
  std::vector<Edge>().swap(steps_);
  std::vector<Edge>().swap(pending_);
}

// Some access was narrower than an element.
void TouchCounts::refine(int unit_bits) {
  std::vector<int64_t> finer(((end_ - begin_) >> unit_bits) + 1, 0);
  for (size_t i = 0; i < differences_.size(); ++i) finer[i << (unit_bits_ - unit_bits)] = differences_[i];
  differences_.swap(finer);
  unit_bits_ = unit_bits;
}

void TouchCounts::add_dense(const std::vector<Edge>& edges) {
  uint64_t bits = 0;
  for (const Edge& e : edges) bits |= e.position - begin_;
  if (bits != 0 && log2_of(bits) < unit_bits_) refine(log2_of(bits));
  for (const Edge& e : edges) differences_[(e.position - begin_) >> unit_bits_] += e.delta;
}

bool TouchCounts::Cursor::next_step(uint64_t& position, int64_t& delta) {
  if (!counts_->is_dense()) {
    if (at_ == counts_->steps_.size()) return false;
    position = counts_->steps_[at_].position;
    delta = counts_->steps_[at_++].delta;
    return true;
  }
  while (at_ < counts_->differences_.size() && counts_->differences_[at_] == 0) ++at_;
  if (at_ == counts_->differences_.size()) return false;
  position = counts_->begin_ + (static_cast<uint64_t>(at_) << counts_->unit_bits_);
  delta = counts_->differences_[at_++];
  return true;
}

bool TouchCounts::Cursor::next(Segment& out) {
  uint64_t position = 0;
  int64_t delta = 0;
  while (next_step(position, delta)) {
    out = {start_, position, static_cast<uint64_t>(level_)};
    start_ = position;
    level_ += delta;
    if (out.times != 0) return true;
  }
  return false;
}

// ---- reading
// --------------------------------------------------------------------------------------------------------------

namespace {

// A histogram that is quick for the small numbers that nearly all counts are.
class Tally {
 public:
  void add(uint64_t times, uint64_t elements) {
    counts_.elements += elements;
    counts_.max = std::max(counts_.max, times);
    counts_.total += static_cast<double>(times) * static_cast<double>(elements);
    if (times < few_.size())
      few_[times] += elements;
    else
      counts_.histogram[times] += elements;
  }
  TouchTotals take() {
    for (uint64_t t = 0; t < few_.size(); ++t)
      if (few_[t] != 0) counts_.histogram[t] = few_[t];
    return std::move(counts_);
  }

 private:
  TouchTotals counts_;
  std::array<uint64_t, 1024> few_{};
};

}  // namespace

TouchTotals count_elements(const TouchCounts& counts, int elem_bytes) {
  const auto size = static_cast<uint64_t>(elem_bytes);
  Tally tally;
  uint64_t partial = 0, partial_times = 0;  // an element of which a part was touched; times 0: none
  const auto touch_part = [&](uint64_t element, uint64_t times) {
    if (partial_times != 0 && partial != element) {
      tally.add(partial_times, 1);
      partial_times = 0;
    }
    partial = element;
    partial_times = std::max(partial_times, times);
  };
  TouchCounts::Cursor cursor(counts);
  for (Segment s; cursor.next(s);) {
    const uint64_t low = s.start - counts.begin(), high = s.end - counts.begin();
    if (low % size != 0) touch_part(low / size, s.times);
    const uint64_t first = (low + size - 1) / size, last = high / size;
    if (last > first) tally.add(s.times, last - first);
    if (high % size != 0 && last >= first) touch_part(last, s.times);
  }
  if (partial_times != 0) tally.add(partial_times, 1);
  return tally.take();
}

uint64_t count_bytes(const TouchCounts& a, const TouchCounts& b) {
  TouchCounts::Cursor from_a(a), from_b(b);
  Segment x, y;
  bool has_x = from_a.next(x), has_y = from_b.next(y);
  uint64_t total = 0, beyond = 0;  // bytes below `beyond` are counted
  while (has_x || has_y) {
    const bool take_x = has_x && (!has_y || x.start <= y.start);
    const Segment& s = take_x ? x : y;
    const uint64_t start = std::max(s.start, beyond);
    if (s.end > start) total += s.end - start;
    beyond = std::max(beyond, s.end);
    (take_x ? has_x : has_y) = take_x ? from_a.next(x) : from_b.next(y);
  }
  return total;
}

DistinctBytes count_distinct(const std::vector<const TouchCounts*>& counts) {
  constexpr uint64_t kSector = 32;
  std::vector<TouchCounts::Cursor> cursors;
  std::vector<Segment> next;
  for (const TouchCounts* c : counts) {
    TouchCounts::Cursor cursor(*c);
    Segment s;
    if (!cursor.next(s)) continue;
    cursors.push_back(cursor);
    next.push_back(s);
  }
  DistinctBytes sum;
  uint64_t beyond = 0, sectors_beyond = 0;  // bytes below, and sectors below, are counted
  while (!next.empty()) {
    size_t at = 0;
    for (size_t i = 1; i < next.size(); ++i)
      if (next[i].start < next[at].start) at = i;
    const Segment s = next[at];
    const uint64_t start = std::max(s.start, beyond);
    if (s.end > start) {
      sum.bytes += s.end - start;
      beyond = s.end;
      const uint64_t first = std::max(start / kSector, sectors_beyond), end = (s.end - 1) / kSector + 1;
      if (end > first) sum.sectors += end - first;
      sectors_beyond = std::max(sectors_beyond, end);
    }
    if (cursors[at].next(next[at])) continue;
    cursors.erase(cursors.begin() + static_cast<ptrdiff_t>(at));
    next.erase(next.begin() + static_cast<ptrdiff_t>(at));
  }
  return sum;
}

// ---- TouchLog
// -------------------------------------------------------------------------------------------------------------

void TouchLog::compact(TouchCounts& counts) {
  join_all(rects_);
  if (rects_.size() > kMostRects / 2) expand(counts);
}

void TouchLog::expand(TouchCounts& counts) {
  for (const ByteRect& r : rects_) {
    for (uint64_t row = 0; row < r.rows; ++row) {
      const uint64_t start = r.start + row * r.stride;
      edges_.push_back({start, static_cast<int64_t>(r.times)});
      edges_.push_back({start + r.bytes, -static_cast<int64_t>(r.times)});
      if (edges_.size() >= kMostEdges) fold(counts);
    }
  }
  rects_.clear();
}

void TouchLog::fold(TouchCounts& counts) {
  fold_edges(edges_);
  if (edges_.size() <= kMostEdges / 2) return;
  counts.add(edges_);
  edges_.clear();
}

void TouchLog::flush(TouchCounts& counts) {
  join_all(rects_);
  expand(counts);
  fold_edges(edges_);
  counts.add(edges_);
  edges_.clear();
}

void TouchLog::take(const TouchLog& other, TouchCounts& counts) {
  for (const ByteRect& r : other.rects_) add(r, counts);
  for (const Edge& e : other.edges_) {
    edges_.push_back(e);
    if (edges_.size() >= kMostEdges) fold(counts);
  }
}

}  // namespace tilescope
