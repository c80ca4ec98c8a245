// What the window does for a lesson: shows each page's launch, checks the exercise, keeps the answer and the progress.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/compile.h"
#include "lessons/numbers.h"
#include "visualizer/model/lesson_answer.h"
#include "visualizer/model/text_file.h"
#include "visualizer/window/window.h"

namespace tilescope::window {
namespace {

constexpr double kPatience = 0.2;  ///< seconds without a key until the answer is written

using Phase = model::ExerciseCheck::Phase;

const char* name_of(Phase p) {
  switch (p) {
    case Phase::Nothing: return "none";
    case Phase::Running: return "running";
    case Phase::Stopped: return "stopped";
    case Phase::Failed: return "failed";
    case Phase::Passed: return "passed";
  }
  return "";
}

const char* name_of(lessons::Failure::Kind k) {
  using Kind = lessons::Failure::Kind;
  switch (k) {
    case Kind::Words: return "words";
    case Kind::Compile: return "compile";
    case Kind::Fault: return "fault";
    case Kind::Value: return "value";
    case Kind::Missing: return "missing";
    case Kind::Access: return "access";
  }
  return "";
}

}  // namespace

// ---- which launch is shown

Expected<LaunchSpec> Window::exercise_launch(const PageLaunch& want) const {
  if (want.number == PageLaunch::kOwn) return load_launch_file(lesson_->current().launch_path);
  return lesson_->exercise_launch(want.number);
}

Expected<Window::Aside> Window::read_page_launch(const PageLaunch& want) const {
  Aside out;
  if (want.exercise) {
    Expected<LaunchSpec> spec = exercise_launch(want);
    if (!spec) return spec.errors();
    out.opened = std::move(*spec);
    Expected<model::LessonAnswer> answer = model::open_answer(lesson_->course().files().answers, lesson_->answer_name(), want.id);
    if (!answer) return answer.errors();
    out.text = answer->text;
    out.file = std::move(answer->file);
    out.kept_aside = std::move(answer->aside);
  } else {
    Expected<LaunchSpec> spec = load_launch_file(want.id);
    if (!spec) return spec.errors();
    Expected<SourcePtr> text = launch_source(*spec);
    if (!text) return text.errors();
    out.opened = std::move(*spec);
    out.text = *text;
    out.file = file_of(out.opened, out.text->text);
  }
  out.spec = out.opened;
  return out;
}

model::KernelFile Window::file_of(const LaunchSpec& opened, const std::string& text) const {
  if (!lesson_) return {opened.kernel_path, text};
  // The lesson's own kernel stays as it is, or its pages would no longer be true.
  return model::KernelFile::not_yet(model::unused_path(std::filesystem::path(lesson_->name() + ".py").filename().string()), text);
}

Window::Aside Window::put_aside() {
  model::Session& session = controller_->session();
  return {shown_, chrome_.opened, session.spec(), session.published().text, std::move(file_), std::exchange(kept_aside_, {})};
}

void Window::show_page_launch() {
  if (!lesson_) return;
  const PageLaunch want = lesson_->launch();
  lesson_->set_refused(want == refused_);
  if (want == shown_ || want == refused_) return;
  if (want.id == shown_.id) {  // another launch of the exercise, with the text as it is
    const Expected<LaunchSpec> spec = exercise_launch(want);
    shown_ = want;
    if (!spec) return say(spec.errors().front().message, 20);
    controller_->open(*spec, controller_->session().published().text, want.program);
    chrome_.opened = *spec;
    return;
  }
  Aside next;
  if (const auto known = aside_.find(want.id); known != aside_.end()) {
    next = std::move(known->second);
    aside_.erase(known);
    if (!(next.launch == want))
      if (const Expected<LaunchSpec> spec = exercise_launch(want)) next.opened = next.spec = *spec;
  } else {
    Expected<Aside> read = read_page_launch(want);
    if (!read) {
      refused_ = want;
      refused_launch_because_ = read.errors().front().message;
      return lesson_->set_refused(true);
    }
    next = std::move(*read);
  }
  keep_answer();
  // A launch whose text was never read has nothing to keep.
  if (Aside now = put_aside(); now.text != nullptr) aside_.insert_or_assign(shown_.id, std::move(now));
  chrome_.opened = std::move(next.opened);
  chrome_.fault = SIZE_MAX;
  file_ = std::move(next.file);
  has_file_ = true;
  kept_aside_ = std::move(next.kept_aside);
  answer_refused_ = false;
  answer_problem_.clear();
  aside_text_ = nullptr;
  controller_->open(std::move(next.spec), std::move(next.text), want.program);
  shown_ = want;
  refused_ = {};
}

bool Window::other_text_is_unsaved() const {
  for (const auto& [id, a] : aside_)
    if (a.file.differs(a.text->text)) return true;
  return false;
}

std::string Window::unsaved_path() const {
  if (is_unsaved()) return !file_.path().empty() ? file_.path() : chrome_.opened.kernel_path;
  for (const auto& [id, a] : aside_)
    if (a.file.differs(a.text->text)) return !a.file.path().empty() ? a.file.path() : a.opened.kernel_path;
  return {};
}

bool Window::save_all_texts() {
  if (is_unsaved() && !save_text()) return false;
  for (auto& [id, a] : aside_)
    if (a.file.differs(a.text->text) && !tell_saved(a.file, model::save_answer(a.file, a.text->text))) return false;
  return true;
}

// ---- the answer

void Window::keep_answer() {
  if (!shown_.exercise || file_.path().empty()) return;
  const SourcePtr now = controller_->session().published().text;
  if (now == nullptr || !file_.differs(now->text) || (answer_refused_ && now == aside_text_)) return;
  const bool first = !answer_refused_;
  if (first) {
    const model::KernelFile::Result result = model::save_answer(file_, now->text);
    answer_problem_.clear();
    if (result.outcome == model::KernelFile::Outcome::Saved) return;
    answer_refused_ = true;  // a second try would write over what somebody else wrote: that takes Ctrl+S
    refused_because_ = result.outcome == model::KernelFile::Outcome::ChangedOnDisk ? std::string(ui_.t(Text::LessonAnswerChanged)) : result.reason;
    tell_saved(file_, result);
  }
  aside_text_ = now;
  const bool kept = !model::keep_aside(file_.path(), now->text, kept_aside_);
  answer_problem_ = kept ? fmt::format(fmt::runtime(ui_.t(Text::LessonAnswerAside)), file_.path(), refused_because_, kept_aside_)
                         : fmt::format(fmt::runtime(ui_.t(Text::LessonAnswerLost)), file_.path(), refused_because_);
}

void Window::keep_answer_when_due() {
  if (!shown_.exercise) return;
  const SourcePtr now = controller_->session().published().text;
  if (now != answer_seen_) {
    answer_seen_ = now;
    answer_changed_ = time_;
  } else if (time_ - answer_changed_ > kPatience || ui_.keyboard_focus.empty()) {
    keep_answer();
  }
}

// ---- what was asked for

void Window::keep_progress() {
  const model::LessonProgress before = lesson_->course().progress(lesson_->name());
  const model::LessonProgress now{lesson_->page() + 1, lesson_->note_passed(), lesson_->take_answers(), lesson_->passed_pages()};
  if (now.page <= before.page && (before.passed || !now.passed) && now.answers.empty() && now.passed_pages == before.passed_pages) return;
  if (const auto problem = lesson_->course().keep(lesson_->name(), now)) say(*problem, 20);
}

void Window::open_lesson(const std::string& name) {
  const LessonCourse::Row* row = lesson_->course().find(name);
  if (row == nullptr) return;
  keep_answer();
  if (name == lesson_->name()) return lesson_->go_to(0);
  Expected<lessons::Lesson> lesson = lessons::load_lesson(row->folder);
  if (!lesson) return say(lesson.errors().front().message, 20);
  lesson_->open(std::move(*lesson));
}

void Window::set_answer(const std::string& path) {
  const Expected<SourcePtr> text = read_source(path);
  if (!text) return say(text.errors().front().message, 20);
  controller_->edit((*text)->text);
}

void Window::do_lesson_wishes() {
  if (!lesson_) return;
  const LessonWishes w = std::exchange(lesson_->wishes, {});
  const SourcePtr text = controller_->session().published().text;
  const bool writing = shown_.exercise && lesson_->on_exercise() && text != nullptr;
  const bool reset = std::exchange(chrome_.reset_answer, false), solve = std::exchange(chrome_.use_solution, false);
  if (writing && w.check) {
    keep_answer();
    lesson_->result_scroll = 0;
    lesson_->check().start(lesson_->exercise(), text);
  }
  if (writing && w.failure)
    if (const model::ExerciseCheck::State check = lesson_->check().state(); check.exercise == lesson_->exercise() && check.result != nullptr && check.result->failure)
      lesson_->go_to_failure(*check.result->failure, text);
  if (writing && w.reset) {
    const Expected<SourcePtr> start = read_source(lesson_->exercise()->start_path);
    if (start && (*start)->text == text->text) say(std::string(ui_.t(Text::LessonIsStart)));
    else chrome_.popup = Popup::ResetAnswer;
  }
  if (writing && reset) set_answer(lesson_->exercise()->start_path);
  if (writing && solve) set_answer(lesson_->exercise()->solution_path);
  if (w.solution && lesson_->may_see_solution()) {
    chrome_.popup = Popup::Solution;
    chrome_.scroll = 0;
  }
  if (w.lesson) open_lesson(*w.lesson);
  keep_progress();
  keep_answer_when_due();
}

bool Window::wait(double seconds) {
  return paste_.wait(seconds) && controller_->session().wait(seconds) && (!lesson_ || lesson_->check().wait(seconds));
}

bool Window::is_busy() const { return paste_.running() || (lesson_ && lesson_->check().state().phase == Phase::Running); }

void Window::add_lesson_state(nlohmann::json& j) const {
  if (!lesson_) return;
  const LessonGuide& g = *lesson_;
  nlohmann::json& out = j["lesson"];
  out = {{"name", g.name()}, {"page", g.page() + 1}, {"pages", g.lesson().pages.size()}, {"choice", g.choice()}, {"right", g.choice() >= 0 && g.is_right()},
         {"exercise", g.on_exercise()}, {"hints", g.hints()}, {"solution", g.may_see_solution()}};
  out["launch"] = {{"file", shown_.id}, {"exercise", shown_.exercise}, {"number", shown_.number == PageLaunch::kOwn ? nlohmann::json("own") : nlohmann::json(shown_.number)}};
  out["answer"] = shown_.exercise ? file_.path() : "";
  out["withheld"] = g.withholds();
  out["refused"] = g.is_refused();
  const model::Published now = controller_->session().published();
  if (const model::Published& run = g.question_run(now); run.launch != nullptr && run.totals != nullptr)
    for (const std::string& c : g.current().choices[lessons::kEnglish])
      out["choices"].push_back(lessons::fill_numbers(c, [&](std::string_view name) { return lessons::number_of(name, *run.launch, run.totals->trace, run.totals->tensors); }));
  out["answer_problem"] = answer_problem_;
  out["failure_opened"] = g.opened_failure(controller_->session().published().text.get()) != nullptr;
  const model::ExerciseCheck::State check = g.check().state();
  out["check"] = name_of(check.phase);
  out["failure_leads"] = check.result != nullptr && check.result->failure && g.has_place(*check.result->failure);
  out["old"] = check.is_old(controller_->session().published().text.get());
  if (check.phase == Phase::Running) out["checking"] = check.launch + 1;
  if (check.result != nullptr && check.result->failure) {
    const lessons::Failure& f = *check.result->failure;
    out["failure"] = {{"kind", name_of(f.kind)}, {"launch", f.launch}, {"label", f.label}, {"line", f.line}, {"expected", f.expected[lessons::kEnglish]}, {"found", f.found[lessons::kEnglish]}};
    if (!f.tensor.empty()) out["failure"]["tensor"] = f.tensor, out["failure"]["offset"] = f.offset;
    out["failure"]["program"] = f.program ? nlohmann::json(*f.program) : nlohmann::json();
  }
  out["progress"] = nlohmann::json::object();
  for (const LessonCourse::Row& row : g.course().rows()) {
    const model::LessonProgress p = g.course().progress(row.name);
    out["progress"][row.name] = {{"page", p.page}, {"passed", p.passed}};
    for (const auto& [page, choice] : p.answers) out["progress"][row.name]["answers"][std::to_string(page)] = choice;
  }
}

}  // namespace tilescope::window
