// How far the math functions are from the true values, measured against libm in a wider type, and their special values.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/core_math_reference.h"

using namespace math_test;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr double kInfD = std::numeric_limits<double>::infinity();

struct Worst {
  double ulp = 0, at = 0, with = 0;
  void note(double error, double x, double y = 0) {
    if (error > ulp) *this = {error, x, y};
  }
};

/// Largest error of a float function over 2^20 inputs, which spread over all exponents, both signs and the subnormals,
/// and over special values. `sigmoid` is only held to its bound where exp(-x) does not overflow.
template <class F, class G>
Worst worst_float(F f, G truth, float lowest = -kInf) {
  Worst worst;
  auto probe = [&](uint32_t bits) {
    const float x = m::as_float(bits);
    if (x >= lowest || x != x) worst.note(ulp_error(f(x), truth(static_cast<double>(x))), x);
  };
  for (uint32_t i = 0; i < (1u << 20); ++i) probe(i * 4093u);
  for (const uint32_t special :
       {0u, 1u, 0x007fffffu, 0x00800000u, 0x3f7fffffu, 0x3f800000u, 0x3f800001u, 0x7f7fffffu, 0x7f800000u, 0x7fc00000u})
    for (const uint32_t sign : {0u, 0x80000000u}) probe(special | sign);
  return worst;
}

/// The same for a double function against long double libm: bit patterns of all exponents, then ordinary magnitudes.
template <class F, class G>
Worst worst_double(F f, G truth, double lowest = -kInfD) {
  Worst worst;
  Inputs in{3};
  auto probe = [&](double x) {
    if (x >= lowest || x != x) worst.note(ulp_error(f(x), truth(static_cast<long double>(x))), x);
  };
  for (int i = 0; i < 60000; ++i) {
    const uint64_t u = in.next();
    probe(m::as_double(u));
    probe(m::as_double((u & 0x800fffffffffffffu) | ((1023 - 30 + u / 4096 % 41) << 52)));
    probe(m::as_double((u & 0x800fffffffffffffu) | ((1023 - 3 + u / 4096 % 6) << 52)));
  }
  for (const double x :
       {0.0, 5e-324, 1e-310, 2.2250738585072014e-308, 1.0, 1.7976931348623157e308, kInfD, std::nan("")})
    for (const double s : {x, -x}) probe(s);
  return worst;
}

#define CHECK_WITHIN(bound, worst)                                         \
  do {                                                                     \
    const Worst w = (worst);                                               \
    INFO("worst error " << w.ulp << " ulp at " << w.at << ", " << w.with); \
    CHECK(w.ulp <= (bound));                                               \
  } while (false)

#define CHECK_FUNCTION(name, double_bound)                                                                       \
  SUBCASE(#name) {                                                                                               \
    CHECK_WITHIN(2.0, worst_float([](float x) { return m::name(x); }, [](double x) { return std::name(x); }));   \
    CHECK_WITHIN(double_bound,                                                                                   \
                 worst_double([](double x) { return m::name(x); }, [](long double x) { return std::name(x); })); \
  }

}  // namespace

TEST_CASE("exponentials and logarithms are within 2 ulp of the true value"){
    CHECK_FUNCTION(exp, 2.0) CHECK_FUNCTION(exp2, 2.0) CHECK_FUNCTION(expm1, 2.0) CHECK_FUNCTION(log, 2.0)
        CHECK_FUNCTION(log2, 2.0) CHECK_FUNCTION(log10, 2.0) CHECK_FUNCTION(log1p, 2.0)}

TEST_CASE("circular functions are within 2 ulp for every argument, 3 ulp for tan in double"){
    CHECK_FUNCTION(sin, 2.0) CHECK_FUNCTION(cos, 2.0) CHECK_FUNCTION(tan, 3.0) CHECK_FUNCTION(asin, 2.0)
        CHECK_FUNCTION(acos, 2.0) CHECK_FUNCTION(atan, 2.0)}

TEST_CASE("hyperbolic functions and erf are within 2 ulp, 3 ulp for tanh in double"){
    CHECK_FUNCTION(sinh, 2.0) CHECK_FUNCTION(cosh, 2.0) CHECK_FUNCTION(tanh, 3.0) CHECK_FUNCTION(erf, 2.0)}

TEST_CASE("roots are within 2 ulp; sigmoid, by its definition as a formula, within 2.5 and 3") {
  auto rsqrt = [](auto x) { return 1 / std::sqrt(x); };
  CHECK_WITHIN(2.0, worst_float([](float x) { return m::rsqrt(x); }, rsqrt));
  CHECK_WITHIN(2.0, worst_double([](double x) { return m::rsqrt(x); }, rsqrt));
  CHECK_WITHIN(0.5, worst_float([](float x) { return m::sqrt(x); }, [](double x) { return std::sqrt(x); }));
  auto sigmoid = [](auto x) { return 1 / (1 + std::exp(-x)); };
  CHECK_WITHIN(2.5, worst_float([](float x) { return m::sigmoid(x); }, sigmoid, -88.0f));
  CHECK_WITHIN(3.0, worst_double([](double x) { return m::sigmoid(x); }, sigmoid, -709.0));
  CHECK(m::sigmoid(-200.0f) == 0.0f);
}

