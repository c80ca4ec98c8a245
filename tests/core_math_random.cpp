// Philox and its distributions against what real Triton gave, and against the published test vectors of the generator.
#include <doctest/doctest.h>

#include "tests/core_math_reference.h"

using namespace math_test;

TEST_CASE("philox gives the known answers of its authors") {
  // From the generator's published known-answer table, for zeros and for all ones.
  const auto zeros = m::philox_4x32(0, {0, 0, 0, 0});
  CHECK(zeros.c0 == 0x6627e8d5u);
  CHECK(zeros.c1 == 0xe169c58du);
  CHECK(zeros.c2 == 0xbc57ac4cu);
  CHECK(zeros.c3 == 0x9b00dbd8u);
  const auto ones = m::philox_4x32(~uint64_t{0}, {~0u, ~0u, ~0u, ~0u});
  CHECK(ones.c0 == 0x408f276du);
  CHECK(ones.c1 == 0x41c83b0eu);
  CHECK(ones.c2 == 0xa20bc7c6u);
  CHECK(ones.c3 == 0x6d5451fdu);
  const auto wide = m::philox_4x64(0, {0, 0, 0, 0});
  CHECK(wide.c0 == 0x16554d9eca36314cu);
  CHECK(wide.c1 == 0xdb20fe9d672d0fdcu);
  CHECK(wide.c2 == 0xd7e772cee186176bu);
  CHECK(wide.c3 == 0x7e68b68aec7ba23bu);
}

TEST_CASE("rand and randint give real Triton's values for a 64-bit seed and for 64-bit offsets") {
  const auto uniform = conformance<float>("rand_64bit_seed", "o_ptr.expected.npy");
  const auto words = conformance<int64_t>("rand_64bit_seed", "p_ptr.expected.npy");
  REQUIRE(uniform.size() == 16);
  for (uint64_t i = 0; i < 16; ++i) {
    CHECK(m::rand(81985529216486895u, i) == uniform[i]);
    CHECK(m::randint(81985529216486895u, i) == words[i]);
  }
}

TEST_CASE("rand4x gives real Triton's values for a negative seed") {
  const auto expected = conformance<float>("rand4x_2d_offsets", "o_ptr.expected.npy");
  REQUIRE(expected.size() == 64);
  for (uint64_t i = 0; i < 32; ++i) {
    const auto w = m::randint4x(static_cast<uint64_t>(int64_t{-3}), i);
    CHECK(m::uniform_float(w.c0) == expected[i]);
    CHECK(m::uniform_float(w.c3) == expected[32 + i]);
  }
}

TEST_CASE("randn and randn4x give real Triton's values") {
  const auto expected = conformance<float>("randn_normal", "o_ptr.expected.npy");
  REQUIRE(expected.size() == 192);
  for (uint64_t i = 0; i < 64; ++i) {
    const auto w = m::randint4x(7, i);
    const auto low = m::normal_pair(m::uniform_float(w.c0), m::uniform_float(w.c1));
    const auto high = m::normal_pair(m::uniform_float(w.c2), m::uniform_float(w.c3));
    CHECK(m::randn(7, i) == doctest::Approx(expected[i]).epsilon(1e-5));
    CHECK(std::fabs(low.first + low.second - expected[64 + i]) <= 3e-6f + 1e-5f * std::fabs(expected[64 + i]));
    CHECK(std::fabs(high.first - high.second - expected[128 + i]) <= 3e-6f + 1e-5f * std::fabs(expected[128 + i]));
  }
}

TEST_CASE("dropout with a seed keeps the elements that real Triton kept") {
  const auto x = conformance<float>("whole_dropout_seeded", "x_ptr.npy");
  const auto y = conformance<float>("whole_dropout_seeded", "y_ptr.expected.npy");
  REQUIRE(x.size() == 150);
  for (uint64_t i = 0; i < 150; ++i) CHECK((m::rand(99, i) > 0.5f ? x[i] * 2.0f : 0.0f) == y[i]);
}

TEST_CASE("uniform numbers stay in [0, 1) at the ends of the word") {
  CHECK(m::uniform_float(uint32_t{0}) == 0.0f);
  CHECK(m::uniform_float(~uint32_t{0}) == 0.0f);
  CHECK(m::uniform_float(uint32_t{0x7fffffff}) < 1.0f);
  CHECK(m::uniform_float(uint32_t{0x80000000}) < 1.0f);
  CHECK(m::uniform_float(~uint64_t{0} >> 1) <= 1.0f);
  const auto n = m::normal_pair(0.0f, 0.0f);  // the logarithm of 0 is kept away
  CHECK(n.first == doctest::Approx(5.6776).epsilon(1e-4));
}
