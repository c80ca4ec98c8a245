// tl::range and tl::while_.
#include "core/dsl/carrying.h"
#include "core/lower/mismatch.h"

namespace tilescope::dsl {

using detail::Carrying;
using detail::Cell;
using detail::Content;
using detail::guarded;
using detail::Leaves;
using detail::Operation;
using detail::Session;

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
  state_->exceptions = std::uncaught_exceptions();
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
    const lower::RangeBounds bounds =
        lower::range_bounds(s, st.bounds, [&](const SourceRange&) { s.set_location(st.at); });
    st.ids.assign(bounds.ids, bounds.ids + 3);
    st.carrying = std::make_unique<Carrying>(s, st.at);
    st.outside = s.b().block();
    st.depth = s.region_depth();
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
    detail::replace_uses(st.body, st.carrying->unchanged());
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
  if (Session::current() != st.session) {
    st.operation->release(st.children);
    return;
  }
  Session& s = *st.session;
  if (st.carrying) {
    s.unwind_regions(st.depth, st.outside);
    st.carrying->abandon();
  }
  st.operation.reset();
  if (std::uncaught_exceptions() > st.exceptions) return;
  Diagnostic d;
  d.range = s.range(st.at);
  d.message = "a loop over tl::range cannot be left by `break` or `return`";
  d.hint =
      "compute the trip count before the loop, or carry a flag and guard the body with tl::if_; tl::while_ with a "
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
      if (Cell* cell = carrying.assigned()) {
        const std::string name = s.name_of(*cell);
        s.fail(s.range(cell->now.at), "the condition of tl::while_ assigns " + (name.empty() ? "a variable" : "`" + name + "`"),
               "a condition only compares; change the variable in the body");
      }
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
    detail::replace_uses(test, carrying.unchanged());
    detail::replace_uses(loop, carrying.unchanged());
    Op& op = s.b().create(OpCode::While, carrying.initial(), carrying.types());
    op.regions.push_back(std::move(test));
    op.regions.push_back(std::move(loop));
    const Leaves results = op.results;
    operation.finish({});
    carrying.leave(results);
  });
}

}  // namespace tilescope::dsl
