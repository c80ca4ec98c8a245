#include "core/launch_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/json_text.h"
#include "core/user_file.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMaxFileBytes = uintmax_t{64} << 20;
constexpr size_t kMaxArgs = 1024;
constexpr int kMaxTupleDepth = 8;

std::string kind_of(const Json& v) {
  if (v.is_null()) return "null";
  if (v.is_boolean()) return "true or false";
  if (v.is_number_integer()) return "the integer " + v.dump();
  if (v.is_number()) return "the number " + v.dump();
  if (v.is_string()) return "a string";
  return v.is_array() ? "a list" : "an object";
}

/// Reads the parts of a launch. Every function returns false after the first error, which error() holds.
class LaunchReader {
 public:
  LaunchReader(SourcePtr source, LaunchSpec& out) : source_(std::move(source)), out_(out) {}
  const Diagnostic& error() const { return error_; }

  bool read(const Json& root) {
    JsonPlace top;
    if (!root.is_object()) return fail(top, "expected an object, found " + kind_of(root));
    if (!known_keys(root, top,
                    {"kernel", "file", "grid", "args", "config", "num_warps", "num_stages", "outputs", "expect_error",
                     "expect_error_at", "description"}))
      return false;
    return read_names(root, top) && read_grid(root, top) && read_args(root, top) && read_numbers(root, top) &&
           read_outputs(root, top) && read_expect_error(root, top);
  }

 private:
  bool fail(const JsonPlace& place, const std::string& message, std::string hint = {}, bool at_key = false) {
    error_.message = place.text() + ": " + message;
    error_.hint = std::move(hint);
    error_.range = place.find(source_, at_key);
    return false;
  }
  /// An error of another part whose message already begins with the place.
  bool fail_with(const JsonPlace& place, Diagnostic d) {
    error_ = std::move(d);
    error_.range = place.find(source_);
    return false;
  }

  bool known_keys(const Json& object, const JsonPlace& place, const std::vector<std::string>& known) {
    for (const auto& [key, value] : object.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      std::string near = nearest_name(key, known), list;
      for (const std::string& k : known) list += (list.empty() ? "" : ", ") + k;
      return fail(place / key, "unknown key \"" + key + "\"",
                  near.empty() ? "known keys: " + list : "did you mean \"" + near + "\"?", true);
    }
    return true;
  }

  bool string(const Json& v, const JsonPlace& place, std::string& out) {
    if (!v.is_string()) return fail(place, "expected a string, found " + kind_of(v));
    out = v.get<std::string>();
    if (out.find('\0') != std::string::npos) return fail(place, "a string with a zero byte");
    return true;
  }

  std::string resolve(const std::string& path) const {
    fs::path p(path);
    if (p.is_absolute()) return path;
    return (fs::path(source_->path).parent_path() / p).string();
  }

