// What a person can do. Keys, clicks, scripts and tests all end here; it keeps the state consistent with what was
// recorded.
#pragma once

#include <memory>
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

  /// The scene of this moment; made anew only when the step, the program or the run changed.
  std::shared_ptr<const Scene> scene();

  /// Call once a frame: plays, stops at breakpoints, follows the session. `seconds` since the last call.
  void advance(double seconds);

  void select_program(ProgramIndex program);
  void go_to_step(uint64_t op_step);
  void go_to_line_step(size_t line_step);  ///< clamped; its last op
  /// The last line step of program (current) whose source line is `line` at or after the current one, else the first.
  void go_to_line(int line);
  void move(StepUnit unit, int direction);
  void go_to_start();
  void go_to_end();
  void toggle_play();
  void set_speed(double speed);  ///< clamped to 0.1 .. 10
  void toggle_breakpoint(int line);
  void set_argument(const std::string& name, ArgValue value);
  void edit(std::string text);
  /// Selects the program, the step and the lane of fault number `fault` of the launch.
  void go_to_fault(size_t fault);

 private:
  void follow_session();

  std::unique_ptr<Session> session_;
  ViewState state_;
  std::shared_ptr<const Scene> scene_;
  uint64_t scene_version_ = 0;
  double due_ = 0;  ///< playing: seconds until the next step
  int pending_line_ = 0;  ///< after an edit or a new program: the line (and iteration) to find again
  int64_t pending_iteration_ = -1;
  bool at_end_ = false;
};

}  // namespace tilescope::model
