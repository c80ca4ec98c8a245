#include "core/view_order.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>

#include "core/layout.h"
#include "core/passes.h"
#include "core/view_layouts.h"

namespace tilescope {
namespace {

/// For each bit of the result's row-major index, from the lowest, the bit of the operand's index that it is.
using BitOrder = std::vector<int>;

int bits_of(int64_t extent) { return std::countr_zero(static_cast<uint64_t>(extent)); }

/// Register, lane and warp of the operand's element are those of the result's.
std::optional<BitOrder> bit_order(const AccessLayout& from, const AccessLayout& to) {
  BitOrder out(static_cast<size_t>(bits_of(from.shape.elements())), -1);
  size_t found = 0;
  for (auto part : {&AccessLayout::register_bits, &AccessLayout::lane_bits, &AccessLayout::warp_bits}) {
    const std::vector<int64_t>&a = from.*part, &b = to.*part;
    if (a.size() != b.size()) return {};
    for (size_t i = 0; i < a.size(); ++i) {
      if ((a[i] == 0) != (b[i] == 0)) return {};  // copies of an element would differ
      if (a[i] == 0) continue;
      out[static_cast<size_t>(bits_of(b[i]))] = bits_of(a[i]);
      ++found;
    }
  }
  if (found != out.size()) return {};
  return out;
}

bool is_row_major(const BitOrder& order) { return std::is_sorted(order.begin(), order.end()); }

/// A run of bits that stay neighbours: `bits` of them from bit `low` of the operand's index.
struct Run {
  int low, bits;
};

/// The result's index as runs, the most significant first.
std::vector<Run> runs_of(const BitOrder& order) {
  std::vector<Run> out;
  for (auto bit = order.rbegin(); bit != order.rend(); ++bit) {
    if (!out.empty() && out.back().low == *bit + 1) {
      --out.back().low;
      ++out.back().bits;
    } else {
      out.push_back({*bit, 1});
    }
  }
  return out;
}

class Emitter {
 public:
  Emitter(Function& f, const Op& view, std::vector<std::unique_ptr<Op>>& out) : f_(f), view_(view), out_(out) {}

  /// Elements of x in another order, under the view's shape; the last op gives `result`.
  void permute(ValueId x, const BitOrder& order, ValueId result) {
    const std::vector<Run> runs = runs_of(order);
    if (!is_row_major(order)) x = static_cast<int>(runs.size()) <= kMaxRank ? transpose_at_once(x, runs) : transpose_by_runs(x, runs);
    add(OpCode::Reshape, x, result);
  }

 private:
  ValueId transpose_at_once(ValueId x, const std::vector<Run>& runs) {
    std::vector<size_t> by_place(runs.size());
    std::iota(by_place.begin(), by_place.end(), size_t{0});
    std::sort(by_place.begin(), by_place.end(), [&](size_t a, size_t b) { return runs[a].low > runs[b].low; });
    Shape shape;
    shape.rank = static_cast<int>(runs.size());
    std::vector<int64_t> order(runs.size());
    for (size_t i = 0; i < by_place.size(); ++i) {
      shape.dims[i] = int64_t{1} << runs[by_place[i]].bits;
      order[by_place[i]] = static_cast<int64_t>(i);
    }
    return transposed(x, shape, std::move(order));
  }

  /// Brings one run after the other behind those that stand at the front already.
  ValueId transpose_by_runs(ValueId x, const std::vector<Run>& runs) {
    std::vector<int> left(static_cast<size_t>(bits_of(f_.type(x).elements())));
    std::iota(left.rbegin(), left.rend(), 0);  // the operand's bits, the most significant first
    int done = 0;
    for (const Run& run : runs) {
      const auto first = std::find(left.begin(), left.end(), run.low + run.bits - 1);
      const int before = static_cast<int>(first - left.begin()), after = static_cast<int>(left.size()) - before - run.bits;
      if (before > 0)
        x = transposed(x, Shape{int64_t{1} << done, int64_t{1} << before, int64_t{1} << run.bits, int64_t{1} << after}, {0, 2, 1, 3});
      left.erase(first, first + run.bits);
      done += run.bits;
    }
    return x;
  }

  ValueId transposed(ValueId x, const Shape& shape, std::vector<int64_t> order) {
    const Type from = f_.type(x).with_shape(shape);
    Shape to = shape;
    for (size_t i = 0; i < order.size(); ++i) to.dims[i] = shape.dims[static_cast<size_t>(order[i])];
    x = add(OpCode::Reshape, x, f_.new_value(from));
    return add(OpCode::Trans, x, f_.new_value(from.with_shape(to)), {{"order", std::move(order)}});
  }

