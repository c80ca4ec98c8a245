// tl.inline_asm_elementwise: a small part of PTX, read and lowered to the operations that it names. What lies outside is
// refused by the name of the instruction.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>

#include "core/lower/builtins_math.h"
#include "core/lower/semantics.h"

namespace tilescope::lower {
namespace {

constexpr size_t kMaxInstructions = 256;

/// `fma.rn.f32 d, a, b, c` in parts.
struct Instruction {
  std::string text, name;
  std::vector<std::string> modifiers;
  std::vector<DType> types;  ///< of the suffixes, in order
  std::vector<bool> bits;    ///< the type was a .b: only a width
  std::vector<std::string> operands;
  std::string guard;     ///< "p" of `@p mov.f32 ...`; empty without one
  bool negated = false;  ///< `@!p`
};

std::string trimmed(std::string_view s) {
  const size_t first = s.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "";
  return std::string(s.substr(first, s.find_last_not_of(" \t\r\n") - first + 1));
}

std::vector<std::string> split(std::string_view s, char at) {
  std::vector<std::string> out;
  for (size_t from = 0; from <= s.size();) {
    const size_t to = std::min(s.find(at, from), s.size());
    out.push_back(trimmed(s.substr(from, to - from)));
    from = to + 1;
  }
  return out;
}

std::optional<DType> ptx_type(const std::string& suffix) {
  static const std::map<std::string, DType> kTypes = {
      {"f32", DType::Float32}, {"f64", DType::Float64}, {"f16", DType::Float16}, {"bf16", DType::BFloat16},
      {"s32", DType::Int32},   {"u32", DType::UInt32},  {"b32", DType::UInt32},  {"s16", DType::Int16},
      {"u16", DType::UInt16},  {"b16", DType::UInt16},  {"s64", DType::Int64},   {"u64", DType::UInt64},
      {"b64", DType::UInt64}};
  const auto it = kTypes.find(suffix);
  return it == kTypes.end() ? std::nullopt : std::optional(it->second);
}

class Assembly {
 public:
  Assembly(Context& c, const Args& args, const SourceRange& range) : c_(c), range_(range), place_(args["asm"].range) {
    if (!place_.valid()) place_ = range;
    const Value& inputs = args["args"];
    given_ = inputs.is<TupleValue>() ? inputs.as<TupleValue>().items : std::vector<Value>{inputs};
    const ConstInt pack = require_const_int(c, args["pack"], "pack");
    if (pack < 1 || pack > 8 || (pack & (pack - 1)) != 0)
      c.fail(args["pack"].range, "pack must be 1, 2, 4 or 8, not " + to_string(pack));
    pack_ = static_cast<size_t>(pack);
    shape_ = shape_of_inputs();
    if (pack_ > 1) spread_inputs();
    size_t inputs_wanted = 0;
    for (const std::string& constraint : split(require_const_string(c, args["constraints"], "constraints"), ','))
      ++(constraint.starts_with("=") ? outputs_ : inputs_wanted);
    if (outputs_ == 0 || inputs_wanted != given_.size())
      c.fail(args["constraints"].range, "the constraints name " + std::to_string(inputs_wanted) + " inputs and " +
                                            std::to_string(outputs_) + " outputs, but " +
                                            std::to_string(given_.size()) + " values are given");
  }

  std::vector<Value> run(const std::string& text, const std::vector<DTypeValue>& results) {
    if (results.size() * pack_ != outputs_)
      c_.fail(range_, "the assembly has " + std::to_string(outputs_) + " outputs, but dtype names " +
                          std::to_string(results.size()) + (pack_ > 1 ? " for each of the packed elements" : ""));
    bool computes = false;
    for (const std::string& statement : statements(text)) {
      const Instruction in = parse(statement);
      if (in.name == "griddepcontrol") continue;  // orders launches: a simulated one runs alone
      computes = true;
      execute(in);
    }
    std::vector<Value> out;
    for (size_t i = 0; i < outputs_; ++i) {
      const std::string name = "$" + std::to_string(i);
      const DType type = results[i / pack_].dtype;
      const auto it = registers_.find(name);
      if (it != registers_.end()) out.push_back(as(it->second, type, "the output " + name));
      else if (computes) c_.fail(place_, "the assembly never writes its output " + name);
      else out.push_back(typed(make_int(0, range_), type));  // of waiting: nobody may look at it
    }
    if (pack_ == 1) {
      for (Value& v : out) v = make_value(broadcast_to(c_, to_tensor(c_, v), shape_, range_), range_);
      return out;
    }
    std::vector<Value> whole;
    for (size_t r = 0; r < results.size(); ++r) {
      const std::vector<Value> parts(out.begin() + static_cast<long>(r * pack_), out.begin() + static_cast<long>((r + 1) * pack_));
      whole.push_back(reshaped(together(parts), {shape_.dims.begin(), shape_.dims.begin() + shape_.rank}));
    }
    return whole;
  }

