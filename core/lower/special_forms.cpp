// Functions that the lowering answers itself: they look at types, stop the compilation, or compute with constexprs.
#include <charconv>
#include <cmath>
#include <map>
#include <unordered_map>

#include "core/lower/builtins.h"
#include "core/lower/depth_guard.h"
#include "core/lower/lowering.h"

namespace tilescope::lower {
namespace {

Value only_in_for(Context& c, Call& call) {
  c.fail(call.range, shown_name(*call.builtin) + " can only stand in the header of a `for` loop");
}

const Value& only_argument(Context& c, const Call& call) {
  if (call.args.size() != 1 || !call.args[0].name.empty())
    c.fail(call.range, shown_name(*call.builtin) + " takes one argument");
  return call.args[0].value;
}

Value make_constexpr(Context& c, Call& call) {
  const Value& v = only_argument(c, call);
  if (!is_compile_time(v))
    c.fail(v.range, "tl.constexpr(...) needs a value known at compile time, found " + describe(v, c.b().function()));
  return v;
}

Value pointer_type(Context& c, Call& call) {
  if (call.args.empty() || call.args.size() > 2) c.fail(call.range, "tl.pointer_type takes an element type");
  DTypeValue d = require_dtype(c, call.args[0].value, "the element type");
  if (d.pointer) c.fail(call.range, "pointers to pointers are not supported");
  d.pointer = true;
  return {d, call.range};
}

Value length(Context& c, Call& call) {
  const Value& v = only_argument(c, call);
  if (v.is<TupleValue>()) return {static_cast<ConstInt>(v.as<TupleValue>().items.size()), call.range};
  if (v.is<std::string>()) return {static_cast<ConstInt>(v.as<std::string>().size()), call.range};
  c.fail(v.range, "len() needs a tuple, found " + describe(v, c.b().function()),
         v.is_tensor() ? "the extents of a tile are x.shape[0], x.shape[1] ..." : "");
}

[[noreturn]] void fail_conversion(Context& c, const Call& call, const Value& v) {
  std::string hint;
  if (v.is_tensor()) hint = call.builtin->path == "py.int" ? "write x.to(tl.int32)" : "write x.to(tl.float32)";
  c.fail(v.range,
         shown_name(*call.builtin) + " needs a constexpr number or text, found " + describe(v, c.b().function()), hint);
}

Value to_float(Context& c, Call& call) {
  const Value& v = only_argument(c, call);
  if (v.is<double>()) return v;
  if (v.is<bool>()) return {v.as<bool>() ? 1.0 : 0.0, call.range};
  if (v.is<ConstInt>()) return {static_cast<double>(v.as<ConstInt>()), call.range};
  if (!v.is<std::string>()) fail_conversion(c, call, v);
  std::string text = v.as<std::string>();
  const size_t first = text.find_first_not_of(" \t\n"), last = text.find_last_not_of(" \t\n");
  text = first == std::string::npos ? "" : text.substr(first, last - first + 1);
  char* end = nullptr;
  const double x = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != 0 || text.find_first_of("xX(") != std::string::npos)
    c.fail(v.range, "float() cannot read \"" + v.as<std::string>() + "\"",
           "write a number, \"inf\", \"-inf\" or \"nan\"");
  return {x, call.range};
}

Value to_int(Context& c, Call& call) {
  const Value& v = only_argument(c, call);
  if (v.is<ConstInt>()) return v;
  if (v.is<bool>()) return {ConstInt{v.as<bool>()}, call.range};
  if (v.is<std::string>()) {
    const std::string& text = v.as<std::string>();
    int64_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc() || end != text.data() + text.size())
      c.fail(v.range, "int() cannot read \"" + text + "\"", "write decimal digits");
    return {ConstInt{n}, call.range};
  }
  if (!v.is<double>()) fail_conversion(c, call, v);
  const double x = std::trunc(v.as<double>());
  if (!(std::fabs(x) < 1e38)) c.fail(v.range, "int() cannot convert " + python_str(v));
  return {static_cast<ConstInt>(x), call.range};
}

Value to_bool(Context& c, Call& call) {
  const Value& v = only_argument(c, call);
  if (!is_compile_time(v))
    c.fail(v.range, "bool() needs a constexpr, found " + describe(v, c.b().function()), "write x != 0");
  return {const_truth(v), call.range};
}

Value to_text(Context& c, Call& call) {
  const Value& v = only_argument(c, call);
  if (!is_compile_time(v)) c.fail(v.range, "str() needs a constexpr, found " + describe(v, c.b().function()));
  return {python_str(v), call.range};
}

