// Runs a compiled kernel on a GPU, on the same tensors and arguments as the simulator (sim/run.h).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "gpu/driver.h"
#include "gpu/emit.h"
#include "gpu/nvrtc.h"
#include "sim/run.h"

namespace tilescope::gpu {

/// A kernel emitted and compiled, for any number of launches.
struct GpuKernel {
  EmittedKernel emitted;
  Cubin cubin;
};
/// `architecture` as DeviceInfo has it. Errors: an op without a GPU form, no NVRTC.
Expected<GpuKernel> compile_for_gpu(const Function& f, std::array<int64_t, 3> grid, const std::string& architecture,
                                    int64_t shared_limit);

struct GpuRun {
  double time_ms = 0;         ///< of one launch, warm (the mean of `times`); 0 when it was not measured
  std::string fault;          ///< the GPU could not finish the kernel, which it names: the device is lost; else empty
  std::string failed_assert;  ///< text of a device_assert that did not hold, with the program; else empty
};

/// Copies the tensors over, runs all programs, copies them back. With `times` > 0 the launch is first repeated and
/// timed on copies. Errors: no memory.
Expected<GpuRun> run_on_gpu(Device& device, const GpuKernel& kernel, const Function& f,
                            const std::vector<Argument>& args, std::array<int64_t, 3> grid, int times = 0);

}  // namespace tilescope::gpu
