// The full recording of one program, and the way back and forth through it (time travel).
//
// While the program runs, checkpoints of its live values are kept (more widely spaced when memory gets short). The
// values of a step are computed again from the checkpoint before it; the stretches used last are kept. So any step is
// a short run away, however long the loop is, and memory is bounded.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/trace.h"
#include "sim/launch.h"

namespace tilescope {

struct RecordOptions {
  Checkers check;
  DotMode dot = DotMode::Exact;
  uint64_t memory_limit = uint64_t{256} << 20;  ///< bytes of checkpoints, memory changes and kept values
  uint64_t max_steps = 4'000'000;               ///< executed ops
  /// Called now and then with the number of steps so far; return false to stop (the trace then says so). May be empty.
  std::function<bool(uint64_t steps)> progress;
};

/// Compiles a launch so that its ops follow the source: no op is moved, merged or left out. Only what chooses bits
/// (fold-dot-acc) is done, so values equal those of the optimised kernel.
Expected<CompiledKernel> compile_for_recording(const LaunchSpec& spec, SourcePtr source = nullptr);

class ProgramRecording {
 public:
  /// Runs program `program` of the launch once. `before`: the launch's tensors as they are when the program starts, in
  /// the order of launch.tensors; they are shared, not changed. `launch.kernel` comes from compile_for_recording.
  /// The launch outlives the recording, which refers to its function.
  /// A fault of the program is part of the trace, not an error. Errors: an op that the simulator lacks, no memory.
  static Expected<std::unique_ptr<ProgramRecording>> make(const Launch& launch, std::shared_ptr<const std::vector<Tensor>> before,
                                                          ProgramIndex program, const RecordOptions& options = {});
  ~ProgramRecording();

  const ProgramTrace& trace() const;
  /// The ops by the number that Step::op holds.
  const std::vector<const Op*>& ops() const;

  /// Values of step `step` < trace().steps.size(). Computed again when they are not at hand. Thread safe.
  std::shared_ptr<const StepData> step(uint64_t step);

  /// The last step at or before `step` that gave `value` a value, or -1.
  int64_t last_definition(ValueId value, uint64_t step) const;

  /// Tensor number `tensor` as it is when `steps` steps are done (0: before the program). The reference is good until
  /// the next call for the same tensor. Moving by one step costs what that step changed.
  const Tensor& memory(int tensor, uint64_t steps);

  /// Bytes that the recording holds now.
  uint64_t bytes() const;

 private:
  friend class RecordingRun;
  struct State;
  explicit ProgramRecording(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The launch's tensors as they are just before `program` starts, programs running in row-major order. Tensors that no
/// earlier program changed share the launch's memory. `launch.tensors` hold the first values. Runs the programs
/// before it, unless `final_tensors` and `totals` (with maps) of a finished run are given and show that no program reads
/// what another one writes and that every element is written once: then the answer is put together from them.
/// Nothing when `progress` returned false.
std::shared_ptr<const std::vector<Tensor>> tensors_before(const Launch& launch, ProgramIndex program, const std::vector<Tensor>* final_tensors,
                                                          const RunTrace* totals, const std::function<bool(int64_t done, int64_t total)>& progress = {});

}  // namespace tilescope
