#include "lessons/exercise.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/syntax/parser.h"
#include "core/trimmed.h"
#include "core/words.h"
#include "lessons/kernel_names.h"
#include "lessons/loaded_values.h"
#include "lessons/numbers.h"
#include "lessons/words.h"
#include "lessons/working_set.h"
#include "sim/diagnose.h"
#include "sim/order_check.h"

namespace tilescope::lessons {
namespace {

using Kind = Failure::Kind;

/// A learner's endless loop ends; of large tiles that takes longer than anybody waits, and `keep_going` is asked meanwhile.
constexpr uint64_t kMostSteps = 200'000;

PerLanguage<std::string> told(LessonWords id, std::initializer_list<Blank> blanks = {}) { return per_language(say(id, blanks)); }

Blank number(std::string_view name, uint64_t n) { return {name, std::to_string(n)}; }

void add(PerLanguage<std::string>& to, const Words& more) {
  to[kEnglish] += more.english;
  to[kChinese] += more.chinese;
}

void put_line(Failure& f, const SourcePtr& text, int line) {
  f.line = line;
  if (line > 0) f.line_text = trimmed(text->line(line));
}

// ---- words ---------------------------------------------------------------------------------------------------------

std::optional<Failure> check_words(const Exercise& e, const SourcePtr& text) {
  const Expected<Module> module = parse_module(text);
  if (!module || (e.use.empty() && e.avoid.empty())) return std::nullopt;  // a kernel that ran can be read
  Failure f;
  f.kind = Kind::Words;
  for (const std::string& name : e.avoid) {
    const std::vector<int> lines = lines_that_name(*module, name);
    if (lines.empty()) continue;
    f.expected = told(LessonWords::DoesWithout, {{"name", name}});
    f.found = told(LessonWords::IsUsedHere, {{"name", name}});
    put_line(f, text, lines[0]);
    return f;
  }
  for (const std::string& name : e.use) {
    if (!lines_that_name(*module, name).empty()) continue;
    f.expected = told(LessonWords::Uses, {{"name", name}});
    f.found = told(LessonWords::IsNowhere, {{"name", name}});
    return f;
  }
  return std::nullopt;
}

// ---- faults --------------------------------------------------------------------------------------------------------

std::string program_words(const ProgramIndex& p, int axes) {
  if (axes == 3) return fmt::format("program ({}, {}, {})", p[0], p[1], p[2]);
  return axes == 2 ? fmt::format("program ({}, {})", p[0], p[1]) : fmt::format("program {}", p[0]);
}

int axes_of(const std::array<int64_t, 3>& grid) { return grid[2] > 1 ? 3 : grid[1] > 1 ? 2 : 1; }

/// Two programs at one element. The English words are the checker's.
void put_race(Failure& f, const Fault& fault) {
  f.expected = told(LessonWords::OneWriter, {{"tensor", fault.tensor}});
  if (!fault.other || fault.element.empty()) return;
  const LessonWords how = fault.other->writes ? LessonWords::BothWrite : LessonWords::WritesAndReads;
  f.found[kChinese] = say(how, {{"element", element_words(fault.element)}, {"p", program_words(fault.program, f.axes)}, {"q", program_words(fault.other->program, f.axes)}}).chinese;
}

/// An access beyond a tensor's end.
void put_outside(Failure& f, const Fault& fault) {
  const std::string lane = fault.lane_index.size() > 1 ? fmt::format("[{}]", fmt::join(fault.lane_index, ", ")) : std::to_string(fault.lane);
  f.found = told(fault.count == 1 ? LessonWords::GoesOutsideOnce : LessonWords::GoesOutside, {{"lane", lane}, {"offset", fault.offset}, {"tensor", fault.tensor}, number("n", fault.count)});
}

/// The checkers' English message stands with its caret among the details; this is what a learner reads first.
void put_fault(Failure& f, const Fault& fault, const SourcePtr& text) {
  f.kind = Kind::Fault;
  if (fault.range.valid()) f.program = fault.program;
  f.tensor = fault.tensor;
  f.offset = fault.offset;
  put_line(f, text, fault.range.valid() && fault.range.file == text ? fault.range.line : 0);
  f.found = {fault.message, in_language(fault.message, true)};
  f.details.push_back(to_diagnostic(fault));
  switch (fault.kind) {
    case FaultKind::OutOfBounds:
      if (!fault.tensor.empty() && fault.size > 0) {
        f.expected = told(LessonWords::StaysInside, {{"tensor", fault.tensor}, {"last", fault.size - 1}});
        put_outside(f, fault);
      } else {
        f.expected = told(LessonWords::BelongsToATensor);
      }
      break;
    case FaultKind::UninitialisedRead:
    case FaultKind::PoisonedUse:
    case FaultKind::BadAddress:
      f.expected = told(LessonWords::IsDefined);
      break;
    case FaultKind::Race:
      put_race(f, fault);
      break;
    case FaultKind::OrderDependence:
      f.expected = told(LessonWords::AnyOrder);
      break;
    case FaultKind::DuplicateLanes:
      f.expected = told(LessonWords::LanesApart);
      break;
    case FaultKind::Limit:
      f.expected = told(LessonWords::ComesToItsEnd);
      break;
    default:
      f.expected = told(LessonWords::NoFault);
      break;
  }
}

// ---- values --------------------------------------------------------------------------------------------------------

size_t tensor_number(const Launch& launch, const std::string& name) {
  for (size_t i = 0; i < launch.tensors.size(); ++i)
    if (launch.tensors[i].name == name) return i;
  return launch.tensors.size();
}

bool inside(const IndexBox& box, const std::vector<int64_t>& index) {
  if (box.lo.size() != index.size()) return false;
  for (size_t d = 0; d < index.size(); ++d)
    if (index[d] < box.lo[d] || index[d] >= box.hi[d]) return false;
  return true;
}

/// The first program in whose box of stored (loaded) elements the element is.
std::optional<ProgramIndex> program_of(const Launch& launch, const RunTrace& t, size_t tensor, const std::vector<int64_t>& index, bool stored) {
  const size_t n = launch.tensors.size();
  for (size_t i = tensor; i < t.footprints.size(); i += n) {
    if (!inside(stored ? t.footprints[i].stored : t.footprints[i].loaded, index)) continue;
    const auto p = static_cast<int64_t>(i / n);
    return ProgramIndex{p % t.grid[0], p / t.grid[0] % t.grid[1], p / t.grid[0] / t.grid[1]};
  }
  return std::nullopt;
}

/// The lines of the accesses of a kind to that tensor, in rising order.
std::vector<int> lines_of(const RunTrace& t, const std::string& tensor, bool store) {
  std::vector<int> lines;
  for (const LineReport& l : t.lines)
    if (l.tensor == tensor && (l.op != "load") == store) lines.push_back(l.line);
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

/// The line of the access, when there is only one of its kind for that tensor.
int only_line(const RunTrace& t, const std::string& tensor, bool store) {
  const std::vector<int> lines = lines_of(t, tensor, store);
  return lines.size() == 1 ? lines[0] : 0;
}

/// The last of several lines that load (store) a tensor too often, and in the words all of them.
void put_lines(Failure& f, const RunTrace& t, const std::string& tensor, bool store, const SourcePtr& text) {
  const std::vector<int> lines = lines_of(t, tensor, store);
  if (lines.empty()) return;
  put_line(f, text, lines.back());
  if (lines.size() == 1) return;
  const Words before(fmt::format("{}", fmt::join(lines.begin(), lines.end() - 1, ", ")), fmt::format("{}", fmt::join(lines.begin(), lines.end() - 1, "、")));
  add(f.found, say(LessonWords::InLines, {{"lines", before}, {"last", lines.back()}}));
}

/// Where an element is missing, the one beside it shows which program did not go far enough, or somewhere else.
void put_nearest(Failure& f, const Launch& launch, const RunTrace& t, size_t tensor, const std::optional<std::vector<int64_t>>& index) {
  if (!index) return;
  f.program = program_of(launch, t, tensor, *index, true);
  if (!f.program) return;
  add(f.found, say(LessonWords::NearestStored, {{"element", element_words(*index)}, {"program", program_words(*f.program, axes_of(launch.grid))}}));
}

void put_element(Failure& f, const Tensor& x, const std::vector<int64_t>& index) {
  f.tensor = x.name;
  f.offset = x.layout.offset_of(index);
}

std::optional<Failure> check_missing(const Launch& launch, const RunTrace& t, const SourcePtr& text) {
  for (const OutputSpec& o : launch.spec.outputs) {
    const size_t tensor = tensor_number(launch, o.tensor);
    const Tensor& x = launch.tensors[tensor];
    if (!x.uninitialised) continue;
    const std::vector<uint32_t>& stores = t.element_counts[tensor].stores;
    int64_t missing = 0, first = -1, nearest = -1;
    for (int64_t i = 0; i < x.storage_elements(); ++i) {
      if (!stores.empty() && stores[static_cast<size_t>(i)] > 0) {
        if (first < 0 || nearest < 0) nearest = i;
        continue;
      }
      ++missing;
      if (first < 0) first = i;
    }
    const auto index = first < 0 ? std::nullopt : x.layout.index_of(first - x.origin);
    if (!index) continue;
    Failure f;
    f.kind = Kind::Missing;
    put_line(f, text, only_line(t, o.tensor, true));
    put_element(f, x, *index);
    f.expected = told(LessonWords::EveryStored, {{"tensor", o.tensor}});
    f.found = told(LessonWords::StoredByNone, {{"element", element_words(*index)}, {"missing", missing}, {"all", x.storage_elements()}});
    put_nearest(f, launch, t, tensor, nearest < 0 ? std::nullopt : x.layout.index_of(nearest - x.origin));
    return f;
  }
  return std::nullopt;
}

std::optional<Failure> check_values(const Launch& launch, const RunTrace& t, const std::vector<OutputCheck>& outputs, const SourcePtr& text) {
  const auto o = std::find_if(outputs.begin(), outputs.end(), [](const OutputCheck& c) { return !c.equal; });
  if (o == outputs.end()) return std::nullopt;
  Failure f;
  f.kind = Kind::Value;
  put_line(f, text, only_line(t, o->tensor, true));
  put_element(f, launch.tensors[tensor_number(launch, o->tensor)], o->first_index);
  f.program = program_of(launch, t, tensor_number(launch, o->tensor), o->first_index, true);
  f.expected = told(LessonWords::ValueOf, {{"value", o->first_expected}, {"element", element_words(o->first_index)}, {"tensor", o->tensor}});
  f.found = told(LessonWords::ValueFound, {{"value", o->first_got}, number("wrong", o->differing), number("all", o->elements)});
  return f;
}

// ---- rules ---------------------------------------------------------------------------------------------------------

/// The first element whose count is wrong, as a logical index.
std::optional<std::vector<int64_t>> first_wrong(const Tensor& x, const std::vector<uint32_t>& counts, const std::function<bool(uint32_t)>& right) {
  for (size_t i = 0; i < counts.size(); ++i)
    if (!right(counts[i])) return x.layout.index_of(static_cast<int64_t>(i) - x.origin);
  return std::nullopt;
}

/// Says how often the first element with a wrong count was loaded (stored).
void put_count(Failure& f, const Launch& launch, const RunTrace& t, size_t tensor, const std::vector<int64_t>& index, bool store) {
  const Tensor& x = launch.tensors[tensor];
  const ElementCounts& counts = t.element_counts[tensor];
  const uint32_t n = (store ? counts.stores : counts.loads)[static_cast<size_t>(x.origin + x.layout.offset_of(index))];
  const LessonWords how = !store ? LessonWords::IsLoaded : n == 0 ? LessonWords::NeverStored : LessonWords::IsStored;
  f.found = told(how, {{"element", element_words(index)}, {"times", times_words(n)}});
  f.program = program_of(launch, t, tensor, index, store);
  put_element(f, x, index);
}

/// A rule's number for this launch; it was checked when the exercise was read.
uint64_t count_of(const GridExpr& e, const Launch& launch) {
  const Expected<int64_t> n = evaluate(e, integers_of(launch.spec), "rule");
  if (!n || *n < 0) internal_error("a rule that was checked when the exercise was read cannot be evaluated");
  return static_cast<uint64_t>(*n);
}

std::optional<Failure> check_counts(const AccessRule& rule, const Launch& launch, const RunTrace& t, const SourcePtr& text) {
  Failure f;
  f.kind = Kind::Access;
  const size_t tensor = tensor_number(launch, rule.tensor);
  const Tensor& x = launch.tensors[tensor];
  const ElementCounts& counts = t.element_counts[tensor];
  if (rule.loads) {
    const uint64_t most = count_of(*rule.loads, launch);
    if (const auto bad = first_wrong(x, counts.loads, [&](uint32_t n) { return n <= most; })) {
      f.expected = told(LessonWords::LoadedAtMost, {{"tensor", rule.tensor}, {"times", times_words(most)}});
      put_count(f, launch, t, tensor, *bad, false);
      put_lines(f, t, rule.tensor, false, text);
      return f;
    }
  }
  if (rule.stores) {
    const uint64_t times = count_of(*rule.stores, launch);
    const std::vector<uint32_t> none(static_cast<size_t>(x.storage_elements()), 0);
    if (const auto bad = first_wrong(x, counts.stores.empty() ? none : counts.stores, [&](uint32_t n) { return n == times; })) {
      f.expected = told(LessonWords::StoredTimes, {{"tensor", rule.tensor}, {"times", times_words(times)}});
      if (counts.stores.empty()) f.found = told(LessonWords::NothingStored);
      else put_count(f, launch, t, tensor, *bad, true);
      put_lines(f, t, rule.tensor, true, text);
      return f;
    }
  }
  return std::nullopt;
}

std::optional<Failure> check_lanes(const AccessRule& rule, const Launch& launch, const RunTrace& t, const SourcePtr& text) {
  if (!rule.lanes_off) return std::nullopt;
  const uint64_t wanted = count_of(*rule.lanes_off, launch);
  const TensorReport& r = t.tensors[tensor_number(launch, rule.tensor)];
  const uint64_t off = r.loads.lanes_masked + r.stores.lanes_masked + r.atomics.lanes_masked;
  if (off == wanted) return std::nullopt;
  Failure f;
  f.kind = Kind::Access;
  f.expected = told(LessonWords::LanesTurnedOff, {number("n", wanted), {"tensor", rule.tensor}});
  f.found = off > wanted ? told(LessonWords::TooManyOff, {number("n", off), number("more", off - wanted)}) : told(LessonWords::TooFewOff, {number("n", off), number("less", wanted - off)});
  const int load = only_line(t, rule.tensor, false);
  put_line(f, text, load != 0 ? load : only_line(t, rule.tensor, true));
  return f;
}

std::optional<Failure> check_together(const AccessRule& rule, const Launch& launch, const RunTrace& t, const SourcePtr& text) {
  if (!rule.together) return std::nullopt;
  const uint64_t programs = count_of(rule.together->programs, launch), most = count_of(rule.together->elements, launch);
  const int64_t found = working_set(t, tensor_number(launch, rule.tensor), static_cast<int64_t>(programs));
  if (found <= static_cast<int64_t>(most)) return std::nullopt;
  Failure f;
  f.kind = Kind::Access;
  f.expected = told(LessonWords::TogetherAtMost, {number("programs", programs), number("most", most), {"tensor", rule.tensor}});
  f.found = told(LessonWords::TheyLoad, {{"n", found}});
  put_line(f, text, only_line(t, rule.tensor, false));
  return f;
}

std::optional<Failure> check_rules(const Exercise& e, const Launch& launch, const RunTrace& t, const SourcePtr& text) {
  for (const AccessRule& rule : e.rules) {
    if (auto f = check_counts(rule, launch, t, text)) return f;
    if (auto f = check_lanes(rule, launch, t, text)) return f;
    if (auto f = check_together(rule, launch, t, text)) return f;
  }
  return std::nullopt;
}

// ---- one launch ----------------------------------------------------------------------------------------------------

/// Compile errors and what else keeps a launch from running.
Failure refused(std::vector<Diagnostic> errors, const SourcePtr& text) {
  Failure f;
  f.kind = Kind::Compile;
  const SourceRange& r = errors[0].range;
  put_line(f, text, r.valid() && r.file == text ? r.line : 0);
  f.expected = told(LessonWords::Compiles);
  const std::string& message = errors[0].message;
  f.found = {message, chinese_of(message).value_or(f.line > 0 ? say(LessonWords::CompilerSays, {{"message", message}}).chinese : message)};
  f.details = std::move(errors);
  return f;
}

/// Faults after which the outputs say nothing. The others are about who writes what.
bool is_hard(const Fault& f) { return f.kind != FaultKind::Race && f.kind != FaultKind::OrderDependence && f.kind != FaultKind::DuplicateLanes; }

/// Faults that make a kernel wrong whatever the rules say. Several programs that write one value are for these to judge.
bool is_wrong(const Fault& f) { return !f.same_value; }

template <class Wanted>
const Fault* first_fault(const RunTrace& t, Wanted wanted) {
  const auto it = std::find_if(t.faults.begin(), t.faults.end(), wanted);
  return it == t.faults.end() ? nullptr : &*it;
}

Failure failure_of(const Fault& fault, const Launch& launch, const SourcePtr& text) {
  Failure f;
  f.axes = axes_of(launch.grid);
  put_fault(f, fault, text);
  return f;
}

std::optional<Failure> check_run(const Exercise& e, Launch& launch, const SourcePtr& text, const std::function<bool()>& keep_going) {
  if (auto problem = find_output_problem(launch)) return refused({*problem}, text);
  const std::vector<Tensor> before = copy_reference_inputs(launch);
  RunOptions options;
  options.check = Checkers::all();
  options.maps = true;
  options.threads = 1;  // waking others takes longer than these launches do
  options.limits.max_steps_per_program = kMostSteps;
  if (keep_going) options.progress = [&](int64_t, int64_t) { return keep_going(); };
  RunTrace trace = execute(launch, options);
  if (keep_going && !keep_going()) return std::nullopt;
  if (const Fault* fault = first_fault(trace, is_hard)) return failure_of(*fault, launch, text);
  if (!has_failed(trace) && trace.programs > 1 && !depends_on_order(trace))
    if (auto problem = find_order_dependence(launch, options, trace.faults)) return refused({*problem}, text);
  const Expected<std::vector<OutputCheck>> outputs = check_outputs(launch, before);
  if (!outputs) return refused(outputs.errors(), text);
  // What a learner understands first: elements that nobody writes, then elements that several write, then wrong values,
  // then what is wrong although the values are right.
  if (auto f = check_missing(launch, trace, text)) return f;
  if (const Fault* fault = first_fault(trace, is_wrong)) return failure_of(*fault, launch, text);
  if (auto f = check_values(launch, trace, *outputs, text)) return f->details = diagnose_outputs(launch, before, options), f;
  return check_rules(e, launch, trace, text);
}

/// A launch whose tensors are too large to hold: only where it goes is checked.
std::optional<Failure> check_addresses(const LaunchSpec& spec, CompiledKernel kernel, const SourcePtr& text, const std::function<bool()>& keep_going) {
  std::vector<Tensor> tensors;
  for (const LaunchArg& a : spec.args) {
    const auto* t = std::get_if<TensorSpec>(&a.value);
    if (t == nullptr) continue;
    Tensor tensor;
    tensor.name = a.name;
    tensor.dtype = t->dtype;
    tensor.layout = t->layout;
    tensor.origin = -t->layout.lowest();
    tensors.push_back(std::move(tensor));
  }
  Expected<Launch> launch = bind_launch(spec, std::move(kernel), std::move(tensors));
  if (!launch) return refused(launch.errors(), text);
  RunOptions options;
  options.check = Checkers::all();
  options.check.uninitialised = false;
  options.record = RecordLevel::None;
  options.threads = 1;
  options.limits.max_steps_per_program = kMostSteps;
  if (keep_going) options.progress = [&](int64_t, int64_t) { return keep_going(); };
  const RunTrace trace = execute(*launch, options);
  // Loads gave 0: that two stores of loaded values write the same says nothing here.
  const Function& f = launch->kernel.function;
  const auto wrong = [&](const Fault& fault) { return is_wrong(fault) || stores_loaded_values(f, fault.range) || (fault.other && stores_loaded_values(f, fault.other->range)); };
  if (const Fault* fault = first_fault(trace, wrong)) return failure_of(*fault, *launch, text);
  return std::nullopt;
}

std::optional<Failure> check_launch(const Exercise& e, const ExerciseLaunch& wanted, const SourcePtr& text, const std::function<bool()>& keep_going) {
  const LaunchSpec& spec = wanted.spec;
  Expected<CompiledKernel> kernel = compile_kernel(compile_request(spec, text));
  if (!kernel) return refused(kernel.errors(), text);
  if (wanted.addresses_only) return check_addresses(spec, std::move(*kernel), text, keep_going);
  Expected<std::vector<Tensor>> tensors = make_tensors(spec);
  if (!tensors) return refused(tensors.errors(), text);
  Expected<Launch> launch = bind_launch(spec, std::move(*kernel), std::move(*tensors));
  if (!launch) return refused(launch.errors(), text);
  std::optional<Failure> f = check_run(e, *launch, text, keep_going);
  if (f) f->axes = axes_of(launch->grid);
  return f;
}

}  // namespace

CheckResult check_exercise(const Exercise& e, const SourcePtr& text, const std::function<bool()>& keep_going, const std::function<void(size_t)>& begins) {
  CheckResult result;
  for (size_t i = 0; i < e.launches.size(); ++i) {
    if (begins) begins(i);
    if (keep_going && !keep_going()) return result.stopped = true, result;
    result.failure = check_launch(e, e.launches[i], text, keep_going);
    if (keep_going && !keep_going()) return result.stopped = true, result;
    if (result.failure) {
      result.failure->launch = i;
      result.failure->label = e.launches[i].label;
      return result;
    }
    ++result.launches;
  }
  // Words last: a kernel that does not work yet has nearer problems.
  result.failure = check_words(e, text);
  return result;
}

FailureText failure_text(const Failure& f, const Exercise& e, size_t language) {
  FailureText out;
  out.headline = in(f.label.empty() ? say(LessonWords::NotYet) : say(LessonWords::NotYetOn, {{"label", f.label}, number("n", f.launch + 1), number("all", e.launches.size())}), language);
  const std::string program = f.program ? program_words(*f.program, f.axes) : "";
  if (f.line > 0) out.place = in(f.program ? say(LessonWords::LineNOf, {{"program", program}, {"n", f.line}}) : say(LessonWords::LineN, {{"n", f.line}}), language);
  else out.place = program;
  if (f.line > 0 && !f.line_text.empty()) {
    out.place = in(say(LessonWords::CodeBehind, {{"place", out.place}}), language);
    out.code = f.line_text;
  }
  out.expected = f.expected[language];
  out.found = f.found[language];
  return out;
}

std::string in_words(const Failure& f, const Exercise& e, size_t language) {
  const FailureText t = failure_text(f, e, language);
  std::string out = t.headline + "\n";
  if (!t.place.empty()) out += "  " + t.place + t.code + "\n";
  out += in(say(LessonWords::Expected, {{"what", t.expected}}), language) + "\n";
  return out + in(say(LessonWords::Found, {{"what", t.found}}), language) + "\n";
}

}  // namespace tilescope::lessons
