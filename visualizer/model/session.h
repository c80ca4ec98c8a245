// The work behind the window: compile, allocate, run, record. It happens on a thread of its own, so that the window never
// waits; what is finished is published piece by piece and never changes afterwards.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/diagnostic.h"
#include "core/launch_file.h"
#include "core/trace.h"
#include "visualizer/model/timeline.h"
#include "sim/launch.h"
#include "sim/record.h"

namespace tilescope::model {

/// The whole launch, run once.
struct Totals {
  RunTrace trace;                   ///< with maps (footprints, element counts)
  std::vector<Tensor> tensors;      ///< after the run, in the order of Launch::tensors
  std::vector<OutputCheck> outputs; ///< of the launch file
};

/// One program's recording with the way people count its steps.
struct Recorded {
  std::shared_ptr<ProgramRecording> recording;
  Timeline timeline;
  /// The programs before this one have not been run yet: memory that they write, and what is read from there, is not
  /// what it will be.
  bool provisional = false;
};

/// What the session has at this moment. All parts belong to the same launch, except `errors`, which belong to `text`.
struct Published {
  uint64_t version = 0;                  ///< grows with every change
  std::shared_ptr<const Launch> launch;  ///< compiled for recording; tensors hold the first values. Null at the start
  std::shared_ptr<const Recorded> recorded;
  std::shared_ptr<const Totals> totals;
  SourcePtr text;                  ///< the kernel file as edited
  std::vector<Diagnostic> errors;  ///< of `text` or of the launch; the launch above is then from before the edit
  bool stale = false;              ///< the launch above is from before the last edit (errors, or still at work)
  bool busy = false;
  std::string work;                ///< what it is doing: "compiling", "running programs", "recording program (2, 0, 0)"
  double progress = -1;            ///< 0 to 1, or -1 when it cannot be told
};

class Session {
 public:
  /// Starts at once with program (0, 0, 0).
  explicit Session(LaunchSpec spec, RecordOptions options = {});
  ~Session();

  Published published() const;
  uint64_t version() const { return version_.load(std::memory_order_acquire); }
  /// The launch as it is asked for, edits and sliders included.
  LaunchSpec spec() const;

  void set_text(std::string text);                       ///< of the kernel file; nothing is written to disk
  void set_argument(std::string name, ArgValue value);   ///< a scalar or constexpr; tensors that grew are filled anew
  void select_program(ProgramIndex program);
  /// Stops what is running. What was published stays.
  void cancel();
  /// Waits until there is nothing left to do (tests, --shot). False after `seconds`.
  bool wait(double seconds = 60);

 private:
  struct Request {
    LaunchSpec spec;
    SourcePtr text;
    ProgramIndex program{};
    uint64_t launch_number = 0, program_number = 0;  ///< count what was asked for, to see what is out of date
    bool stop = false, cancelled = false;
  };
  void work();
  void step_launch(const Request& r);
  void step_program(const Request& r);
  bool outdated(const Request& r) const;
  void publish(const std::function<void(Published&)>& change);

  RecordOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable wake_, idle_;
  Request request_;
  Published published_;
  std::atomic<uint64_t> version_{0};
  std::thread thread_;
};

}  // namespace tilescope::model
