// The reference: walks the tree of a random kernel, one program after the other, one lane after the other. Collective
// operations (reductions, scans, sorting, dots) are in sim_property_collective.cpp.
#include <cmath>
#include <cstring>
#include <map>

#include "tests/property/lanes.h"
#include "tests/property/reference.h"

namespace tilescope::property {
namespace {

OpCode operator_code(const std::string& op) {
  static const std::map<std::string, OpCode> codes = {
      {"+", OpCode::Add},   {"-", OpCode::Sub},    {"*", OpCode::Mul},    {"/", OpCode::Div},    {"//", OpCode::Div},
      {"%", OpCode::Rem},   {"&", OpCode::BitAnd}, {"|", OpCode::BitOr},  {"^", OpCode::BitXor}, {"<<", OpCode::Shl},
      {">>", OpCode::Shr},  {"==", OpCode::CmpEq}, {"!=", OpCode::CmpNe}, {"<", OpCode::CmpLt},  {"<=", OpCode::CmpLe},
      {">", OpCode::CmpGt}, {">=", OpCode::CmpGe}};
  return codes.at(op);
}

OpCode math_code(const std::string& name) {
  const OpInfo* info = find_op(name);
  if (info == nullptr) internal_error("property test: no op " + name);
  return info->code;
}

/// Position along each axis of the lane with that row-major index.
std::vector<int64_t> position(const Shape& s, int64_t at) {
  std::vector<int64_t> out(static_cast<size_t>(s.rank));
  for (int a = s.rank; a-- > 0; at /= s[a]) out[static_cast<size_t>(a)] = at % s[a];
  return out;
}

int64_t row_major(const Shape& s, const std::vector<int64_t>& position) {
  int64_t at = 0;
  for (int a = 0; a < s.rank; ++a) at = at * s[a] + position[static_cast<size_t>(a)];
  return at;
}

class Evaluator {
 public:
  Evaluator(const Program& p, std::vector<Tensor>& tensors) : p_(p), tensors_(tensors) {}

  std::string run() {
    for (int64_t z = 0; z < p_.grid[2] && problem_.empty(); ++z)
      for (int64_t y = 0; y < p_.grid[1] && problem_.empty(); ++y)
        for (int64_t x = 0; x < p_.grid[0] && problem_.empty(); ++x) {
          pid_ = {x, y, z};
          start();
          block(p_.body);
        }
    return problem_;
  }

 private:
  void start() {
    scope_.clear();
    for (size_t k = 0; k < tensors_.size(); ++k)
      scope_[tensors_[k].name] = {Type::pointer_to(tensors_[k].dtype), {0}, static_cast<int>(k)};
    for (const auto& [name, value] : p_.integers) {
      const DType t = value == static_cast<int32_t>(value) ? DType::Int32 : DType::Int64;
      scope_[name] = {Type::scalar(t), {number_lane(t, static_cast<double>(value))}};
    }
    for (const auto& [name, value] : p_.floats)
      scope_[name] = {Type::scalar(DType::Float32), {number_lane(DType::Float32, value)}};
  }

  // ---- statements
  // -------------------------------------------------------------------------------------------------------

  void block(const Block& b) {
    for (const auto& s : b) {
      if (!problem_.empty()) return;
      statement(*s);
    }
  }
  void statement(const Stmt& s) {
    switch (s.kind) {
      case Stmt::Kind::Assign:
        scope_[s.names[0]] = eval(*s.exprs[0]);
        break;
      case Stmt::Kind::AssignTwo: {
        std::vector<Lanes> both = eval_two(*s.exprs[0]);
        for (size_t k = 0; k < 2; ++k) scope_[s.names[k]] = std::move(both[k]);
        break;
      }
      case Stmt::Kind::AugmentedAssign: {
        Lanes& target = scope_.at(s.names[0]);
        const Expr& e = *s.exprs[0];
        if (e.kind == Kind::Dot)
          target = dot(e, eval(*e.args[0]), eval(*e.args[1]), target);  // one chain of sums
        else if (target.type.pointer)
          target = moved(target, eval(e));
        else
          target = binary(s.op, target, eval(e), target.type);
        break;
      }
      case Stmt::Kind::Store:
        store(s);
        break;
      case Stmt::Kind::BlockStore: {
        const Expr& place = *s.exprs[0];
        const Lanes value = operand(*s.exprs[1], place.type.elem, place.type.shape);
        for_each_block_lane(place, [&](size_t l, const Lanes& pointer) {
          if (std::byte* e = element(pointer, l, "block store"))
            std::memcpy(e, &value.lanes[l], static_cast<size_t>(dtype_bytes(place.type.elem)));
        });
        break;
      }
      case Stmt::Kind::Atomic:
        atomic(s);
        break;
      case Stmt::Kind::For: {
        const int64_t lo = integer(*s.exprs[0]), hi = integer(*s.exprs[1]), step = integer(*s.exprs[2]);
        for (int64_t i = lo; step > 0 ? i < hi : i > hi; i += step) {
          scope_[s.names[0]] = {Type::scalar(DType::Int32), {number_lane(DType::Int32, static_cast<double>(i))}};
          block(s.body);
        }
        break;
      }
      case Stmt::Kind::While:
        for (int turns = 0; eval(*s.exprs[0]).lanes[0] != 0; ++turns) {
          if (turns > 1000) problem_ = "an endless while loop";
          if (!problem_.empty()) return;
          block(s.body);
        }
        break;
      case Stmt::Kind::If:
        block(eval(*s.exprs[0]).lanes[0] != 0 ? s.body : s.orelse);
        break;
    }
  }
  int64_t integer(const Expr& e) { return signed_lane(DType::Int32, operand(e, DType::Int32, {}).lanes[0]); }

