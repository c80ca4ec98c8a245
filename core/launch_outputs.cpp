// What a launch file says that must come out: values of tensors, tolerances, an error.
#include <algorithm>

#include "core/launch_reader.h"

namespace tilescope {

bool LaunchReader::read_outputs(const Json& root, const JsonPlace& top) {
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

std::string LaunchReader::near_argument(const std::string& name) const {
  std::vector<std::string> names;
  for (const LaunchArg& a : out_.args) names.push_back(a.name);
  std::string near = nearest_name(name, names);
  return near.empty() ? "" : "did you mean \"" + near + "\"?";
}

bool LaunchReader::read_output(const Json& v, const JsonPlace& place, const TensorSpec& tensor, OutputSpec& o) {
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

bool LaunchReader::read_reference(const Json& v, const JsonPlace& place, OutputSpec& o) {
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

bool LaunchReader::read_tolerance(const Json& v, const JsonPlace& place, DType dtype, OutputSpec& o) {
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

bool LaunchReader::read_expect_error(const Json& root, const JsonPlace& top) {
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

}  // namespace tilescope
