// What a GPU is, as far as the cost model asks: read from JSON (sim/cost/gpus/*.json travel inside the program; users
// may give a file of their own).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/diagnostic.h"

namespace tilescope::cost {

/// Units that do arithmetic; each has a peak rate.
enum class WorkUnit : uint8_t { TensorFp16, TensorBf16, TensorTf32, TensorFp8, TensorInt8, Fp32, Fp64 };
inline constexpr int kWorkUnits = 7;
std::string_view work_unit_name(WorkUnit u);  // "fp16 tensor cores", ...

struct GpuDescription {
  std::string id;    ///< "h200": what the command line calls it
  std::string name;  ///< "NVIDIA H200"
  std::string compute_capability;  ///< "9.0"

  int sms = 0;
  int warps_per_sm = 0, programs_per_sm = 0;  ///< most that an SM holds at once
  int64_t registers_per_sm = 0;
  int registers_per_thread = 255;
  int64_t shared_bytes_per_sm = 0, shared_bytes_per_program = 0;  ///< the latter: most that one program may ask for
  int64_t shared_bytes_reserved = 1024;                           ///< of each program, for the system

  int64_t l2_bytes = 0;
  int l2_partitions = 1, l2_ways = 16;
  int64_t l2_line_bytes = 128;

  double clock_hz = 0;
  double dram_bytes_per_s = 0, l2_bytes_per_s = 0;
  double dram_latency_ns = 0, l2_latency_ns = 0, launch_us = 0;
  /// flop/s (a multiply-add counts two) by WorkUnit, dense; 0: the GPU has no such unit.
  double peak[kWorkUnits] = {};
};

/// Those that ship, H200 first.
const std::vector<GpuDescription>& gpu_descriptions();
/// `text`: an id of those that ship, or the path of a JSON file. The error lists the ids.
Expected<GpuDescription> find_gpu(const std::string& text);
/// Errors name the place ("l2.bytes: expected a positive number").
Expected<GpuDescription> parse_gpu_description(const std::string& json, const std::string& path);

}  // namespace tilescope::cost
