#include "lessons/exercise.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/syntax/parser.h"
#include "core/wording.h"
#include "lessons/kernel_names.h"
#include "lessons/loaded_values.h"
#include "lessons/working_set.h"
#include "sim/diagnose.h"
#include "sim/order_check.h"

namespace tilescope::lessons {
namespace {

using Kind = Failure::Kind;

/// A learner's endless loop ends after about a second.
constexpr uint64_t kMostSteps = 200'000;

template <class... Args>
PerLanguage<std::string> say(fmt::format_string<Args...> english, fmt::format_string<Args...> chinese, const Args&... args) {
  return {fmt::vformat(english, fmt::make_format_args(args...)), fmt::vformat(chinese, fmt::make_format_args(args...))};
}

std::string_view trimmed(std::string_view s) {
  const size_t begin = s.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view{} : s.substr(begin, s.find_last_not_of(" \t\r") + 1 - begin);
}

void put_line(Failure& f, const SourcePtr& text, int line) {
  f.line = line;
  if (line > 0) f.line_text = trimmed(text->line(line));
}

/// "once", "twice", "3 times"
std::string times_words(uint64_t n) { return n == 1 ? "once" : n == 2 ? "twice" : fmt::format("{} times", n); }

// ---- words ---------------------------------------------------------------------------------------------------------

std::optional<Failure> check_words(const Exercise& e, const SourcePtr& text) {
  const Expected<Module> module = parse_module(text);
  if (!module || (e.use.empty() && e.avoid.empty())) return std::nullopt;  // a kernel that ran can be read
  Failure f;
  f.kind = Kind::Words;
  for (const std::string& name : e.avoid) {
    const std::vector<int> lines = lines_that_name(*module, name);
    if (lines.empty()) continue;
    f.expected = say("a kernel that does without {}", "不用 {} 写出来", name);
    f.found = say("{} is used here", "这里用了 {}", name);
    put_line(f, text, lines[0]);
    return f;
  }
  for (const std::string& name : e.use) {
    if (!lines_that_name(*module, name).empty()) continue;
    f.expected = say("a kernel that uses {}", "用到 {}", name);
    f.found = say("{} is nowhere in the text", "代码里没有 {}", name);
    return f;
  }
  return std::nullopt;
}

// ---- faults --------------------------------------------------------------------------------------------------------

/// "element 7", in Chinese "元素 7".
PerLanguage<std::string> element_words(const std::vector<int64_t>& index) {
  if (index.size() == 1) return say("element {}", "元素 {}", index[0]);
  if (index.size() == 2) return say("row {}, column {}", "第 {} 行第 {} 列", index[0], index[1]);
  return {index_in_words(index), index_in_words(index)};
}

std::string program_words(const ProgramIndex& p, int axes) {
  if (axes == 3) return fmt::format("program ({}, {}, {})", p[0], p[1], p[2]);
  return axes == 2 ? fmt::format("program ({}, {})", p[0], p[1]) : fmt::format("program {}", p[0]);
}

int axes_of(const std::array<int64_t, 3>& grid) { return grid[2] > 1 ? 3 : grid[1] > 1 ? 2 : 1; }

/// Two programs at one element. The English words are the checker's.
void put_race(Failure& f, const Fault& fault) {
  f.expected = say("each element of `{}` has one program that writes it, and no other one reads it", "`{}` 的每个元素只由一个 program 写，别的 program 也不读", fault.tensor);
  if (!fault.other || fault.element.empty()) return;
  f.found[kChinese] = fmt::format("{}：{} 写，{} 也{}", element_words(fault.element)[kChinese], program_words(fault.program, f.axes), program_words(fault.other->program, f.axes),
                                  fault.other->writes ? "写" : "读");
}

/// An access beyond a tensor's end.
void put_outside(Failure& f, const Fault& fault) {
  const std::string lane = fault.lane_index.size() > 1 ? fmt::format("[{}]", fmt::join(fault.lane_index, ", ")) : std::to_string(fault.lane);
  f.found = say("lane {} goes to element {}, outside `{}`; {} such {} in all", "lane {} 访问了元素 {}，在 `{}` 之外；这样的访问一共 {} 次", lane, fault.offset, fault.tensor, fault.count,
                fault.count == 1 ? "access" : "accesses");
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
        f.expected = say("lanes that are on stay inside `{}`: elements 0 to {}", "开着的 lane 都落在 `{}` 之内：元素 0 到 {}", fault.tensor, fault.size - 1);
        put_outside(f, fault);
      } else {
        f.expected = say("every address belongs to a tensor", "每个地址都属于某个张量");
      }
      break;
    case FaultKind::UninitialisedRead:
    case FaultKind::PoisonedUse:
    case FaultKind::BadAddress:
      f.expected = say("every value that counts is defined", "每个起作用的值都有定义");
      break;
    case FaultKind::Race:
      put_race(f, fault);
      break;
    case FaultKind::OrderDependence:
      f.expected = say("the same result in whatever order the programs run", "不管 program 按什么顺序运行，结果都一样");
      break;
    case FaultKind::DuplicateLanes:
      f.expected = say("each lane of a store has an element of its own", "一次写回里，每个 lane 写各自的元素");
      break;
    case FaultKind::Limit:
      f.expected = say("a program that comes to its end", "program 能运行到结束");
      break;
    default:
      f.expected = say("a run without a fault", "运行时没有错误");
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
  const std::string before = fmt::format("{}", fmt::join(lines.begin(), lines.end() - 1, ", "));
  f.found[kEnglish] += fmt::format(", in lines {} and {}", before, lines.back());
  f.found[kChinese] += fmt::format("，在第 {}、{} 行", fmt::join(lines.begin(), lines.end() - 1, "、"), lines.back());
}

/// Where an element is missing, the one beside it shows which program did not go far enough, or somewhere else.
void put_nearest(Failure& f, const Launch& launch, const RunTrace& t, size_t tensor, const std::optional<std::vector<int64_t>>& index) {
  if (!index) return;
  f.program = program_of(launch, t, tensor, *index, true);
  if (!f.program) return;
  const PerLanguage<std::string> element = element_words(*index);
  const std::string program = program_words(*f.program, axes_of(launch.grid));
  f.found[kEnglish] += fmt::format("; the nearest that is stored is {}, by {}", element[kEnglish], program);
  f.found[kChinese] += fmt::format("；离它最近、已经写回的是{}（{}）", element[kChinese], program);
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
    const PerLanguage<std::string> element = element_words(*index);
    Failure f;
    f.kind = Kind::Missing;
    put_line(f, text, only_line(t, o.tensor, true));
    put_element(f, x, *index);
    f.expected = say("every element of `{}` is stored", "`{}` 的每个元素都写回", o.tensor);
    f.found = {fmt::format("{} is stored by no program; {} of {} elements are missing", element[0], missing, x.storage_elements()),
               fmt::format("{} 没有 program 写回；{} 个元素中缺 {} 个", element[1], x.storage_elements(), missing)};
    put_nearest(f, launch, t, tensor, nearest < 0 ? std::nullopt : x.layout.index_of(nearest - x.origin));
    return f;
  }
  return std::nullopt;
}

