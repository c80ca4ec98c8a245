#include "visualizer/model/timeline.h"

#include <algorithm>
#include <set>

#include "visualizer/model/statements.h"
#include "visualizer/model/walked_range.h"

namespace tilescope::model {
namespace {

/// What a line step contains, as bits; the highest one decides its kind.
enum Contains : uint8_t { kReduces = 1, kLoads = 2, kMultiplies = 4, kStores = 8 };

/// What is needed of an op again and again.
struct OpFacts {
  int statement = -1;
  uint8_t contains = 0;
  bool ends_region = false;     ///< yield, condition, return: no step of a person's
  bool ends_branch = false;     ///< an `if`, after the branch that ran
  bool ends_statement = false;  ///< the next op of the same statement is a new run of it (unrolled loops)
};

OpFacts facts_of(const Op& op, const Statements& statements, const Function& function) {
  OpFacts out;
  out.statement = statements.of(op);
  switch (op.code) {
    case OpCode::Load:
      out.contains = kLoads;
      break;
    case OpCode::Store:
    case OpCode::AtomicRmw:
    case OpCode::AtomicCas:
      out.contains = kStores;
      break;
    case OpCode::Dot:
      out.contains = kMultiplies;
      break;
    case OpCode::Reduce:
    case OpCode::Scan:
      out.contains = kReduces;
      break;
    case OpCode::If:
      out.ends_branch = true;
      break;
    case OpCode::Yield:
    case OpCode::Condition:
    case OpCode::Return:
      out.ends_region = true;
      break;
    default:
      break;
  }
  if (out.statement < 0 || is_inlined(op)) return out;
  const Statement& s = statements.all()[static_cast<size_t>(out.statement)];
  if (s.one_name && s.kind == Statement::Kind::Assign)
    for (ValueId v : op.results) out.ends_statement |= function.values[v].name == s.name;
  if (op.code == OpCode::Store) out.ends_statement = true;
  return out;
}

StepKind kind_of(uint8_t contains) {
  if (contains & kStores) return StepKind::Store;
  if (contains & kMultiplies) return StepKind::Dot;
  if (contains & kLoads) return StepKind::Load;
  return contains & kReduces ? StepKind::Reduce : StepKind::Compute;
}

/// The parameter that a pointer was made from, or "".
class PointerRoots {
 public:
  explicit PointerRoots(const Function& f) : function_(f), root_(f.values.size(), kNoValue) {
    for (ValueId v = 0; v < f.params.size(); ++v) root_[v] = v;
    walk(f.body, [&](const Op& op) {
      if (op.code == OpCode::For)
        for (size_t i = 3; i < op.operands.size() && i - 2 < op.regions[0].args.size(); ++i) {
          root_[op.regions[0].args[i - 2]] = root_[op.operands[i]];
          if (i - 3 < op.results.size()) root_[op.results[i - 3]] = root_[op.operands[i]];
        }
      if (op.results.size() == 1 && !op.operands.empty() && f.type(op.results[0]).pointer && op.code != OpCode::For)
        root_[op.results[0]] = root_[op.operands[op.code == OpCode::Select ? 1 : 0]];
    });
  }
  std::string name(ValueId pointer) const {
    const ValueId root = root_[pointer];
    return root == kNoValue || !function_.type(root).pointer ? std::string() : function_.params[root].name;
  }

 private:
  const Function& function_;
  std::vector<ValueId> root_;
};

class Labels {
 public:
  Labels(const Function& f, const Statements& statements, const std::vector<OpFacts>& facts)
      : statements_(statements), roots_(f) {
    std::vector<int> storing;
    for (const OpFacts& o : facts)
      if (o.contains & kStores) storing.push_back(o.statement);
    std::sort(storing.begin(), storing.end());
    one_store_ = std::unique(storing.begin(), storing.end()) - storing.begin() <= 1;
  }

  /// `decisive`: the first op of the kind that the step has.
  std::string of(int statement, StepKind kind, const Op& decisive) const {
    static const Statement none;
    const Statement& s = statement < 0 ? none : statements_.all()[static_cast<size_t>(statement)];
    const bool assigns = s.kind == Statement::Kind::Assign && !s.name.empty();
    switch (kind) {
      case StepKind::Load:
        return assigns ? "load " + s.name : "load";
      case StepKind::Dot:
        return "dot";
      case StepKind::Store:
        return store_label(decisive);
      case StepKind::Reduce:
        if (assigns || s.kind != Statement::Kind::Call) break;
        return reduce_label(decisive);
      case StepKind::Compute:
        break;
    }
    if (!s.name.empty()) return s.name;
    return kind == StepKind::Reduce ? reduce_label(decisive) : std::string(decisive.info().name);
  }

