// Slow, independent references for the tests of device_math: small floats from the definition of their formats, .npy
// payloads, and the distance of a result from the true value in units of the last place.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/device_math.h"

namespace math_test {

namespace m = tilescope_math;

/// A small float format by its parameters. Codes are counted without the sign bit.
struct Format {
  int exponent_bits, fraction_bits;
  bool has_infinity;  ///< e4m3 has none: only the code of all ones is NaN
  bool saturates;
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  /// Number of finite codes of one sign.
  uint32_t finite_codes() const {
    const uint32_t all = 1u << (exponent_bits + fraction_bits);
    return has_infinity ? all - (1u << fraction_bits) : all - 1;
  }
  uint32_t sign() const { return 1u << (exponent_bits + fraction_bits); }
  uint32_t nan() const { return sign() - 1; }
  /// Value of a finite code, also of the first code beyond the finite ones (where rounding to infinity begins).
  double value(uint32_t code) const {
    const uint32_t exponent = code >> fraction_bits, fraction = code & ((1u << fraction_bits) - 1);
    const int scale = (exponent == 0 ? 1 : static_cast<int>(exponent)) - bias() - fraction_bits;
    return std::ldexp(static_cast<double>(fraction + (exponent == 0 ? 0u : 1u << fraction_bits)), scale);
  }
  /// Nearest code, ties to even, by bisection over the values.
  uint32_t encode(long double x) const {
    if (std::isnan(x)) return nan();
    const uint32_t sign_bit = std::signbit(x) ? sign() : 0;
    const long double a = std::fabs(x);
    const uint32_t top = finite_codes();  // the code after the largest finite one
    if (a >= value(top)) return sign_bit | (saturates ? top - 1 : top);
    uint32_t low = 0, high = top;
    while (high - low > 1) (a >= value((low + high) / 2) ? low : high) = (low + high) / 2;
    const long double below = a - value(low), above = value(high) - a;
    uint32_t code = below < above || (below == above && low % 2 == 0) ? low : high;
    if (code == top && saturates) code = top - 1;
    return sign_bit | code;
  }
};
inline constexpr Format kF16{5, 10, true, false}, kBF16{8, 7, true, false}, kE4M3{4, 3, false, true},
    kE5M2{5, 2, true, true};

template <class T>
constexpr Format format_of() {
  if constexpr (m::is_same<T, m::f16>) return kF16;
  if constexpr (m::is_same<T, m::bf16>) return kBF16;
  if constexpr (m::is_same<T, m::e4m3>) return kE4M3;
  return kE5M2;
}

/// Equal bits, or both NaN.
template <class T>
bool same(T a, T b) {
  if constexpr (m::is_any_float<T>)
    if (m::isnan(a) && m::isnan(b)) return true;
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// |got - truth| in units of the last place that a float (double) has at the magnitude of truth. Infinities and zeros
/// must agree, with their sign; a miss counts as 1e9.
template <class T>
double ulp_error(T got, long double truth) {
  constexpr int precision = m::is_same<T, float> ? 24 : 53, smallest = m::is_same<T, float> ? -125 : -1021;
  const T rounded = static_cast<T>(truth);
  if (std::isnan(truth)) return std::isnan(got) ? 0 : 1e9;
  if (std::isinf(rounded) || std::isinf(got) || truth == 0)
    return got == rounded && std::signbit(got) == std::signbit(rounded) ? 0 : 1e9;
  if (std::isnan(got)) return 1e9;
  int exponent = 0;
  std::frexp(truth, &exponent);
  if (exponent < smallest) exponent = smallest;
  return static_cast<double>(std::fabs(static_cast<long double>(got) - truth) / std::ldexp(1.0L, exponent - precision));
}

/// SplitMix64: inputs for the tests, the same on every machine.
struct Inputs {
  uint64_t state;
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
};

/// Elements of a .npy file of version 1 whose dtype is known to be T.
template <class T>
std::vector<T> npy_values(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  if (bytes.size() < 10) return {};
  const size_t start = 10 + static_cast<uint8_t>(bytes[8]) + 256 * static_cast<uint8_t>(bytes[9]);
  std::vector<T> values;
  for (size_t at = start; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T v;
    std::memcpy(&v, bytes.data() + at, sizeof v);
    values.push_back(v);
  }
  return values;
}
template <class T>
std::vector<T> conformance(const std::string& case_name, const std::string& file) {
  return npy_values<T>(std::string(TILESCOPE_SOURCE_DIR) + "/tests/conformance/" + case_name + "/" + file);
}

}  // namespace math_test