std::optional<Failure> check_values(const Launch& launch, const RunTrace& t, const std::vector<OutputCheck>& outputs, const SourcePtr& text) {
  const auto o = std::find_if(outputs.begin(), outputs.end(), [](const OutputCheck& c) { return !c.equal; });
  if (o == outputs.end()) return std::nullopt;
  const PerLanguage<std::string> element = element_words(o->first_index);
  Failure f;
  f.kind = Kind::Value;
  put_line(f, text, only_line(t, o->tensor, true));
  put_element(f, launch.tensors[tensor_number(launch, o->tensor)], o->first_index);
  f.program = program_of(launch, t, tensor_number(launch, o->tensor), o->first_index, true);
  f.expected = {fmt::format("{} in {} of `{}`", o->first_expected, element[0], o->tensor), fmt::format("`{}` 的{}是 {}", o->tensor, element[1], o->first_expected)};
  f.found = say("{}; {} of {} elements differ", "{0}；{2} 个元素中有 {1} 个不对", o->first_got, o->differing, o->elements);
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
  const PerLanguage<std::string> element = element_words(index);
  f.found = store ? PerLanguage<std::string>{fmt::format("{} is stored {}", element[0], n == 0 ? "never" : times_words(n)), fmt::format("{}写回了 {} 次", element[1], n)}
                  : PerLanguage<std::string>{fmt::format("{} is loaded {}", element[0], times_words(n)), fmt::format("{}加载了 {} 次", element[1], n)};
  f.program = program_of(launch, t, tensor, index, store);
  put_element(f, x, index);
}

