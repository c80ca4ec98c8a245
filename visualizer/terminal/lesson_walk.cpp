#include "visualizer/terminal/lesson_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>
#include <utility>

#include "core/arg_spec.h"
#include "core/compile.h"
#include "core/words.h"
#include "lessons/numbers.h"
#include "visualizer/model/argument_controls.h"
#include "visualizer/model/controller.h"
#include "visualizer/model/line_step.h"
#include "visualizer/terminal/lesson_drawing.h"
#include "visualizer/terminal/lesson_numbers.h"
#include "visualizer/terminal/lesson_text.h"

namespace tilescope::terminal {
namespace {

using lessons::kChinese;

std::string without_line_end(std::string s) {
  if (!s.empty() && s.back() == '\r') s.pop_back();
  return s;
}

class Walker {
 public:
  Walker(const lessons::Lesson& lesson, const Walk& walk, std::istream& in, std::ostream& out) : lesson_(lesson), walk_(walk), in_(in), out_(out) {}

  /// What kept a page's launch from running; empty: the end was reached, or a person left.
  std::vector<Diagnostic> walk() {
    for (size_t page = walk_.first; page < walk_.end && !done_;) {
      if (std::vector<Diagnostic> errors = open(lesson_.pages[page]); !errors.empty()) return errors;
      show(page);
      if (std::exchange(again_, false)) continue;
      if (walk_.read) walk_.read(page);
      if (!walk_.ask) {
        ++page;
        if (page < walk_.end) out_ << "\n" << std::string(walk_.width, '-') << "\n\n";
        continue;
      }
      page = go_on(page);
    }
    return {};
  }

 private:
  bool chinese() const { return walk_.language == kChinese; }
  const char* say(const char* english, const char* chinese_text) const { return chinese() ? chinese_text : english; }

  /// The page's launch, unless it is open already. Nothing, or what kept it from running.
  std::vector<Diagnostic> open(const lessons::Page& p) {
    const std::string& path = p.launch_path.empty() ? lesson_.launch_path : p.launch_path;
    if (path == launch_) return {};
    Expected<LaunchSpec> spec = load_launch_file(path);
    if (!spec) return spec.errors();
    refused_ = spec->expect_error;
    std::vector<LaunchArg> changes;
    for (const LaunchArg& a : walk_.args)
      if (const LaunchArg* old = spec->find(a.name); old != nullptr && old->value.index() == a.value.index()) changes.push_back(a);
    control_ = std::make_unique<model::Controller>(std::make_unique<model::Session>(std::move(*spec)));
    settle();
    opened_ = control_->scene()->run;
    opened_spec_ = control_->session().spec();
    for (const LaunchArg& a : changes) control_->set_argument(a.name, a.value);
    if (!changes.empty()) settle();
    launch_ = path;
    text_shown_ = false;
    const model::Published& run = control_->scene()->run;
    if (walk_.kernel != nullptr) {
      control_->edit(walk_.kernel->text);
      settle();
      refused_ = !control_->scene()->run.errors.empty();
      return {};
    }
    if (refused_ && changes.empty()) return run.errors.empty() ? std::vector<Diagnostic>{plain_error(path + ": the kernel compiles, but the launch file expects an error")} : std::vector<Diagnostic>{};
    if (!run.errors.empty()) return run.errors;
    if (run.launch == nullptr || run.totals == nullptr) return {plain_error(path + ": the launch did not come to its end")};
    return {};
  }

  void settle() {
    control_->session().wait();
    control_->advance(0);
  }

  std::string fill(const std::string& text) const { return fill(text, control_->scene()->run); }
  /// Of choices and why one is right: with other numbers two choices might be equal.
  std::string fill_as_opened(const std::string& text) const { return fill(text, opened_.launch != nullptr && opened_.totals != nullptr ? opened_ : control_->scene()->run); }
  static std::string fill(const std::string& text, const model::Published& run) {
    if (run.launch == nullptr || run.totals == nullptr) return text;
    return lessons::fill_numbers(text, [&](std::string_view name) { return lessons::number_of(name, *run.launch, run.totals->trace, run.totals->tensors); });
  }

