// One number that depends on every bit of every function of device_math over a few thousand inputs. The files
// core_math_variant_*.cpp compile it for different instruction sets and optimisation levels, each with its own
// TILESCOPE_MATH_NS and name MATH_HASH; no standard library, so that the pragmas of those files reach nothing else.
#include "core/device_math.h"

namespace TILESCOPE_MATH_NS {
namespace {

struct Hash {
  uint64_t state = 1;
  void fold(uint64_t bits) {
    state = (state ^ bits) * 0x9e3779b97f4a7c15ull;
    state ^= state >> 29;
  }
  template <class T>
  void take(T x) {
    if constexpr (is_any_float<T>)
      fold(float_bits(canonical_nan(x)));
    else
      fold(static_cast<uint64_t>(x));
  }
};

constexpr int kInputs = 4096;

/// Inputs: bit patterns of all kinds, and numbers of ordinary size.
template <class T>
void fill(T* x, uint64_t seed) {
  using U = unsigned_of<T>;
  for (int i = 0; i < kInputs; ++i) {
    const PhiloxWords<uint64_t> w = philox_4x64(seed, {static_cast<uint64_t>(i), 0, 0, 0});
    if (i % 2 == 0)
      x[i] = from_bits<T>(static_cast<U>(w.c0 >> (8 * (w.c1 % sizeof(T)))));
    else
      x[i] = convert<T>(static_cast<double>(static_cast<int64_t>(w.c0)) * 0x1p-59);
  }
}

/// A loop over arrays, as in the simulator, so that it is vectorised where the compiler can.
template <class T, class F>
void over(Hash& h, const T* x, F f) {
  static decltype(f(T{})) y[kInputs];
  for (int i = 0; i < kInputs; ++i) y[i] = f(x[i]);
  for (int i = 0; i < kInputs; ++i) h.take(y[i]);
}

template <class To, class T>
void casts_to(Hash& h, const T* x) {
  over(h, x, [](T v) { return convert<To>(v); });
}

template <class T>
void casts(Hash& h, const T* x) {
  casts_to<bool>(h, x), casts_to<int8_t>(h, x), casts_to<uint16_t>(h, x), casts_to<int32_t>(h, x);
  casts_to<int64_t>(h, x), casts_to<uint64_t>(h, x), casts_to<e4m3>(h, x), casts_to<e5m2>(h, x);
  casts_to<f16>(h, x), casts_to<bf16>(h, x), casts_to<float>(h, x), casts_to<double>(h, x);
}

template <class T>
void arithmetic(Hash& h, const T* x, T y) {
  over(h, x, [y](T v) { return add(v, y); });
  over(h, x, [y](T v) { return sub(v, y); });
  over(h, x, [y](T v) { return mul(v, y); });
  over(h, x, [y](T v) { return div(y, v); });
  over(h, x, [y](T v) { return rem(v, y); });
  over(h, x, [y](T v) { return fma(v, v, y); });
  over(h, x, [y](T v) { return maximum(v, y); });
  over(h, x, [y](T v) { return minimum_nan(v, y); });
  over(h, x, [y](T v) { return cmp_lt(v, y); });
  over(h, x, [](T v) { return neg(v); });
  over(h, x, [](T v) { return abs(v); });
}

template <class T>
void integers(uint64_t seed, Hash& h) {
  static T x[kInputs];
  fill(x, seed);
  static const T operands[3] = {T(3), T(-1), T(0)};
  for (const T y : operands) {
    arithmetic(h, x, y);
    over(h, x, [y](T v) { return shl(v, y); });
    over(h, x, [y](T v) { return shr(y, v); });
  }
  over(h, x, [](T v) { return clz(v) + 100 * popc(v) + 10000 * ffs(v); });
  over(h, x, [](T v) { return brev(v); });
  if constexpr (sizeof(T) >= 4) over(h, x, [](T v) { return umulhi(v, bit_not(v)); });
  casts(h, x);
}

template <class T>
void floats(uint64_t seed, Hash& h) {
  static T x[kInputs];
  fill(x, seed);
  arithmetic(h, x, convert<T>(0.7));
  // clang-format off
#define ONE(name) over(h, x, [](T v) { return name(v); });
  ONE(sqrt) ONE(rsqrt) ONE(rint) ONE(trunc) ONE(floor) ONE(ceil) ONE(round) ONE(exp) ONE(exp2) ONE(expm1) ONE(sigmoid)
  ONE(log) ONE(log2) ONE(log10) ONE(log1p) ONE(sin) ONE(cos) ONE(tan) ONE(asin) ONE(acos) ONE(atan) ONE(sinh)
  ONE(cosh) ONE(tanh) ONE(erf)
#undef ONE
      // clang-format on
      if constexpr (is_native_float<T>) over(h, x, [](T v) { return sin_near(v); });
  over(h, x, [](T v) { return pow(abs(v), convert<T>(1.7)); });
  over(h, x, [](T v) { return atan2(v, convert<T>(-0.3)); });
  casts(h, x);
}

}  // namespace
}  // namespace TILESCOPE_MATH_NS

uint64_t MATH_HASH() {
  using namespace TILESCOPE_MATH_NS;
  Hash h;
  integers<int8_t>(1, h), integers<uint16_t>(2, h), integers<int32_t>(3, h), integers<uint32_t>(4, h);
  integers<int64_t>(5, h), integers<uint64_t>(6, h);
  floats<float>(7, h), floats<double>(8, h), floats<f16>(9, h);
  static uint32_t counters[kInputs];
  fill(counters, 13);
  over(h, counters, [](uint32_t c) { return randn(99, c); });
  return h.state;
}
