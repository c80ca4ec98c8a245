// Integer operations against 128-bit arithmetic, float operations against libm and the rules for NaN and signed zero.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/core_math_reference.h"

using namespace math_test;

namespace {

using Wide = __int128;

/// Special values and random ones of every length.
template <class T>
std::vector<T> operands() {
  std::vector<T> v = {T(0),
                      T(1),
                      T(2),
                      T(3),
                      T(7),
                      T(-1),
                      T(-2),
                      T(-7),
                      std::numeric_limits<T>::min(),
                      std::numeric_limits<T>::max(),
                      T(std::numeric_limits<T>::max() - 1),
                      T(std::numeric_limits<T>::min() + 1)};
  Inputs in{sizeof(T)};
  for (int i = 0; i < 150; ++i) v.push_back(static_cast<T>(in.next() >> (in.next() % 64)));
  return v;
}

template <class T>
T wrap(Wide x) {
  return static_cast<T>(static_cast<m::unsigned_of<T>>(static_cast<unsigned __int128>(x)));
}

template <class T>
int64_t wrong_pairs() {
  int64_t wrong = 0;
  const Wide least = std::numeric_limits<T>::min();
  for (const T a : operands<T>())
    for (const T b : operands<T>()) {
      const Wide x = a, y = b;
      wrong += m::add(a, b) != wrap<T>(x + y);
      wrong += m::sub(a, b) != wrap<T>(x - y);
      wrong += m::mul(a, b) !=
               wrap<T>(static_cast<Wide>(static_cast<unsigned __int128>(x) * static_cast<unsigned __int128>(y)));
      wrong += m::div(a, b) != (y == 0 ? static_cast<T>(-1) : wrap<T>(x / y));
      wrong += m::rem(a, b) != (y == 0 ? static_cast<T>(-1) : wrap<T>(x % y));
      wrong += m::fma(a, b, T(5)) != m::add(m::mul(a, b), T(5));
      wrong += m::minimum(a, b) != (x < y ? a : b) || m::maximum_nan(a, b) != (x > y ? a : b);
      wrong += m::cmp_lt(a, b) != (x < y) || m::cmp_le(a, b) != (x <= y) || m::cmp_gt(a, b) != (x > y);
      wrong += m::cmp_ge(a, b) != (x >= y) || m::cmp_eq(a, b) != (x == y) || m::cmp_ne(a, b) != (x != y);
      // A shift amount counts as unsigned; beyond the width everything is shifted out.
      const auto s = static_cast<m::unsigned_of<T>>(b);
      const bool out = s >= 8 * sizeof(T);
      wrong += m::shl(a, b) != (out ? T(0) : wrap<T>(static_cast<Wide>(static_cast<unsigned __int128>(x) << s)));
      wrong += m::shr(a, b) != (out ? static_cast<T>(x < 0 ? -1 : 0) : wrap<T>(x >> s));
    }
  for (const T a : operands<T>()) {
    wrong += m::neg(a) != wrap<T>(-Wide(a));
    wrong += m::abs(a) != wrap<T>(a < 0 ? -Wide(a) : Wide(a));
    wrong += m::abs(static_cast<T>(least)) != static_cast<T>(least);
    int ones = 0, leading = 0, first = 0;
    m::unsigned_of<T> reversed = 0;
    for (int bit = 0; bit < static_cast<int>(8 * sizeof(T)); ++bit) {
      const bool set = (static_cast<m::unsigned_of<T>>(a) >> bit) & 1;
      ones += set;
      leading = set ? 0 : leading + 1;
      if (set && first == 0) first = bit + 1;
      reversed = static_cast<m::unsigned_of<T>>(reversed << 1 | set);
    }
    wrong += m::popc(a) != ones || m::clz(a) != leading || m::ffs(a) != first || m::brev(a) != static_cast<T>(reversed);
    wrong += m::bit_not(a) != static_cast<T>(~a);
  }
  return wrong;
}

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNaN = std::nanf("");

}  // namespace

TEST_CASE_TEMPLATE("integer operations wrap, truncate and shift as defined for every pair", T, int8_t, int16_t, int32_t,
                   int64_t, uint8_t, uint16_t, uint32_t, uint64_t) {
  CHECK(wrong_pairs<T>() == 0);
}

