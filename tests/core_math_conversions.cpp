// Conversions between element types against slow references, exhaustively where there are few inputs, and against what
// real Triton gave.
#include <doctest/doctest.h>

#include <limits>

#include "tests/core_math_reference.h"

using namespace math_test;

namespace {

template <class T>
T small(uint32_t code) {
  return T{static_cast<m::unsigned_of<T>>(code)};
}

/// Number of codes that do not decode to their value, or do not come back from it.
template <class T>
int64_t wrong_codes() {
  const Format f = format_of<T>();
  int64_t wrong = 0;
  for (uint32_t code = 0; code < 2 * f.sign(); ++code) {
    const T x = small<T>(code);
    const uint32_t a = code & (f.sign() - 1);
    const float got = m::to_float(x);
    if (a < f.finite_codes()) {
      const auto value = static_cast<float>(f.value(a));
      wrong += !same(got, code & f.sign() ? -value : value);
      wrong += m::round_to<T>(got).bits != x.bits;
      wrong += m::convert<double>(x) != static_cast<double>(got);
    } else if (a == f.finite_codes() && f.has_infinity) {
      wrong += got != (code & f.sign() ? -1 : 1) * std::numeric_limits<float>::infinity();
    } else {
      wrong += m::float_bits(got) != 0x7fffffffu || m::round_to<T>(got).bits != f.nan();
    }
  }
  return wrong;
}

template <class T>
int64_t wrong_from_float(float x) {
  return m::round_to<T>(x).bits != format_of<T>().encode(x);
}
template <class T>
int64_t wrong_from_double(double x) {
  return m::convert<T>(x).bits != format_of<T>().encode(x);
}

/// Around every value of the format and every point halfway between two of them, in float and in double.
template <class T>
int64_t wrong_at_ties() {
  const Format f = format_of<T>();
  int64_t wrong = 0;
  for (uint32_t code = 0; code < f.finite_codes(); ++code)
    for (const double x : {f.value(code), (f.value(code) + f.value(code + 1)) / 2}) {
      const auto s = static_cast<float>(x);
      for (const float y : {s, std::nextafter(s, 0.0f), std::nextafter(s, 1e30f), -s})
        wrong += wrong_from_float<T>(y) + wrong_from_double<T>(y);
      for (const double y : {std::nextafter(x, 0.0), std::nextafter(x, 1e300), -x}) wrong += wrong_from_double<T>(y);
    }
  return wrong;
}

template <class T>
int64_t wrong_over_all_floats() {
  int64_t wrong = 0;
  for (uint64_t u = 0; u < (uint64_t{1} << 32); u += 8191)
    wrong += wrong_from_float<T>(m::as_float(static_cast<uint32_t>(u)));
  return wrong;
}

template <class T>
int64_t wrong_from_doubles_and_integers() {
  Inputs in{7};
  int64_t wrong = 0;
  for (int i = 0; i < 100000; ++i) {
    const uint64_t u = in.next();
    // Exponents near the range of the format, where rounding happens; then integers of every length.
    const double x = m::as_double((u & 0x800fffffffffffffu) | ((1023 - 150 + u / 4096 % 300) << 52));
    wrong += wrong_from_double<T>(x);
    const uint64_t n = u >> (in.next() % 64);
    const auto signed_n = static_cast<int64_t>(i % 2 ? n : 0 - n);
    wrong += m::convert<T>(n).bits != format_of<T>().encode(n);
    wrong += m::convert<T>(signed_n).bits != format_of<T>().encode(signed_n);
    wrong += m::convert<T>(static_cast<int32_t>(n)).bits != format_of<T>().encode(static_cast<int32_t>(n));
    wrong += m::convert<T>(static_cast<int16_t>(n)).bits != format_of<T>().encode(static_cast<int16_t>(n));
  }
  return wrong;
}

}  // namespace

TEST_CASE_TEMPLATE("every code of a small float decodes exactly and comes back", T, m::f16, m::bf16, m::e4m3, m::e5m2) {
  CHECK(wrong_codes<T>() == 0);
}

