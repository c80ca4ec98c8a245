#include "sim/try_reach.h"

#include <algorithm>
#include <map>

#include "core/compile_module.h"
#include "core/stop.h"
#include "core/thread_time.h"
#include "sim/cost/traffic.h"

namespace tilescope {
namespace {

constexpr int64_t kCounted = int64_t{1} << 24;
constexpr int64_t kMostPrograms = 4096;
constexpr int64_t kFarAway = int64_t{1} << 62;
constexpr double kSecondsOfPrograms = 1;
constexpr uint64_t kMostRows = 20'000'000;
constexpr size_t kMostParts = 2'000'000;  ///< of one program: of 72 bytes each

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

/// Whether the time or the memory of a measurement is used up.
class Budget {
 public:
  explicit Budget(double seconds) : end_(thread_seconds() + seconds) {}
  bool is_spent(const std::vector<cost::AccessRows>& rows) const {
    return seen_rows > kMostRows || rows.size() > kMostParts || thread_seconds() > end_;
  }
  /// Programs have a second of their own, where there is as much.
  void start_programs() { end_ = std::min(end_, thread_seconds() + kSecondsOfPrograms); }
  uint64_t seen_rows = 0;

 private:
  double end_;
};

/// The accesses of programs, by tensor.
class Measurement {
 public:
  Measurement(cost::TrafficSource& source, Budget& budget, std::vector<cost::AccessRows>& rows, Reach& out)
      : source_(source), budget_(budget), rows_(rows), out_(out), marks_(source.tensors().size()) {
    for (size_t t = 0; t < marks_.size(); ++t) marks_[t].touched.tensor = source.tensors()[t].name;
  }

  void run() {
    const std::array<int64_t, 3> grid = source_.grid();
    const int64_t programs = grid[0] * grid[1] * grid[2];
    for (int64_t i = 0; i < programs; ++i) {
      // Of too many the first and the last ones: these touch the ends of tensors.
      const int64_t p = programs <= kMostPrograms ? i : i % 2 == 0 ? i / 2 : programs - 1 - i / 2;
      out_.cut_off = i >= kMostPrograms || budget_.is_spent({});
      if (out_.cut_off) return;
      ++out_.programs;
      out_.stopped_programs += !run_program(p);
      for (const cost::AccessRows& r : rows_)
        if (r.tensor >= 0 && r.rows > 0 && !mark(r)) out_.cut_off = true;
      if (out_.cut_off) return;
    }
  }

  void finish() {
    for (Marks& m : marks_) {
      uint64_t most = 0;
      for (const auto& [stride, rows_so_far_apart] : m.row_strides)
        if (rows_so_far_apart > most) most = rows_so_far_apart, m.touched.row_stride = stride;
      out_.tensors.push_back(std::move(m.touched));
    }
  }

 private:
  /// Out of time in the middle, the program counts with what it did until there.
  bool run_program(int64_t number) {
    try {
      return source_.program(number, 0, rows_);
    } catch (const Stopped&) {
      out_.cut_off = true;
      return true;
    }
  }

  /// False: no time is left for it.
  bool mark(const cost::AccessRows& r) {
    const cost::TrafficTensor& t = source_.tensors()[static_cast<size_t>(r.tensor)];
    const cost::TrafficOp& op = source_.ops()[static_cast<size_t>(r.op)];
    Marks& m = marks_[static_cast<size_t>(r.tensor)];
    m.touched.loaded = m.touched.loaded || op.loads;
    m.touched.stored = m.touched.stored || op.stores;
    m.touched.atomic = m.touched.atomic || (op.loads && op.stores);
    const int64_t bytes = dtype_bytes(t.dtype);
    budget_.seen_rows += r.rows;
    if (r.rows > 1 && r.stride > static_cast<int64_t>(r.bytes) && r.stride % bytes == 0) m.row_strides[r.stride / bytes] += r.rows;
    const int64_t elements = (r.bytes + bytes - 1) / bytes;
    for (uint32_t row = 0; row < r.rows && row < 1u << 20; ++row) {
      if ((unlooked_ += elements) > kElementsBetweenLooks) {
        if (budget_.is_spent({})) return false;
        unlooked_ = 0;
      }
      // Addresses wrap as they do on a GPU; what is out of any tensor's reach is just far away.
      const auto wrapped = static_cast<int64_t>(r.start - t.origin + static_cast<uint64_t>(r.stride) * row);
      const int64_t at = std::clamp(wrapped, -kFarAway, kFarAway);
      const int64_t first = at >= 0 ? at / bytes : -((-at + bytes - 1) / bytes);
      m.mark(first, elements);
      if (op.stores && !op.loads) m.mark_stored(first, elements);
    }
    return true;
  }

  static constexpr int64_t kElementsBetweenLooks = 1 << 20;

  cost::TrafficSource& source_;
  Budget& budget_;
  std::vector<cost::AccessRows>& rows_;
  Reach& out_;
  std::vector<Marks> marks_;
  int64_t unlooked_ = 0;  ///< elements marked since the budget was looked at
};

Expected<std::unique_ptr<cost::TrafficSource>> open_source(const LaunchSpec& spec, const Module& module) {
  Expected<CompiledKernel> kernel = compile_kernel(module, compile_request(spec, module.source));
  if (!kernel) return kernel.errors();
  return cost::TrafficSource::open(spec, std::move(*kernel), 1);
}

}  // namespace

Reach measure_reach(const LaunchSpec& complete, const Module& module, double seconds) {
  Reach out;
  Budget budget(seconds);
  std::vector<cost::AccessRows> rows;
  std::unique_ptr<cost::TrafficSource> source;
  {
    const StopScope scope([&] { return budget.is_spent(rows); });
    try {
      auto opened = open_source(complete, module);
      if (!opened) {
        out.errors = opened.errors();
        return out;
      }
      source = std::move(*opened);
      budget.start_programs();
      Measurement measurement(*source, budget, rows, out);
      measurement.run();
      measurement.finish();
    } catch (const Stopped&) {  // while it was compiled
      out.cut_off = true;
    }
  }
  stop_if_asked();  // by somebody else
  return out;
}

}  // namespace tilescope
