// tl::if_: how variables that the branches assign are joined.
#include <algorithm>

#include "core/dsl/carrying.h"
#include "core/lower/mismatch.h"

namespace tilescope::dsl {

using detail::Cell;
using detail::Content;
using detail::guarded;
using detail::Leaves;
using detail::Operation;
using detail::Session;

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
    const Leaves la = detail::leaves_of(x), lb = detail::leaves_of(y);
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
  for (const auto& named : order) {
    const uint64_t id = named.second;
    Cell& cell = *s.find_cell(id);
    const auto of = [&](const Changes& changes) {
      const auto it = changes.find(id);
      Content c = it != changes.end() ? it->second : cell.now;
      // What a loop that has ended left in it is no value here.
      if (it == changes.end() && !s.is_open(c.region)) c.assigned = false;
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
    content.value = detail::with_leaves(j.form, leaves);
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
