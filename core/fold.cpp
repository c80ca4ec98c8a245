#include "core/fold.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/builder.h"

namespace tilescope {
namespace {

/// Layout of the small floats: exponent bits and fraction bits.
struct SmallFloat {
  int exponent, fraction;
};
SmallFloat small_float(DType t) {
  switch (t) {
    case DType::Float16: return {5, 10};
    case DType::BFloat16: return {8, 7};
    case DType::Float8E5: return {5, 2};
    case DType::Float8E4NV: return {4, 3};
    default: internal_error("small_float: not a small float");
  }
}

double decode_small(DType t, uint64_t bits) {
  const auto [e, m] = small_float(t);
  const int64_t exponent = static_cast<int64_t>(bits >> m & ((1u << e) - 1)), fraction = static_cast<int64_t>(bits & ((1u << m) - 1));
  const int bias = (1 << (e - 1)) - 1;
  double value;
  if (t == DType::Float8E4NV && exponent == 15 && fraction == 7) {
    value = std::nan("");
  } else if (t != DType::Float8E4NV && exponent == (1 << e) - 1) {
    value = fraction ? std::nan("") : HUGE_VAL;
  } else if (exponent == 0) {
    value = std::ldexp(static_cast<double>(fraction), 1 - bias - m);
  } else {
    value = std::ldexp(static_cast<double>(fraction + (int64_t{1} << m)), static_cast<int>(exponent) - bias - m);
  }
  return (bits >> (e + m) & 1) ? -value : value;
}

/// Round to nearest even; 8-bit floats saturate.
uint64_t encode_small(DType t, double value) {
  const auto [e, m] = small_float(t);
  const int bias = (1 << (e - 1)) - 1;
  const uint64_t sign = std::signbit(value) ? uint64_t{1} << (e + m) : 0;
  const bool fp8 = dtype_bits(t) == 8;
  const uint64_t infinity = ((uint64_t{1} << e) - 1) << m;
  if (std::isnan(value)) return fp8 && t == DType::Float8E4NV ? 0x7f : infinity | ((uint64_t{1} << m) - 1);
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  const uint64_t largest = t == DType::Float8E4NV ? 0x7e : fp8 ? 0x7b : infinity;
  if (magnitude > decode_small(t, t == DType::Float8E4NV ? 0x7e : infinity - 1) * 2) return sign | largest;
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  exponent = std::max(exponent - 1, 1 - bias);
  const double fraction = std::nearbyint(std::ldexp(magnitude, m - exponent));  // in units of the last place
  const uint64_t rounded = (static_cast<uint64_t>(exponent + bias - 1) << m) + static_cast<uint64_t>(fraction);
  return sign | std::min(rounded, largest);
}

}  // namespace

uint64_t element_bits(DType t, int64_t value) {
  if (is_bool(t)) return value != 0;
  if (is_int(t)) return canonical_bits(t, static_cast<uint64_t>(value));
  if (t == DType::Float32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  return element_bits(t, static_cast<double>(value));
}

uint64_t element_bits(DType t, double value) {
  if (t == DType::Float64) return std::bit_cast<uint64_t>(value);
  if (t == DType::Float32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  if (is_float(t)) return encode_small(t, value);
  if (is_bool(t)) return value != 0;
  const double whole = std::trunc(std::fabs(value));  // wraps like the integers
  const uint64_t magnitude = whole < 0x1p64 ? static_cast<uint64_t>(whole) : 0;
  return canonical_bits(t, value < 0 ? 0 - magnitude : magnitude);
}

uint64_t canonical_bits(DType t, uint64_t bits) {
  const int width = dtype_bits(t);
  return width == 64 ? bits : bits & ((uint64_t{1} << width) - 1);
}

int64_t element_to_int(DType t, uint64_t bits) {
  const int width = dtype_bits(t);
  if (!is_signed_int(t) || width == 64) return static_cast<int64_t>(canonical_bits(t, bits));
  return static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
}

double element_to_double(DType t, uint64_t bits) {
  if (t == DType::Float64) return std::bit_cast<double>(bits);
  if (t == DType::Float32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  if (is_float(t)) return decode_small(t, bits);
  if (t == DType::UInt64) return static_cast<double>(bits);
  return static_cast<double>(element_to_int(t, bits));
}

}  // namespace tilescope