TEST_CASE("rounding to an integer is exact and keeps the sign of zero"){
    CHECK_FUNCTION(floor, 0.0) CHECK_FUNCTION(ceil, 0.0) CHECK_FUNCTION(trunc, 0.0) CHECK_FUNCTION(rint, 0.0)
        CHECK_FUNCTION(round, 0.0)}

TEST_CASE("sin and cos without branches have the bits of sin and cos over their range") {
  int64_t different = 0;
  for (uint32_t bits = 0; bits <= m::float_bits(m::kTrigLimit); bits += 1009)
    for (const float x : {m::as_float(bits), -m::as_float(bits)})
      different += !same(m::sin_near(x), m::sin(x)) || !same(m::cos_near(x), m::cos(x));
  CHECK(different == 0);
}

TEST_CASE("sin and cos are accurate next to every multiple of pi/2, where most digits cancel") {
  Worst worst;
  for (int n = 1; n < 700000; n += 7)
    for (float x = std::nextafter(static_cast<float>(n * 1.5707963267948966), 0.0f), i = 0; i < 3;
         x = std::nextafter(x, kInf), ++i) {
      worst.note(ulp_error(m::sin(x), std::sin(static_cast<double>(x))), x);
      worst.note(ulp_error(m::cos(x), std::cos(static_cast<double>(x))), x);
    }
  CHECK_WITHIN(2.0, worst);
}

TEST_CASE("pow and atan2 are within 2 ulp") {
  Inputs in{5};
  Worst pow_f, pow_d, atan2_f, atan2_d;
  for (int i = 0; i < 100000; ++i) {
    const uint64_t u = in.next(), v = in.next();
    const double x = m::as_double((u & 0xfffffffffffffu) | ((1023 - 30 + u / 4096 % 60) << 52));
    const double y = m::as_double((v & 0x800fffffffffffffu) | ((1023 - 20 + v / 4096 % 26) << 52));
    const auto fx = static_cast<float>(x), fy = static_cast<float>(y);
    pow_f.note(ulp_error(m::pow(fx, fy), std::pow(static_cast<double>(fx), static_cast<double>(fy))), fx, fy);
    pow_d.note(ulp_error(m::pow(x, y), std::pow(static_cast<long double>(x), static_cast<long double>(y))), x, y);
    atan2_f.note(ulp_error(m::atan2(fy, fx), std::atan2(static_cast<double>(fy), static_cast<double>(fx))), fx, fy);
    atan2_d.note(ulp_error(m::atan2(y, x), std::atan2(static_cast<long double>(y), static_cast<long double>(x))), x, y);
    const double far = m::as_double(u), other = m::as_double(v);  // all exponents, infinities and NaN among them
    atan2_d.note(
        ulp_error(m::atan2(far, other), std::atan2(static_cast<long double>(far), static_cast<long double>(other))),
        far, other);
  }
  CHECK_WITHIN(2.0, pow_f);
  CHECK_WITHIN(2.0, pow_d);
  CHECK_WITHIN(2.0, atan2_f);
  CHECK_WITHIN(2.0, atan2_d);
}

TEST_CASE("pow and atan2 agree with C on every pair of special values") {
  const double values[] = {0.0, 5e-324, 0.5, 1.0, 1.5, 2.0, 3.0, 1e300, 9007199254740993.0, kInfD, std::nan("")};
  for (const double x0 : values)
    for (const double y0 : values)
      for (int signs = 0; signs < 4; ++signs) {
        const double x = signs & 1 ? -x0 : x0, y = signs & 2 ? -y0 : y0;
        CAPTURE(x);
        CAPTURE(y);
        CHECK(ulp_error(m::pow(x, y), std::pow(static_cast<long double>(x), static_cast<long double>(y))) <= 2);
        CHECK(ulp_error(m::atan2(y, x), std::atan2(static_cast<long double>(y), static_cast<long double>(x))) <= 2);
        const auto fx = static_cast<float>(x), fy = static_cast<float>(y);
        CHECK(ulp_error(m::pow(fx, fy), std::pow(static_cast<double>(fx), static_cast<double>(fy))) <= 2);
        CHECK(ulp_error(m::atan2(fy, fx), std::atan2(static_cast<double>(fy), static_cast<double>(fx))) <= 2);
      }
}

TEST_CASE("a function of a small float is the float function, rounded") {
  CHECK(m::exp(m::f16{0x3c00}).bits == m::to_f16(m::exp(1.0f)).bits);
  CHECK(m::sqrt(m::bf16{0x4000}).bits == m::to_bf16(std::sqrt(2.0f)).bits);
  CHECK(m::exp(m::f16{0x4a00}).bits == 0x7c00);  // e^12 is beyond fp16
  CHECK(m::pow(m::f16{0x4000}, m::f16{0x4200}).bits == 0x4800);
}
