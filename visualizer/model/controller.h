// What a person can do. Keys, clicks, scripts and tests all end here; it keeps the state consistent with what was
// recorded.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "visualizer/model/scene.h"
#include "visualizer/model/session.h"
#include "visualizer/model/state.h"

namespace tilescope::model {

class Controller {
 public:
  explicit Controller(std::unique_ptr<Session> session, ViewState state = {});

  ViewState& state() { return state_; }
  const ViewState& state() const { return state_; }
  Session& session() { return *session_; }

  /// The scene of this moment; made anew only when the step, its unit, the program or the run changed.
  std::shared_ptr<const Scene> scene();

  /// Call once a frame: plays (2 x speed moves a second), stops at breakpoints, follows the session. `seconds` since the last call.
  void advance(double seconds);

  void select_program(ProgramIndex program);  ///< keeps the line and the iteration; outside the grid: ignored
  void go_to_step(uint64_t op_step);
  void go_to_line_step(size_t line_step);  ///< clamped; its last op
  /// The first line step at or after the current one whose statement covers source line `line`; when there is none, the
  /// first of the program. A line of a helper: the op-step that ends its statement.
  void go_to_line(int line);
  /// Op and line: one forth or back. Iteration: the same statement in the next or previous iteration; where there is none,
  /// over the loop's border. Program: in the order of the grid, axis 0 fastest. A breakpoint in between stops it.
  void move(StepUnit unit, int direction);
  void go_to_start();  ///< the first line, or the first op when that is what steps count
  void go_to_end();
  void toggle_play();          ///< from the end: starts again
  void set_speed(double speed);  ///< clamped to 0.1 .. 10
  void toggle_breakpoint(int line);
  void set_argument(const std::string& name, ArgValue value);
  void edit(std::string text);
  /// Shows another launch from its first step; breakpoints, pins and selections of the old one go. `text`: of its kernel file.
  void open(LaunchSpec spec, SourcePtr text, ProgramIndex program = {});
  /// Selects the program, the step and the lane of fault number `fault` of the launch.
  void go_to_fault(size_t fault);

 private:
  /// A place that can be found again in another recording.
  struct Place {
    int line = 0;
    std::string text;                 ///< of the line
    std::vector<int64_t> iterations;  ///< outermost first
    size_t line_step = 0;
    bool at_start = true, at_end = false;
  };
  void follow_session();
  Place place() const;
  uint64_t find(const Place& place) const;
  uint64_t find_fault(const Fault& fault) const;
  void select_lane(const Fault& fault);
  const ProgramTrace* trace() const;
  const Timeline* timeline() const;
  size_t line_step() const { return timeline()->line_of(state_.step); }
  /// The op-step at which a line step stops, if it does: its last one, or that which ends a helper's statement.
  std::optional<uint64_t> stop_in(size_t line_step) const;
  bool is_breakpoint(const SourceRange& statement) const;
  bool stopped_after(uint64_t step, size_t line);
  /// From one line step towards another; ends early at a breakpoint.
  void walk_to(size_t target);
  size_t iteration_target(int direction) const;
  void move_program(int direction);
  void move_op(int direction);
  bool is_waiting() const;

  std::unique_ptr<Session> session_;
  ViewState state_;
  Published run_;
  std::shared_ptr<Scene> scene_;
  uint64_t seen_version_ = 0;
  double due_ = 0;  ///< playing: seconds until the next step
  std::optional<Fault> wanted_fault_;  ///< to be shown as soon as its program is recorded
};

}  // namespace tilescope::model
