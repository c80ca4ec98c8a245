#include "sim/tensor_core.h"

#include <bit>
#include <cmath>
#include <cstdlib>

#include "core/diagnostic.h"

namespace tilescope {
namespace {

constexpr uint32_t kCanonicalNaN = 0x7fffffff;
constexpr int kFractionOfF32 = 23;
constexpr int kMostProducts = 64, kNone = -100000;
/// The alignment never goes below 2^-133, which matters to sums of tiny bf16 and tf32 products alone.
constexpr int kLeastTop = -133;

/// value = significand * 2^(exponent - 23), the sign in the significand.
struct Parts {
  int64_t significand;
  int exponent;
};

Parts decode(float x, int min_exponent) {
  uint32_t bits = std::bit_cast<uint32_t>(x);
  int biased = static_cast<int>(bits >> 23 & 0xff);
  int64_t significand = (bits & 0x7fffff) | (biased ? 0x800000 : 0);
  int exponent = std::max(biased, 1) - 127;
  if (exponent < min_exponent) {  // a subnormal of a narrower format: no set bit is lost
    significand >>= std::min(min_exponent - exponent, 63);
    exponent = min_exponent;
  }
  return {x < 0 ? -significand : significand, exponent};
}

/// Magnitude shifted right (left when negative), the rest cut off.
int64_t shift_magnitude(int64_t x, int right) {
  uint64_t magnitude = static_cast<uint64_t>(std::llabs(x));
  if (x == 0 || right > 63) return 0;  // a zero may come with any exponent
  magnitude = right >= 0 ? magnitude >> right : magnitude << -right;
  return x < 0 ? -static_cast<int64_t>(magnitude) : static_cast<int64_t>(magnitude);
}

/// NaN and infinity among the products and c decide the result alone; true when they do.
bool special_result(const float* a, const float* b, int count, float c, float& result) {
  bool nan = std::isnan(c), plus = std::isinf(c) && c > 0, minus = std::isinf(c) && c < 0;
  for (int i = 0; i < count; ++i) {
    if (std::isfinite(a[i]) && std::isfinite(b[i])) continue;
    float product = a[i] * b[i];  // exact in this: NaN, or an infinity with its sign
    nan |= std::isnan(product);
    plus |= product > 0;
    minus |= product < 0;
  }
  if (!nan && !plus && !minus) return false;
  result = nan || (plus && minus) ? std::bit_cast<float>(kCanonicalNaN) : plus ? INFINITY : -INFINITY;
  return true;
}

/// sum * 2^unit in the result's format: cut off to fp32, or rounded to nearest even to fp16.
float to_result(const TensorCoreModel& model, int64_t sum, int unit) {
  if (sum == 0) return 0.0f;
  uint64_t magnitude = static_cast<uint64_t>(std::llabs(sum));
  int exponent = 63 - std::countl_zero(magnitude) + unit;
  int fraction = model.round_to_f16 ? 10 : kFractionOfF32;
  int last = std::max(exponent, model.result_min_exponent) - fraction;  // exponent of the last bit that is kept
  int cut = last - unit;
  uint64_t kept = magnitude;
  if (cut > 0) {
    kept = cut > 63 ? 0 : magnitude >> cut;
    if (model.round_to_f16 && cut <= 63) {
      uint64_t rest = magnitude & ((uint64_t{1} << cut) - 1), half = uint64_t{1} << (cut - 1);
      kept += rest > half || (rest == half && (kept & 1));
    }
  } else {
    last = unit;  // nothing to cut
  }
  float value = static_cast<float>(std::ldexp(static_cast<double>(kept), last));
  if (model.round_to_f16 && value >= 65536.0f) value = INFINITY;
  return sum < 0 && kept != 0 ? -value : value;  // a negative sum that is cut off to nothing is +0 too
}

}  // namespace

TensorCoreModel tensor_core_model(const DotContract& c) {
  TensorCoreModel m;
  m.fraction_bits = c.fraction_bits;
  m.operand_min_exponent = c.input == DotContract::Input::F16 ? -14 : -126;
  m.round_to_f16 = c.output == DotContract::Output::NearestF16;
  m.result_min_exponent = m.round_to_f16 ? -14 : -126;
  return m;
}

float tf32_operand(float x) { return std::bit_cast<float>(std::bit_cast<uint32_t>(x) & ~0x1fffu); }

float tensor_core_group(const TensorCoreModel& model, const float* a, const float* b, int count, float c) {
  float result;
  if (special_result(a, b, count, c, result)) return result;
  if (count > kMostProducts) internal_error("a tensor core group of more than 64 products");
  Parts products[kMostProducts];
  Parts acc = decode(c, model.result_min_exponent);
  int top = acc.significand != 0 ? acc.exponent : kNone;
  for (int i = 0; i < count; ++i) {
    Parts x = decode(a[i], model.operand_min_exponent), y = decode(b[i], model.operand_min_exponent);
    products[i] = {x.significand * y.significand, x.exponent + y.exponent};
    if (products[i].significand != 0) top = std::max(top, products[i].exponent);
  }
  if (top == kNone) return 0.0f;
  top = std::max(top, kLeastTop);
  int64_t sum = shift_magnitude(acc.significand, top - acc.exponent + kFractionOfF32 - model.fraction_bits);
  for (int i = 0; i < count; ++i)
    sum +=
        shift_magnitude(products[i].significand, top - products[i].exponent + 2 * kFractionOfF32 - model.fraction_bits);
  return to_result(model, sum, top - model.fraction_bits);
}

}  // namespace tilescope
