#include "core/dsl/carrying.h"

#include <algorithm>

#include "core/lower/mismatch.h"

namespace tilescope::dsl::detail {

void replace_uses(Block& block, const Replacements& with) {
  if (with.empty()) return;
  walk(block, [&](Op& op) {
    for (ValueId& v : op.operands)
      if (auto it = with.find(v); it != with.end()) v = it->second;
  });
}

Carrying::Carrying(Session& s, Site at) : s_(s), at_(at) {
  for (auto& [id, cell] : s.cells()) {
    if (!cell->now.assigned || !s.is_open(cell->now.region)) continue;
    s.settle(*cell);
    candidates_.push_back({id, cell->now, leaves_of(cell->now.value), {}});
  }
  s.watches().push_back({s_.next_cell(), {}});
}

void Carrying::enter() {
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

Cell* Carrying::assigned() const {
  for (uint64_t id : s_.watches().back().assigned)
    if (std::any_of(candidates_.begin(), candidates_.end(), [&](const Candidate& c) { return c.cell == id; }))
      if (Cell* cell = s_.find_cell(id)) return cell;
  return nullptr;
}

void Carrying::take_finals() {
  const std::vector<uint64_t> order = s_.watches().back().assigned;
  for (uint64_t id : order) {
    Cell* cell = s_.find_cell(id);
    const auto c =
        std::find_if(candidates_.begin(), candidates_.end(), [&](const Candidate& x) { return x.cell == id; });
    if (cell == nullptr || c == candidates_.end()) continue;
    s_.usable_content(*cell, at_);
    check(*c, *cell);
    const Leaves finals = leaves_of(cell->now.value);
    for (size_t i = 0; i < finals.size(); ++i) {
      if (finals[i] == c->args.back()[i]) continue;
      carried_.push_back({&*c, i, finals[i]});
    }
  }
}

Leaves Carrying::initial() const {
  Leaves out;
  for (const Leaf& l : carried_) out.push_back(l.of->init[l.index]);
  return out;
}

std::vector<Type> Carrying::types() const {
  std::vector<Type> out;
  for (ValueId v : initial()) out.push_back(s_.type(v));
  return out;
}

Leaves Carrying::arguments(size_t region) const {
  Leaves out;
  for (const Leaf& l : carried_) out.push_back(l.of->args[region][l.index]);
  return out;
}

Leaves Carrying::finals() const {
  Leaves out;
  for (const Leaf& l : carried_) out.push_back(l.final);
  return out;
}

Replacements Carrying::unchanged() const {
  Replacements out;
  for (const Candidate& c : candidates_)
    for (const Leaves& args : c.args)
      for (size_t i = 0; i < args.size(); ++i)
        if (!is_carried(c, i)) out[args[i]] = c.init[i];
  return out;
}

void Carrying::leave(const Leaves& results) {
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

void Carrying::abandon() {
  if (left_) return;
  left_ = true;
  if (!s_.watches().empty()) s_.watches().pop_back();
  for (Candidate& c : candidates_)
    if (Cell* cell = s_.find_cell(c.cell)) cell->now = c.before;
}

bool Carrying::is_carried(const Candidate& c, size_t index) const {
  return std::any_of(carried_.begin(), carried_.end(), [&](const Leaf& l) { return l.of == &c && l.index == index; });
}

void Carrying::check(const Candidate& c, Cell& cell) {
  const lower::Value &before = c.before.value, &after = cell.now.value;
  if (before.is_const_number() && after.is_tensor()) {
    const std::string name = s_.name_of(cell);
    detail::throw_error(s_.range(cell.now.at),
                        "`" + name +
                            "` is a constant before the loop, since the argument equals 1 or is folded, and "
                            "becomes a run-time value in it",
                        "copy it before the loop: auto x = tl::named(\"x\", " + name + ")");
  }
  if (auto d = lower::carried_mismatch(s_.function(), s_.name_of(cell), before, after, s_.range(cell.site),
                                       s_.range(cell.now.at)))
    throw Error(std::move(*d));
}

}  // namespace tilescope::dsl::detail
