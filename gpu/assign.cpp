#include "gpu/assign.h"

#include <algorithm>

#include "core/dot_contract.h"

namespace tilescope::gpu {

int Assignment::intern(const TileLayout& l) {
  const auto at = std::find(layouts.begin(), layouts.end(), l);
  if (at != layouts.end()) return static_cast<int>(at - layouts.begin());
  layouts.push_back(l);
  return static_cast<int>(layouts.size()) - 1;
}

namespace {

class Assigner {
 public:
  Assigner(const Function& f, const AxisAnalysis& axes, bool wgmma) : f_(f), axes_(axes), has_wgmma_(wgmma) {}

  Assignment run() {
    // Carried values whose layout nobody dictates get one when the backward pass finds who wants them; homes may
    // follow.
    do {
      changed_ = false;
      a_.home.assign(f_.values.size(), kScalar);
      a_.wanted.assign(f_.values.size(), {});
      a_.operand_layout.clear();
      forward(f_.body);
      backward(f_.body);
    } while (changed_);
    return std::move(a_);
  }

 private:
  const Type& type(ValueId v) const { return f_.type(v); }
  bool is_tile(ValueId v) const { return type(v).is_tile(); }
  int home(ValueId v) const { return a_.home[v]; }
  const TileLayout& layout(int id) const { return a_.layouts[static_cast<size_t>(id)]; }
  int default_of(ValueId v) { return a_.intern(default_layout(type(v), f_.num_warps)); }

  // ---- homes, in program order
  // ----------------------------------------------------------------------------------------

  void forward(const Block& b) {
    for (const auto& op : b.ops) forward(*op);
  }

  void forward(const Op& op) {
    switch (op.info().group) {
      case OpGroup::Elementwise:
        return set_all(op, common_home(op.operands));
      case OpGroup::Shape:
        return forward_shape(op);
      case OpGroup::Collective:
        return forward_collective(op);
      case OpGroup::Memory:
        return forward_memory(op);
      case OpGroup::Control:
        return forward_control(op);
      case OpGroup::Debug:
        return read_in_one_layout(op);
      case OpGroup::Program:
        return;
    }
  }

  void set_all(const Op& op, int h) {
    for (ValueId r : op.results) a_.home[r] = is_tile(r) ? h : kScalar;
  }
  /// Uniform when all are, the first layout that an operand lives in, else flexible.
  int common_home(const std::vector<ValueId>& operands) const {
    bool uniform = true;
    for (ValueId v : operands) {
      if (home(v) >= 0) return home(v);
      uniform = uniform && home(v) != kFlexible;
    }
    return uniform ? kUniform : kFlexible;
  }

  void forward_shape(const Op& op) {
    const int from = op.operands.empty() ? kUniform : common_home(op.operands);
    if (op.code == OpCode::MakeRange) return set_all(op, kFlexible);
    if (op.code == OpCode::Gather)
      return set_all(op, home(op.operands[1]) >= 0 ? home(op.operands[1]) : default_of(op.results[0]));
    if (from == kUniform) {
      const bool one_value = op.operands.size() < 2 || (op.operands[0] == op.operands[1]);
      return set_all(op, one_value ? kUniform : kFlexible);
    }
    if (from == kFlexible) return set_all(op, kFlexible);
    const Shape& shape = type(op.operands[0]).shape;
    const TileLayout& l = layout(from);
    switch (op.code) {
      case OpCode::ExpandDims:
      case OpCode::Reshape:
        return set_all(op, is_tile(op.results[0]) ? from : kScalar);
      case OpCode::Broadcast:
        return set_all(op, kFlexible);
      case OpCode::Trans:
        return set_all(op, a_.intern(after_trans(l, shape, op.ints_attr("order"))));
      case OpCode::Join:
        return set_all(op, a_.intern(after_join(l)));
      case OpCode::Cat:
        return set_all(op, a_.intern(after_cat(l, type(op.operands[0]).elements())));
      case OpCode::Flip:
        return set_all(op, a_.intern(flipped(l, shape, static_cast<int>(op.int_attr("axis")))));
      case OpCode::Split: {
        const auto after = after_split(l);
        return set_all(op, after ? a_.intern(*after) : is_tile(op.results[0]) ? default_of(op.results[0]) : kScalar);
      }
      default:
        return set_all(op, from);
    }
  }

  int first_home_or_default(const std::vector<ValueId>& operands) {
    for (ValueId v : operands)
      if (home(v) >= 0) return home(v);
    return default_of(operands[0]);
  }

  void read_in_one_layout(const Op& op) {
    std::vector<ValueId> tiles;
    for (ValueId v : op.operands)
      if (is_tile(v)) tiles.push_back(v);
    if (!tiles.empty() && op.code == OpCode::Assert) a_.operand_layout[&op] = first_home_or_default(tiles);
  }

