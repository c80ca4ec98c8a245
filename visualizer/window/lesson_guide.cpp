#include "visualizer/window/lesson_guide.h"

#include <algorithm>
#include <utility>

#include "visualizer/window/panel.h"

namespace tilescope::window {
namespace {

/// The line step on `line`, in iteration `iteration` (from 1) of the innermost loop when one is asked for.
std::optional<size_t> find_step(const model::Scene& scene, int line, std::optional<int64_t> iteration) {
  const std::vector<model::LineStep>& steps = scene.timeline->lines;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].statement.line != line) continue;
    if (!iteration) return i;
    if (steps[i].frame >= 0 && scene.trace->frames[static_cast<size_t>(steps[i].frame)].position.iteration + 1 == *iteration) return i;
  }
  return std::nullopt;
}

void add_text(std::string& out, const std::vector<lessons::TextBlock>& blocks) {
  for (const lessons::TextBlock& b : blocks)
    for (const lessons::Span& s : b.spans) out += s.text;
}

void bring_source_to_front(model::ViewState& state) {
  state.hidden.erase("source");
  state.front_tab[cell_id(Cell::Centre)] = "source";
}

void bring_to_front(model::ViewState& state, const std::string& id) {
  for (const Panel& p : all_panels()) {
    if (id != p.id) continue;
    state.hidden.erase(id);
    state.front_tab[cell_id(p.cell)] = id;
    // In a narrow window the right column's panels are tabs of the centre.
    if (p.cell == Cell::RightTop || p.cell == Cell::RightBottom) state.front_tab[cell_id(Cell::Centre)] = id;
  }
}

}  // namespace

LessonGuide::LessonGuide(lessons::Lesson lesson, LessonFiles files) : name_(name_of(lesson)), course_(lesson, std::move(files)) { take(std::move(lesson)); }

void LessonGuide::take(lessons::Lesson lesson) {
  lesson_ = std::make_shared<const lessons::Lesson>(std::move(lesson));
  name_ = name_of(*lesson_);
  choices_.assign(lesson_->pages.size(), -1);
  hints_ = launch_ = 0;
  target_.reset();
  all_text_.clear();
  for (size_t l = 0; l < lessons::kLanguages.size(); ++l) {
    for (const LessonCourse::Row& row : course_.rows()) all_text_ += row.title[l];
    all_text_ += lesson_->title[l];
    for (const lessons::Page& p : lesson_->pages) {
      add_text(all_text_, p.text[l]);
      add_text(all_text_, p.why[l]);
      for (const std::string& c : p.choices[l]) all_text_ += c;
    }
    if (!lesson_->exercise) continue;
    for (const auto& hint : lesson_->exercise->hints) add_text(all_text_, hint[l]);
  }
}

void LessonGuide::open(lessons::Lesson lesson) {
  check_.forget();
  take(std::move(lesson));
  go_to(page_to_begin());
}

size_t LessonGuide::page_to_begin() const {
  const LessonCourse::Row* row = course_.find(name_);
  const size_t furthest = course_.progress(name_).page;
  if (row == nullptr || course_.is_finished(*row) || furthest == 0) return 0;
  return std::min(furthest, lesson_->pages.size()) - 1;
}

void LessonGuide::go_to(size_t page, const ChosenView& chosen) {
  chosen_ = chosen;
  page_ = std::min(page, lesson_->pages.size() - 1);
  scroll = result_scroll = 0;
  target_.reset();
  to_show_ = to_front_ = true;
}

void LessonGuide::choose(int c) {
  if (!is_right()) choices_[page_] = c;
}

std::shared_ptr<const lessons::Exercise> LessonGuide::exercise() const {
  return lesson_->exercise ? std::shared_ptr<const lessons::Exercise>(lesson_, &*lesson_->exercise) : nullptr;
}

void LessonGuide::next_hint() {
  hints_ = std::min(hints_ + 1, lessons::kHintLevels);
  scroll_to_end = true;
}

void LessonGuide::go_to_failure(const lessons::Failure& f, const SourceFile& text) {
  launch_ = f.label.empty() ? 0 : f.launch;
  // The text may have been edited since: the line moved, or is gone.
  const auto trimmed = [&](int line) {
    std::string s(text.line(line));
    s.erase(0, std::min(s.find_first_not_of(" \t"), s.size()));
    return s;
  };
  int line = f.line;
  if (line > 0 && !f.line_text.empty() && !trimmed(line).starts_with(f.line_text))
    if (const int moved = lessons::find_line(text, f.line_text); moved > 0) line = moved;
  target_ = Target{f.program, line};
  to_show_ = false;
  to_front_ = true;
}

PageLaunch LessonGuide::launch() const {
  if (on_exercise()) return {lesson_->exercise->start_path, true, launch_, target_ ? target_->program.value_or(ProgramIndex{}) : ProgramIndex{}};
  const lessons::Page& p = current();
  return {p.launch_path.empty() ? lesson_->launch_path : p.launch_path, false, 0, p.program.value_or(ProgramIndex{})};
}

void LessonGuide::show_target(model::Controller& control) {
  if (target_->program && control.state().program != *target_->program) control.select_program(*target_->program);
  const std::shared_ptr<const model::Scene> scene = control.scene();
  if (scene->run.busy) return;
  const Target t = *std::exchange(target_, std::nullopt);
  if (!scene->ready || !scene->run.errors.empty()) return;
  const std::vector<Fault>* faults = scene->run.totals != nullptr ? &scene->run.totals->trace.faults : nullptr;
  for (size_t i = 0; faults != nullptr && i < faults->size(); ++i)
    if ((*faults)[i].program == t.program && (*faults)[i].range.line == t.line) return control.go_to_fault(i);
  control.go_to_start();
  if (t.line > 0) control.go_to_line(t.line);
}

void LessonGuide::advance(model::Controller& control) {
  // The learner writes while the task is in view, whether the text runs or not.
  if (std::exchange(to_front_, false) && on_exercise() && !chosen_.panel) bring_source_to_front(control.state());
  if (target_) return show_target(control);
  if (!to_show_) return;
  const lessons::Page& p = current();
  if (p.program && !chosen_.program && control.state().program != *p.program) control.select_program(*p.program);
  const std::shared_ptr<const model::Scene> scene = control.scene();
  if (!scene->ready || scene->run.busy || scene->run.text == nullptr) return;
  to_show_ = false;
  const ChosenView chosen = std::exchange(chosen_, {});
  if (!p.panel.empty() && !chosen.panel) bring_to_front(control.state(), p.panel);
  if (on_exercise() && !chosen.panel) bring_source_to_front(control.state());
  // After an edit the line may be gone: then the view stays where it is.
  if (p.line.empty() || chosen.step) return;
  const std::optional<size_t> step = find_step(*scene, lessons::find_line(*scene->run.text, p.line), p.iteration);
  if (step) control.go_to_line_step(*step);
}

}  // namespace tilescope::window