  /// Brings the program and the line that the page speaks of to the scene.
  void select(const lessons::Page& p) {
    if (p.program && control_->scene()->run.launch != nullptr) {
      // With other numbers the grid may be smaller.
      ProgramIndex program = *p.program;
      for (size_t axis = 0; axis < 3; ++axis) program[axis] = std::min(program[axis], control_->scene()->run.launch->grid[axis] - 1);
      control_->select_program(program);
      settle();
    }
    const std::shared_ptr<const model::Scene> scene = control_->scene();
    if (p.line.empty() || !scene->ready || !scene->run.errors.empty()) return;
    control_->go_to_start();
    if (const auto step = model::step_on_line(*scene, lessons::find_line(*scene->run.text, p.line), p.iteration)) control_->go_to_line_step(*step);
  }

  void show(size_t page) {
    const lessons::Page& p = lesson_.pages[page];
    select(p);
    out_ << fmt::format("{} · {}/{}\n", lesson_.title[walk_.language], page + 1, lesson_.pages.size());
    if (walk_.kernel != nullptr) return show_change(p, page);
    out_ << "\n" << page_text(p.terminal_text[walk_.language], [this](const std::string& s) { return fill(s); }, walk_.width);
    if (page + 1 == lesson_.pages.size() && lesson_.exercise && !p.exercise) return start_file(*lesson_.exercise);
    source();
    drawing(p);
    if (!p.launch_path.empty()) symptoms();
    if (!p.sliders.empty()) invite(p, page);
    if (!p.choices[walk_.language].empty()) question(p, page);
  }

  void drawing(const lessons::Page& p) {
    if (const std::string drawn = draw_scene(*control_->scene(), p.panel, walk_.language, walk_.width); !drawn.empty()) out_ << "\n" << drawn;
  }

  /// The page's view of a learner's own text of the kernel, and whether that is right; the page's text was read before.
  void show_change(const lessons::Page& p, size_t page) {
    source();
    if (!refused_) drawing(p);  // else it is the lesson's own kernel that was run
    if (!walk_.withheld) findings();
    const model::Published& run = control_->scene()->run;
    const bool ran = run.errors.empty() && run.totals != nullptr && run.totals->trace.faults.empty();
    if (ran || walk_.withheld) symptoms();
    if (ran) {
      for (const OutputCheck& o : run.totals->outputs)
        if (o.equal)
          out_ << "\n" << (chinese() ? fmt::format("{}：{} 个元素全都对。", o.tensor, o.elements) : fmt::format("{}: all {} elements are right.", o.tensor, o.elements)) << "\n";
    }
    if (walk_.withheld) {
      out_ << "\n" << say("What Tilescope says of it is held back until you have answered this page's question:\n", "Tilescope 的报告，答完这一页的问题再看：\n")
           << "    tilescope lesson " << walk_.name << " --page " << page + 1 << (chinese() ? " --lang zh" : "") << "\n";
    }
    if (!p.sliders.empty()) invite(p, page);
  }

  /// A diagnostic within the width, its file without the folders.
  std::string told(const Diagnostic& d) const {
    std::istringstream in(render(d, chinese()));
    std::string out;
    for (std::string line; std::getline(in, line);) {
      if (out.empty()) line.erase(0, line.rfind('/', line.find(':')) + 1);
      if (out.empty() && walk_.kernel != nullptr && line.find(".py:") < line.find(' ')) line.replace(0, line.find(':'), std::filesystem::path(walk_.kernel->path).filename().string());
      const size_t blanks = std::min(line.find_first_not_of(' '), line.size());
      // Source lines and the carets below them stay one above the other.
      const bool is_source = line.find_first_not_of(" 0123456789") == line.find('|') && line.find('|') != std::string::npos;
      if (is_source || display_width(line) <= walk_.width) out += line + "\n";
      else for (const std::string& piece : wrap_text(line, walk_.width - blanks)) out += std::string(blanks, ' ') + piece + "\n";
    }
    return out;
  }