  /// An integer of at most 64 bits, signed.
  bool integer(const Json& v, const JsonPlace& place, int64_t& out) {
    if (v.is_number_unsigned() && v.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
      return fail(place, v.dump() + " is too large");
    if (!v.is_number_integer()) return fail(place, "expected an integer, found " + kind_of(v));
    out = v.get<int64_t>();
    return true;
  }

  bool integers(const Json& v, const JsonPlace& place, std::vector<int64_t>& out) {
    if (!v.is_array()) return fail(place, "expected a list of integers, found " + kind_of(v));
    if (v.size() > static_cast<size_t>(kMaxRank))
      return fail(place, "rank " + std::to_string(v.size()) + " is too large; at most " + std::to_string(kMaxRank) +
                             " axes are supported");
    out.resize(v.size());
    for (size_t i = 0; i < v.size(); ++i)
      if (!integer(v[i], place / i, out[i])) return false;
    return true;
  }

  /// A number, a bool, or one of the strings nan, inf, -inf (JSON has no such numbers).
  bool number(const Json& v, const JsonPlace& place, Init::Number& out) {
    if (v.is_boolean()) return out = v.get<bool>(), true;
    if (v.is_number_unsigned() && v.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
      return out = v.get<uint64_t>(), true;
    if (v.is_number_integer()) return out = v.get<int64_t>(), true;
    if (v.is_number()) {
      // The library turns integers beyond 64 bits into floats; as a value they would be silently wrong.
      double d = v.get<double>();
      if (std::abs(d) >= 9.2e18 && written_as_integer(place))
        return fail(place, "an integer that does not fit 64 bits", "write it with a decimal point if a float is meant");
      return out = d, true;
    }
    if (v.is_string()) {
      std::string s = v.get<std::string>();
      if (s == "nan") return out = std::nan(""), true;
      if (s == "inf") return out = HUGE_VAL, true;
      if (s == "-inf") return out = -HUGE_VAL, true;
      return fail(place, "expected a number, found a string", "the strings \"nan\", \"inf\" and \"-inf\" are numbers");
    }
    return fail(place, "expected a number, found " + kind_of(v));
  }

  bool written_as_integer(const JsonPlace& place) const {
    SourceRange r = place.find(source_);
    std::string_view token = source_->line(r.line).substr(r.column - 1, r.end_column - r.column);
    return token.find_first_of(".eE") == std::string_view::npos;
  }

  bool read_names(const Json& root, const JsonPlace& top) {
    if (root.contains("kernel") && !string(root["kernel"], top / "kernel", out_.kernel)) return false;
    if (root.contains("description") && !string(root["description"], top / "description", out_.description))
      return false;
    std::string file = "kernel.py";
    if (root.contains("file") && !string(root["file"], top / "file", file)) return false;
    out_.kernel_path = resolve(file);
    return true;
  }

  bool read_grid(const Json& root, const JsonPlace& top) {
    if (!root.contains("grid"))
      return fail(top, "there is no \"grid\"", "\"grid\": [4] runs four programs; \"cdiv(N, BLOCK)\" is possible too");
    JsonPlace place = top / "grid";
    const Json& grid = root["grid"];
    Json list = grid.is_array() ? grid : Json::array({grid});
    if (list.empty() || list.size() > 3)
      return fail(place, "a grid has 1 to 3 entries, found " + std::to_string(list.size()));
    for (size_t i = 0; i < list.size(); ++i)
      if (!read_expr(list[i], grid.is_array() ? place / i : place, out_.grid)) return false;
    // Expressions can only be evaluated with the arguments: see evaluate_grid.
    return true;
  }

  /// An integer, or an expression over the integers among the arguments.
  bool read_expr(const Json& v, const JsonPlace& at, std::vector<GridExpr>& out) {
    if (v.is_string()) {
      auto e = parse_grid_expr(v.get<std::string>(), at.text());
      if (!e) return fail_with(at, e.errors()[0]);
      out.push_back(*e);
      return true;
    }
    int64_t n = 0;
    if (!v.is_number_integer())
      return fail(at, "expected an integer or an expression as a string, found " + kind_of(v));
    if (!integer(v, at, n)) return false;
    out.push_back(GridExpr::constant(n));
    return true;
  }

  bool read_args(const Json& root, const JsonPlace& top) {
    if (!root.contains("args")) return fail(top, "there is no \"args\"", "a kernel without arguments has \"args\": {}");
    const Json& args = root["args"];
    JsonPlace place = top / "args";
    if (!args.is_object()) return fail(place, "expected an object of arguments by name, found " + kind_of(args));
    if (args.size() > kMaxArgs) return fail(place, "more than " + std::to_string(kMaxArgs) + " arguments");
    for (const auto& [name, value] : args.items()) {
      if (name.empty() || name.find('\0') != std::string::npos) return fail(place, "an argument without a name");
      if (!read_item(name, value, place / name, 0)) return false;
    }
    return true;
  }

  /// A value, or a list: a tuple, whose items become the arguments x[0], x[1] ... ("x[]" when it has none).
  bool read_item(const std::string& name, const Json& v, const JsonPlace& place, int depth) {
    if (out_.args.size() >= kMaxArgs) return fail(place, "more than " + std::to_string(kMaxArgs) + " arguments");
    if (v.is_array() && depth >= kMaxTupleDepth) return fail(place, "tuples are nested more than 8 deep");
    LaunchArg arg{name, {}};
    if (v.is_array() && !v.empty()) {
      for (size_t i = 0; i < v.size(); ++i)
        if (!read_item(name + "[" + std::to_string(i) + "]", v[i], place / i, depth + 1)) return false;
      return true;
    }
    if (v.is_array()) arg.name += "[]";
    else if (!read_arg(v, place, arg.value)) return false;
    out_.args.push_back(std::move(arg));
    return true;
  }

  bool read_arg(const Json& v, const JsonPlace& place, ArgValue& out) {
    if (v.is_null()) return out = std::monostate{}, true;
    if (v.is_string()) return out = v.get<std::string>(), true;
    if (v.is_object() && v.contains("float")) return read_float(v, place, out);
    if (v.is_object() && v.contains("function")) return read_function(v, place, out);
    if (v.is_object()) {
      TensorSpec t;
      if (!read_tensor(v, place, t)) return false;
      return out = std::move(t), true;
    }
    Init::Number n;
    if (!number(v, place, n)) return false;
    std::visit([&](auto x) { out = x; }, n);
    return true;
  }

  /// {"float": "inf"}: a float argument that JSON cannot write as a number.
  bool read_float(const Json& v, const JsonPlace& place, ArgValue& out) {
    Init::Number n;
    if (!known_keys(v, place, {"float"}) || !number(v["float"], place / "float", n)) return false;
    std::visit([&](auto x) { out = static_cast<double>(x); }, n);
    return true;
  }

  /// {"function": "relu"}: a function of the kernel's file, for a constexpr parameter. In memory it is the text "@relu".
  bool read_function(const Json& v, const JsonPlace& place, ArgValue& out) {
    std::string name;
    if (!known_keys(v, place, {"function"}) || !string(v["function"], place / "function", name)) return false;
    if (name.empty()) return fail(place / "function", "a function without a name");
    return out = "@" + name, true;
  }

  bool read_tensor(const Json& v, const JsonPlace& place, TensorSpec& out) {
    if (!known_keys(v, place, {"tensor", "shape", "strides", "descriptor", "init"})) return false;
    if (!v.contains("tensor")) return fail(place, "there is no \"tensor\" with the element type");
    if (!v.contains("shape")) return fail(place, "there is no \"shape\"");
    std::string dtype;
    if (!string(v["tensor"], place / "tensor", dtype)) return false;
    auto parsed = parse_dtype(dtype);
    if (!parsed) return fail(place / "tensor", "unknown element type \"" + dtype + "\"", dtype_hint(dtype));
    out.dtype = *parsed;
    std::vector<int64_t> shape, strides;
    if (!integers(v["shape"], place / "shape", shape)) return false;
    if (v.contains("strides") && !integers(v["strides"], place / "strides", strides)) return false;
    if (v.contains("strides") && strides.size() != shape.size())
      return fail(place / "strides", "expected " + std::to_string(shape.size()) +
                                         " strides, one for each axis of shape, found " +
                                         std::to_string(strides.size()));
    auto layout = make_layout((place / "shape").text(), out.dtype, shape, strides);
    if (!layout) return fail_with(place / "shape", layout.errors()[0]);
    out.layout = *layout;
    if (v.contains("descriptor") && !read_descriptor(v["descriptor"], place / "descriptor", shape.size(), out))
      return false;
    return !v.contains("init") || read_init(v["init"], place / "init", out);
  }

  /// The block shape of a tensor descriptor. Its extents are known when the kernel is compiled.
  bool read_descriptor(const Json& v, const JsonPlace& place, size_t rank, TensorSpec& out) {
    if (!v.is_array() || v.empty())
      return fail(place, "expected the block shape of the descriptor as a list, found " + kind_of(v),
                  "\"descriptor\": [64, \"BLOCK_K\"] loads and stores blocks of 64 rows");
    if (v.size() != rank)
      return fail(place, "expected " + std::to_string(rank) + " block extents, one for each axis of shape, found " +
                             std::to_string(v.size()));
    for (size_t i = 0; i < v.size(); ++i)
      if (!read_expr(v[i], place / i, out.block)) return false;
    return true;
  }

  static std::string dtype_hint(const std::string& found) {
    std::vector<std::string> names;
    std::string list;
    for (int i = 0; i < kDTypeCount; ++i) {
      names.emplace_back(dtype_name(static_cast<DType>(i)));
      list += (i ? ", " : "") + names.back();
    }
    std::string near = nearest_name(found, names);
    return near.empty() ? "known types: " + list : "did you mean \"" + near + "\"?";
  }

  bool read_init(const Json& v, const JsonPlace& place, const TensorSpec& tensor, Init& out) {
    using K = Init::Kind;
    static const std::vector<std::pair<std::string, K>> words = {
        {"zeros", K::Zeros}, {"ones", K::Ones}, {"empty", K::Empty}, {"arange", K::Arange}};
    static const std::vector<std::string> keys = {"full", "rand", "randn", "randint", "values", "npy"};
    if (v.is_string()) {
      std::string word = v.get<std::string>();
      for (const auto& [name, kind] : words)
        if (name == word) return out.kind = kind, true;
      std::string hint = std::find(keys.begin(), keys.end(), word) != keys.end()
                             ? "\"" + word + "\" needs a value: {\"" + word + "\": ...}"
                             : "words: zeros, ones, empty, arange; objects: full, rand, randn, randint, values, npy";
      return fail(place, "unknown init \"" + word + "\"", hint);
    }
    if (!v.is_object() || v.size() != 1)
      return fail(place, "expected a word or an object with one key, found " + kind_of(v),
                  "\"zeros\", \"ones\", \"empty\", \"arange\", {\"full\": v}, {\"rand\": seed}, {\"randn\": seed}, "
                  "{\"randint\": [lo, hi, seed]}, {\"values\": [...]}, {\"npy\": file}");
    if (!known_keys(v, place, keys)) return false;
    std::string key = v.begin().key();
    const Json& value = v.begin().value();
    JsonPlace at = place / key;
    if (key == "npy") {
      out.kind = K::Npy;
      if (!string(value, at, out.npy_path)) return false;
      out.npy_path = resolve(out.npy_path);
      return true;
    }
    if (key == "full") {
      out.kind = K::Full;
      out.values.resize(1);
      return number(value, at, out.values[0]) && fits(out.values[0], tensor.dtype, at);
    }
    if (key == "values") return read_values(value, at, tensor, out);
    if (key == "randint") return read_randint(value, at, tensor.dtype, out);
    return read_random(key == "rand" ? K::Rand : K::Randn, value, at, tensor.dtype, out);
  }
  bool read_init(const Json& v, const JsonPlace& place, TensorSpec& tensor) {
    return read_init(v, place, tensor, tensor.init);
  }

  bool fits(const Init::Number& n, DType dtype, const JsonPlace& place) {
    auto problem = number_problem(n, dtype);
    return !problem || fail(place, *problem);
  }

  bool seed(const Json& v, const JsonPlace& place, uint64_t& out) {
    if (!v.is_number_integer()) return fail(place, "expected a seed (an integer), found " + kind_of(v));
    if (!v.is_number_unsigned()) return fail(place, "the seed " + v.dump() + " is negative", "a seed is 0 or more");
    out = v.get<uint64_t>();
    return true;
  }

  bool read_random(Init::Kind kind, const Json& v, const JsonPlace& place, DType dtype, Init& out) {
    out.kind = kind;
    if (!is_float(dtype))
      return fail(place, "random floats cannot fill a tensor of " + std::string(dtype_name(dtype)),
                  "use {\"randint\": [lo, hi, seed]}", true);
    return seed(v, place, out.seed);
  }

  bool read_randint(const Json& v, const JsonPlace& place, DType dtype, Init& out) {
    out.kind = Init::Kind::RandInt;
    if (!v.is_array() || v.size() != 3) return fail(place, "expected [lo, hi, seed], found " + kind_of(v));
    if (!integer(v[0], place / 0, out.lo) || !integer(v[1], place / 1, out.hi) || !seed(v[2], place / 2, out.seed))
      return false;
    if (out.lo >= out.hi)
      return fail(place,
                  "the range is empty: lo " + std::to_string(out.lo) + " is not below hi " + std::to_string(out.hi),
                  "values are drawn from lo <= v < hi");
    return fits(Init::Number(out.lo), dtype, place / 0) && fits(Init::Number(out.hi - 1), dtype, place / 1);
  }

  /// Values may be nested as the shape is; only their number counts.
  bool read_values(const Json& v, const JsonPlace& place, const TensorSpec& tensor, Init& out) {
    out.kind = Init::Kind::Values;
    if (!v.is_array()) return fail(place, "expected a list of numbers, found " + kind_of(v));
    if (!flatten(v, place, tensor.dtype, out.values)) return false;
    size_t need = static_cast<size_t>(tensor.layout.elements());
    if (out.values.size() == need) return true;
    return fail(place,
                "the shape needs " + std::to_string(need) + " values, found " + std::to_string(out.values.size()));
  }

  bool flatten(const Json& list, const JsonPlace& place, DType dtype, std::vector<Init::Number>& out) {
    for (size_t i = 0; i < list.size(); ++i) {
      if (list[i].is_array()) {
        if (!flatten(list[i], place / i, dtype, out)) return false;
        continue;
      }
      // Building a place for each number would dominate large lists: it is built again only for an error.
      Init::Number n;
      bool plain = list[i].is_number_integer() || (list[i].is_number() && std::abs(list[i].get<double>()) < 9.2e18);
      if (plain ? !number(list[i], place, n) : !number(list[i], place / i, n)) return false;
      if (number_problem(n, dtype)) return fits(n, dtype, place / i);
      out.push_back(n);
    }
    return true;
  }

  bool read_numbers(const Json& root, const JsonPlace& top) {
    for (const char* key : {"num_warps", "num_stages"}) {
      if (!root.contains(key)) continue;
      bool warps = std::string_view(key) == "num_warps";
      int64_t value = 0;
      JsonPlace place = top / std::string(key);
      if (!integer(root[key], place, value)) return false;
      if (auto problem = warps ? check_num_warps(value, place.text()) : check_num_stages(value, place.text()))
        return fail_with(place, *problem);
      (warps ? out_.num_warps : out_.num_stages) = static_cast<int>(value);
      (warps ? out_.num_warps_stated : out_.num_stages_stated) = true;
    }
    return read_config(root, top);
  }

  /// From 1, as people count them.
  bool read_config(const Json& root, const JsonPlace& top) {
    if (!root.contains("config")) return true;
    int64_t number = 0;
    if (!integer(root["config"], top / "config", number)) return false;
    if (number < 1) return fail(top / "config", "configs are counted from 1, found " + std::to_string(number));
    out_.config = number - 1;
    return true;
  }

  bool read_outputs(const Json& root, const JsonPlace& top) {
    if (!root.contains("outputs")) return true;
    const Json& outputs = root["outputs"];
    JsonPlace place = top / "outputs";
    if (!outputs.is_object()) return fail(place, "expected an object of outputs by name, found " + kind_of(outputs));
    for (const auto& [name, value] : outputs.items()) {
      OutputSpec o;
      o.tensor = name;
      const LaunchArg* arg = out_.find(name);
      if (arg == nullptr) return fail(place / name, "there is no argument of that name", near_argument(name), true);
      const auto* tensor = std::get_if<TensorSpec>(&arg->value);
      if (tensor == nullptr) return fail(place / name, "that argument is not a tensor", {}, true);
      if (!read_output(value, place / name, *tensor, o)) return false;
      out_.outputs.push_back(std::move(o));
    }
    return true;
  }

  std::string near_argument(const std::string& name) const {
    std::vector<std::string> names;
    for (const LaunchArg& a : out_.args) names.push_back(a.name);
    std::string near = nearest_name(name, names);
    return near.empty() ? "" : "did you mean \"" + near + "\"?";
  }

  bool read_output(const Json& v, const JsonPlace& place, const TensorSpec& tensor, OutputSpec& o) {
    if (!v.is_object()) return fail(place, "expected an object, found " + kind_of(v));
    if (!known_keys(v, place, {"npy", "values", "full", "reference", "inputs", "params", "exact", "rtol", "atol"}))
      return false;
    int sources = 0;
    for (const char* key : {"npy", "values", "full"}) {
      if (!v.contains(key)) continue;
      ++sources;
      o.expected.emplace();
      Json init = Json::object({{key, v[key]}});
      if (!read_init(init, place, tensor, *o.expected)) return false;
    }
    if (v.contains("reference")) {
      ++sources;
      if (!string(v["reference"], place / "reference", o.reference) || !read_reference(v, place, o)) return false;
    } else if (v.contains("inputs") || v.contains("params")) {
      return fail(place, "\"inputs\" and \"params\" belong to a \"reference\"");
    }
    if (sources != 1)
      return fail(place, sources == 0 ? "nothing to compare with" : "more than one thing to compare with",
                  "give one of \"npy\", \"values\", \"full\" and \"reference\"");
    return read_tolerance(v, place, tensor.dtype, o);
  }

  bool read_reference(const Json& v, const JsonPlace& place, OutputSpec& o) {
    if (v.contains("inputs")) {
      const Json& inputs = v["inputs"];
      if (!inputs.is_array())
        return fail(place / "inputs", "expected a list of argument names, found " + kind_of(inputs));
      for (size_t i = 0; i < inputs.size(); ++i) {
        std::string name;
        JsonPlace at = place / "inputs" / i;
        if (!string(inputs[i], at, name)) return false;
        if (out_.find(name) == nullptr) return fail(at, "there is no argument \"" + name + "\"", near_argument(name));
        o.inputs.push_back(name);
      }
    }
    if (!v.contains("params")) return true;
    if (!v["params"].is_object()) return fail(place / "params", "expected an object, found " + kind_of(v["params"]));
    for (const auto& [key, value] : v["params"].items()) {
      Init::Number n;
      if (!number(value, place / "params" / key, n)) return false;
      o.params[key] = std::visit([](auto x) { return static_cast<double>(x); }, n);
    }
    return true;
  }

  bool read_tolerance(const Json& v, const JsonPlace& place, DType dtype, OutputSpec& o) {
    set_default_tolerance(o, dtype);
    bool stated = v.contains("rtol") || v.contains("atol");
    if (v.contains("exact")) {
      if (!v["exact"].is_boolean())
        return fail(place / "exact", "expected true or false, found " + kind_of(v["exact"]));
      if (v["exact"].get<bool>() && stated) return fail(place, "\"exact\" and a tolerance exclude each other");
      o.exact = v["exact"].get<bool>() || (o.exact && !stated);
    }
    if (!stated) return true;
    o.exact = false;
    for (const char* key : {"rtol", "atol"}) {
      double& target = std::string_view(key) == "rtol" ? o.rtol : o.atol;
      target = 0;
      if (!v.contains(key)) continue;
      if (!v[key].is_number() || !(v[key].get<double>() >= 0))
        return fail(place / std::string(key), "expected a number that is not negative, found " + kind_of(v[key]));
      target = v[key].get<double>();
    }
    return true;
  }

  bool read_expect_error(const Json& root, const JsonPlace& top) {
    if (root.contains("expect_error")) {
      const Json& v = root["expect_error"];
      if (!v.is_string() && !v.is_boolean())
        return fail(top / "expect_error", "expected a string or true, found " + kind_of(v));
      out_.expect_error = v.is_string() || v.get<bool>();
      if (v.is_string()) out_.expect_error_text = v.get<std::string>();
    }
    if (!root.contains("expect_error_at")) return true;
    JsonPlace place = top / "expect_error_at";
    std::vector<int64_t> at;
    if (!integers(root["expect_error_at"], place, at)) return false;
    if (at.size() != 2 || std::min(at[0], at[1]) < 1 || std::max(at[0], at[1]) > 1 << 30)
      return fail(place, "expected [line, column], both from 1");
    out_.expect_error = true;
    out_.expect_error_at = {static_cast<int>(at[0]), static_cast<int>(at[1])};
    return true;
  }

  SourcePtr source_;
  LaunchSpec& out_;
  Diagnostic error_;
};

}  // namespace

Expected<LaunchSpec> parse_launch_text(const std::string& text, const std::string& path) {
  auto source = std::make_shared<SourceFile>(SourceFile{path, text});
  auto root = parse_json(source);
  if (!root) return root.errors();
  LaunchSpec spec;
  spec.path = path;
  LaunchReader reader(source, spec);
  if (!reader.read(*root)) return reader.error();
  return spec;
}

Expected<LaunchSpec> load_launch_file(const std::string& path) {
  const Expected<std::string> text = read_user_file(path, kMaxFileBytes, "put large values into a .npy file: {\"npy\": \"x.npy\"}");
  if (!text) return text.errors();
  return parse_launch_text(*text, path);
}

}  // namespace tilescope