  ValueId add(OpCode code, ValueId operand, ValueId result, std::vector<Attr> attrs = {}) {
    auto op = std::make_unique<Op>();
    op->code = code;
    op->operands = {operand};
    op->results = {result};
    op->attrs = std::move(attrs);
    op->loc = view_.loc;
    out_.push_back(std::move(op));
    return result;
  }

  Function& f_;
  const Op& view_;
  std::vector<std::unique_ptr<Op>>& out_;
};

/// Where registers, lanes and warps find the elements that a view takes, as row-major index: of a cat, the two operands
/// one after the other, and in each thread too.
AccessLayout source_layout(const Function& f, const Op& view, const BlockedOrder& order) {
  const Type& tile = f.type(view.operands[0]);
  AccessLayout out = blocked_layout(tile, f.num_warps, order.order, order.contiguous);
  if (view.code != OpCode::Cat) return out;
  out.register_bits.push_back(tile.elements());
  out.shape[0] *= 2;
  return out;
}

/// One order of a view and the uses that see it.
struct OrderedUses {
  BitOrder order;
  std::vector<ViewLayouts::Operand> operands;
};

std::optional<std::vector<OrderedUses>> orders_of(const Function& f, const ViewLayouts& layouts, const Op& view) {
  const std::optional<BlockedOrder> source = layouts.source(view);
  if (!source) return {};
  const auto uses = layouts.uses(view);
  if (!uses) return {};
  const AccessLayout from = source_layout(f, view, *source);
  std::vector<OrderedUses> out;
  for (const ViewLayouts::Uses& use : *uses) {
    const AccessLayout to = blocked_layout(f.type(view.results[0]), f.num_warps, use.layout.order, use.layout.contiguous);
    std::optional<BitOrder> order = bit_order(from, to);
    if (!order) return {};
    const auto same = std::find_if(out.begin(), out.end(), [&](const OrderedUses& o) { return o.order == *order; });
    if (same == out.end()) out.push_back({std::move(*order), use.operands});
    else same->operands.insert(same->operands.end(), use.operands.begin(), use.operands.end());
  }
  return out;
}

std::string index_text(const Shape& shape, int64_t element) {
  std::string out;
  for (int d = shape.rank - 1; d >= 0; --d) {
    out = std::to_string(element % shape[d]) + (out.empty() ? "" : ", ") + out;
    element /= shape[d];
  }
  return "[" + out + "]";
}

/// The first element that comes from elsewhere: "[0, 1] is [1, 0] of `x`'s elements".
std::string first_moved(const Function& f, const Op& view, const BitOrder& order) {
  int64_t element = 0, source = 0;
  for (size_t bit = 0; bit < order.size() && source == element; ++bit)  // a permutation of bits moves a power of two first
    element = int64_t{1} << bit, source = int64_t{1} << order[bit];
  const Type& operand = f.type(view.operands[0]);
  const bool second = source >= operand.elements();
  const std::string of = view.code == OpCode::Cat ? second ? " of the second operand" : " of the first operand" : " of its operand";
  return index_text(f.type(view.results[0]).shape, element) + " is " +
         index_text(operand.shape, second ? source - operand.elements() : source) + of;
}

Diagnostic note(const Function& f, const Op& view, const std::optional<std::vector<OrderedUses>>& orders) {
  Diagnostic d;
  d.severity = Diagnostic::Severity::Note;
  if (view.loc != nullptr) {
    d.range = view.loc->range;
    d.calls = view.loc->calls;
  }
  const std::string what = view.code == OpCode::Cat ? "this tl.cat" : "this view";
  const std::string warps = std::to_string(f.num_warps) + (f.num_warps == 1 ? " warp" : " warps");
  if (!orders)
    d.message = what + " may reorder the elements on a GPU, in a way that is not known here; they keep their row-major order";
  else if (std::all_of(orders->begin(), orders->end(), [](const OrderedUses& o) { return is_row_major(o.order); }))
    d.message = what + " may reorder the elements; with " + warps + " Triton keeps them in row-major order here";
  else {
    const auto moved = std::find_if(orders->begin(), orders->end(), [](const OrderedUses& o) { return !is_row_major(o.order); });
    d.message = what + " reorders the elements: with " + warps + " " + first_moved(f, view, moved->order) +
                ", as Triton 3.6 leaves them in a GPU's threads";
  }
  d.hint = view.code == OpCode::Cat
               ? "the order changes with num_warps; where it matters: tl.join(a, b).permute(1, 0).reshape(N), with N elements in all"
               : "the order changes with the shapes and num_warps; tl.reshape always keeps row-major order";
  return d;
}

/// A reshape of a reshape is one, which may reorder when either may.
void join_chains(Function& f) {
  std::unordered_map<ValueId, const Op*> reshapes;
  walk(f.body, [&](Op& op) {
    if (op.code != OpCode::Reshape) return;
    const auto inner = reshapes.find(op.operands[0]);
    if (inner != reshapes.end() && (may_reorder(op) || may_reorder(*inner->second))) {
      op.operands[0] = inner->second->operands[0];
      op.set_attr("may_reorder", int64_t{1});
    }
    reshapes.emplace(op.results[0], &op);
  });
}

/// Gives every view a number, which its copies in a simplified function keep.
void number_views(Function& f) {
  int64_t n = 0;
  walk(f.body, [&](Op& op) {
    if (may_reorder(op)) op.set_attr("may_reorder", ++n);
  });
}

using Orders = std::optional<std::vector<OrderedUses>>;

/// What is decided on simplified code, as Triton does it, by the number of the view; none for a view that nothing needs.
std::unordered_map<int64_t, Orders> simplified_orders(const Function& f) {
  Function simple = clone(f);
  run_passes(simple, {"canonicalise", "cse", "dce"});
  const ViewLayouts layouts(simple);
  std::unordered_map<int64_t, Orders> out;
  walk(simple.body, [&](Op& op) {
    if (may_reorder(op)) out.emplace(op.int_attr("may_reorder"), orders_of(simple, layouts, op));
  });
  return out;
}

/// Finds the views, decides on all of them, then rewrites: the layouts refer to the function as it was.
class Orderer {
 public:
  explicit Orderer(Function& f) : f_(f), layouts_(f) {}

