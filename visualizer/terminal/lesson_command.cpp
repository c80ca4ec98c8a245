#include "visualizer/terminal/lesson_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <thread>

#include "core/compile.h"
#include "lessons/catalogue.h"
#include "lessons/numbers.h"
#include "visualizer/model/controller.h"
#include "visualizer/model/lesson_progress.h"
#include "visualizer/model/settings.h"
#include "visualizer/terminal/lesson_drawing.h"
#include "visualizer/terminal/lesson_text.h"
#include "visualizer/terminal/table.h"

#if defined(__unix__) || defined(__APPLE__)
#include <sys/ioctl.h>
#include <unistd.h>
#endif

namespace tilescope::terminal {
namespace {

namespace fs = std::filesystem;
using lessons::kChinese;

constexpr size_t kWidth = 88;  ///< longer lines are hard to read

bool is_terminal(int file) {
#if defined(__unix__) || defined(__APPLE__)
  return isatty(file) == 1;
#else
  return file < 0;
#endif
}

size_t terminal_width() {
#if defined(__unix__) || defined(__APPLE__)
  winsize size{};
  if (ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) return std::min<size_t>(size.ws_col, kWidth);
#endif
  return kWidth;
}

/// --lang, else the window's language.
size_t language_of(const Command& c) {
  if (!c.language.empty()) return c.language == "zh" ? kChinese : lessons::kEnglish;
  std::string problem;
  const std::string path = model::default_settings_path();
  const auto settings = path.empty() ? std::nullopt : model::load_settings(path, problem);
  return settings && settings->language == model::Language::Chinese ? kChinese : lessons::kEnglish;
}

/// Changes what is kept about a lesson. That it cannot be kept is no reason to stop.
void keep(const std::string& lesson, const std::function<void(model::LessonProgress&)>& change) {
  const std::string path = model::default_progress_path();
  if (path.empty()) return;
  model::Progress all = model::load_progress(path);
  const model::LessonProgress before = all[lesson];
  change(all[lesson]);
  if (all[lesson] != before) model::save_progress(path, all);
}

// ---- pages ---------------------------------------------------------------------------------------------------------

std::string without_line_end(std::string s) {
  if (!s.empty() && s.back() == '\r') s.pop_back();
  return s;
}

class Walker {
 public:
  Walker(const lessons::Lesson& lesson, const Walk& walk, std::istream& in, std::ostream& out) : lesson_(lesson), walk_(walk), in_(in), out_(out) {}

  /// Nothing, or what kept the launch from running.
  std::vector<Diagnostic> open() {
    Expected<LaunchSpec> spec = load_launch_file(lesson_.launch_path);
    if (!spec) return spec.errors();
    control_ = std::make_unique<model::Controller>(std::make_unique<model::Session>(std::move(*spec)));
    settle();
    const model::Published& run = control_->scene()->run;
    if (!run.errors.empty()) return run.errors;
    if (run.launch == nullptr || run.totals == nullptr) return {plain_error(lesson_.launch_path + ": the launch did not come to its end")};
    return {};
  }

  void walk() {
    for (size_t page = walk_.first; page < walk_.end && !done_;) {
      show(page);
      if (walk_.read) walk_.read(page);
      if (!walk_.ask) {
        ++page;
        if (page < walk_.end) out_ << "\n" << std::string(walk_.width, '-') << "\n\n";
        continue;
      }
      page = go_on(page);
    }
  }

 private:
  bool chinese() const { return walk_.language == kChinese; }
  const char* say(const char* english, const char* chinese_text) const { return chinese() ? chinese_text : english; }

  void settle() {
    control_->session().wait();
    control_->advance(0);
  }

  std::string fill(const std::string& text) const {
    const model::Published& run = control_->scene()->run;
    return lessons::fill_numbers(text, [&](std::string_view name) { return lessons::number_of(name, *run.launch, run.totals->trace, run.totals->tensors); });
  }

  /// Brings the program and the line that the page speaks of to the scene.
  void select(const lessons::Page& p) {
    if (p.program) {
      control_->select_program(*p.program);
      settle();
    }
    const std::shared_ptr<const model::Scene> scene = control_->scene();
    if (p.line.empty() || !scene->ready) return;
    const int line = lessons::find_line(*scene->run.text, p.line);
    control_->go_to_start();
    if (line > 0) control_->go_to_line(line);
    for (int64_t i = 1; p.iteration && i < *p.iteration; ++i) control_->move(model::StepUnit::Iteration, 1);
  }

