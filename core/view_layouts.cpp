#include "core/view_layouts.h"

#include <algorithm>
#include <numeric>

#include "core/layout.h"
#include "core/provenance.h"

namespace tilescope {
namespace {

/// A store or an atomic that takes the operand as the value to write.
bool writes(const ViewLayouts::Operand& use) {
  const OpCode code = use.user->code;
  return (code == OpCode::Store || code == OpCode::AtomicRmw) && use.index == 1;
}

bool is_arithmetic(const Op& op) { return op.info().group == OpGroup::Elementwise || op.code == OpCode::Scan; }

BlockedOrder default_order(const Type& tile) {
  BlockedOrder out;
  out.order.resize(static_cast<size_t>(tile.shape.rank));
  std::iota(out.order.rbegin(), out.order.rend(), 0);
  return out;
}

}  // namespace

bool may_reorder(const Op& op) { return op.int_attr("may_reorder") != 0; }

ViewLayouts::ViewLayouts(Function& f)
    : f_(f), axes_(f), defs_(f.values.size(), nullptr), live_(f.values.size()), users_(f.values.size()), joined_(f.values.size()) {
  std::iota(joined_.begin(), joined_.end(), 0);
  mark_live(f.body);
  index(f.body);
}

void ViewLayouts::index(Block& b) {
  for (auto& op : b.ops) {
    position_.emplace(op.get(), static_cast<int>(position_.size()));
    for (ValueId v : op->results) defs_[v] = op.get();
    if (is_live(*op))
      for (size_t i = 0; i < op->operands.size(); ++i) users_[op->operands[i]].push_back({op.get(), i});
    if (may_reorder(*op)) views_[{op->code, op->operands}].push_back(op.get());
    if (is_memory(op->code)) accesses_.push_back(op.get());
    join(*op);
    for (Block& region : op->regions) index(region);
  }
}

/// Backwards: what is computed after its use, in a loop, is carried by an op with regions, which counts as live.
void ViewLayouts::mark_live(const Block& b) {
  for (auto op = b.ops.rbegin(); op != b.ops.rend(); ++op) {
    for (auto region = (*op)->regions.rbegin(); region != (*op)->regions.rend(); ++region) mark_live(*region);
    if (!is_live(**op)) continue;
    for (ValueId v : (*op)->operands) live_[v] = true;
  }
}

bool ViewLayouts::is_live(const Op& op) const {
  const OpGroup g = op.info().group;
  const bool is_pure = op.code == OpCode::Load || g == OpGroup::Elementwise || g == OpGroup::Shape || g == OpGroup::Collective || g == OpGroup::Program;
  return !is_pure || std::any_of(op.results.begin(), op.results.end(), [&](ValueId v) { return live_[v]; });
}

const Op& ViewLayouts::first_equal(const Op& view) const {
  for (const Op* other : views_.at({view.code, view.operands}))
    if (f_.type(other->results[0]) == f_.type(view.results[0])) return *other;
  return view;
}

/// Of all views that are equal to this one.
const std::vector<ViewLayouts::Operand>& ViewLayouts::live_users(const Op& view) const {
  const Op& first = first_equal(view);
  if (const auto known = shared_users_.find(&first); known != shared_users_.end()) return known->second;
  std::vector<Operand> out;
  for (const Op* other : views_.at({view.code, view.operands})) {
    if (f_.type(other->results[0]) != f_.type(view.results[0])) continue;
    const std::vector<Operand>& more = users_[other->results[0]];
    out.insert(out.end(), more.begin(), more.end());
  }
  return shared_users_.emplace(&first, std::move(out)).first->second;
}

/// Parameters do not join what is made of them: Triton looks from op to op.
void ViewLayouts::join(const Op& op) {
  int first = -1;
  const auto add = [&](ValueId v) {
    if (v < f_.params.size()) return;
    if (first < 0) first = group(static_cast<int>(v));
    else joined_[static_cast<size_t>(group(static_cast<int>(v)))] = first = group(first);
  };
  for (ValueId v : op.operands) add(v);
  for (ValueId v : op.results) add(v);
  for (const Block& region : op.regions)
    for (ValueId v : region.args) add(v);
}

int ViewLayouts::group(int value) const {
  while (joined_[static_cast<size_t>(value)] != value) {
    int& next = joined_[static_cast<size_t>(value)];
    value = next = joined_[static_cast<size_t>(next)];
  }
  return value;
}

const Op* ViewLayouts::def(ValueId v) const { return defs_[v]; }

bool ViewLayouts::is_small(ValueId tile) const { return f_.type(tile).elements() < int64_t{f_.num_warps} * kLanesPerWarp; }

const BlockedOrder& ViewLayouts::own_access(const Op& memory_op) const {
  if (const auto known = own_access_.find(&memory_op); known != own_access_.end()) return known->second;
  AccessLayout l = choose_access_layout(f_, memory_op, f_.num_warps, axes_);
  return own_access_.emplace(&memory_op, BlockedOrder{std::move(l.order), l.contiguous}).first->second;
}

const BlockedOrder& ViewLayouts::access(const Op& memory_op) const {
  if (const auto known = access_.find(&memory_op); known != access_.end()) return known->second;
  BlockedOrder out = own_access(memory_op);
  const ValueId pointers = memory_op.operands[0];
  const int joined = group(static_cast<int>(pointers));
  for (const Op* other : accesses_) {
    if (memory_op.code != OpCode::Load) break;
    const ValueId theirs = other->operands[0];
    if (f_.type(theirs).shape != f_.type(pointers).shape || group(static_cast<int>(theirs)) != joined) continue;
    const BlockedOrder& o = own_access(*other);
    if (o.order == out.order) out.contiguous = std::max(out.contiguous, o.contiguous);
  }
  return access_.emplace(&memory_op, std::move(out)).first->second;
}

ViewLayouts::Anchor ViewLayouts::anchor(ValueId v) const {
  if (f_.type(v).is_scalar()) return {};
  if (const auto known = anchors_.find(v); known != anchors_.end()) return known->second;
  const Op* op = def(v);
  Anchor out = op == nullptr ? Anchor{false, -1, {}} : find_anchor(*op);
  anchors_.emplace(v, out);
  return out;
}

ViewLayouts::Anchor ViewLayouts::find_anchor(const Op& op) const {
  const auto here = [&](BlockedOrder layout) { return Anchor{true, position_.at(&op), std::move(layout)}; };
  if (is_arithmetic(op)) return latest_operand(op);
  switch (op.code) {
    case OpCode::Load: return is_small(op.results[0]) ? Anchor{} : here(access(op));
    case OpCode::AtomicRmw:
    case OpCode::AtomicCas: return here(access(op));
    case OpCode::Constant:
    case OpCode::MakeRange:
    case OpCode::Splat:
    case OpCode::Cat: return {};
    case OpCode::Broadcast: return anchor(op.operands[0]);
    case OpCode::ExpandDims: return sliced_anchor(op.operands[0], op.int_attr("axis"));
    case OpCode::Reshape:
      if (may_reorder(op)) return here(default_order(f_.type(op.results[0])));
      break;
    default: break;
  }
  return {false, -1, {}};
}

ViewLayouts::Anchor ViewLayouts::latest_operand(const Op& op) const {
  Anchor out;
  for (ValueId v : op.operands) {
    Anchor a = anchor(v);
    if (!a.known) return a;
    if (a.position > out.position) out = std::move(a);
  }
  return out;
}

/// The layout of an arithmetic op: that of the latest anchor, or the default one.
ViewLayouts::Anchor ViewLayouts::natural(const Op& op) const {
  Anchor out = latest_operand(op);
  if (out.known && out.position < 0) out.layout = default_order(f_.type(op.results[0]));
  return out;
}

/// Of a value that gets back the axis which a reduction took away: the layout of what was reduced. A load without that
/// axis has a layout that does not fit, and says nothing.
ViewLayouts::Anchor ViewLayouts::sliced_anchor(ValueId v, int64_t axis) const {
  if (f_.type(v).is_scalar()) return {};
  const Op* op = def(v);
  const Anchor not_known{false, -1, {}};
  if (op == nullptr) return not_known;
  switch (op->code) {
    case OpCode::Reduce: return op->int_attr("axis") == axis ? anchor(op->operands[0]) : not_known;
    case OpCode::Load:
    case OpCode::Constant:
    case OpCode::MakeRange:
    case OpCode::Splat: return {};
    case OpCode::Broadcast:
    case OpCode::ExpandDims: {
      Anchor a = anchor(v);
      return a.known && a.position < 0 ? a : not_known;
    }
    default: break;
  }
  if (op->info().group != OpGroup::Elementwise) return not_known;
  Anchor out;
  for (ValueId operand : op->operands) {
    Anchor a = sliced_anchor(operand, axis);
    if (!a.known) return a;
    if (a.position > out.position) out = std::move(a);
  }
  return out;
}

std::optional<BlockedOrder> ViewLayouts::source(const Op& view) const {
  const ValueId v = view.operands[0];
  const Op* op = def(v);
  if (view.code == OpCode::Cat) return default_order(f_.type(v));
  if (op == nullptr || op->code == OpCode::Broadcast) return {};
  if (op->code == OpCode::Load) return access(*op);
  const Anchor a = anchor(v);
  if (!a.known) return {};
  return a.position < 0 ? default_order(f_.type(v)) : a.layout;
}

/// The same tile with `axis` the slowest. As Triton reads the order of a layout: the axes along which a thread's
/// registers run come first, the others follow in the default order.
BlockedOrder ViewLayouts::with_slowest(const Type& tile, const BlockedOrder& from, int64_t axis) const {
  const AccessLayout l = blocked_layout(tile, f_.num_warps, from.order, from.contiguous);
  BlockedOrder out;
  const auto add = [&](int d) {
    if (d != axis && std::find(out.order.begin(), out.order.end(), d) == out.order.end()) out.order.push_back(d);
  };
  for (int64_t bit : l.register_bits) {
    int64_t at[kMaxRank] = {};
    l.coordinates(bit, at);
    for (int d = 0; d < tile.shape.rank; ++d)
      if (at[d] != 0) add(d);
  }
  for (int d = tile.shape.rank - 1; d >= 0; --d) add(d);
  out.order.push_back(static_cast<int>(axis));
  return out;
}

std::optional<std::vector<ViewLayouts::Uses>> ViewLayouts::uses(const Op& view) const {
  const Op& first = first_equal(view);
  const auto known = uses_.find(&first);
  return known != uses_.end() ? known->second : uses_.emplace(&first, find_uses(first)).first->second;
}

std::optional<std::vector<ViewLayouts::Uses>> ViewLayouts::find_uses(const Op& view) const {
  const Type& tile = f_.type(view.results[0]);
  const BlockedOrder plain = default_order(tile);
  Uses shared{plain, {}};
  if (view.code == OpCode::Cat && is_small(view.operands[0])) {
    shared.layout.contiguous = 2;
    shared.operands = live_users(view);
    return std::vector<Uses>{std::move(shared)};
  }
  std::vector<Uses> own;
  std::optional<int64_t> axis;
  bool one_axis = true;
  for (const Operand& use : live_users(view)) {
    BlockedOrder wanted = plain;
    if (use.user->code == OpCode::Reduce) {
      one_axis = one_axis && axis.value_or(use.user->int_attr("axis")) == use.user->int_attr("axis");
      axis = use.user->int_attr("axis");
    } else if (writes(use)) {
      wanted = access(*use.user);
    } else if (is_arithmetic(*use.user)) {
      std::optional<BlockedOrder> found = wanted_by_arithmetic(view, *use.user);
      if (!found) return {};
      wanted = std::move(*found);
    } else {
      return {};
    }
    if (wanted == plain) {
      shared.operands.push_back(use);
      continue;
    }
    auto at = std::find_if(own.begin(), own.end(), [&](const Uses& u) { return u.layout == wanted; });
    if (at == own.end()) at = own.insert(own.end(), Uses{std::move(wanted), {}});
    at->operands.push_back(use);
  }
  if (axis && one_axis && threads_along(tile.shape, plain.order, plain.contiguous, f_.num_warps, static_cast<int>(*axis)) > 1)
    shared.layout = with_slowest(tile, plain, *axis);
  if (!shared.operands.empty()) own.insert(own.begin(), std::move(shared));
  return own;
}

/// The layout in which arithmetic on a view takes it. The chain behind the view keeps the view's own layout until it meets
/// a later anchor or is written; there the compiler converts, and does so in front of the chain where it can.
std::optional<BlockedOrder> ViewLayouts::wanted_by_arithmetic(const Op& view, const Op& first) const {
  const BlockedOrder plain = default_order(f_.type(view.results[0]));
  if (ends_in_reductions(first, plain)) return plain;
  std::vector<const Op*> chain;
  std::optional<BlockedOrder> met;  // the layout of the op behind the chain's first `before` ops
  size_t before = 0;
  const Op* op = &first;
  while (chain.size() < 64 && is_arithmetic(*op)) {
    const Anchor own = natural(*op);
    if (!own.known || op->results.size() != 1) return {};
    if (!met && own.layout != plain) {
      met = own.layout;
      before = chain.size();
    }
    chain.push_back(op);
    const std::vector<Operand>& users = users_[op->results[0]];
    if (users.size() != 1) break;  // what is made twice is weighed by cost
    op = users[0].user;
    if (!writes(users[0])) continue;
    const BlockedOrder store = access(*op);
    const std::optional<bool> follows = follows_end(chain, store);
    if (!follows) return {};
    if (*follows) return store;
    if (!met) return plain;
    break;
  }
  if (!met) return {};
  chain.resize(before);
  const std::optional<bool> follows = before == 0 ? true : follows_end(chain, *met);
  if (!follows) return {};
  return *follows ? *met : plain;
}

/// True when all that is made of an op is reduced, and nothing on the way wants a layout of its own.
bool ViewLayouts::ends_in_reductions(const Op& first, const BlockedOrder& plain) const {
  std::vector<const Op*> found = {&first};
  for (size_t i = 0; i < found.size(); ++i) {
    const Anchor own = natural(*found[i]);
    if (found.size() > 64 || !own.known || own.layout != plain) return false;
    for (ValueId v : found[i]->results)
      for (const Operand& use : users_[v]) {
        if (use.user->code == OpCode::Reduce) continue;
        if (!is_arithmetic(*use.user)) return false;
        if (std::find(found.begin(), found.end(), use.user) == found.end()) found.push_back(use.user);
      }
  }
  return true;
}

/// Whether the whole chain, and with it the view, is done in the layout of the op behind it.
std::optional<bool> ViewLayouts::follows_end(const std::vector<const Op*>& chain, const BlockedOrder& wanted) const {
  Making making;
  const std::optional<bool> follows = can_be_made(chain.back()->results[0], wanted, making);
  if (!follows || !*follows) return follows;
  const std::vector<const Op*>& casts = making.converts_before;
  return casts.empty() || (casts.size() == 1 && std::find(chain.begin(), chain.end(), casts[0]) == chain.end());
}

bool ViewLayouts::widens(const Op& op) const {
  return op.code == OpCode::Cast && dtype_bytes(f_.type(op.results[0]).elem) > dtype_bytes(f_.type(op.operands[0]).elem);
}

/// Whether the value can be made in that layout: nothing it needs would be loaded twice, but for what is converted in front
/// of a widening cast, where it is smaller. Nothing: it needs a reduction, which is made once more where that costs less
/// than to convert.
std::optional<bool> ViewLayouts::can_be_made(ValueId v, const BlockedOrder& layout, Making& making) const {
  if (f_.type(v).is_scalar()) return true;
  const Op* op = def(v);
  if (op == nullptr || --making.budget < 0) return false;
  const auto all = [&]() -> std::optional<bool> {
    bool sure = true;
    for (ValueId operand : op->operands) {
      const std::optional<bool> one = can_be_made(operand, layout, making);
      if (one.has_value() && !*one) return false;
      sure = sure && one.has_value();
    }
    return sure ? std::optional<bool>(true) : std::nullopt;
  };
  if (is_arithmetic(*op)) {
    const std::optional<bool> follows = all();
    if (!follows || *follows || !widens(*op)) return follows;
    making.converts_before.push_back(op);
    return true;
  }
  switch (op->code) {
    case OpCode::Constant:
    case OpCode::MakeRange:
    case OpCode::Splat: return true;
    case OpCode::ExpandDims:
    case OpCode::Broadcast: return all();
    case OpCode::Load: return is_small(v) || access(*op) == layout;
    case OpCode::Reduce: return {};
    case OpCode::Cat: return !is_small(op->operands[0]);
    default: return may_reorder(*op);
  }
}

}  // namespace tilescope
