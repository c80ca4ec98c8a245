// A machine that keeps a log of the accesses of its programs (PlanStyle::Addresses).
#pragma once

#include <vector>

#include "sim/coalesce.h"
#include "sim/cost/traffic.h"
#include "sim/machine.h"

namespace tilescope::cost {

/// What the logs of one launch share.
struct LogPlan {
  const std::vector<MemoryOp>* ops = nullptr;
  std::vector<int> tensors;        ///< by op: the tensor that it is known to access, or -1
  std::vector<float> place_flops;  ///< by place: of the dominant unit
  int memory_size = 0;             ///< tensors of the launch
};

/// Accesses of the running program. For one thread.
class AccessLog {
 public:
  explicit AccessLog(const LogPlan& plan);

  /// The next program's accesses go to `out`.
  void begin(std::vector<AccessRows>& out) {
    out_ = &out;
    flops_ = 0;
  }
  /// How often programs came by each place.
  const std::vector<uint64_t>& times() const { return times_; }

  void place(int64_t number) {
    ++times_[static_cast<size_t>(number)];
    flops_ += plan_.place_flops[static_cast<size_t>(number)];
  }
  /// Lane [i0, i1, ...] is at base + sum(i * strides[axis]), on inside the box.
  void affine(int op, int tensor, uint64_t base, const int64_t* strides, const Box& on);
  /// Lane i is at addresses[i], on where active[i] != 0 (everywhere when null).
  void lanes(int op, const uint64_t* addresses, const uint8_t* active, int64_t n);
  /// Every lane is masked off.
  void masked(int op);

 private:
  AccessRows& start(int op, int tensor);
  void runs(int op, int tensor, const uint64_t* addresses, const uint8_t* active, int64_t n, const AccessRows& whole);
  void several(int op, const uint64_t* addresses, const uint8_t* active, int64_t n);
  int tensor_at(uint64_t address) const;

  const LogPlan& plan_;
  std::vector<AccessCosts> costs_;  ///< by op
  std::vector<uint64_t> times_;
  std::vector<AccessRows>* out_ = nullptr;
  float flops_ = 0;
  bool first_ = true;  ///< the part that is logged next is the first of its execution
};

struct TrafficMachine : Machine {
  TrafficMachine(const Plan& plan, Memory& memory, const LogPlan& log_plan) : Machine(plan, memory), log(log_plan) {}
  AccessLog log;
};

}  // namespace tilescope::cost