  void store(const Stmt& s) {
    const Lanes pointer = eval(*s.exprs[0]);
    const Lanes value = operand(*s.exprs[1], pointer.type.elem, pointer.type.shape);
    Lanes mask;
    if (s.exprs.size() > 2) mask = operand(*s.exprs[2], DType::Int1, pointer.type.shape);
    for (size_t l = 0; l < pointer.lanes.size(); ++l) {
      if (!mask.lanes.empty() && mask.lanes[l] == 0) continue;
      if (std::byte* e = element(pointer, l, "store"))
        std::memcpy(e, &value.lanes[l], static_cast<size_t>(dtype_bytes(pointer.type.elem)));
    }
  }
  /// Lane after lane; the kinds that are made commute, so that the order does not matter.
  void atomic(const Stmt& s) {
    const Lanes pointer = eval(*s.exprs[0]);
    const DType t = pointer.type.elem;
    const Lanes value = operand(*s.exprs[1], t, pointer.type.shape);
    Lanes mask;
    if (s.exprs.size() > 2) mask = operand(*s.exprs[2], DType::Int1, pointer.type.shape);
    static const std::map<std::string, OpCode> codes = {{"add", OpCode::Add},     {"max", OpCode::Maximum},
                                                        {"min", OpCode::Minimum}, {"and", OpCode::BitAnd},
                                                        {"or", OpCode::BitOr},    {"xor", OpCode::BitXor}};
    for (size_t l = 0; l < pointer.lanes.size(); ++l) {
      if (!mask.lanes.empty() && mask.lanes[l] == 0) continue;
      std::byte* e = element(pointer, l, "atomic");
      if (e == nullptr) return;
      uint64_t old = 0;
      std::memcpy(&old, e, static_cast<size_t>(dtype_bytes(t)));
      const uint64_t now = lane(codes.at(s.op), t, old, value.lanes[l]);
      std::memcpy(e, &now, static_cast<size_t>(dtype_bytes(t)));
    }
  }
  /// Calls fn(lane, pointers) for the lanes of a block that lie inside its tensor.
  template <class Fn>
  void for_each_block_lane(const Expr& e, Fn&& fn) {
    const Lanes base = eval(*e.args[0]);
    int64_t stride[2], offset[2];
    for (size_t a = 0; a < 2; ++a) {
      stride[a] = integer(*e.args[1 + a]);
      offset[a] = integer(*e.args[3 + a]);
    }
    Lanes pointer{base.type.with_shape(e.type.shape), {}, base.tensor};
    pointer.lanes.resize(static_cast<size_t>(e.type.elements()));
    for (int64_t at = 0; at < e.type.elements(); ++at) {
      const int64_t row = offset[0] + at / e.type.shape[1], column = offset[1] + at % e.type.shape[1];
      if (row < 0 || row >= e.ints[0] || column < 0 || column >= e.ints[1]) continue;
      pointer.lanes[static_cast<size_t>(at)] =
          base.lanes[0] + static_cast<uint64_t>(row * stride[0] + column * stride[1]);
      fn(static_cast<size_t>(at), pointer);
    }
  }
  Lanes block_load(const Expr& e) {
    Lanes out{e.type, {}};
    const uint64_t padding = e.ints[2] != 0 ? number_lane(e.type.elem, std::nan("")) : 0;
    out.lanes.assign(static_cast<size_t>(e.type.elements()), padding);
    for_each_block_lane(e, [&](size_t l, const Lanes& pointer) {
      const std::byte* from = element(pointer, l, "block load");
      out.lanes[l] = 0;
      if (from != nullptr) std::memcpy(&out.lanes[l], from, static_cast<size_t>(dtype_bytes(e.type.elem)));
    });
    return out;
  }
  Lanes call(const Expr& e) {
    std::map<std::string, Lanes> inner = {{"a", eval(*e.args[0])}, {"b", eval(*e.args[1])}};
    for (const Helper& h : p_.helpers) {
      if (h.name != e.name) continue;
      std::swap(scope_, inner);
      Lanes result = eval(*h.body);
      std::swap(scope_, inner);
      return result;
    }
    internal_error("property test: no helper " + e.name);
  }
  std::byte* element(const Lanes& pointer, size_t l, const char* what) {
    Tensor& t = tensors_[static_cast<size_t>(pointer.tensor)];
    const auto offset = static_cast<int64_t>(pointer.lanes[l]);
    if (t.layout.index_of(offset)) return t.element(t.origin + offset);
    problem_ = std::string(what) + " of " + t.name + " at " + std::to_string(offset) + ", lane " + std::to_string(l);
    return nullptr;
  }