  void show(size_t page) {
    const lessons::Page& p = lesson_.pages[page];
    select(p);
    out_ << fmt::format("{} · {}/{}\n\n", lesson_.title[walk_.language], page + 1, lesson_.pages.size());
    out_ << page_text(p.terminal_text[walk_.language], [this](const std::string& s) { return fill(s); }, walk_.width);
    source();
    const std::string drawing = draw_scene(*control_->scene(), p.panel, walk_.language, walk_.width);
    if (!drawing.empty()) out_ << "\n" << drawing;
    if (!p.choices[walk_.language].empty()) question(p);
  }

  /// The kernel with the page's line marked: whole at first, then what is around the line when it is another one.
  void source() {
    const std::shared_ptr<const model::Scene> scene = control_->scene();
    if (!scene->ready || scene->run.text == nullptr || scene->line == line_shown_) return;
    constexpr int kAround = 2;
    const SourceFile& text = *scene->run.text;
    int count = static_cast<int>(std::count(text.text.begin(), text.text.end(), '\n'));
    if (!text.text.ends_with('\n')) ++count;
    const bool whole = line_shown_ < 0;
    const int from = whole ? 1 : std::max(1, scene->line - kAround);
    const int to = whole ? count : std::min(count, scene->line + kAround);
    out_ << "\n";
    for (int n = from; n <= to; ++n) {
      std::string line(text.line(n));
      constexpr size_t kNumber = 7;  // "> 123 |" before the blank
      // A comment that does not fit is left out; code is shown in full.
      if (display_width(line) + kNumber + 1 > walk_.width) line.erase(std::min(line.find('#'), line.size()));
      line.erase(line.find_last_not_of(" \t\r") + 1);
      out_ << fmt::format("{} {:>3} |{}{}\n", n == scene->line ? '>' : ' ', n, line.empty() ? "" : " ", line);
    }
    line_shown_ = scene->line;
  }

  void question(const lessons::Page& p) {
    const std::vector<std::string>& choices = p.choices[walk_.language];
    out_ << "\n" << say("Predict:", "先猜一猜：") << "\n";
    for (size_t i = 0; i < choices.size(); ++i) {
      const std::vector<std::string> lines = wrap_text(fill(choices[i]), walk_.width - 6);
      for (size_t l = 0; l < lines.size(); ++l) out_ << (l == 0 ? fmt::format("  {}) ", i + 1) : "     ") << lines[l] << "\n";
    }
    if (walk_.ask) ask(p, choices.size());
    if (!walk_.ask) tell(p);
  }

  void tell(const lessons::Page& p) {
    out_ << say("Answer: ", "答案：") << p.answer + 1 << ") " << fill(p.choices[walk_.language][static_cast<size_t>(p.answer)]) << "\n";
  }

  /// Until the answer is right; an empty line shows it.
  void ask(const lessons::Page& p, size_t choices) {
    for (std::string line;;) {
      out_ << say("Your guess, 1 to ", "你的答案，1 到 ") << choices << say(" (Enter: show me, q: leave): ", "（回车：看答案，q：离开）：") << std::flush;
      if (!std::getline(in_, line)) return void(done_ = true);
      line = without_line_end(std::move(line));
      if (line.empty()) return tell(p);
      if (line == "q") return void(done_ = true);
      int n = 0;
      const auto [end, ec] = std::from_chars(line.data(), line.data() + line.size(), n);
      if (ec != std::errc() || end != line.data() + line.size() || n < 1 || n > static_cast<int>(choices)) continue;
      if (n == p.answer + 1) return void(out_ << say("Right.\n", "对了。\n"));
      out_ << say("Not this one. Try again.\n", "不对，再试一次。\n");
    }
  }

  size_t go_on(size_t page) {
    if (done_) return page;
    const bool last = page + 1 == walk_.end;
    out_ << "\n" << (last ? say("Enter: done, b: back, q: leave > ", "回车：结束，b：上一页，q：离开 > ") : say("Enter: next, b: back, q: leave > ", "回车：下一页，b：上一页，q：离开 > ")) << std::flush;
    std::string line;
    if (!std::getline(in_, line)) return done_ = true, page;
    line = without_line_end(std::move(line));
    out_ << "\n";
    if (line == "q") done_ = true;
    if (line == "b") return page > walk_.first ? page - 1 : page;
    return page + 1;
  }

