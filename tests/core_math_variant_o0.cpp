// The math hash compiled without optimisation, with g++; other compilers build it like the rest.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O0")
#endif
#define TILESCOPE_MATH_NS tilescope_math_o0
#define MATH_HASH math_hash_o0
#include "tests/core_math_hash.h"
