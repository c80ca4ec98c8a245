#include "visualizer/window/view.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ostream>

#include "core/compile.h"
#include "core/words.h"
#include "lessons/lesson.h"
#include "lessons/lesson_check.h"
#include "visualizer/model/settings.h"
#include "visualizer/model/text_file.h"
#include "visualizer/model/threads.h"
#include "visualizer/window/loop_recorder.h"
#include "visualizer/window/panel.h"
#include "visualizer/window/panels/panel_ids.h"
#include "visualizer/window/script_player.h"
#include "visualizer/window/viewer.h"

namespace tilescope::window {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kWidth = 1600, kHeight = 900;

void apply_options(const ViewOptions& o, model::ViewState& s) {
  s.program = o.program;
  if (o.theme) s.theme = *o.theme;
  if (o.language) s.language = *o.language;
  for (const Panel& p : all_panels()) {
    if (o.panel != p.id) continue;
    s.hidden.erase(p.id);
    s.front_tab[cell_id(p.cell)] = p.id;
    // In a narrow window the right column's panels are tabs of the centre.
    if (p.cell == Cell::RightTop || p.cell == Cell::RightBottom) s.front_tab[cell_id(Cell::Centre)] = p.id;
  }
}

std::optional<Diagnostic> panel_problem(const std::string& panel) {
  std::string all;
  for (const std::string& id : panel_ids()) {
    if (panel.empty() || panel == id) return std::nullopt;
    all += (all.empty() ? "" : ", ") + id;
  }
  return plain_error("--panel " + panel + ": there is no such panel", "the panels are " + all);
}

/// The window's arrangement on disk.
class Kept {
 public:
  Kept(std::string path, std::ostream& err) : path_(std::move(path)), err_(err) {
    if (path_.empty()) return;
    std::string problem;
    loaded_ = model::load_settings(path_, problem);
    if (!problem.empty()) err_ << problem << "\n";
  }
  const std::string& path() const { return path_; }
  const std::optional<model::Settings>& loaded() const { return loaded_; }

  /// Writes when something changed; not more often than every two seconds unless `now`.
  void save(Viewer& v, bool now) {
    if (path_.empty() || (!now && Clock::now() - saved_at_ < std::chrono::seconds(2))) return;
    saved_at_ = Clock::now();
    int width = v.platform().width(), height = v.platform().height();
    if ((width == 0 || height == 0) && loaded_) width = loaded_->width, height = loaded_->height;
    model::Settings s = model::settings_of(v.window().controller().state(), width, height, v.window().zoom());
    if (loaded_ && s == *loaded_) return;
    const std::optional<std::string> problem = model::save_settings(path_, s);
    if (problem && !complained_) err_ << path_ << ": " << *problem << "; the window's arrangement is not kept\n";
    complained_ = complained_ || problem.has_value();
    loaded_ = std::move(s);
  }

