// The math hash compiled for AVX-512, with g++; other compilers build it like the rest.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi2,f16c")
#endif
#define TILESCOPE_MATH_NS tilescope_math_avx512
#define MATH_HASH math_hash_avx512
#include "tests/core_math_hash.h"
