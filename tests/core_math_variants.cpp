// The same bytes from device_math whatever the instruction set and the optimisation level.
#include <doctest/doctest.h>

#define TILESCOPE_MATH_NS tilescope_math_plain
#define MATH_HASH math_hash_plain
#include "tests/core_math_hash.h"

uint64_t math_hash_o0();
uint64_t math_hash_avx2();
uint64_t math_hash_avx512();

/// What every compiler and processor must give. A change that is meant to change bits changes this number, and with it
/// every recorded GPU run.
constexpr uint64_t kExpected = 0x6a5987346283e389u;

TEST_CASE("math gives the same bytes without optimisation and with every instruction set this processor has") {
  CHECK(math_hash_plain() == kExpected);
  CHECK(math_hash_o0() == kExpected);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) CHECK(math_hash_avx2() == kExpected);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    CHECK(math_hash_avx512() == kExpected);
}
