// Random numbers: Philox 4x32-10 keyed by the seed, counted by the offset, bit for bit as in Triton. tl.rand and its
// kin use 32-bit words whatever the offset's width: a 64-bit offset fills two counters. Only tl.philox called with
// 64-bit counters uses 4x64.
#include "core/lower/builtins_math.h"

namespace tilescope::lower {
namespace {

constexpr int kRounds = 10;

ValueId require_integer(Context& c, const Value& v, const std::string& what) {
  ValueId id = require_tensor(c, v, what);
  const Type t = c.type(id);
  if (t.pointer || !is_int(t.elem)) c.fail(v.range, what + " must be an integer, not " + type_name(t));
  return id;
}

/// Four words from a key of two and a counter of four, all of one unsigned type.
std::vector<Value> philox_words(Context& c, std::vector<Operand> key, std::vector<Operand> counters,
                                const Value& rounds, const SourceRange& range) {
  ConstInt n = require_const_int(c, rounds, "n_rounds");
  if (n < 0 || n > 64) c.fail(rounds.range, "n_rounds must be from 0 to 64");
  std::vector<Operand> all = key;
  all.insert(all.end(), counters.begin(), counters.end());
  const Shape shape = common_shape(c, all, range);
  std::vector<ValueId> operands;
  for (const Operand& o : all) operands.push_back(expand_to(c, o.id, shape));
  std::vector<Value> words;
  if (n == kRounds) {
    const Type word = c.type(operands[0]);
    for (ValueId w : c.b().create(OpCode::Philox, operands, {word, word, word, word}).results)
      words.push_back(make_value(w, range));
    return words;
  }
  std::vector<CallArg> args;
  for (int i : {2, 3, 4, 5, 0, 1}) args.push_back({"", make_value(operands[static_cast<size_t>(i)], range)});
  args.push_back({"", rounds});
  return c.call_prelude("_philox_rounds", std::move(args), range).as<TupleValue>().items;
}

/// The seed's low and high 32 bits.
std::vector<Operand> key32(Context& c, const Value& seed) {
  ValueId s = cast_to(c, require_integer(c, seed, "the seed"), {DType::UInt64, false}, false, seed.range);
  const Type wide = c.type(s);
  ValueId high = c.b().elementwise(OpCode::Shr, {s, c.b().constant_int(wide, 32)});
  return {{c.b().cast(s, DType::UInt32), seed.range}, {c.b().cast(high, DType::UInt32), seed.range}};
}

/// tl.rand4x alone calls its second argument `offsets`.
std::vector<Value> random_words(Context& c, const Args& args, const SourceRange& range, const char* name = "offset") {
  const Value& offset = args[name];
  ValueId x = require_integer(c, offset, "the offset");
  const Type t = c.type(x);
  ValueId low = cast_to(c, x, {DType::UInt32, false}, false, offset.range);
  ValueId zero = c.b().constant_int(c.type(low), 0);
  ValueId high = zero;
  if (dtype_bits(t.elem) > 32)
    high = c.b().cast(c.b().elementwise(OpCode::Shr, {x, c.b().constant_int(t, 32)}), DType::UInt32);
  std::vector<Operand> counters = {
      {low, offset.range}, {high, offset.range}, {zero, offset.range}, {zero, offset.range}};
  return philox_words(c, key32(c, args["seed"]), counters, args["n_rounds"], range);
}

ValueId uniform_of(Context& c, const Value& word) {
  return c.b().elementwise(OpCode::UintToUniform, {word.as<TensorValue>().id});
}

/// The first `count` words as uniform floats.
std::vector<Value> uniforms(Context& c, const Args& args, size_t count, const SourceRange& range,
                            const char* name = "offset") {
  std::vector<Value> words = random_words(c, args, range, name), out;
  for (size_t i = 0; i < count; ++i) out.push_back(make_value(uniform_of(c, words[i]), range));
  return out;
}

std::vector<Value> normal_pair(Context& c, const Value& u1, const Value& u2, const SourceRange& range) {
  return c.call_prelude("pair_uniform_to_normal", {{"", u1}, {"", u2}}, range).as<TupleValue>().items;
}

Value randint(Context& c, Call& call) {
  Args args(c, call);
  return random_words(c, args, call.range)[0];
}
Value randint4x(Context& c, Call& call) {
  Args args(c, call);
  return make_tuple_value(random_words(c, args, call.range), call.range);
}
Value rand(Context& c, Call& call) {
  Args args(c, call);
  return uniforms(c, args, 1, call.range)[0];
}
Value rand4x(Context& c, Call& call) {
  Args args(c, call);
  return make_tuple_value(uniforms(c, args, 4, call.range, "offsets"), call.range);
}
Value randn(Context& c, Call& call) {
  Args args(c, call);
  std::vector<Value> u = uniforms(c, args, 2, call.range);
  return normal_pair(c, u[0], u[1], call.range)[0];
}
Value randn4x(Context& c, Call& call) {
  Args args(c, call);
  std::vector<Value> u = uniforms(c, args, 4, call.range);
  std::vector<Value> n = normal_pair(c, u[0], u[1], call.range), m = normal_pair(c, u[2], u[3], call.range);
  n.insert(n.end(), m.begin(), m.end());
  return make_tuple_value(std::move(n), call.range);
}

Value philox(Context& c, Call& call) {
  Args args(c, call);
  std::vector<Operand> counters;
  int bits = 0;
  for (const char* name : {"c0", "c1", "c2", "c3"}) {
    const Value& v = args[name];
    ValueId id = require_integer(c, v, name);
    const int width = dtype_bits(c.type(id).elem);
    if (bits == 0) bits = width;
    if (width != bits || (bits != 32 && bits != 64))
      c.fail(v.range,
             "the counters of tl.philox must all be 32-bit or all 64-bit integers, not " + type_name(c.type(id)));
    counters.push_back({c.b().bitcast(id, int_type(bits, false)), v.range});
  }
  std::vector<Operand> key;
  if (bits == 32) {
    key = key32(c, args["seed"]);
  } else {
    const Value& seed = args["seed"];
    ValueId low = cast_to(c, require_integer(c, seed, "the seed"), {DType::UInt64, false}, false, seed.range);
    // Triton's high word has shape [1], which makes scalars tiles of one element.
    key = {{low, seed.range}, {c.b().constant_int(Type::tile(DType::UInt64, Shape{1}), 0), seed.range}};
  }
  return make_tuple_value(philox_words(c, key, counters, args["n_rounds"], call.range), call.range);
}

Value uint_to_uniform_float(Context& c, Call& call) {
  Args args(c, call);
  const Value& v = args["x"];
  ValueId x = require_integer(c, v, "x");
  const int bits = dtype_bits(c.type(x).elem);
  if (bits < 32) c.fail(v.range, "x must be a 32- or 64-bit integer, not " + type_name(c.type(x)));
  return make_value(c.b().elementwise(OpCode::UintToUniform, {c.b().bitcast(x, int_type(bits, false))}), call.range);
}

Value pair_uniform_to_normal(Context& c, Call& call) {
  Args args(c, call);
  return make_tuple_value(normal_pair(c, args["u1"], args["u2"], call.range), call.range);
}

}  // namespace

const std::vector<BuiltinRow>& random_rows() {
  static constexpr const char* kSignature = "(seed, offset, n_rounds=10)";
  static const std::vector<BuiltinRow> rows = {
      {"tl.randint", kSignature, randint, "random uint32 for each offset"},
      {"tl.randint4x", kSignature, randint4x, "four random uint32 for each offset"},
      {"tl.rand", kSignature, rand, "random float32 in [0, 1) for each offset"},
      {"tl.rand4x", "(seed, offsets, n_rounds=10)", rand4x, "four random float32 in [0, 1) for each offset"},
      {"tl.randn", kSignature, randn, "normal random float32 for each offset"},
      {"tl.randn4x", kSignature, randn4x, "four normal random float32 for each offset"},
      {"tl.philox", "(seed, c0, c1, c2, c3, n_rounds=10)", philox, "Philox words of a key and a counter"},
      {"tl.uint_to_uniform_float", "(x)", uint_to_uniform_float, "random integer to a float32 in [0, 1)"},
      {"tl.pair_uniform_to_normal", "(u1, u2)", pair_uniform_to_normal, "Box-Muller: two uniforms to two normals"},
  };
  return rows;
}

}  // namespace tilescope::lower
