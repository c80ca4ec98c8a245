#include "core/launch_text.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace tilescope {

std::string real_text(double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
  char buffer[32];
  const auto [end, ec] = std::to_chars(buffer, buffer + sizeof buffer, v);
  std::string s(buffer, ec == std::errc() ? end : buffer);
  return s.find_first_of(".e") == std::string::npos ? s + ".0" : s;
}

namespace {

using Json = nlohmann::ordered_json;

std::string number_text(const Init::Number& n) {
  if (const auto* b = std::get_if<bool>(&n)) return *b ? "true" : "false";
  if (const auto* i = std::get_if<int64_t>(&n)) return std::to_string(*i);
  if (const auto* u = std::get_if<uint64_t>(&n)) return std::to_string(*u);
  return real_text(std::get<double>(n));
}

std::string joined(const std::vector<int64_t>& values) {
  std::string out;
  for (int64_t v : values) out += (out.empty() ? "" : ",") + std::to_string(v);
  return out;
}

std::string init_text(const Init& init) {
  using K = Init::Kind;
  switch (init.kind) {
    case K::Zeros: return "zeros";
    case K::Ones: return "ones";
    case K::Empty: return "empty";
    case K::Arange: return "arange";
    case K::Full: return "full(" + number_text(init.values.at(0)) + ")";
    case K::Rand: return "rand(" + std::to_string(init.seed) + ")";
    case K::Randn: return "randn(" + std::to_string(init.seed) + ")";
    case K::RandInt: return "randint(" + std::to_string(init.lo) + "," + std::to_string(init.hi) + "," + std::to_string(init.seed) + ")";
    case K::Npy: return "npy(" + init.npy_path + ")";
    case K::Values: break;
  }
  std::string out;
  for (const Init::Number& n : init.values) out += (out.empty() ? "" : ",") + number_text(n);
  return "values(" + out + ")";
}

Json number_json(const Init::Number& n) {
  if (const auto* b = std::get_if<bool>(&n)) return *b;
  if (const auto* i = std::get_if<int64_t>(&n)) return *i;
  if (const auto* u = std::get_if<uint64_t>(&n)) return *u;
  const double v = std::get<double>(n);
  if (!std::isfinite(v)) return real_text(v);
  return v;
}

Json init_json(const Init& init) {
  using K = Init::Kind;
  switch (init.kind) {
    case K::Zeros:
    case K::Ones:
    case K::Empty:
    case K::Arange: return init_text(init);
    case K::Full: return {{"full", number_json(init.values.at(0))}};
    case K::Rand: return {{"rand", init.seed}};
    case K::Randn: return {{"randn", init.seed}};
    case K::RandInt: return {{"randint", {init.lo, init.hi, init.seed}}};
    case K::Npy: return {{"npy", init.npy_path}};
    case K::Values: break;
  }
  Json values = Json::array();
  for (const Init::Number& n : init.values) values.push_back(number_json(n));
  return {{"values", values}};
}

Json expr_json(const GridExpr& e) {
  const bool number = e.steps.size() == 1 && e.steps[0].op == GridExpr::Op::Number;
  return number ? Json(e.steps[0].number) : Json(e.text);
}

Json value_json(const ArgValue& value) {
  if (const auto* t = std::get_if<TensorSpec>(&value)) {
    Json out = {{"tensor", std::string(dtype_name(t->dtype))}, {"shape", t->layout.shape}};
    if (!t->layout.is_contiguous()) out["strides"] = t->layout.strides;
    for (const GridExpr& e : t->block) out["descriptor"].push_back(expr_json(e));
    out["init"] = init_json(t->init);
    return out;
  }
  if (const auto* i = std::get_if<int64_t>(&value)) return *i;
  if (const auto* u = std::get_if<uint64_t>(&value)) return *u;
  if (const auto* b = std::get_if<bool>(&value)) return *b;
  if (const auto* s = std::get_if<std::string>(&value)) return *s;
  if (const auto* d = std::get_if<double>(&value)) return std::isfinite(*d) ? Json(*d) : Json{{"float", real_text(*d)}};
  return nullptr;
}

}  // namespace

std::string arg_text(const ArgValue& value) {
  if (const auto* t = std::get_if<TensorSpec>(&value)) {
    std::string out = std::string(dtype_short_name(t->dtype)) + "[" + joined(t->layout.shape) + "]";
    if (!t->layout.is_contiguous()) out += ":strides(" + joined(t->layout.strides) + ")";
    std::string block;
    for (const GridExpr& e : t->block) block += (block.empty() ? "" : ",") + e.text;
    if (!block.empty()) out += ":block(" + block + ")";
    return out + "=" + init_text(t->init);
  }
  if (const auto* i = std::get_if<int64_t>(&value)) return std::to_string(*i);
  if (const auto* u = std::get_if<uint64_t>(&value)) return std::to_string(*u);
  if (const auto* b = std::get_if<bool>(&value)) return *b ? "true" : "false";
  if (const auto* s = std::get_if<std::string>(&value)) return "'" + *s + "'";
  if (const auto* d = std::get_if<double>(&value)) return real_text(*d);
  return "None";
}

std::string launch_file_text(const LaunchSpec& spec, const std::string& kernel_file) {
  Json out;
  if (!spec.kernel.empty()) out["kernel"] = spec.kernel;
  out["file"] = kernel_file;
  Json grid = Json::array();
  for (const GridExpr& e : spec.grid) grid.push_back(expr_json(e));
  out["grid"] = grid;
  Json args = Json::object();
  for (const LaunchArg& a : spec.args) args[a.name] = value_json(a.value);
  out["args"] = args;
  if (spec.config) out["config"] = *spec.config + 1;
  // What is not stated is left to the kernel's decorators, as it was in this launch.
  if (spec.num_warps_stated) out["num_warps"] = spec.num_warps;
  if (spec.num_stages_stated) out["num_stages"] = spec.num_stages;
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";  // a file's name need not be UTF-8
}

}  // namespace tilescope
