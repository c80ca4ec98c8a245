// The work behind the window: compile, allocate, run, record. It happens on a thread of its own, so that the window never
// waits; what is finished is published piece by piece and never changes afterwards.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "core/launch_file.h"
#include "core/trace.h"
#include "sim/launch.h"
#include "sim/record.h"
#include "visualizer/model/timeline.h"

namespace tilescope::model {

/// The whole launch, run once.
struct Totals {
  RunTrace trace;  ///< with maps (footprints, element counts); its faults tell of dependence on the programs' order too
  std::vector<Tensor> tensors;      ///< after the run, in the order of Launch::tensors
  std::vector<OutputCheck> outputs; ///< of the launch file
};

/// A name of the kernel and the SSA values that it stands for, one after the other.
struct NamedValues {
  std::string name;           ///< "acc"; "helper.x" for a variable of an inlined helper
  CallChain scope;            ///< null in the kernel itself; else the calls that the helper was inlined through
  std::vector<ValueId> values;
  uint64_t first_step = 0;    ///< op-step that first computes one of them
};

/// Smallest and largest finite value; both 0 when there is none.
struct ValueRange {
  double low = 0, high = 0;
  bool empty() const { return low == 0 && high == 0; }
};

/// How the program uses a tensor.
struct TensorUse {
  bool loaded = false, stored = false;
};

/// One program's recording with the way people count its steps.
struct Recorded {
  std::shared_ptr<ProgramRecording> recording;
  Timeline timeline;
  std::vector<NamedValues> variables;  ///< in the order of first_step
  std::vector<TensorUse> uses;         ///< in the order of Launch::tensors
  std::vector<ValueRange> ranges;      ///< of the tensors' values before the launch and, once it has run, after it
  /// The programs before this one have not been run yet: memory that they write, and what is read from there, is not
  /// what it will be.
  bool provisional = false;
};
/// Completes a recording; `ranges` is copied into it.
Recorded make_recorded(std::unique_ptr<ProgramRecording> recording, const Launch& launch, std::vector<ValueRange> ranges);

/// Finite values of a tensor; of a large one about 2^18 elements, evenly spread.
ValueRange value_range(const Tensor& tensor);
/// The range that covers both.
ValueRange join(ValueRange a, ValueRange b);

struct CostFindings;  // cost_findings.h
struct CostWish;

enum class Work : uint8_t { Nothing, Compiling, FillingTensors, RunningBefore, Recording, RunningAll };

/// What the session has at this moment. All parts belong to the same launch, except `errors`, which belong to `text`.
struct Published {
  uint64_t version = 0;                  ///< grows with every change
  std::shared_ptr<const Launch> launch;  ///< compiled for recording; tensors hold the first values. Null at the start
  std::shared_ptr<const Recorded> recorded;
  std::shared_ptr<const Totals> totals;
  SourcePtr text;                  ///< the kernel file as edited
  std::vector<Diagnostic> errors;  ///< of `text` or of the launch; the launch above is then from before the edit
  std::vector<std::string> notes;  ///< what a slider could not do; why there are no totals
  bool stale = false;              ///< the launch above is from before the last edit (errors, or still at work)
  bool busy = false;
  Work work = Work::Nothing;       ///< what it is doing
  ProgramIndex work_program{};     ///< RunningBefore, Recording: for which program
  double progress = -1;            ///< 0 to 1, or -1 when it cannot be told
  std::shared_ptr<const CostFindings> cost;  ///< null until somebody looked (Session::want_cost)
  bool cost_busy = false;          ///< the cost is being estimated; not part of `busy`
  bool cost_stale = false;         ///< `cost` is of the launch before the last change
  double cost_progress = -1;       ///< as `progress`
};

/// Everything that `tilescope check` looks for, so that the window shows it too.
RecordOptions careful_options();

/// Three threads work: one compiles and records what is looked at, so that a click is answered at once; one runs the whole
/// launch meanwhile; one estimates its cost while somebody looks at that. All give way to the window.
class Session {
 public:
  /// Starts at once with program (0, 0, 0).
  explicit Session(LaunchSpec spec, RecordOptions options = careful_options());
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Published published() const;
  uint64_t version() const;
  /// The launch as it is asked for, edits and sliders included.
  LaunchSpec spec() const;
  /// The program that is asked for; moved into the grid when the grid gets smaller.
  ProgramIndex program() const;

  /// Another launch takes the place of this one; nothing of the old one stays. `text`: of its kernel file.
  void open(LaunchSpec spec, SourcePtr text, ProgramIndex program = {});
  void set_text(std::string text);                       ///< of the kernel file; nothing is written to disk
  /// A scalar or constexpr, which tensors may follow (follow_sizes.h); or a tensor.
  void set_argument(std::string name, ArgValue value);
  /// What is to be said of the launch as it was opened, until something in it changes.
  void set_notes(std::vector<std::string> notes);
  /// Another @triton.autotune config, from 0. Values that sliders made the launch's own are given by it again.
  void set_config(int64_t config);
  void select_program(ProgramIndex program);
  /// Stops what is running. What was published stays.
  void cancel();
  /// Lets go of something large on a thread that nobody waits for: giving back the memory of a launch takes 30 ms.
  void dispose(std::shared_ptr<const void> unused);
  /// Said again and again by whoever shows the cost: estimates it when the launch or the wish changed. `again`: also when it
  /// was cancelled.
  void want_cost(const CostWish& wish, bool again = false);
  void cancel_cost();
  /// Waits until there is nothing left to do (tests, --shot). False after `seconds`. `whole` false: does not wait for the
  /// run of the whole launch.
  bool wait(double seconds = 60, bool whole = true);

 private:
  std::unique_ptr<class SessionWorker> worker_;
};

}  // namespace tilescope::model
