#include "sim/cost/launch_steps.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "core/stop.h"

namespace tilescope::cost {
namespace {

constexpr uint64_t kMostTiles = uint64_t{1} << 22;
constexpr int64_t kMostEntries = int64_t{1} << 23;  // lines that the simulated sets hold
constexpr double kLineVisits = 2e6;  // of one replay, about: decides how many sets are simulated

bool same_bytes(const StepTile& t, const AccessRows& r) {
  return t.start == r.start && t.stride == r.stride && t.bytes == r.bytes && t.rows == r.rows && t.op == r.op &&
         t.tensor == r.tensor;
}

uint64_t hash_of(uint64_t start, int64_t stride, uint32_t bytes, uint32_t rows, int32_t op) {
  return mix_bits(start ^ mix_bits(static_cast<uint64_t>(stride) ^ mix_bits((uint64_t{bytes} << 32 | rows) + op)));
}

/// Numbers tiles as they come.
class TileTable {
 public:
  TileTable(std::vector<StepTile>& tiles, const std::vector<TrafficOp>& ops) : tiles_(tiles), ops_(ops), slots_(1 << 12, 0) {}

  uint32_t number(const AccessRows& r) {
    size_t mask = slots_.size() - 1;
    size_t at = hash_of(r.start, r.stride, r.bytes, r.rows, r.op) & mask;
    for (; slots_[at] != 0; at = (at + 1) & mask)
      if (same_bytes(tiles_[slots_[at] - 1], r)) return slots_[at] - 1;
    StepTile t;
    t.start = r.start, t.stride = r.stride, t.bytes = r.bytes, t.rows = r.rows, t.op = r.op, t.tensor = r.tensor;
    const TrafficOp& op = ops_[r.op];
    t.kind = op.loads && op.stores ? AccessKind::Atomic : op.stores ? AccessKind::Store : AccessKind::Load;
    tiles_.push_back(t);
    slots_[at] = static_cast<uint32_t>(tiles_.size());
    if (tiles_.size() * 2 > slots_.size()) grow();
    return static_cast<uint32_t>(tiles_.size()) - 1;
  }

  void clear() { slots_.assign(1 << 12, 0); }

 private:
  void grow() {
    slots_.assign(slots_.size() * 2, 0);
    for (uint32_t i = 0; i < tiles_.size(); ++i) {
      const StepTile& t = tiles_[i];
      size_t at = hash_of(t.start, t.stride, t.bytes, t.rows, t.op) & (slots_.size() - 1);
      while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = i + 1;
    }
  }

