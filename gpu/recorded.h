// A GPU run kept beside its launch file, so that a machine without a GPU can compare with it: hashes of the tensors,
// some of their values, the time, the hardware counters, and which GPU it was.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "core/tensor.h"
#include "gpu/counters.h"

namespace tilescope::gpu {

struct RecordedTensor {
  std::string name, dtype;
  std::vector<int64_t> shape;
  uint64_t hash = 0;                                     ///< hash_tensor()
  std::vector<std::pair<int64_t, std::string>> samples;  ///< row-major number of a logical element, and its value
};

struct RecordedRun {
  std::string kernel, device, driver, nvrtc, date;
  uint64_t kernel_hash = 0;  ///< of the emitted text: another kernel needs another recording
  int num_warps = 4, registers = 0;
  int64_t shared_bytes = 0;
  double time_ms = 0;
  std::optional<HardwareCounters> counters;  ///< where ncu could read them
  std::vector<RecordedTensor> tensors;
};

/// "launch.json" -> "launch.gpu.json".
std::string recording_path(const std::string& launch_path);
RecordedTensor record_tensor(const Tensor& t);
/// FNV-1a of a text.
uint64_t hash_text(const std::string& text);

/// JSON, one key a line and one tensor a line; parse_recording reads it.
std::string recording_text(const RecordedRun& run);
std::optional<Diagnostic> save_recording(const std::string& path, const RecordedRun& run);
/// Errors: not a recording; each points at its place in the text.
Expected<RecordedRun> parse_recording(const SourcePtr& source);
/// Errors: no such file, and those of parse_recording.
Expected<RecordedRun> load_recording(const std::string& path);

/// How a tensor differs from its recording: "" when it does not; else the first sample that differs, or that the hash
/// does.
std::string recording_difference(const RecordedTensor& recorded, const Tensor& t);

}  // namespace tilescope::gpu