 private:
  /// As in Triton all inputs are broadcast to one shape before anything is computed, also those that the text does not read.
  Shape shape_of_inputs() {
    std::vector<Operand> operands;
    for (const Value& v : given_) operands.push_back({to_tensor(c_, v), v.range.valid() ? v.range : range_});
    return operands.empty() ? Shape{} : common_shape(c_, operands, range_);
  }

  // ---- pack > 1: the assembly sees neighbouring elements at once, one register each

  Value reshaped(const Value& v, const std::vector<int64_t>& shape) {
    std::vector<Value> extents;
    for (int64_t n : shape) extents.push_back(make_int(n, range_));
    return apply("tl.reshape", {v, make_tuple_value(std::move(extents), range_)});
  }

  /// Each input as `pack` tiles: the elements at 0, pack, 2 pack ... of the row-major order, those behind them, and so on.
  void spread_inputs() {
    std::vector<ValueId> ids;
    for (const Value& v : given_) {
      ids.push_back(to_tensor(c_, v));
      const Type& t = c_.type(ids.back());
      if (t.pointer || dtype_bits(t.elem) < 32)
        c_.fail(place_, "with pack above 1 the elements must have 32 bits or more here, these are " + element_name(t),
                "smaller elements share registers; convert them first, or write the operation with tl functions");
    }
    if (shape_.rank == 0 || shape_.elements() % static_cast<int64_t>(pack_) != 0)
      c_.fail(place_, "pack=" + std::to_string(pack_) + " needs tiles whose elements divide into such groups");
    given_.clear();
    for (ValueId id : ids) {
      const Value whole = make_value(broadcast_to(c_, id, shape_, range_), range_);
      for (Value& part : apart(reshaped(whole, {shape_.elements()}), shape_.elements(), pack_)) given_.push_back(std::move(part));
    }
  }

  std::vector<Value> apart(const Value& v, int64_t elements, size_t pack) {
    if (pack == 1) return {v};
    const Value halves = apply("tl.split", {reshaped(v, {elements / 2, 2})});
    const std::vector<Value>& two = halves.as<TupleValue>().items;
    const std::vector<Value> even = apart(two[0], elements / 2, pack / 2), odd = apart(two[1], elements / 2, pack / 2);
    std::vector<Value> out;
    for (size_t i = 0; i < even.size(); ++i) out.push_back(even[i]), out.push_back(odd[i]);
    return out;
  }

  Value together(const std::vector<Value>& parts) {
    if (parts.size() == 1) return parts[0];
    std::vector<Value> even, odd;
    for (size_t i = 0; i < parts.size(); i += 2) even.push_back(parts[i]), odd.push_back(parts[i + 1]);
    const Value joined = apply("tl.join", {together(even), together(odd)});
    return reshaped(joined, {c_.type(joined.as<TensorValue>().id).shape.elements()});
  }

  // ---- reading

  /// Statements without comments, braces and the declarations of registers.
  std::vector<std::string> statements(std::string text) const {
    for (size_t at; (at = text.find("//")) != std::string::npos;) text.erase(at, std::min(text.find('\n', at), text.size()) - at);
    std::replace_if(text.begin(), text.end(), [](char x) { return x == '{' || x == '}'; }, ' ');
    std::vector<std::string> out;
    for (std::string& s : split(text, ';'))
      if (!s.empty() && !s.starts_with(".reg")) out.push_back(std::move(s));
    if (out.size() > kMaxInstructions) c_.fail(place_, "the assembly has more than 256 instructions");
    return out;
  }

