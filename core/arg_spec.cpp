#include "core/arg_spec.h"

#include <cctype>
#include <cmath>
#include <cstdlib>

namespace tilescope {
namespace {

/// Splits at commas outside parentheses, brackets and quotes.
std::vector<std::string> split_commas(std::string_view text) {
  std::vector<std::string> out(1);
  int depth = 0;
  for (char c : text) {
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c == ',' && depth == 0)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

std::string trim(std::string_view s) {
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.front()))) s.remove_prefix(1);
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back()))) s.remove_suffix(1);
  return std::string(s);
}

bool is_identifier(std::string_view s) {
  if (s.empty() || std::isdigit(static_cast<unsigned char>(s[0]))) return false;
  for (char c : s)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') return false;
  return true;
}

enum class Parsed { Yes, No, TooLarge };

/// Decimal or 0x integer with a sign, over the whole text.
Parsed parse_integer(const std::string& text, Init::Number& out) {
  size_t at = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  bool negative = text.starts_with('-');
  int base = text.compare(at, 2, "0x") == 0 || text.compare(at, 2, "0X") == 0 ? 16 : 10;
  if (base == 16) at += 2;
  if (at >= text.size()) return Parsed::No;
  uint64_t value = 0;
  bool large = false;
  for (; at < text.size(); ++at) {
    unsigned char c = text[at];
    if (base == 10 ? !std::isdigit(c) : !std::isxdigit(c)) return Parsed::No;
    int digit = std::isdigit(c) ? c - '0' : std::tolower(c) - 'a' + 10;
    large |= __builtin_mul_overflow(value, static_cast<uint64_t>(base), &value) ||
             __builtin_add_overflow(value, static_cast<uint64_t>(digit), &value);
  }
  constexpr uint64_t kMost = INT64_MAX;
  if (large || (negative && value > kMost + 1)) return Parsed::TooLarge;
  if (negative)
    out = static_cast<int64_t>(0 - value);
  else if (value > kMost)
    out = value;
  else
    out = static_cast<int64_t>(value);
  return Parsed::Yes;
}

/// A number as written on the command line. The message on failure; empty when fine.
std::string parse_number(const std::string& text, Init::Number& out) {
  if (text == "true" || text == "True") return out = true, "";
  if (text == "false" || text == "False") return out = false, "";
  if (text == "nan") return out = std::nan(""), "";
  if (text == "inf" || text == "+inf") return out = HUGE_VAL, "";
  if (text == "-inf") return out = -HUGE_VAL, "";
  switch (parse_integer(text, out)) {
    case Parsed::Yes:
      return "";
    case Parsed::TooLarge:
      return text + " does not fit 64 bits";
    case Parsed::No:
      break;
  }
  bool looks_numeric = !text.empty() && text.find_first_not_of("0123456789.eE+-") == std::string::npos;
  char* end = nullptr;
  double d = looks_numeric ? std::strtod(text.c_str(), &end) : 0;
  if (!looks_numeric || end != text.c_str() + text.size()) return "\"" + text + "\" is not a number";
  if (std::isinf(d)) return text + " is too large for a float";
  return out = d, "";
}

/// name(arguments) with nothing after the closing parenthesis.
bool split_call(const std::string& text, std::string& name, std::vector<std::string>& arguments) {
  size_t open = text.find('(');
  if (open == std::string::npos || text.back() != ')') return false;
  name = trim(text.substr(0, open));
  std::string inside = trim(text.substr(open + 1, text.size() - open - 2));
  arguments = inside.empty() ? std::vector<std::string>{} : split_commas(inside);
  for (std::string& a : arguments) a = trim(a);
  return true;
}

/// Reads `f32[16,32]:strides(32,1):block(16,BLOCK)=randn(1)` after the argument's name.
class TensorReader {
 public:
  TensorReader(const std::string& name, const std::string& text) : place_("--arg " + name), text_(text) {}

