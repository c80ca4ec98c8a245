// Which tiles programs touch.
#include <algorithm>
#include <unordered_map>

#include "core/tensor.h"
#include "sim/cost/account_program.h"
#include "sim/cost/traffic.h"
#include "sim/index_map.h"

namespace tilescope::cost {
namespace {

/// One execution of an op, all its parts.
struct Execution {
  std::vector<AccessRows> parts;

  uint64_t hash() const {
    uint64_t h = static_cast<uint64_t>(parts[0].op) + 1;
    for (const AccessRows& r : parts)
      for (uint64_t x : {r.start, uint64_t{r.bytes} << 32 | r.rows, static_cast<uint64_t>(r.rows == 1 ? 0 : r.stride)}) {
        h = (h ^ x) * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
        h ^= h >> 29;
      }
    return h;
  }
};

class Boxes {
 public:
  explicit Boxes(const TrafficSource& source) : source_(source) {
    layouts_.reserve(source.tensors().size());
    for (const TrafficTensor& t : source.tensors()) layouts_.push_back({t.shape, t.strides});
    for (const TensorLayout& l : layouts_) maps_.emplace_back(l);
  }

  /// Empty when the elements are not those of a box.
  IndexBox of(const Execution& e) const {
    const int t = e.parts[0].tensor;
    if (t < 0) return {};
    const TrafficTensor& tensor = source_.tensors()[static_cast<size_t>(t)];
    const int64_t size = dtype_bytes(tensor.dtype);
    IndexRange around;
    const int rank = maps_[static_cast<size_t>(t)].rank();
    std::fill(around.lo.begin(), around.lo.end(), INT64_MAX);
    std::fill(around.hi.begin(), around.hi.end(), INT64_MIN);
    int64_t elements = 0;
    for (const AccessRows& r : e.parts) {
      if (r.tensor != t || r.bytes % size != 0 || (r.rows > 1 && r.stride % size != 0)) return {};
      const int64_t run = r.bytes / size, rows = r.rows;
      const int64_t first = (static_cast<int64_t>(r.start) - static_cast<int64_t>(tensor.origin)) / size;
      const int64_t last_row = rows == 1 ? 0 : (rows - 1) * (r.stride / size);
      for (int64_t corner : {first, first + run - 1, first + last_row, first + last_row + run - 1}) grow(around, t, corner);
      elements += run * rows;
    }
    int64_t inside = 1;
    for (int a = 0; a < rank; ++a) inside *= around.hi[static_cast<size_t>(a)] - around.lo[static_cast<size_t>(a)];
    return inside == elements ? around.box(rank) : IndexBox{};
  }

 private:
  void grow(IndexRange& around, int t, int64_t offset) const {
    const IndexMap& map = maps_[static_cast<size_t>(t)];
    std::array<int64_t, kMaxRank> index{};
    map.split(offset, index.data());
    for (int a = 0; a < map.rank(); ++a) {
      const auto x = static_cast<size_t>(a);
      around.lo[x] = std::min(around.lo[x], index[x]);
      around.hi[x] = std::max(around.hi[x], index[x] + 1);
    }
  }

  const TrafficSource& source_;
  std::vector<TensorLayout> layouts_;
  std::vector<IndexMap> maps_;
};

}  // namespace

std::vector<TileUse> tiles_of(TrafficSource& source, const std::vector<int64_t>& programs, size_t most) {
  const Boxes boxes(source);
  std::vector<TileUse> out;
  std::unordered_map<uint64_t, size_t> places;
  std::vector<AccessRows> rows;
  for (int64_t p : programs) {
    source.program(p, 0, rows);
    for (size_t i = 0; i < rows.size();) {
      Execution e;
      do {
        if (rows[i].rows != 0) e.parts.push_back(rows[i]);
        ++i;
      } while (i < rows.size() && !rows[i].first);
      if (e.parts.empty()) continue;
      const auto [at, fresh] = places.emplace(e.hash(), out.size());
      if (fresh) {
        if (out.size() == most) return out;
        out.push_back({e.parts[0].op, boxes.of(e), {}});
      }
      std::vector<int64_t>& users = out[at->second].programs;
      if (users.empty() || users.back() != p) users.push_back(p);
    }
  }
  return out;
}

}  // namespace tilescope::cost