  // ---- expressions
  // ------------------------------------------------------------------------------------------------------

  /// The value converted to that element type and repeated to that shape.
  Lanes operand(const Expr& e, DType t, const Shape& shape) {
    Lanes v;
    if (e.is_number())
      v = {Type::scalar(t), {number_lane(t, e.number)}};
    else
      v = eval(e);
    for (uint64_t& x : v.lanes) x = cast_lane(v.type.elem, t, x);
    v.type.elem = t;
    return repeated(v, shape);
  }

  Lanes repeated(const Lanes& v, const Shape& shape) {
    if (v.type.shape == shape) return v;
    Lanes out{v.type.with_shape(shape), {}, v.tensor};
    const Shape& from = v.type.shape;
    for (int64_t at = 0; at < shape.elements(); ++at) {
      const std::vector<int64_t> p = position(shape, at);
      int64_t source = 0;
      for (int a = 0; a < from.rank; ++a)
        source = source * from[a] + (from[a] == 1 ? 0 : p[static_cast<size_t>(shape.rank - from.rank + a)]);
      out.lanes.push_back(v.lanes[static_cast<size_t>(source)]);
    }
    return out;
  }

  Lanes eval(const Expr& e) {
    switch (e.kind) {
      case Kind::Number:
        return {Type::scalar(number_type(e)), {number_lane(number_type(e), e.number)}};
      case Kind::Variable:
        return scope_.at(e.name);
      case Kind::ProgramId:
        return {e.type, {static_cast<uint64_t>(pid_[static_cast<size_t>(e.ints[0])])}};
      case Kind::NumPrograms:
        return {e.type, {static_cast<uint64_t>(p_.grid[static_cast<size_t>(e.ints[0])])}};
      case Kind::Binary:
        return binary_expr(e);
      case Kind::Unary: {
        Lanes v = eval(*e.args[0]);
        const OpCode op = e.name == "-" ? OpCode::Neg : e.name == "~" ? OpCode::BitNot : OpCode::Abs;
        if (is_bool(v.type.elem))
          for (uint64_t& x : v.lanes) x ^= 1;
        else
          for (uint64_t& x : v.lanes) x = lane(op, v.type.elem, x);
        return v;
      }
      case Kind::Math: {
        Lanes v = eval(*e.args[0]);
        for (uint64_t& x : v.lanes) x = lane(math_code(e.name), v.type.elem, x);
        return v;
      }
      case Kind::Extremum: {
        const bool largest = e.name == "maximum", nan = e.ints[0] != 0;
        const OpCode op =
            largest ? (nan ? OpCode::MaximumNan : OpCode::Maximum) : (nan ? OpCode::MinimumNan : OpCode::Minimum);
        return by_lane(op, operand(*e.args[0], e.type.elem, e.type.shape),
                       operand(*e.args[1], e.type.elem, e.type.shape), e.type);
      }
      case Kind::Where: {
        const Lanes c = operand(*e.args[0], DType::Int1, e.type.shape);
        Lanes x = operand(*e.args[1], e.type.elem, e.type.shape), y = operand(*e.args[2], e.type.elem, e.type.shape);
        for (size_t l = 0; l < x.lanes.size(); ++l)
          if (c.lanes[l] == 0) x.lanes[l] = y.lanes[l];
        return x;
      }
      case Kind::Fma: {
        Lanes x = operand(*e.args[0], e.type.elem, e.type.shape);
        const Lanes y = operand(*e.args[1], e.type.elem, e.type.shape),
                    z = operand(*e.args[2], e.type.elem, e.type.shape);
        for (size_t l = 0; l < x.lanes.size(); ++l)
          x.lanes[l] = fma_lane(e.type.elem, x.lanes[l], y.lanes[l], z.lanes[l]);
        return x;
      }
      case Kind::Cast:
        return operand(*e.args[0], e.type.elem, e.type.shape);
      case Kind::Bitcast: {
        Lanes v = eval(*e.args[0]);
        for (uint64_t& x : v.lanes) x = bitcast_lane(v.type.elem, e.type.elem, x);
        v.type.elem = e.type.elem;
        return v;
      }
      case Kind::Load:
        return load(e);
      case Kind::BlockLoad:
        return block_load(e);
      case Kind::Ternary:
        return eval(eval(*e.args[1]).lanes[0] != 0 ? *e.args[0] : *e.args[2]);
      case Kind::Call:
        return call(e);
      case Kind::Reduce:
      case Kind::UserReduce:
        return reduce(e, eval(*e.args[0]));
      case Kind::Scan:
      case Kind::UserScan:
        return scan(e, eval(*e.args[0]));
      case Kind::Sort:
        return sort(e, eval(*e.args[0]));
      case Kind::Dot: {
        const Lanes acc = e.args.size() > 2
                              ? eval(*e.args[2])
                              : Lanes{e.type, std::vector<uint64_t>(static_cast<size_t>(e.type.elements()), 0)};
        return dot(e, eval(*e.args[0]), eval(*e.args[1]), acc);
      }
      case Kind::ArgReduce:
      case Kind::Split:
      case Kind::PairReduce:
      case Kind::PairScan:
        internal_error("property test: two results where one is wanted");
      default:
        return shaped(e);
    }
  }

