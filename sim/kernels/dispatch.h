// The run-time choice of instruction set for the hot loops in sim/kernels.
//
// Every .cpp file there is compiled three times (see sim/CMakeLists.txt), each time into its own namespace:
//
//     namespace tilescope::TILESCOPE_ISA { ... }      // TILESCOPE_ISA is base, v3 or v4
//
// A topic ("dot", "elementwise" ...) is a plain struct of function pointers. To add one:
//
//     // sim/kernels/foo.h                            (included by the kernels and by their callers)
//     struct FooKernels { void (*scale)(float* x, float by, int64_t n); };
//     TILESCOPE_DECLARE_KERNELS(FooKernels, foo_kernels)
//
//     // sim/kernels/foo_scale.cpp                    (compiled three times)
//     namespace tilescope::TILESCOPE_ISA {
//     static void scale(float* x, float by, int64_t n) { ... }
//     extern const FooKernels foo_kernels_table;
//     const FooKernels foo_kernels_table = {scale};
//     }
//
//     // sim/foo.cpp                                  (compiled once, for any processor)
//     TILESCOPE_DEFINE_KERNELS(FooKernels, foo_kernels)
//     ... foo_kernels().scale(x, 2, n);
//
// Trap: an inline function or template of a header that a kernel file emits is a weak symbol, and the linker may keep
// the copy with AVX-512 instructions for the whole program. In kernel files use static functions, plain arrays and
// compiler builtins; no std:: algorithms and no Eigen.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tilescope {

/// Base: any x86-64. V3: AVX2, FMA, F16C, BMI2. V4: AVX-512 F, BW, VL, DQ besides. Results are the same bytes.
enum class Isa : uint8_t { Base, V3, V4 };

/// "base", "v3", "v4".
std::string_view isa_name(Isa isa);
/// Whether this processor has the instructions.
bool isa_supported(Isa isa);
/// The instruction set in use: the best one this processor has, unless the environment variable TILESCOPE_ISA
/// (base, v3 or v4) or use_isa() asked for a lesser one.
Isa current_isa();
/// Switches all kernels, for tests and benchmarks; false (and no change) when the processor lacks the instructions.
/// Not while a kernel runs.
bool use_isa(Isa isa);

#define TILESCOPE_DECLARE_KERNELS(Table, getter) \
  namespace base {                               \
  extern const Table getter##_table;             \
  }                                              \
  namespace v3 {                                 \
  extern const Table getter##_table;             \
  }                                              \
  namespace v4 {                                 \
  extern const Table getter##_table;             \
  }                                              \
  const Table& getter();

#define TILESCOPE_DEFINE_KERNELS(Table, getter) \
  const Table& getter() {                       \
    switch (current_isa()) {                    \
      case Isa::V4:                             \
        return v4::getter##_table;              \
      case Isa::V3:                             \
        return v3::getter##_table;              \
      case Isa::Base:                           \
        break;                                  \
    }                                           \
    return base::getter##_table;                \
  }

}  // namespace tilescope
