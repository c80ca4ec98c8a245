// Moves, choices and playing. How a place is found again in another recording: controller_follow.cpp.
#include "visualizer/model/controller.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "visualizer/model/statements.h"

namespace tilescope::model {
namespace {

constexpr double kMovesPerSecond = 2;  ///< at speed 1
constexpr int kMovesPerFrame = 20;     ///< after a stall playing goes on from where it was, it does not race

/// From op-step `from` on, up to `last`: the end of the first run of a helper's statement that `fits`.
template <class Fits>
std::optional<uint64_t> find_in_helpers(const ProgramRecording& recording, uint64_t from, uint64_t last, Fits fits) {
  const auto op_at = [&](uint64_t step) -> const Op& {
    return *recording.ops()[static_cast<size_t>(recording.trace().steps[step].op)];
  };
  for (uint64_t step = from; step <= last; ++step) {
    if (!is_inlined(op_at(step)) || !fits(op_at(step).loc->statement)) continue;
    const int line = op_at(step).loc->statement.line;
    while (step < last && is_inlined(op_at(step + 1)) && op_at(step + 1).loc->statement.line == line) ++step;
    return step;
  }
  return std::nullopt;
}

bool covers(const SourceRange& statement, int line) {
  return statement.line <= line && line <= std::max(statement.line, statement.end_line);
}

}  // namespace

Controller::Controller(std::unique_ptr<Session> session, ViewState state)
    : session_(std::move(session)), state_(std::move(state)) {
  set_speed(state_.speed);
  session_->select_program(state_.program);
}

const ProgramTrace* Controller::trace() const {
  return run_.recorded == nullptr ? nullptr : &run_.recorded->recording->trace();
}

const Timeline* Controller::timeline() const {
  return run_.recorded == nullptr || run_.recorded->timeline.lines.empty() ? nullptr : &run_.recorded->timeline;
}

/// The program that is selected is not recorded yet.
bool Controller::is_waiting() const { return trace() == nullptr || trace()->program != state_.program; }

std::shared_ptr<const Scene> Controller::scene() {
  follow_session();
  const bool same = scene_ != nullptr && scene_->run.launch == run_.launch && scene_->run.recorded == run_.recorded &&
                    scene_->run.totals == run_.totals && scene_->state.step == state_.step &&
                    scene_->state.program == state_.program && scene_->state.unit == state_.unit;
  if (same) {
    if (scene_->run.version != run_.version) scene_->run = run_;  // progress, errors
    return scene_;
  }
  session_->dispose(std::exchange(scene_, std::make_shared<Scene>(make_scene(run_, state_))));
  return scene_;
}

void Controller::advance(double seconds) {
  follow_session();
  if (!state_.playing || timeline() == nullptr) return;
  due_ -= std::clamp(std::isfinite(seconds) ? seconds : 0.0, 0.0, 1.0);
  const double pause = 1 / (kMovesPerSecond * state_.speed);
  for (int i = 0; i < kMovesPerFrame && due_ <= 0 && state_.playing && !is_waiting(); ++i) {
    const uint64_t step = state_.step;
    const size_t line = line_step();
    const ProgramIndex program = state_.program;
    move(state_.unit, 1);
    const bool moved = state_.step != step || state_.program != program;
    if (!moved || (state_.program == program && stopped_after(step, line))) state_.playing = false;
    due_ += pause;
  }
  due_ = std::max(due_, 0.0);
}

// ---- where to

void Controller::select_program(ProgramIndex program) {
  follow_session();
  for (size_t i = 0; i < 3; ++i)
    if (program[i] < 0 || (run_.launch != nullptr && program[i] >= run_.launch->grid[i])) return;
  if (program != state_.program) wanted_fault_.reset();
  state_.program = program;
  session_->select_program(program);
  follow_session();
}

void Controller::go_to_step(uint64_t op_step) {
  follow_session();
  const size_t steps = trace() == nullptr ? 0 : trace()->steps.size();
  if (steps > 0) state_.step = std::min<uint64_t>(op_step, steps - 1);
}

void Controller::go_to_line_step(size_t line_step) {
  follow_session();
  if (timeline() == nullptr) return;
  state_.step = timeline()->lines[std::min(line_step, timeline()->lines.size() - 1)].last;
}

void Controller::go_to_line(int line) {
  follow_session();
  if (timeline() == nullptr) return;
  const auto& lines = timeline()->lines;
  const auto fits = [line](const LineStep& l) { return covers(l.statement, line); };
  auto found = std::find_if(lines.begin() + static_cast<std::ptrdiff_t>(line_step()), lines.end(), fits);
  if (found == lines.end()) found = std::find_if(lines.begin(), lines.end(), fits);
  if (found != lines.end()) {
    state_.step = found->last;
    return;
  }
  const auto helper = [line](const SourceRange& statement) { return covers(statement, line); };
  const ProgramRecording& recording = *run_.recorded->recording;
  auto step = find_in_helpers(recording, state_.step, trace()->steps.size() - 1, helper);
  if (!step) step = find_in_helpers(recording, 0, trace()->steps.size() - 1, helper);
  if (step) state_.step = *step;
}

void Controller::go_to_start() {
  if (state_.unit == StepUnit::Op) return go_to_step(0);
  go_to_line_step(0);
}

void Controller::go_to_end() { go_to_line_step(SIZE_MAX); }

void Controller::move(StepUnit unit, int direction) {
  follow_session();
  if (timeline() == nullptr || direction == 0) return;
  direction = direction > 0 ? 1 : -1;
  const size_t line = line_step(), last = timeline()->lines.size() - 1;
  switch (unit) {
    case StepUnit::Op:
      return move_op(direction);
    case StepUnit::Line:
      if (direction < 0) return go_to_line_step(line == 0 ? 0 : line - 1);
      // In the middle of a line, its end comes first.
      return go_to_line_step(state_.step < timeline()->lines[line].last ? line : std::min(line + 1, last));
    case StepUnit::Iteration:
      return walk_to(iteration_target(direction));
    case StepUnit::Program:
      return move_program(direction);
  }
}

void Controller::move_op(int direction) {
  if (direction > 0)
    state_.step = std::min<uint64_t>(state_.step + 1, trace()->steps.size() - 1);
  else if (state_.step > 0)
    --state_.step;
}

void Controller::move_program(int direction) {
  if (run_.launch == nullptr) return;
  const auto& grid = run_.launch->grid;
  ProgramIndex p = state_.program;
  for (size_t i = 0; i < 3; ++i) {
    p[i] += direction;
    if (p[i] >= 0 && p[i] < grid[i]) return select_program(p);
    p[i] = direction > 0 ? 0 : grid[i] - 1;
  }
}

namespace {

/// The iteration before or after `frame` of the same run of its loop, or -1.
int32_t sibling(const ProgramTrace& trace, int32_t frame, int direction) {
  const auto& frames = trace.frames;
  const LoopFrame& here = frames[static_cast<size_t>(frame)];
  const int64_t wanted = here.position.iteration + direction;
  // Frames are in the order in which they begin.
  size_t at = static_cast<size_t>(frame);
  if (direction > 0) {
    at = static_cast<size_t>(std::lower_bound(frames.begin() + frame, frames.end(), here.last_step,
                                              [](const LoopFrame& f, uint64_t step) { return f.first_step < step; }) -
                             frames.begin());
  } else {
    do {
      if (at == 0) return -1;
      --at;
    } while (frames[at].parent >= frame || (frames[at].parent != here.parent && static_cast<int32_t>(at) > here.parent));
  }
  if (at >= frames.size() || frames[at].parent != here.parent || frames[at].position.iteration != wanted ||
      frames[at].position.line != here.position.line)
    return -1;
  return static_cast<int32_t>(at);
}

}  // namespace

size_t Controller::iteration_target(int direction) const {
  const Timeline& t = *timeline();
  const size_t line = line_step();
  const LineStep& here = t.lines[line];
  if (here.frame >= 0) {
    const int32_t frame = sibling(*trace(), here.frame, direction);
    if (frame >= 0) {
      const LoopFrame& f = trace()->frames[static_cast<size_t>(frame)];
      const uint64_t past = std::min<uint64_t>(f.last_step, trace()->steps.size());
      size_t best = t.line_of(past > 0 ? past - 1 : 0);
      for (size_t i = t.line_of(f.first_step); i < t.lines.size() && t.lines[i].first < past; ++i)
        if (t.lines[i].frame == frame && t.lines[i].statement.line == here.statement.line) best = i;
      return best;
    }
  }
  const size_t section = t.section_of(line);
  if (direction < 0) return section == 0 ? 0 : t.sections[section].first - 1;
  return section + 1 < t.sections.size() ? t.sections[section + 1].first : t.lines.size() - 1;
}

bool Controller::is_breakpoint(const SourceRange& s) const {
  const auto found = state_.breakpoints.lower_bound(s.line);
  return found != state_.breakpoints.end() && *found <= std::max(s.line, s.end_line);
}

std::optional<uint64_t> Controller::stop_in(size_t line_step) const {
  if (state_.breakpoints.empty()) return std::nullopt;
  const LineStep& line = timeline()->lines[line_step];
  if (is_breakpoint(line.statement)) return line.last;
  return find_in_helpers(*run_.recorded->recording, line.first, line.last,
                         [this](const SourceRange& s) { return is_breakpoint(s); });
}

/// Playing came from there to the current step. By line it goes back to the op of a helper at which it stops.
bool Controller::stopped_after(uint64_t step, size_t line) {
  if (state_.breakpoints.empty()) return false;
  const auto& trace = run_.recorded->recording->trace();
  const auto& ops = run_.recorded->recording->ops();
  if (state_.unit == StepUnit::Op) {
    const Op &now = *ops[static_cast<size_t>(trace.steps[state_.step].op)], &then = *ops[static_cast<size_t>(trace.steps[step].op)];
    if (line_step() != line && is_breakpoint(timeline()->lines[line_step()].statement)) return true;
    const bool same = is_inlined(then) && is_inlined(now) && then.loc->statement.line == now.loc->statement.line;
    return is_inlined(now) && !same && is_breakpoint(now.loc->statement);
  }
  if (line_step() == line) return false;
  const std::optional<uint64_t> stop = stop_in(line_step());
  if (stop) state_.step = *stop;
  return stop.has_value();
}

void Controller::walk_to(size_t target) {
  const size_t from = line_step();
  size_t at = from;
  while (at != target && !state_.breakpoints.empty()) {
    at += at < target ? 1 : -1;
    if (const auto stop = stop_in(at)) return go_to_step(*stop);
  }
  go_to_line_step(target);
}

// ---- choices

void Controller::toggle_play() {
  follow_session();
  state_.playing = !state_.playing;
  if (!state_.playing || timeline() == nullptr) return;
  due_ = 0;
  if (state_.unit != StepUnit::Program && state_.step >= timeline()->lines.back().last) go_to_start();
}

void Controller::set_speed(double speed) { state_.speed = std::isfinite(speed) ? std::clamp(speed, 0.1, 10.0) : 1; }

void Controller::toggle_breakpoint(int line) {
  if (line > 0 && state_.breakpoints.erase(line) == 0) state_.breakpoints.insert(line);
}

void Controller::set_argument(const std::string& name, ArgValue value) {
  session_->set_argument(name, std::move(value));
  follow_session();
}

void Controller::edit(std::string text) {
  session_->set_text(std::move(text));
  follow_session();
}

void Controller::open(LaunchSpec spec, SourcePtr text, ProgramIndex program) {
  session_->open(std::move(spec), std::move(text), program);
  state_.program = program;
  state_.step = 0;
  state_.playing = false;
  state_.hover = state_.selected = {};
  state_.shown_variable = state_.pinned_variable = state_.shown_tensor = {};
  state_.breakpoints.clear();
  state_.cost.other.clear();
  wanted_fault_.reset();
  run_ = {};
  session_->dispose(std::exchange(scene_, nullptr));
  follow_session();
}

void Controller::go_to_fault(size_t fault) {
  follow_session();
  const std::vector<Fault>* faults = run_.totals != nullptr && !run_.totals->trace.faults.empty() ? &run_.totals->trace.faults
                                     : trace() != nullptr                                         ? &trace()->faults
                                                                                                  : nullptr;
  if (faults == nullptr || fault >= faults->size()) return;
  const Fault wanted = (*faults)[fault];
  state_.playing = false;
  select_program(wanted.program);
  wanted_fault_ = wanted;
  if (is_waiting()) return;
  state_.step = find_fault(wanted);
  select_lane(wanted);
}

}  // namespace tilescope::model
