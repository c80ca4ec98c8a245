// The rules are those of Triton's AxisInfo analysis. Every number is a power of two, so a greatest common divisor is a
// minimum.
#include "core/affine.h"

#include <algorithm>

#include "core/fold.h"

namespace tilescope {
namespace {

constexpr int64_t kMaxDivisor = int64_t{1} << 40;
/// Each walk over the function lowers some fact of a loop's carried value; beyond this they are all given up.
constexpr int kMaxWalks = 24;

int64_t product(int64_t a, int64_t b) { return a >= kMaxDivisor / b ? kMaxDivisor : a * b; }

AxisInfo join(const AxisInfo& a, const AxisInfo& b) {
  AxisInfo r;
  for (int d = 0; d < kMaxRank; ++d)
    r.axes[d] = {std::min(a.axes[d].contiguity, b.axes[d].contiguity), std::min(a.axes[d].divisibility, b.axes[d].divisibility),
                 std::min(a.axes[d].constancy, b.axes[d].constancy)};
  if (a.constant == b.constant) r.constant = a.constant;
  r.non_negative = a.non_negative && b.non_negative;
  r.assumes_non_negative = a.assumes_non_negative || b.assumes_non_negative;
  return r;
}

/// A run x, x+1, ... is divisible as a whole by 1 only.
int64_t divisor_of_all(const AxisFacts& f) { return f.contiguity > 1 ? 1 : f.divisibility; }

class Walker {
 public:
  explicit Walker(const Function& f, std::vector<AxisInfo>& info) : f_(f), info_(info), known_(f.values.size(), 0) {}

  void run() {
    for (size_t i = 0; i < f_.params.size(); ++i) {
      AxisInfo p;
      p.axes[0].divisibility = f_.params[i].divisible_by;
      set(static_cast<ValueId>(i), p);
    }
    for (int walk = 0; walk < kMaxWalks; ++walk) {
      changed_ = false;
      block(f_.body);
      if (!changed_) return;
    }
    give_up_ = true;
    block(f_.body);
  }

 private:
  void set(ValueId v, const AxisInfo& i) {
    info_[v] = i;
    known_[v] = 1;
  }

  /// A value where several paths meet: facts only go down from walk to walk.
  void meet(ValueId v, std::initializer_list<ValueId> sources) {
    std::optional<AxisInfo> r;
    for (ValueId s : sources)
      if (known_[s]) r = r ? join(*r, info_[s]) : info_[s];
    if (!r || give_up_) r = AxisInfo{};
    if (known_[v] && !give_up_) r = join(*r, info_[v]);
    changed_ = changed_ || !known_[v] || !(info_[v] == *r);
    set(v, *r);
  }

  void block(const Block& b) {
    for (const auto& op : b.ops) visit(*op);
  }

  void visit(const Op& op) {
    switch (op.code) {
      case OpCode::For: return visit_for(op);
      case OpCode::While: return visit_while(op);
      case OpCode::If:
        for (const Block& r : op.regions) block(r);
        for (size_t i = 0; i < op.results.size(); ++i)
          meet(op.results[i], {op.regions[0].ops.back()->operands[i], op.regions[1].ops.back()->operands[i]});
        return;
      default:
        for (ValueId v : op.results) set(v, AxisInfo{});
        if (op.results.size() == 1) set(op.results[0], facts(op));
    }
  }

  void visit_for(const Op& op) {
    const Block& body = op.regions[0];
    AxisInfo variable;
    const AxisInfo &lower = info_[op.operands[0]], &step = info_[op.operands[2]];
    variable.axes[0].divisibility = std::min(lower.axes[0].divisibility, step.axes[0].divisibility);
    variable.non_negative = lower.non_negative && step.non_negative;
    set(body.args[0], variable);
    const std::vector<ValueId>& yielded = body.ops.back()->operands;
    for (size_t i = 0; i < op.results.size(); ++i) meet(body.args[i + 1], {op.operands[i + 3], yielded[i]});
    block(body);
    for (size_t i = 0; i < op.results.size(); ++i) meet(op.results[i], {op.operands[i + 3], yielded[i]});
  }