Value make_tuple_form(Context& c, Call& call) {
  if (call.args.empty()) return {TupleValue{}, call.range};
  const Value& v = only_argument(c, call);
  if (!v.is<TupleValue>())
    c.fail(v.range, shown_name(*call.builtin) + " needs a tuple, found " + describe(v, c.b().function()));
  return v;
}

/// Whether the value is of the class that `path` names: tl.tensor, tl.constexpr, py.int ...
bool is_instance(Context& c, const Value& v, const std::string& path, const SourceRange& range) {
  if (path == "tl.tensor") return v.is_tensor();
  if (path == "tl.constexpr") return v.is_const_scalar() || v.is<DTypeValue>();
  if (path == "tl.dtype") return v.is<DTypeValue>();
  if (path == "tl.pointer_type") return v.is<DTypeValue>() && v.as<DTypeValue>().pointer;
  if (path == "tl.tuple" || path == "py.tuple" || path == "py.list") return v.is<TupleValue>();
  if (path == "tl.tensor_descriptor" || path == "tl.tensor_descriptor_base") return v.is<DescriptorValue>();
  if (path == "py.int") return v.is<ConstInt>() || v.is<bool>();
  if (path == "py.float") return v.is<double>();
  if (path == "py.bool") return v.is<bool>();
  if (path == "py.str") return v.is<std::string>();
  c.fail(range, "isinstance() does not know the class " + path);
}

Value instance(Context& c, Call& call) {
  if (call.args.size() != 2) c.fail(call.range, "isinstance() takes a value and a class");
  const Value& classes = call.args[1].value;
  const std::vector<Value> all =
      classes.is<TupleValue>() ? classes.as<TupleValue>().items : std::vector<Value>{classes};
  bool result = false;
  for (const Value& k : all) {
    if (!k.is<BuiltinValue>())
      c.fail(classes.range, "isinstance() needs a class, found " + describe(k, c.b().function()));
    result = result || is_instance(c, call.args[0].value, k.as<BuiltinValue>().builtin->path, classes.range);
  }
  return {result, call.range};
}

Value class_only(Context& c, Call& call) {
  if (call.builtin->path == "tl.dtype" && call.args.size() == 1 && call.args[0].value.is<std::string>())
    return {require_dtype(c, call.args[0].value, "the name"), call.range};
  c.fail(call.range, shown_name(*call.builtin) + " is a class; a kernel can only name it, in isinstance()");
}

/// torch.finfo(dtype), torch.iinfo(dtype): what constants of a file take from them.
Value number_info(Context& c, Call& call) {
  const DType t = require_dtype(c, only_argument(c, call), "the type").dtype;
  const bool wants_float = call.builtin->path == "torch.finfo";
  if (wants_float != is_float(t) || t == DType::Int1)
    c.fail(call.range, call.builtin->path + " takes " + (wants_float ? "a float" : "an integer") + " type, not " +
                           std::string(dtype_name(t)));
  TupleValue info;
  info.type_name = call.builtin->path;
  const auto add = [&](const char* name, Value v) {
    info.fields.emplace_back(name);
    v.range = call.range;
    info.items.push_back(std::move(v));
  };
  const int bits = dtype_bits(t);
  add("bits", {ConstInt{bits}, {}});
  if (!wants_float) {
    const ConstInt one = 1;
    add("max", {!is_unsigned_int(t) ? (one << (bits - 1)) - 1 : (one << bits) - 1, {}});
    add("min", {!is_unsigned_int(t) ? -(one << (bits - 1)) : ConstInt{0}, {}});
    return {std::move(info), call.range};
  }
  // Bits of the mantissa, the largest and the smallest normal exponent; e4m3 gives up its last code for NaN.
  struct Format {
    DType type;
    int mantissa, largest, smallest;
    double max_mantissa;
  };
  static const Format kFormats[] = {{DType::Float16, 10, 15, -14, 2 - std::ldexp(1, -10)},
                                    {DType::BFloat16, 7, 127, -126, 2 - std::ldexp(1, -7)},
                                    {DType::Float32, 23, 127, -126, 2 - std::ldexp(1, -23)},
                                    {DType::Float64, 52, 1023, -1022, 2 - std::ldexp(1, -52)},
                                    {DType::Float8E5, 2, 15, -14, 1.75},
                                    {DType::Float8E4NV, 3, 8, -6, 1.75}};
  for (const Format& f : kFormats) {
    if (f.type != t) continue;
    add("eps", {std::ldexp(1, -f.mantissa), {}});
    add("max", {std::ldexp(f.max_mantissa, f.largest), {}});
    add("min", {-std::ldexp(f.max_mantissa, f.largest), {}});
    add("tiny", {std::ldexp(1, f.smallest), {}});
    add("smallest_normal", {std::ldexp(1, f.smallest), {}});
  }
  return {std::move(info), call.range};
}

