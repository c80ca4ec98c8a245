// Triton's rules for operators: the element type of a result, implicit broadcasting, and what is refused.
#include "core/lower/semantics.h"
#include "core/words.h"

#include <algorithm>

namespace tilescope::lower {
namespace {

int kind(DType t) { return is_bool(t) ? 0 : is_int(t) ? 1 : 2; }
bool is_fp8(DType t) { return is_float(t) && dtype_bits(t) == 8; }
/// As Triton counts it: int1 is unsigned.
bool is_signed(DType t) { return is_signed_int(t); }

DType promote_integers(DType a, DType b) {
  const int bits_a = dtype_bits(a), bits_b = dtype_bits(b);
  if (is_signed(a) == is_signed(b)) return bits_a > bits_b ? a : b;
  if (!is_signed(a)) return bits_a >= bits_b ? a : b;
  return bits_b >= bits_a ? b : a;
}

std::string shape_label(const Type& t) { return remember(t.is_scalar() ? say(CoreWords::ScalarLabel) : say(CoreWords::ShapeLabel, {{"shape", to_string(t.shape)}})); }

/// One operand while an operator is typed: the value as written and its run-time form.
struct Side {
  const Value& value;
  bool number;            ///< a Python number, which takes part in promotion by its kind only
  ValueId id = kNoValue;  ///< of a number: once it has its final type
};

Type type_of(Context& c, const Side& s) {
  return s.id == kNoValue ? Type::scalar(number_type(c, s.value)) : c.type(s.id);
}

Diagnostic two_sided(Context& c, const Side& a, const Side& b, std::string message) {
  const Function& f = c.b().function();
  Diagnostic d;
  d.message = std::move(message);
  d.range = a.value.range;
  d.range_label = describe(a.value, f);
  d.labels.push_back({b.value.range, describe(b.value, f)});
  return d;
}

/// "it" when the operand is no short text.
std::string name_of(const Value& v) {
  std::string t = text_of(v.range);
  return t.empty() || t.size() > 24 ? "x" : t;
}

bool plain_name(const std::string& s) {
  return !s.empty() && std::all_of(s.begin(), s.end(),
                                   [](char ch) { return std::isalnum(static_cast<unsigned char>(ch)) || ch == '_'; });
}

/// Recognises the usual mistakes with [:, None].
Words broadcast_hint(const Value& a, const Shape& sa, const Value& b, const Shape& sb) {
  if (sa.rank == 2 && sb.rank == 2 && sa[1] == 1 && sb[1] == 1)
    return say(CoreWords::BothColumns);
  if (sa.rank == 2 && sb.rank == 2 && sa[0] == 1 && sb[0] == 1)
    return say(CoreWords::BothRows);
  const bool a_is_flat = sa.rank == 1 && sb.rank == 2, b_is_flat = sb.rank == 1 && sa.rank == 2;
  if (a_is_flat || b_is_flat) {
    const Value& flat = a_is_flat ? a : b;
    const Shape &one = a_is_flat ? sa : sb, &two = a_is_flat ? sb : sa;
    const std::string name = name_of(flat);
    if (one[0] == two[0])
      return say(CoreWords::LinesUpWithRows, {{"name", plain_name(name) ? name : "(" + name + ")"}, {"shape", to_string(Shape{one[0], 1})}, {"n", one[0]}});
    return say(CoreWords::FlatIsRow);
  }
  if (sa.rank == 1 && sb.rank == 1)
    return say(CoreWords::EveryWithEvery);
  if (sa.rank == 2 && sb.rank == 2 && sa[0] == sb[1] && sa[1] == sb[0] && sa[0] != sb[0])
    return say(CoreWords::TransposedSwap);
  return say(CoreWords::AxesEqualOrOne);
}

Shape leading_ones(const Shape& s, int rank) {
  Shape out;
  for (int i = s.rank; i < rank; ++i) out.push_back(1);
  for (int i = 0; i < s.rank; ++i) out.push_back(s[i]);
  return out;
}

void broadcast_both(Context& c, Side& a, Side& b, const SourceRange& range) {
  const Type ta = c.type(a.id), tb = c.type(b.id);
  if (ta.shape == tb.shape) return;
  if (ta.is_scalar())
    a.id = c.b().splat(a.id, tb.shape);
  else if (tb.is_scalar())
    b.id = c.b().splat(b.id, ta.shape);
  else {
    const int rank = std::max(ta.shape.rank, tb.shape.rank);
    const Shape sa = leading_ones(ta.shape, rank), sb = leading_ones(tb.shape, rank);
    Shape result;
    for (int i = 0; i < rank; ++i) {
      if (sa[i] != sb[i] && sa[i] != 1 && sb[i] != 1) {
        Diagnostic d =
            two_sided(c, a, b,
                      remember(say(CoreWords::CannotBroadcastTwo, {{"a", to_string(ta.shape)}, {"b", to_string(tb.shape)}, {"axis", i}, {"m", sa[i]}, {"n", sb[i]}})));
        d.range_label = shape_label(ta);
        d.labels[0].text = shape_label(tb);
        d.hint = remember(broadcast_hint(a.value, ta.shape, b.value, tb.shape));
        c.fail(std::move(d));
      }
      result.push_back(std::max(sa[i], sb[i]));
    }
    if (result.elements() > kMaxTileElements)
      c.fail(range, "the result has shape " + to_string(result) + ", which is more than 2^20 = 1048576 elements",
             "use a smaller block");
    while (c.type(a.id).shape.rank < rank) a.id = c.b().expand_dims(a.id, 0);
    while (c.type(b.id).shape.rank < rank) b.id = c.b().expand_dims(b.id, 0);
    a.id = c.b().broadcast(a.id, result);
    b.id = c.b().broadcast(b.id, result);
  }
}

bool integer_fits(ConstInt n, DType t) {
  const int bits = dtype_bits(t);
  if (!is_signed(t)) return n >= 0 && n < (ConstInt{1} << bits);
  return n >= -(ConstInt{1} << (bits - 1)) && n < (ConstInt{1} << (bits - 1));
}

/// The Python number of `s` as an element of type `t`.
void place_number(Context& c, Side& s, const Side& other, DType t) {
  const bool integer = s.value.is<ConstInt>() || s.value.is<bool>();
  if (integer && is_int(t)) {
    const ConstInt n = s.value.is<bool>() ? ConstInt{s.value.as<bool>()} : s.value.as<ConstInt>();
    if (!integer_fits(n, t)) {
      Diagnostic d =
          two_sided(c, s, other, "the number " + to_string(n) + " is out of range for " + std::string(dtype_name(t)));
      d.hint = "a Python number takes the tile's type; widen the tile first, for example .to(tl.int32)";
      if (n < 0 && !is_signed(t)) d.hint = "convert the unsigned operand to a signed type first";
      c.fail(std::move(d));
    }
  }
  s.id = number_constant(c, s.value, t);
}

void check_promotable(Context& c, const Side& a, const Side& b, DType ta, DType tb, bool is_division) {
  if ((is_fp8(ta) && is_int(tb)) || (is_fp8(tb) && is_int(ta))) {
    if (a.number != b.number && kind(a.number ? ta : tb) <= kind(a.number ? tb : ta)) return;
    Diagnostic d =
        two_sided(c, a, b, "no common type for " + std::string(dtype_name(ta)) + " and " + std::string(dtype_name(tb)));
    d.hint = "convert the float8 operand first: .to(tl.float32)";
    c.fail(std::move(d));
  }
  const bool scalar_rule = a.number != b.number && kind(a.number ? ta : tb) <= kind(a.number ? tb : ta);
  if (is_division && !scalar_rule && is_int(ta) && is_int(tb) && is_signed(ta) != is_signed(tb)) {
    Diagnostic d = two_sided(c, a, b,
                             "cannot divide " + std::string(dtype_name(ta)) + " by " + std::string(dtype_name(tb)) +
                                 ": one is signed, the other is not");
    d.hint = "convert one of them so that both are signed or both unsigned";
    c.fail(std::move(d));
  }
}

void promote_both(Context& c, Side& a, Side& b, bool is_division) {
  const Function& f = c.b().function();
  for (Side* s : {&a, &b})
    if (s->id == kNoValue && !s->number) s->id = to_tensor(c, s->value);
  const Type ta = type_of(c, a), tb = type_of(c, b);
  if (ta.pointer && tb.pointer && ta.elem == tb.elem) return;
  if (ta.pointer || tb.pointer) {
    Diagnostic d = two_sided(c, a, b, "no common type for " + describe(a.value, f) + " and " + describe(b.value, f));
    c.fail(std::move(d));
  }
  check_promotable(c, a, b, ta.elem, tb.elem, is_division);
  const DType t = promote(ta.elem, a.number, tb.elem, b.number, is_division);
  if (a.number)
    place_number(c, a, b, t);
  else
    a.id = cast_to(c, a.id, {t, false, {}}, false, a.value.range);
  if (b.number)
    place_number(c, b, a, t);
  else
    b.id = cast_to(c, b.id, {t, false, {}}, false, b.value.range);
}

ValueId pointer_arithmetic(Context& c, const std::string& op, Side a, Side b, const SourceRange& range) {
  for (Side* s : {&a, &b})
    if (s->id == kNoValue) s->id = to_tensor(c, s->value);
  const bool swapped = !c.type(a.id).pointer;
  const Type offset = c.type(swapped ? a.id : b.id);
  const std::string both = describe(a.value, c.b().function()) + " and " + describe(b.value, c.b().function());
  std::string message, hint;
  if (offset.pointer) {
    message = op == "-" ? "cannot subtract pointers" : "cannot apply `" + op + "` to two pointers";
    hint = "convert both with .to(tl.int64) to compute with addresses in bytes";
  } else if (op != "+" && op != "-") {
    message = "cannot apply `" + op + "` to " + both;
    hint = "a pointer can only be moved by an integer count of elements: pointer + offset";
  } else if (op == "-" && swapped) {
    message = "cannot subtract a pointer from a number";
    hint = "write pointer - offset";
  } else if (!is_int(offset.elem)) {
    message = "a pointer moves by integers, not by " + std::string(dtype_name(offset.elem));
    hint = "convert the offset with .to(tl.int32), or divide with // instead of /";
  }
  if (!message.empty()) {
    Diagnostic d = two_sided(c, a, b, message);
    d.hint = hint;
    c.fail(std::move(d));
  }
  broadcast_both(c, a, b, range);
  if (swapped) std::swap(a.id, b.id);
  if (op == "-" && is_bool(c.type(b.id).elem)) b.id = c.b().cast(b.id, DType::Int32);
  if (op == "-") b.id = c.b().elementwise(OpCode::Neg, {b.id});
  return c.b().addptr(a.id, b.id);
}

const std::pair<const char*, OpCode> kArithmetic[] = {
    {"+", OpCode::Add},   {"-", OpCode::Sub},    {"*", OpCode::Mul},    {"/", OpCode::Div},    {"//", OpCode::Div},
    {"%", OpCode::Rem},   {"&", OpCode::BitAnd}, {"|", OpCode::BitOr},  {"^", OpCode::BitXor}, {"<<", OpCode::Shl},
    {">>", OpCode::Shr},  {"==", OpCode::CmpEq}, {"!=", OpCode::CmpNe}, {"<", OpCode::CmpLt},  {"<=", OpCode::CmpLe},
    {">", OpCode::CmpGt}, {">=", OpCode::CmpGe},
};

OpCode arithmetic_op(const std::string& op) {
  for (const auto& [spelling, code] : kArithmetic)
    if (op == spelling) return code;
  internal_error("no operator " + op);
}

bool is_bitwise(const std::string& op) { return op == "&" || op == "|" || op == "^" || op == "<<" || op == ">>"; }

bool is_compare(OpCode code) { return op_info(code).rule == TypeRule::Compare; }

/// The shift's sign rule follows the operand before promotion: a signed left side shifts in its sign.
ValueId shift_right(Context& c, ValueId a, ValueId b, bool arithmetic) {
  const DType t = c.type(a).elem;
  if (is_bool(t) || is_signed(t) == arithmetic) return c.b().elementwise(OpCode::Shr, {a, b});
  const DType other = int_type(dtype_bits(t), arithmetic);
  ValueId r = c.b().elementwise(OpCode::Shr, {c.b().bitcast(a, other), c.b().bitcast(b, other)});
  return c.b().bitcast(r, t);
}

void refuse_floats(Context& c, const std::string& op, const Side& a, const Side& b, DType t) {
  if (is_int(t)) return;
  std::string hint = "convert with .to(tl.int32), or look at the bits with .to(tl.int32, bitcast=True)";
  if (op == "//") hint = "write tl.floor(x / y) for floats";
  Diagnostic d = two_sided(c, a, b, "`" + op + "` works on integers only, these are " + std::string(dtype_name(t)));
  d.hint = hint;
  c.fail(std::move(d));
}

void warn_wide_shift(Context& c, const std::string& op, const Side& a, const Side& b) {
  if ((op != "<<" && op != ">>") || !b.value.is<ConstInt>()) return;
  const int bits = dtype_bits(c.type(a.id).elem);
  if (b.value.as<ConstInt>() >= bits)
    c.note(b.value.range, "a shift by " + to_string(b.value.as<ConstInt>()) + " moves every bit of an operand of " +
                              std::to_string(bits) + " bits out");
}

ValueId run_time_binary(Context& c, const std::string& op, const Value& lhs, const Value& rhs,
                        const SourceRange& range) {
  const OpCode code = arithmetic_op(op);
  const bool division = op == "/" || op == "//" || op == "%";
  // Comparisons turn a Python number into a tensor first: then it is promoted like any other.
  Side a{lhs, lhs.is_const_number() && !is_compare(code)}, b{rhs, rhs.is_const_number() && !is_compare(code)};
  if (!a.number) a.id = to_tensor(c, lhs);
  if (!b.number) b.id = to_tensor(c, rhs);
  if (type_of(c, a).pointer || type_of(c, b).pointer) return pointer_arithmetic(c, op, a, b, range);
  const bool arithmetic_shift = is_signed(type_of(c, lhs.is_tensor() ? a : b).elem);
  promote_both(c, a, b, division);
  const DType t = c.type(a.id).elem;
  if (op == "//" || is_bitwise(op)) refuse_floats(c, op, a, b, t);
  if (is_bool(t) && (op == "//" || op == "%" || op == "<<" || op == ">>")) {
    Diagnostic d = two_sided(c, a, b, "`" + op + "` does not work on int1");
    d.hint = "convert first: .to(tl.int32)";
    c.fail(std::move(d));
  }
  if (op == "/" && is_int(t)) {
    a.id = c.b().cast(a.id, DType::Float32);
    b.id = c.b().cast(b.id, DType::Float32);
  }
  broadcast_both(c, a, b, range);
  warn_wide_shift(c, op, a, b);
  if (op == ">>") return shift_right(c, a.id, b.id, arithmetic_shift);
  return c.b().elementwise(code, {a.id, b.id});
}

}  // namespace

std::string text_of(const SourceRange& range) {
  if (!range.valid() || range.line != range.end_line || range.column < 1) return {};
  const std::string_view line = range.file->line(range.line);
  const size_t start = static_cast<size_t>(range.column) - 1;
  if (start >= line.size() || range.end_column <= range.column) return {};
  return std::string(line.substr(start, static_cast<size_t>(range.end_column - range.column)));
}

SourceRange join(const SourceRange& a, const SourceRange& b) {
  if (!a.valid() || a.file != b.file) return b;
  SourceRange r = a;
  r.end_line = b.end_line;
  r.end_column = b.end_column;
  return r;
}

DType promote(DType a, bool a_is_scalar, DType b, bool b_is_scalar, bool is_division) {
  if (a_is_scalar != b_is_scalar) {
    const DType scalar = a_is_scalar ? a : b, tile = a_is_scalar ? b : a;
    if (kind(scalar) <= kind(tile)) {
      if (is_division && (tile == DType::Float16 || tile == DType::BFloat16)) return DType::Float32;
      return tile;
    }
  }
  const auto either = [&](DType t) { return a == t || b == t; };
  if (either(DType::Float64)) return DType::Float64;
  if (either(DType::Float32)) return DType::Float32;
  if (either(DType::Float16)) return is_division ? DType::Float32 : DType::Float16;
  if (a == DType::BFloat16 && b == DType::BFloat16) return is_division ? DType::Float32 : DType::BFloat16;
  if (either(DType::BFloat16)) return DType::Float32;
  if (is_fp8(a) && is_fp8(b)) return a == b ? a : DType::Float16;
  if (is_float(a) || is_float(b)) return DType::Float32;  // float8 with an integer: refused before
  return promote_integers(a, b);
}

std::pair<ValueId, ValueId> promote_and_broadcast(Context& c, const Value& a, const Value& b, const SourceRange& range,
                                                  bool is_division) {
  Side x{a, a.is_const_number()}, y{b, b.is_const_number()};
  promote_both(c, x, y, is_division);
  broadcast_both(c, x, y, range);
  return {x.id, y.id};
}

Value binary(Context& c, const std::string& op, const Value& lhs, const Value& rhs, const SourceRange& range) {
  if (is_compile_time(lhs) && is_compile_time(rhs)) return const_binary(c, op, lhs, rhs, range);
  const bool tuples = lhs.is<TupleValue>() && rhs.is<TupleValue>();
  if (tuples && op == "+") return const_binary(c, op, lhs, rhs, range);
  const Function& f = c.b().function();
  for (const Value* v : {&lhs, &rhs}) {
    if (v->is_tensor() || v->is_const_number()) continue;
    Diagnostic d = two_sided(c, {lhs, false}, {rhs, false},
                             "`" + op + "` does not work on " + describe(lhs, f) + " and " + describe(rhs, f));
    if (v->is<NoneValue>()) d.hint = "guard the code with `if x is not None:`, so that it is left out when x is None";
    if (v->is<TupleValue>()) d.hint = "index the tuple: t[0], t[1] ...";
    if (v->is<BlockPointerValue>()) d.hint = "move a block pointer with tl.advance(p, (rows, columns))";
    c.fail(std::move(d));
  }
  if (op == "**") c.fail(range, "`**` works on constexprs only", "write x * x, tl.exp2(n), or libdevice.pow(x, y)");
  return {TensorValue{run_time_binary(c, op, lhs, rhs, range)}, range};
}

Value unary(Context& c, const std::string& op, const Value& x, const SourceRange& range) {
  if (is_compile_time(x)) return const_unary(c, op, x, range);
  if (!x.is_tensor()) c.fail(range, "`" + op + "` does not work on " + describe(x, c.b().function()));
  const ValueId id = x.as<TensorValue>().id;
  const Type t = c.type(id);
  if (op == "not") {
    if (!t.pointer && is_bool(t.elem)) return {TensorValue{c.b().elementwise(OpCode::BitNot, {id})}, range};
    c.fail(range, "`not` needs an int1, found " + describe(x, c.b().function()),
           "compare instead: " + name_of(x) + " == 0");
  }
  if (t.pointer) c.fail(range, "`" + op + "` does not work on a pointer");
  if (op == "+") return {TensorValue{id}, range};
  if (op == "-" && is_bool(t.elem))
    return {TensorValue{c.b().elementwise(OpCode::Sub, {c.b().constant_bits(t, 0), id})}, range};
  if (op == "-") return {TensorValue{c.b().elementwise(OpCode::Neg, {id})}, range};
  if (is_float(t.elem))
    c.fail(range, "`~` works on integers only, this is " + std::string(dtype_name(t.elem)),
           "look at the bits with .to(tl.int32, bitcast=True)");
  return {TensorValue{c.b().elementwise(OpCode::BitNot, {id})}, range};
}

}  // namespace tilescope::lower
