// What the programs of a launch touch in the tensors that some program changes, kept for the race check
// (sim/race_check.h). One log a thread; an access takes 24 bytes, whatever the size of its tile. A tensor that is only
// loaded, or only updated by atomics, is not logged.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/memory.h"
#include "sim/recorder.h"
#include "sim/tile.h"

namespace tilescope {

/// What the logs of one launch share.
struct AccessLogPlan {
  enum class Kind : uint8_t { Load, Store, Atomic };
  struct OpFacts {
    Kind kind = Kind::Load;
    TileType type;
    const Op* op = nullptr;
    bool acquires = false;  ///< an atomic whose old value the program looks at, and whose order others can rely on
    bool releases = false;
  };
  std::vector<OpFacts> ops;
  std::vector<bool> logged;  ///< by tensor

  /// `tensor_of[op]`: the tensor that memory op is known to touch, or -1.
  AccessLogPlan(const Function& f, const std::vector<MemoryOp>& memory_ops, const std::vector<int>& tensor_of, int tensors);
  bool any() const;
};

/// The same lanes at the same distances: only the base differs between executions.
struct AccessShape {
  int32_t op = 0;
  std::array<int64_t, kMaxRank> strides{};
  Box on;
  // As runs of bytes: [base + first, base + first + bytes), repeated along the outer axes (strides above 0).
  int64_t first = 0;
  uint64_t bytes = 0, extent = 0;  ///< of one run; from the first byte to behind the last
  int outer_rank = 0;
  std::array<int64_t, kMaxRank> outer_dims{}, outer_strides{};
  uint64_t runs = 1;

  template <class Fn>
  void for_each_run(uint64_t base, Fn&& fn) const {
    uint64_t start = base + static_cast<uint64_t>(first);
    std::array<int64_t, kMaxRank> at{};
    for (int axis = 0; axis >= 0;) {
      fn(start, start + bytes);
      for (axis = outer_rank - 1; axis >= 0; --axis) {
        start += static_cast<uint64_t>(outer_strides[axis]);
        if (++at[axis] < outer_dims[axis]) break;
        start -= static_cast<uint64_t>(outer_strides[axis] * outer_dims[axis]);
        at[axis] = 0;
      }
    }
  }
};

/// Bytes at neighbouring addresses, touched by consecutive lanes.
struct LaneRun {
  uint64_t start = 0;
  uint32_t bytes = 0, lane = 0;
};

struct LoggedAccess {
  enum : uint8_t { kUniform = 1, kVaries = 2, kAfterAcquire = 4, kRuns = 8 };
  uint64_t base = 0;   ///< of lane 0; with kRuns: the first of its LaneRuns
  uint64_t value = 0;  ///< stores: the bits of every lane (kUniform), or a hash of the lanes that are on
  uint32_t shape = 0;  ///< index into shapes; with kRuns: number of LaneRuns
  int32_t op : 24 = 0;
  uint32_t flags : 8 = 0;
};

/// What a store writes, for telling whether two stores write the same.
struct StoredValue {
  uint64_t bits = 0;
  bool uniform = false;
};

class AccessLog {
 public:
  explicit AccessLog(const AccessLogPlan& plan) : plan_(plan), tensors_(plan.logged.size()), last_(plan.ops.size(), 0) {}

  void begin_program(int64_t program, int64_t position) {
    program_ = program;
    position_ = position;
    acquired_ = false;
  }
  bool wants(int tensor) const { return plan_.logged[static_cast<size_t>(tensor)]; }
  /// As Recorder::affine and Recorder::lanes.
  void affine(int op, int tensor, uint64_t base, const int64_t* strides, const Box& on, StoredValue value = {});
  void lanes(int op, const Memory& memory, const uint64_t* addresses, const uint8_t* active, int64_t n, StoredValue value = {});
  /// An atomic op runs: what comes before and after it in this program may be ordered by it. Call after logging it.
  void synchronise(int op);

  /// One program's stretch of a tensor's log.
  struct Block {
    int64_t program = 0, position = 0;
    size_t begin = 0, end = 0;
    size_t released = 0;  ///< accesses below this one come before a release of the program
  };
  struct TensorLog {
    std::vector<LoggedAccess> accesses;
    std::vector<LaneRun> runs;
    std::vector<Block> blocks;
  };
  const TensorLog& log(int tensor) const { return tensors_[static_cast<size_t>(tensor)]; }
  const AccessShape& shape(uint32_t index) const { return shapes_[index]; }
  /// The log is full; what came later is not in it.
  bool overflowed() const { return overflowed_; }

 private:
  static constexpr size_t kMostBytes = size_t{1} << 30;  ///< of one thread's log

  void add(int tensor, LoggedAccess a);
  uint32_t shape_of(int op, const int64_t* strides, const Box& on);

  const AccessLogPlan& plan_;
  std::vector<TensorLog> tensors_;
  std::vector<AccessShape> shapes_;
  std::unordered_multimap<uint64_t, uint32_t> by_hash_;
  std::vector<uint32_t> last_;  ///< by op: its latest shape, plus 1
  int64_t program_ = 0, position_ = 0;
  size_t bytes_ = 0;
  bool acquired_ = false, overflowed_ = false;
};

/// 64 bits that stand for the lanes inside the box: equal for equal bytes in the same order.
uint64_t hash_lanes(const std::byte* data, const int64_t* strides, const TileType& type, const Box& on);

}  // namespace tilescope