 private:
  std::string store_label(const Op& op) const {
    if (op.code == OpCode::AtomicCas) return "cas";
    if (op.code == OpCode::AtomicRmw) return "atomic " + std::string(op.str_attr("kind"));
    if (one_store_ || op.operands.empty()) return "store";
    const std::string tensor = roots_.name(op.operands[0]);
    return tensor.empty() ? "store" : "store " + tensor;
  }

  static std::string reduce_label(const Op& op) {
    const std::string_view combine = op.str_attr("combine");
    if (op.code == OpCode::Scan) return combine == "sum" ? "cumsum" : combine == "prod" ? "cumprod" : "scan";
    return combine.empty() || combine == "user" ? "reduce" : std::string(combine);
  }

  const Statements& statements_;
  PointerRoots roots_;
  bool one_store_ = true;
};

/// Takes the steps one by one and closes a line step whenever the statement or the iteration changes.
class Grouping {
 public:
  Grouping(const ProgramTrace& trace, const std::vector<const Op*>& ops, const Function& function)
      : trace_(trace), ops_(ops), statements_(function), facts_(make_facts(ops, function)),
        labels_(function, statements_, facts_) {}

  std::vector<LineStep> run() {
    for (uint64_t i = 0; i < trace_.steps.size(); ++i) add(i, trace_.steps[i]);
    if (handing_over_) close(left_);
    if (open_) close(current_);
    return std::move(out_);
  }

 private:
  struct Group {
    uint64_t first = 0, last = 0;
    int32_t frame = -1;
    int statement = -1;
    uint8_t contains = 0;
    int32_t decisive = 0;  ///< op that brought in the highest bit of `contains`
    bool complete = false;
    bool starts_iteration = false;
  };

  std::vector<OpFacts> make_facts(const std::vector<const Op*>& ops, const Function& function) const {
    std::vector<OpFacts> out;
    out.reserve(ops.size());
    for (const Op* op : ops) out.push_back(facts_of(*op, statements_, function));
    return out;
  }

  void add(uint64_t i, const Step& step) {
    const OpFacts& facts = facts_[static_cast<size_t>(step.op)];
    if (step.phase == StepPhase::Leave || facts.ends_branch) return leave(i, step, facts);
    if (facts.ends_region && open_ && current_.frame == step.frame) {
      current_.last = i;
      return;
    }
    if (handing_over_) {
      handing_over_ = false;
      return start(left_.first, i, step, facts);
    }
    if (open_ && continues(step, facts)) return extend(i, step, facts);
    start(i, i, step, facts);
  }

  /// A loop is left, or a branch that ran has ended: the step belongs to the statement that comes next, except inside an
  /// expression. The test that ends a `while` is no iteration any more.
  void leave(uint64_t i, const Step& step, const OpFacts& facts) {
    if (open_ && current_.statement == facts.statement) {
      const bool last_test = current_.frame >= 0 && step.phase == StepPhase::Leave && current_.starts_iteration &&
                             ops_[static_cast<size_t>(step.op)]->code == OpCode::While &&
                             trace_.frames[static_cast<size_t>(current_.frame)].parent == step.frame;
      if (last_test) current_.frame = step.frame;
      if (current_.frame == step.frame) {
        current_.last = i;
        return;
      }
    }
    if (open_) close(current_), open_ = false;
    if (!handing_over_) left_ = Group{i, i, step.frame, facts.statement, 0, step.op, false, false};
    left_.last = i;
    left_.frame = step.frame;
    handing_over_ = true;
  }

  bool continues(const Step& step, const OpFacts& facts) const {
    const int statement = facts.statement < 0 ? current_.statement : facts.statement;
    if (statement != current_.statement) return false;
    if (step.phase == StepPhase::Iteration) {
      // The bounds of a `for` belong to its first iteration, unless the group is an iteration already.
      const Statement* s = statement < 0 ? nullptr : &statements_.all()[static_cast<size_t>(statement)];
      const bool header = s != nullptr && s->kind == Statement::Kind::For;
      return header && trace_.steps[current_.last].phase == StepPhase::Op && step.frame != current_.frame &&
             trace_.frames[static_cast<size_t>(step.frame)].parent == current_.frame &&
             trace_.steps[current_.first].phase == StepPhase::Op;
    }
    return step.frame == current_.frame && !current_.complete;
  }

  void start(uint64_t first, uint64_t i, const Step& step, const OpFacts& facts) {
    if (open_) close(current_);
    open_ = true;
    current_ = Group{first, i, step.frame, facts.statement, facts.contains, step.op, facts.ends_statement,
                     step.phase == StepPhase::Iteration};
  }