Value static_print(Context& c, Call& call) {
  std::string text;
  for (const CallArg& a : call.args)
    text += (text.empty() ? "" : " ") +
            (is_compile_time(a.value) ? python_str(a.value) : describe(a.value, c.b().function()));
  c.note(call.range, "static_print: " + text);
  return {NoneValue{}, call.range};
}

/// A function of Python's math module on constexprs.
Value math_function(Context& c, Call& call) {
  using Fn = double (*)(double);
  static const std::unordered_map<std::string, Fn> unary = {
      {"math.sqrt", std::sqrt}, {"math.exp", std::exp},   {"math.log2", std::log2},  {"math.log10", std::log10},
      {"math.sin", std::sin},   {"math.cos", std::cos},   {"math.tan", std::tan},    {"math.fabs", std::fabs},
      {"math.log", std::log},   {"math.ceil", std::ceil}, {"math.floor", std::floor}};
  const std::string& path = call.builtin->path;
  std::vector<double> x;
  for (const CallArg& a : call.args) {
    if (!a.value.is_const_number())
      c.fail(a.value.range, path + " works on constexpr numbers only, found " + describe(a.value, c.b().function()),
             "use tl" + path.substr(4) + " on tiles");
    x.push_back(a.value.is<double>() ? a.value.as<double>()
                                     : static_cast<double>(require_const_int(c, a.value, "the argument")));
  }
  double r = 0;
  if (path == "math.pow" && x.size() == 2)
    r = std::pow(x[0], x[1]);
  else if (path == "math.log" && x.size() == 2)
    r = std::log(x[0]) / std::log(x[1]);
  else if (x.size() == 1 && unary.count(path))
    r = unary.at(path)(x[0]);
  else
    c.fail(call.range, path + " has another number of arguments");
  if (std::isnan(r)) c.fail(call.range, path + " is not defined for this argument");
  if ((path == "math.ceil" || path == "math.floor") && std::fabs(r) < 1e37)
    return {static_cast<ConstInt>(r), call.range};
  return {r, call.range};
}

/// packaging.version.parse("3.6.0"): what follows the numbers does not count.
Value version(Context& c, Call& call) {
  const Value& v = only_argument(c, call);
  if (!v.is<std::string>()) c.fail(v.range, shown_name(*call.builtin) + " takes a text");
  TupleValue out;
  out.type_name = "Version";
  out.fields = {"major", "minor", "micro"};
  const std::string& text = v.as<std::string>();
  size_t at = 0;
  for (size_t i = 0; i < out.fields.size(); ++i) {
    ConstInt number = 0;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9' && number < 1'000'000) number = number * 10 + text[at++] - '0';
    out.items.push_back({number, call.range});
    if (at < text.size() && text[at] == '.') ++at;
  }
  return {std::move(out), call.range};
}

/// os.environ.get(name, default): no variable is set here.
Value environment(Context& c, Call& call) {
  if (call.args.empty() || call.args.size() > 2) c.fail(call.range, shown_name(*call.builtin) + " takes a name and a default");
  return call.args.size() == 2 ? call.args[1].value : Value{NoneValue{}, call.range};
}

Value never_called(Context& c, Call& call) {
  return c.fail(call.range, shown_name(*call.builtin) + " cannot be used here"), Value{};
}

/// Called in host code: `f = triton.constexpr_function(f)`. As a decorator it is read where functions are called.
Value make_constexpr_function(Context& c, Call& call) {
  const Value f = only_argument(c, call);
  if (f.is<FunctionValue>()) {
    FunctionValue own = f.as<FunctionValue>();
    own.compile_time = true;
    return {own, call.range};
  }
  if (!f.is<BuiltinValue>()) c.fail(call.range, shown_name(*call.builtin) + " needs a function");
  return f;
}