  void visit_while(const Op& op) {
    const Block &before = op.regions[0], &after = op.regions[1];
    for (size_t i = 0; i < op.operands.size(); ++i) meet(before.args[i], {op.operands[i], after.ops.back()->operands[i]});
    block(before);
    const std::vector<ValueId>& passed = before.ops.back()->operands;
    for (size_t i = 0; i < after.args.size(); ++i) meet(after.args[i], {passed[i + 1]});
    block(after);
    for (size_t i = 0; i < op.results.size(); ++i) meet(op.results[i], {passed[i + 1]});
  }

  const AxisInfo& in(const Op& op, size_t i) const { return info_[op.operands[i]]; }
  const Type& out_type(const Op& op) const { return f_.type(op.results[0]); }
  int rank(const Op& op) const { return std::max(out_type(op).shape.rank, 1); }
  int64_t extent(const Op& op, int d) const { return out_type(op).is_scalar() ? 1 : out_type(op).shape[d]; }

  AxisInfo facts(const Op& op) const {
    switch (op.code) {
      case OpCode::Constant: return constant(op);
      case OpCode::MakeRange: return make_range(op);
      case OpCode::ProgramId:
      case OpCode::NumPrograms: {
        AxisInfo r;
        r.non_negative = true;
        return r;
      }
      case OpCode::Splat: return splat(op);
      case OpCode::ExpandDims: return expand_dims(op);
      case OpCode::Broadcast: return broadcast(op);
      case OpCode::Trans: return trans(op);
      case OpCode::Load: return loaded(op);
      case OpCode::Cast: return cast(op);
      case OpCode::Bitcast:
      case OpCode::PtrToInt:
      case OpCode::IntToPtr: return reinterpreted(op);
      default: return op.info().group == OpGroup::Elementwise ? elementwise(op) : AxisInfo{};
    }
  }

  AxisInfo of_constant(const Op& op, int64_t value) const {
    AxisInfo r;
    for (int d = 0; d < rank(op); ++d) r.axes[d] = {1, power_of_two_divisor(value), extent(op, d)};
    r.constant = value;
    r.non_negative = value >= 0 || is_unsigned_int(out_type(op).elem);
    return r;
  }

  AxisInfo constant(const Op& op) const {
    const Type& t = out_type(op);
    const auto bits = static_cast<uint64_t>(op.int_attr("bits"));
    if (t.pointer) return of_constant(op, static_cast<int64_t>(bits));
    if (is_int(t.elem)) return of_constant(op, element_to_int(t.elem, bits));
    AxisInfo r;
    for (int d = 0; d < rank(op); ++d) r.axes[d].constancy = extent(op, d);
    return r;
  }

  AxisInfo make_range(const Op& op) const {
    AxisInfo r;
    r.axes[0] = {extent(op, 0), power_of_two_divisor(op.int_attr("start")), 1};
    r.non_negative = op.int_attr("start") >= 0;
    return r;
  }

  /// Keeps what is true of every lane.
  static AxisInfo with_flags_of(const AxisInfo& x) {
    AxisInfo r;
    r.constant = x.constant;
    r.non_negative = x.non_negative;
    r.assumes_non_negative = x.assumes_non_negative;
    return r;
  }

  AxisInfo splat(const Op& op) const {
    AxisInfo r = with_flags_of(in(op, 0));
    for (int d = 0; d < rank(op); ++d) r.axes[d] = {1, in(op, 0).axes[0].divisibility, extent(op, d)};
    return r;
  }

  AxisInfo expand_dims(const Op& op) const {
    const AxisInfo& x = in(op, 0);
    AxisInfo r = with_flags_of(x);
    int64_t all = x.axes[0].divisibility;
    for (int d = 0; d + 1 < rank(op); ++d) all = std::min(all, divisor_of_all(x.axes[d]));
    const int axis = static_cast<int>(op.int_attr("axis"));
    for (int d = 0; d < rank(op); ++d) r.axes[d] = d == axis ? AxisFacts{1, all, 1} : x.axes[d < axis ? d : d - 1];
    return r;
  }

