#include "visualizer/window/lesson_guide.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/compile.h"
#include "core/trimmed.h"
#include "visualizer/model/argument_controls.h"
#include "visualizer/model/line_step.h"
#include "visualizer/window/panel.h"
#include "visualizer/window/withheld.h"

namespace tilescope::window {
namespace {

/// A launch file's run; without launch and totals when it cannot be run.
model::Published run_of(const std::string& launch_file) {
  model::Published out;
  const Expected<LaunchSpec> spec = load_launch_file(launch_file);
  if (!spec) return out;
  Expected<Launch> launch = prepare_launch(*spec);
  if (!launch) return out;
  RunOptions options;
  options.maps = true;
  auto totals = std::make_shared<model::Totals>();
  totals->trace = execute(*launch, options);
  totals->tensors = launch->tensors;
  out.launch = std::make_shared<const Launch>(std::move(*launch));
  out.totals = std::move(totals);
  return out;
}

bool have_same_arguments(const LaunchSpec& a, const LaunchSpec& b) {
  const auto equal = [](const auto& x, const auto& y) { return x.name == y.name && x.text == y.text; };
  const std::vector<model::ArgumentControl> p = model::argument_controls(a, a, {}), q = model::argument_controls(b, b, {}), t = model::tensor_controls(a), u = model::tensor_controls(b);
  return a.kernel_path == b.kernel_path && std::equal(p.begin(), p.end(), q.begin(), q.end(), equal) && std::equal(t.begin(), t.end(), u.begin(), u.end(), equal);
}

void add_text(std::string& out, const std::vector<lessons::TextBlock>& blocks) {
  for (const lessons::TextBlock& b : blocks)
    for (const lessons::Span& s : b.spans) out += s.text;
}

void bring_source_to_front(model::ViewState& state) {
  state.hidden.erase("source");
  state.front_tab[cell_id(Cell::Centre)] = "source";
}

/// Bringing it to the front would hide the lesson.
bool covers_task(const std::string& id) {
  return std::any_of(all_panels().begin(), all_panels().end(), [&](const Panel& p) { return id == p.id && p.cell == Cell::Left; });
}

}  // namespace

LessonGuide::LessonGuide(lessons::Lesson lesson, LessonFiles files) : name_(name_of(lesson)), course_(lesson, std::move(files)) { take(std::move(lesson)); }

void LessonGuide::take(lessons::Lesson lesson) {
  lesson_ = std::make_shared<const lessons::Lesson>(std::move(lesson));
  name_ = name_of(*lesson_);
  pages_.assign(lesson_->pages.size(), {});
  // A lesson may have changed since: then an answer means nothing any more.
  for (const auto& [page, choice] : course_.progress(name_).answers)
    if (page <= pages_.size() && choice < static_cast<int>(lesson_->pages[page - 1].choices[0].size())) pages_[page - 1].choice = choice;
  for (size_t page : course_.progress(name_).passed_pages)
    if (page <= pages_.size() && lesson_->pages[page - 1].exercise) pages_[page - 1].passed = true;
  opened_runs_.clear();
  target_.reset();
  opened_.reset();
  withholds_ = false;
  all_text_.clear();
  for (size_t l = 0; l < lessons::kLanguages.size(); ++l) {
    for (const LessonCourse::Row& row : course_.rows()) all_text_ += row.title[l];
    all_text_ += lesson_->title[l];
    for (const lessons::Page& p : lesson_->pages) {
      add_text(all_text_, p.text[l]);
      add_text(all_text_, p.why[l]);
      for (const std::string& c : p.choices[l]) all_text_ += c;
    }
    for (size_t page = 0; page < lesson_->pages.size(); ++page)
      if (const lessons::Exercise* e = lessons::exercise_of(*lesson_, page))
        for (const auto& hint : e->hints) add_text(all_text_, hint[l]);
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
  if (page_ < pages_.size()) pages_[page_].launch.reset();  // its text speaks of the launch that the page has
  page_ = std::min(page, lesson_->pages.size() - 1);
  scroll = result_scroll = 0;
  target_.reset();
  opened_.reset();
  to_show_ = to_front_ = true;
}

void LessonGuide::choose(int c) {
  if (is_right() || c == choice()) return;
  pages_[page_].choice = c;
  new_answers_[page_ + 1] = c;
}

void LessonGuide::answer_again() {
  pages_[page_].choice = -1;
  pages_[page_].shown = false;
}

std::optional<bool> LessonGuide::answered(size_t page) const {
  const int c = pages_[page].choice;
  return c < 0 ? std::nullopt : std::optional(c == lesson_->pages[page].answer);
}

const model::Published& LessonGuide::question_run(const model::Published& now) const {
  const auto it = current().exercise ? opened_runs_.find(current().launch_path) : on_exercise() ? opened_runs_.end() : opened_runs_.find(launch().id);
  return it == opened_runs_.end() ? now : it->second;
}

void LessonGuide::note_run(const model::Published& now, const LaunchSpec& opened) {
  if (const std::string& own = current().launch_path; current().exercise && !opened_runs_.contains(own)) opened_runs_.emplace(own, run_of(own));
  if (on_exercise() || opened_runs_.contains(launch().id) || now.busy || now.stale || now.launch == nullptr || now.totals == nullptr) return;
  if (!have_same_arguments(now.launch->spec, opened)) return;
  opened_runs_.emplace(launch().id, now);
}

std::shared_ptr<const lessons::Exercise> LessonGuide::exercise() const {
  return {lesson_, lessons::exercise_of(*lesson_, page_)};
}

std::string LessonGuide::answer_name() const {
  const std::string name = course_.kept_name(name_);
  if (!current().exercise) return name;
  std::string place = std::filesystem::path(current().exercise->start_path).lexically_relative(lesson_->folder).replace_extension().string();
  std::replace(place.begin(), place.end(), '/', '_');
  return name + "_" + place;
}

bool LessonGuide::is_passed() const { return pages_[page_].passed || (!current().exercise && course_.progress(name_).passed); }

std::set<size_t> LessonGuide::passed_pages() const {
  std::set<size_t> out;
  for (size_t i = 0; i < pages_.size(); ++i)
    if (pages_[i].passed && lesson_->pages[i].exercise) out.insert(i + 1);
  return out;
}

bool LessonGuide::note_passed() {
  const model::ExerciseCheck::State check = check_.state();
  if (check.phase != model::ExerciseCheck::Phase::Passed) return false;
  for (size_t i = 0; i < pages_.size(); ++i)
    if (lessons::exercise_of(*lesson_, i) == check.exercise.get()) pages_[i].passed = true;
  return lesson_->exercise && check.exercise.get() == &*lesson_->exercise;
}

void LessonGuide::next_hint() {
  pages_[page_].hints = std::min(hints() + 1, lessons::kHintLevels);
  scroll_to_end = true;
}

bool LessonGuide::opens_launch(const lessons::Failure& f) const {
  // One that is too large to be run with values is not opened: the line is shown where one is.
  return !f.label.empty() && !exercise()->launches[f.launch].addresses_only;
}

bool LessonGuide::has_place(const lessons::Failure& f) const { return f.line > 0 || opens_launch(f); }

int LessonGuide::line_of(const lessons::Failure& f, const SourceFile& now) const {
  if (f.line == 0 || f.line_text.empty() || trimmed(now.line(f.line)).starts_with(f.line_text)) return f.line;
  const int moved = lessons::find_line(now, f.line_text);
  return moved > 0 ? moved : f.line;
}

void LessonGuide::go_to_failure(const lessons::Failure& f, const SourcePtr& now) {
  const bool opens = opens_launch(f);
  if (opens) pages_[page_].launch = f.launch;
  const int line = line_of(f, *now);
  target_ = Target{opens ? f.program : std::nullopt, line};
  opened_ = Opened{f, page_, now, line};
  to_show_ = false;
  to_front_ = true;
}

const lessons::Failure* LessonGuide::opened_failure(const SourceFile* text) const {
  if (!opened_ || opened_->page != page_ || text == nullptr || opened_->text->text != text->text) return nullptr;
  const bool shown = opened_->failure.label.empty() || pages_[page_].launch == opened_->failure.launch;
  return shown ? &opened_->failure : nullptr;
}

bool LessonGuide::must_withhold(const SourcePtr& text) {
  const lessons::Page& p = current();
  if (!p.withholds_diagnosis || choice() >= 0 || pages_[page_].shown) return false;
  if (const model::ExerciseCheck::State check = check_.state(); check.exercise != nullptr && check.exercise.get() == exercise().get()) return false;
  if (!on_exercise() || text == nullptr) return true;
  const std::string& path = exercise()->start_path;
  if (start_ == nullptr || start_->path != path)
    if (const Expected<SourcePtr> read = read_source(path)) start_ = *read;
  return start_ == nullptr || start_->path != path || start_->text == text->text;
}

bool is_withheld(const PanelContext& c) { return c.lesson != nullptr && c.lesson->withholds(); }

PageLaunch LessonGuide::launch() const {
  const lessons::Page& p = current();
  if (const lessons::Exercise* e = lessons::exercise_of(*lesson_, page_)) {
    const ProgramIndex program = target_ ? target_->program.value_or(ProgramIndex{}) : p.exercise ? p.program.value_or(ProgramIndex{}) : ProgramIndex{};
    return {e->start_path, true, pages_[page_].launch.value_or(p.launch_path.empty() ? 0 : PageLaunch::kOwn), program};
  }
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
  if (opened_ && scene->find_tensor(opened_->failure.tensor) != nullptr) control.state().shown_tensor = opened_->failure.tensor;
}

void LessonGuide::advance(model::Controller& control) {
  withholds_ = must_withhold(control.session().published().text);
  // The learner writes while the task is in view, whether the text runs or not.
  if (refused_) return;
  if (std::exchange(to_front_, false) && on_exercise() && !chosen_.panel) bring_source_to_front(control.state());
  if (target_) return show_target(control);
  if (!to_show_) return;
  const lessons::Page& p = current();
  if (p.program && !chosen_.program && control.state().program != *p.program) control.select_program(*p.program);
  const std::shared_ptr<const model::Scene> scene = control.scene();
  if (!scene->ready || scene->run.busy || scene->run.text == nullptr) return;
  to_show_ = false;
  const ChosenView chosen = std::exchange(chosen_, {});
  if (!p.panel.empty() && !chosen.panel && !(on_exercise() && covers_task(p.panel))) bring_to_front(control.state(), p.panel);
  if (on_exercise() && !chosen.panel) bring_source_to_front(control.state());
  // After an edit the line may be gone: then the view stays where it is.
  if (p.line.empty() || chosen.step) return;
  const std::optional<size_t> step = model::step_on_line(*scene, lessons::find_line(*scene->run.text, p.line), p.iteration);
  if (step) control.go_to_line_step(*step);
}

}  // namespace tilescope::window
