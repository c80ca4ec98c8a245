#include "sim/try_reach.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "sim/cost/traffic.h"

namespace tilescope {
namespace {

constexpr int64_t kCounted = int64_t{1} << 24;
constexpr int64_t kMostPrograms = 4096;
constexpr int64_t kFarAway = int64_t{1} << 62;
constexpr double kSeconds = 1;
constexpr uint64_t kMostRows = 20'000'000;

/// Elements of one tensor, marked as they are touched.
struct Marks {
  Touched touched;
  std::vector<bool> seen, stored;
  std::map<int64_t, uint64_t> row_strides;  ///< how many rows of tiles lie so far apart

  void mark_stored(int64_t first, int64_t count) {
    const int64_t end = std::min(first + count, kCounted);
    if (end > static_cast<int64_t>(stored.size())) stored.resize(static_cast<size_t>(end));
    for (int64_t i = std::max<int64_t>(first, 0); i < end; ++i) {
      ++touched.stores;
      touched.stored_again += stored[static_cast<size_t>(i)];
      stored[static_cast<size_t>(i)] = true;
    }
  }

  void mark(int64_t first, int64_t count) {
    if (count <= 0) return;
    if (touched.empty()) touched.low = first, touched.high = first + count - 1;
    touched.low = std::min(touched.low, first);
    touched.high = std::max(touched.high, first + count - 1);
    const int64_t end = std::min(first + count, kCounted);
    if (end > static_cast<int64_t>(seen.size())) seen.resize(static_cast<size_t>(end));
    for (int64_t i = std::max<int64_t>(first, 0); i < end; ++i) {
      touched.distinct += !seen[static_cast<size_t>(i)];
      seen[static_cast<size_t>(i)] = true;
    }
  }
};

}  // namespace

Reach measure_reach(const LaunchSpec& spec, const SourcePtr& text) {
  Reach out;
  auto source = cost::TrafficSource::open(spec, 1, text);
  if (!source) {
    out.errors = source.errors();
    return out;
  }
  const std::vector<cost::TrafficTensor>& tensors = (*source)->tensors();
  const std::vector<cost::TrafficOp>& ops = (*source)->ops();
  std::vector<Marks> marks(tensors.size());
  for (size_t t = 0; t < tensors.size(); ++t) marks[t].touched.tensor = tensors[t].name;
  const std::array<int64_t, 3> grid = (*source)->grid();
  const int64_t programs = grid[0] * grid[1] * grid[2];
  const auto start = std::chrono::steady_clock::now();
  std::vector<cost::AccessRows> rows;
  uint64_t seen_rows = 0;
  for (int64_t i = 0; i < programs; ++i) {
    // Of too many the first and the last ones: these touch the ends of tensors.
    const int64_t p = programs <= kMostPrograms ? i : i % 2 == 0 ? i / 2 : programs - 1 - i / 2;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    if (i >= kMostPrograms || spent.count() > kSeconds || seen_rows > kMostRows) {
      out.cut_off = true;
      break;
    }
    ++out.programs;
    out.stopped_programs += !(*source)->program(p, 0, rows);
    for (const cost::AccessRows& r : rows) {
      if (r.tensor < 0 || r.rows == 0) continue;
      const cost::TrafficTensor& t = tensors[static_cast<size_t>(r.tensor)];
      Marks& m = marks[static_cast<size_t>(r.tensor)];
      const cost::TrafficOp& op = ops[static_cast<size_t>(r.op)];
      m.touched.loaded = m.touched.loaded || op.loads;
      m.touched.stored = m.touched.stored || op.stores;
      m.touched.atomic = m.touched.atomic || (op.loads && op.stores);
      const int64_t bytes = dtype_bytes(t.dtype);
      seen_rows += r.rows;
      if (r.rows > 1 && r.stride > static_cast<int64_t>(r.bytes) && r.stride % bytes == 0) m.row_strides[r.stride / bytes] += r.rows;
      for (uint32_t row = 0; row < r.rows && row < 1u << 20; ++row) {
        // Addresses wrap as they do on a GPU; what is out of any tensor's reach is just far away.
        const auto wrapped = static_cast<int64_t>(r.start - t.origin + static_cast<uint64_t>(r.stride) * row);
        const int64_t at = std::clamp(wrapped, -kFarAway, kFarAway);
        const int64_t first = at >= 0 ? at / bytes : -((-at + bytes - 1) / bytes);
        m.mark(first, (r.bytes + bytes - 1) / bytes);
        if (op.stores && !op.loads) m.mark_stored(first, (r.bytes + bytes - 1) / bytes);
      }
    }
  }
  for (Marks& m : marks) {
    uint64_t most = 0;
    for (const auto& [stride, rows_so_far_apart] : m.row_strides)
      if (rows_so_far_apart > most) most = rows_so_far_apart, m.touched.row_stride = stride;
  }
  for (Marks& m : marks) out.tensors.push_back(std::move(m.touched));
  return out;
}

}  // namespace tilescope