  Instruction parse(const std::string& statement) const {
    Instruction in;
    in.text = statement;
    size_t begin = 0;
    if (statement.starts_with('@')) {
      begin = std::min(statement.find_first_of(" \t\n"), statement.size());
      in.negated = statement.starts_with("@!");
      in.guard = statement.substr(in.negated ? 2 : 1, begin - (in.negated ? 2 : 1));
      begin = std::min(statement.find_first_not_of(" \t\n", begin), statement.size());
    }
    const size_t end = std::min(statement.find_first_of(" \t\n", begin), statement.size());
    const std::vector<std::string> words = split(std::string_view(statement).substr(begin, end - begin), '.');
    in.name = words[0];
    for (size_t i = 1; i < words.size(); ++i) {
      const std::optional<DType> type = ptx_type(words[i]);
      if (!type) {
        in.modifiers.push_back(words[i]);
        continue;
      }
      in.types.push_back(*type);
      in.bits.push_back(words[i][0] == 'b' && words[i] != "bf16");
    }
    if (end < statement.size()) in.operands = split(std::string_view(statement).substr(end), ',');
    return in;
  }

  /// Conversions to the formats of block scaling came with that GPU.
  static bool needs_blackwell(const Instruction& in) {
    return std::any_of(in.modifiers.begin(), in.modifiers.end(),
                       [](const std::string& m) { return m.starts_with("e2m1") || m.starts_with("ue8m0") || m.starts_with("e3m2") || m.starts_with("e2m3"); });
  }

  [[noreturn]] void refuse(const Instruction& in) const {
    std::string text = in.text.substr(0, 60);
    std::replace(text.begin(), text.end(), '\n', ' ');
    c_.fail(place_, "the assembly instruction `" + text + "` is not supported",
            needs_blackwell(in) ? "it needs compute capability 10.0, and the H200 that is modelled has 9.0: Triton fails there too"
                                : "moves, arithmetic, logic, shifts, comparisons into predicates, conversions, rcp, sqrt, rsqrt, ex2, lg2, "
                                  "sin, cos, tanh, prmt, lop3 are; else write the operation with tl functions");
  }

  Value as(const Value& v, DType wanted, const std::string& what) {
    const ValueId id = to_tensor(c_, v);
    const Type t = c_.type(id);
    if (t.pointer || dtype_bits(t.elem) != dtype_bits(wanted))
      c_.fail(place_, what + " has " + std::to_string(t.pointer ? 64 : dtype_bits(t.elem)) + " bits, but " +
                          std::to_string(dtype_bits(wanted)) + " are needed");
    return make_value(cast_to(c_, id, {wanted, false, {}}, t.elem != wanted, range_), range_);
  }

  /// An operand: $n, a register, or a number.
  Value read(const std::string& name, DType type) {
    if (const auto it = registers_.find(name); it != registers_.end()) return as(it->second, type, "`" + name + "`");
    if (name.starts_with("$")) {
      const size_t n = std::strtoul(name.c_str() + 1, nullptr, 10);
      if (n < outputs_ || n - outputs_ >= given_.size()) c_.fail(place_, "the assembly reads " + name + ", which has no value");
      return as(given_[n - outputs_], type, "`" + name + "`");
    }
    return number(name, type);
  }

  Value number(const std::string& text, DType type) {
    char* end = nullptr;
    if (is_float(type)) {
      const bool coded = text.starts_with("0f") || text.starts_with("0F");
      const double x = coded ? std::bit_cast<float>(static_cast<uint32_t>(std::strtoul(text.c_str() + 2, &end, 16)))
                             : std::strtod(text.c_str(), &end);
      if (text.empty() || *end != 0) c_.fail(place_, "the assembly operand `" + text.substr(0, 40) + "` is not known");
      return typed({x, range_}, type);
    }
    const auto n = static_cast<int64_t>(std::strtoull(text.c_str(), &end, 0));
    if (text.empty() || *end != 0) c_.fail(place_, "the assembly operand `" + text.substr(0, 40) + "` is not known");
    return typed(make_int(n, range_), type);
  }

