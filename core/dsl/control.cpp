// Loops and branches. While the body of a loop is built, every variable made outside reads as an argument of the loop's
// region; when the body ends, those that changed are carried and the arguments of the others give way to the values
// from before, as the lowering of Triton text does.
#include <algorithm>
#include <unordered_map>

#include "core/dsl/session.h"
#include "core/lower/mismatch.h"

namespace tilescope::dsl {

using detail::Cell;
using detail::Content;
using detail::guarded;
using detail::Operation;
using detail::Session;
using detail::Watch;

namespace {

using Leaves = std::vector<ValueId>;
using Replacements = std::unordered_map<ValueId, ValueId>;

Leaves leaves_of(const lower::Value& v) {
  Leaves out;
  lower::append_leaves(v, out);
  return out;
}

lower::Value with_leaves(const lower::Value& v, const Leaves& leaves) {
  size_t at = 0;
  return lower::with_leaves(v, leaves, at);
}

void replace_uses(Block& block, const Replacements& with) {
  if (with.empty()) return;
  walk(block, [&](Op& op) {
    for (ValueId& v : op.operands)
      if (auto it = with.find(v); it != with.end()) v = it->second;
  });
}

/// A variable made before the loop.
struct Candidate {
  uint64_t cell;
  Content before;
  Leaves init;
  std::vector<Leaves> args;  ///< for each region
};

/// What a loop of either kind does with variables.
class Carrying {
 public:
  Carrying(Session& s, Site at) : s_(s), at_(at) {
    for (auto& [id, cell] : s.cells()) {
      if (!cell->now.assigned || !s.is_open(cell->now.region)) continue;
      s.settle(*cell);
      candidates_.push_back({id, cell->now, leaves_of(cell->now.value), {}});
    }
    s.watches().push_back({next_id(), {}});
  }

  /// The variables become arguments of a region that was just opened.
  void enter() {
    for (Candidate& c : candidates_) {
      Leaves& args = c.args.emplace_back();
      Cell* cell = s_.find_cell(c.cell);
      const std::string name = cell != nullptr ? s_.name_of(*cell) : "";
      for (ValueId init : c.init) {
        const Type t = s_.type(init);
        args.push_back(s_.function().new_value(t, name));
      }
      if (cell == nullptr || c.init.empty()) continue;
      cell->now = c.before;
      cell->now.value = with_leaves(c.before.value, args);
      cell->now.region = s_.region().id;
      cell->now.chunk = -1;
    }
  }

  /// Takes what the body left in the variables, before its region closes. Error when a variable changed its type.
  void take_finals() {
    const std::vector<uint64_t> order = s_.watches().back().assigned;
    for (uint64_t id : order) {
      Cell* cell = s_.find_cell(id);
      const auto c = std::find_if(candidates_.begin(), candidates_.end(), [&](const Candidate& x) { return x.cell == id; });
      if (cell == nullptr || c == candidates_.end()) continue;
      s_.usable_content(*cell, at_);
      check(*c, *cell);
      const Leaves finals = leaves_of(cell->now.value);
      for (size_t i = 0; i < finals.size(); ++i) {
        if (finals[i] == c->args.back()[i]) continue;
        carried_.push_back({&*c, i, finals[i], cell->now});
      }
    }
  }

  /// Of the carried variables, in order: values before the loop, their types, and what each region sees and leaves.
  Leaves initial() const {
    Leaves out;
    for (const Leaf& l : carried_) out.push_back(l.of->init[l.index]);
    return out;
  }
  std::vector<Type> types() const {
    std::vector<Type> out;
    for (ValueId v : initial()) out.push_back(s_.type(v));
    return out;
  }
  Leaves arguments(size_t region) const {
    Leaves out;
    for (const Leaf& l : carried_) out.push_back(l.of->args[region][l.index]);
    return out;
  }
  Leaves finals() const {
    Leaves out;
    for (const Leaf& l : carried_) out.push_back(l.final);
    return out;
  }
  Replacements unchanged() const {
    Replacements out;
    for (const Candidate& c : candidates_)
      for (const Leaves& args : c.args)
        for (size_t i = 0; i < args.size(); ++i)
          if (!is_carried(c, i)) out[args[i]] = c.init[i];
    return out;
  }