  std::vector<StepTile>& tiles_;
  const std::vector<TrafficOp>& ops_;
  std::vector<uint32_t> slots_;  ///< number + 1; 0: free
};

/// Lines of a tile, about: enough to choose the sampling.
double lines_of(const StepTile& t, double line_bytes) {
  if (t.asked() == 0) return 0;
  double apart = std::fabs(static_cast<double>(t.stride));
  double rows = t.rows;
  if (t.rows > 1 && apart < line_bytes) return std::max(1.0, (rows * apart + t.bytes) / line_bytes);
  return rows * std::max(1.0, t.bytes / line_bytes);
}

/// Appends the simulated lines of a tile; rows that share a line are merged where they follow one another.
void list_lines(StepTile& t, LaunchSteps& s) {
  t.first_line = static_cast<uint32_t>(s.lines.size());
  const uint64_t line_bytes = static_cast<uint64_t>(s.shape.line_bytes), sector = 32;
  uint64_t last_number = ~uint64_t{0};
  bool last_kept = false;
  for (uint32_t row = 0; row < t.rows && t.bytes > 0; ++row) {
    uint64_t low = t.start + static_cast<uint64_t>(row) * static_cast<uint64_t>(t.stride), high = low + t.bytes - 1;
    if (high < low) continue;  // wraps around the end of the address space
    for (uint64_t number = low / line_bytes; number <= high / line_bytes; ++number) {
      uint64_t base = number * line_bytes;
      uint64_t from = (std::max(low, base) - base) / sector, to = (std::min(high, base + line_bytes - 1) - base) / sector;
      auto bits = static_cast<uint16_t>(((uint64_t{2} << to) - 1) & ~((uint64_t{1} << from) - 1));
      if (number == last_number) {
        if (last_kept) s.lines.back().sectors |= bits;
        continue;
      }
      CacheLine line;
      last_number = number;
      last_kept = place_line(number, s.shape, line);
      if (!last_kept) continue;
      line.sectors = bits;
      s.lines.push_back(line);
    }
  }
  t.lines = static_cast<uint32_t>(s.lines.size()) - t.first_line;
}

void map_lines(LaunchSteps& s, const GpuDescription& gpu) {
  std::vector<uint32_t> uses(s.tiles.size(), 0);
  for (const Step& step : s.steps) ++uses[step.tile];
  double visits = 0;
  for (size_t i = 0; i < s.tiles.size(); ++i) visits += uses[i] * lines_of(s.tiles[i], static_cast<double>(gpu.l2_line_bytes));
  int64_t sample = 1;
  while (visits / static_cast<double>(sample) > kLineVisits || gpu.l2_bytes / gpu.l2_line_bytes / sample > kMostEntries) sample *= 2;
  s.shape = cache_shape(gpu, sample);
  for (StepTile& t : s.tiles) list_lines(t, s);
}

}  // namespace

std::optional<LaunchSteps> record_steps(TrafficSource& source, const Dealer& dealer, const GpuDescription& gpu,
                                        const std::function<bool(double)>& progress, uint64_t most_steps) {
  LaunchSteps s;
  s.programs = dealer.programs();
  s.begin.push_back(0);
  TileTable table(s.tiles, source.ops());
  const int lanes = std::max(1, source.lanes());
  constexpr int kBatch = 64;  // programs of a lane between two times that their accesses are written down
  std::vector<std::vector<AccessRows>> rows(static_cast<size_t>(lanes) * kBatch);
  // Programs go in the order of their numbers, so that `begin` does. Only if not all fit does the dealt order matter:
  // then the record starts again in that order.
  bool by_number = true;
  std::atomic<int64_t> stopped{0};
  StopRelay relay;
  for (int64_t done = 0; done < s.programs;) {
    int64_t batch = std::min<int64_t>(s.programs - done, static_cast<int64_t>(rows.size()));
#pragma omp parallel for schedule(static) num_threads(lanes) if (batch > 8)
    for (int64_t i = 0; i < batch; ++i)
      relay([&] {
        if (!source.program(by_number ? done + i : dealer.program(done + i), omp_get_thread_num(), rows[i])) ++stopped;
      });
    relay.rethrow();
    bool full = false;
    for (int64_t i = 0; i < batch && !full; ++i) {
      if (s.recorded() > 0 && (s.steps.size() + rows[i].size() > most_steps || s.tiles.size() + rows[i].size() > kMostTiles)) {
        full = true;
        break;
      }
      for (const AccessRows& r : rows[i]) s.steps.push_back({table.number(r), r.flops_before});
      s.begin.push_back(s.steps.size());
    }
    done += batch;
    if (full && !by_number) break;
    if (full) {
      s.whole = by_number = false;
      s.steps.clear(), s.tiles.clear(), s.begin.assign(1, 0);
      table.clear();
      done = 0, stopped = 0;
    }
    if (progress && !progress(static_cast<double>(done) / static_cast<double>(s.programs))) return std::nullopt;
  }
  s.stopped = stopped;
  map_lines(s, gpu);
  return s;
}

uint64_t tiles_hash(const LaunchSteps& steps) {
  uint64_t sum = 0;
  for (const StepTile& t : steps.tiles)
    sum += hash_of(t.start, t.stride, t.bytes, t.rows, static_cast<int32_t>(t.kind));
  return sum;
}

uint64_t tiles_loaded(const LaunchSteps& steps, const Dealer& dealer, int64_t count) {
  std::vector<bool> seen(steps.tiles.size(), false);
  uint64_t distinct = 0;
  for (int64_t n = 0; n < std::min(count, steps.recorded()); ++n) {
    int64_t p = steps.dealt(dealer, n);
    for (uint64_t i = steps.begin[p]; i < steps.begin[p + 1]; ++i) {
      uint32_t tile = steps.steps[i].tile;
      if (seen[tile] || steps.tiles[tile].kind != AccessKind::Load) continue;
      seen[tile] = true;
      ++distinct;
    }
  }
  return distinct;
}

int64_t tile_columns(const LaunchSteps& steps, const std::vector<TrafficTensor>& tensors) {
  std::unordered_map<int32_t, std::unordered_set<uint64_t>> columns;  // by op
  for (const StepTile& t : steps.tiles) {
    if (t.kind != AccessKind::Store || t.tensor < 0 || t.rows < 2 || t.stride <= 0) continue;
    columns[t.op].insert((t.start - tensors[t.tensor].begin) % static_cast<uint64_t>(t.stride));
  }
  size_t most = 0;
  for (const auto& [op, places] : columns) most = std::max(most, places.size());
  return static_cast<int64_t>(most);
}

}  // namespace tilescope::cost
