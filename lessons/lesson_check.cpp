#include "lessons/lesson_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "core/compile.h"
#include "core/launch_file.h"
#include "core/syntax/lexer.h"
#include "lessons/numbers.h"
#include "sim/launch.h"

namespace tilescope::lessons {
namespace {

namespace fs = std::filesystem;

/// A launch that pages show.
struct Shown {
  std::vector<Diagnostic> problems;  ///< it does not load or compile, though it should
  std::optional<LaunchSpec> spec;
  SourcePtr text;
  std::optional<std::array<int64_t, 3>> grid;
  bool refused = false;  ///< the kernel does not compile, as the launch file says
};

Shown read_shown(const std::string& path) {
  Shown out;
  Expected<LaunchSpec> spec = load_launch_file(path);
  if (!spec) return out.problems = spec.errors(), out;
  out.spec = std::move(*spec);
  if (const Expected<SourcePtr> text = launch_source(*out.spec)) out.text = *text;
  else return out.problems = text.errors(), out;
  if (const auto grid = evaluate_grid(*out.spec)) out.grid = *grid;
  else return out.problems = grid.errors(), out;
  const Expected<CompiledKernel> kernel = compile_launch(*out.spec);
  out.refused = !kernel && out.spec->expect_error;
  if (!kernel && !out.spec->expect_error) out.problems = kernel.errors();
  if (kernel && out.spec->expect_error) out.problems = {plain_error("the kernel compiles, but the launch file expects an error")};
  return out;
}

std::optional<std::string> panel_problem(const std::string& panel, const std::vector<std::string>& panels, std::string& hint) {
  if (std::find(panels.begin(), panels.end(), panel) != panels.end()) return std::nullopt;
  const std::string near = nearest_name(panel, panels);
  hint = near.empty() ? "panels: " : "did you mean \"" + near + "\"? Panels: ";
  for (size_t i = 0; i < panels.size(); ++i) hint += (i == 0 ? "" : ", ") + panels[i];
  return fmt::format("there is no panel \"{}\"", panel);
}

std::optional<std::string> program_problem(const std::array<int64_t, 3>& p, const std::array<int64_t, 3>& grid) {
  for (size_t a = 0; a < 3; ++a)
    if (p[a] >= grid[a]) return fmt::format("program ({}, {}, {}) is not in the grid of {} x {} x {}", p[0], p[1], p[2], grid[0], grid[1], grid[2]);
  return std::nullopt;
}

class Checker {
 public:
  Checker(const Lesson& lesson, const std::vector<std::string>& panels) : lesson_(lesson), panels_(panels), json_((fs::path(lesson.folder) / "lesson.json").string()) {}

  /// What page `i` names.
  void names(size_t i) {
    const Page& page = lesson_.pages[i];
    const std::string place = fmt::format("pages[{}].", i);
    std::string hint;
    if (!page.panel.empty())
      if (const auto problem = panel_problem(page.panel, panels_, hint)) add(place + "panel", *problem, hint);
    const std::string& path = path_of(page);
    const Shown& shown = launch(path);
    // A launch's problem is told once, at the first page that shows it.
    if (!shown.problems.empty()) {
      if (told_.insert(path).second) add(page.launch_path.empty() ? "launch" : place + "launch", shown.problems);
      return;
    }
    if (page.program)
      if (const auto problem = program_problem(*page.program, *shown.grid)) add(place + "program", *problem, "indices count from 0");
    if (!page.line.empty() && find_line(*shown.text, page.line) == 0)
      add(place + "line", fmt::format("no line of {} begins with \"{}\"", fs::path(shown.spec->kernel_path).filename().string(), page.line), "give the beginning of a line, without the blanks in front");
  }