  /// After the loop: carried variables are its results, the others what they were.
  void leave(const Leaves& results) {
    s_.watches().pop_back();
    left_ = true;
    for (Candidate& c : candidates_) {
      Cell* cell = s_.find_cell(c.cell);
      if (cell == nullptr) continue;
      Leaves leaves = c.init;
      bool any = false;
      for (size_t i = 0; i < carried_.size(); ++i) {
        if (carried_[i].of != &c) continue;
        leaves[carried_[i].index] = results[i];
        s_.function().values[results[i]].name = s_.name_of(*cell);
        any = true;
      }
      if (!any) {
        cell->now = c.before;
        continue;
      }
      Content content = c.before;
      content.value = with_leaves(c.before.value, leaves);
      content.region = s_.region().id;
      content.chunk = -1;
      s_.assign(*cell, content, cell->now.at);
    }
  }

  /// After an error or `break`: variables are what they were before.
  void abandon() {
    if (left_) return;
    left_ = true;
    if (!s_.watches().empty()) s_.watches().pop_back();
    for (Candidate& c : candidates_)
      if (Cell* cell = s_.find_cell(c.cell)) cell->now = c.before;
  }

 private:
  struct Leaf {
    const Candidate* of;
    size_t index;
    ValueId final;
    Content now;
  };

  uint64_t next_id() const { return s_.next_cell(); }
  bool is_carried(const Candidate& c, size_t index) const {
    return std::any_of(carried_.begin(), carried_.end(),
                       [&](const Leaf& l) { return l.of == &c && l.index == index; });
  }

  void check(const Candidate& c, Cell& cell) {
    const lower::Value &before = c.before.value, &after = cell.now.value;
    if (before.is_const_number() && after.is_tensor()) {
      const std::string name = s_.name_of(cell);
      detail::throw_error(s_.range(cell.now.at),
                          "`" + name + "` is a constant before the loop, since the argument equals 1 or is folded, and "
                          "becomes a run-time value in it",
                          "copy it before the loop: auto x = tl::named(\"x\", " + name + ")");
    }
    if (auto d = lower::carried_mismatch(s_.function(), s_.name_of(cell), before, after, s_.range(cell.site),
                                         s_.range(cell.now.at)))
      throw Error(std::move(*d));
  }

  Session& s_;
  Site at_;
  std::vector<Candidate> candidates_;
  std::vector<Leaf> carried_;
  bool left_ = false;
};

}  // namespace

// ---- for

struct Range::State {
  Session* session = nullptr;
  Site at;
  RangeOptions options;
  lower::Value bounds[3];
  std::vector<int> children;
  int exceptions = 0;

