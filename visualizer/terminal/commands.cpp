// The commands run, check and ir.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <ostream>
#include <set>

#include "core/arg_spec.h"
#include "core/npy.h"
#include "core/passes.h"
#include "core/print.h"
#include "core/words.h"
#include "lessons/catalogue.h"
#include "lessons/lesson.h"
#include "sim/diagnose.h"
#include "sim/launch.h"
#include "sim/order_check.h"
#include "sim/try_kernel.h"
#include "visualizer/terminal/command.h"
#include "visualizer/terminal/config_commands.h"
#include "visualizer/terminal/cost_commands.h"
#include "visualizer/terminal/gpu_commands.h"
#include "visualizer/terminal/language_reference.h"
#include "visualizer/terminal/lesson_command.h"
#include "visualizer/terminal/lint_command.h"
#include "visualizer/terminal/progress.h"
#include "visualizer/terminal/standard_streams.h"
#include "visualizer/terminal/report.h"
#include "visualizer/terminal/report_words.h"
#include "visualizer/terminal/report_cost.h"
#include "visualizer/terminal/run_command.h"
#include "visualizer/terminal/sandbox_command.h"
#include "visualizer/terminal/view_command.h"

namespace tilescope::terminal {
namespace {

bool is_chinese(const Command& c) { return c.language == "zh"; }

/// Prints errors where they belong and returns the status for bad usage.
int refuse(const Command& c, const std::vector<Diagnostic>& errors, std::ostream& out, std::ostream& err) {
  err << render(errors, is_chinese(c));
  if (c.json) out << errors_json(errors);
  return kUsage;
}

std::optional<Diagnostic> apply_options(const Command& c, LaunchSpec& spec) {
  if (c.kernel) spec.kernel = *c.kernel;
  std::set<std::string> named;
  for (const std::string& text : c.args) {
    auto arg = parse_arg(text);
    if (!arg) return arg.errors()[0];
    if (!named.insert(arg->name).second)
      return plain_error("--arg " + arg->name + " is given twice", "each argument has one value; leave one of them out");
    set_arg(spec, std::move(*arg));
  }
  if (c.grid) {
    auto grid = parse_grid(*c.grid);
    if (!grid) return grid.errors()[0];
    spec.grid = std::move(*grid);
  }
  if (c.config) spec.config = *c.config - 1;
  if (c.num_warps) {
    if (auto d = check_num_warps(*c.num_warps, "--num-warps")) return d;
    spec.num_warps = static_cast<int>(*c.num_warps);
    spec.num_warps_stated = true;
  }
  if (c.num_stages) {
    if (auto d = check_num_stages(*c.num_stages, "--num-stages")) return d;
    spec.num_stages = static_cast<int>(*c.num_stages);
    spec.num_stages_stated = true;
  }
  return std::nullopt;
}

/// The launch file or kernel file that was named, with the options of the command line on top.
Expected<LaunchSpec> read_target(const Command& c) {
  LaunchSpec spec;
  std::string launch = c.target;
  if (lessons::is_lesson(c.target)) {
    auto lesson = lessons::load_lesson(c.target);
    if (!lesson) return lesson.errors();
    launch = lesson->launch_path;
  } else if (std::error_code ec; std::filesystem::is_directory(c.target, ec)) {
    std::string names;
    const auto all = lessons::list_lessons(c.target);
    for (const lessons::CatalogueEntry& e : all) names += (names.empty() ? "" : ", ") + e.name;
    if (all.empty()) return plain_error(c.target + ": a folder without a lesson", "give a launch file, a kernel file or a lesson's folder");
    return plain_error(c.target + ": a folder of lessons: " + names, "choose one of them: " + all.front().folder);
  }
  if (std::filesystem::path(launch).extension() == ".json") {
    auto read = load_launch_file(launch);
    if (!read) return read.errors();
    spec = std::move(*read);
  } else {
    spec.kernel_path = c.target;
  }
  if (auto d = apply_options(c, spec)) return *d;
  // The window keeps open what a config gives, so that another can be chosen there.
  const bool keep_open = c.verb == Command::Verb::View || c.list_configs;
  return keep_open ? spec : complete_launch(spec);
}

struct Save {
  std::string tensor, path;
};

Expected<std::vector<Save>> parse_saves(const Command& c, const LaunchSpec& spec) {
  std::vector<Save> out;
  for (const std::string& text : c.saves) {
    size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      return plain_error("--save " + text + ": expected TENSOR=FILE.npy");
    Save s{text.substr(0, equals), text.substr(equals + 1)};
    const LaunchArg* arg = spec.find(s.tensor);
    if (arg == nullptr || !std::holds_alternative<TensorSpec>(arg->value)) {
      std::vector<std::string> names;
      for (const LaunchArg& a : spec.args)
        if (std::holds_alternative<TensorSpec>(a.value)) names.push_back(a.name);
      std::string near = nearest_name(s.tensor, names);
      return plain_error("--save " + text + ": there is no tensor \"" + s.tensor + "\"",
                         near.empty() ? "" : "did you mean \"" + near + "\"?");
    }
    if (auto problem = check_save_path(s.path)) return *problem;
    std::error_code ec;
    for (const std::string& input : {c.target, spec.kernel_path})
      if (std::filesystem::equivalent(s.path, input, ec)) return plain_error("--save " + text + ": that is the kernel's or the launch's own file");
    for (const Save& other : out)
      if (other.path == s.path) return plain_error("--save " + text + ": tensor " + other.tensor + " is saved there too");
    out.push_back(std::move(s));
  }
  return out;
}

Expected<RunOptions> run_options(const Command& c) {
  RunOptions o;
  o.threads = c.threads;
  o.dot = c.dot == "fast" ? DotMode::Fast : DotMode::Exact;
  constexpr std::string_view kShuffled = "shuffled:";
  if (c.order == "reverse") {
    o.order = ProgramOrder::Reverse;
  } else if (c.order.starts_with(kShuffled)) {
    o.order = ProgramOrder::Shuffled;
    const char *begin = c.order.data() + kShuffled.size(), *end = c.order.data() + c.order.size();
    auto [at, ec] = std::from_chars(begin, end, o.shuffle_seed);
    if (ec != std::errc() || at != end)
      return plain_error("--order " + c.order + ": expected shuffled:SEED, as in shuffled:7");
  } else if (c.order != "row") {
    return plain_error("--order " + c.order + ": expected row, reverse or shuffled:SEED");
  }
  bool all = c.verb == Command::Verb::Check;
  o.check.bounds = c.bounds.value_or(true);
  o.check.addresses = c.addresses.value_or(true);
  o.check.uninitialised = c.uninitialised.value_or(all);
  o.check.duplicates = c.duplicates.value_or(all);
  o.check.races = c.races.value_or(all);
  o.check.overflow = c.overflow.value_or(all);
  o.check.block_pointers = c.block_pointers.value_or(all);
  if (c.max_steps) o.limits.max_steps_per_program = *c.max_steps;
  return o;
}

/// English, with their Chinese remembered.
std::vector<std::string> checks_in_words(const Checkers& check, bool order) {
  std::vector<std::string> out;
  const auto add = [&](bool looked_for, ReportWords what) {
    if (looked_for) out.push_back(remember(say(what)));
  };
  add(check.bounds, ReportWords::CheckBounds);
  add(check.addresses, ReportWords::CheckAddresses);
  add(check.uninitialised, ReportWords::CheckUninitialised);
  add(check.duplicates, ReportWords::CheckDuplicates);
  add(check.races, ReportWords::CheckRaces);
  add(check.overflow, ReportWords::CheckOverflow);
  add(check.block_pointers, ReportWords::CheckBlockPointers);
  add(order, ReportWords::CheckOrder);
  return out;
}

std::string not_looked_for(const Words& what, const Words& why) {
  return remember(say(ReportWords::Because, {{"what", say(ReportWords::NotLookedFor, {{"what", what}})}, {"why", why}}));
}

/// "Not looked for: ..."; empty when everything is. `why_no_order`: why the order was not looked for although it was
/// asked for; it then has a sentence of its own.
std::vector<std::string> checks_left_out(const Command& c, const Checkers& check, bool order, const std::string& why_no_order) {
  const std::vector<std::string> all = checks_in_words(Checkers::all(), true), here = checks_in_words(check, order);
  const Words by_order = say(ReportWords::CheckOrder);
  Words off;
  for (const std::string& one : all) {
    if (std::find(here.begin(), here.end(), one) != here.end() || (one == by_order.english && !why_no_order.empty())) continue;
    off = off.empty() ? say(ReportWords::NotLookedFor, {{"what", words_of(one)}}) : say(ReportWords::AndAlso, {{"a", off}, {"b", words_of(one)}});
  }
  std::vector<std::string> out;
  if (!off.empty()) out.push_back(remember(say(c.verb == Command::Verb::Check ? ReportWords::SwitchedOff : ReportWords::CheckLooks, {{"what", off}})));
  if (!order && !why_no_order.empty()) out.push_back(not_looked_for(by_order, words_of(why_no_order)));
  return out;
}

/// Why a launch is not run in other orders, though that was asked for; empty when it was not asked for.
std::string why_order_is_left(const Command& c, const RunTrace& trace) {
  if (!c.order_check.value_or(c.verb == Command::Verb::Check)) return {};
  const auto fails = [&](auto which) { return std::any_of(trace.faults.begin(), trace.faults.end(), [&](const Fault& f) { return !f.same_value && which(f); }); };
  if (programs_stopped(trace)) return remember(say(ReportWords::WhyStopped));
  if (fails([](const Fault& f) { return f.kind == FaultKind::Race; })) return remember(say(ReportWords::WhyRace));
  if (fails([](const Fault&) { return true; })) return remember(say(ReportWords::WhyFault));
  if (depends_on_order(trace)) return remember(say(ReportWords::WhyAtomics));
  return {};
}

std::optional<Diagnostic> save_tensors(const std::vector<Save>& saves, const Launch& launch,
                                       std::vector<std::string>& saved) {
  for (const Save& s : saves) {
    if (auto d = save_npy(s.path, *launch.find_tensor(s.tensor))) return d;
    saved.push_back(s.tensor + " to " + s.path);
  }
  return std::nullopt;
}

bool all_equal(const std::vector<OutputCheck>& outputs) {
  return std::all_of(outputs.begin(), outputs.end(), [](const OutputCheck& o) { return o.equal; });
}

/// Runs a prepared launch and reports. Returns the exit status.
int run_and_report(const Command& c, Launch& launch, const std::vector<Save>& saves, const CostPlan& plan, RunOptions options,
                   std::ostream& out, std::ostream& err) {
  bool check = c.verb == Command::Verb::Check;
  std::vector<Tensor> before = check ? copy_reference_inputs(launch) : std::vector<Tensor>{};
  Progress progress(err, !c.quiet && is_terminal(Stream::Error));
  options.progress = [&](int64_t done, int64_t total) { return progress.update(done, total), true; };
  RunTrace trace = execute(launch, options);
  // Asked for by name, the other orders are run even where the race check has shown that they cannot matter.
  const bool order_proven = order_cannot_matter(launch, trace, options.check);
  const bool compare_order = c.order_check.value_or(check && !order_proven) && trace.programs > 1 && !has_failed(trace) && !depends_on_order(trace);
  const std::string why_no_order = compare_order ? "" : why_order_is_left(c, trace);  // of the run alone: what other orders show comes later
  std::optional<Diagnostic> problem;
  if (compare_order) problem = find_order_dependence(launch, options, trace.faults);
  progress.clear();

  const Function& f = launch.kernel.function;
  RunReport report{trace, f.source, f.constexprs, launch.kernel.notes, {}, {}, {}, {}, nullptr, report_columns()};
  report.chinese = is_chinese(c);
  report.checks_run = checks_in_words(options.check, compare_order || (order_proven && c.order_check.value_or(check)));
  if (check && launch.spec.outputs.empty()) report.remarks.push_back(remember(say(ReportWords::NothingToCompare)));
  if (!check && !launch.spec.outputs.empty()) report.remarks.push_back(remember(say(ReportWords::NotCompared)));
  const bool order_settled = compare_order || (order_proven && c.order_check.value_or(check)) || trace.programs == 1;
  for (std::string& left_out : checks_left_out(c, options.check, order_settled, why_no_order)) report.remarks.push_back(std::move(left_out));
  const bool fault = has_failed(trace);
  if (fault && check && !launch.spec.outputs.empty()) report.remarks.push_back(remember(say(ReportWords::NotComparedFault)));
  if (!problem && check && !fault) {
    auto outputs = check_outputs(launch, before);
    if (outputs)
      report.outputs = std::move(*outputs);
    else
      problem = outputs.errors()[0];
  }
  if (!problem && !all_equal(report.outputs)) report.causes = diagnose_outputs(launch, before, options);
  if (!problem && !fault) problem = save_tensors(saves, launch, report.saved);
  std::optional<CostOutcome> cost;
  if (c.cost.gpu && !problem && !fault) {
    auto outcome = estimate_and_write(plan, launch.spec, launch.kernel, &trace, c.quiet, err);
    if (outcome) {
      cost = std::move(*outcome);
      report.cost = &cost->report;
      report.saved.insert(report.saved.end(), cost->saved.begin(), cost->saved.end());
    } else {
      problem = outcome.errors()[0];
    }
  }

  if (c.json) out << report_json(report);
  if (!c.json && !c.quiet) out << report_text(report);
  if (c.quiet && !c.json && !all_equal(report.outputs)) out << outputs_text(report.outputs, is_chinese(c));
  out.flush();
  err << faults_text(trace, is_chinese(c));
  if (fault && c.cost.gpu) err << "note: the cost was not estimated, because of the fault\n";
  err << render(report.causes, is_chinese(c));
  if (fault && !saves.empty()) err << "note: nothing was saved, because of the fault\n";
  if (problem) err << render(*problem, is_chinese(c));
  return problem ? kUsage : fault ? kFault : all_equal(report.outputs) ? kFine : kDifferent;
}

/// `check` of a launch whose tensors do not fit the memory: values are not computed, so there is nothing to compare.
int check_addresses(const Command& c, Launch& launch, const std::vector<std::string>& unbacked, RunOptions options, std::ostream& out,
                    std::ostream& err) {
  options.check.uninitialised = false;
  options.record = RecordLevel::None;
  Progress progress(err, !c.quiet && is_terminal(Stream::Error));
  options.progress = [&](int64_t done, int64_t total) { return progress.update(done, total), true; };
  RunTrace trace = execute(launch, options);
  progress.clear();
  const Function& f = launch.kernel.function;
  RunReport report{trace, f.source, f.constexprs, launch.kernel.notes, {}, {}, {}, {}};
  report.chinese = is_chinese(c);
  report.checks_run = checks_in_words(options.check, false);
  std::string names;
  for (const std::string& name : unbacked) names += (names.empty() ? "" : ", ") + name;
  report.remarks.push_back(remember(say(ReportWords::OnlyAddresses, {{"names", names}})));
  const std::string no_values = remember(say(ReportWords::WhyNoValues));
  options.check.uninitialised = c.uninitialised.value_or(true);
  for (std::string& left_out : checks_left_out(c, options.check, false, c.order_check.value_or(true) ? no_values : "")) report.remarks.push_back(std::move(left_out));
  if (options.check.uninitialised) report.remarks.push_back(not_looked_for(say(ReportWords::CheckUninitialised), words_of(no_values)));
  if (c.json) out << report_json(report);
  if (!c.json && !c.quiet) out << report_text(report);
  out.flush();
  err << faults_text(trace, is_chinese(c));
  return has_failed(trace) ? kFault : kFine;
}

/// The launch gives the kernel other arguments than it takes: that is no refusal of the kernel.
bool arguments_do_not_fit(const std::string& message) {
  const bool missing = message.starts_with("the argument `") && message.ends_with("` is missing");
  const bool unknown = message.starts_with("the kernel `") && message.find("` has no parameter `") != std::string::npos;
  return missing || unknown;
}

/// `check` of a launch whose kernel must be refused.
int check_refusal(const Command& c, const LaunchSpec& spec, std::ostream& out, std::ostream& err) {
  auto source = launch_source(spec);
  if (!source) return refuse(c, source.errors(), out, err);
  auto kernel = compile_launch(spec);
  std::string problem;
  std::vector<Diagnostic> errors;
  if (kernel) {
    problem = "the kernel compiles, but the launch file expects an error";
  } else {
    errors = kernel.errors();
    const SourceRange& r = errors[0].range;
    // Without a place in the kernel it is the launch that is wrong, not the kernel that is refused.
    if (!r.valid() || arguments_do_not_fit(errors[0].message)) return refuse(c, errors, out, err);
    if (spec.expect_error_at && (r.line != spec.expect_error_at->first || r.column != spec.expect_error_at->second))
      problem = "the error stands at " + std::to_string(r.line) + ":" + std::to_string(r.column) +
                ", but the launch file expects it at " + std::to_string(spec.expect_error_at->first) + ":" +
                std::to_string(spec.expect_error_at->second);
  }
  if (c.json) {
    out << refusal_json(spec.kernel, !kernel, errors, problem);
  } else if (!c.quiet || !problem.empty()) {
    if (!errors.empty()) out << render(errors, is_chinese(c));
    out << (problem.empty() ? "  The kernel is refused, as the launch file expects.\n" : "  " + problem + "\n");
  }
  return problem.empty() ? kFine : kDifferent;
}

int run_or_check(const Command& c, std::ostream& out, std::ostream& err) {
  auto spec = read_target(c);
  if (!spec) return refuse(c, spec.errors(), out, err);
  return c.list_configs ? list_configs(c, *spec, out, err) : run_or_check_launch(c, *spec, out, err);
}

/// The pipeline up to and with the first run of a pass.
std::vector<std::string> passes_up_to(const std::string& last) {
  std::vector<std::string> out;
  for (const std::string& name : default_pipeline()) {
    out.push_back(name);
    if (name == last) return out;
  }
  out.push_back(last);
  return out;
}

/// Verbs that read a launch and leave the rest to a file of their own.
int with_launch(const Command& c, std::ostream& out, std::ostream& err,
                int (*act)(const Command&, const LaunchSpec&, std::ostream&, std::ostream&)) {
  auto spec = read_target(c);
  if (!spec) return refuse(c, spec.errors(), out, err);
  return act(c, *spec, out, err);
}

/// `view KERNEL.py` without all its arguments: the others are guessed, so that there is something to see.
int view_target(const Command& c, std::ostream& out, std::ostream& err) {
  auto spec = read_target(c);
  if (!spec) return refuse(c, spec.errors(), out, err);
  std::vector<std::string> notes;
  const bool kernel_file = std::filesystem::path(c.target).extension() != ".json" && !lessons::is_lesson(c.target);
  auto source = kernel_file ? read_source(spec->kernel_path) : Expected<SourcePtr>(SourcePtr());
  if (kernel_file && source) {
    KnownArguments known;
    for (const LaunchArg& a : spec->args) known.args[a.name] = a.value;
    known.grid = spec->grid;
    known.config = spec->config;
    const auto tried = try_kernel(*source, spec->kernel, spec->kernel_path, known);
    const bool open = tried && (spec->grid.empty() || std::any_of(tried->args.begin(), tried->args.end(), [](const TriedArgument& a) { return !a.given && !a.left_out; }));
    if (open) {
      LaunchSpec guessed = tried->spec;
      if (spec->num_warps_stated) guessed.num_warps = spec->num_warps, guessed.num_warps_stated = true;
      if (spec->num_stages_stated) guessed.num_stages = spec->num_stages, guessed.num_stages_stated = true;
      *spec = std::move(guessed);
      notes.push_back(guessed_text(*tried));
    }
  }
  return view_launch_with_notes(c, *spec, notes, out, err);
}

/// A number is the lesson of that number, unless a file is named so; `view` of nothing is the first lesson.
std::vector<Diagnostic> name_lesson(Command& c) {
  std::error_code ec;
  const bool number = !c.target.empty() && c.target.size() <= 4 && c.target.find_first_not_of("0123456789") == std::string::npos;
  const bool first = c.target.empty() && c.verb == Command::Verb::View;
  if (!first && (!number || std::filesystem::exists(c.target, ec))) return {};
  const auto lesson = lessons::find_lesson(first ? "1" : c.target, lessons::lessons_folder());
  if (!lesson) return lesson.errors();
  c.target = lesson->folder;
  return {};
}

int print_ir(const Command& c, std::ostream& out, std::ostream& err) {
  if (c.after && find_pass(*c.after) == nullptr)
    return refuse(c, {plain_error("there is no pass \"" + *c.after + "\"", "`tilescope ir --help` lists them")}, out, err);
  auto spec = read_target(c);
  if (!spec) return refuse(c, spec.errors(), out, err);
  auto kernel = compile_launch(*spec, c.optimise && !c.after);
  if (!kernel) return refuse(c, kernel.errors(), out, err);
  if (c.after) run_passes(kernel->function, passes_up_to(*c.after));
  PrintOptions options;
  options.locations = c.locations;
  out << print(kernel->function, options);
  err << render(kernel->notes);
  return kFine;
}

}  // namespace

int run_or_check_launch(const Command& c, const LaunchSpec& spec, std::ostream& out, std::ostream& err) {
  if (c.verb == Command::Verb::Check && spec.expect_error) return check_refusal(c, spec, out, err);
  auto options = run_options(c);
  if (!options) return refuse(c, options.errors(), out, err);
  auto saves = parse_saves(c, spec);
  if (!saves) return refuse(c, saves.errors(), out, err);
  std::vector<std::string> other_files{c.target};
  for (const Save& s : *saves) other_files.push_back(s.path);
  auto plan = plan_cost(c.cost, false, spec, other_files);
  if (!plan) return refuse(c, plan.errors(), out, err);
  if (c.backend == "gpu" && c.cost.gpu)
    return refuse(c, {plain_error("--cost goes with the simulator, not with --backend gpu", "`tilescope cost` estimates without a run")}, out, err);
  if (c.backend == "gpu") return run_on_gpu(c, spec, out, err);
  std::vector<std::string> unbacked;
  const bool addresses_only = c.verb == Command::Verb::Check && exceeds_memory(spec);
  auto launch = addresses_only ? prepare_addresses(spec, unbacked) : prepare_launch(spec);
  if (!launch) return refuse(c, launch.errors(), out, err);
  if (addresses_only) return check_addresses(c, *launch, unbacked, *options, out, err);
  if (c.verb == Command::Verb::Check)
    if (auto problem = find_output_problem(*launch)) return refuse(c, {*problem}, out, err);
  return run_and_report(c, *launch, *saves, *plan, *options, out, err);
}

int tilescope_main(const std::vector<std::string>& args, std::ostream& out, std::ostream& err) {
  auto parsed = parse_command(args, out, err);
  if (const int* status = std::get_if<int>(&parsed)) return *status;
  Command& c = std::get<Command>(parsed);
  if (c.cost.gpu == "list") return out << (c.json ? gpu_list_json() : gpu_list()), int{kFine};
  if (c.verb == Command::Verb::Reference) return print_reference(c, out, err);
  if (c.verb == Command::Verb::Lint) return run_lint(c, out, err);
  if (c.verb != Command::Verb::Sandbox && c.verb != Command::Verb::Lesson)
    if (const auto errors = name_lesson(c); !errors.empty()) return refuse(c, errors, out, err);
  switch (c.verb) {
    case Command::Verb::Ir: return print_ir(c, out, err);
    case Command::Verb::View: return view_target(c, out, err);
    case Command::Verb::Lesson: return run_lesson(c, out, err);
    case Command::Verb::Cuda: return with_launch(c, out, err, print_cuda);
    case Command::Verb::Sandbox: return run_sandbox(c, std::cin, out, err);
    case Command::Verb::Cost: return with_launch(c, out, err, c.list_configs ? rank_configs : estimate_launch);
    case Command::Verb::Compare: return with_launch(c, out, err, compare_backends);
    case Command::Verb::Reference:
    case Command::Verb::Lint:
    case Command::Verb::Run:
    case Command::Verb::Check: break;
  }
  return run_or_check(c, out, err);
}

}  // namespace tilescope::terminal