  /// What page `i` says, in all languages and places.
  void texts(size_t i) {
    const Page& page = lesson_.pages[i];
    const auto differ = [&](const char* what, const PerLanguage<std::vector<TextBlock>>& text) {
      if (text[kEnglish].size() == text[kChinese].size()) return;
      say(i, kChinese, fmt::format("has {} paragraphs, items and code blocks in its {}, the English one has {}", text[kChinese].size(), what, text[kEnglish].size()));
    };
    differ("text", page.text);
    if (page.text[kEnglish].size() == page.text[kChinese].size()) differ("text for a terminal", page.terminal_text);
    differ("explanation", page.why);
    for (size_t l = 0; l < kLanguages.size(); ++l) {
      const size_t length = std::max(length_of(page.text[l], l), length_of(page.terminal_text[l], l));
      const size_t most = l == kChinese ? kMostCharacters : kMostWords;
      if (length > most) say(i, l, fmt::format("has {} {}, at most {} are read before something moves", length, l == kChinese ? "characters" : "words", most));
      numbers(i, l);
    }
  }

  void exercise(const std::string& place, const Exercise& e) {
    const auto check = [&](const std::string& path, auto&& judge) {
      const Expected<SourcePtr> text = read_source(path);
      if (!text) return add(place, text.errors());
      const CheckResult r = check_exercise(e, *text);
      judge(fs::path(path).lexically_relative(lesson_.folder).string(), r, r.failure ? in_words(*r.failure, e, kEnglish) : std::string("passes\n"));
    };
    check(e.start_path, [&](const std::string& file, const CheckResult& r, const std::string& words) {
      const bool refused = r.failure && r.failure->kind == Failure::Kind::Compile;
      if (r.passed()) add(place, file + ": the file to start from passes already");
      else if (refused && !e.start_is_refused) add(place, file + ": the file to start from does not compile: " + r.failure->found[kEnglish], "\"expect_error\" in the exercise's launch file says that it is meant so");
      else if (!refused && e.start_is_refused) add(place, file + ": compiles, but the exercise's launch file expects an error", words);
    });
    check(e.solution_path, [&](const std::string& file, const CheckResult& r, const std::string& words) {
      if (!r.passed()) add(place, file + ": the solution does not pass", words);
    });
    for (const Mistake& m : e.mistakes)
      check(m.path, [&](const std::string& file, const CheckResult& r, const std::string& words) {
        if (r.passed()) add(place + ".mistakes." + m.name, file + ": this mistake passes", "a launch is needed that brings it to light");
        else if (words.find(m.message) == std::string::npos) add(place + ".mistakes." + m.name, file + ": its message does not hold \"" + m.message + "\"", words);
      });
  }

  std::vector<Diagnostic> take() { return std::move(problems_); }

 private:
  const std::string& path_of(const Page& page) const { return page.launch_path.empty() ? lesson_.launch_path : page.launch_path; }

  const Shown& launch(const std::string& path) {
    const auto it = launches_.find(path);
    return it != launches_.end() ? it->second : launches_.emplace(path, read_shown(path)).first->second;
  }

  /// The launch run to its end; null when it cannot be.
  struct Ran {
    Launch launch;
    RunTrace totals;
  };
  const Ran* ran(const std::string& path) {
    const auto it = runs_.find(path);
    if (it != runs_.end()) return it->second ? &*it->second : nullptr;
    std::optional<Ran>& out = runs_[path];
    const Shown& shown = launch(path);
    if (!shown.problems.empty() || shown.refused) return nullptr;
    Expected<Launch> prepared = prepare_launch(*shown.spec);
    if (!prepared) return add("launch", prepared.errors()), nullptr;
    RunOptions options;
    options.maps = true;
    out.emplace(Ran{std::move(*prepared), {}});
    out->totals = execute(out->launch, options);
    return &*out;
  }