  AxisInfo broadcast(const Op& op) const {
    AxisInfo r = in(op, 0);
    const Shape& from = f_.type(op.operands[0]).shape;
    for (int d = 0; d < rank(op); ++d)
      if (from[d] == 1) r.axes[d] = {1, r.axes[d].divisibility, extent(op, d)};
    return r;
  }

  AxisInfo trans(const Op& op) const {
    AxisInfo r = with_flags_of(in(op, 0));
    const std::vector<int64_t>& order = op.ints_attr("order");
    for (int d = 0; d < rank(op); ++d) r.axes[d] = in(op, 0).axes[static_cast<size_t>(order[static_cast<size_t>(d)])];
    return r;
  }

  /// Lanes with one address and one mask hold one value.
  AxisInfo loaded(const Op& op) const {
    AxisInfo r;
    for (int d = 0; d < rank(op); ++d) {
      r.axes[d].constancy = in(op, 0).axes[d].constancy;
      for (size_t i = 1; i < op.operands.size(); ++i)
        r.axes[d].constancy = std::min(r.axes[d].constancy, in(op, i).axes[d].constancy);
    }
    return r;
  }

  AxisInfo only_constancy(const Op& op) const {
    AxisInfo r;
    for (int d = 0; d < rank(op); ++d) {
      r.axes[d].constancy = extent(op, d);
      for (size_t i = 0; i < op.operands.size(); ++i)
        r.axes[d].constancy = std::min(r.axes[d].constancy, in(op, i).axes[d].constancy);
    }
    for (size_t i = 0; i < op.operands.size(); ++i) r.assumes_non_negative = r.assumes_non_negative || in(op, i).assumes_non_negative;
    return r;
  }

  AxisInfo cast(const Op& op) const {
    const DType from = f_.type(op.operands[0]).elem, to = out_type(op).elem;
    if (!is_int(from) || !is_int(to) || is_bool(to)) return only_constancy(op);
    AxisInfo r = in(op, 0);
    if (r.constant) {
      const auto bits = static_cast<uint64_t>(*r.constant);
      r.constant = element_to_int(to, canonical_bits(to, bits));
    }
    r.non_negative = is_unsigned_int(to) || (r.non_negative && dtype_bits(to) >= dtype_bits(from));
    return r;
  }

  AxisInfo reinterpreted(const Op& op) const {
    const Type &from = f_.type(op.operands[0]), &to = out_type(op);
    const bool integers = !from.pointer && !to.pointer && is_int(from.elem) && is_int(to.elem);
    AxisInfo r = integers ? in(op, 0) : only_constancy(op);
    if (integers) r.non_negative = is_unsigned_int(to.elem);
    if (integers) r.constant.reset();
    if (from.pointer || to.pointer)  // runs are counted in elements, whose size may change: the address stays
      for (int d = 0; d < rank(op); ++d) {
        const AxisFacts& x = in(op, 0).axes[d];
        const bool keeps = from.pointer && to.pointer && dtype_bytes(from.elem) == dtype_bytes(to.elem);
        r.axes[d] = keeps ? x : AxisFacts{1, x.contiguity > 1 ? 1 : x.divisibility, x.constancy};
      }
    return r;
  }

  // ---- arithmetic ---------------------------------------------------------------------------------------------------

  AxisInfo elementwise(const Op& op) const {
    const Type& t = f_.type(op.operands.back());
    if (op.code == OpCode::Select) return select(op);
    if (op.info().rule == TypeRule::Compare) return t.pointer || is_float(t.elem) ? only_constancy(op) : compare(op);
    if (op.operands.size() != 2 || is_float(t.elem) || is_bool(t.elem)) return only_constancy(op);
    AxisInfo r = only_constancy(op);
    const AxisInfo &a = in(op, 0), &b = in(op, 1);
    if (op.code != OpCode::AddPtr && a.constant && b.constant)
      if (const auto value = fold(op, *a.constant, *b.constant)) return of_constant(op, *value);
    for (int d = 0; d < rank(op); ++d) arithmetic(op, a, b, d, r);
    r.non_negative = is_unsigned_int(t.elem) || stays_non_negative(op.code, a, b);
    return r;
  }