  const lessons::Lesson& lesson_;
  const Walk& walk_;
  std::istream& in_;
  std::ostream& out_;
  std::unique_ptr<model::Controller> control_;
  bool done_ = false;
  int line_shown_ = -1;  ///< the line that was marked last; -1: none yet
};

// ---- exercise ------------------------------------------------------------------------------------------------------

int status_of(const lessons::CheckResult& r) {
  if (r.passed()) return kFine;
  if (!r.failure) return kDifferent;
  return r.failure->kind == lessons::Failure::Kind::Compile ? kUsage : r.failure->kind == lessons::Failure::Kind::Fault ? kFault : kDifferent;
}

/// Checks once and reports.
int check_once(const lessons::Exercise& e, const std::string& path, size_t language, std::ostream& out, std::ostream& err) {
  const Expected<SourcePtr> text = read_source(path);
  if (!text) return err << render(text.errors()), kUsage;
  const lessons::CheckResult r = lessons::check_exercise(e, *text);
  if (r.failure) {
    out << lessons::in_words(*r.failure, e, language);
    for (const Diagnostic& d : r.failure->details) out << "\n" << render(d);
    return out.flush(), status_of(r);
  }
  out << (language == kChinese ? fmt::format("通过。{} 组都对：\n", r.launches) : fmt::format("Passed, on all {} launches:\n", r.launches));
  for (const lessons::ExerciseLaunch& l : e.launches) out << "  " << l.label << "\n";
  return out.flush(), status_of(r);
}

int write_start(const lessons::Exercise& e, const std::string& path, size_t language, std::ostream& out, std::ostream& err) {
  const Expected<SourcePtr> text = read_source(e.start_path);
  if (!text) return err << render(text.errors()), kUsage;
  std::FILE* file = std::fopen(path.c_str(), "wx");
  if (file == nullptr) {
    const std::string hint = "name a new file; nothing is overwritten";
    std::error_code ec;
    return err << render(plain_error(path + (fs::exists(path, ec) ? ": is there already" : ": cannot be made"), hint)), kUsage;
  }
  const std::string& t = (*text)->text;
  const bool written = std::fwrite(t.data(), 1, t.size(), file) == t.size();
  if (std::fclose(file) != 0 || !written) return err << render(plain_error(path + ": cannot be written")), kUsage;
  out << (language == kChinese ? "已写入 " : "Written: ") << path << "\n";
  return kFine;
}

int print_hint(const lessons::Exercise& e, int64_t level, size_t language, std::ostream& out) {
  const auto plain = [](const std::string& s) { return s; };
  out << page_text(e.hints[static_cast<size_t>(level - 1)][language], plain, terminal_width());
  return kFine;
}

int print_solution(const lessons::Exercise& e, std::ostream& out, std::ostream& err) {
  const Expected<SourcePtr> text = read_source(e.solution_path);
  if (!text) return err << render(text.errors()), kUsage;
  return out << (*text)->text, kFine;
}

// ---- the command ---------------------------------------------------------------------------------------------------

int list(size_t language, std::ostream& out, std::ostream& err) {
  const bool chinese = language == kChinese;
  const std::string folder = lessons::lessons_folder();
  const std::vector<lessons::CatalogueEntry> all = lessons::list_lessons(folder);
  if (all.empty()) return err << render(plain_error("there are no lessons in " + folder, "TILESCOPE_LESSONS=FOLDER names another folder")), kUsage;
  const std::string path = model::default_progress_path();
  const model::Progress progress = path.empty() ? model::Progress{} : model::load_progress(path);
  int status = kFine;
  for (const lessons::CatalogueEntry& e : all) {
    const Expected<lessons::Lesson> lesson = lessons::load_lesson(e.folder);
    if (!lesson) {
      err << render(lesson.errors());
      status = kUsage;
      continue;
    }
    out << fmt::format("  {:>2}  {}", e.number, lesson->title[language]);
    const auto it = progress.find(e.name);
    if (it != progress.end() && it->second.passed) out << (chinese ? "   [练习已通过]" : "   [exercise passed]");
    else if (it != progress.end() && it->second.page > 0)
      out << fmt::format("   [{}/{}]", std::min(it->second.page, lesson->pages.size()), lesson->pages.size());
    out << "\n";
  }
  out << (chinese ? "\n在终端里读：tilescope lesson 1 --lang zh    在窗口里读：tilescope view 1 --lang zh\n" : "\nRead one here: tilescope lesson 1    In the window: tilescope view 1\n");
  return status;
}

int with_exercise(const Command& c, const lessons::CatalogueEntry& entry, const lessons::Lesson& lesson, std::ostream& out, std::ostream& err) {
  if (!lesson.exercise) return err << render(plain_error("lesson " + entry.name + " has no exercise")), kUsage;
  const lessons::Exercise& e = *lesson.exercise;
  const size_t language = language_of(c);
  if (!c.start.empty()) return write_start(e, c.start, language, out, err);
  if (c.hint) return print_hint(e, *c.hint, language, out);
  if (c.solution) return print_solution(e, out, err);
  const auto passed = [](model::LessonProgress& p) { p.passed = true; };
  if (c.watch) {
    const auto go_on = [&, kept = false](int status) mutable {
      if (status == kFine && !kept) keep(entry.name, passed), kept = true;
      return true;
    };
    return watch_exercise(e, c.exercise, language, go_on, out, err);
  }
  const int status = check_once(e, c.exercise, language, out, err);
  if (status == kFine) keep(entry.name, passed);
  else if (status != kUsage || fs::exists(c.exercise))
    out << (language == kChinese ? fmt::format("\n提示：tilescope lesson {} --hint 1 --lang zh\n", c.target) : fmt::format("\nA hint: tilescope lesson {} --hint 1\n", c.target));
  return status;
}

int read(const Command& c, const lessons::CatalogueEntry& entry, const lessons::Lesson& lesson, std::ostream& out, std::ostream& err) {
  Walk w;
  w.language = language_of(c);
  w.ask = &out == &std::cout && is_terminal(0) && is_terminal(1);
  w.width = w.ask ? terminal_width() : kWidth;
  w.end = lesson.pages.size();
  if (c.page_given) {
    if (static_cast<size_t>(c.page) > lesson.pages.size()) return err << render(plain_error(fmt::format("--page {}: the lesson has {} pages", c.page, lesson.pages.size()))), kUsage;
    w.first = static_cast<size_t>(c.page) - 1;
    if (!w.ask) w.end = w.first + 1;
  }
  if (w.ask) w.read = [&](size_t page) { keep(entry.name, [&](model::LessonProgress& p) { p.page = std::max(p.page, page + 1); }); };
  return walk_lesson(lesson, w, std::cin, out, err);
}

}  // namespace

int walk_lesson(const lessons::Lesson& lesson, const Walk& walk, std::istream& in, std::ostream& out, std::ostream& err) {
  Walker walker(lesson, walk, in, out);
  if (const std::vector<Diagnostic> errors = walker.open(); !errors.empty()) return err << render(errors), kUsage;
  walker.walk();
  return kFine;
}

int watch_exercise(const lessons::Exercise& e, const std::string& path, size_t language, const std::function<bool(int status)>& go_on, std::ostream& out, std::ostream& err) {
  constexpr auto kBetween = std::chrono::milliseconds(150);
  std::optional<fs::file_time_type> seen;
  int status = kUsage;
  for (bool first = true;; first = false) {
    std::error_code ec;
    const fs::file_time_type time = fs::last_write_time(path, ec);
    if (ec && first) return err << render(plain_error(path + ": there is no such file", "--start FILE.py writes the file to begin with")), kUsage;
    // Editors that write a new file and rename it leave none for a moment.
    if (!ec && seen != time) {
      seen = time;
      if (!first) out << "\n" << std::string(40, '-') << "\n";
      status = check_once(e, path, language, out, err);
      out << (language == kChinese ? "\n文件一改就重新检查；按 Ctrl-C 结束。\n" : "\nChecked again when the file changes; Ctrl-C ends.\n") << std::flush;
    }
    if (!go_on(status)) return status;
    std::this_thread::sleep_for(kBetween);
  }
}

int run_lesson(const Command& c, std::ostream& out, std::ostream& err) {
  const int wanted = !c.exercise.empty() + !c.start.empty() + c.hint.has_value() + c.solution + c.page_given;
  if (wanted > 1) return err << render(plain_error("one of --exercise, --start, --hint, --solution and --page at a time")), kUsage;
  if (c.watch && c.exercise.empty()) return err << render(plain_error("--watch goes with --exercise FILE.py")), kUsage;
  if (c.target.empty()) {
    if (wanted > 0) return err << render(plain_error("which lesson?", "`tilescope lesson` lists them; then for instance: tilescope lesson 1 --hint 1")), kUsage;
    return list(language_of(c), out, err);
  }
  const Expected<lessons::CatalogueEntry> entry = lessons::find_lesson(c.target, lessons::lessons_folder());
  if (!entry) return err << render(entry.errors()), kUsage;
  const Expected<lessons::Lesson> lesson = lessons::load_lesson(entry->folder);
  if (!lesson) return err << render(lesson.errors()), kUsage;
  if (wanted > 0 && !c.page_given) return with_exercise(c, *entry, *lesson, out, err);
  return read(c, *entry, *lesson, out, err);
}

}  // namespace tilescope::terminal