  void forward_collective(const Op& op) {
    switch (op.code) {
      case OpCode::Reduce: {
        const int from = a_.operand_layout[&op] = first_home_or_default(op.operands);
        const int axis = static_cast<int>(op.int_attr("axis"));
        return set_all(op, a_.intern(without_axis(layout(from), type(op.operands[0]).shape, axis).layout));
      }
      case OpCode::Scan:
        return set_all(op, a_.operand_layout[&op] = first_home_or_default(op.operands));
      case OpCode::Dot:
        if (goes_to_wgmma(op)) {
          a_.wgmma.insert(&op);
          return set_all(op, a_.intern(wgmma_layout(type(op.results[0]).shape, f_.num_warps)));
        }
        return set_all(op, a_.intern(mma_layout(type(op.results[0]).shape, f_.num_warps)));
      default:
        a_.operand_layout[&op] = first_home_or_default(op.operands);
        return set_all(op, default_of(op.results[0]));
    }
  }

  bool goes_to_wgmma(const Op& op) const {
    const auto contract = parse_dot_contract(op.str_attr("contract"));
    const Shape& shape = type(op.results[0]).shape;
    if (!has_wgmma_ || !contract || contract->unit != DotContract::Unit::TensorCore ||
        contract->output != DotContract::Output::TruncateF32 || contract->k_group != 16 ||
        (contract->input != DotContract::Input::F16 && contract->input != DotContract::Input::BF16))
      return false;
    if (shape.rank != 2 || shape[0] % 64 != 0 || f_.num_warps % 4 != 0) return false;
    const int64_t k = type(op.operands[0]).shape[1], columns = shape[1] / wgmma_groups(shape, f_.num_warps).second;
    constexpr int64_t kMostSums = 128;  // of one thread: more leave no registers for addresses
    return (k == 16 || k == 32 || k == 64) && columns >= 64 && shape.elements() / (32 * f_.num_warps) <= kMostSums;
  }

  void forward_memory(const Op& op) {
    if (!is_tile(op.operands[0])) return set_all(op, kScalar);
    auto at = a_.access.find(&op);
    if (at == a_.access.end()) at = a_.access.emplace(&op, choose_access_layout(f_, op, f_.num_warps, axes_)).first;
    set_all(op, a_.intern(from_access(at->second)));
  }

  // Values carried around a loop or out of a branch live in one layout each.
  void set_carried(const std::vector<ValueId>& values, size_t i, int h) {
    if (i < values.size()) a_.home[values[i]] = is_tile(values[i]) ? h : kScalar;
  }
  int forced(ValueId v) const {
    const auto at = forced_.find(v);
    return at == forced_.end() ? kFlexible : at->second;
  }

  void forward_control(const Op& op) {
    if (op.code == OpCode::For) forward_for(op);
    if (op.code == OpCode::If) forward_if(op);
    if (op.code == OpCode::While) forward_while(op);
  }

  void forward_for(const Op& op) {
    const Block& body = op.regions[0];
    std::vector<int> carried(op.results.size());
    for (size_t i = 0; i < carried.size(); ++i) carried[i] = forced(op.results[i]);
    for (bool again = true; again;) {
      again = false;
      for (size_t i = 0; i < carried.size(); ++i) set_carried(body.args, i + 1, carried[i]);
      forward(body);
      for (size_t i = 0; i < carried.size(); ++i) {
        if (carried[i] != kFlexible || !is_tile(op.results[i])) continue;
        const int yielded = home(body.ops.back()->operands[i]), initial = home(op.operands[i + 3]);
        if (yielded < 0 && initial < 0) continue;
        carried[i] = yielded >= 0 ? yielded : initial;
        again = true;
      }
    }
    for (size_t i = 0; i < carried.size(); ++i) set_carried(op.results, i, carried[i]);
  }

  void forward_if(const Op& op) {
    for (const Block& r : op.regions) forward(r);
    for (size_t i = 0; i < op.results.size(); ++i) {
      int h = forced(op.results[i]);
      for (const Block& r : op.regions)
        if (const int y = home(r.ops.back()->operands[i]); h == kFlexible && y >= 0) h = y;
      set_carried(op.results, i, h);
    }
  }