  std::optional<int64_t> fold(const Op& op, int64_t a, int64_t b) const {
    const DType t = out_type(op).elem;
    const uint64_t bits[2] = {canonical_bits(t, static_cast<uint64_t>(a)), canonical_bits(t, static_cast<uint64_t>(b))};
    const auto value = evaluate(op.code, t, t, bits);
    return value ? std::optional(element_to_int(t, *value)) : std::nullopt;
  }

  static bool stays_non_negative(OpCode code, const AxisInfo& a, const AxisInfo& b) {
    switch (code) {
      case OpCode::Add: case OpCode::Mul: case OpCode::Div: case OpCode::Minimum: case OpCode::BitOr:
        return a.non_negative && b.non_negative;
      case OpCode::Maximum: case OpCode::BitAnd: return a.non_negative || b.non_negative;
      case OpCode::Rem: case OpCode::Shr: return a.non_negative;
      default: return false;
    }
  }

  /// Runs cut out of longer ones start anywhere at multiples of their own length.
  static void shorten_runs(int64_t longest, int64_t unit, AxisFacts& out) {
    if (out.contiguity < longest) out.divisibility = std::min(out.divisibility, product(out.contiguity, unit));
  }

  void arithmetic(const Op& op, const AxisInfo& a, const AxisInfo& b, int d, AxisInfo& r) const {
    const AxisFacts &x = a.axes[d], &y = b.axes[d];
    AxisFacts& out = r.axes[d];
    switch (op.code) {
      case OpCode::Add:
      case OpCode::Sub:
      case OpCode::AddPtr: {
        const int64_t unit = op.code == OpCode::AddPtr ? dtype_bytes(out_type(op).elem) : 1;
        out.divisibility = std::min(x.divisibility, product(y.divisibility, unit));
        out.contiguity = std::min(x.contiguity, y.constancy);
        if (op.code != OpCode::Sub) out.contiguity = std::max(out.contiguity, std::min(x.constancy, y.contiguity));
        shorten_runs(std::max(x.contiguity, y.contiguity), unit, out);
        return;
      }
      case OpCode::Mul:
        if (b.constant == 1) out = {x.contiguity, x.divisibility, out.constancy};
        else if (a.constant == 1) out = {y.contiguity, y.divisibility, out.constancy};
        else out.divisibility = product(divisor_of_all(x), divisor_of_all(y));
        return;
      case OpCode::Div: return divide(a, b, d, r);
      case OpCode::Rem: return remainder(a, b, d, r);
      case OpCode::Shl:
        if (b.constant && *b.constant >= 0 && *b.constant < 40)
          out.divisibility = product(*b.constant == 0 ? x.divisibility : divisor_of_all(x), int64_t{1} << *b.constant);
        if (b.constant == 0) out.contiguity = x.contiguity;
        return;
      case OpCode::Shr:
        if (b.constant && *b.constant >= 0 && *b.constant < 40) {
          const int64_t by = int64_t{1} << *b.constant;
          out.constancy = std::max(out.constancy, std::min({x.contiguity, x.divisibility, by}));
          if (x.contiguity == 1 && x.divisibility > by) out.divisibility = x.divisibility / by;
        }
        return;
      case OpCode::Minimum: case OpCode::Maximum: case OpCode::BitAnd: case OpCode::BitOr: case OpCode::BitXor:
        out.divisibility = std::min(divisor_of_all(x), divisor_of_all(y));
        if (op.code == OpCode::BitAnd) out.divisibility = std::max(divisor_of_all(x), divisor_of_all(y));
        return;
      default: return;
    }
  }

