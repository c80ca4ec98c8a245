#include "sim/kernels/dispatch.h"

#include <cpuid.h>

#include <atomic>
#include <cstdlib>

namespace tilescope {
namespace {

/// By CPUID: clang 16's __builtin_cpu_supports does not know the name.
bool has_f16c() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

Isa best_isa() {
  if (isa_supported(Isa::V4)) return Isa::V4;
  return isa_supported(Isa::V3) ? Isa::V3 : Isa::Base;
}

Isa initial_isa() {
  const char* wanted = std::getenv("TILESCOPE_ISA");
  for (Isa isa : {Isa::Base, Isa::V3, Isa::V4})
    if (wanted && isa_name(isa) == wanted && isa_supported(isa)) return isa;
  return best_isa();
}

std::atomic<Isa>& isa_in_use() {
  static std::atomic<Isa> isa{initial_isa()};
  return isa;
}

}  // namespace

std::string_view isa_name(Isa isa) {
  switch (isa) {
    case Isa::V4:
      return "v4";
    case Isa::V3:
      return "v3";
    case Isa::Base:
      break;
  }
  return "base";
}

bool isa_supported(Isa isa) {
  bool v3 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c() && __builtin_cpu_supports("bmi2");
  bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  return isa == Isa::Base || (isa == Isa::V3 && v3) || (isa == Isa::V4 && v4);
}

Isa current_isa() { return isa_in_use().load(std::memory_order_relaxed); }

bool use_isa(Isa isa) {
  if (!isa_supported(isa)) return false;
  isa_in_use().store(isa, std::memory_order_relaxed);
  return true;
}

}  // namespace tilescope