  Value typed(const Value& v, DType type) {
    return make_value(cast_to(c_, to_tensor(c_, v), {type, false, {}}, false, range_), range_);
  }

  Value apply(const std::string& path, const std::vector<Value>& values) {
    const Builtin* b = find_builtin(path);
    if (b == nullptr) internal_error("no builtin " + path);
    Call call{b, {}, range_, range_};
    for (const Value& v : values) call.args.push_back({"", v});
    return b->fn(c_, call);
  }

  /// Writes a register; under a guard it keeps what it held where the guard does not hold.
  void define(const Instruction& in, const Value& v) {
    const std::string& name = in.operands[0];
    const auto old = registers_.find(name);
    if (in.guard.empty()) {
      registers_[name] = v;
      return;
    }
    const auto guard = predicates_.find(in.guard);
    if (guard == predicates_.end()) c_.fail(place_, "the assembly asks `" + in.guard.substr(0, 40) + "`, which has no value");
    if (old == registers_.end()) {  // where the guard does not hold the register stays undefined
      registers_[name] = v;
      return;
    }
    const Value before = as(old->second, c_.type(to_tensor(c_, v)).elem, "`" + name + "`");
    registers_[name] = in.negated ? apply("tl.where", {guard->second, before, v}) : apply("tl.where", {guard->second, v, before});
  }

  /// `setp.gt.f32 p, a, b`. A NaN makes every one of these comparisons false.
  void set_predicate(const Instruction& in) {
    static const std::map<std::string, std::string> kComparisons = {{"eq", "=="}, {"ne", "!="}, {"lt", "<"}, {"le", "<="}, {"gt", ">"},
                                                                    {"ge", ">="}, {"lo", "<"},  {"ls", "<="}, {"hi", ">"}, {"hs", ">="}};
    std::vector<std::string> modifiers = in.modifiers;
    std::erase(modifiers, "ftz");
    const auto op = modifiers.size() == 1 ? kComparisons.find(modifiers[0]) : kComparisons.end();
    if (op == kComparisons.end() || in.types.size() != 1 || in.operands.size() != 3 || !in.guard.empty()) refuse(in);
    const Value a = read(in.operands[1], in.types[0]), b = read(in.operands[2], in.types[0]);
    if (op->second == "!=" && is_float(in.types[0]))
      predicates_[in.operands[0]] = binary(c_, "|", binary(c_, "<", a, b, range_), binary(c_, ">", a, b, range_), range_);
    else
      predicates_[in.operands[0]] = binary(c_, op->second, a, b, range_);
  }

  Value integer(int64_t n, DType type) { return typed(make_int(n, range_), type); }

  /// `cvt.rn.satfinite.e4m3x2.f32 d, a, b`: a in the upper byte of d, b in the lower one.
  Value pair_of_e4m3(const Instruction& in) {
    if (in.operands.size() != 3 || in.types.size() != 1 || in.types[0] != DType::Float32) refuse(in);
    const auto byte = [&](const std::string& operand) {
      const ValueId x = to_tensor(c_, read(operand, DType::Float32));
      const ValueId e4m3 = cast_to(c_, x, {DType::Float8E4NV, false, {}}, false, range_);
      return typed(make_value(cast_to(c_, e4m3, {DType::UInt8, false, {}}, true, range_), range_), DType::UInt16);
    };
    return binary(c_, "|", binary(c_, "<<", byte(in.operands[1]), integer(8, DType::UInt16), range_), byte(in.operands[2]), range_);
  }