  // While the body is open
  std::unique_ptr<Operation> operation;
  std::unique_ptr<Carrying> carrying;
  Block body;
  size_t depth = 0;
  Block* outside = nullptr;
  std::vector<ValueId> ids;
  ValueId induction = kNoValue;
  bool open = false;
};

Range::Range(Operand start, Operand stop, Operand step, RangeOptions options, Site at)
    : state_(std::make_unique<State>()) {
  Session& s = Session::active(at);
  state_->session = &s;
  state_->at = at;
  state_->options = std::move(options);
  guarded([&] {
    Operation op(s, at);
    state_->bounds[0] = op(start);
    state_->bounds[1] = op(stop);
    state_->bounds[2] = op(step);
    op.release(state_->children);
  });
}

Range::Iterator Range::begin() {
  State& st = *state_;
  Session& s = *st.session;
  if (Session::current() != &s || done_ || st.open)
    detail::throw_error(Session::active(st.at).range(st.at), "a tl::range can be looped over once, in its kernel",
                        "write tl::range(...) in the header of the loop");
  guarded([&] {
    st.operation = std::make_unique<Operation>(s, st.at);
    st.operation->adopt(st.children);
    const lower::RangeBounds bounds = lower::range_bounds(s, st.bounds, [&](const SourceRange&) { s.set_location(st.at); });
    st.ids.assign(bounds.ids, bounds.ids + 3);
    st.carrying = std::make_unique<Carrying>(s, st.at);
    st.outside = s.b().block();
    st.depth = s.region_depth();
    st.exceptions = std::uncaught_exceptions();
    s.push_region(st.body);
    st.open = true;
    st.induction = s.function().new_value(Type::scalar(bounds.type));
    st.carrying->enter();
  });
  return Iterator(this);
}

Value Range::variable() {
  State& st = *state_;
  Session& s = *st.session;
  Content content;
  content.assigned = true;
  content.region = s.region().id;
  content.value.v = lower::TensorValue{st.induction};
  Cell* cell = s.new_cell(content, st.at);
  if (!st.options.name.empty()) {
    cell->name = st.options.name;
    cell->name_known = true;
  }
  s.function().values[st.induction].name = s.name_of(*cell);
  return Session::make(cell);
}

void Range::end_body() {
  State& st = *state_;
  Session& s = *st.session;
  guarded([&] {
    s.count_step(st.at);
    st.carrying->take_finals();
    s.pop_region();
    st.open = false;
    s.set_location(st.at);
    s.b().set_block(&st.body);
    s.b().create(OpCode::Yield, st.carrying->finals(), {});
    s.b().set_block(st.outside);
    replace_uses(st.body, st.carrying->unchanged());
    st.body.args = {st.induction};
    const Leaves args = st.carrying->arguments(0);
    st.body.args.insert(st.body.args.end(), args.begin(), args.end());
    Leaves operands = st.ids;
    const Leaves initial = st.carrying->initial();
    operands.insert(operands.end(), initial.begin(), initial.end());
    Op& op = s.b().create(OpCode::For, operands, st.carrying->types());
    op.regions.push_back(std::move(st.body));
    if (st.options.num_stages >= 0) op.set_attr("num_stages", st.options.num_stages);
    if (st.options.loop_unroll_factor >= 0) op.set_attr("loop_unroll_factor", st.options.loop_unroll_factor);
    const Leaves results = op.results;
    st.operation->finish({});
    st.carrying->leave(results);
  });
  done_ = true;
}

Range::~Range() {
  State& st = *state_;
  if (!st.operation || done_) return;
  Session& s = *st.session;
  if (Session::current() != &s) return;
  s.unwind_regions(st.depth, st.outside);
  st.carrying->abandon();
  st.operation.reset();
  if (std::uncaught_exceptions() > st.exceptions) return;
  Diagnostic d;
  d.range = s.range(st.at);
  d.message = "a loop over tl::range cannot be left by `break` or `return`";
  d.hint = "compute the trip count before the loop, or carry a flag and guard the body with tl::if_; tl::while_ with a "
           "condition works too";
  s.defer(std::move(d));
}

// ---- while

void while_(const std::function<Value()>& condition, const std::function<void()>& body, Site at) {
  Session& s = Session::active(at);
  guarded([&] {
    Operation operation(s, at);
    Block* outside = s.b().block();
    Carrying carrying(s, at);
    struct Abandon {
      Carrying& c;
      ~Abandon() { c.abandon(); }
    } abandon{carrying};
    Block test, loop;
    s.push_region(test);
    carrying.enter();
    ValueId holds = kNoValue;
    lower::Value constant;
    {
      const Value c = condition();
      lower::Value v = s.usable(c, at).value;
      v.range = s.range(Session::cell_of(c)->site);
      s.set_location(at);
      if (lower::is_compile_time(v))
        constant = v;
      else
        holds = lower::condition_value(s, v, "`while`", v.range);
    }
    s.pop_region();
    s.push_region(loop);
    carrying.enter();
    if (holds == kNoValue && lower::const_truth(constant))
      s.fail(s.range(at), "this loop never ends: its condition is always true",
             "compare something that the body changes");
    body();
    s.count_step(at);
    carrying.take_finals();
    s.pop_region();
    s.b().set_block(outside);
    if (holds == kNoValue) {
      carrying.abandon();
      operation.finish({});
      return;
    }
    s.set_location(at);
    Leaves passed = {holds};
    test.args = carrying.arguments(0);
    loop.args = carrying.arguments(1);
    passed.insert(passed.end(), test.args.begin(), test.args.end());
    s.b().set_block(&test);
    s.b().create(OpCode::Condition, passed, {});
    s.b().set_block(&loop);
    s.b().create(OpCode::Yield, carrying.finals(), {});
    s.b().set_block(outside);
    replace_uses(test, carrying.unchanged());
    replace_uses(loop, carrying.unchanged());
    Op& op = s.b().create(OpCode::While, carrying.initial(), carrying.types());
    op.regions.push_back(std::move(test));
    op.regions.push_back(std::move(loop));
    const Leaves results = op.results;
    operation.finish({});
    carrying.leave(results);
  });
}

// ---- if

namespace {

/// A variable that a branch assigned, and what it left there.
using Changes = std::map<uint64_t, Content>;

/// Runs the branch into its block, and takes its changes back.
Changes build_branch(Session& s, Block& block, const std::function<void()>& body, Site at) {
  std::map<uint64_t, Content> before;
  for (auto& [id, cell] : s.cells()) {
    s.settle(*cell);
    before[id] = cell->now;
  }
  s.watches().push_back({s.next_cell(), {}});
  struct Restore {
    Session& s;
    std::map<uint64_t, Content>& before;
    ~Restore() {
      s.watches().pop_back();
      for (auto& [id, content] : before)
        if (Cell* cell = s.find_cell(id)) cell->now = content;
    }
  } restore{s, before};
  s.push_region(block);
  if (body) body();
  s.count_step(at);
  Changes changes;
  for (uint64_t id : s.watches().back().assigned)
    if (Cell* cell = s.find_cell(id)) changes[id] = s.usable_content(*cell, at);
  s.pop_region();
  return changes;
}

/// The If that is being built from two branches.
struct Join {
  Session& s;
  Site at;
  Block &a, &b;
  Leaves yield_a = {}, yield_b = {};
  std::vector<std::string> names = {};

