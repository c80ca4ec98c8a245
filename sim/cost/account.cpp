// Sums over the accesses of all programs: what they ask, what that moves, and how much of it is distinct, in a program
// and over the launch.
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

#include "core/layout.h"
#include "core/stop.h"
#include "sim/cost/account_program.h"
#include "sim/cost/traffic.h"
#include "sim/cost/traffic_work.h"

namespace tilescope::cost {
namespace {

void add(OpTraffic& to, const OpTraffic& from) {
  to.times += from.times;
  to.lanes += from.lanes;
  to.requests += from.requests;
  to.sectors += from.sectors;
  to.asked_bytes += from.asked_bytes;
  to.moved_bytes += from.moved_bytes;
  to.program_bytes += from.program_bytes;
}

/// Where the accesses of an op in a tensor are counted.
class Cells {
 public:
  explicit Cells(const TrafficSource& source) : tensors_(source.tensors().size()) {
    for (size_t op = 0; op < source.ops().size(); ++op)
      for (size_t t = 0; t < tensors_; ++t) {
        const TrafficTensor& tensor = source.tensors()[t];
        const bool may = source.ops()[op].tensor < 0 || source.ops()[op].tensor == static_cast<int>(t);
        counts_.push_back(may ? std::make_unique<TouchCounts>(tensor.begin, tensor.end, dtype_bytes(tensor.dtype)) : nullptr);
      }
  }
  size_t size() const { return counts_.size(); }
  size_t index(int op, int tensor) const { return static_cast<size_t>(op) * tensors_ + static_cast<size_t>(tensor); }
  size_t op_of(size_t cell) const { return cell / tensors_; }
  size_t tensor_of(size_t cell) const { return cell % tensors_; }
  TouchCounts* counts(size_t cell) const { return counts_[cell].get(); }

 private:
  size_t tensors_;
  std::vector<std::unique_ptr<TouchCounts>> counts_;
};

/// One thread's part.
class Accountant {
 public:
  Accountant(const TrafficSource& source, const Cells& cells)
      : ops_(source.ops()), cells_(cells), by_op_(ops_.size()), by_cell_(cells.size()), by_tensor_{Sums(source.tensors().size()), Sums(source.tensors().size())} {}

  void program(const std::vector<AccessRows>& rows) {
    for (const AccessRows& r : rows) add_rows(r);
    for (size_t cell : touched_) by_cell_[cell].tiles.close();
    for (size_t cell : touched_) finish(cell);
    for (size_t cell : touched_) {
      by_cell_[cell].here.clear();
      by_cell_[cell].joined = false;
    }
    touched_.clear();
  }

  void flush() {
    for (size_t c = 0; c < by_cell_.size(); ++c)
      if (cells_.counts(c) != nullptr) by_cell_[c].log.flush(*cells_.counts(c));
  }

  /// Adds everything but distinct bytes and tiles.
  void add_to(LaunchTraffic& out) const {
    for (size_t op = 0; op < by_op_.size(); ++op) {
      add(out.ops[op], with_bytes(by_op_[op].sums, op));
      out.ops[op].requests -= by_op_[op].shared;
    }
    for (size_t c = 0; c < by_cell_.size(); ++c) {
      const OpTraffic& sums = by_cell_[c].sums;
      out.ops[cells_.op_of(c)].program_bytes += sums.program_bytes;
      OpTraffic of_tensor = with_bytes(sums, cells_.op_of(c));
      of_tensor.program_bytes = 0;
      add((stores(c) ? out.stores : out.loads)[cells_.tensor_of(c)], of_tensor);
    }
    for (size_t t = 0; t < out.loads.size(); ++t) {
      out.loads[t].program_bytes += by_tensor_[0][t];
      out.stores[t].program_bytes += by_tensor_[1][t];
    }
  }
  TileSet& tiles(size_t cell) { return by_cell_[cell].tiles.set(); }

