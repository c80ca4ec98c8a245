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

#include "core/arg_spec.h"
#include "core/compile.h"
#include "core/user_file.h"
#include "core/words.h"
#include "lessons/catalogue.h"
#include "lessons/lesson.h"
#include "lessons/lesson_check.h"
#include "visualizer/model/lesson_progress.h"
#include "visualizer/model/settings.h"
#include "visualizer/terminal/lesson_text.h"
#include "visualizer/terminal/lesson_walk.h"
#include "visualizer/terminal/standard_streams.h"
#include "visualizer/terminal/table.h"
#include "visualizer/window/panels/panel_ids.h"

namespace tilescope::terminal {
namespace {

namespace fs = std::filesystem;
using lessons::kChinese;

constexpr int kWidth = 88;  ///< longer lines are hard to read

/// --lang, else the window's language.
size_t language_of(const Command& c) {
  if (!c.language.empty()) return c.language == "zh" ? kChinese : lessons::kEnglish;
  std::string problem;
  const std::string path = model::default_settings_path();
  const auto settings = path.empty() ? std::nullopt : model::load_settings(path, problem);
  return settings && settings->language == model::Language::Chinese ? kChinese : lessons::kEnglish;
}

/// Adds to what is kept about a lesson. That it cannot be kept is no reason to stop.
void keep(const std::string& lesson, const model::LessonProgress& now) {
  model::Progress known;
  model::keep_progress(model::default_progress_path(), known, lesson, now);
}

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
    for (const Diagnostic& d : r.failure->details) out << "\n" << render(d, language == kChinese);
    return out.flush(), status_of(r);
  }
  out << (language == kChinese ? fmt::format("通过。{} 组都对：\n", r.launches) : fmt::format("Passed, on all {} launches:\n", r.launches));
  for (const lessons::ExerciseLaunch& l : e.launches) out << "  " << l.label << "\n";
  return out.flush(), status_of(r);
}

/// Copies the file `from`, that a learner starts from, to the new file `path`.
int write_start(const std::string& from, const std::string& path, size_t language, std::ostream& out, std::ostream& err) {
  const Expected<SourcePtr> text = read_source(from);
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
  out << page_text(e.hints[static_cast<size_t>(level - 1)][language], plain, static_cast<size_t>(terminal_columns(40, kWidth, kWidth)));
  return kFine;
}

int print_solution(const lessons::Exercise& e, std::ostream& out, std::ostream& err) {
  const Expected<SourcePtr> text = read_source(e.solution_path);
  if (!text) return err << render(text.errors()), kUsage;
  return out << (*text)->text, kFine;
}

/// What --arg says: numbers of the lesson's launches.
std::optional<Diagnostic> read_args(const Command& c, const lessons::Lesson& lesson, std::vector<LaunchArg>& out) {
  std::vector<LaunchSpec> launches;
  for (const std::string& path : lessons::launches_of(lesson))
    if (Expected<LaunchSpec> spec = load_launch_file(path)) launches.push_back(std::move(*spec));
  for (const std::string& text : c.args) {
    Expected<LaunchArg> arg = parse_arg(text);
    if (!arg) return arg.errors()[0];
    std::vector<std::string> numbers;
    bool found = false;
    for (const LaunchSpec& spec : launches)
      for (const LaunchArg& a : spec.args) {
        if (!std::holds_alternative<int64_t>(a.value) && !std::holds_alternative<double>(a.value)) continue;
        if (std::find(numbers.begin(), numbers.end(), a.name) == numbers.end()) numbers.push_back(a.name);
        found |= a.name == arg->name && a.value.index() == arg->value.index();
      }
    std::string hint = "numbers of this lesson:";
    for (const std::string& n : numbers) hint += " " + n;
    if (!found) return plain_error("--arg " + text + ": the lesson has no such number", hint);
    out.push_back(std::move(*arg));
  }
  return std::nullopt;
}

Diagnostic no_such_page(const Command& c, const lessons::Lesson& lesson) {
  return plain_error(fmt::format("--page {}: the lesson has {} pages", c.page, lesson.pages.size()));
}

// ---- lesson folders ----------------------------------------------------------------------------------------------------

