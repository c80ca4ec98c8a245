// The math hash compiled for AVX2 with fused multiply-add, with g++; other compilers build it like the rest.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("avx2,fma,bmi2,f16c")
#endif
#define TILESCOPE_MATH_NS tilescope_math_avx2
#define MATH_HASH math_hash_avx2
#include "tests/core_math_hash.h"
