// tl.inline_asm_elementwise: a small part of PTX, read and lowered to the operations that it names. What lies outside is
// refused by the name of the instruction.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>

#include "core/lower/builtins_math.h"

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
    if (require_const_int(c, args["pack"], "pack") != 1)
      c.fail(args["pack"].range, "tl.inline_asm_elementwise runs here for pack=1 only: one element at a time",
             "write the operation with tl functions");
    size_t inputs_wanted = 0;
    for (const std::string& constraint : split(require_const_string(c, args["constraints"], "constraints"), ','))
      ++(constraint.starts_with("=") ? outputs_ : inputs_wanted);
    if (outputs_ == 0 || inputs_wanted != given_.size())
      c.fail(args["constraints"].range, "the constraints name " + std::to_string(inputs_wanted) + " inputs and " +
                                            std::to_string(outputs_) + " outputs, but " +
                                            std::to_string(given_.size()) + " values are given");
  }

  std::vector<Value> run(const std::string& text, const std::vector<DTypeValue>& results) {
    if (results.size() != outputs_)
      c_.fail(range_, "the assembly has " + std::to_string(outputs_) + " outputs, but dtype names " +
                          std::to_string(results.size()));
    for (const std::string& statement : statements(text)) execute(parse(statement));
    std::vector<Value> out;
    for (size_t i = 0; i < outputs_; ++i) {
      const auto it = registers_.find("$" + std::to_string(i));
      if (it == registers_.end())
        c_.fail(place_, "the assembly never writes its output $" + std::to_string(i));
      out.push_back(as(it->second, results[i].dtype, "the output $" + std::to_string(i)));
    }
    return out;
  }

 private:
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
    const size_t end = std::min(statement.find_first_of(" \t\n"), statement.size());
    const std::vector<std::string> words = split(std::string_view(statement).substr(0, end), '.');
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

  [[noreturn]] void refuse(const Instruction& in) const {
    std::string text = in.text.substr(0, 60);
    std::replace(text.begin(), text.end(), '\n', ' ');
    c_.fail(place_, "the assembly instruction `" + text + "` is not supported",
            "moves, arithmetic, logic, shifts, conversions between floats, rcp, sqrt, rsqrt, ex2, lg2, sin, cos, tanh "
            "are; else write the operation with tl functions");
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

  void execute(const Instruction& in) {
    static constexpr std::string_view kHarmless[] = {"rn", "approx", "ftz", "full", "lo"};
    for (const std::string& m : in.modifiers)
      if (std::find(std::begin(kHarmless), std::end(kHarmless), m) == std::end(kHarmless)) refuse(in);
    if (in.types.empty() || in.operands.size() < 2) refuse(in);
    if (in.name == "cvt") {
      if (in.types.size() != 2 || in.operands.size() != 2 || !is_float(in.types[0]) || !is_float(in.types[1])) refuse(in);
      registers_[in.operands[0]] = typed(read(in.operands[1], in.types[1]), in.types[0]);
      return;
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
    registers_[in.operands[0]] = result(in, type, x);
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
  size_t outputs_ = 0;
  std::map<std::string, Value> registers_;
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