 private:
  using Sums = std::vector<uint64_t>;
  struct OpState {
    OpTraffic sums;
    uint64_t shared = 0;
  };
  struct Cell {
    OpTraffic sums;
    TouchLog log;        // over programs
    ProgramBytes here;   // of the running program
    TileHashes tiles;
    bool joined = false; // already part of its tensor's sum of this program
    bool touched = false;
  };

  OpTraffic with_bytes(OpTraffic t, size_t op) const {
    t.asked_bytes = t.lanes * static_cast<uint64_t>(ops_[op].elem_bytes);
    t.moved_bytes = t.sectors * kSectorBytes;
    return t;
  }
  bool stores(size_t cell) const { return ops_[cells_.op_of(cell)].stores; }

  void add_rows(const AccessRows& r) {
    OpState& op = by_op_[static_cast<size_t>(r.op)];
    op.sums.times += r.first;
    op.sums.lanes += r.lanes;
    op.sums.requests += r.requests;
    op.sums.sectors += r.sectors;
    op.shared += r.shared_requests;
    if (r.tensor < 0) return;
    const size_t at = cells_.index(r.op, r.tensor);
    Cell& c = by_cell_[at];
    if (!c.touched) {
      c.touched = true;
      touched_.push_back(at);
    }
    const bool first = r.first || r.lanes != 0;
    c.sums.times += first;
    c.sums.lanes += r.lanes;
    c.sums.requests += r.requests;
    c.sums.sectors += r.sectors;
    if (r.rows == 0) return c.tiles.close();
    c.tiles.add(r, first);
    c.here.add({r.start, r.bytes, r.rows, static_cast<uint64_t>(r.rows == 1 ? 0 : r.stride), 1});
  }

  // The end of a program: its distinct bytes here, and in the tensor over all ops that load (store) it.
  void finish(size_t cell) {
    Cell& c = by_cell_[cell];
    c.touched = false;
    const uint64_t bytes = c.here.distinct();
    c.sums.program_bytes += bytes;
    c.here.add_to(c.log, *cells_.counts(cell));
    if (c.joined) return;
    uint64_t of_tensor = bytes;
    ProgramBytes all;
    bool several = false;
    for (size_t other : touched_) {
      if (other == cell || cells_.tensor_of(other) != cells_.tensor_of(cell) || stores(other) != stores(cell)) continue;
      if (!several) all = c.here;
      several = true;
      all.take(by_cell_[other].here);
      by_cell_[other].joined = true;
    }
    if (several) of_tensor = all.distinct();
    by_tensor_[stores(cell)][cells_.tensor_of(cell)] += of_tensor;
  }

  const std::vector<TrafficOp>& ops_;
  const Cells& cells_;
  std::vector<OpState> by_op_;
  std::vector<Cell> by_cell_;
  Sums by_tensor_[2];  ///< distinct bytes of each program, summed: loads, stores
  std::vector<size_t> touched_;
};

/// Runs the programs, each once, on all lanes.
class Run {
 public:
  Run(TrafficSource& source, int64_t programs, const std::function<bool(int64_t, int64_t)>& progress)
      : source_(source), programs_(programs), progress_(progress) {}

  void operator()(std::vector<Accountant>& parts, LaunchTraffic& out) {
    const int lanes = static_cast<int>(std::clamp<int64_t>(programs_, 1, source_.lanes()));
    std::atomic<int64_t> next{0};
    StopRelay relay;
#pragma omp parallel num_threads(lanes)
    {
      const int lane = omp_get_thread_num();
      std::vector<AccessRows> rows;
      constexpr int64_t kAtOnce = 8;
      for (int64_t from; !cancelled_ && !relay.stopped() && (from = next.fetch_add(kAtOnce)) < programs_;) {
        const int64_t to = std::min(from + kAtOnce, programs_);
        int64_t stopped = 0;
        relay([&] {
          for (int64_t p = from; p < to; ++p) {
            stopped += !source_.program(p, lane, rows);
            parts[static_cast<size_t>(lane)].program(rows);
          }
          report(to - from, stopped, out);
        });
      }
    }
    relay.rethrow();
  }