  std::vector<Lanes> eval_two(const Expr& e) {
    const Lanes v = eval(*e.args[0]);
    if (e.kind == Kind::ArgReduce) return arg_reduce(e, v);
    if (e.kind == Kind::PairReduce) return pair_reduce(e, v, eval(*e.args[1]));
    if (e.kind == Kind::PairScan) return pair_scan(e, v, eval(*e.args[1]));
    std::vector<Lanes> out(2);
    for (size_t k = 0; k < 2; ++k) {
      out[k].type = e.type;
      for (size_t l = k; l < v.lanes.size(); l += 2) out[k].lanes.push_back(v.lanes[l]);
    }
    return out;
  }

  /// Operations that only move elements: where each lane of the result comes from.
  Lanes shaped(const Expr& e) {
    const Shape& to = e.type.shape;
    Lanes out{e.type, {}};
    if (e.kind == Kind::Arange) {
      for (int64_t i = e.ints[0]; i < e.ints[1]; ++i)
        out.lanes.push_back(number_lane(DType::Int32, static_cast<double>(i)));
      return out;
    }
    if (e.kind == Kind::Full) return repeated(operand(*e.args[0], e.type.elem, {}), to);
    const Lanes x = eval(*e.args[0]);
    out.tensor = x.tensor;
    if (e.kind == Kind::BroadcastTo) return repeated(x, to);
    const Lanes y = e.args.size() > 1 ? eval(*e.args[1]) : Lanes{};
    const int64_t half = x.type.elements();
    for (int64_t at = 0; at < to.elements(); ++at) {
      std::vector<int64_t> p = position(to, at);
      const auto axis = e.ints.empty() ? size_t{0} : static_cast<size_t>(e.ints[0]);
      switch (e.kind) {
        case Kind::ExpandDims:
        case Kind::Reshape:
          out.lanes.push_back(x.lanes[static_cast<size_t>(at)]);
          break;
        case Kind::Trans: {
          std::vector<int64_t> source(p.size());
          for (size_t a = 0; a < p.size(); ++a) source[static_cast<size_t>(e.ints[a])] = p[a];
          out.lanes.push_back(x.lanes[static_cast<size_t>(row_major(x.type.shape, source))]);
          break;
        }
        case Kind::Join:
        case Kind::Interleave:
          out.lanes.push_back((at % 2 == 0 ? x : y).lanes[static_cast<size_t>(at / 2)]);
          break;
        case Kind::Cat:
          out.lanes.push_back(at < half ? x.lanes[static_cast<size_t>(at)] : y.lanes[static_cast<size_t>(at - half)]);
          break;
        case Kind::Flip:
          p[axis] = to[static_cast<int>(axis)] - 1 - p[axis];
          out.lanes.push_back(x.lanes[static_cast<size_t>(row_major(to, p))]);
          break;
        case Kind::Gather:
          p[axis] = signed_lane(y.type.elem, y.lanes[static_cast<size_t>(at)]);
          out.lanes.push_back(x.lanes[static_cast<size_t>(row_major(x.type.shape, p))]);
          break;
        default:
          internal_error("property test: no such shape operation");
      }
    }
    return out;
  }