  /// What is to be seen of a broken kernel before anybody says why: that it does not compile, which values are wrong.
  void symptoms() {
    const model::Published& run = control_->scene()->run;
    if (!run.errors.empty()) {
      Diagnostic error = run.errors[0];
      error.hint.clear();  // it comes with what was found
      return void(out_ << "\n" << told(error));
    }
    if (run.totals == nullptr || !run.totals->trace.faults.empty()) return;
    for (const OutputCheck& o : run.totals->outputs) {
      if (o.equal) continue;
      std::string index;
      for (int64_t n : o.first_index) index += (index.empty() ? "" : ", ") + std::to_string(n);
      out_ << "\n" << (chinese() ? fmt::format("{}：{} 个元素中有 {} 个不对。第一个是 [{}]：得到 {}，应为 {}", o.tensor, o.elements, o.differing, index, o.first_got, o.first_expected)
                             : fmt::format("{}: {} of {} elements are wrong. The first is [{}]: {}, expected {}", o.tensor, o.differing, o.elements, index, o.first_got, o.first_expected))
           << "\n";
    }
  }

  /// What the checkers found, once the question was answered.
  void findings() {
    const model::Published& run = control_->scene()->run;
    if (!run.errors.empty()) return void(out_ << "\n" << say("What Tilescope says:\n", "Tilescope 的报告：\n") << told(run.errors[0]));
    if (run.totals == nullptr) return;
    constexpr size_t kMost = 2;
    const std::vector<Fault>& faults = run.totals->trace.faults;
    if (!faults.empty()) out_ << "\n" << say("What Tilescope says:\n", "Tilescope 的报告：\n");
    for (size_t i = 0; i < std::min(faults.size(), kMost); ++i) out_ << told(to_diagnostic(faults[i]));
  }

  /// How the page's numbers are changed here.
  void invite(const lessons::Page& p, size_t page) {
    const LaunchSpec spec = control_->session().spec();
    std::string args, typed;
    for (const LaunchArg& a : other_numbers(spec, opened_spec_, p.sliders, english_text(p))) {
      const std::string value = a.name + "=" + model::value_text(a.value);
      args += " --arg " + value;
      if (typed.empty()) typed = value;
    }
    if (args.empty()) return;
    if (walk_.kernel != nullptr) args += " --with " + walk_.kernel->path;
    if (!walk_.ask) {
      if (!walk_.name.empty()) out_ << "\n" << say("Other numbers: ", "换别的数：") << "tilescope lesson " << walk_.name << " --page " << page + 1 << args << (chinese() ? " --lang zh" : "") << "\n";
      return;
    }
    std::string now;
    for (const std::string& name : p.sliders)
      if (const LaunchArg* a = spec.find(name)) now += (now.empty() ? "" : say(", ", "、")) + name + "=" + model::value_text(a->value);
    out_ << "\n" << say("Numbers to change: ", "可以改的数：") << now << say(". Type one with another value, for instance ", "。换一个值输入，就会重算，例如 ") << typed << "\n";
  }

  std::string english_text(const lessons::Page& p) const {
    std::string out;
    for (const lessons::TextBlock& b : p.terminal_text[lessons::kEnglish]) {
      for (const lessons::Span& s : b.spans) out += fill(s.text);
      out += "\n";
    }
    return out;
  }

