// One expression of the kernel language on lists of numbers, and the comparison of results to the last bit.
#pragma once

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/sim_exec_data.h"

namespace tilescope::testing {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Numbers = std::vector<double>;

/// A number that compares by its bits, so that -0 is not +0; NaN equals any NaN.
inline bool same_number(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

/// "" when they are the same, else the first difference in words.
inline std::string differs(const Numbers& got, const Numbers& expected) {
  if (got.size() != expected.size())
    return std::to_string(got.size()) + " numbers instead of " + std::to_string(expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    if (!same_number(got[i], expected[i])) {
      char text[128];
      std::snprintf(text, sizeof text, "element %zu: got %.17g, expected %.17g", i, got[i], expected[i]);
      return text;
    }
  return {};
}

/// Fills a tensor of that type, rounding once.
inline void put(Tensor& t, const Numbers& x) {
  for (size_t i = 0; i < x.size(); ++i) {
    std::byte* e = t.element(static_cast<int64_t>(i));
    if (is_int(t.dtype))
      write_int64(t.dtype, e, static_cast<int64_t>(x[i]));
    else
      write_double(t.dtype, e, x[i]);
  }
}

/// What `text`, an expression of the tiles x and y (and of the lane i), gives for these numbers. x has a power of two
/// of elements; y is as long, or empty. The result has type `out` and as many elements, or one when the expression is a
/// scalar (`scalar`). Kernel helpers may stand in `helpers`.
inline Numbers apply(const std::string& text, DType in, const Numbers& x, DType out, const Numbers& y = {},
                     bool scalar = false, const std::string& helpers = {}) {
  Bench b;
  const auto n = static_cast<int64_t>(x.size());
  put(b.tensor("x_ptr", in, {n}), x);
  put(b.tensor("y_ptr", in, {n}), y);
  Tensor& z = b.tensor("z_ptr", out, {scalar ? 1 : n});
  b.integer("n", n);
  std::string body =
      "def kernel(x_ptr, y_ptr, z_ptr, n: tl.constexpr):\n    i = tl.arange(0, n)\n    x = tl.load(x_ptr + i)\n    y = "
      "tl.load(y_ptr + i)\n";
  body += "    z = " + text + "\n    tl.store(z_ptr" + (scalar ? "" : " + i") + ", z)\n";
  const std::string problem = faults(b.run(helpers.empty() ? body : helpers + "\n\n@triton.jit\n" + body));
  if (!problem.empty()) throw std::runtime_error(text + ": " + problem);
  return values(z);
}

}  // namespace tilescope::testing