TEST_CASE_TEMPLATE("rounding to a small float is to nearest even at every tie", T, m::f16, m::bf16, m::e4m3, m::e5m2) {
  CHECK(wrong_at_ties<T>() == 0);
}

TEST_CASE_TEMPLATE("rounding to a small float is right across all floats", T, m::f16, m::bf16, m::e4m3, m::e5m2) {
  CHECK(wrong_over_all_floats<T>() == 0);
}

TEST_CASE_TEMPLATE("doubles and integers round to a small float once", T, m::f16, m::bf16, m::e4m3, m::e5m2) {
  CHECK(wrong_from_doubles_and_integers<T>() == 0);
  // 2049 is halfway between two fp16 values; the last bit of a double or an int64 must still decide.
  CHECK(m::convert<m::f16>(2049.0 + 1e-10).bits == m::to_f16(2050.0f).bits);
  CHECK(m::convert<m::bf16>((int64_t{257} << 50) + 1).bits == m::to_bf16(258 * 0x1p50f).bits);
}

TEST_CASE("float to integer truncates and saturates; NaN follows the GPU") {
  Inputs in{11};
  int64_t wrong = 0;
  for (int i = 0; i < 200000; ++i) {
    const uint64_t u = in.next();
    const double x = m::as_double((u & 0x800fffffffffffffu) | ((1023 - 3 + u / 4096 % 70) << 52));
    const auto f = static_cast<float>(x);
    auto expected = [](long double v, long double low, long double high) {
      return std::trunc(v < low ? low : v > high ? high : v);
    };
    wrong += m::convert<int64_t>(x) != expected(x, -0x1p63L, 0x1p63L - 1);
    wrong += m::convert<uint64_t>(x) != expected(x, 0, 0x1p64L - 1);
    wrong += m::convert<int32_t>(x) != expected(x, -0x1p31L, 0x1p31L - 1);
    wrong += m::convert<int64_t>(f) != expected(f, -0x1p63L, 0x1p63L - 1);
    wrong += m::convert<uint64_t>(f) != expected(f, 0, 0x1p64L - 1);
    wrong += m::convert<int32_t>(f) != expected(f, -0x1p31L, 0x1p31L - 1);
    wrong += m::convert<uint32_t>(f) != expected(f, 0, 0x1p32L - 1);
    wrong += m::convert<int16_t>(f) != expected(f, -32768, 32767);
    wrong += m::convert<uint16_t>(f) != expected(f, 0, 65535);
  }
  CHECK(wrong == 0);
  CHECK(m::convert<int32_t>(std::nanf("")) == 0);
  CHECK(m::convert<uint16_t>(m::f16{0x7fff}) == 0);
  CHECK(m::convert<int64_t>(std::nanf("")) == std::numeric_limits<int64_t>::min());
  CHECK(m::convert<uint64_t>(m::bf16{0xffff}) == uint64_t{1} << 63);
  CHECK(m::convert<int32_t>(std::nan("")) == std::numeric_limits<int32_t>::min());
  CHECK(m::convert<uint32_t>(std::nan("")) == uint32_t{1} << 31);
  CHECK(m::convert<int8_t>(std::nan("")) == 0);
}

TEST_CASE("integers widen, wrap and become bool by being nonzero") {
  CHECK(m::convert<int8_t>(int32_t{300}) == 44);
  CHECK(m::convert<int64_t>(uint8_t{200}) == 200);
  CHECK(m::convert<uint64_t>(int8_t{-1}) == ~uint64_t{0});
  CHECK(m::convert<bool>(int32_t{256}));
  CHECK(m::convert<bool>(std::nanf("")));
  CHECK_FALSE(m::convert<bool>(-0.0f));
  CHECK(m::convert<bool>(m::f16{1}));
  CHECK(m::convert<m::f16>(true).bits == 0x3c00);
  CHECK(m::convert<int32_t>(true) == 1);
}