  /// "n=900" typed at a prompt: the launch runs again with that number, and the page is shown again.
  void change(const std::string& typed) {
    const Expected<LaunchArg> arg = parse_arg(typed);
    if (!arg) return void(out_ << say("A number is typed as NAME=VALUE.\n", "请写成“名字=值”。\n"));
    const LaunchSpec spec = control_->session().spec();
    const LaunchArg* old = spec.find(arg->name);
    if (old == nullptr || old->value.index() != arg->value.index() || std::holds_alternative<TensorSpec>(arg->value)) {
      std::string numbers;
      for (const LaunchArg& a : spec.args)
        if (std::holds_alternative<int64_t>(a.value) || std::holds_alternative<double>(a.value)) numbers += " " + a.name + "=" + model::value_text(a.value);
      return void(out_ << say("There is no such number. There are:", "没有这个数。可以改的有：") << numbers << "\n");
    }
    control_->set_argument(arg->name, arg->value);
    settle();
    if (std::vector<Diagnostic> errors = control_->scene()->run.errors; !errors.empty() && !refused_) {
      if (walk_.withheld) errors[0].hint.clear();
      out_ << told(errors[0]) << say("The number stays as it was.\n", "没有改动。\n");
      return restore(spec);
    }
    if (!before_) before_ = spec;
    again_ = true;
    out_ << "\n";
  }

  /// Numbers typed on a page end with it: the next one speaks of the launch as the lesson has it.
  void take_back() {
    if (before_) restore(*std::exchange(before_, std::nullopt));
  }

  /// The launch as it was. To type the old numbers again would not do: tensors follow a number, and not all find back.
  void restore(const LaunchSpec& spec) {
    control_->open(spec, control_->scene()->run.text, control_->state().program);
    settle();
  }

  /// What the exercise begins with, in place of the lesson's own kernel.
  void start_file(const lessons::Exercise& e) {
    const Expected<SourcePtr> text = read_source(e.start_path);
    if (!text) return;
    out_ << "\n" << say("The file to start from:\n\n", "初始文件：\n\n");
    print_lines(**text, 1, lines_of(**text), 0, true);
  }

  static int lines_of(const SourceFile& text) {
    const auto ends = static_cast<int>(std::count(text.text.begin(), text.text.end(), '\n'));
    return text.text.ends_with('\n') ? ends : ends + 1;
  }

  /// Lines with their numbers, one of them marked. A comment that does not fit is left out, or in a text that is to be
  /// `whole` stands below its line; code is shown in full.
  void print_lines(const SourceFile& text, int from, int to, int marked, bool whole = false) {
    for (int n = from; n <= to; ++n) {
      std::string line(text.line(n)), comment;
      constexpr size_t kNumber = 7;  // "> 123 |" before the blank
      if (display_width(line) + kNumber + 1 > walk_.width) {
        const size_t hash = std::min(line.find('#'), line.size());
        comment = line.substr(hash);
        line.erase(hash);
      }
      line.erase(line.find_last_not_of(" \t\r") + 1);
      out_ << fmt::format("{} {:>3} |{}{}\n", n == marked ? '>' : ' ', n, line.empty() ? "" : " ", line);
      if (whole && !comment.empty()) out_ << "      |     " << comment << "\n";
    }
  }

  /// The kernel with the page's line marked: whole at first, then what is around the line.
  void source() {
    const std::shared_ptr<const model::Scene> scene = control_->scene();
    if ((!scene->ready && !refused_) || scene->run.text == nullptr) return;
    const SourceFile& text = *scene->run.text;
    constexpr int kAround = 2;
    const int count = lines_of(text), line = walk_.kernel != nullptr && refused_ ? 0 : scene->line;
    if (text_shown_ && line == 0) return;
    out_ << "\n";
    print_lines(text, text_shown_ ? std::max(1, line - kAround) : 1, text_shown_ ? std::min(count, line + kAround) : count, line);
    text_shown_ = true;
  }