  Expected<TensorSpec> read() {
    size_t open = text_.find('['), close = text_.find(']');
    if (open == std::string::npos || close == std::string::npos || close < open)
      return error("a tensor is written dtype[shape]=init, as in f32[16,32]=randn(1)");
    std::string dtype = trim(text_.substr(0, open));
    auto parsed = parse_dtype(dtype);
    if (!parsed) return unknown_dtype(dtype);
    spec_.dtype = *parsed;
    std::vector<int64_t> shape, strides;
    if (auto d = integers(text_.substr(open + 1, close - open - 1), "shape", shape)) return *d;
    std::string rest = trim(text_.substr(close + 1));
    while (rest.starts_with(':'))
      if (auto d = take_option(rest, strides)) return *d;
    if (!spec_.block.empty() && spec_.block.size() != shape.size())
      return error("expected " + std::to_string(shape.size()) + " block extents, one for each axis of shape, found " +
                   std::to_string(spec_.block.size()));
    if (!strides.empty() && strides.size() != shape.size())
      return error("expected " + std::to_string(shape.size()) + " strides, one for each axis of shape, found " +
                   std::to_string(strides.size()));
    auto layout = make_layout(place_ + ": shape", spec_.dtype, shape, strides);
    if (!layout) return layout.errors();
    spec_.layout = *layout;
    if (rest.empty()) return std::move(spec_);
    if (rest[0] != '=') return error("expected ':strides(...)', ':block(...)' or '=init' after the shape, found \"" + rest + "\"");
    if (auto d = read_init(trim(rest.substr(1)))) return *d;
    return std::move(spec_);
  }

 private:
  Diagnostic error(const std::string& message, std::string hint = {}) const {
    return plain_error(place_ + ": " + message, std::move(hint));
  }

  Diagnostic unknown_dtype(const std::string& found) const {
    std::vector<std::string> names;
    for (int i = 0; i < kDTypeCount; ++i) {
      names.emplace_back(dtype_name(static_cast<DType>(i)));
      names.emplace_back(dtype_short_name(static_cast<DType>(i)));
    }
    std::string near = nearest_name(found, names);
    return error("unknown element type \"" + found + "\"",
                 near.empty() ? "for example f32, f16, bf16, i32, u8, i1, e4m3" : "did you mean " + near + "?");
  }

  std::optional<Diagnostic> integers(const std::string& text, const std::string& what,
                                     std::vector<int64_t>& out) const {
    if (trim(text).empty()) return std::nullopt;
    for (const std::string& part : split_commas(text)) {
      Init::Number n;
      Parsed p = parse_integer(trim(part), n);
      if (p == Parsed::TooLarge || (p == Parsed::Yes && !std::holds_alternative<int64_t>(n)))
        return error(what + ": " + trim(part) + " is too large");
      if (p == Parsed::No) return error(what + ": \"" + trim(part) + "\" is not an integer");
      out.push_back(std::get<int64_t>(n));
      if (out.size() > static_cast<size_t>(kMaxRank))
        return error(what + ": at most " + std::to_string(kMaxRank) + " axes are supported");
    }
    return std::nullopt;
  }

  /// `:strides(...)`, or `:block(...)` with the block shape of a tensor descriptor.
  std::optional<Diagnostic> take_option(std::string& rest, std::vector<int64_t>& strides) {
    const std::string_view word = rest.starts_with(":block(") ? ":block(" : ":strides(";
    size_t close = word.size();
    for (int depth = 1; close < rest.size(); ++close) {
      depth += rest[close] == '(' ? 1 : rest[close] == ')' ? -1 : 0;
      if (depth == 0) break;
    }
    if (!rest.starts_with(word) || close >= rest.size())
      return error("expected ':strides(...)' or ':block(...)' after the shape");
    const std::string inside = rest.substr(word.size(), close - word.size());
    rest = trim(rest.substr(close + 1));
    if (word == ":strides(") return strides.clear(), integers(inside, "strides", strides);
    auto block = parse_block(inside, place_ + ": block");
    if (!block) return block.errors()[0];
    spec_.block = std::move(*block);
    return std::nullopt;
  }

