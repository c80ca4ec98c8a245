#include "sim/cost/replay.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <queue>

namespace tilescope::cost {
namespace {

constexpr uint64_t kBytesAtOnce = 32 << 10;  // accesses without arithmetic between them happen together, up to here
constexpr size_t kBuckets = 512;             // of the schedule's samples

/// A standard normal number from two hashes (Box and Muller).
double normal(uint64_t seed, uint64_t n) {
  uint64_t a = mix_bits(seed ^ mix_bits(2 * n)), b = mix_bits(seed ^ mix_bits(2 * n + 1));
  double u = (static_cast<double>(a >> 11) + 1) * 0x1p-53, v = static_cast<double>(b >> 11) * 0x1p-53;
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

/// DRAM bytes, lookups and hits over time, in buckets that widen as the run grows.
class Samples {
 public:
  void add(double time, const CacheCounts& c, int64_t running) {
    if (width_ == 0) width_ = std::max(time, 1e-9) / 16;
    while (time >= width_ * kBuckets) widen();
    auto at = static_cast<size_t>(time / width_);
    if (buckets_.size() <= at) buckets_.resize(at + 1);
    buckets_[at].counts += c;
    buckets_[at].running = running;
  }
  std::vector<Schedule::Sample> take(double scale) const {
    std::vector<Schedule::Sample> out;
    for (size_t i = 0; i < buckets_.size(); ++i) {
      const Bucket& b = buckets_[i];
      if (b.counts.asked == 0) continue;
      out.push_back({static_cast<double>(i) * width_, scale * 32 * static_cast<double>(b.counts.dram_read) / width_,
                     hit_rate_of(b.counts), b.running});
    }
    return out;
  }

 private:
  struct Bucket {
    CacheCounts counts;
    int64_t running = 0;
  };
  void widen() {
    for (size_t i = 0; i < buckets_.size(); ++i) {
      Bucket b = buckets_[i];
      buckets_[i] = {};
      buckets_[i / 2].counts += b.counts;
      buckets_[i / 2].running = b.running;
    }
    buckets_.resize((buckets_.size() + 1) / 2);
    width_ *= 2;
  }
  std::vector<Bucket> buckets_;
  double width_ = 0;
};

class Replay {
 public:
  Replay(const LaunchSteps& steps, const Dealer& dealer, const GpuDescription& gpu, int ops, int tensors,
         const ReplayOptions& options)
      : steps_(steps), dealer_(dealer), gpu_(gpu), options_(options), cache_(steps.shape, tensors), tensors_(tensors) {
    counts_.resize(ops);
    loads_.resize(static_cast<size_t>(tensors) + 1);
    residents_.resize(gpu.sms);
    slots_.resize(static_cast<size_t>(gpu.sms) * options.programs_per_sm);
  }

  ReplayResult run() {
    for (size_t i = 0; i < slots_.size() && next_ < steps_.recorded(); ++i) deal(static_cast<uint32_t>(i), 0);
    uint64_t events = 0;
    double now = 0;
    while (!events_.empty()) {
      auto [time, slot] = events_.top();
      events_.pop();
      now = time;
      if (slots_[slot].step == slots_[slot].end) {
        finish(slot, time);
        if (next_ < steps_.recorded()) deal(slot, time);
      } else {
        events_.push({time + advance(slot, time), slot});
      }
      if ((++events & 0x3fff) == 0 && !go_on()) {
        ReplayResult none;
        none.stopped = true;
        return none;
      }
    }
    return result(now);
  }

 private:
  struct Slot {
    int64_t program = 0;
    uint64_t step = 0, end = 0;
    double slowness = 1, start = 0;
  };
  using Event = std::pair<double, uint32_t>;

  bool go_on() const {
    if (options_.stop && options_.stop->load(std::memory_order_relaxed)) return false;
    return !options_.progress || options_.progress(static_cast<double>(next_) / static_cast<double>(steps_.recorded()));
  }

  int sm_of(uint32_t slot) const { return static_cast<int>(slot % static_cast<uint32_t>(gpu_.sms)); }

  void deal(uint32_t slot, double time) {
    Slot& s = slots_[slot];
    int64_t n = next_++, place = steps_.dealt(dealer_, n);
    s.program = dealer_.program(n);
    s.step = steps_.begin[place], s.end = steps_.begin[place + 1];
    s.slowness = std::exp(options_.drift * normal(options_.seed, static_cast<uint64_t>(n)));
    s.start = time;
    residents_[sm_of(slot)].push_back(slot);
    ++running_;
    double wait = s.step < s.end ? steps_.steps[s.step].flops * options_.seconds_per_flop : 0;
    events_.push({time + wait * s.slowness * crowd(slot), slot});
  }

  void finish(uint32_t slot, double time) {
    auto& residents = residents_[sm_of(slot)];
    residents.erase(std::find(residents.begin(), residents.end(), slot));
    --running_;
    if (options_.schedule) add_slice(slot, -1, slots_[slot].start, time);
  }

  /// How much longer than alone the program takes for its work: its SM is shared, the oldest first.
  double crowd(uint32_t slot) const {
    const auto& residents = residents_[sm_of(slot)];
    auto n = static_cast<double>(residents.size());
    if (residents.size() < 2) return 1;
    auto rank = static_cast<double>(std::find(residents.begin(), residents.end(), slot) - residents.begin());
    return n / (1 + options_.older_first * (1 - 2 * rank / (n - 1)));
  }

  /// Does the accesses of the next steps, up to the next arithmetic; the time that they and it take.
  double advance(uint32_t slot, double time) {
    Slot& s = slots_[slot];
    const double share = crowd(slot) * s.slowness;
    const int partition = static_cast<int>(static_cast<int64_t>(sm_of(slot)) * gpu_.l2_partitions / gpu_.sms);
    uint64_t bytes = 0;
    double seconds = 0;
    CacheCounts sum;
    do {
      const StepTile& tile = steps_.tiles[steps_.steps[s.step].tile];
      CacheCounts counts;
      access(tile, partition, counts);
      counts_[tile.op] += counts;
      if (tile.kind == AccessKind::Load) loads_[tile.tensor < 0 ? tensors_ : tile.tensor] += counts;
      bytes += tile.asked();
      double took = static_cast<double>(tile.asked()) * options_.seconds_per_byte * share;
      if (options_.schedule) {
        sum += counts;
        add_slice(slot, tile.op, time + seconds, time + seconds + took);
      }
      seconds += took;
      ++s.step;
    } while (s.step < s.end && steps_.steps[s.step].flops == 0 && bytes < kBytesAtOnce);
    if (s.step < s.end) seconds += steps_.steps[s.step].flops * options_.seconds_per_flop * share;
    if (options_.schedule) samples_.add(time, sum, running_);
    return seconds;
  }

  void access(const StepTile& tile, int partition, CacheCounts& counts) {
    const CacheLine* line = steps_.lines.data() + tile.first_line;
    const int tensor = tile.tensor < 0 ? tensors_ : tile.tensor;
    for (uint32_t i = 0; i < tile.lines; ++i, ++line) {
      if (tile.kind == AccessKind::Load) cache_.load(partition, *line, counts);
      else if (tile.kind == AccessKind::Store) cache_.store(partition, *line, tensor, counts);
      else cache_.atomic(partition, *line, tensor, counts);
    }
  }

  void add_slice(uint32_t slot, int32_t op, double from, double to) {
    // Ops give way first: room is kept for the programs, as far as half of it goes.
    const uint64_t kept = op < 0 ? 0 : std::min<uint64_t>(options_.most_slices / 2, static_cast<uint64_t>(steps_.recorded()));
    if (slices_.size() >= options_.most_slices - kept) {
      truncated_ = true;
      return;
    }
    slices_.push_back({sm_of(slot), static_cast<int>(slot / static_cast<uint32_t>(gpu_.sms)), slots_[slot].program, op, from, to});
  }

  ReplayResult result(double seconds) {
    cache_.flush();
    // Sets that were not simulated, and programs that were not recorded.
    double scale = steps_.shape.scale() * static_cast<double>(steps_.programs) / static_cast<double>(std::max<int64_t>(1, steps_.recorded()));
    auto up = [&](uint64_t n) { return static_cast<uint64_t>(std::llround(static_cast<double>(n) * scale)); };
    ReplayResult r;
    auto scaled = [&](const CacheCounts& c) {
      return CacheCounts{up(c.asked), up(c.hit), up(c.far_asked), up(c.far_hit), up(c.dram_read)};
    };
    for (const CacheCounts& c : counts_) r.ops.push_back(scaled(c));
    for (const CacheCounts& c : loads_) r.loads.push_back(scaled(c));
    for (uint64_t n : cache_.written()) r.written_bytes.push_back(32.0 * static_cast<double>(n) * scale);
    r.seconds = seconds;
    if (options_.schedule) r.schedule = Schedule{std::move(slices_), samples_.take(steps_.shape.scale()), truncated_};
    return r;
  }

  const LaunchSteps& steps_;
  const Dealer& dealer_;
  const GpuDescription& gpu_;
  const ReplayOptions& options_;
  L2Cache cache_;
  int tensors_;
  std::vector<CacheCounts> counts_, loads_;
  std::vector<std::vector<uint32_t>> residents_;  ///< by SM: its slots that hold a program, the oldest first
  std::vector<Slot> slots_;                       ///< slot s is place s / sms on SM s % sms
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  int64_t next_ = 0, running_ = 0;
  Samples samples_;
  std::vector<Schedule::Slice> slices_;
  bool truncated_ = false;
};

}  // namespace

double hit_rate_of(const CacheCounts& c) {
  uint64_t asked = c.asked + c.far_asked;
  return asked == 0 ? 0 : static_cast<double>(c.hit + c.far_hit) / static_cast<double>(asked);
}

CacheCounts ReplayResult::total() const {
  CacheCounts sum;
  for (const CacheCounts& c : ops) sum += c;
  return sum;
}

double ReplayResult::dram_written_bytes() const {
  double sum = 0;
  for (double b : written_bytes) sum += b;
  return sum;
}

double ReplayResult::hit_rate() const { return hit_rate_of(total()); }

ReplayResult replay(const LaunchSteps& steps, const Dealer& dealer, const GpuDescription& gpu, int ops, int tensors,
                    const ReplayOptions& options) {
  return Replay(steps, dealer, gpu, ops, tensors, options).run();
}

}  // namespace tilescope::cost