  void question(const lessons::Page& p, size_t page) {
    const std::vector<std::string>& choices = p.choices[walk_.language];
    out_ << "\n" << say("Predict:", "先猜一猜：") << "\n";
    for (size_t i = 0; i < choices.size(); ++i) {
      const std::vector<std::string> lines = wrap_text(fill_as_opened(choices[i]), walk_.width - 6);
      for (size_t l = 0; l < lines.size(); ++l) out_ << (l == 0 ? fmt::format("  {}) ", i + 1) : "     ") << lines[l] << "\n";
    }
    if (walk_.ask) ask(p, page, choices.size());
    if (!walk_.ask) tell(p, page);
    if (done_ || again_) return;
    const std::string why = page_text(p.terminal_why[walk_.language], [this](const std::string& s) { return fill_as_opened(s); }, walk_.width);
    if (!why.empty()) out_ << "\n" << why;
    if (!p.launch_path.empty()) findings();
  }

  void tell(const lessons::Page& p, size_t page) {
    if (walk_.told) walk_.told(page);
    out_ << say("Answer: ", "答案：") << p.answer + 1 << ") " << fill_as_opened(p.choices[walk_.language][static_cast<size_t>(p.answer)]) << "\n";
  }

  /// Until the answer is right; an empty line shows it.
  void ask(const lessons::Page& p, size_t page, size_t choices) {
    for (std::string line;;) {
      out_ << say("Your guess, 1 to ", "你的答案，1 到 ") << choices << say(" (Enter: show me, q: leave): ", "（回车：看答案，q：离开）：") << std::flush;
      if (!std::getline(in_, line)) return void(done_ = true);
      line = without_line_end(std::move(line));
      if (line.empty()) return tell(p, page);
      if (line == "q") return void(done_ = true);
      if (line.find('=') != std::string::npos) {
        change(line);
        if (again_) return;
        continue;
      }
      int n = 0;
      const auto [end, ec] = std::from_chars(line.data(), line.data() + line.size(), n);
      if (ec != std::errc() || end != line.data() + line.size() || n < 1 || n > static_cast<int>(choices)) {
        out_ << (chinese() ? fmt::format("可以输入：1 到 {} 的一个数；只按回车，看答案；q，离开；“名字=值”，换一个数重算。\n", choices)
                           : fmt::format("That is no guess. Type a number from 1 to {}, or nothing to be shown the answer, q to leave,\nNAME=VALUE to change a number of the launch.\n", choices));
        continue;
      }
      if (walk_.answered) walk_.answered(page, n - 1);
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
    if (line.find('=') != std::string::npos) {
      change(line);
      return std::exchange(again_, false) ? page : go_on(page);
    }
    out_ << "\n";
    take_back();
    if (line == "q") done_ = true;
    if (line == "b") return page > walk_.first ? page - 1 : page;
    if (last && !done_ && page + 1 == lesson_.pages.size() && !walk_.next.empty())
      out_ << say("The next lesson: ", "下一课：") << "tilescope lesson " << walk_.next << (chinese() ? " --lang zh" : "") << "\n";
    return page + 1;
  }

  const lessons::Lesson& lesson_;
  const Walk& walk_;
  std::istream& in_;
  std::ostream& out_;
  std::unique_ptr<model::Controller> control_;
  std::string launch_;    ///< the launch file that is open
  model::Published opened_;  ///< its run with the numbers of its file
  bool refused_ = false;  ///< it is meant not to compile
  bool done_ = false;
  bool again_ = false;  ///< a number was changed: the page is to be shown again
  std::optional<LaunchSpec> before_;  ///< the launch before numbers were typed on this page
  bool text_shown_ = false;  ///< the launch's kernel was printed whole
  LaunchSpec opened_spec_;   ///< the launch with the numbers of its file
};

}  // namespace

int walk_lesson(const lessons::Lesson& lesson, const Walk& walk, std::istream& in, std::ostream& out, std::ostream& err) {
  Walker walker(lesson, walk, in, out);
  if (const std::vector<Diagnostic> errors = walker.walk(); !errors.empty()) return out.flush(), err << render(errors), kUsage;
  return kFine;
}

}  // namespace tilescope::terminal
