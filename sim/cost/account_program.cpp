#include "sim/cost/account_program.h"

#include <algorithm>

namespace tilescope::cost {

void ProgramBytes::take(const ProgramBytes& other) {
  for (const ByteRect& r : other.rects_) add(r);
  edges_.insert(edges_.end(), other.edges_.begin(), other.edges_.end());
}

// How often a byte counts does not matter here, so rectangles that differ in that only are alike.
void ProgramBytes::join_rects() {
  for (size_t before = rects_.size() + 1; rects_.size() > 1 && rects_.size() < before;) {
    before = rects_.size();
    join_all(rects_);
    for (ByteRect& r : rects_) r.times = 1;
  }
}

void ProgramBytes::compact() {
  join_rects();
  if (rects_.size() > kMostRects / 2) expand();
}

void ProgramBytes::expand() {
  for (const ByteRect& r : rects_)
    for (uint64_t row = 0; row < r.rows; ++row) {
      const uint64_t start = r.start + row * r.stride;
      edges_.push_back({start, 1});
      edges_.push_back({start + r.bytes, -1});
    }
  rects_.clear();
  if (edges_.size() >= kMostEdges) fold();
}

// To runs that are apart, each byte once.
void ProgramBytes::fold() {
  fold_edges(edges_);
  size_t n = 0;
  int64_t level = 0;
  for (const Edge& e : edges_) {
    const int64_t before = level;
    level += e.delta;
    if (before == 0 || level == 0) edges_[n++] = {e.position, before == 0 ? 1 : -1};
  }
  edges_.resize(n);
}

uint64_t ProgramBytes::distinct() {
  if (rects_.size() > 1) join_rects();
  if (rects_.empty() && edges_.empty()) return 0;
  if (edges_.empty() && rects_.size() == 1 && (rects_[0].rows == 1 || rects_[0].stride >= rects_[0].bytes))
    return rects_[0].bytes * rects_[0].rows;
  expand();
  fold();
  uint64_t sum = 0;
  for (size_t i = 0; i + 1 < edges_.size(); i += 2) sum += edges_[i + 1].position - edges_[i].position;
  return sum;
}

void ProgramBytes::add_to(TouchLog& log, TouchCounts& counts) {
  for (const ByteRect& r : rects_) log.add(r, counts);
  for (size_t i = 0; i + 1 < edges_.size(); i += 2) log.add_run(edges_[i].position, edges_[i + 1].position, counts);
}

void TileSet::rebuild(size_t places) {
  std::vector<uint64_t> old(places, 0);
  old.swap(table_);
  size_ = 0;
  for (uint64_t h : old)
    if (h != 0) insert(h);
}

void TileSet::thin(int bits) {
  if (bits <= thinned_) return;
  thinned_ = bits;
  rebuild(std::max<size_t>(table_.size(), 16));
}

void TileSet::insert(uint64_t hash) {
  if (!keeps(hash)) return;
  if (table_.size() < 2 * (size_ + 1)) rebuild(table_.empty() ? 16 : table_.size() * 2);
  size_t at = hash & (table_.size() - 1);
  for (; table_[at] != 0; at = (at + 1) & (table_.size() - 1))
    if (table_[at] == hash) return;
  table_[at] = hash;
  if (++size_ > kMost) thin(thinned_ + 1);
}

void TileSet::take(const TileSet& other) {
  thin(other.thinned_);
  for (uint64_t h : other.table_)
    if (h != 0) insert(h);
}

}  // namespace tilescope::cost
