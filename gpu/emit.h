// From the tile IR to CUDA C++ that a person can read: the kernel's own names, its source lines as comments, one loop
// over a thread's registers for each op. Needs no CUDA; compiling the text is gpu/nvrtc.h's work.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/diagnostic.h"
#include "core/ir.h"

namespace tilescope::gpu {

struct EmitOptions {
  /// The grid's second and third axis may exceed 65535: programs are then numbered along the first axis alone and three
  /// more parameters give the grid.
  bool linear_grid = false;
  /// Shared memory one program may use, in bytes. Beyond it the kernel is refused. (H200: 227 KiB.)
  int64_t shared_limit = 232448;
  /// Dots that fit go to wgmma, which only sm_90a has.
  bool wgmma = false;
};

struct EmittedKernel {
  std::string text;    ///< CUDA C++; includes the headers of device_headers()
  std::string symbol;  ///< name of the __global__ function
  int threads = 128;   ///< of one block: one program
  int64_t shared_bytes = 0;
  bool linear_grid = false;
  bool has_asserts = false;          ///< the last parameter is the address of an AssertRecord
  std::vector<std::string> asserts;  ///< their texts, by number
  std::vector<std::string> notes;    ///< what the GPU run leaves out, in words
};

/// What a failing device_assert leaves behind: 0 and no more, or its number + 1 and the program's index.
struct AssertRecord {
  uint32_t number = 0, program[3] = {};
};

/// Errors name the op that has no GPU form, or the shared memory that the kernel would need.
Expected<EmittedKernel> emit_cuda(const Function& f, const EmitOptions& options = {});

/// The headers that emitted text includes: (name in #include, text), embedded in the program.
const std::vector<std::pair<std::string, std::string>>& device_headers();

}  // namespace tilescope::gpu
