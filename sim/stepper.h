// Runs one program of a launch step by step, and goes back to where it was before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/handlers.h"
#include "sim/machine.h"

namespace tilescope {

/// Everything that a machine needs to go on from a place between two steps, memory apart.
struct Checkpoint {
  struct SavedTile {
    int32_t slot = 0;
    Tile tile;
    std::vector<std::byte> lanes;  ///< row-major, of tiles with memory of their own or in a tensor that may change
    std::vector<std::byte> poison;
  };
  uint64_t step = 0;  ///< steps that are done
  const Inst* next = nullptr;
  std::vector<uint64_t> registers;
  std::vector<uint8_t> register_poison;
  std::vector<LoopState> loops;
  std::vector<SavedTile> tiles;
  bool poisoned = false, wrapped = false, masked_poison = false, uninitialised_poison = false;

  uint64_t bytes() const;
};

/// What one step was.
struct StepEvent {
  const Inst* inst = nullptr;  ///< null: the program has ended
  const Op* op = nullptr;
  StepPhase phase = StepPhase::Op;
  int32_t loop = -1;     ///< of Iteration and Leave: the loop's number in the plan
  bool faulted = false;  ///< the program stopped here; the fault is the machine's last
  /// Values that it gave; empty when it faulted.
  const std::vector<ValueId>* results = nullptr;
};

class Stepper {
 public:
  /// The plan is of PlanStyle::Steps. `changing[t]`: tensor t of the memory may be stored to.
  Stepper(const Plan& plan, Memory& memory, std::vector<bool> changing)
      : machine(plan, memory), changing_(std::move(changing)), next_(plan.code.data()) {}

  uint64_t done() const { return done_; }

  /// Runs the next step. `before(inst)` is called when it is an instruction that reads operands, just before it runs.
  template <class Before>
  StepEvent advance(Before&& before);

  Checkpoint save();
  /// The memory must be as it was when the checkpoint was made.
  void restore(const Checkpoint& c);
  /// False at the end of the program, or after stop(): then only restore() helps.
  bool can_go_on() const { return next_ != nullptr; }
  void stop() { next_ = nullptr; }

  Machine machine;

 private:
  std::vector<bool> changing_;
  const Inst* next_;
  uint64_t done_ = 0;
};

template <class Before>
StepEvent Stepper::advance(Before&& before) {
  static const std::vector<ValueId> kNone;
  while (next_ != nullptr) {
    const Inst* i = next_;
    if (i->run == run_mark) {
      const auto& mark = *static_cast<const Mark*>(i->extra);
      next_ = i + 1;
      ++done_;
      return {i, i->op, mark.phase, i->index, false, mark.results};
    }
    const bool counts = i->op != nullptr && i->op->info().group != OpGroup::Control;
    if (counts) before(i);
    try {
      next_ = i->run(machine, i);
    } catch (const ProgramStopped&) {
      next_ = nullptr;
      ++done_;
      const Inst* culprit = i->op != nullptr ? i : machine.faults.back().inst;
      return {culprit, culprit->op, StepPhase::Op, -1, true, &kNone};
    }
    if (!counts) continue;
    ++done_;
    return {i, i->op, StepPhase::Op, -1, false, &i->op->results};
  }
  return {};
}

}  // namespace tilescope