  void forward_while(const Op& op) {
    const Block &test = op.regions[0], &body = op.regions[1];
    std::vector<int> in(op.operands.size()), out(op.results.size());
    for (size_t i = 0; i < in.size(); ++i) in[i] = forced(test.args[i]);
    for (size_t i = 0; i < out.size(); ++i) out[i] = forced(op.results[i]);
    for (bool again = true; again;) {
      again = false;
      for (size_t i = 0; i < in.size(); ++i) set_carried(test.args, i, in[i]);
      forward(test);
      const std::vector<ValueId>& passed = test.ops.back()->operands;
      for (size_t i = 0; i < out.size(); ++i) {
        if (out[i] == kFlexible && home(passed[i + 1]) >= 0) out[i] = home(passed[i + 1]);
        set_carried(body.args, i, out[i]);
      }
      forward(body);
      for (size_t i = 0; i < in.size(); ++i) {
        if (in[i] != kFlexible || !is_tile(test.args[i])) continue;
        const int yielded = home(body.ops.back()->operands[i]), initial = home(op.operands[i]);
        if (yielded < 0 && initial < 0) continue;
        in[i] = yielded >= 0 ? yielded : initial;
        again = true;
      }
    }
    for (size_t i = 0; i < out.size(); ++i) set_carried(op.results, i, out[i]);
  }

  // ---- wants, against program order
  // -------------------------------------------------------------------------------------

  void want(ValueId v, int l) {
    if (home(v) == kScalar || home(v) == kUniform) return;
    std::vector<int>& w = a_.wanted[v];
    if (std::find(w.begin(), w.end(), l) == w.end()) w.push_back(l);
  }
  void want_home(ValueId v) {
    if (home(v) >= 0)
      want(v, home(v));
    else if (home(v) == kFlexible && a_.wanted[v].empty())
      want(v, default_of(v));
  }
  bool any_wanted(const Op& op) const {
    return std::any_of(op.results.begin(), op.results.end(), [&](ValueId r) { return a_.is_wanted(r); });
  }

  void backward(const Block& b) {
    for (auto op = b.ops.rbegin(); op != b.ops.rend(); ++op) backward(**op);
  }

  void backward(const Op& op) {
    // A homed value is computed in its home whenever it is wanted at all.
    for (ValueId r : op.results)
      if (home(r) >= 0 && a_.is_wanted(r)) want(r, home(r));
    switch (op.info().group) {
      case OpGroup::Elementwise:
        return backward_elementwise(op);
      case OpGroup::Shape:
        return backward_shape(op);
      case OpGroup::Collective:
        return backward_collective(op);
      case OpGroup::Memory:
        return backward_memory(op);
      case OpGroup::Control:
        return backward_control(op);
      case OpGroup::Debug:
        if (const auto at = a_.operand_layout.find(&op); at != a_.operand_layout.end())
          for (ValueId v : op.operands) want(v, at->second);
        return;
      case OpGroup::Program:
        return;
    }
  }

  /// Layouts in which the op itself is computed: its home, or whatever is wanted of its results.
  std::vector<int> computed(const Op& op) const {
    std::vector<int> out;
    for (ValueId r : op.results) {
      if (!a_.is_wanted(r)) continue;
      if (home(r) >= 0) return {home(r)};
      for (int l : a_.wanted[r])
        if (std::find(out.begin(), out.end(), l) == out.end()) out.push_back(l);
    }
    return out;
  }

  void backward_elementwise(const Op& op) {
    for (int l : computed(op)) {
      for (ValueId r : op.results)
        if (op.results.size() > 1) want(r, l);
      for (ValueId v : op.operands) want(v, l);
    }
  }

  void backward_shape(const Op& op) {
    for (int id : computed(op)) {
      const TileLayout l = layout(id);
      const Shape& to = type(op.results[0]).shape;
      switch (op.code) {
        case OpCode::ExpandDims:
        case OpCode::Reshape:
          want(op.operands[0], id);
          break;
        case OpCode::Broadcast:
          want(op.operands[0], a_.intern(before_broadcast(l, type(op.operands[0]).shape, to).layout));
          break;
        case OpCode::Trans:
          want(op.operands[0], a_.intern(before_trans(l, to, op.ints_attr("order")).layout));
          break;
        case OpCode::Flip:
          want(op.operands[0], a_.intern(flipped(l, to, static_cast<int>(op.int_attr("axis")))));
          break;
        case OpCode::Join:
          for (ValueId v : op.operands) want(v, a_.intern(before_join(l).layout));
          break;
        case OpCode::Cat:
          for (ValueId v : op.operands) want(v, a_.intern(before_cat(l, type(v).elements()).layout));
          break;
        case OpCode::Split:
          for (ValueId r : op.results) want(r, id);
          want(op.operands[0], a_.intern(before_split(l)));
          break;
        case OpCode::Gather:
          want_home(op.operands[0]);
          want(op.operands[1], id);
          break;
        default:
          break;
      }
    }
    if (op.results.empty() || is_tile(op.results[0])) return;
    // Scalars made of a tile of one or two elements: every thread holds them all.
    if (op.operands.empty() || !is_tile(op.operands[0])) return;
    if (op.code == OpCode::Split)
      want(op.operands[0], a_.intern(pair_everywhere(f_.num_warps)));
    else
      want_home(op.operands[0]);
  }