  void extend(uint64_t i, const Step& step, const OpFacts& facts) {
    current_.last = i;
    current_.frame = step.frame;
    if (facts.contains > current_.contains) current_.decisive = step.op;
    current_.contains |= facts.contains;
    current_.complete |= facts.ends_statement;
  }

  void close(const Group& g) {
    LineStep line;
    line.first = g.first;
    line.last = g.last;
    line.frame = g.frame;
    const Op& decisive = *ops_[static_cast<size_t>(g.decisive)];
    line.kind = kind_of(g.contains);
    if (g.statement < 0 && is_on_header(decisive)) {
      line.statement = decisive.loc->range;
      line.label = "descriptors";
    } else {
      if (g.statement >= 0) line.statement = statements_.all()[static_cast<size_t>(g.statement)].range;
      line.label = labels_.of(g.statement, line.kind, decisive);
    }
    out_.push_back(std::move(line));
  }

  /// What stands before the first statement: shapes and strides of the descriptors that the host hands over.
  static bool is_on_header(const Op& op) {
    if (op.code != OpCode::Constant || op.loc == nullptr || op.loc->calls != nullptr || !op.loc->range.valid()) return false;
    const SourceRange& r = op.loc->range;
    return r.column == 1 && r.file->line(r.line).starts_with("def ");
  }

  const ProgramTrace& trace_;
  const std::vector<const Op*>& ops_;
  Statements statements_;
  std::vector<OpFacts> facts_;
  Labels labels_;
  std::vector<LineStep> out_;
  Group current_, left_;
  bool open_ = false, handing_over_ = false;
};

std::string detail_of(const ProgramTrace& trace, const std::vector<const Op*>& ops, int32_t frame,
                      const std::unordered_map<const Op*, WalkedRange>& walked) {
  if (frame < 0) return {};
  const LoopFrame& f = trace.frames[static_cast<size_t>(frame)];
  const LoopPosition& at = f.position;
  if (f.first_step < trace.steps.size()) {
    const auto found = walked.find(ops[static_cast<size_t>(trace.steps[f.first_step].op)]);
    if (found != walked.end() && std::abs(at.value) < (int64_t{1} << 40)) {
      const WalkedRange& w = found->second;
      const int64_t base = w.scale * at.value;
      return w.name + " " + std::to_string(base + w.low) + ".." + std::to_string(base + w.high);
    }
  }
  return at.variable.empty() ? std::string() : at.variable + " " + std::to_string(at.value);
}

int loop_line(const ProgramTrace& trace, const std::vector<const Op*>& ops, int32_t frame) {
  if (frame < 0) return 0;
  const uint64_t first = trace.frames[static_cast<size_t>(frame)].first_step;
  const Op* op = first < trace.steps.size() && trace.steps[first].op >= 0 ? ops[static_cast<size_t>(trace.steps[first].op)] : nullptr;
  if (op == nullptr || op->loc == nullptr) return 0;
  int line = op->loc->range.line;
  for (const CallFrame* c = op->loc->calls.get(); c != nullptr; c = c->outer.get()) line = c->call.line;
  return line;
}

}  // namespace

size_t Timeline::line_of(uint64_t step) const {
  const auto after =
      std::upper_bound(lines.begin(), lines.end(), step, [](uint64_t s, const LineStep& l) { return s < l.first; });
  return after == lines.begin() ? 0 : static_cast<size_t>(after - lines.begin()) - 1;
}

size_t Timeline::section_of(size_t line) const {
  const auto after =
      std::upper_bound(sections.begin(), sections.end(), line, [](size_t l, const Section& s) { return l < s.first; });
  return after == sections.begin() ? 0 : static_cast<size_t>(after - sections.begin()) - 1;
}

Timeline make_timeline(const ProgramTrace& trace, const std::vector<const Op*>& ops, const Function& function) {
  Timeline out;
  out.lines = Grouping(trace, ops, function).run();
  const auto walked = find_walked_ranges(function);
  for (size_t i = 0; i < out.lines.size(); ++i) {
    const int32_t frame = out.lines[i].frame;
    if (out.sections.empty() || out.sections.back().frame != frame)
      out.sections.push_back({i, i, frame, detail_of(trace, ops, frame, walked), loop_line(trace, ops, frame)});
    out.sections.back().end = i + 1;
  }
  std::set<int> loops;
  for (const Section& s : out.sections)
    if (s.frame >= 0) loops.insert(s.loop_line);
  out.loops = static_cast<int>(loops.size());
  return out;
}

}  // namespace tilescope::model