/// A rule's number for this launch; it was checked when the exercise was read.
uint64_t count_of(const GridExpr& e, const Launch& launch) {
  const Expected<int64_t> n = evaluate(e, [&](const std::string& name) -> std::optional<int64_t> {
    const LaunchArg* arg = launch.spec.find(name);
    const auto* v = arg == nullptr ? nullptr : std::get_if<int64_t>(&arg->value);
    return v == nullptr ? std::nullopt : std::optional(*v);
  }, "rule");
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
      f.expected = {fmt::format("each element of `{}` is loaded at most {}", rule.tensor, times_words(most)), fmt::format("`{}` 的每个元素最多加载 {} 次", rule.tensor, most)};
      put_count(f, launch, t, tensor, *bad, false);
      put_lines(f, t, rule.tensor, false, text);
      return f;
    }
  }
  if (rule.stores) {
    const uint64_t times = count_of(*rule.stores, launch);
    const std::vector<uint32_t> none(static_cast<size_t>(x.storage_elements()), 0);
    if (const auto bad = first_wrong(x, counts.stores.empty() ? none : counts.stores, [&](uint32_t n) { return n == times; })) {
      f.expected = {fmt::format("each element of `{}` is stored {}", rule.tensor, times_words(times)), fmt::format("`{}` 的每个元素写回 {} 次", rule.tensor, times)};
      if (counts.stores.empty()) f.found = say("nothing is stored", "什么也没有写回");
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
  f.expected = say("over all programs, masks turn {} lanes of `{}` off: those that have no element", "所有 program 合起来，访问 `{1}` 时 mask 关掉 {0} 个 lane，也就是没有元素的那些", wanted, rule.tensor);
  f.found = off > wanted ? say("{} lanes are off, {} too many", "关掉了 {} 个，多了 {} 个", off, off - wanted) : say("{} lanes are off, {} too few", "关掉了 {} 个，少了 {} 个", off, wanted - off);
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
  f.expected = say("the first {} programs together load at most {} elements of `{}`", "前 {0} 个 program 合起来最多加载 `{2}` 的 {1} 个元素", programs, most, rule.tensor);
  f.found = say("they load {}", "加载了 {} 个", found);
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
  f.expected = say("a kernel that compiles", "能通过编译的 kernel");
  const std::string& message = errors[0].message;
  f.found = {message, chinese_of(message).value_or((f.line > 0 ? "编译器的消息：" : "") + message)};
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

std::string in_words(const Failure& f, const Exercise& e, size_t language) {
  const bool chinese = language == kChinese;
  std::string out;
  if (!f.label.empty())
    out += chinese ? fmt::format("还没通过：{}（第 {} 组，共 {} 组）\n", f.label, f.launch + 1, e.launches.size())
                   : fmt::format("Not yet: with {} (launch {} of {})\n", f.label, f.launch + 1, e.launches.size());
  else
    out += chinese ? "还没通过：\n" : "Not yet:\n";
  std::string place;
  if (f.program) place += program_words(*f.program, f.axes);
  if (f.line > 0) {
    place += place.empty() ? "" : chinese ? "，" : ", ";
    place += chinese ? fmt::format("第 {} 行：{}", f.line, f.line_text) : fmt::format("line {}: {}", f.line, f.line_text);
  }
  if (!place.empty()) out += "  " + place + "\n";
  out += (chinese ? "  应当：" : "  expected: ") + f.expected[language] + "\n";
  out += (chinese ? "  实际：" : "  found:    ") + f.found[language] + "\n";
  return out;
}

}  // namespace tilescope::lessons