  /// `prmt.b32 d, a, b, c`: byte i of d is the byte of a and b that the four bits i of c name; their highest bit asks for
  /// copies of that byte's sign.
  Value permuted(const Instruction& in) {
    if (in.operands.size() != 4 || !in.modifiers.empty() || in.types != std::vector<DType>{DType::UInt32}) refuse(in);
    const auto wide = [&](const Value& v) { return typed(v, DType::UInt64); };
    const auto op = [&](const char* name, const Value& a, const Value& b) { return binary(c_, name, a, b, range_); };
    const Value a = wide(read(in.operands[1], DType::UInt32)), b = wide(read(in.operands[2], DType::UInt32)), c = wide(read(in.operands[3], DType::UInt32));
    const auto n = [&](int64_t x) { return integer(x, DType::UInt64); };
    const Value both = op("|", op("<<", b, n(32)), a);
    Value out = n(0);
    for (int i = 0; i < 4; ++i) {
      const Value choice = op(">>", c, n(4 * i));
      const Value byte = op("&", op(">>", both, op("<<", op("&", choice, n(7)), n(3))), n(255));
      const Value sign = op("*", op(">>", byte, n(7)), n(255));
      const Value chosen = apply("tl.where", {op("!=", op("&", choice, n(8)), n(0)), sign, byte});
      out = op("|", out, op("<<", chosen, n(8 * i)));
    }
    return typed(out, DType::UInt32);
  }

  /// `lop3.b32 d, a, b, c, immLut`: bit 4a + 2b + c of the table, for each bit.
  Value table_of_bits(const Instruction& in) {
    if (in.operands.size() != 5 || !in.modifiers.empty() || in.types != std::vector<DType>{DType::UInt32}) refuse(in);
    const int64_t table = immediate(in, in.operands[4]);
    Value x[3];
    for (size_t i = 0; i < 3; ++i) x[i] = read(in.operands[i + 1], DType::UInt32);
    Value out = integer(0, DType::UInt32);
    for (int row = 0; row < 8; ++row) {
      if ((table >> row & 1) == 0) continue;
      Value term = integer(-1, DType::UInt32);
      for (int i = 0; i < 3; ++i) {
        const bool set = (row >> (2 - i) & 1) != 0;
        term = binary(c_, "&", term, set ? x[i] : unary(c_, "~", x[i], range_), range_);
      }
      out = binary(c_, "|", out, term, range_);
    }
    return out;
  }

  /// A number in the text, or a constexpr among the values.
  int64_t immediate(const Instruction& in, const std::string& operand) {
    if (operand.starts_with("$")) {
      const size_t n = std::strtoul(operand.c_str() + 1, nullptr, 10);
      const bool there = n >= outputs_ && n - outputs_ < given_.size() && given_[n - outputs_].is<ConstInt>();
      const ConstInt v = there ? given_[n - outputs_].as<ConstInt>() : ConstInt{-1};
      if (v >= 0 && v < 256) return static_cast<int64_t>(v);
      refuse(in);
    }
    char* end = nullptr;
    const auto v = std::strtoull(operand.c_str(), &end, 0);
    if (operand.empty() || *end != 0 || v > 255) refuse(in);
    return static_cast<int64_t>(v);
  }

  void execute(const Instruction& in) {
    if (in.name == "setp") return set_predicate(in);
    if (in.name == "cvt" && in.modifiers == std::vector<std::string>{"rn", "satfinite", "e4m3x2"}) return define(in, pair_of_e4m3(in));
    if (in.name == "prmt") return define(in, permuted(in));
    if (in.name == "lop3") return define(in, table_of_bits(in));
    if (in.name == "selp" && in.modifiers.empty() && in.types.size() == 1 && in.operands.size() == 4) {
      const auto p = predicates_.find(in.operands[3]);
      if (p == predicates_.end()) refuse(in);
      return define(in, apply("tl.where", {p->second, read(in.operands[1], in.types[0]), read(in.operands[2], in.types[0])}));
    }
    static constexpr std::string_view kHarmless[] = {"rn", "approx", "ftz", "full", "lo"};
    for (const std::string& m : in.modifiers)
      if (std::find(std::begin(kHarmless), std::end(kHarmless), m) == std::end(kHarmless)) refuse(in);
    if (in.types.empty() || in.operands.size() < 2) refuse(in);
    if (in.name == "cvt") {
      // From a float to an integer PTX saturates, a cast here does not.
      if (in.types.size() != 2 || in.operands.size() != 2 || (!is_float(in.types[0]) && is_float(in.types[1]))) refuse(in);
      return define(in, typed(read(in.operands[1], in.types[1]), in.types[0]));
    }
    if (in.types.size() != 1) refuse(in);
    const DType type = in.types[0];
    std::vector<Value> x;
    // The distance of a shift is 32 bits wide whatever is shifted.
    const bool shift = in.name == "shl" || in.name == "shr";
    for (size_t i = 1; i < in.operands.size(); ++i) {
      if (shift && i == 2)
        x.push_back(typed(read(in.operands[i], DType::UInt32), type));
      else
        x.push_back(read(in.operands[i], type));
    }
    define(in, result(in, type, x));
  }

