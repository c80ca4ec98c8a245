// Values with run-time parts, taken apart into IR values and put together again.
#include <algorithm>
#include <unordered_set>

#include "core/lower/lowering.h"

namespace tilescope::lower {
namespace {

/// Calls `fn` on every leaf of the value, in the one fixed order.
template <class V, class Fn>
void each_leaf(V& v, Fn&& fn) {
  if (v.template is<TensorValue>()) {
    fn(v.template as<TensorValue>().id);
  } else if (v.template is<TupleValue>()) {
    for (auto& item : v.template as<TupleValue>().items) each_leaf(item, fn);
  } else if (v.template is<BlockPointerValue>()) {
    auto& p = v.template as<BlockPointerValue>();
    fn(p.base);
    for (auto& id : p.shape) fn(id);
    for (auto& id : p.strides) fn(id);
    for (auto& id : p.offsets) fn(id);
  } else if (v.template is<DescriptorValue>()) {
    auto& d = v.template as<DescriptorValue>();
    fn(d.base);
    for (auto& id : d.shape) fn(id);
    for (auto& id : d.strides) fn(id);
  }
}

}  // namespace

void append_leaves(const Value& v, std::vector<ValueId>& out) {
  each_leaf(v, [&](const ValueId& id) { out.push_back(id); });
}

Value with_leaves(const Value& v, const std::vector<ValueId>& leaves, size_t& at) {
  Value out = v;
  each_leaf(out, [&](ValueId& id) { id = leaves[at++]; });
  return out;
}

bool has_leaves(const Value& v) { return !is_compile_time(v); }

bool same_structure(const Value& a, const Value& b) {
  if (a.v.index() != b.v.index()) return false;
  if (a.is<TensorValue>()) return true;
  if (a.is<BlockPointerValue>()) {
    const auto &x = a.as<BlockPointerValue>(), &y = b.as<BlockPointerValue>();
    return x.block == y.block && x.order == y.order && x.shape.size() == y.shape.size() &&
           x.strides.size() == y.strides.size() && x.offsets.size() == y.offsets.size();
  }
  if (a.is<DescriptorValue>()) {
    const auto &x = a.as<DescriptorValue>(), &y = b.as<DescriptorValue>();
    return x.block == y.block && x.padding == y.padding && x.shape.size() == y.shape.size() &&
           x.strides.size() == y.strides.size();
  }
  if (a.is<TupleValue>()) {
    const auto &x = a.as<TupleValue>().items, &y = b.as<TupleValue>().items;
    return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin(), same_structure);
  }
  return python_str(a) == python_str(b);
}

namespace {

void collect_target(const Expr& e, std::vector<std::string>& out, std::unordered_set<std::string>& seen) {
  if (e.kind == Expr::Kind::Name && seen.insert(e.text).second) out.push_back(e.text);
  if (e.kind != Expr::Kind::Tuple && e.kind != Expr::Kind::List) return;
  for (const Expr* item : e.items) collect_target(*item, out, seen);
}

void collect_block(std::span<Stmt* const> stmts, std::vector<std::string>& out, std::unordered_set<std::string>& seen) {
  for (const Stmt* s : stmts) {
    for (const Expr* t : s->targets) collect_target(*t, out, seen);
    collect_block(s->body, out, seen);
    collect_block(s->orelse, out, seen);
  }
}

}  // namespace

std::vector<std::string> assigned_names(std::span<Stmt* const> stmts) {
  std::vector<std::string> out;
  std::unordered_set<std::string> seen;
  collect_block(stmts, out, seen);
  return out;
}

bool contains_return(std::span<Stmt* const> stmts) {
  return std::any_of(stmts.begin(), stmts.end(), [](const Stmt* s) {
    return s->kind == Stmt::Kind::Return || contains_return(s->body) || contains_return(s->orelse);
  });
}

}  // namespace tilescope::lower