 private:
  std::string path_;
  std::ostream& err_;
  std::optional<model::Settings> loaded_;
  Clock::time_point saved_at_{};
  bool complained_ = false;
};

/// The step that was asked for; threads are those of an access: without a step the first one is shown.
void go_to_first_step(Viewer& v, const ViewOptions& o) {
  model::Controller& k = v.window().controller();
  if (o.step) return k.go_to_line_step(*o.step - 1);
  const std::shared_ptr<const model::Scene> scene = k.scene();
  if (o.panel != "threads" || !o.lesson.empty() || !scene->ready || !model::current_threads(*scene).empty()) return;
  if (const int64_t next = model::nearby_accesses(*scene).next; next >= 0) k.go_to_step(static_cast<uint64_t>(next));
}

/// What the launch has not got of what was asked for: a program, a step.
std::optional<Diagnostic> missing(Viewer& v, const ViewOptions& o, const model::Published& run) {
  if (run.launch == nullptr) return std::nullopt;
  model::Controller& k = v.window().controller();
  if (o.program != ProgramIndex{} && k.state().program != o.program) {
    const std::array<int64_t, 3>& g = run.launch->grid;
    return plain_error(fmt::format("program ({}, {}, {}) is not in the grid of {} x {} x {}", o.program[0], o.program[1], o.program[2], g[0], g[1], g[2]), "indices count from 0");
  }
  const std::shared_ptr<const model::Scene> scene = k.scene();
  if (!o.step || scene->timeline == nullptr || *o.step <= scene->timeline->lines.size()) return std::nullopt;
  return plain_error(fmt::format("--step {}: the last step of this program is {}", *o.step, scene->timeline->lines.size()), "steps count from 1");
}

bool is_chinese(Viewer& v) { return v.window().controller().state().language == model::Language::Chinese; }

/// Before the window goes.
void keep_answer(Viewer& v, std::ostream& err) {
  v.window().keep_answer();
  if (const std::string& problem = v.window().answer_problem(); !problem.empty()) err << problem << "\n";
}

// ---- without a person

constexpr double kCostPatience = 5;  ///< seconds that the cost's picture waits for the run of the whole launch

/// The last finished frame is what is asked for: places are known one frame late, textures are made in the first.
bool settle(Viewer& v, const ViewOptions& o) {
  model::Controller& k = v.window().controller();
  // What a launch costs is found from addresses alone, long before a large one has run.
  const bool cost = o.panel == "cost";
  if (cost || !o.lesson.empty()) v.frame(0, true);  // the cost is estimated, a page's launch opened when it is looked at
  if (!k.session().wait(cost ? kCostPatience : 60) && !(cost && k.session().wait(60, false))) return false;
  for (int i = 0; i < 3; ++i) v.frame(0, true);
  if (!o.lesson.empty() && v.window().wait())
    for (int i = 0; i < 3; ++i) v.frame(0, true);
  go_to_first_step(v, o);
  for (int i = 0; i < 2; ++i) v.frame(0, true);
  return true;
}

bool record_files(Viewer& v, const std::string& folder, std::ostream& out, std::ostream& err) {
  LoopRecorder recorder(v.window(), folder, [&](Picture* into) { v.frame(0, true, into); });
  if (const std::optional<std::string> why = recorder.start()) {
    err << render(plain_error("nothing was recorded: " + *why));
    return false;
  }
  if (recorder.plan().iterations) err << "more than " << LoopRecorder::kMostFrames << " steps: one picture an iteration\n";
  if (recorder.plan().left_out > 0) err << "the last " << recorder.plan().left_out << " pictures are left out: at most " << LoopRecorder::kMostFrames << " are made\n";
  while (recorder.next())
    if (recorder.done() % 50 == 0) err << recorder.done() << " of " << recorder.frames() << "\n";
  if (!recorder.problem().empty()) {
    err << render(plain_error(recorder.problem()));
    return false;
  }
  out << "saved " << recorder.done() << " pictures and loop.png in " << folder << "\n";
  return true;
}

/// As the window says it: in its language, and of a patient nothing that the page asks for.
void report_errors(Viewer& v, std::vector<Diagnostic> errors, std::ostream& err) {
  const bool withheld = v.window().withholds_diagnosis();
  if (withheld)
    for (Diagnostic& d : errors) d.hint.clear();
  err << render(errors, is_chinese(v));
  if (withheld && !errors.empty()) err << v.window().ui().t(Text::LessonWithheldHint) << "\n";
}

/// The first fault of the launch, or of the program that is shown. True when it makes the launch fail, as in `run`.
bool report_fault(Viewer& v, const model::Published& run, std::ostream& err) {
  const std::vector<Fault>* faults = run.totals != nullptr ? &run.totals->trace.faults : nullptr;
  if ((faults == nullptr || faults->empty()) && run.recorded != nullptr) faults = &run.recorded->recording->trace().faults;
  if (faults == nullptr || faults->empty()) return false;
  const auto worst = std::find_if(faults->begin(), faults->end(), [](const Fault& f) { return !f.same_value; });
  if (v.window().withholds_diagnosis()) err << v.window().ui().t(Text::LessonWithheld) << "\n";
  else err << render(to_diagnostic(worst != faults->end() ? *worst : faults->front()), is_chinese(v));
  return worst != faults->end();
}

int draw_files(Viewer& v, const ViewOptions& o, const std::vector<ScriptLine>& script, Kept& kept, std::ostream& out, std::ostream& err) {
  if (!settle(v, o)) err << "still at work after a minute: the picture shows what there is\n";
  ScriptPlayer player(v.window(), v.platform(), [&](Picture* into) { v.frame(0, true, into); }, out, err);
  for (const ScriptLine& line : script) {
    if (!player.play(line)) return 2;
    const Window::Wishes wishes = v.window().take_wishes();
    if (wishes.picture && !player.shot(model::unused_path("tilescope.png"))) return 2;
    if (wishes.record && !record_files(v, model::unused_path("tilescope-loop"), out, err)) return 2;
  }
  const model::Published run = v.window().controller().session().published();
  if (!run.errors.empty()) report_errors(v, run.errors, err);
  if (script.empty())
    if (const std::optional<Diagnostic> problem = missing(v, o, run)) return err << render(*problem), 2;
  if (!o.shot.empty() && !player.shot(o.shot)) return 2;
  if (!o.record.empty() && !record_files(v, o.record, out, err)) return 2;
  if (!o.state.empty() && !player.state(o.state)) return 2;
  kept.save(v, true);
  keep_answer(v, err);
  v.window().times().report(err);
  if (run.launch == nullptr && !run.errors.empty()) return 2;
  // A picture of a kernel that faults is made, but whoever asked for it in a script learns of the fault.
  return script.empty() && !o.shot.empty() && report_fault(v, run, err) ? 3 : 0;
}

// ---- with a person

/// What goes on between the frames of a window on the screen.
class Interaction {
 public:
  Interaction(Viewer& viewer, const ViewOptions& options, Kept& kept, std::ostream& out, std::ostream& err)
      : v_(viewer), o_(options), kept_(kept), err_(err), files_(viewer.window(), viewer.platform(), [this](Picture* into) { v_.frame(0, false, into); }, out, err) {}