  std::optional<Diagnostic> read_init(const std::string& text) {
    using K = Init::Kind;
    Init& init = spec_.init;
    for (const auto& [word, kind] :
         {std::pair{"zeros", K::Zeros}, {"ones", K::Ones}, {"empty", K::Empty}, {"arange", K::Arange}})
      if (text == word) return init.kind = kind, std::nullopt;
    std::string name;
    std::vector<std::string> args;
    if (!split_call(text, name, args))
      return error(
          "unknown init \"" + text + "\"",
          "zeros, ones, empty, arange, full(v), rand(seed), randn(seed), randint(lo,hi,seed), values(...), npy(file)");
    if (name == "npy") return read_npy(text);
    for (const std::string& a : args) {
      init.values.emplace_back();
      if (std::string problem = parse_number(a, init.values.back()); !problem.empty())
        return error(name + ": " + problem);
    }
    if (name == "full") return init.kind = K::Full, counted(name, 1);
    if (name == "values") return init.kind = K::Values, counted(name, spec_.layout.elements());
    if (name == "rand" || name == "randn") return read_random(name);
    if (name == "randint") return read_randint();
    return error("unknown init \"" + name + "\"");
  }

  std::optional<Diagnostic> read_npy(const std::string& text) {
    spec_.init.kind = Init::Kind::Npy;
    spec_.init.npy_path = trim(text.substr(text.find('(') + 1, text.size() - text.find('(') - 2));
    if (spec_.init.npy_path.empty()) return error("npy() needs a file name");
    return std::nullopt;
  }

  std::optional<Diagnostic> counted(const std::string& name, int64_t need) const {
    if (static_cast<int64_t>(spec_.init.values.size()) != need)
      return error(name + " needs " + std::to_string(need) + (need == 1 ? " value" : " values") + ", found " +
                   std::to_string(spec_.init.values.size()));
    for (const Init::Number& n : spec_.init.values)
      if (auto problem = number_problem(n, spec_.dtype)) return error(name + ": " + *problem);
    return std::nullopt;
  }

  std::optional<Diagnostic> read_random(const std::string& name) {
    spec_.init.kind = name == "rand" ? Init::Kind::Rand : Init::Kind::Randn;
    if (!is_float(spec_.dtype))
      return error("random floats cannot fill a tensor of " + std::string(dtype_name(spec_.dtype)),
                   "use randint(lo,hi,seed)");
    if (spec_.init.values.size() != 1 || !integer(0, spec_.init.seed, true))
      return error(name + " needs one integer, the seed");
    if (is_negative(0)) return negative_seed();
    spec_.init.values.clear();
    return std::nullopt;
  }

  std::optional<Diagnostic> read_randint() {
    Init& init = spec_.init;
    init.kind = Init::Kind::RandInt;
    uint64_t lo, hi;
    if (init.values.size() != 3 || !integer(0, lo) || !integer(1, hi) || !integer(2, init.seed, true))
      return error("randint needs three integers: randint(lo,hi,seed)");
    if (is_negative(2)) return negative_seed();
    init.lo = static_cast<int64_t>(lo), init.hi = static_cast<int64_t>(hi);
    init.values.clear();
    if (init.lo >= init.hi) return error("randint: the range is empty; values are drawn from lo <= v < hi");
    for (int64_t end : {init.lo, init.hi - 1})
      if (auto problem = number_problem(Init::Number(end), spec_.dtype)) return error("randint: " + *problem);
    return std::nullopt;
  }