TEST_CASE("umulhi is the high half of the unsigned product") {
  int64_t wrong = 0;
  for (const uint64_t a : operands<uint64_t>())
    for (const uint64_t b : operands<uint64_t>()) {
      wrong += m::umulhi(a, b) != static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b >> 64);
      wrong += m::umulhi(static_cast<int32_t>(a), static_cast<int32_t>(b)) !=
               static_cast<int32_t>(static_cast<uint64_t>(static_cast<uint32_t>(a)) * static_cast<uint32_t>(b) >> 32);
    }
  CHECK(wrong == 0);
}

TEST_CASE("division by zero and INT_MIN / -1 have one meaning") {
  CHECK(m::div(5, 0) == -1);
  CHECK(m::div(5u, 0u) == ~0u);
  CHECK(m::rem(5, 0) == -1);
  CHECK(m::div(std::numeric_limits<int32_t>::min(), -1) == std::numeric_limits<int32_t>::min());
  CHECK(m::rem(std::numeric_limits<int64_t>::min(), int64_t{-1}) == 0);
}

TEST_CASE("bool is arithmetic modulo 2") {
  for (const bool a : {false, true})
    for (const bool b : {false, true}) {
      CHECK(m::add(a, b) == (a != b));
      CHECK(m::sub(a, b) == (a != b));
      CHECK(m::mul(a, b) == (a && b));
      CHECK(m::maximum(a, b) == (a || b));
      CHECK(m::cmp_lt(a, b) == (!a && b));
      CHECK(m::bit_xor(a, b) == (a != b));
    }
  CHECK(m::bit_not(false));
  CHECK_FALSE(m::bit_not(true));
}

TEST_CASE_TEMPLATE("the remainder of floats is exact and has the sign of the dividend", T, float, double) {
  Inputs in{9};
  int64_t wrong = 0;
  std::vector<T> v = {T(0),
                      T(1),
                      T(5.5),
                      T(2),
                      T(0.1),
                      std::numeric_limits<T>::denorm_min(),
                      std::numeric_limits<T>::min(),
                      std::numeric_limits<T>::max(),
                      std::numeric_limits<T>::infinity(),
                      std::numeric_limits<T>::quiet_NaN()};
  for (int i = 0; i < 300; ++i) v.push_back(m::from_bits<T>(static_cast<m::unsigned_of<T>>(in.next())));
  for (const T a : v)
    for (const T b : v)
      for (const T x : {a, -a})
        for (const T y : {b, -b}) wrong += !same(m::rem(x, y), std::fmod(x, y));
  CHECK(wrong == 0);
}

TEST_CASE("minimum and maximum order zeros and let a NaN give way, unless it is asked to propagate") {
  CHECK(same(m::maximum(-0.0f, 0.0f), 0.0f));
  CHECK(same(m::maximum(0.0f, -0.0f), 0.0f));
  CHECK(same(m::minimum(0.0f, -0.0f), -0.0f));
  CHECK(same(m::minimum(-0.0, 0.0), -0.0));
  CHECK(m::maximum(kNaN, 1.0f) == 1.0f);
  CHECK(m::minimum(1.0f, kNaN) == 1.0f);
  CHECK(m::isnan(m::maximum(kNaN, kNaN)));
  CHECK(m::isnan(m::maximum_nan(kNaN, 1.0f)));
  CHECK(m::isnan(m::minimum_nan(1.0f, kNaN)));
  CHECK(m::clamp(5.0f, 0.0f, 1.0f) == 1.0f);
  CHECK(m::clamp(kNaN, 0.0f, 1.0f) == 0.0f);
  CHECK(m::isnan(m::clamp_nan(kNaN, 0.0f, 1.0f)));
  CHECK(m::maximum(m::f16{0x8000}, m::f16{0}).bits == 0);
  CHECK(m::minimum(m::bf16{0x7fff}, m::bf16{0x3f80}).bits == 0x3f80);
}

TEST_CASE("minimum and maximum give what real Triton gave") {
  const auto a = conformance<float>("min_max_nan_propagation", "a_ptr.npy");
  const auto b = conformance<float>("min_max_nan_propagation", "b_ptr.npy");
  const auto o = conformance<float>("min_max_nan_propagation", "o_ptr.expected.npy");
  REQUIRE(o.size() == 32);
  for (size_t i = 0; i < 8; ++i) {
    CHECK(same(m::maximum(a[i], b[i]), o[i]));
    CHECK(same(m::minimum(a[i], b[i]), o[8 + i]));
    CHECK(same(m::maximum_nan(a[i], b[i]), o[16 + i]));
    CHECK(same(m::minimum_nan(a[i], b[i]), o[24 + i]));
  }
}