  void numbers(size_t i, size_t l) {
    const Page& page = lesson_.pages[i];
    const Ran* run = ran(path_of(page));
    std::set<std::string> unknown;
    const auto fill = [&](const std::string& text) {
      return fill_numbers(text, [&](std::string_view name) {
        const auto n = run == nullptr ? std::nullopt : number_of(name, run->launch, run->totals, run->launch.tensors);
        const std::string shown = "{{" + std::string(name) + "}}";
        if (!n && unknown.insert(shown).second) say(i, l, shown + (run == nullptr ? " cannot be computed: the launch does not run" : ": there is no such number"), "lessons/numbers.h lists them");
        if (n == "–" && unknown.insert(shown).second) say(i, l, shown + ": the launch has no such program or element");
        return n;
      });
    };
    for (const auto* blocks : {&page.text[l], &page.terminal_text[l], &page.why[l], &page.terminal_why[l]})
      for (const TextBlock& b : *blocks)
        for (const Span& s : b.spans)
          if (const std::string filled = fill(s.text); filled.find("@window") != std::string::npos || filled.find("@terminal") != std::string::npos)
            say(i, l, "a mark \"@window\" or \"@terminal\" stands inside a line", "it begins a line and a blank follows");
    std::map<std::string, std::string> choices;
    for (const std::string& c : page.choices[l])
      if (const auto [it, fresh] = choices.emplace(fill(c), c); !fresh)
        add(fmt::format("pages[{}].choices", i), fmt::format("\"{}\" and \"{}\" both come out as \"{}\"", it->second, c, it->first));
  }

  void add(const std::string& place, const std::string& problem, const std::string& hint = {}) { problems_.push_back(plain_error(json_ + ": " + place + ": " + problem, trimmed(hint))); }
  void add(const std::string& place, std::vector<Diagnostic> errors) {
    errors[0].message = json_ + ": " + place + ": " + errors[0].message;
    problems_.insert(problems_.end(), errors.begin(), errors.end());
  }
  void say(size_t page, size_t language, const std::string& problem, const std::string& hint = {}) {
    problems_.push_back(plain_error(fmt::format("{}: page {}: {}", (fs::path(lesson_.folder) / fmt::format("lesson.{}.md", kLanguages[language])).string(), page + 1, problem), hint));
  }
  static std::string trimmed(std::string s) {
    s.erase(s.find_last_not_of('\n') + 1);
    return s;
  }

  const Lesson& lesson_;
  const std::vector<std::string>& panels_;
  std::string json_;
  std::map<std::string, Shown> launches_;
  std::map<std::string, std::optional<Ran>> runs_;
  std::set<std::string> told_;
  std::vector<Diagnostic> problems_;
};

}  // namespace

size_t length_of(const std::vector<TextBlock>& text, size_t language) {
  size_t n = 0;
  for (const TextBlock& b : text) {
    if (b.kind == TextBlock::Kind::Code) continue;
    bool in_word = false;
    for (const Span& s : b.spans)
      for (size_t at = 0; at < s.text.size();) {
        uint32_t code = 0;
        const int bytes = std::max(1, utf8_sequence(s.text, at, &code));
        const bool blank = s.text[at] == ' ' || s.text[at] == '\n';
        if (language == kChinese) n += code >= 0x2e80;
        else if (!blank && !in_word) ++n;
        in_word = !blank;
        at += static_cast<size_t>(bytes);
      }
  }
  return n;
}

std::vector<Diagnostic> check_pages(const Lesson& lesson, const std::vector<std::string>& panels) {
  Checker c(lesson, panels);
  for (size_t i = 0; i < lesson.pages.size(); ++i) c.names(i);
  return c.take();
}

std::vector<Diagnostic> check_lesson(const std::string& folder, const std::vector<std::string>& panels) {
  const Expected<Lesson> lesson = load_lesson(folder);
  if (!lesson) return lesson.errors();
  Checker c(*lesson, panels);
  for (size_t i = 0; i < lesson->pages.size(); ++i) {
    c.names(i);
    c.texts(i);
    if (lesson->pages[i].exercise) c.exercise(fmt::format("pages[{}].exercise", i), *lesson->pages[i].exercise);
  }
  if (lesson->exercise) c.exercise("exercise", *lesson->exercise);
  return c.take();
}

}  // namespace tilescope::lessons
