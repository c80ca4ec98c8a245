// The threads behind model/session.h. Whatever is asked for is counted; work that finds a newer count gives up.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <thread>

#include "visualizer/model/session.h"

namespace tilescope::model {

struct CostFindings;
struct CostWish;

class SessionWorker {
 public:
  SessionWorker(LaunchSpec spec, RecordOptions options);
  ~SessionWorker();

  Published published() const;
  uint64_t version() const { return version_.load(std::memory_order_acquire); }
  LaunchSpec spec() const;
  ProgramIndex program() const;

  void open(LaunchSpec spec, SourcePtr text, ProgramIndex program);
  void set_text(std::string text);
  void set_argument(const std::string& name, ArgValue value);
  void set_config(int64_t config);
  void set_notes(std::vector<std::string> notes);
  void select_program(ProgramIndex program);
  void cancel();
  void want_cost(const CostWish& wish, bool again);
  void cancel_cost();
  void dispose(std::shared_ptr<const void> unused);
  bool wait(double seconds, bool whole);

 private:
  /// A launch that compiled, with what is found out about it later.
  struct Job {
    uint64_t number = 0;
    std::shared_ptr<const Launch> launch;
    std::vector<ValueRange> ranges;
    std::shared_ptr<const Totals> totals;  ///< under the mutex
  };
  using JobPtr = std::shared_ptr<Job>;
  using Memory = std::shared_ptr<const std::vector<Tensor>>;
  struct Request {
    LaunchSpec spec;
    SourcePtr text;
    ProgramIndex program{};
    std::vector<std::string> notes;
  };
  /// What had been asked for when a piece of work began.
  struct Ticket {
    uint64_t launch = 0, program = 0, cancels = 0;
  };
  /// What one thread is doing, for Published::work.
  struct Activity {
    bool busy = false;
    Work work = Work::Nothing;
    ProgramIndex program{};
    double progress = -1;
    std::chrono::steady_clock::time_point said{};
  };

  // Front thread: compiles, allocates, records.
  void front_loop();
  bool front_has_work() const;
  void build(Request request, const Ticket& ticket);
  Expected<std::vector<Tensor>> allocate(const LaunchSpec& spec, const Ticket& ticket) const;
  void record_first(const JobPtr& job, Ticket ticket);
  void record_again(const JobPtr& job, const Ticket& ticket, ProgramIndex program);
  Memory memory_before(const JobPtr& job, const Totals& totals, ProgramIndex program, const Ticket& ticket,
                       double patience);
  /// Null when it was given up or failed; the failure is then published.
  std::shared_ptr<Recorded> record(const JobPtr& job, Memory before, ProgramIndex program, bool provisional,
                                   const Ticket& ticket);
  void show(const JobPtr& job, std::shared_ptr<Recorded> recorded, const Ticket& ticket);

  // Back thread: runs the whole launch.
  void back_loop();
  void run_whole(const JobPtr& job, const Ticket& ticket);
  std::vector<OutputCheck> compare(const Launch& done, const Launch& first, std::vector<std::string>& notes) const;
  void finish_whole(const JobPtr& job, std::shared_ptr<const Totals> totals, const std::vector<std::string>& notes);

  // Cost thread.
  void cost_loop();
  bool cost_outdated(uint64_t asked, uint64_t launch) const;
  bool cost_idle() const { return !cost_.busy && cost_taken_ == cost_asked_; }
  CostFindings known_cost(const CostWish& wish, uint64_t launch) const;
  void publish_cost(const CostFindings& findings, uint64_t asked, uint64_t launch);

  void guarded(const std::function<void()>& work, const Ticket& ticket);
  void fail(std::vector<Diagnostic> errors, const Ticket& ticket);
  /// `later`: only if the last word of this thread is some time ago.
  void say(Activity& activity, Work work, ProgramIndex program = {}, double progress = -1, bool later = false);
  Ticket ticket() const { return {launch_asked_, program_asked_, cancels_}; }
  bool launch_outdated(const Ticket& t) const { return stop_ || launch_asked_ != t.launch || cancels_ != t.cancels; }
  bool outdated(const Ticket& t) const { return launch_outdated(t) || program_asked_ != t.program; }
  bool idle() const;
  /// The mutex is held.
  void changed();

  const RecordOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<uint64_t> version_{0}, launch_asked_{1}, program_asked_{1}, cancels_{0};
  std::atomic<bool> stop_{false};
  uint64_t launch_taken_ = 0, program_taken_ = 0;
  bool totals_arrived_ = false;  ///< recordings can be made final
  Request request_;
  std::set<std::string> opened_names_;  ///< arguments that the launch had when it was opened
  Published published_;
  JobPtr job_;          ///< that published_ shows
  JobPtr whole_wanted_; ///< to be run by the back thread
  std::vector<std::shared_ptr<const void>> unused_;  ///< to be let go of by the front thread
  Activity front_, back_, cost_;
  std::unique_ptr<CostWish> cost_wish_;   ///< null: nobody has looked yet
  std::atomic<uint64_t> cost_asked_{0};
  uint64_t cost_taken_ = 0, cost_launch_ = 0;  ///< the launch that the cost is wanted of
  uint64_t published_cost_launch_ = 0;         ///< that published_.cost belongs to
  std::thread front_thread_, back_thread_, cost_thread_;
};

}  // namespace tilescope::model