TEST_CASE("integer division and remainder give what real Triton gave") {
  const auto a = conformance<int32_t>("int_divmod_signs", "a_ptr.npy"),
             b = conformance<int32_t>("int_divmod_signs", "b_ptr.npy");
  const auto q = conformance<int32_t>("int_divmod_signs", "q_ptr.expected.npy"),
             r = conformance<int32_t>("int_divmod_signs", "r_ptr.expected.npy");
  REQUIRE(a.size() == 16);
  for (size_t i = 0; i < a.size(); ++i) {
    CHECK(m::div(a[i], b[i]) == q[i]);
    CHECK(m::rem(a[i], b[i]) == r[i]);
  }
}

TEST_CASE("comparisons with a NaN hold only for not-equal") {
  CHECK(m::cmp_ne(kNaN, kNaN));
  for (const float x : {kNaN, 1.0f}) {
    CHECK_FALSE(m::cmp_eq(x, kNaN));
    CHECK_FALSE(m::cmp_lt(x, kNaN));
    CHECK_FALSE(m::cmp_le(x, kNaN));
    CHECK_FALSE(m::cmp_gt(x, kNaN));
    CHECK_FALSE(m::cmp_ge(x, kNaN));
  }
  CHECK(m::cmp_ne(m::e4m3{0x7f}, m::e4m3{0x7f}));
  CHECK(m::cmp_lt(m::bf16{0xc0a0}, m::bf16{0xc000}));  // -5 < -2
}

TEST_CASE("arithmetic on small floats is that of their values") {
  const auto bf = [](float x) { return m::to_bf16(x); };
  CHECK(m::add(bf(2.5f), bf(2.0f)).bits == bf(4.5f).bits);
  CHECK(m::div(bf(1.0f), bf(3.0f)).bits == bf(1.0f / 3.0f).bits);
  CHECK(m::mul(m::to_f16(300.0f), m::to_f16(300.0f)).bits == 0x7c00);
  CHECK(m::sub(m::to_e4m3(2.0f), m::to_e4m3(0.5f)).bits == m::to_e4m3(1.5f).bits);
  CHECK(m::fma(m::to_f16(3.0f), m::to_f16(4.0f), m::to_f16(1.0f)).bits == m::to_f16(13.0f).bits);
  CHECK(m::rem(m::to_f16(-5.5f), m::to_f16(2.0f)).bits == m::to_f16(-1.5f).bits);
  CHECK(m::abs(m::f16{0xc000}).bits == 0x4000);
}

TEST_CASE("unary minus is 0 - x, copysign moves the sign, and the classes are told apart") {
  CHECK(same(m::neg(0.0f), 0.0f));
  CHECK(same(m::neg(-0.0f), 0.0f));
  CHECK(m::neg(kInf) == -kInf);
  CHECK(same(m::copysign(0.0f, -3.0f), -0.0f));
  CHECK(m::copysign(m::bf16{0x3f80}, m::bf16{0x8000}).bits == 0xbf80);
  CHECK(m::isinf(-kInf));
  CHECK(m::isinf(m::f16{0xfc00}));
  CHECK_FALSE(m::isinf(kNaN));
  CHECK(m::isfinite(1e38f));
  CHECK_FALSE(m::isfinite(m::e5m2{0x7c}));
  CHECK(m::isnan(m::e4m3{0xff}));
  CHECK(m::select(true, 1.0f, kNaN) == 1.0f);
  CHECK(m::select(false, 1, 2) == 2);
}

TEST_CASE("fma rounds once and + - * / of floats keep subnormals") {
  const float a = 1.0f + 0x1p-12f;
  CHECK(m::fma(a, a, -1.0f) == 0x1p-11f + 0x1p-24f);
  CHECK(m::sub(m::mul(a, a), 1.0f) == 0x1p-11f);
  CHECK(m::mul(0x1p-100f, 0x1p-45f) == 0x1p-145f);
  CHECK(m::div(0x1p-126f, 4.0f) == 0x1p-128f);
  CHECK(m::fdiv(1.0f, 0.0f) == kInf);
}