  Value result(const Instruction& in, DType type, const std::vector<Value>& x) {
    static const std::map<std::string, std::string> kBinary = {{"add", "+"}, {"sub", "-"}, {"mul", "*"},
                                                               {"and", "&"}, {"or", "|"},  {"xor", "^"}};
    static const std::map<std::string, std::string> kFloat = {{"sqrt", "tl.sqrt"}, {"rsqrt", "tl.rsqrt"}, {"ex2", "tl.exp2"},
                                                              {"lg2", "tl.log2"},  {"sin", "tl.sin"},     {"cos", "tl.cos"},
                                                              {"tanh", "libdevice.tanh"}};
    const size_t n = x.size();
    const bool wide = type == DType::Float32 || type == DType::Float64;
    if (in.name == "mov" && n == 1) return x[0];
    if (const auto it = kBinary.find(in.name); it != kBinary.end() && n == 2) {
      if (is_float(type) && std::string_view("&|^").find(it->second) != std::string_view::npos) refuse(in);
      return binary(c_, it->second, x[0], x[1], range_);
    }
    if (const auto it = kFloat.find(in.name); it != kFloat.end() && n == 1 && wide) return apply(it->second, x);
    if ((in.name == "min" || in.name == "max") && n == 2)
      return apply(in.name == "min" ? "tl.minimum" : "tl.maximum", x);
    if (in.name == "div" && n == 2 && wide) return binary(c_, "/", x[0], x[1], range_);
    if (in.name == "rcp" && n == 1 && wide) return binary(c_, "/", typed({1.0, range_}, type), x[0], range_);
    if (in.name == "fma" && n == 3 && is_float(type)) return apply("tl.fma", x);
    if (in.name == "mad" && n == 3 && !is_float(type))
      return binary(c_, "+", binary(c_, "*", x[0], x[1], range_), x[2], range_);
    if (in.name == "neg" && n == 1) return unary(c_, "-", x[0], range_);
    if (in.name == "abs" && n == 1) return apply("tl.abs", x);
    if (in.name == "not" && n == 1 && !is_float(type)) return unary(c_, "~", x[0], range_);
    if (in.name == "shl" && n == 2) return binary(c_, "<<", x[0], x[1], range_);
    if (in.name == "shr" && n == 2) return binary(c_, ">>", x[0], x[1], range_);
    refuse(in);
  }

  Context& c_;
  SourceRange range_, place_;
  std::vector<Value> given_;
  size_t outputs_ = 0, pack_ = 1;
  Shape shape_;  ///< of all inputs together, and of what comes out
  std::map<std::string, Value> registers_, predicates_;
};

Value inline_asm(Context& c, Call& call) {
  Args args(c, call);
  const Value& dtype = args["dtype"];
  std::vector<DTypeValue> results;
  for (const Value& v : dtype.is<TupleValue>() ? dtype.as<TupleValue>().items : std::vector<Value>{dtype})
    results.push_back(require_dtype(c, v, "dtype"));
  require_const_bool(c, args["is_pure"], "is_pure");
  Assembly assembly(c, args, call.range);
  std::vector<Value> out = assembly.run(require_const_string(c, args["asm"], "the assembly"), results);
  c.note(call.range, "the assembly is computed with the operations it names: roundings of approximate instructions may "
                     "differ in the last bits");
  if (!dtype.is<TupleValue>()) return out[0];
  return make_tuple_value(std::move(out), call.range);
}

}  // namespace

const std::vector<BuiltinRow>& assembly_rows() {
  static const std::vector<BuiltinRow> rows = {
      {"tl.inline_asm_elementwise", "(asm, constraints, args, dtype, is_pure, pack)", inline_asm,
       "a few instructions of PTX on every element"},
  };
  return rows;
}

}  // namespace tilescope::lower
