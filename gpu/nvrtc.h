// Compiles emitted text to machine code with NVIDIA's NVRTC, where it is installed.
#pragma once

#include <string>

#include "core/diagnostic.h"
#include "gpu/emit.h"

namespace tilescope::gpu {

struct Cubin {
  std::string code;
  int registers = 0;        ///< of one thread
  int64_t spill_bytes = 0;  ///< stores and loads of registers that did not fit
  int64_t stack_bytes = 0;  ///< of one thread's local memory
  std::string log;
};

/// Nothing when NVRTC can be opened, else why it cannot.
std::optional<Diagnostic> find_nvrtc();
/// Its version, as "13.0"; "" without it.
std::string nvrtc_version();

/// Whether the GPU's matrix unit is that of wgmma.
inline bool has_wgmma(const std::string& architecture) { return architecture == "sm_90a"; }

/// `architecture`: "sm_80", "sm_90a", "sm_100". Errors: no NVRTC, an architecture it does not know, and the compiler's
/// own words (a bug of the emitter). Safe to call from several threads.
Expected<Cubin> compile_cubin(const EmittedKernel& kernel, const std::string& architecture);

}  // namespace tilescope::gpu