  ValueId number(Block& block, const lower::Value& v) {
    Block* outer = s.b().block();
    s.b().set_block(&block);
    const ValueId id = lower::to_tensor(s, v);
    s.b().set_block(outer);
    return id;
  }

  /// The leaves of the joined value as numbers of results, or plain ids behind `false`.
  std::vector<std::pair<bool, ValueId>> leaves(Cell& cell, lower::Value& x, lower::Value& y) {
    if (x.is_const_number() && y.is_tensor()) x.v = lower::TensorValue{number(a, x)};
    if (y.is_const_number() && x.is_tensor()) y.v = lower::TensorValue{number(b, y)};
    if (!lower::branches_agree(s.function(), x, y))
      throw Error(lower::branch_mismatch(s.function(), s.name_of(cell), x, y));
    std::vector<std::pair<bool, ValueId>> out;
    const Leaves la = leaves_of(x), lb = leaves_of(y);
    for (size_t i = 0; i < la.size(); ++i) {
      if (la[i] == lb[i]) {
        out.push_back({false, la[i]});
        continue;
      }
      out.push_back({true, static_cast<ValueId>(yield_a.size())});
      yield_a.push_back(la[i]);
      yield_b.push_back(lb[i]);
      names.push_back(s.name_of(cell));
    }
    return out;
  }
};

struct Joined {
  uint64_t cell;
  lower::Value form;
  std::vector<std::pair<bool, ValueId>> leaves;
};

void lose(Session& s, Cell& cell, bool first_has, Site at) {
  Diagnostic d;
  d.labels.push_back({s.range(at), std::string("the ") + (first_has ? "other branch" : "first branch") +
                                       " of this tl::if_ does not assign it"});
  d.hint = "assign it before the tl::if_, or in both branches";
  cell.now = {};
  cell.gone = std::move(d);
}

void run_time_if(Session& s, ValueId condition, const std::function<void()>& then,
                 const std::function<void()>& otherwise, Operation& operation, Site at) {
  Block a, b;
  Block* outside = s.b().block();
  const Changes in_a = build_branch(s, a, then, at), in_b = build_branch(s, b, otherwise, at);
  s.b().set_block(outside);
  // By name, as the lowering of Triton text joins them; variables without one follow in the order of creation.
  std::vector<std::pair<std::string, uint64_t>> order;
  for (auto& [id, cell] : s.cells())
    if (in_a.count(id) || in_b.count(id)) order.emplace_back(s.name_of(*cell), id);
  std::stable_sort(order.begin(), order.end(), [](const auto& x, const auto& y) {
    return std::make_pair(x.first.empty(), x.first) < std::make_pair(y.first.empty(), y.first);
  });
  Join join{s, at, a, b};
  std::vector<Joined> joined;
  s.set_location(at);
  for (const auto& [name, id] : order) {
    Cell& cell = *s.find_cell(id);
    const auto of = [&](const Changes& changes) {
      const auto it = changes.find(id);
      Content c = it != changes.end() ? it->second : cell.now;
      c.value.range = s.range(it != changes.end() ? it->second.at : cell.site);
      return c;
    };
    Content x = of(in_a), y = of(in_b);
    if (!x.assigned || !y.assigned) {
      lose(s, cell, x.assigned, at);
      continue;
    }
    joined.push_back({id, x.value, join.leaves(cell, x.value, y.value)});
    joined.back().form = x.value;
  }
  s.set_location(at);
  std::vector<Type> types;
  for (ValueId v : join.yield_a) types.push_back(s.type(v));
  s.b().set_block(&a);
  s.b().create(OpCode::Yield, join.yield_a, {});
  s.b().set_block(&b);
  s.b().create(OpCode::Yield, join.yield_b, {});
  s.b().set_block(outside);
  Op& op = s.b().create(OpCode::If, {condition}, types);
  op.regions.push_back(std::move(a));
  op.regions.push_back(std::move(b));
  const Leaves results = op.results;
  for (size_t i = 0; i < results.size(); ++i) s.function().values[results[i]].name = join.names[i];
  operation.finish({});
  for (const Joined& j : joined) {
    Cell* cell = s.find_cell(j.cell);
    Leaves leaves;
    for (const auto& [is_result, id] : j.leaves) leaves.push_back(is_result ? results[id] : id);
    Content content;
    content.assigned = true;
    content.value = with_leaves(j.form, leaves);
    content.region = s.region().id;
    s.assign(*cell, content, cell->now.at);
  }
}

}  // namespace

void if_(Operand condition, const std::function<void()>& then, const std::function<void()>& otherwise, Site at) {
  Session& s = Session::active(at);
  guarded([&] {
    Operation operation(s, at);
    const lower::Value test = operation(condition);
    if (test.is_tensor()) {
      const ValueId id = lower::condition_value(s, test, "`if`", test.range);
      run_time_if(s, id, then, otherwise, operation, at);
      return;
    }
    if (!lower::is_compile_time(test))
      s.fail(s.range(at), "`if` needs a condition, found " + describe(test, s.function()));
    operation.finish({});
    const std::function<void()>& taken = lower::const_truth(test) ? then : otherwise;
    if (taken) taken();
  });
}

}  // namespace tilescope::dsl
