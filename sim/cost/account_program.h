// Distinct bytes and tiles of one program.
#pragma once

#include <vector>

#include "sim/cost/traffic.h"
#include "sim/intervals.h"

namespace tilescope::cost {

/// The bytes that one program touches, each as often as it likes.
class ProgramBytes {
 public:
  void add(const ByteRect& rect) {
    if (!rects_.empty() && join(rects_.back(), rect)) {
      rects_.back().times = 1;
      return;
    }
    rects_.push_back(rect);
    if (rects_.size() >= kMostRects) compact();
  }
  void take(const ProgramBytes& other);
  uint64_t distinct();
  /// Hands them over to the log of the launch.
  void add_to(TouchLog& log, TouchCounts& counts);
  void clear() {
    rects_.clear();
    edges_.clear();
  }

 private:
  static constexpr size_t kMostRects = 1024, kMostEdges = size_t{1} << 16;
  void compact();
  void join_rects();
  void expand();
  void fold();

  std::vector<ByteRect> rects_;  ///< each `times` is 1
  std::vector<Edge> edges_;      ///< of bytes that made too many rectangles
};

/// Counts distinct hashes (not 0, all bits well mixed). Exact up to kMost of them; beyond that only every second hash is
/// kept, then every fourth and so on, and the count is an estimate to well within 1%: memory is bounded.
class TileSet {
 public:
  static constexpr size_t kMost = size_t{1} << 21;

  void insert(uint64_t hash);
  void take(const TileSet& other);
  uint64_t size() const { return uint64_t{size_} << thinned_; }

 private:
  bool keeps(uint64_t hash) const { return thinned_ == 0 || hash >> (64 - thinned_) == 0; }
  void thin(int bits);
  void rebuild(size_t places);

  std::vector<uint64_t> table_;  ///< 0: empty
  size_t size_ = 0;
  int thinned_ = 0;  ///< top bits that are 0 in all hashes that are kept
};

/// Identifies executions by the bytes that they cover.
class TileHashes {
 public:
  /// `first`: of an execution.
  void add(const AccessRows& r, bool first) {
    if (first) close();
    mix(r.start);
    mix(uint64_t{r.bytes} << 32 | r.rows);
    mix(static_cast<uint64_t>(r.rows == 1 ? 0 : r.stride));
  }
  /// The execution is complete.
  void close() {
    if (hash_ == 0) return;
    hash_ = (hash_ ^ hash_ >> 33) * 0xff51afd7ed558ccdu;
    hash_ = (hash_ ^ hash_ >> 33) * 0xc4ceb9fe1a85ec53u;
    hash_ ^= hash_ >> 33;
    set_.insert(hash_);
    hash_ = 0;
  }
  TileSet& set() { return set_; }

 private:
  void mix(uint64_t x) {
    hash_ = (hash_ ^ x) * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
    hash_ ^= hash_ >> 29;
  }

  TileSet set_;
  uint64_t hash_ = 0;
};

}  // namespace tilescope::cost