TEST_CASE("bitcast keeps bits, except that a NaN shows as the GPU's NaN when it becomes an integer") {
  CHECK(m::bitcast<uint32_t>(1.0f) == 0x3f800000u);
  CHECK(m::bitcast<float>(int32_t{-1}) != m::bitcast<float>(int32_t{-1}));
  CHECK(m::bitcast<int32_t>(m::as_float(0xffc00001u)) == 0x7fffffff);
  CHECK(m::bitcast<uint16_t>(m::bf16{0xffc1}) == 0x7fff);
  CHECK(m::bitcast<m::f16>(m::bf16{0x7fc1}).bits == 0x7fc1);
  CHECK(m::bitcast<int8_t>(uint8_t{255}) == -1);
  CHECK(m::bitcast<uint8_t>(m::e4m3{0xff}) == 0x7f);
  CHECK(m::bitcast<int64_t>(-2.0) == static_cast<int64_t>(0xc000000000000000u));
}

TEST_CASE("tf32 drops the low 13 bits of a float") {
  CHECK(m::float_bits(m::to_tf32(m::as_float(0x3f801fffu))) == 0x3f800000u);
  CHECK(m::float_bits(m::to_tf32(m::as_float(0xbf803fffu))) == 0xbf802000u);
}

namespace {
/// Compares convert<To> over a recorded input with the recorded output; NaNs by class.
template <class To, class From>
void check_recorded(const std::string& name, const std::string& input, const std::string& output) {
  CAPTURE(name);
  CAPTURE(output);
  const auto x = conformance<From>(name, input + ".npy");
  const auto expected = conformance<To>(name, output + ".expected.npy");
  REQUIRE(!x.empty());
  REQUIRE(x.size() == expected.size());
  for (size_t i = 0; i < x.size(); ++i) {
    CAPTURE(i);
    CHECK(same<To>(m::convert<To>(static_cast<From>(x[i])), expected[i]));
  }
}
}  // namespace

TEST_CASE("conversions give what real Triton gave") {
  check_recorded<m::e4m3, float>("fp32_to_fp8e4nv", "x_ptr", "o_ptr");
  check_recorded<m::e5m2, float>("fp32_to_fp8e5", "x_ptr", "o_ptr");
  check_recorded<m::bf16, float>("fp32_to_bf16_ties", "x_ptr", "o_ptr");
  check_recorded<float, m::e4m3>("fp8e4nv_all_codes_to_float", "c_ptr", "o_ptr");
  check_recorded<m::f16, m::e4m3>("fp8e4nv_all_codes_to_float", "c_ptr", "h_ptr");
  check_recorded<float, m::e5m2>("fp8e5_all_codes_to_float", "c_ptr", "o_ptr");
  check_recorded<m::f16, m::e5m2>("fp8e5_all_codes_to_float", "c_ptr", "h_ptr");
  check_recorded<int32_t, float>("float_to_int_out_of_range", "x_ptr", "o_ptr");
  check_recorded<uint32_t, float>("float_to_int_out_of_range", "x_ptr", "u_ptr");
  check_recorded<int8_t, float>("float_to_small_int_out_of_range", "x_ptr", "o_ptr");
  check_recorded<uint8_t, float>("float_to_small_int_out_of_range", "x_ptr", "u_ptr");
  check_recorded<int16_t, float>("float_to_small_int_out_of_range", "x_ptr", "s_ptr");
  check_recorded<int32_t, float>("float_to_int_trunc", "x_ptr", "o_ptr");
  check_recorded<int8_t, float>("float_to_int_trunc", "x_ptr", "s_ptr");
  check_recorded<int64_t, float>("float_to_int_trunc", "x_ptr", "l_ptr");
  check_recorded<int8_t, int32_t>("int_cast_widths", "a_ptr", "o_ptr");
  check_recorded<bool, int32_t>("int_cast_widths", "a_ptr", "m_ptr");
  check_recorded<float, int32_t>("int_to_float", "a_ptr", "f_ptr");
  check_recorded<double, int64_t>("int_to_float", "l_ptr", "d_ptr");
  check_recorded<float, uint32_t>("int_to_float", "u_ptr", "g_ptr");
  check_recorded<m::f16, int32_t>("int_to_float", "a_ptr", "h_ptr");
  check_recorded<m::bf16, int32_t>("int_to_float", "a_ptr", "b_ptr");
  check_recorded<bool, float>("bool_to_float_and_back", "x_ptr", "b_ptr");
}