  void backward_collective(const Op& op) {
    const bool scalar = !is_tile(op.results[0]);
    if (!scalar && !any_wanted(op)) return;
    for (ValueId r : op.results)
      if (home(r) >= 0) want(r, home(r));
    switch (op.code) {
      case OpCode::Dot:
        want_home(op.operands[0]);
        want_home(op.operands[1]);
        return want(op.operands[2], home(op.results[0]));
      case OpCode::Sort:
      case OpCode::TopK:
        return want_home(op.operands[0]);
      default:
        for (ValueId v : op.operands) want(v, a_.operand_layout[&op]);
    }
  }

  void backward_memory(const Op& op) {
    if (!is_tile(op.operands[0])) return;
    const int l = a_.intern(from_access(a_.access.at(&op)));
    if (op.code == OpCode::Load && !any_wanted(op)) return;
    for (ValueId r : op.results)
      if (a_.is_wanted(r)) want(r, l);
    for (ValueId v : op.operands) want(v, l);
  }

  void backward_control(const Op& op) {
    if (op.code == OpCode::For) backward_for(op);
    if (op.code == OpCode::If) backward_if(op);
    if (op.code == OpCode::While) backward_while(op);
  }

  /// Decides the layout of a carried value that nothing dictates: the first that somebody wants.
  int decide(const std::vector<ValueId>& places) {
    int l = kFlexible;
    for (ValueId v : places)
      if (l == kFlexible && !a_.wanted[v].empty()) l = a_.wanted[v][0];
    if (l == kFlexible) l = default_of(places[0]);
    for (ValueId v : places) {
      forced_[v] = l;
      a_.home[v] = l;
    }
    changed_ = true;
    return l;
  }
  bool undecided(ValueId v) const { return is_tile(v) && home(v) == kFlexible; }

  void backward_for(const Op& op) {
    const Block& body = op.regions[0];
    const std::vector<ValueId>& yields = body.ops.back()->operands;
    bool pending = false;
    for (size_t i = 0; i < op.results.size(); ++i) {
      pending = pending || undecided(op.results[i]);
      if (is_tile(op.results[i]) && !undecided(op.results[i])) want(yields[i], home(op.results[i]));
    }
    if (pending) backward(body);  // who wants the carried values inside
    for (size_t i = 0; i < op.results.size(); ++i) {
      if (!is_tile(op.results[i])) continue;
      if (undecided(op.results[i])) decide({body.args[i + 1], op.results[i]});
      const int l = home(op.results[i]);
      for (ValueId v : {op.results[i], body.args[i + 1], yields[i], op.operands[i + 3]}) want(v, l);
    }
    backward(body);
  }

  void backward_if(const Op& op) {
    for (size_t i = 0; i < op.results.size(); ++i) {
      if (!is_tile(op.results[i])) continue;
      if (undecided(op.results[i])) decide({op.results[i]});
      want(op.results[i], home(op.results[i]));
      for (const Block& r : op.regions) want(r.ops.back()->operands[i], home(op.results[i]));
    }
    for (const Block& r : op.regions) backward(r);
  }

  void backward_while(const Op& op) {
    const Block &test = op.regions[0], &body = op.regions[1];
    bool pending = false;
    for (ValueId v : op.results) pending = pending || undecided(v);
    for (ValueId v : test.args) pending = pending || undecided(v);
    for (size_t i = 0; i < op.operands.size(); ++i)
      if (is_tile(test.args[i]) && !undecided(test.args[i])) want(body.ops.back()->operands[i], home(test.args[i]));
    for (size_t i = 0; i < op.results.size(); ++i)
      if (is_tile(op.results[i]) && !undecided(op.results[i]))
        want(test.ops.back()->operands[i + 1], home(op.results[i]));
    if (pending) {
      backward(body);
      backward(test);
    }
    for (size_t i = 0; i < op.results.size(); ++i) {
      if (!is_tile(op.results[i])) continue;
      if (undecided(op.results[i])) decide({body.args[i], op.results[i]});
      for (ValueId v : {op.results[i], body.args[i], test.ops.back()->operands[i + 1]}) want(v, home(op.results[i]));
    }
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (!is_tile(test.args[i])) continue;
      if (undecided(test.args[i])) decide({test.args[i]});
      for (ValueId v : {test.args[i], body.ops.back()->operands[i], op.operands[i]}) want(v, home(test.args[i]));
    }
    backward(body);
    backward(test);
  }

  const Function& f_;
  const AxisAnalysis& axes_;
  const bool has_wgmma_;
  Assignment a_;
  std::map<ValueId, int> forced_;  ///< layouts of carried values, decided in an earlier round
  bool changed_ = false;
};

}  // namespace

Assignment assign_layouts(const Function& f, const AxisAnalysis& axes, bool wgmma) {
  return Assigner(f, axes, wgmma).run();
}

}  // namespace tilescope::gpu
