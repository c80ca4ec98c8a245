// The controller follows the session: when another recording is shown, the person stays at the same line and iteration.
#include <algorithm>

#include "visualizer/model/controller.h"
#include "visualizer/model/statements.h"

namespace tilescope::model {
namespace {

std::vector<int64_t> iterations_of(const ProgramTrace& trace, int32_t frame) {
  std::vector<int64_t> out;
  for (; frame >= 0; frame = trace.frames[static_cast<size_t>(frame)].parent)
    out.push_back(trace.frames[static_cast<size_t>(frame)].position.iteration);
  std::reverse(out.begin(), out.end());
  return out;
}

std::string text_of(const SourceRange& range) {
  if (range.file == nullptr) return {};
  const std::string line(range.file->line(range.line));
  const size_t begin = line.find_first_not_of(" \t"), end = line.find_last_not_of(" \t\r");
  return begin == std::string::npos ? std::string() : line.substr(begin, end - begin + 1);
}

/// The line of `timeline` that is the same statement: by its text, the nearest one if there are several; else by number.
int line_with(const Timeline& timeline, const std::string& text, int line) {
  int best = 0;
  bool number_exists = false;
  std::set<int> seen;
  for (const LineStep& l : timeline.lines) {
    if (!seen.insert(l.statement.line).second) continue;
    number_exists |= l.statement.line == line;
    if (text_of(l.statement) == text && (best == 0 || std::abs(l.statement.line - line) < std::abs(best - line)))
      best = l.statement.line;
  }
  return best != 0 ? best : number_exists ? line : 0;
}

}  // namespace

void Controller::follow_session() {
  if (session_->version() == seen_version_) return;
  const std::optional<Place> before = timeline() == nullptr ? std::nullopt : std::optional<Place>(place());
  const auto shown = run_.recorded;
  // The scene holds on to what it shows; it is let go of on another thread (scene()).
  if (scene_ == nullptr || scene_->run.recorded != run_.recorded || scene_->run.totals != run_.totals)
    session_->dispose(std::make_shared<const Published>(run_));
  run_ = session_->published();
  seen_version_ = run_.version;
  state_.program = session_->program();
  if (run_.recorded == shown || timeline() == nullptr) return;
  if (wanted_fault_ && !is_waiting() && trace()->program == wanted_fault_->program) {
    state_.step = find_fault(*wanted_fault_);
    select_lane(*wanted_fault_);
    wanted_fault_.reset();
  } else if (!before) {
    // The first recording: the step that was asked for, or the first line.
    state_.step = std::min<uint64_t>(state_.step, trace()->steps.size() - 1);
    if (state_.step == 0) state_.step = timeline()->lines.front().last;
  } else if (shown != nullptr && shown->recording->trace().program == trace()->program &&
             shown->recording->ops().size() == run_.recorded->recording->ops().size() &&
             shown->recording->trace().steps.size() == trace()->steps.size()) {
    // The same steps with other values.
  } else {
    state_.step = find(*before);
  }
}

Controller::Place Controller::place() const {
  Place out;
  out.line_step = line_step();
  const LineStep& l = timeline()->lines[out.line_step];
  out.line = l.statement.line;
  out.text = text_of(l.statement);
  out.iterations = iterations_of(*trace(), l.frame);
  out.at_start = out.line_step == 0;
  out.at_end = out.line_step + 1 == timeline()->lines.size();
  return out;
}

uint64_t Controller::find(const Place& place) const {
  const auto& lines = timeline()->lines;
  if (place.at_start) return lines.front().last;
  const int line = line_with(*timeline(), place.text, place.line);
  const LineStep* best = nullptr;
  for (const LineStep& l : lines) {
    if (l.statement.line != line || line == 0) continue;
    const std::vector<int64_t> iterations = iterations_of(*trace(), l.frame);
    if (best == nullptr || iterations <= place.iterations) best = &l;
    if (iterations >= place.iterations) break;
  }
  if (best != nullptr) return best->last;
  return place.at_end ? lines.back().last : lines[std::min(place.line_step, lines.size() - 1)].last;
}

/// The last step of a program that faulted is the one that did; a fault that the recording does not show is looked up by
/// its line and iteration.
uint64_t Controller::find_fault(const Fault& fault) const {
  if (!trace()->faults.empty()) return trace()->steps.size() - 1;
  Place wanted;
  wanted.at_start = false;
  const CallFrame* call = fault.calls.get();
  while (call != nullptr && call->outer != nullptr) call = call->outer.get();
  const SourceRange& range = call != nullptr ? call->call : fault.range;
  for (const LineStep& l : timeline()->lines)
    if (l.statement.line <= range.line && range.line <= l.statement.end_line) wanted.line = l.statement.line;
  for (const LoopPosition& p : fault.loops) wanted.iterations.push_back(p.iteration);
  wanted.line_step = timeline()->lines.size() - 1;
  return find(wanted);
}

void Controller::select_lane(const Fault& fault) {
  state_.shown_tensor = fault.tensor;
  const std::string& label = timeline()->lines[line_step()].label;
  const std::string loaded = label.starts_with("load ") ? label.substr(5) : std::string();
  const auto& names = run_.recorded->variables;
  const bool known = std::any_of(names.begin(), names.end(), [&](const NamedValues& n) { return n.name == loaded; });
  if (known)
    state_.selected = {Element::Of::Variable, loaded, fault.lane_index};
  else if (!fault.tensor.empty())
    state_.selected = {Element::Of::Tensor, fault.tensor, fault.element.empty() ? std::vector<int64_t>{fault.offset} : fault.element};
}

}  // namespace tilescope::model