  void run() {
    while (step()) {
    }
    kept_.save(v_, true);
    keep_answer(v_, err_);
  }

 private:
  /// False when the window closes.
  bool step() {
    Window& w = v_.window();
    if (recorder_) {
      if (!record()) recorder_.reset();
    } else if (!v_.frame(pause(), false)) {
      v_.platform().keep_open();
      let_typed_text_arrive();
      if (w.may_close()) return false;
    }
    // Hover and places are one frame late, and tooltips come and go: some frames after input make the picture whole.
    quiet_frames_ = v_.had_input() ? 0 : quiet_frames_ + 1;
    go_to_first_step();
    const Window::Wishes wishes = w.take_wishes();
    if (wishes.close) return false;
    if (wishes.picture) save_picture();
    if (wishes.record && !recorder_) start_recording();
    if (wishes.stop && recorder_) stop_recording();
    kept_.save(v_, false);
    write_state();
    return true;
  }

  /// What was typed last reaches the session a moment later.
  void let_typed_text_arrive() {
    if (v_.window().ui().keyboard_focus.empty()) return;
    const Clock::time_point until = Clock::now() + std::chrono::milliseconds(500);
    while (Clock::now() < until) v_.frame(0.02, false);
    v_.platform().keep_open();
  }

  /// How long to wait for input: not at all while something moves, longer and longer while nothing does.
  double pause() {
    const model::Controller& k = v_.window().controller();
    constexpr double kFrame = 1.0 / 60, kBusy = 0.03, kIdle = 0.25;
    if (k.state().playing || quiet_frames_ < 30 || v_.window().says_something()) return kFrame;
    const model::Published run = v_.window().controller().session().published();
    return run.busy || run.cost_busy || v_.window().is_busy() ? kBusy : kIdle;
  }

  void go_to_first_step() {
    model::Controller& k = v_.window().controller();
    if (placed_ || !k.scene()->ready) return;
    placed_ = true;
    tilescope::window::go_to_first_step(v_, o_);
    if (const auto problem = missing(v_, o_, k.session().published())) v_.window().say(problem->message);
  }

  std::string text(Text id) const { return std::string(v_.window().ui().t(id)); }

  void save_picture() {
    const std::string path = model::unused_path("tilescope.png");
    Picture picture;
    v_.window().say("");
    v_.frame(0, false, &picture);
    const std::optional<std::string> problem = write_png(path, picture);
    v_.window().say(problem ? fmt::format(fmt::runtime(text(Text::NotSaved)), path, *problem) : fmt::format(fmt::runtime(text(Text::Saved)), path));
  }

  void start_recording() {
    recorder_.emplace(v_.window(), model::unused_path("tilescope-loop"), [this](Picture* into) { v_.frame(0, true, into); });
    v_.window().say("");
    if (const std::optional<std::string> why = recorder_->start()) {
      v_.window().say(*why);
      recorder_.reset();
    }
  }

