// Philox counter-based random numbers and the distributions that tl.rand, tl.randint and tl.randn draw from them.
//
// How the language maps onto these functions (checked against real Triton's recorded outputs):
//   seed            converted to 64 bits (sign-extended if signed)
//   offset          32 bits or narrower: widened to 32 bits, Counter32{offset, 0, 0, 0}
//                   64 bits: the low and high words, Counter32{low, high, 0, 0}; never the 4x64 generator
//   tl.randint      randint4x(seed, offset).c0, an unsigned 32-bit integer; tl.randint4x all four
//   tl.rand         uniform_float(c0); tl.rand4x all four
//   tl.randn        normal_pair(uniform_float(c0), uniform_float(c1)).first
//   tl.randn4x      normal_pair(u0, u1) gives the first two, normal_pair(u2, u3) the last two
//   tl.philox       philox_4x32 with counters of 32 bits, key {low word of seed, high word of seed};
//                   philox_4x64 with counters of 64 bits, key {seed, 0}
// The generators: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3",
// SC 2011.
#ifndef TILESCOPE_CORE_DEVICE_MATH_RANDOM_H_
#define TILESCOPE_CORE_DEVICE_MATH_RANDOM_H_

#include "core/device_math_log.h"
#include "core/device_math_trig.h"

namespace TILESCOPE_MATH_NS {

template <class Word>
struct PhiloxWords {
  Word c0, c1, c2, c3;
};
template <class T>
struct Pair {
  T first, second;
};

/// Triton's default number of rounds.
inline constexpr int kPhiloxRounds = 10;

template <class Word>
TS_FN PhiloxWords<Word> philox(PhiloxWords<Word> c, Word key0, Word key1, int rounds) {
  constexpr bool wide = sizeof(Word) == 8;
  constexpr Word step0 = (Word)(wide ? 0x9e3779b97f4a7c15ull : 0x9e3779b9ull);
  constexpr Word step1 = (Word)(wide ? 0xbb67ae8584caa73bull : 0xbb67ae85ull);
  constexpr Word mult0 = (Word)(wide ? 0xd2e7470ee14c6c93ull : 0xd2511f53ull);
  constexpr Word mult1 = (Word)(wide ? 0xca5a826395121157ull : 0xcd9e8d57ull);
  for (int i = 0; i < rounds; ++i) {
    const PhiloxWords<Word> was = c;
    c.c0 = umulhi(mult1, was.c2) ^ was.c1 ^ key0;
    c.c1 = mult1 * was.c2;
    c.c2 = umulhi(mult0, was.c0) ^ was.c3 ^ key1;
    c.c3 = mult0 * was.c0;
    key0 += step0;
    key1 += step1;
  }
  return c;
}
TS_FN PhiloxWords<uint32_t> philox_4x32(uint64_t seed, PhiloxWords<uint32_t> counter, int rounds = kPhiloxRounds) {
  return philox<uint32_t>(counter, (uint32_t)seed, (uint32_t)(seed >> 32), rounds);
}
TS_FN PhiloxWords<uint64_t> philox_4x64(uint64_t seed, PhiloxWords<uint64_t> counter, int rounds = kPhiloxRounds) {
  return philox<uint64_t>(counter, seed, 0, rounds);
}

/// The four words at an offset; for an offset of 32 bits or fewer, zero-extend it from 32 bits.
TS_FN PhiloxWords<uint32_t> randint4x(uint64_t seed, uint64_t offset, int rounds = kPhiloxRounds) {
  return philox_4x32(seed, {(uint32_t)offset, (uint32_t)(offset >> 32), 0u, 0u}, rounds);
}
/// tl.randint.
TS_FN uint32_t randint(uint64_t seed, uint64_t offset) { return randint4x(seed, offset).c0; }

/// Uniform in [0, 1): the word read as a signed number, folded onto the non-negative ones, times a bit less than 2^-31.
TS_FN float uniform_float(uint32_t word) {
  const uint32_t folded = word ^ (0u - (word >> 31));  // -x - 1 for negative x
  return (float)(int32_t)folded * 4.6566127342e-10f;
}
/// The same from a 64-bit word, times a bit less than 2^-63.
TS_FN float uniform_float(uint64_t word) {
  const uint64_t folded = word ^ (0ull - (word >> 63));
  return (float)(int64_t)folded * 1.0842020432385337e-19f;
}
TS_FN float normal_radius(float u1) { return sqrt(-2.0f * log(maximum(1.0e-7f, u1))); }
inline constexpr float kTwoPi = 6.283185307179586f;
/// Two normally distributed numbers from two uniform ones (Box and Muller).
TS_FN Pair<float> normal_pair(float u1, float u2) {
  const float r = normal_radius(u1), angle = kTwoPi * u2;
  return {r * cos(angle), r * sin(angle)};
}
/// normal_pair(u1, u2).first for u2 in [0, 1): the same bits without branches, so a loop over it vectorises.
TS_FN float normal_near(float u1, float u2) { return normal_radius(u1) * cos_near(kTwoPi * u2); }

/// tl.rand.
TS_FN float rand(uint64_t seed, uint64_t offset) { return uniform_float(randint(seed, offset)); }
/// tl.randn.
TS_FN float randn(uint64_t seed, uint64_t offset) {
  const PhiloxWords<uint32_t> w = randint4x(seed, offset);
  return normal_pair(uniform_float(w.c0), uniform_float(w.c1)).first;
}

}  // namespace TILESCOPE_MATH_NS

#endif  // TILESCOPE_CORE_DEVICE_MATH_RANDOM_H_