 private:
  void report(int64_t programs, int64_t stopped, LaunchTraffic& out) {
    const std::lock_guard lock(mutex_);
    out.programs += programs;
    out.stopped += stopped;
    if (progress_ && !progress_(out.programs, programs_)) cancelled_ = true;
  }

  TrafficSource& source_;
  const int64_t programs_;
  const std::function<bool(int64_t, int64_t)>& progress_;
  std::mutex mutex_;
  std::atomic<bool> cancelled_{false};
};

void find_distinct(const TrafficSource& source, const Cells& cells, std::vector<Accountant>& parts, LaunchTraffic& out) {
  const size_t tensors = source.tensors().size();
  std::vector<std::vector<const TouchCounts*>> touched[2];
  std::vector<TileSet> tiles[2];
  for (int k = 0; k < 2; ++k) touched[k].resize(tensors), tiles[k].resize(tensors);
  for (size_t c = 0; c < cells.size(); ++c) {
    TouchCounts* counts = cells.counts(c);
    if (counts == nullptr) continue;
    counts->settle();
    OpTraffic& op = out.ops[cells.op_of(c)];
    const DistinctBytes d = count_distinct({counts});
    op.distinct_bytes += d.bytes;
    op.distinct_sectors += d.sectors;
    const bool stores = source.ops()[cells.op_of(c)].stores;
    touched[stores][cells.tensor_of(c)].push_back(counts);
    TileSet set;
    for (Accountant& a : parts) set.take(a.tiles(c));
    op.tiles += set.size();
    tiles[stores][cells.tensor_of(c)].take(set);
  }
  for (size_t t = 0; t < tensors; ++t)
    for (int k = 0; k < 2; ++k) {
      OpTraffic& sum = (k == 0 ? out.loads : out.stores)[t];
      const DistinctBytes d = count_distinct(touched[k][t]);
      sum.distinct_bytes = d.bytes;
      sum.distinct_sectors = d.sectors;
      sum.tiles = tiles[k][t].size();
    }
}

void find_totals(const TrafficSource& source, LaunchTraffic& out) {
  double stored = 0, stored_once = 0;
  out.naive_loads = out.work.operand_bytes;
  for (size_t op = 0; op < out.ops.size(); ++op) {
    const TrafficOp& o = source.ops()[op];
    const auto asked = static_cast<double>(out.ops[op].asked_bytes);
    if (o.stores) stored += asked;
    else out.tiled_loads += asked;
    if (!o.stores && !o.feeds_dot) out.naive_loads += asked;
  }
  for (size_t t = 0; t < out.loads.size(); ++t) {
    out.ideal_loads += static_cast<double>(out.loads[t].distinct_bytes);
    stored_once += static_cast<double>(out.stores[t].distinct_bytes);
  }
  out.naive_bytes = out.naive_loads + stored;
  out.tiled_bytes = out.tiled_loads + stored;
  out.ideal_bytes = out.ideal_loads + stored_once;
}

}  // namespace

LaunchTraffic account(TrafficSource& source, int64_t first, const std::function<bool(int64_t, int64_t)>& progress) {
  const std::array<int64_t, 3> grid = source.grid();
  int64_t programs = grid[0] * grid[1] * grid[2];
  if (first >= 0) programs = std::min(programs, first);
  LaunchTraffic out;
  out.ops.resize(source.ops().size());
  out.loads.resize(source.tensors().size());
  out.stores.resize(source.tensors().size());
  const Cells cells(source);
  std::vector<Accountant> parts;
  for (int l = 0; l < source.lanes(); ++l) parts.emplace_back(source, cells);
  out.work = source.work();
  Run(source, programs, progress)(parts, out);
  WorkCounts before = out.work;
  out.work = source.work();
  add_work(out.work, before, -1);
  for (Accountant& a : parts) {
    a.flush();
    a.add_to(out);
  }
  find_distinct(source, cells, parts, out);
  find_totals(source, out);
  return out;
}

}  // namespace tilescope::cost
