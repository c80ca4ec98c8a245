// What the hardware counted while a kernel ran: NVIDIA's Nsight Compute (`ncu`), where it is installed and allowed to
// read the counters. It runs a command of its own, so the counted launch is another one of the same kernel on the same
// inputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnostic.h"

namespace tilescope::gpu {

/// Counters of one launch with cold caches. Loads by cp.async count as loads.
struct HardwareCounters {
  std::string ncu;  ///< version of the program that read them
  uint64_t load_requests = 0, load_sectors = 0, store_requests = 0, store_sectors = 0;
  uint64_t dram_bytes_read = 0, dram_bytes_written = 0;
  double l2_hit_rate = 0;  ///< percent; above 100 in launches of a few sectors
  int registers = 0;       ///< of one thread
};

/// Path of `ncu`: in PATH or in the CUDA toolkit's folder. Nothing when there is none.
std::optional<std::string> find_ncu();

/// Runs `command` under ncu and reads the counters of the first launch of `kernel`. Errors: ncu may not read counters
/// here, the command launches no such kernel; one line, ncu's own words.
Expected<HardwareCounters> count_on_hardware(const std::string& ncu, const std::vector<std::string>& command,
                                             const std::string& kernel);

/// The counters in what `ncu --csv --page raw` prints. Errors: no launch in it, a counter that is missing.
Expected<HardwareCounters> read_counters(const std::string& csv);

}  // namespace tilescope::gpu
