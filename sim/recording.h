// What a ProgramRecording keeps (sim/record.cpp asks it, sim/record_run.cpp fills it).
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sim/record.h"
#include "sim/stepper.h"

namespace tilescope {

struct ProgramRecording::State {
  std::unique_ptr<Plan> plan;
  std::shared_ptr<const std::vector<Tensor>> before;
  /// The tensors that the program may change, as the stepper sees them now; null for those that are only read, which
  /// are never copied.
  std::vector<std::unique_ptr<Tensor>> own;
  /// By tensor, for those of `own` that are only stored to: pages copied from `before` so far. Empty: all.
  static constexpr int64_t kPageBytes = 4096;
  std::vector<std::vector<bool>> pages;
  Memory memory;  ///< its tensors are numbered as in `before`
  std::optional<Stepper> stepper;

  std::vector<const Op*> ops;
  ProgramTrace trace;
  std::vector<std::vector<uint8_t>>
      was_written;                              ///< of trace.changes: a flag an element, where the tensor has a shadow
  std::vector<std::vector<size_t>> changes_of;  ///< by tensor: indices into trace.changes
  std::vector<std::vector<uint32_t>> definitions;  ///< by op, twice: steps that gave its results, then iteration starts
  std::vector<std::pair<int32_t, bool>> defined_by;  ///< by value: op (-1: none), and whether at its iteration starts
  std::vector<Checkpoint> checkpoints;               ///< rising; the first is the start
  std::vector<uint64_t> stretches;                   ///< first steps; the values of a stretch are computed together
  uint64_t log_bytes = 0, checkpoint_bytes = 0, memory_limit = 0;

  /// Values of one stretch.
  struct Kept {
    size_t stretch = 0;
    uint64_t bytes = 0;
    std::vector<std::shared_ptr<const StepData>> steps;
  };
  std::mutex mutex;
  std::list<Kept> kept;  ///< the last used first
  uint64_t kept_bytes = 0;

  /// A tensor for the panels, after the first `applied` of its changes; null when the program does not change it.
  struct View {
    std::unique_ptr<Tensor> tensor;
    size_t applied = 0;
  };
  std::vector<View> views;

  const Function& function() const { return *plan->function; }
  /// Number of changes that steps before this one made.
  size_t changes_before(uint64_t step) const;
  /// Puts the stepper to a place at or before the step.
  void go_before(uint64_t step);
  void redo(size_t change, bool forward);
  /// Makes the element's bytes in `own` those of before the program, unless they are there already.
  void need_element(size_t tensor, int64_t storage_index);
  ValueRecord read_value(ValueId v);
  Kept compute(size_t stretch);
};

/// Writes a change's values (those after it when `forward`) into the tensor.
void apply_change(Tensor& tensor, const MemoryChange& change, bool forward);

}  // namespace tilescope
