// How often each byte of a tensor was touched, without an array that every access would have to touch: accesses are
// logged as rectangles of bytes, neighbours are joined, and a full log is folded into a sorted step function. Memory is
// bounded by the tensor, not by the number of programs.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace tilescope {

/// Rows of bytes: row r covers the addresses [start + r * stride, start + r * stride + bytes). A rectangle whose rows
/// follow each other without a gap is kept as one long row.
struct ByteRect {
  uint64_t start = 0;
  uint64_t bytes = 0;  ///< of one row
  uint64_t rows = 1;
  uint64_t stride = 0;  ///< 0 when there is one row
  uint64_t times = 1;   ///< each byte counts this often

  void flatten() {
    if (rows > 1 && stride == bytes) bytes *= rows, rows = 1, stride = 0;
  }
  friend bool operator==(const ByteRect&, const ByteRect&) = default;
};

/// Makes `a` stand for both when one rectangle can, exactly: the same place again, the next columns, the next rows.
bool join(ByteRect& a, const ByteRect& b);

/// From `position` on, bytes count `delta` more than before it.
struct Edge {
  uint64_t position = 0;
  int64_t delta = 0;
};

/// Sorts by position, adds up the edges at one position, and drops those that add up to nothing.
void fold_edges(std::vector<Edge>& edges);

/// A maximal run of bytes that count the same, more than zero times.
struct Segment {
  uint64_t start = 0, end = 0, times = 0;
};

/// One tensor's counts over all threads. A sorted step function, or, once that would take more memory, one difference
/// for every element.
class TouchCounts {
 public:
  /// The tensor's bytes are at [begin, end); its elements have `elem_bytes`, a power of two.
  TouchCounts(uint64_t begin, uint64_t end, int elem_bytes);

  /// Adds edges in any order; may be called from several threads. Positions lie within [begin, end].
  void add(const std::vector<Edge>& edges);
  /// Call before reading, when all threads are done.
  void settle();

  uint64_t begin() const { return begin_; }
  uint64_t end() const { return end_; }
  bool is_dense() const { return !differences_.empty(); }
  size_t memory_bytes() const {
    return (steps_.capacity() + pending_.capacity()) * sizeof(Edge) + differences_.capacity() * sizeof(int64_t);
  }

  /// Walks the segments in rising order.
  class Cursor {
   public:
    explicit Cursor(const TouchCounts& counts) : counts_(&counts) {}
    bool next(Segment& out);

   private:
    bool next_step(uint64_t& position, int64_t& delta);

    const TouchCounts* counts_;
    size_t at_ = 0;
    uint64_t start_ = 0;
    int64_t level_ = 0;
  };

 private:
  void merge_pending();
  void make_dense();
  void refine(int unit_bits);
  void add_dense(const std::vector<Edge>& edges);

  std::mutex mutex_;
  uint64_t begin_ = 0, end_ = 0;
  int unit_bits_ = 0;                  ///< of the dense form: log2 of the bytes of one difference
  std::vector<Edge> steps_, pending_;  ///< sorted and folded; not yet merged into it
  std::vector<int64_t> differences_;
};

/// How often elements were touched; an element touched by parts counts as its most touched byte.
struct TouchTotals {
  uint64_t elements = 0;  ///< touched at least once
  uint64_t max = 0;
  double total = 0;  ///< sum over the elements
  std::map<uint64_t, uint64_t> histogram;
};
TouchTotals count_elements(const TouchCounts& counts, int elem_bytes);

/// Bytes that are touched in one or the other.
uint64_t count_bytes(const TouchCounts& a, const TouchCounts& b);

/// Bytes touched at least once in any of these, and the 32-byte sectors around them.
struct DistinctBytes {
  uint64_t bytes = 0, sectors = 0;
};
DistinctBytes count_distinct(const std::vector<const TouchCounts*>& counts);

/// One thread's part of a tensor's counts, not yet added to them.
class TouchLog {
 public:
  void add(const ByteRect& rect, TouchCounts& counts) {
    if (!rects_.empty() && join(rects_.back(), rect)) return;
    rects_.push_back(rect);
    if (rects_.size() >= kMostRects) compact(counts);
  }
  /// For accesses without a pattern: rectangles are not looked for.
  void add_run(uint64_t start, uint64_t end, TouchCounts& counts) {
    edges_.push_back({start, 1});
    edges_.push_back({end, -1});
    if (edges_.size() >= kMostEdges) fold(counts);
  }
  /// Moves everything into the counts.
  void flush(TouchCounts& counts);
  /// Takes over another thread's log.
  void take(const TouchLog& other, TouchCounts& counts);
  size_t memory_bytes() const { return rects_.capacity() * sizeof(ByteRect) + edges_.capacity() * sizeof(Edge); }

 private:
  static constexpr size_t kMostRects = 1024, kMostEdges = size_t{1} << 15;
  void compact(TouchCounts& counts);
  void expand(TouchCounts& counts);
  void fold(TouchCounts& counts);

  std::vector<ByteRect> rects_;
  std::vector<Edge> edges_;
};

/// Joins rectangles as far as one pass along columns and one along rows can. What they stand for stays the same.
void join_all(std::vector<ByteRect>& rects);

}  // namespace tilescope