const std::unordered_map<std::string, Builtin>& forms() {
  static const auto* table = [] {
    auto* t = new std::unordered_map<std::string, Builtin>;
    const auto add = [&](const std::string& path, const char* signature, BuiltinFn fn, const char* doc) {
      (*t)[path] = {path, signature, fn, doc, path, "Compile time"};
    };
    for (const char* p : {"py.range", "tl.range", "tl.static_range"})
      add(p, "(arg1, arg2=None, step=None)", only_in_for, "the iterations of a for loop");
    add("tl.constexpr", "(value)", make_constexpr, "a value known at compile time");
    for (const char* p : {"tl.constexpr_function", "triton.constexpr_function"})
      add(p, "(fn)", make_constexpr_function, "decorator of a function that runs at compile time");
    add("torch.finfo", "(dtype)", number_info, "limits of a float type, for constants of the file");
    add("torch.iinfo", "(dtype)", number_info, "limits of an integer type, for constants of the file");
    for (const char* p : {"os.environ.get", "os.getenv"})
      add(p, "(name, default=None)", environment, "an environment variable, for conditions of the file: none is set");
    for (const char* p : {"packaging.version.parse", "packaging.version.Version"})
      add(p, "(version)", version, "a release, for conditions of the file");
    add("tl.pointer_type", "(element_ty)", pointer_type, "the type of pointers to that element type");
    add("tl.static_assert", "(cond, msg=\"\")", never_called, "stops the compilation when the condition is false");
    add("tl.static_print", "(*values)", static_print, "shows values while compiling");
    for (const char* p : {"tl.tensor", "tl.dtype", "tl.tuple", "tl.tensor_descriptor", "tl.tensor_descriptor_base"})
      add(p, "()", class_only, "a class, for isinstance()");
    add("py.len", "(t)", length, "items of a tuple");
    add("py.float", "(x)", to_float, "a constexpr float");
    add("py.int", "(x)", to_int, "a constexpr integer");
    add("py.bool", "(x)", to_bool, "a constexpr bool");
    add("py.str", "(x)", to_text, "a constexpr string");
    add("py.tuple", "(items)", make_tuple_form, "a tuple");
    add("py.isinstance", "(x, classes)", instance, "asks for the kind of a value");
    for (const char* name :
         {"sqrt", "exp", "log", "log2", "log10", "sin", "cos", "tan", "fabs", "ceil", "floor", "pow"})
      add(std::string("math.") + name, "(x)", math_function, "Python's math on constexprs");
    return t;
  }();
  return *table;
}

}  // namespace

const Builtin* find_special_form(const std::string& path) {
  auto it = forms().find(path);
  return it == forms().end() ? nullptr : &it->second;
}

const std::vector<const Builtin*>& special_form_rows() {
  static const auto* rows = [] {
    std::map<std::string, const Builtin*> sorted;
    for (const auto& [path, form] : forms())
      if (!path.starts_with("os.") && !path.starts_with("packaging.")) sorted[path] = &form;
    auto* out = new std::vector<const Builtin*>;
    for (const auto& [path, form] : sorted) out->push_back(form);
    return out;
  }();
  return *rows;
}

/// static_assert looks at its message only when it fails.
std::optional<Value> Lowering::special_form(const Value& callee, const Expr& call) {
  if (auto fact = call_fact(callee, call)) return fact;
  if (!callee.is<BuiltinValue>()) return std::nullopt;
  if (callee.as<BuiltinValue>().builtin->path == "py.getattr")
    if (auto v = get_attribute(call)) return v;
  if (callee.as<BuiltinValue>().builtin->path == "py.hasattr") return has_attribute(call);
  if (callee.as<BuiltinValue>().builtin->path != "tl.static_assert") return std::nullopt;
  const Expr* test = call.items.empty() ? nullptr : call.items[0];
  const Expr* message = call.items.size() > 1 ? call.items[1] : nullptr;
  for (const Keyword& k : call.keywords) {
    if (k.name == "cond") test = k.value;
    if (k.name == "msg") message = k.value;
  }
  if (test == nullptr || call.items.size() > 2) fail(call.range, "tl.static_assert takes a condition and a message");
  const Value v = eval(*test);
  if (!is_compile_time(v))
    fail(test->range, "tl.static_assert needs a condition known at compile time, found " + describe(v, function_),
         "tl.device_assert checks run-time values");
  if (const_truth(v)) return Value{NoneValue{}, call.range};
  std::string text;
  if (message != nullptr) {
    const Value m = eval(*message);
    if (is_compile_time(m)) text = python_str(m);
  }
  fail(test->range, "static assertion failed" + (text.empty() ? "" : ": " + text));
}

}  // namespace tilescope::lower