  Lanes load(const Expr& e) {
    const Lanes pointer = repeated(eval(*e.args[0]), e.type.shape);
    Lanes mask, out{e.type, {}};
    if (e.args.size() > 1) mask = operand(*e.args[1], DType::Int1, e.type.shape);
    if (e.args.size() > 2) {
      // `other` is a tensor before it is converted: a Python number has its own type first.
      const DType own = e.args[2]->is_number() ? number_type(*e.args[2]) : e.args[2]->type.elem;
      out = operand(*e.args[2], own, e.type.shape);
      for (uint64_t& x : out.lanes) x = cast_lane(own, e.type.elem, x);
      out.type = e.type;
    }
    out.lanes.resize(pointer.lanes.size(), 0);
    for (size_t l = 0; l < pointer.lanes.size(); ++l) {
      if (!mask.lanes.empty() && mask.lanes[l] == 0) continue;
      const std::byte* from = element(pointer, l, "load");
      if (from == nullptr) return out;
      out.lanes[l] = 0;
      std::memcpy(&out.lanes[l], from, static_cast<size_t>(dtype_bytes(e.type.elem)));
    }
    return out;
  }

  // ---- operators
  // --------------------------------------------------------------------------------------------------------

  static Lanes by_lane(OpCode op, const Lanes& x, const Lanes& y, const Type& result) {
    Lanes out{result, {}};
    for (size_t l = 0; l < x.lanes.size(); ++l) out.lanes.push_back(lane(op, x.type.elem, x.lanes[l], y.lanes[l]));
    return out;
  }

  static Lanes moved(Lanes pointer, const Lanes& offset) {
    const bool wide = pointer.lanes.size() < offset.lanes.size();
    if (wide)
      pointer = {pointer.type.with_shape(offset.type.shape),
                 std::vector<uint64_t>(offset.lanes.size(), pointer.lanes[0]), pointer.tensor};
    for (size_t l = 0; l < pointer.lanes.size(); ++l)
      pointer.lanes[l] +=
          static_cast<uint64_t>(signed_lane(offset.type.elem, offset.lanes[offset.lanes.size() == 1 ? 0 : l]));
    return pointer;
  }

  Lanes binary_expr(const Expr& e) {
    const Expr &a = *e.args[0], &b = *e.args[1];
    if (e.type.pointer) {
      Lanes offset = eval(b);
      if (e.name == "-")
        for (uint64_t& x : offset.lanes) x = lane(OpCode::Neg, offset.type.elem, x);
      Lanes pointer = eval(a);
      return moved(repeated(pointer, e.type.shape), repeated(offset, e.type.shape));
    }
    const DType t = operator_type(e.name, a, b);
    return binary_in(e.name, t, operand(a, t, e.type.shape), operand(b, t, e.type.shape), e.type,
                     is_signed_int(a.is_number() ? b.type.elem : a.type.elem));
  }
  Lanes binary(const std::string& op, const Lanes& a, const Lanes& b, const Type& result) {
    Lanes y = b;
    for (uint64_t& x : y.lanes) x = cast_lane(b.type.elem, result.elem, x);
    y.type.elem = result.elem;
    return binary_in(op, result.elem, a, repeated(y, result.shape), result, is_signed_int(a.type.elem));
  }
  static Lanes binary_in(const std::string& op, DType t, Lanes x, Lanes y, const Type& result, bool arithmetic_shift) {
    if (op == "/" && !is_float(t)) {
      for (Lanes* v : {&x, &y}) {
        for (uint64_t& l : v->lanes) l = cast_lane(t, DType::Float32, l);
        v->type.elem = DType::Float32;
      }
      t = DType::Float32;
    }
    if (op == ">>") x.type.elem = y.type.elem = int_type(dtype_bits(t), arithmetic_shift);
    return by_lane(operator_code(op), x, y, result);
  }

  const Program& p_;
  std::vector<Tensor>& tensors_;
  std::map<std::string, Lanes> scope_;
  std::array<int64_t, 3> pid_{};
  std::string problem_;
};

}  // namespace

std::string evaluate(const Program& p, std::vector<Tensor>& tensors) { return Evaluator(p, tensors).run(); }

}  // namespace tilescope::property