  std::vector<Diagnostic> run() {
    const std::unordered_map<int64_t, Orders> decided = simplified_orders(f_);
    walk(f_.body, [&](Op& op) {
      if (!may_reorder(op)) return;
      const auto found = decided.find(op.int_attr("may_reorder"));
      Orders own = found == decided.end() ? Orders(std::vector<OrderedUses>()) : found->second;
      // Which use sees which of several orders is known of this function's own uses only.
      if (own && own->size() == 1) own->front().operands.clear();
      else if (own && own->size() > 1) own = orders_of(f_, layouts_, op);
      const Orders& orders = views_.emplace(&op, std::move(own)).first->second;
      if (!orders || !orders->empty()) notes_.push_back(note(f_, op, orders));
    });
    rewrite(f_.body);
    return std::move(notes_);
  }

 private:
  void rewrite(Block& b) {
    std::vector<std::unique_ptr<Op>> out;
    for (auto& op : b.ops) {
      for (Block& region : op->regions) rewrite(region);
      const auto view = views_.find(op.get());
      if (view == views_.end()) {
        out.push_back(std::move(op));
        continue;
      }
      replace(std::move(op), view->second, out);
    }
    b.ops = std::move(out);
  }

  void replace(std::unique_ptr<Op> op, const Orders& orders, std::vector<std::unique_ptr<Op>>& out) {
    const ValueId result = op->results[0];
    const ValueInfo info = f_.values[result];
    const Op view{op->code, op->operands, op->results, {}, {}, op->loc};
    ValueId x = view.operands[0];
    if (view.code == OpCode::Cat) {
      x = f_.new_value(info.type);
      op->attrs.clear();
      op->results = {x};
      out.push_back(std::move(op));
    }
    Emitter emit(f_, view, out);
    if (!orders || orders->empty()) {
      BitOrder row_major(static_cast<size_t>(bits_of(info.type.elements())));
      std::iota(row_major.begin(), row_major.end(), 0);
      return emit.permute(x, row_major, result);
    }
    for (size_t i = 0; i < orders->size(); ++i) {
      const OrderedUses& uses = (*orders)[i];
      const ValueId ordered = i == 0 ? result : f_.new_value(info.type);
      emit.permute(x, uses.order, ordered);
      for (const ViewLayouts::Operand& use : uses.operands)  // those of an equal view see that one
        if (use.user->operands[use.index] == result) use.user->operands[use.index] = ordered;
    }
  }

  Function& f_;
  ViewLayouts layouts_;
  std::unordered_map<const Op*, Orders> views_;
  std::vector<Diagnostic> notes_;
};

}  // namespace

bool has_views(const Function& f) {
  bool found = false;
  walk(f.body, [&](const Op& op) { found = found || may_reorder(op); });
  return found;
}

std::vector<Diagnostic> order_views(Function& f) {
  join_chains(f);
  number_views(f);
  return Orderer(f).run();
}

}  // namespace tilescope
