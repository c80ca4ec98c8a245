// Tensors of a launch file: their layout, and what they begin with.
#include <algorithm>

#include "core/launch_reader.h"

namespace tilescope {

bool LaunchReader::read_tensor(const Json& v, const JsonPlace& place, TensorSpec& out) {
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

bool LaunchReader::read_descriptor(const Json& v, const JsonPlace& place, size_t rank, TensorSpec& out) {
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

std::string LaunchReader::dtype_hint(const std::string& found) {
  std::vector<std::string> names;
  std::string list;
  for (int i = 0; i < kDTypeCount; ++i) {
    names.emplace_back(dtype_name(static_cast<DType>(i)));
    list += (i ? ", " : "") + names.back();
  }
  std::string near = nearest_name(found, names);
  return near.empty() ? "known types: " + list : "did you mean \"" + near + "\"?";
}

bool LaunchReader::read_init(const Json& v, const JsonPlace& place, const TensorSpec& tensor, Init& out) {
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

bool LaunchReader::read_init(const Json& v, const JsonPlace& place, TensorSpec& tensor) {
  return read_init(v, place, tensor, tensor.init);
}

bool LaunchReader::fits(const Init::Number& n, DType dtype, const JsonPlace& place) {
  auto problem = number_problem(n, dtype);
  return !problem || fail(place, *problem);
}

bool LaunchReader::seed(const Json& v, const JsonPlace& place, uint64_t& out) {
  if (!v.is_number_integer()) return fail(place, "expected a seed (an integer), found " + kind_of(v));
  if (!v.is_number_unsigned()) return fail(place, "the seed " + v.dump() + " is negative", "a seed is 0 or more");
  out = v.get<uint64_t>();
  return true;
}

bool LaunchReader::read_random(Init::Kind kind, const Json& v, const JsonPlace& place, DType dtype, Init& out) {
  out.kind = kind;
  if (!is_float(dtype))
    return fail(place, "random floats cannot fill a tensor of " + std::string(dtype_name(dtype)),
                "use {\"randint\": [lo, hi, seed]}", true);
  return seed(v, place, out.seed);
}

bool LaunchReader::read_randint(const Json& v, const JsonPlace& place, DType dtype, Init& out) {
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

bool LaunchReader::read_values(const Json& v, const JsonPlace& place, const TensorSpec& tensor, Init& out) {
  out.kind = Init::Kind::Values;
  if (!v.is_array()) return fail(place, "expected a list of numbers, found " + kind_of(v));
  if (!flatten(v, place, tensor.dtype, out.values)) return false;
  size_t need = static_cast<size_t>(tensor.layout.elements());
  if (out.values.size() == need) return true;
  return fail(place,
              "the shape needs " + std::to_string(need) + " values, found " + std::to_string(out.values.size()));
}

bool LaunchReader::flatten(const Json& list, const JsonPlace& place, DType dtype, std::vector<Init::Number>& out) {
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

}  // namespace tilescope
