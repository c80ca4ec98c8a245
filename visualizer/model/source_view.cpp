#include "visualizer/model/source_view.h"

#include <algorithm>

#include "core/excerpt.h"
#include "visualizer/model/lanes.h"
#include "visualizer/model/text_document.h"
#include "visualizer/model/values.h"
#include "visualizer/model/words.h"

namespace tilescope::model {
namespace {

/// A statement whose helpers run in unrolled loops has thousands of op-steps; its values come from the last ones.
constexpr uint64_t kStepsLookedAt = 256;
constexpr size_t kKeptSummaries = 4096;

bool is_inlined(const Op& op) { return op.loc != nullptr && op.loc->calls != nullptr; }
bool is_control(const Op& op) { return op.code == OpCode::For || op.code == OpCode::While || op.code == OpCode::If; }

/// Values with names that op-step gave in the kernel itself.
std::vector<ValueId> named_results(const Op& op, StepPhase phase, const Function& function) {
  std::vector<ValueId> out;
  if (is_inlined(op) || phase == StepPhase::Leave) return out;
  if (phase == StepPhase::Iteration) {
    if (op.code == OpCode::For && !op.regions.empty() && !op.regions[0].args.empty()) out.push_back(op.regions[0].args[0]);
  } else if (!is_control(op)) {
    out = op.results;
  }
  std::erase_if(out, [&](ValueId v) { return function.values[v].name.empty(); });
  return out;
}

int count_lines(std::string_view text) { return 1 + static_cast<int>(std::count(text.begin(), text.end(), '\n')); }

std::string_view without_cr(std::string_view line, bool last) {
  if (!last && !line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

}  // namespace

AccessSummary LineFacts::lanes() const {
  AccessSummary sum;
  for (const AccessSummary& a : accesses) {
    sum.reads |= a.reads, sum.writes |= a.writes;
    sum.on += a.on, sum.masked += a.masked, sum.out_of_bounds += a.out_of_bounds;
    sum.uninitialised += a.uninitialised, sum.duplicates += a.duplicates;
    sum.requests += a.requests, sum.sectors += a.sectors;
  }
  return sum;
}

const LineFacts* SourceView::at(int line) const {
  auto after = lines.upper_bound(line);
  if (after == lines.begin()) return nullptr;
  const LineFacts& facts = std::prev(after)->second;
  return line <= facts.end_line ? &facts : nullptr;
}

void SourceFacts::start(const Scene& scene) {
  recorded_ = scene.run.recorded;
  statements_.clear();
  overwritten_.clear();
  const std::vector<LineStep>& lines = scene.timeline->lines;
  for (size_t i = 0; i < lines.size(); ++i) {
    const SourceRange& range = lines[i].statement;
    if (!range.valid()) continue;
    Statement& s = statements_[range.line];
    s.end_line = std::max({s.end_line, range.line, range.end_line});
    // Of several statements on a line the most telling kind is shown.
    if (s.kind == StepKind::Compute) s.kind = lines[i].kind;
    s.runs.push_back(static_cast<uint32_t>(i));
  }
  // The range of a loop may hold its body: a statement ends at the latest where the next one starts.
  for (auto s = statements_.begin(); s != statements_.end(); ++s) {
    const auto next = std::next(s);
    if (next != statements_.end()) s->second.end_line = std::min(s->second.end_line, next->first - 1);
    s->second.end_line = std::max(s->second.end_line, s->first);
  }
}

void SourceFacts::add_values(const Scene& scene, const LineStep& step, LineFacts& facts) {
  const ProgramValues* values = program_values(scene);
  if (values == nullptr || scene.run.recorded == nullptr) return;
  const std::vector<const Op*>& ops = scene.run.recorded->recording->ops();
  const uint64_t last = std::min(step.last, scene.step);  // stepping by op may stand inside the statement
  const uint64_t first = std::max(step.first, last - std::min(last, kStepsLookedAt));
  for (uint64_t n = last + 1; n-- > first;) {
    const Step& s = scene.trace->steps[n];
    const Op& op = *ops[static_cast<size_t>(s.op)];
    for (ValueId id : named_results(op, s.phase, *scene.function)) {
      const ValueInfo& info = scene.function->values[id];
      const auto same_name = [&](const LineValue& v) { return v.name == info.name; };
      if (std::any_of(facts.values.begin(), facts.values.end(), same_name)) continue;
      const Variable* now = scene.find_variable(info.name);
      if (now != nullptr && now->value == id && now->defined_at == static_cast<int64_t>(n)) {
        facts.values.insert(facts.values.begin(), {info.name, summary_of(scene, *now)});
        continue;
      }
      facts.values.insert(facts.values.begin(), {info.name, summary_at(scene, id, n, false)});
    }
    if (op.code == OpCode::Print && !is_inlined(op)) add_printed(scene, op, n, facts);
  }
}

/// What a value was when op-step `step` made it. Of a printed one the numbers are told, not the lanes that loaded them.
const Summary& SourceFacts::summary_at(const Scene& scene, ValueId id, uint64_t step, bool printed) {
  const auto [kept, fresh] = overwritten_.try_emplace({step, id, printed});
  if (!fresh) return kept->second;
  const ProgramValues& values = *program_values(scene);
  const ValueInfo& info = scene.function->values[id];
  const Step& s = scene.trace->steps[step];
  Variable v;
  v.name = info.name, v.value = id, v.type = info.type, v.defined_at = static_cast<int64_t>(step);
  v.data = values.data(step);
  for (const ValueRecord& r : v.data->results)
    if (r.value == id) v.record = &r;
  if (s.access >= 0 && !printed) v.access = &scene.trace->accesses[static_cast<size_t>(s.access)];
  if (v.data->access && !printed) v.lanes = &*v.data->access;
  kept->second = summarise(values, v, printed ? VariableLanes{} : variable_lanes(values, v));
  return kept->second;
}

/// device_print shows its values as they were then, each beside the line.
void SourceFacts::add_printed(const Scene& scene, const Op& print, uint64_t step, LineFacts& facts) {
  for (auto id = print.operands.rbegin(); id != print.operands.rend(); ++id) {
    const int64_t made = scene.run.recorded->recording->last_definition(*id, step);
    if (made < 0) continue;  // an argument of the launch, which the top bar shows
    const std::string& name = scene.function->values[*id].name;
    LineValue printed{name, summary_at(scene, *id, static_cast<uint64_t>(made), true), !name.empty(), true};
    if (name.empty()) printed.name = print.str_attr("text");
    facts.values.insert(facts.values.begin(), std::move(printed));
  }
}

namespace {

/// static_print runs while the kernel is compiled: its lines are no steps, and what they said is among the notes.
void add_static_prints(const Scene& scene, SourceView& view) {
  constexpr std::string_view kSaid = "static_print: ";
  constexpr size_t kMostOnALine = 4;
  if (scene.run.launch == nullptr) return;
  for (const Diagnostic& d : scene.run.launch->kernel.notes) {
    if (!d.message.starts_with(kSaid) || !d.range.valid() || d.calls != nullptr || d.range.file != scene.function->source) continue;
    LineFacts& facts = view.lines[d.range.line];
    if (facts.line == 0) facts.line = d.range.line, facts.end_line = std::max(d.range.line, d.range.end_line);
    if (facts.values.size() >= kMostOnALine) continue;
    Summary said;
    said.form = Summary::Form::Scalar;
    said.text = d.message.substr(kSaid.size());
    facts.values.push_back({"static_print", std::move(said), false, true});
  }
}

}  // namespace

void SourceFacts::add_accesses(const Scene& scene, const LineStep& step, LineFacts& facts) const {
  const std::vector<AccessSummary>& all = scene.trace->accesses;
  auto a = std::lower_bound(all.begin(), all.end(), step.first, [](const AccessSummary& x, uint64_t n) { return x.step < n; });
  for (; a != all.end() && a->step <= std::min(step.last, scene.step); ++a) facts.accesses.push_back(*a);
}

SourceView SourceFacts::view(const Scene& scene) {
  SourceView out;
  if (!scene.ready || scene.timeline == nullptr || scene.trace == nullptr || scene.function == nullptr) return out;
  if (recorded_ != scene.run.recorded) start(scene);
  if (overwritten_.size() > kKeptSummaries) overwritten_.clear();
  const std::vector<LineStep>& steps = scene.timeline->lines;
  for (const auto& [line, statement] : statements_) {
    LineFacts& f = out.lines[line];
    f.line = line, f.end_line = statement.end_line, f.kind = statement.kind;
    f.times_in_all = statement.runs.size();
    const auto after = std::upper_bound(statement.runs.begin(), statement.runs.end(), scene.line_step);
    f.times = static_cast<uint64_t>(after - statement.runs.begin());
    if (f.times == 0) continue;
    const uint32_t latest = *std::prev(after);
    f.current = latest == scene.line_step;
    if (f.current) f.kind = steps[latest].kind;
    add_values(scene, steps[latest], f);
    add_accesses(scene, steps[latest], f);
  }
  add_static_prints(scene, out);
  if (scene.run.totals == nullptr) return out;
  const RunTrace& total = scene.run.totals->trace;
  const auto facts_of = [&](int line) -> LineFacts& {
    if (const LineFacts* known = out.at(line)) return out.lines[known->line];
    LineFacts& fresh = out.lines[line];
    fresh.line = fresh.end_line = line;
    return fresh;
  };
  for (const LineReport& r : total.lines)
    if (r.line > 0) facts_of(r.line).launch.push_back(r);
  for (size_t i = 0; i < total.faults.size(); ++i)
    if (total.faults[i].range.valid()) facts_of(total.faults[i].range.line).faults.push_back(i);
  return out;
}

std::vector<TextMessage> text_messages(const std::vector<Diagnostic>& diagnostics, const SourcePtr& text) {
  std::vector<TextMessage> out;
  const auto here = [&](const SourceRange& r) {
    return r.valid() && text != nullptr && (r.file == text || (r.file->path == text->path && r.file->text == text->text));
  };
  const auto mark = [&](const SourceRange& r, const std::string& label) {
    TextMark m{r.line, r.column, end_in_first_line(r), label};
    m.end_column = std::max(m.end_column, m.column + 1);
    return m;
  };
  for (const Diagnostic& d : diagnostics) {
    TextMessage m;
    m.severity = d.severity, m.message = d.message, m.hint = d.hint;
    if (here(d.range)) {
      m.line = d.range.line;
      m.marks.push_back(mark(d.range, d.range_label));
    } else if (d.range.valid()) {
      m.message = d.range.file->path + ":" + std::to_string(d.range.line) + ":" + std::to_string(d.range.column) + ": " + d.message;
      if (!d.range_label.empty()) m.message += " (" + d.range_label + ")";
    }
    for (const Label& l : d.labels)
      if (here(l.range)) m.marks.push_back(mark(l.range, l.text));
    for (const CallFrame* c = d.calls.get(); c != nullptr; c = c->outer.get()) {
      if (!c->call.valid()) continue;
      if (m.line == 0 && here(c->call)) {  // the error is in a helper of the library: the call is what can be mended
        m.line = c->call.line;
        m.marks.insert(m.marks.begin(), mark(c->call, ""));
      }
      m.called_from.push_back(remember(say(ModelWords::CalledAt, {{"callee", c->callee}, {"line", c->call.line}})));
    }
    out.push_back(std::move(m));
  }
  return out;
}

LineMap::LineMap(std::string_view old_text, const TextDocument& document)
    : old_lines_(count_lines(old_text)), lines_(static_cast<int>(document.lines())) {
  const int most = std::min(old_lines_, lines_);
  same_before_ = same_after_ = 0;
  size_t at = 0;
  while (same_before_ < most) {
    const size_t end = std::min(old_text.find('\n', at), old_text.size());
    if (without_cr(old_text.substr(at, end - at), end == old_text.size()) != document.line(static_cast<size_t>(same_before_))) break;
    ++same_before_;
    at = end + 1;
  }
  size_t end = old_text.size();
  while (same_after_ < most - same_before_) {
    const size_t begin = end == 0 ? 0 : old_text.rfind('\n', end - 1) == std::string_view::npos ? 0 : old_text.rfind('\n', end - 1) + 1;
    const std::string_view line = without_cr(old_text.substr(begin, end - begin), same_after_ == 0);
    if (line != document.line(static_cast<size_t>(lines_ - 1 - same_after_))) break;
    ++same_after_;
    if (begin == 0) break;
    end = begin - 1;
  }
}

int LineMap::now(int old_line) const {
  if (old_line <= 0) return 0;
  if (old_line <= same_before_) return old_line;
  if (old_line > old_lines_ - same_after_ && old_line <= old_lines_) return old_line + lines_ - old_lines_;
  return 0;
}

int LineMap::then(int line) const {
  if (line <= 0) return 0;
  if (line <= same_before_) return line;
  if (line > lines_ - same_after_ && line <= lines_) return line - lines_ + old_lines_;
  return 0;
}

int LineMap::nearest(int old_line) const {
  if (const int line = now(old_line); line > 0 || old_line <= 0) return line;
  return std::clamp(old_line, std::min(same_before_ + 1, lines_), std::max(lines_ - same_after_, std::min(same_before_ + 1, lines_)));
}

}  // namespace tilescope::model
