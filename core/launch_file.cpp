#include "core/launch_file.h"

#include <algorithm>

#include "core/launch_reader.h"
#include "core/user_file.h"

namespace tilescope {
namespace {

constexpr uintmax_t kMaxFileBytes = uintmax_t{64} << 20;
constexpr size_t kMaxArgs = 1024;
constexpr int kMaxTupleDepth = 8;

}  // namespace

bool LaunchReader::read(const Json& root) {
  JsonPlace top;
  if (!root.is_object()) return fail(top, "expected an object, found " + kind_of(root));
  if (!known_keys(root, top,
                  {"kernel", "file", "grid", "args", "config", "num_warps", "num_stages", "outputs", "expect_error",
                   "expect_error_at", "description"}))
    return false;
  return read_names(root, top) && read_grid(root, top) && read_args(root, top) && read_numbers(root, top) &&
         read_outputs(root, top) && read_expect_error(root, top);
}

bool LaunchReader::read_names(const Json& root, const JsonPlace& top) {
  if (root.contains("kernel") && !string(root["kernel"], top / "kernel", out_.kernel)) return false;
  if (root.contains("description") && !string(root["description"], top / "description", out_.description))
    return false;
  std::string file = "kernel.py";
  if (root.contains("file") && !string(root["file"], top / "file", file)) return false;
  out_.kernel_path = resolve(file);
  return true;
}

bool LaunchReader::read_grid(const Json& root, const JsonPlace& top) {
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

bool LaunchReader::read_expr(const Json& v, const JsonPlace& at, std::vector<GridExpr>& out) {
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

bool LaunchReader::read_args(const Json& root, const JsonPlace& top) {
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

bool LaunchReader::read_item(const std::string& name, const Json& v, const JsonPlace& place, int depth) {
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

bool LaunchReader::read_arg(const Json& v, const JsonPlace& place, ArgValue& out) {
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

bool LaunchReader::read_float(const Json& v, const JsonPlace& place, ArgValue& out) {
  Init::Number n;
  if (!known_keys(v, place, {"float"}) || !number(v["float"], place / "float", n)) return false;
  std::visit([&](auto x) { out = static_cast<double>(x); }, n);
  return true;
}

bool LaunchReader::read_function(const Json& v, const JsonPlace& place, ArgValue& out) {
  std::string name;
  if (!known_keys(v, place, {"function"}) || !string(v["function"], place / "function", name)) return false;
  if (name.empty()) return fail(place / "function", "a function without a name");
  return out = "@" + name, true;
}

bool LaunchReader::read_numbers(const Json& root, const JsonPlace& top) {
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

bool LaunchReader::read_config(const Json& root, const JsonPlace& top) {
  if (!root.contains("config")) return true;
  int64_t number = 0;
  if (!integer(root["config"], top / "config", number)) return false;
  if (number < 1) return fail(top / "config", "configs are counted from 1, found " + std::to_string(number));
  out_.config = number - 1;
  return true;
}

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