  /// One more picture. False when it was the last.
  bool record() {
    const bool more = recorder_->next();
    if (more && recorder_->done() < recorder_->frames()) {
      v_.platform().set_title(fmt::format(fmt::runtime(text(Text::RecordingFrames)), recorder_->done() + 1, recorder_->frames()));
      return true;
    }
    v_.platform().set_title("Tilescope");
    std::string message = recorder_->problem();
    if (message.empty()) message = fmt::format(fmt::runtime(text(Text::RecordedFrames)), recorder_->done(), recorder_->folder());
    if (recorder_->plan().left_out > 0) message += "; " + fmt::format(fmt::runtime(text(Text::RecordedFirst)), recorder_->frames());
    else if (recorder_->plan().iterations) message += "; " + text(Text::RecordedIterations);
    v_.window().say(message);
    return false;
  }

  void stop_recording() {
    recorder_->stop();
    v_.platform().set_title("Tilescope");
    v_.window().say(fmt::format(fmt::runtime(text(Text::RecordingStopped)), recorder_->done(), recorder_->folder()));
    recorder_.reset();
  }

  void write_state() {
    if (o_.state.empty()) return;
    std::string now = v_.window().state_json();
    if (now == last_state_) return;
    files_.state(o_.state);
    last_state_ = std::move(now);
  }

  Viewer& v_;
  const ViewOptions& o_;
  Kept& kept_;
  std::ostream& err_;
  ScriptPlayer files_;
  std::optional<LoopRecorder> recorder_;
  std::string last_state_;
  bool placed_ = false;
  int quiet_frames_ = 0;
};

}  // namespace

int view(const LaunchSpec& spec, const ViewOptions& o, std::ostream& out, std::ostream& err) {
  if (const auto problem = panel_problem(o.panel)) return err << render(*problem), 2;
  std::vector<ScriptLine> script;
  if (!o.script.empty()) {
    Expected<SourcePtr> text = read_source(o.script);
    if (!text) return err << render(text.errors()), 2;
    Expected<std::vector<ScriptLine>> lines = parse_script(*text);
    if (!lines) return err << render(lines.errors()), 2;
    script = std::move(*lines);
  }
  std::optional<lessons::Lesson> lesson;
  if (!o.lesson.empty()) {
    Expected<lessons::Lesson> read = lessons::load_lesson(o.lesson);
    if (!read) return err << render(read.errors()), 2;
    lesson = std::move(*read);
    if (const auto problems = lessons::check_pages(*lesson, panel_ids()); !problems.empty()) return err << render(problems), 2;
    if (o.page > lesson->pages.size())
      return err << render(plain_error(fmt::format("--page {}: this lesson has {} page{}", o.page, lesson->pages.size(), lesson->pages.size() == 1 ? "" : "s"), "pages count from 1")), 2;
  }
  const bool files = !o.shot.empty() || !o.script.empty() || !o.record.empty();
  Kept kept(!o.settings.empty() ? o.settings : files ? std::string() : model::default_settings_path(), err);
  const model::Settings settings = kept.loaded().value_or(model::Settings{});
  const int width = o.width > 0 ? o.width : settings.width > 0 ? settings.width : kWidth;
  const int height = o.height > 0 ? o.height : settings.height > 0 ? settings.height : kHeight;
  Expected<std::unique_ptr<Platform>> platform = files ? open_offscreen(width, height, o.scale > 0 ? o.scale : 1) : open_screen("Tilescope", width, height, o.scale);
  if (!platform) return err << render(platform.errors()), 2;
  model::ViewState state;
  apply(settings, state);
  apply_options(o, state);
  auto session = std::make_unique<model::Session>(spec);
  if (!o.notes.empty()) session->set_notes(o.notes);
  if (o.program != ProgramIndex{}) session->select_program(o.program);
  std::unique_ptr<LessonGuide> guide;
  if (lesson) guide = std::make_unique<LessonGuide>(std::move(*lesson), lesson_files_beside(kept.path()));
  Viewer viewer(std::move(*platform), std::make_unique<model::Controller>(std::move(session), state), std::move(guide));
  viewer.window().set_zoom(settings.zoom);
  viewer.window().open_page(o.page, {!o.panel.empty(), o.step.has_value(), o.program != ProgramIndex{}});
  if (files) return draw_files(viewer, o, script, kept, out, err);
  Interaction(viewer, o, kept, out, err).run();
  viewer.window().times().report(err);
  return 0;
}

}  // namespace tilescope::window