/// What a lesson holds, when nothing is wrong with it.
std::string inventory(const std::string& folder) {
  const Expected<lessons::Lesson> l = lessons::load_lesson(folder);
  if (!l) return {};
  size_t questions = 0, exercises = l->exercise ? 1 : 0, mistakes = l->exercise ? l->exercise->mistakes.size() : 0;
  for (const lessons::Page& p : l->pages) {
    questions += !p.choices[lessons::kEnglish].empty();
    if (!p.exercise) continue;
    ++exercises;
    mistakes += p.exercise->mistakes.size();
  }
  const auto counted = [](size_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); };
  return counted(l->pages.size(), "page") + ", " + counted(questions, "question") + ", " + counted(exercises, "exercise") + ", " + counted(mistakes, "planted mistake");
}

/// One lesson, or all where none is named.
int check_lessons(const std::string& wanted, std::ostream& out, std::ostream& err) {
  std::vector<lessons::CatalogueEntry> entries;
  const std::string folder = lessons::lessons_folder();
  if (wanted.empty()) {
    entries = lessons::list_lessons(folder);
    if (entries.empty()) return err << render(plain_error("there are no lessons in " + folder, "TILESCOPE_LESSONS=FOLDER names another folder")), kUsage;
  } else {
    const Expected<lessons::CatalogueEntry> entry = lessons::find_lesson(wanted, folder);
    if (!entry) return err << render(entry.errors()), kUsage;
    entries = {*entry};
  }
  int status = kFine;
  for (const lessons::CatalogueEntry& e : entries) {
    const std::vector<Diagnostic> problems = lessons::check_lesson(e.folder, window::panel_ids());
    if (problems.empty()) {
      out << fmt::format("{}: nothing is wrong ({})\n", e.name, inventory(e.folder)) << std::flush;
      continue;
    }
    out << fmt::format("{}: {} problem{}\n", e.name, problems.size(), problems.size() == 1 ? "" : "s") << std::flush;
    err << render(problems);
    status = kUsage;
  }
  return status;
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
    const auto it = progress.find(lessons::kept_name(e.folder));
    if (it != progress.end() && it->second.passed) out << (chinese ? "   [练习已通过]" : "   [exercise passed]");
    else if (it != progress.end() && model::is_finished(it->second, lesson->pages.size(), lesson->exercise.has_value())) out << (chinese ? "   [已读完]" : "   [read]");
    else if (it != progress.end() && it->second.page > 0)
      out << fmt::format("   [{}/{}]", std::min(it->second.page, lesson->pages.size()), lesson->pages.size());
    out << "\n";
  }
  out << (chinese ? "\n在终端里读：tilescope lesson 1 --lang zh    在窗口里读：tilescope view 1 --lang zh\n" : "\nRead one here: tilescope lesson 1    In the window: tilescope view 1\n");
  return status;
}

/// "2, 3, 4"; empty: no page has one of its own.
std::string pages_with_exercises(const lessons::Lesson& lesson) {
  std::string pages;
  for (size_t i = 0; i < lesson.pages.size(); ++i)
    if (lesson.pages[i].exercise) pages += (pages.empty() ? "" : ", ") + std::to_string(i + 1);
  return pages;
}

/// The exercise that is meant: of the page that was named, else the lesson's.
Expected<const lessons::Exercise*> wanted_exercise(const Command& c, const lessons::CatalogueEntry& entry, const lessons::Lesson& lesson) {
  const std::string pages = pages_with_exercises(lesson);
  const std::string hint = pages.empty() ? "" : "pages with an exercise of their own: " + pages;
  if (!c.page_given) {
    if (!lesson.exercise) return plain_error("lesson " + entry.name + " has no exercise", hint);
    return &*lesson.exercise;
  }
  if (static_cast<size_t>(c.page) > lesson.pages.size()) return no_such_page(c, lesson);
  const lessons::Exercise* e = lessons::exercise_of(lesson, static_cast<size_t>(c.page) - 1);
  if (e == nullptr) return plain_error(fmt::format("page {} of lesson {} has no exercise", c.page, entry.name), hint);
  return e;
}

