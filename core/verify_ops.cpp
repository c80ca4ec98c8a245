#include "core/verify_ops.h"

#include <initializer_list>
#include <limits>

#include "core/dot_contract.h"
#include "core/op_domain.h"

namespace tilescope {
namespace {

using Problem = std::string;  // "" when all is well

/// Lets the rules read as a list of demands: the first one that fails is the answer.
#define TILESCOPE_DEMAND(condition, message) \
  do {                                       \
    if (!(condition)) return message;        \
  } while (false)

struct Rule {
  const Function& f;
  const Op& op;
  const Type& in(size_t i) const { return f.type(op.operands[i]); }
  const Type& out(size_t i = 0) const { return f.type(op.results[i]); }
  size_t operands() const { return op.operands.size(); }
  bool has_int(std::string_view name) const {
    const AttrValue* a = op.find_attr(name);
    return a != nullptr && std::holds_alternative<int64_t>(*a);
  }
  bool has_string(std::string_view name) const {
    const AttrValue* a = op.find_attr(name);
    return a != nullptr && std::holds_alternative<std::string>(*a);
  }
  bool has_axis(int rank) const { return has_int("axis") && op.int_attr("axis") >= 0 && op.int_attr("axis") < rank; }
  bool flag_ok(std::string_view name) const {
    return op.find_attr(name) == nullptr || (has_int(name) && (op.int_attr(name) == 0 || op.int_attr(name) == 1));
  }
};

bool one_of(std::string_view s, std::initializer_list<std::string_view> list) {
  for (std::string_view x : list)
    if (x == s) return true;
  return false;
}

bool same_elem(const Type& a, const Type& b) { return a.elem == b.elem && a.pointer == b.pointer; }
bool is_number(const Type& t) { return !t.pointer; }
bool is_integer(const Type& t) { return !t.pointer && is_int(t.elem); }
bool is_mask_of(const Type& m, const Shape& s) { return !m.pointer && is_bool(m.elem) && m.shape == s; }
bool is_scalar_int32(const Type& t) { return t == Type::scalar(DType::Int32); }

Shape without_axis(const Shape& s, int64_t axis) {
  Shape r;
  for (int i = 0; i < s.rank; ++i)
    if (i != axis) r.push_back(s[i]);
  return r;
}

// ---- ops whose types follow a TypeRule -------------------------------------------------------------------------------

Problem by_type_rule(const Rule& r) {
  const TypeRule rule = r.op.info().rule;
  const Type& x = r.in(rule == TypeRule::Select ? 1 : 0);
  for (size_t i = rule == TypeRule::Select ? 1 : 0; i < r.operands(); ++i)
    TILESCOPE_DEMAND(r.in(i) == x, "operands differ in type: " + to_string(x) + " and " + to_string(r.in(i)));
  const bool takes = !x.pointer ? op_takes(r.op.code, x.elem) : rule == TypeRule::Select;
  TILESCOPE_DEMAND(takes, "does not take " + to_string(x));
  switch (rule) {
    case TypeRule::Same:
      TILESCOPE_DEMAND(r.out() == x, "the result has another type than the operands");
      return "";
    case TypeRule::Compare:
      TILESCOPE_DEMAND(r.out() == Type::tile(DType::Int1, x.shape), "the result is int1 of the operands' shape");
      return "";
    case TypeRule::Select:
      TILESCOPE_DEMAND(is_mask_of(r.in(0), x.shape), "the condition is int1 of the operands' shape");
      TILESCOPE_DEMAND(r.out() == x, "the result has another type than the operands");
      return "";
    case TypeRule::ToFloat:
      TILESCOPE_DEMAND(r.out() == Type::tile(DType::Float32, x.shape), "the result is float32 of the operand's shape");
      return "";
    case TypeRule::IsFloat:
      TILESCOPE_DEMAND(r.out() == Type::tile(DType::Int1, x.shape), "the result is int1 of the operand's shape");
      return "";
    case TypeRule::Explicit: break;
  }
  return "";
}

// ---- conversions -------------------------------------------------------------------------------------------------------

Problem conversion(const Rule& r) {
  const Type &x = r.in(0), &y = r.out();
  TILESCOPE_DEMAND(x.shape == y.shape, "changes the shape");
  const auto is_address = [](const Type& t) { return !t.pointer && (t.elem == DType::Int64 || t.elem == DType::UInt64); };
  switch (r.op.code) {
    case OpCode::Cast:
      TILESCOPE_DEMAND(is_number(x) && is_number(y), "converts numbers only");
      return "";
    case OpCode::Bitcast:
      TILESCOPE_DEMAND(x.pointer == y.pointer, "a pointer stays a pointer");
      TILESCOPE_DEMAND(x.pointer || dtype_bits(x.elem) == dtype_bits(y.elem), "the widths differ");
      return "";
    case OpCode::PtrToInt:
      TILESCOPE_DEMAND(x.pointer && is_address(y), "turns a pointer into int64 or uint64");
      return "";
    case OpCode::IntToPtr:
      TILESCOPE_DEMAND(is_address(x) && y.pointer, "turns int64 or uint64 into a pointer");
      return "";
    default:  // AddPtr
      TILESCOPE_DEMAND(x.pointer && x == y && is_integer(r.in(1)) && r.in(1).shape == x.shape,
                       "takes a pointer and an integer offset of one shape and gives the pointer's type");
      return "";
  }
}

Problem philox(const Rule& r) {
  const Type& x = r.in(0);
  TILESCOPE_DEMAND(!x.pointer && (x.elem == DType::UInt32 || x.elem == DType::UInt64), "takes uint32 or uint64");
  for (size_t i = 1; i < 6; ++i) TILESCOPE_DEMAND(r.in(i) == x, "operands differ in type");
  for (size_t i = 0; i < 4; ++i) TILESCOPE_DEMAND(r.out(i) == x, "results have the operands' type");
  return "";
}

// ---- shape -------------------------------------------------------------------------------------------------------------

Problem constant(const Rule& r) {
  TILESCOPE_DEMAND(r.has_int("bits"), "needs the attribute bits");
  const int width = r.out().pointer ? 64 : dtype_bits(r.out().elem);
  const uint64_t bits = static_cast<uint64_t>(r.op.int_attr("bits"));
  TILESCOPE_DEMAND(width == 64 || bits >> width == 0, "bits are set above the element's width");
  return "";
}

Problem make_range(const Rule& r) {
  TILESCOPE_DEMAND(r.has_int("start") && r.has_int("end"), "needs the attributes start and end");
  const int64_t start = r.op.int_attr("start"), end = r.op.int_attr("end");
  constexpr int64_t kLow = std::numeric_limits<int32_t>::min(), kHigh = int64_t{std::numeric_limits<int32_t>::max()} + 1;
  TILESCOPE_DEMAND(kLow <= start && start < end && end <= kHigh, "start < end, both within int32");
  TILESCOPE_DEMAND(r.out() == Type::tile(DType::Int32, {end - start}), "the result is an int32 tile of end - start");
  return "";
}

Problem expand_dims(const Rule& r) {
  const Type &x = r.in(0), &y = r.out();
  TILESCOPE_DEMAND(same_elem(x, y) && y.shape.rank == x.shape.rank + 1, "adds one axis");
  TILESCOPE_DEMAND(r.has_axis(y.shape.rank) && y.shape[static_cast<int>(r.op.int_attr("axis"))] == 1 &&
                       without_axis(y.shape, r.op.int_attr("axis")) == x.shape,
                   "the new axis has length 1, the others stay");
  return "";
}

Problem broadcast(const Rule& r) {
  const Type &x = r.in(0), &y = r.out();
  TILESCOPE_DEMAND(same_elem(x, y) && x.shape.rank == y.shape.rank, "keeps rank and elements");
  for (int i = 0; i < x.shape.rank; ++i)
    TILESCOPE_DEMAND(x.shape[i] == y.shape[i] || x.shape[i] == 1, "only axes of length 1 are repeated");
  return "";
}

Problem trans(const Rule& r) {
  const Type &x = r.in(0), &y = r.out();
  const std::vector<int64_t>& order = r.op.ints_attr("order");
  TILESCOPE_DEMAND(same_elem(x, y) && x.shape.rank == y.shape.rank && static_cast<int>(order.size()) == x.shape.rank,
                   "needs an order with one entry for each axis");
  unsigned seen = 0;
  for (int i = 0; i < x.shape.rank; ++i) {
    const int64_t from = order[static_cast<size_t>(i)];
    TILESCOPE_DEMAND(from >= 0 && from < x.shape.rank && !(seen >> from & 1), "order is no permutation");
    seen |= 1u << from;
    TILESCOPE_DEMAND(y.shape[i] == x.shape[static_cast<int>(from)], "the result's shape does not follow the order");
  }
  return "";
}

bool is_joined(const Type& part, const Type& whole) {
  const int last = whole.shape.rank - 1;
  return same_elem(part, whole) && last >= 0 && whole.shape[last] == 2 && without_axis(whole.shape, last) == part.shape;
}

Problem cat(const Rule& r) {
  const Type &x = r.in(0), &y = r.out();
  TILESCOPE_DEMAND(x == r.in(1) && x.is_tile(), "takes two tiles of one type");
  Shape s = x.shape;
  s[0] *= 2;
  TILESCOPE_DEMAND(same_elem(x, y) && y.shape == s, "doubles the first axis");
  return "";
}

Problem gather(const Rule& r) {
  const Type &x = r.in(0), &index = r.in(1), &y = r.out();
  TILESCOPE_DEMAND(is_integer(index) && index.shape.rank == x.shape.rank && r.has_axis(x.shape.rank),
                   "takes integers of the source's rank and an axis");
  for (int i = 0; i < x.shape.rank; ++i)
    TILESCOPE_DEMAND(i == r.op.int_attr("axis") || index.shape[i] == x.shape[i], "other axes than the gathered one agree");
  TILESCOPE_DEMAND(same_elem(x, y) && y.shape == index.shape, "the result has the index's shape");
  return "";
}

Problem shape_op(const Rule& r) {
  switch (r.op.code) {
    case OpCode::Constant: return constant(r);
    case OpCode::MakeRange: return make_range(r);
    case OpCode::Splat:
      TILESCOPE_DEMAND(r.in(0).is_scalar() && r.out().is_tile() && same_elem(r.in(0), r.out()), "repeats a scalar in a tile");
      return "";
    case OpCode::ExpandDims: return expand_dims(r);
    case OpCode::Broadcast: return broadcast(r);
    case OpCode::Reshape:
      TILESCOPE_DEMAND(same_elem(r.in(0), r.out()) && r.in(0).elements() == r.out().elements(), "keeps elements and their number");
      return "";
    case OpCode::Trans: return trans(r);
    case OpCode::Join:
      TILESCOPE_DEMAND(r.in(0) == r.in(1) && is_joined(r.in(0), r.out()), "stacks two tiles of one type along a last axis");
      return "";
    case OpCode::Split:
      TILESCOPE_DEMAND(r.out(0) == r.out(1) && is_joined(r.out(0), r.in(0)), "takes the last axis, of length 2, apart");
      return "";
    case OpCode::Cat: return cat(r);
    case OpCode::Gather: return gather(r);
    default:  // Flip
      TILESCOPE_DEMAND(r.in(0) == r.out() && r.has_axis(r.in(0).shape.rank), "keeps the type and needs an axis");
      return "";
  }
}

// ---- collective --------------------------------------------------------------------------------------------------------

Problem combine_region(const Rule& r) {
  TILESCOPE_DEMAND(r.has_string("combine"), "needs the attribute combine");
  const size_t n = r.operands();
  if (r.op.str_attr("combine") != "user") {
    const bool with_index = one_of(r.op.str_attr("combine"), {"argmax", "argmin", "argmax_right", "argmin_right"});
    TILESCOPE_DEMAND(with_index || is_builtin_combine(r.op.str_attr("combine")), "unknown combine");
    TILESCOPE_DEMAND(!with_index || (r.op.code == OpCode::Reduce && n == 2 && r.in(1).with_shape({}) == Type::scalar(DType::Int32)),
                     "this combine reduces values and their int32 indices");
    TILESCOPE_DEMAND(r.op.regions.empty() && (n == 1 || with_index) && is_number(r.in(0)), "a built-in combine takes one tile of numbers and no region");
    const bool bitwise = one_of(r.op.str_attr("combine"), {"and", "or", "xor"});
    TILESCOPE_DEMAND(!bitwise || is_integer(r.in(0)), "this combine takes integers");
    return "";
  }
  TILESCOPE_DEMAND(r.op.regions.size() == 1 && r.op.regions[0].args.size() == 2 * n, "needs a region with two arguments for each tile");
  const Block& b = r.op.regions[0];
  const Op& end = *b.ops.back();
  TILESCOPE_DEMAND(end.operands.size() == n, "the region yields one value for each tile");
  for (size_t i = 0; i < n; ++i) {
    const Type t = r.in(i).with_shape({});
    TILESCOPE_DEMAND(r.f.type(b.args[i]) == t && r.f.type(b.args[n + i]) == t && r.f.type(end.operands[i]) == t,
                     "the region's values are scalars of the tiles' elements");
  }
  bool pure = true;
  walk(b, [&](const Op& o) { pure = pure && o.info().group != OpGroup::Memory && o.info().group != OpGroup::Debug; });
  TILESCOPE_DEMAND(pure, "the region touches memory");
  return "";
}

Problem reduce_or_scan(const Rule& r) {
  const Shape& s = r.in(0).shape;
  TILESCOPE_DEMAND(r.has_axis(s.rank), "needs an axis of the tile");
  TILESCOPE_DEMAND(r.op.results.size() == r.operands(), "gives one result for each tile");
  const Shape out = r.op.code == OpCode::Reduce ? without_axis(s, r.op.int_attr("axis")) : s;
  for (size_t i = 0; i < r.operands(); ++i) {
    TILESCOPE_DEMAND(r.in(i).shape == s, "the tiles differ in shape");
    TILESCOPE_DEMAND(r.out(i) == r.in(i).with_shape(out), "result " + std::to_string(i) + " should be " +
                                                              to_string(r.in(i).with_shape(out)));
  }
  TILESCOPE_DEMAND(r.flag_ok("reverse"), "reverse is 0 or 1");
  return combine_region(r);
}

Problem dot(const Rule& r) {
  const Type &a = r.in(0), &b = r.in(1), &c = r.in(2);
  const int rank = a.shape.rank;
  TILESCOPE_DEMAND((rank == 2 || rank == 3) && b.shape.rank == rank && c.shape.rank == rank, "takes tiles of rank 2 or 3");
  TILESCOPE_DEMAND(is_number(a) && is_number(b) && is_number(c) && c == r.out(), "takes numbers and gives the accumulator's type");
  const int m = rank - 2, n = rank - 1;
  TILESCOPE_DEMAND(a.shape[n] == b.shape[m] && a.shape[m] == c.shape[m] && b.shape[n] == c.shape[n], "the shapes are not (M, K), (K, N), (M, N)");
  TILESCOPE_DEMAND(rank == 2 || (a.shape[0] == b.shape[0] && a.shape[0] == c.shape[0]), "the batch axes differ");
  const std::optional<DotContract> contract = parse_dot_contract(r.op.str_attr("contract"));
  TILESCOPE_DEMAND(contract.has_value(), "needs a contract, such as tc.f16.k16.f25.trunc");
  TILESCOPE_DEMAND(c.elem == accumulator_dtype(*contract), "the contract's accumulator has another type");
  TILESCOPE_DEMAND(contract_takes(*contract, a.elem) && contract_takes(*contract, b.elem), "the contract does not take these operands");
  return "";
}

Problem collective(const Rule& r) {
  switch (r.op.code) {
    case OpCode::Reduce:
    case OpCode::Scan: return reduce_or_scan(r);
    case OpCode::Dot: return dot(r);
    case OpCode::Sort:
      TILESCOPE_DEMAND(r.in(0) == r.out() && r.in(0).is_tile() && is_number(r.in(0)), "keeps the type of a tile of numbers");
      TILESCOPE_DEMAND(r.flag_ok("descending"), "descending is 0 or 1");
      return "";
    case OpCode::TopK: {
      TILESCOPE_DEMAND(r.in(0).is_tile() && is_number(r.in(0)) && r.has_int("k"), "takes a tile of numbers and k");
      Shape s = r.in(0).shape;
      const int64_t k = r.op.int_attr("k");
      TILESCOPE_DEMAND(k >= 1 && k <= s[s.rank - 1], "k is from 1 to the last axis's length");
      s[s.rank - 1] = k;
      TILESCOPE_DEMAND(r.out() == r.in(0).with_shape(s), "the result's last axis has length k");
      return "";
    }
    default:  // Histogram
      TILESCOPE_DEMAND(is_integer(r.in(0)) && r.in(0).shape.rank == 1, "takes a tile of integers of rank 1");
      TILESCOPE_DEMAND(r.operands() < 2 || is_mask_of(r.in(1), r.in(0).shape), "the mask is int1 of the tile's shape");
      TILESCOPE_DEMAND(r.out() == Type::tile(DType::Int32, r.out().shape) && r.out().shape.rank == 1, "gives an int32 tile of rank 1");
      return "";
  }
}

// ---- memory ------------------------------------------------------------------------------------------------------------

Problem memory(const Rule& r) {
  const Type& p = r.in(0);
  TILESCOPE_DEMAND(p.pointer, "the first operand is a pointer");
  const Type value = Type::tile(p.elem, p.shape);
  const bool is_load = r.op.code == OpCode::Load, is_cas = r.op.code == OpCode::AtomicCas;
  if (!is_load) TILESCOPE_DEMAND(r.in(1) == value, "the value should be " + to_string(value));
  if (r.op.info().results == 1) TILESCOPE_DEMAND(r.out() == value, "the result should be " + to_string(value));
  if (is_cas) TILESCOPE_DEMAND(r.in(2) == value, "the desired value should be " + to_string(value));
  const size_t mask = is_load ? 1 : 2;
  if (!is_cas && r.operands() > mask) TILESCOPE_DEMAND(is_mask_of(r.in(mask), p.shape), "the mask is int1 of the pointers' shape");
  if (is_load && r.operands() == 3) TILESCOPE_DEMAND(r.in(2) == value, "`other` should be " + to_string(value));
  if (r.op.code == OpCode::AtomicRmw) {
    const std::string_view kind = r.op.str_attr("kind");
    TILESCOPE_DEMAND(one_of(kind, {"add", "max", "min", "and", "or", "xor", "xchg"}), "unknown kind");
    TILESCOPE_DEMAND(is_integer(value) || one_of(kind, {"add", "max", "min", "xchg"}), "this kind takes integers");
  }
  if (is_cas || r.op.code == OpCode::AtomicRmw) {
    const std::string_view sem = r.op.str_attr("sem"), scope = r.op.str_attr("scope");
    TILESCOPE_DEMAND(one_of(sem, {"", "relaxed", "acquire", "release", "acq_rel"}), "unknown sem");
    TILESCOPE_DEMAND(one_of(scope, {"", "gpu", "cta", "sys"}), "unknown scope");
  }
  return "";
}

// ---- control -----------------------------------------------------------------------------------------------------------

/// `values` should have the types of `like`, from its `first` on.
bool types_agree(const Function& f, const std::vector<ValueId>& values, size_t skip, const std::vector<ValueId>& like, size_t first) {
  if (values.size() < skip || like.size() < first || values.size() - skip != like.size() - first) return false;
  for (size_t i = 0; i + first < like.size(); ++i)
    if (!(f.type(values[i + skip]) == f.type(like[i + first]))) return false;
  return true;
}

Problem control(const Rule& r) {
  const Op& op = r.op;
  const auto end = [&](size_t region) -> const Op& { return *op.regions[region].ops.back(); };
  switch (op.code) {
    case OpCode::For:
      TILESCOPE_DEMAND(op.regions.size() == 1, "has one region");
      TILESCOPE_DEMAND(r.in(0).is_scalar() && is_integer(r.in(0)) && !is_bool(r.in(0).elem) && r.in(1) == r.in(0) && r.in(2) == r.in(0),
                       "lower, upper and step are integer scalars of one type");
      TILESCOPE_DEMAND(!op.regions[0].args.empty() && r.f.type(op.regions[0].args[0]) == r.in(0), "the first argument is the induction variable");
      TILESCOPE_DEMAND(types_agree(r.f, op.results, 0, op.operands, 3) && types_agree(r.f, op.regions[0].args, 1, op.operands, 3) &&
                           types_agree(r.f, end(0).operands, 0, op.operands, 3),
                       "initial values, arguments, yielded values and results agree in type");
      return "";
    case OpCode::While:
      TILESCOPE_DEMAND(op.regions.size() == 2, "has two regions");
      TILESCOPE_DEMAND(r.f.type(end(0).operands[0]) == Type::scalar(DType::Int1), "the condition is an int1 scalar");
      TILESCOPE_DEMAND(types_agree(r.f, op.regions[0].args, 0, op.operands, 0) && types_agree(r.f, end(1).operands, 0, op.operands, 0),
                       "initial values, the first region's arguments and yielded values agree in type");
      TILESCOPE_DEMAND(types_agree(r.f, op.results, 0, end(0).operands, 1) && types_agree(r.f, op.regions[1].args, 0, end(0).operands, 1),
                       "the condition's values, the second region's arguments and the results agree in type");
      return "";
    case OpCode::If:
      TILESCOPE_DEMAND(op.regions.size() == 2 && op.regions[0].args.empty() && op.regions[1].args.empty(), "has two regions without arguments");
      TILESCOPE_DEMAND(r.in(0) == Type::scalar(DType::Int1), "the condition is an int1 scalar");
      TILESCOPE_DEMAND(types_agree(r.f, end(0).operands, 0, op.results, 0) && types_agree(r.f, end(1).operands, 0, op.results, 0),
                       "yielded values and results agree in type");
      return "";
    default: return "";
  }
}

Problem debug(const Rule& r) {
  if (r.op.find_attr("text") != nullptr) TILESCOPE_DEMAND(r.has_string("text"), "text is a string");
  if (r.op.code != OpCode::Assert) return "";
  TILESCOPE_DEMAND(is_mask_of(r.in(0), r.in(0).shape), "the condition is int1");
  TILESCOPE_DEMAND(r.operands() < 2 || is_mask_of(r.in(1), r.in(0).shape), "the mask is int1 of the condition's shape");
  return "";
}

Problem explicit_rule(const Rule& r) {
  switch (r.op.info().group) {
    case OpGroup::Elementwise: return r.op.code == OpCode::Philox ? philox(r) : conversion(r);
    case OpGroup::Shape: return shape_op(r);
    case OpGroup::Collective: return collective(r);
    case OpGroup::Memory: return memory(r);
    case OpGroup::Program:
      TILESCOPE_DEMAND(r.has_axis(3) && is_scalar_int32(r.out()), "needs an axis from 0 to 2 and gives an int32 scalar");
      return "";
    case OpGroup::Control: return control(r);
    case OpGroup::Debug: return debug(r);
  }
  return "";
}

}  // namespace

std::string type_problem(const Type& t) {
  if (t.shape.rank < 0 || t.shape.rank > kMaxRank) return "a tile has at most 8 axes";
  int64_t elements = 1;
  for (int i = 0; i < t.shape.rank; ++i) {
    const int64_t n = t.shape[i];
    if (n < 1 || (n & (n - 1)) != 0) return "axis " + std::to_string(i) + " is " + std::to_string(n) + ", not a power of two";
    if (n > kMaxTileElements / elements) return "a tile has at most 1048576 elements";
    elements *= n;
  }
  return "";
}

namespace {
constexpr std::pair<OpCode, std::string_view> kCombines[] = {
    {OpCode::Add, "sum"},           {OpCode::Mul, "prod"},           {OpCode::Maximum, "max"},
    {OpCode::Minimum, "min"},       {OpCode::MaximumNan, "max_nan"}, {OpCode::MinimumNan, "min_nan"},
    {OpCode::BitAnd, "and"},        {OpCode::BitOr, "or"},           {OpCode::BitXor, "xor"},
};
}  // namespace

std::string_view combine_of(OpCode op) {
  for (const auto& [code, name] : kCombines)
    if (code == op) return name;
  return "";
}

bool is_builtin_combine(std::string_view combine) {
  for (const auto& [code, name] : kCombines)
    if (name == combine) return true;
  return false;
}

std::string op_problem(const Function& f, const Op& op) {
  const OpInfo& info = op.info();
  const int operands = static_cast<int>(op.operands.size()), results = static_cast<int>(op.results.size());
  if (operands < info.min_operands || (info.max_operands >= 0 && operands > info.max_operands)) return "wrong number of operands";
  if (info.results >= 0 && results != info.results) return "wrong number of results";
  const bool may_have_regions = op.code == OpCode::For || op.code == OpCode::While || op.code == OpCode::If ||
                                op.code == OpCode::Reduce || op.code == OpCode::Scan;
  if (!may_have_regions && !op.regions.empty()) return "has no regions";
  const Rule rule{f, op};
  return info.rule == TypeRule::Explicit ? explicit_rule(rule) : by_type_rule(rule);
}

}  // namespace tilescope