  bool is_negative(size_t i) const {
    const auto* s = std::get_if<int64_t>(&spec_.init.values[i]);
    return s != nullptr && *s < 0;
  }
  Diagnostic negative_seed() const { return error("the seed of " + text_ + " is negative", "a seed is 0 or more"); }

  /// Beyond 2^63 - 1 only where `wide`.
  bool integer(size_t i, uint64_t& out, bool wide = false) const {
    if (const auto* u = std::get_if<uint64_t>(&spec_.init.values[i]); u != nullptr && wide) return out = *u, true;
    const Init::Number& n = spec_.init.values[i];
    if (const auto* s = std::get_if<int64_t>(&n)) return out = static_cast<uint64_t>(*s), true;
    return false;
  }

  std::string place_;
  const std::string& text_;
  TensorSpec spec_;
};

}  // namespace

namespace {

/// NAME, or NAME[0][1] for an item of a tuple.
bool is_argument_name(const std::string& name) {
  size_t at = std::min(name.find('['), name.size());
  if (!is_identifier(name.substr(0, at))) return false;
  while (at < name.size()) {
    const size_t close = name.find(']', at);
    if (name[at] != '[' || close == std::string::npos || close - at > 5) return false;
    for (size_t i = at + 1; i < close; ++i)
      if (name[i] < '0' || name[i] > '9') return false;
    at = close + 1;
  }
  return true;
}

}  // namespace

Expected<LaunchArg> parse_arg(const std::string& text) {
  size_t equals = text.find('=');
  std::string name = trim(text.substr(0, equals));
  if (equals == std::string::npos || !is_argument_name(name))
    return plain_error("--arg " + text + ": expected NAME=VALUE",
                       "n=1000, eps=1e-5, flag=true, p=None, x=f32[1000]=randn(1)");
  std::string value = trim(text.substr(equals + 1));
  if (value == "None" || value == "none" || value == "null") return LaunchArg{name, std::monostate{}};
  if (value.size() >= 2 && (value[0] == '"' || value[0] == '\'') && value.back() == value[0])
    return LaunchArg{name, value.substr(1, value.size() - 2)};
  if (value.find('[') != std::string::npos) {
    auto tensor = TensorReader(name, value).read();
    if (!tensor) return tensor.errors();
    return LaunchArg{name, std::move(*tensor)};
  }
  if (value.starts_with('('))
    return plain_error("--arg " + name + ": a tuple is given item by item",
                       "--arg '" + name + "[0]=64' --arg '" + name + "[1]=1'");
  Init::Number n;
  if (std::string problem = parse_number(value, n); !problem.empty())
    return plain_error("--arg " + name + ": " + problem, "a string is quoted: " + name + "='\"" + value + "\"'");
  LaunchArg arg{name, {}};
  std::visit([&](auto x) { arg.value = x; }, n);
  return arg;
}

Expected<std::vector<GridExpr>> parse_grid(const std::string& text) {
  std::vector<GridExpr> out;
  std::vector<std::string> parts = split_commas(text);
  if (parts.size() > 3) return plain_error("--grid: 1 to 3 entries, found " + std::to_string(parts.size()));
  for (size_t i = 0; i < parts.size(); ++i) {
    auto e = parse_grid_expr(trim(parts[i]), "--grid entry " + std::to_string(i));
    if (!e) return e.errors();
    out.push_back(*e);
  }
  return out;
}

Expected<std::vector<GridExpr>> parse_block(const std::string& text, const std::string& place) {
  std::vector<GridExpr> out;
  for (const std::string& part : split_commas(text)) {
    auto extent = parse_grid_expr(trim(part), place);
    if (!extent) return extent.errors();
    out.push_back(std::move(*extent));
  }
  return out;
}

void set_arg(LaunchSpec& spec, LaunchArg arg) {
  for (LaunchArg& a : spec.args)
    if (a.name == arg.name) {
      a.value = std::move(arg.value);
      return;
    }
  spec.args.push_back(std::move(arg));
}

}  // namespace tilescope
