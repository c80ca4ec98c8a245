// What holds for a launch wherever it was written: numbers that fit, grids in range, names that are nearly right.
#include <algorithm>
#include <cmath>

#include "core/launch_file.h"

namespace tilescope {
namespace {

/// Bits of the value part of an integer dtype (31 for int32).
int value_bits(DType t) { return is_signed_int(t) ? dtype_bits(t) - 1 : dtype_bits(t); }

std::string range_text(DType t) {
  if (is_bool(t)) return "0 or 1";
  uint64_t most = value_bits(t) == 64 ? UINT64_MAX : (uint64_t{1} << value_bits(t)) - 1;
  std::string least = is_signed_int(t) ? "-" + std::to_string(most + 1) : "0";
  return least + " to " + std::to_string(most);
}

std::optional<std::string> integer_problem(bool negative, uint64_t magnitude, DType t) {
  uint64_t most = value_bits(t) == 64 ? UINT64_MAX : (uint64_t{1} << value_bits(t)) - 1;
  bool fits = !negative || magnitude == 0 ? magnitude <= most : is_signed_int(t) && magnitude - 1 <= most;
  if (fits) return std::nullopt;
  return (negative ? "-" : "") + std::to_string(magnitude) + " does not fit " + std::string(dtype_name(t)) + " (" +
         range_text(t) + ")";
}

std::string short_number(double d) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", d);
  return text;
}

}  // namespace

const LaunchArg* LaunchSpec::find(const std::string& name) const {
  for (const LaunchArg& a : args)
    if (a.name == name) return &a;
  return nullptr;
}

std::optional<std::string> number_problem(const Init::Number& number, DType dtype) {
  if (const auto* d = std::get_if<double>(&number)) {
    if (dtype == DType::Float8E4NV && std::isinf(*d)) return "float8e4nv has no infinity";
    if (is_float(dtype)) return std::nullopt;
    if (!(std::abs(*d) < 1.8e19) || *d != std::trunc(*d))
      return short_number(*d) + " is not an integer, as " + std::string(dtype_name(dtype)) + " needs";
    return integer_problem(*d < 0, static_cast<uint64_t>(std::abs(*d)), dtype);
  }
  if (is_float(dtype)) return std::nullopt;
  if (const auto* i = std::get_if<int64_t>(&number))
    return integer_problem(*i < 0, *i < 0 ? 0 - static_cast<uint64_t>(*i) : static_cast<uint64_t>(*i), dtype);
  if (const auto* u = std::get_if<uint64_t>(&number)) return integer_problem(false, *u, dtype);
  return std::nullopt;
}

void set_default_tolerance(OutputSpec& output, DType dtype) {
  output.exact = !is_float(dtype);
  switch (dtype) {
    case DType::Float64:
      output.rtol = 1e-12, output.atol = 1e-14;
      break;
    case DType::Float32:
      output.rtol = 1e-5, output.atol = 1e-6;
      break;
    case DType::Float16:
      output.rtol = 2e-3, output.atol = 1e-3;
      break;
    case DType::BFloat16:
      output.rtol = 1.6e-2, output.atol = 1e-2;
      break;
    case DType::Float8E4NV:
      output.rtol = 0.125, output.atol = 0.02;
      break;
    case DType::Float8E5:
      output.rtol = 0.25, output.atol = 0.04;
      break;
    default:
      output.rtol = output.atol = 0;
  }
}

Expected<std::array<int64_t, 3>> evaluate_grid(const LaunchSpec& spec) {
  constexpr int64_t kMost = (int64_t{1} << 31) - 1;
  GridLookup lookup = [&](const std::string& name) -> std::optional<int64_t> {
    const LaunchArg* a = spec.find(name);
    if (a == nullptr) return std::nullopt;
    if (const auto* i = std::get_if<int64_t>(&a->value)) return *i;
    if (const auto* b = std::get_if<bool>(&a->value)) return *b;
    return std::nullopt;
  };
  std::array<int64_t, 3> grid{1, 1, 1};
  int64_t programs = 1;
  if (spec.grid.empty())
    return plain_error("how many programs to launch is open: there is no grid",
                       "give it with --grid 4, or --grid \"cdiv(n, BLOCK)\" of the arguments; in a launch file: \"grid\": [4]; `tilescope sandbox` guesses one");
  if (spec.grid.size() > 3)
    return plain_error("the grid has " + std::to_string(spec.grid.size()) + " entries; expected 1 to 3",
                       "--grid 4 runs four programs; --grid \"cdiv(n, BLOCK)\" is possible too");
  for (size_t i = 0; i < spec.grid.size(); ++i) {
    std::string place = "grid[" + std::to_string(i) + "]";
    auto value = evaluate(spec.grid[i], lookup, place);
    if (!value) return value.errors();
    if (*value < 1 || *value > kMost) {
      const std::string& text = spec.grid[i].text;
      std::string found = text == std::to_string(*value) ? text : text + " = " + std::to_string(*value);
      return plain_error(place + ": a grid axis has 1 to 2147483647 programs, found " + found);
    }
    grid[i] = *value;
    if (__builtin_mul_overflow(programs, *value, &programs) || programs > kMost)
      return plain_error("grid: more than 2147483647 programs in all");
  }
  return grid;
}

std::optional<Diagnostic> check_num_warps(int64_t value, const std::string& place) {
  if (value >= 1 && value <= 32 && (value & (value - 1)) == 0) return std::nullopt;
  return plain_error(place + ": expected 1, 2, 4, 8, 16 or 32, found " + std::to_string(value));
}

std::optional<Diagnostic> check_num_stages(int64_t value, const std::string& place) {
  if (value >= 1 && value <= 16) return std::nullopt;
  return plain_error(place + ": expected 1 to 16, found " + std::to_string(value));
}

namespace {

/// Edits between two short names: a letter changed, added, dropped, or two neighbours exchanged.
size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j - 1] + (a[i - 1] != b[j - 1]), d[i - 1][j] + 1, d[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates) {
  constexpr size_t kLongest = 64;
  std::string best;
  if (name.size() > kLongest) return best;
  // One edit for every three letters: "gird" is grid, "x" is nobody.
  size_t least = std::max<size_t>(1, name.size() / 3) + 1;
  for (const std::string& c : candidates) {
    if (c.size() > kLongest) continue;
    size_t edits = edit_distance(name, c);
    if (edits < least && edits < std::max(name.size(), c.size())) least = edits, best = c;
  }
  return best;
}

}  // namespace tilescope