  void divide(const AxisInfo& a, const AxisInfo& b, int d, AxisInfo& r) const {
    const AxisFacts &x = a.axes[d], &y = b.axes[d];
    AxisFacts& out = r.axes[d];
    if (b.constant == 1) {
      out = {x.contiguity, x.divisibility, out.constancy};
      return;
    }
    if (x.contiguity > 1) {
      const int64_t steady = std::min({x.contiguity, x.divisibility, y.divisibility, y.constancy});
      if (steady > out.constancy) {
        out.constancy = steady;
        r.assumes_non_negative = r.assumes_non_negative || !a.non_negative;
      }
    } else if (b.constant && *b.constant > 0 && power_of_two_divisor(*b.constant) == *b.constant && x.divisibility >= *b.constant) {
      out.divisibility = x.divisibility / *b.constant;
    }
  }

  void remainder(const AxisInfo& a, const AxisInfo& b, int d, AxisInfo& r) const {
    const AxisFacts &x = a.axes[d], &y = b.axes[d];
    AxisFacts& out = r.axes[d];
    if (x.contiguity > 1) {
      out.contiguity = std::max<int64_t>(1, std::min({x.contiguity, x.divisibility, y.divisibility, y.constancy}));
      if (out.contiguity > 1) r.assumes_non_negative = r.assumes_non_negative || !a.non_negative;
      if (out.contiguity == 1) return;  // the run's start says nothing about the others
    }
    out.divisibility = std::min(x.divisibility, divisor_of_all(y));
    shorten_runs(x.contiguity, 1, out);
  }

  AxisInfo select(const Op& op) const {
    AxisInfo r = only_constancy(op);
    const AxisInfo &condition = in(op, 0), &a = in(op, 1), &b = in(op, 2);
    for (int d = 0; d < rank(op); ++d) {
      const AxisFacts &x = a.axes[d], &y = b.axes[d];
      r.axes[d].contiguity = std::min({x.contiguity, y.contiguity, condition.axes[d].constancy});
      r.axes[d].divisibility = std::min(x.divisibility, y.divisibility);
      const Type& t = out_type(op);
      shorten_runs(std::max(x.contiguity, y.contiguity), t.pointer ? dtype_bytes(t.elem) : 1, r.axes[d]);
    }
    r.non_negative = a.non_negative && b.non_negative;
    return r;
  }

  /// The lanes of a run that starts at a multiple of g, all below or all above a bound that is a multiple of g.
  AxisInfo compare(const Op& op) const {
    AxisInfo r = only_constancy(op);
    for (int d = 0; d < rank(op); ++d) {
      const AxisFacts &x = in(op, 0).axes[d], &y = in(op, 1).axes[d];
      const int64_t left = std::min({x.contiguity, y.constancy, x.divisibility, y.divisibility});
      const int64_t right = std::min({y.contiguity, x.constancy, x.divisibility, y.divisibility});
      const bool left_runs = op.code == OpCode::CmpLt || op.code == OpCode::CmpGe;
      const bool right_runs = op.code == OpCode::CmpGt || op.code == OpCode::CmpLe;
      if (left_runs) r.axes[d].constancy = std::max(r.axes[d].constancy, left);
      if (right_runs) r.axes[d].constancy = std::max(r.axes[d].constancy, right);
    }
    return r;
  }

  const Function& f_;
  std::vector<AxisInfo>& info_;
  std::vector<uint8_t> known_;
  bool changed_ = false, give_up_ = false;
};

}  // namespace

int64_t power_of_two_divisor(int64_t x) {
  if (x == 0) return kMaxDivisor;
  const uint64_t u = static_cast<uint64_t>(x);
  return static_cast<int64_t>(std::min<uint64_t>(u & (~u + 1), static_cast<uint64_t>(kMaxDivisor)));
}

AxisAnalysis::AxisAnalysis(const Function& f) : info_(f.values.size()) { Walker(f, info_).run(); }

}  // namespace tilescope