int with_exercise(const Command& c, const lessons::CatalogueEntry& entry, const lessons::Lesson& lesson, std::ostream& out, std::ostream& err) {
  const Expected<const lessons::Exercise*> wanted = wanted_exercise(c, entry, lesson);
  if (!wanted) return err << render(wanted.errors()), kUsage;
  const lessons::Exercise& e = **wanted;
  const bool of_page = !lesson.exercise || &e != &*lesson.exercise;
  const size_t language = language_of(c);
  if (!c.start.empty()) return write_start(e.start_path, c.start, language, out, err);
  if (c.hint) return print_hint(e, *c.hint, language, out);
  if (c.solution) return print_solution(e, out, err);
  const model::LessonProgress passed{0, !of_page, {}};
  if (c.watch) {
    const auto go_on = [&, kept = false](int status) mutable {
      if (status == kFine && !kept) keep(lessons::kept_name(entry.folder), passed), kept = true;
      return true;
    };
    return watch_exercise(e, c.exercise, language, go_on, out, err);
  }
  const int status = check_once(e, c.exercise, language, out, err);
  if (status == kFine) keep(lessons::kept_name(entry.folder), passed);
  else if (std::error_code ec; status != kUsage || fs::exists(c.exercise, ec))
    out << (language == kChinese ? "\n提示：" : "\nA hint: ") << "tilescope lesson " << c.target << (of_page ? fmt::format(" --page {}", c.page) : "") << " --hint 1"
        << (language == kChinese ? " --lang zh\n" : "\n");
  if (const std::string pages = pages_with_exercises(lesson); status != kFine && !c.page_given && !pages.empty())
    out << (language == kChinese ? "这是整课的练习。下列各页另有自己的练习（加上 --page N）：" : "This was the lesson's exercise. With --page N it is that of a page: ") << pages << "\n";
  return status;
}

/// A page without an exercise may ask for a change all the same: then it starts from the page's kernel.
int write_kernel(const Command& c, const lessons::Lesson& lesson, std::ostream& out, std::ostream& err) {
  const std::string& own = lesson.pages[static_cast<size_t>(c.page) - 1].launch_path;
  const Expected<LaunchSpec> spec = load_launch_file(own.empty() ? lesson.launch_path : own);
  if (!spec) return err << render(spec.errors()), kUsage;
  return write_start(spec->kernel_path, c.start, language_of(c), out, err);
}

bool is_on_page_with_exercise(const Command& c, const lessons::Lesson& lesson) {
  return !c.page_given || static_cast<size_t>(c.page) > lesson.pages.size() || lessons::exercise_of(lesson, static_cast<size_t>(c.page) - 1) != nullptr;
}

/// The kernel that --with names.
Expected<SourcePtr> read_with(const Command& c, const lessons::CatalogueEntry& entry, const lessons::Lesson& lesson) {
  if (!c.page_given) return plain_error("--with " + c.with + ": which page?", "--page N says it");
  const size_t page = static_cast<size_t>(c.page);
  if (page <= lesson.pages.size() && !lesson.pages[page - 1].exercise && lessons::exercise_of(lesson, page - 1) != nullptr)
    return plain_error(fmt::format("--with {}: page {} of lesson {} is an exercise", c.with, c.page, entry.name), "--exercise FILE.py checks an answer");
  return read_source(c.with);
}

/// The page asks what is wrong with its kernel, and that was neither answered nor told.
bool is_withheld(const lessons::CatalogueEntry& entry, const lessons::Lesson& lesson, size_t page) {
  if (!lesson.pages[page].withholds_diagnosis) return false;
  model::Progress progress = model::load_progress(model::default_progress_path());
  const model::LessonProgress& kept = progress[lessons::kept_name(entry.folder)];
  return kept.answers.count(page + 1) == 0 && kept.told_pages.count(page + 1) == 0;
}

