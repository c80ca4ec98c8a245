#include "visualizer/terminal/command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>

#include "core/launch_file.h"
#include "core/passes.h"
#include "visualizer/terminal/report.h"
#include "visualizer/window/panels/panel_ids.h"

namespace tilescope::terminal {
namespace {

/// A whole number above 0; the library's own check names the largest double as the other end.
CLI::Validator from_one() {
  return CLI::Validator(
      [](std::string& text) {
        const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
        if (digits && text.find_first_not_of('0') != std::string::npos) return std::string();
        return "expected a whole number from 1 on, found \"" + text + "\"";
      },
      "N");
}

constexpr const char* kFooter =
    "Exit status: 0 fine; 1 an output differs, or a kernel that lint does not find fine; 2 bad usage, or a kernel that does\n"
    "not compile; 3 a fault found at run time (out of bounds, race, uninitialised value); 4 no GPU for a GPU request.\n"
    "`tilescope run --help` lists the options of a command.";

/// "canonicalise, fold, ..." in the order in which they run.
std::string pass_names() {
  std::string out;
  for (const std::string& name : default_pipeline()) {
    if (out.find(name) != std::string::npos) continue;
    out += (out.empty() ? "" : ", ") + name;
  }
  return out;
}

/// --name and --no-name; absent: the command decides.
void add_switch(CLI::App& app, const std::string& name, std::optional<bool>& value, const std::string& doc) {
  app.add_flag_callback(
         "--" + name, [&value] { value = true; }, doc)
      ->group("Checkers");
  app.add_flag_callback(
         "--no-" + name, [&value] { value = false; }, "")
      ->group("Checkers");
}

void add_launch_options(CLI::App& app, Command& c) {
  app.add_option("target", c.target, "a launch file (LAUNCH.json), a kernel file (KERNEL.py) or a lesson's folder")
      ->required()
      ->type_name("FILE");
  app.add_option("--kernel", c.kernel, "the kernel's name, when the file has several")->type_name("NAME");
  app.add_option("--arg", c.args,
                 "an argument; repeatable. n=1000, eps=1e-5, flag=true, p=None, s='\"text\"', x=f32[1000]=randn(1), "
                 "y=f16[16,32]:strides(1,16)=npy(y.npy), a tensor descriptor d=f16[16,32]:block(8,BLOCK), items of a tuple "
                 "t[0]=64, a function of the file f=\"@relu\". Inits: zeros "
                 "ones empty arange full(v) rand(seed) randn(seed) randint(lo,hi,seed) values(a,b,...) npy(file)")
      ->type_name("NAME=VALUE")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  app.add_option("--config", c.config, "which of the kernel's @triton.autotune configs gives what --arg leaves open, from 1 (default 1)")->check(from_one())->type_name("N");
  app.add_option("--num-warps", c.num_warps, "warps of one program (1 to 32; default 4)")->type_name("N");
  app.add_option("--num-stages", c.num_stages, "depth of software pipelines on a GPU (default 3)")->type_name("N");
}

void add_run_options(CLI::App& app, Command& c) {
  add_launch_options(app, c);
  app.add_flag("--configs", c.list_configs, "list the kernel's @triton.autotune configs and run nothing");
  app.add_option("--grid", c.grid, "programs along each axis: 4 or 4,2 or \"cdiv(n, BLOCK)\"")->type_name("X[,Y[,Z]]")
      ->multi_option_policy(CLI::MultiOptionPolicy::Throw);
  app.add_option("--backend", c.backend, "where to run (default sim)")->check(CLI::IsMember({"sim", "gpu"}));
  app.add_option("--save", c.saves, "write a tensor after the run; repeatable")
      ->type_name("TENSOR=FILE.npy")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  app.add_option("--dot", c.dot, "dots by the bit model of the GPU's units, or as fast as possible (default exact)")
      ->check(CLI::IsMember({"exact", "fast"}));
  app.add_option("--order", c.order, "order of programs: row, reverse or shuffled:SEED (default row)");
  app.add_option("--threads", c.threads, "threads of the simulator (default: all)")->check(CLI::Range(1, 1024));
  app.add_option("--max-steps", c.max_steps, "steps through loops one program may take before it is stopped")
      ->check(from_one())
      ->type_name("N");
  app.add_flag("--json", c.json, "print one JSON object and nothing else");
  app.add_flag("--quiet", c.quiet, "no report; faults, errors and differences only");
  app.add_option("--lang", c.language, "language of the report: en or zh (JSON and the estimate of --cost are in English)")->check(CLI::IsMember({"en", "zh"}));
  add_switch(app, "bounds", c.bounds, "addresses outside the tensors (on)");
  add_switch(app, "addresses", c.addresses, "addresses and conditions made of undefined values (on)");
  add_switch(app, "uninitialised", c.uninitialised, "undefined values that are stored (on in check)");
  add_switch(app, "duplicates", c.duplicates, "lanes of one store that write one element (on in check)");
  add_switch(app, "races", c.races, "programs that write one element, or read what another writes (on in check)");
  add_switch(app, "overflow", c.overflow, "offsets that wrap in 32 bits and reach an address (on in check)");
  add_switch(app, "block-pointers", c.block_pointers, "block pointers that do not fit their tensor (on in check)");
  add_switch(app, "order-check", c.order_check, "run again in reverse and in shuffled order and compare all bytes (on in check where races leave it open)");
}

void add_sandbox_options(CLI::App& app, Command& c) {
  add_launch_options(app, c);
  app.get_option("target")->required(false)->description("a kernel file; none or -: the kernel is read from standard input, so that it can be pasted");
  app.add_option("--grid", c.grid, "programs along each axis (default: guessed)")->type_name("X[,Y[,Z]]");
  app.add_flag("--yes", c.yes, "take all guesses, ask nothing");
  app.add_flag("--ask", c.ask, "ask about each argument although the input is no terminal");
  app.add_option("--launch", c.launch_out, "write the launch file; nothing is overwritten")->type_name("FILE.json");
  app.add_flag("--no-window", c.no_window, "only report in the terminal");
  app.add_option("--shot", c.shot, "draw the window into a PNG file")->type_name("FILE.png");
  app.add_option("--size", c.size, "of the window or picture in pixels")->type_name("WxH");
  app.add_option("--theme", c.theme, "dark or light")->check(CLI::IsMember({"dark", "light"}));
  app.add_option("--lang", c.language, "language of the window: en or zh")->check(CLI::IsMember({"en", "zh"}));
  app.add_option("--max-steps", c.max_steps, "steps through loops one program may take before it is stopped")->check(from_one())->type_name("N");
  app.add_flag("--quiet", c.quiet, "faults and errors only");
}

std::string panel_names() {
  std::string all;
  for (const std::string& id : window::panel_ids()) all += (all.empty() ? "" : ", ") + id;
  return all;
}

void add_view_options(CLI::App& app, Command& c) {
  add_launch_options(app, c);
  app.get_option("target")->required(false)->description("a launch file, a kernel file, a lesson's folder or number (default: the first lesson)");
  app.add_option("--grid", c.grid, "programs along each axis: 4 or 4,2 or \"cdiv(n, BLOCK)\"")->type_name("X[,Y[,Z]]");
  app.add_option("--shot", c.shot, "draw one frame into a PNG file and exit (with 3 when the kernel faults); needs no display")->type_name("FILE.png");
  app.add_option("--record", c.record, "draw every iteration of the loop into a folder (PNGs and loop.png, animated)")->type_name("DIR");
  app.add_option("--size", c.size, "of the window or picture in pixels (default: the window's last size, else 1600x900)")->type_name("WxH");
  app.add_option("--scale", c.scale, "of type and lengths, 0.75 to 2 (default: the display's)")->check(CLI::Range(0.75, 2.0));
  app.add_option("--program", c.program, "the program to show: 2 or 2,0 (default 0)")->type_name("X[,Y[,Z]]");
  app.add_option("--step", c.step, "the step to show, counted from 1 as in the window")->check(from_one())->type_name("N");
  app.add_option("--panel", c.panel, "the panel to bring to the front: " + panel_names())->type_name("NAME");
  app.add_option("--page", c.page, "the page of the lesson to open (default: where you were)")->check(from_one())->type_name("N")->each([&c](const std::string&) { c.page_given = true; });
  app.add_option("--theme", c.theme, "dark or light")->check(CLI::IsMember({"dark", "light"}));
  app.add_option("--lang", c.language, "language of the window: en or zh")->check(CLI::IsMember({"en", "zh"}));
  app.add_option("--script", c.script, "do what a script says instead of a person (tests; visualizer/window/script.h)")->type_name("FILE");
  app.add_option("--settings", c.settings, "file that keeps the window's arrangement (default ~/.config/tilescope/window.json; none with --shot, --script, --record)")
      ->type_name("FILE.json");
  app.add_option("--state", c.state_file, "write what is selected as JSON")->type_name("FILE.json");
}

void add_lesson_options(CLI::App& app, Command& c) {
  app.add_option("lesson", c.target, "its number, name or folder; none: list them")->type_name("N");
  app.add_option("--page", c.page, "start at this page; with --exercise, --start, --hint, --solution: the exercise of this page")->check(from_one())->type_name("N")->each([&c](const std::string&) { c.page_given = true; });
  app.add_option("--exercise", c.exercise, "check this answer to the lesson's exercise")->type_name("FILE.py");
  app.add_flag("--watch", c.watch, "check again whenever the file changes");
  app.add_option("--start", c.start, "write the file that the exercise starts from; of a --page without an exercise: its kernel. Nothing is overwritten")->type_name("FILE.py");
  app.add_option("--with", c.with, "show the --page with this kernel in place of its own, and what comes of it")->type_name("FILE.py");
  app.add_option("--hint", c.hint, "a hint for the exercise: 1, 2 or 3")->check(CLI::Range(1, 3))->type_name("N");
  app.add_flag("--solution", c.solution, "print a solution of the exercise");
  app.add_option("--arg", c.args, "another value for a number of the lesson's launch: n=900")->type_name("NAME=VALUE")->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_flag("--check", c.check_lessons, "say what is wrong with a lesson's folder (none: with all of them); lessons/README.md");
  app.add_option("--lang", c.language, "en or zh")->check(CLI::IsMember({"en", "zh"}));
}

void add_lint_options(CLI::App& app, Command& c) {
  app.footer("Exit status: 0 every kernel is fine; 1 one is not, a file was skipped, or time ended before all was looked at;\n"
             "2 bad usage, or there is no kernel at all.");
  app.add_option("target", c.target, "a kernel file, or a folder with kernel files at any depth")->required()->type_name("FILE|DIR");
  app.add_flag("--json", c.json, "print one JSON object and nothing else");
  app.add_flag("--quiet", c.quiet, "the summary only");
  app.add_flag("--verbose", c.verbose, "whole messages");
  app.add_option("--threads", c.threads, "threads (default: all)")->check(CLI::Range(1, 1024));
}

void add_gpu_options(CLI::App& cuda, CLI::App& compare, Command& c) {
  add_launch_options(cuda, c);
  cuda.add_option("--grid", c.grid)->group("");
  cuda.add_option("--compile", c.architecture, "compile it too and print registers and spills: sm_80, sm_90a, sm_100 ...")->type_name("ARCH");
  add_launch_options(compare, c);
  compare.add_option("--grid", c.grid, "programs along each axis: 4 or 4,2 or \"cdiv(n, BLOCK)\"")->type_name("X[,Y[,Z]]");
  compare.add_flag("--record", c.record_run, "keep the GPU's run beside the launch file, for machines without a GPU");
  compare.add_flag("--json", c.json, "print one JSON object and nothing else");
  compare.add_flag("--quiet", c.quiet, "differences and errors only");
}

/// A mistake on the command line: told on `err`, and as an object where JSON was asked for.
int usage_error(const std::vector<std::string>& args, const Diagnostic& d, std::ostream& out, std::ostream& err) {
  err << render(d);
  if (std::find(args.begin(), args.end(), "--json") != args.end()) out << errors_json({d});
  return kUsage;
}

}  // namespace

std::variant<Command, int> parse_command(const std::vector<std::string>& args, std::ostream& out, std::ostream& err) {
  static const std::vector<std::string> verbs = {"run", "check", "view", "lesson", "cost", "compare", "ir", "cuda", "sandbox", "reference", "lint"};
  if (!args.empty() && !args[0].starts_with('-') && std::find(verbs.begin(), verbs.end(), args[0]) == verbs.end()) {
    std::string near = nearest_name(args[0], verbs);
    std::string hint = near.empty() ? "the commands are run, check, view, lesson, cost, compare, ir, cuda, sandbox, reference and lint" : "did you mean " + near + "?";
    return usage_error(args, plain_error("unknown command \"" + args[0] + "\"", hint), out, err);
  }
  Command c;
  CLI::App app("Tilescope runs Triton kernels on the CPU and shows what they touch.", "tilescope");
  app.footer(kFooter);
  app.require_subcommand(1);
  // An option that is given twice counts as it was given last; --arg and --save collect.
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  CLI::App* run = app.add_subcommand("run", "run a kernel and report what it touched");
  CLI::App* check = app.add_subcommand("check", "run with every checker on and compare the outputs");
  CLI::App* view = app.add_subcommand("view", "step through a kernel in the window, or draw it into a file");
  CLI::App* lesson = app.add_subcommand("lesson", "list lessons, read one, check an exercise");
  CLI::App* sandbox = app.add_subcommand("sandbox", "run any kernel without its host code: arguments are guessed and asked for");
  CLI::App* cost = app.add_subcommand("cost", "estimate what a kernel costs a GPU, from its addresses alone; runs nothing");
  CLI::App* ir = app.add_subcommand("ir", "print the tile IR of a kernel");
  CLI::App* cuda = app.add_subcommand("cuda", "print the CUDA C++ of a kernel; needs no GPU");
  CLI::App* lint = app.add_subcommand("lint", "tell which kernels of a file or folder compile, without arguments; runs nothing");
  CLI::App* compare = app.add_subcommand("compare", "run a kernel on the simulator and on a GPU and compare all bits");
  CLI::App* reference = app.add_subcommand("reference", "the kernel language: every function, construct and IR op, with examples");
  reference->add_option("entry", c.target, "one entry: tl.load, cumsum, for, ir.scan (none: list them)")->type_name("NAME");
  reference->add_option("--markdown", c.markdown, "write all of it into a file")->type_name("FILE.md");
  for (CLI::App* sub : {run, check}) add_run_options(*sub, c);
  add_gpu_options(*cuda, *compare, c);
  for (CLI::App* sub : {run, check, compare})
    sub->add_flag("--force", c.force, "launch on the GPU even what the simulator finds faulty");
  add_view_options(*view, c);
  add_sandbox_options(*sandbox, c);
  add_lesson_options(*lesson, c);
  add_launch_options(*cost, c);
  cost->add_option("--grid", c.grid, "programs along each axis: 4 or 4,2 or \"cdiv(n, BLOCK)\"")->type_name("X[,Y[,Z]]");
  cost->add_flag("--configs", c.list_configs, "estimate every @triton.autotune config of the kernel, the fastest first");
  cost->get_option("target")->required(false);  // `cost --gpu list` has none
  cost->add_flag("--json", c.json, "print one JSON object and nothing else");
  cost->add_flag("--quiet", c.quiet, "no report; errors and files only");
  add_cost_options(*cost, c.cost, true);
  add_cost_options(*run, c.cost, false);
  add_launch_options(*ir, c);
  ir->add_option("--grid", c.grid)->group("");
  ir->add_flag("!--no-optimise", c.optimise, "the IR as lowered, before the passes");
  ir->add_option("--after", c.after, "the IR after this pass (and those before it): " + pass_names())->type_name("PASS");
  ir->add_flag("--locations", c.locations, "with source locations");

  add_lint_options(*lint, c);

  std::vector<std::string> reversed(args.rbegin(), args.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e, out, err), int{kFine};
    return usage_error(args, plain_error(e.what(), "`tilescope --help` and `tilescope run --help` list what there is"),
                       out, err);
  }
  if (cost->parsed() && c.target.empty() && c.cost.gpu != "list")
    return usage_error(args, plain_error("cost: a launch file or a kernel file is required", "`tilescope cost LAUNCH.json --gpu h200`"), out, err);
  if (view->parsed()) c.verb = Command::Verb::View;
  else if (reference->parsed()) c.verb = Command::Verb::Reference;
  else if (sandbox->parsed()) c.verb = Command::Verb::Sandbox;
  else if (lint->parsed()) c.verb = Command::Verb::Lint;
  else if (lesson->parsed()) c.verb = Command::Verb::Lesson;
  else if (cuda->parsed()) c.verb = Command::Verb::Cuda;
  else if (compare->parsed()) c.verb = Command::Verb::Compare;
  else if (cost->parsed()) c.verb = Command::Verb::Cost;
  else c.verb = run->parsed() ? Command::Verb::Run : check->parsed() ? Command::Verb::Check : Command::Verb::Ir;
  return c;
}

}  // namespace tilescope::terminal