int read(const Command& c, const lessons::CatalogueEntry& entry, const lessons::Lesson& lesson, std::ostream& out, std::ostream& err) {
  Walk w;
  // The number is shorter, where it means the same.
  const std::string number = std::to_string(entry.number);
  const Expected<lessons::CatalogueEntry> same = lessons::find_lesson(number, lessons::lessons_folder());
  std::error_code ec;
  w.name = same.ok() && fs::equivalent(same->folder, entry.folder, ec) ? number : c.target;
  if (auto problem = read_args(c, lesson, w.args)) return err << render(*problem), kUsage;
  w.language = language_of(c);
  w.ask = &out == &std::cout && is_terminal(Stream::Input) && is_terminal(Stream::Output);
  w.width = w.ask ? static_cast<size_t>(terminal_columns(40, kWidth, kWidth)) : kWidth;
  w.end = lesson.pages.size();
  if (const Expected<lessons::CatalogueEntry> next = lessons::find_lesson(std::to_string(entry.number + 1), lessons::lessons_folder())) w.next = std::to_string(next->number);
  if (c.page_given) {
    if (static_cast<size_t>(c.page) > lesson.pages.size()) return err << render(no_such_page(c, lesson)), kUsage;
    w.first = static_cast<size_t>(c.page) - 1;
    if (!w.ask || !c.with.empty()) w.end = w.first + 1;
  }
  if (!c.with.empty()) {
    Expected<SourcePtr> kernel = read_with(c, entry, lesson);
    if (!kernel) return err << render(kernel.errors()), kUsage;
    w.kernel = *kernel;
    w.withheld = is_withheld(entry, lesson, w.first);
  }
  w.told = [&](size_t page) {
    if (lesson.pages[page].withholds_diagnosis) keep(lessons::kept_name(entry.folder), {0, false, {}, {}, {page + 1}});
  };
  if (w.ask) {
    w.read = [&](size_t page) { keep(lessons::kept_name(entry.folder), {page + 1, false, {}}); };
    w.answered = [&](size_t page, int choice) { keep(lessons::kept_name(entry.folder), {page + 1, false, {{page + 1, choice}}}); };
  }
  return walk_lesson(lesson, w, std::cin, out, err);
}

}  // namespace

int watch_exercise(const lessons::Exercise& e, const std::string& path, size_t language, const std::function<bool(int status)>& go_on, std::ostream& out, std::ostream& err) {
  constexpr auto kBetween = std::chrono::milliseconds(150);
  std::optional<fs::file_time_type> seen;
  int status = kUsage;
  for (bool first = true;; first = false) {
    std::error_code ec;
    const fs::file_time_type time = fs::last_write_time(path, ec);
    if (ec && first) return err << render(plain_error(path + ": there is no such file", "--start FILE.py writes the file to begin with")), kUsage;
    if (const Expected<UserFile> file = UserFile::open(path); !file && first && !ec) return err << render(file.errors()), kUsage;
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
  const int wanted = !c.exercise.empty() + !c.start.empty() + c.hint.has_value() + c.solution + c.check_lessons;
  if (wanted > 1) return err << render(plain_error("one of --exercise, --start, --hint, --solution and --check at a time")), kUsage;
  if (wanted > 0 && !c.with.empty()) return err << render(plain_error("--with is for reading a lesson's page")), kUsage;
  if (wanted > 0 && !c.args.empty()) return err << render(plain_error("--arg is for reading a lesson")), kUsage;
  if (c.check_lessons && c.page_given) return err << render(plain_error("--check takes whole lessons")), kUsage;
  if (c.check_lessons) return check_lessons(c.target, out, err);
  if (c.watch && c.exercise.empty()) return err << render(plain_error("--watch goes with --exercise FILE.py")), kUsage;
  if (c.target.empty()) {
    if (wanted > 0 || c.page_given || !c.args.empty() || !c.with.empty()) return err << render(plain_error("which lesson?", "`tilescope lesson` lists them; then for instance: tilescope lesson 1 --hint 1")), kUsage;
    return list(language_of(c), out, err);
  }
  const Expected<lessons::CatalogueEntry> entry = lessons::find_lesson(c.target, lessons::lessons_folder());
  if (!entry) return err << render(entry.errors()), kUsage;
  const Expected<lessons::Lesson> lesson = lessons::load_lesson(entry->folder);
  if (!lesson) return err << render(lesson.errors()), kUsage;
  if (!c.start.empty() && !is_on_page_with_exercise(c, *lesson)) return write_kernel(c, *lesson, out, err);
  if (wanted > 0) return with_exercise(c, *entry, *lesson, out, err);
  return read(c, *entry, *lesson, out, err);
}

}  // namespace tilescope::terminal
