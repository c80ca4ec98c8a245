#include "sim/cost/occupancy.h"

#include <algorithm>
#include <cmath>


namespace tilescope::cost {
namespace {

constexpr int kSubPartitions = 4;      // schedulers of an SM, each with a quarter of the registers
constexpr int kRegisterUnit = 8;       // registers of a thread are given in eights

int64_t round_up(int64_t x, int64_t unit) { return (x + unit - 1) / unit * unit; }

/// Programs by each limit; the smallest counts.
struct Limit {
  int64_t programs;
  const char* name;
};

}  // namespace

Expected<Occupancy> find_occupancy(const Function& f, int64_t programs, const GpuDescription& gpu,
                                   std::optional<int> registers, std::optional<int64_t> shared_bytes) {
  Occupancy o;
  o.registers_known = registers.has_value();
  o.shared_known = shared_bytes.has_value();
  // More than a thread can have, or than lets one program fit, are spilled to memory.
  o.registers = std::clamp(registers ? *registers : estimate_registers(f), 16, gpu.registers_per_thread);
  int64_t warps_of_a_part = (f.num_warps + kSubPartitions - 1) / kSubPartitions;
  int64_t fit = gpu.registers_per_sm / kSubPartitions / warps_of_a_part / 32 / kRegisterUnit * kRegisterUnit;
  if (!registers) o.registers = static_cast<int>(std::clamp<int64_t>(o.registers, 1, std::max<int64_t>(1, fit)));
  o.shared_bytes = std::max<int64_t>(0, shared_bytes ? *shared_bytes : estimate_shared_bytes(f));
  if (o.shared_bytes > gpu.shared_bytes_per_program)
    return plain_error("a program of " + f.name + " needs " + std::to_string(o.shared_bytes) + " bytes of shared memory" +
                           (o.shared_known ? "" : " (estimated)") + "; " + gpu.name + " gives a program " +
                           std::to_string(gpu.shared_bytes_per_program) + " at most",
                       "smaller tiles or fewer stages need less (num_stages is " + std::to_string(f.num_stages) + ")");
  if (f.num_warps > gpu.warps_per_sm)
    return plain_error("a program of " + f.name + " has " + std::to_string(f.num_warps) + " warps; an SM of " + gpu.name +
                       " holds " + std::to_string(gpu.warps_per_sm));
  int64_t a_warp = round_up(o.registers, kRegisterUnit) * 32;
  int64_t warps_by_registers = gpu.registers_per_sm / kSubPartitions / a_warp * kSubPartitions;
  if (warps_by_registers < f.num_warps)
    return plain_error("a program of " + f.name + " needs " + std::to_string(o.registers) + " registers in each of its " +
                           std::to_string(f.num_warps * 32) + " threads" + (o.registers_known ? "" : " (estimated)") + "; an SM of " +
                           gpu.name + " has " + std::to_string(gpu.registers_per_sm),
                       "smaller tiles need fewer registers");
  std::vector<Limit> limits = {{warps_by_registers / f.num_warps, "registers"},
                               {gpu.warps_per_sm / f.num_warps, "warps"},
                               {gpu.programs_per_sm, "programs"}};
  if (o.shared_bytes > 0)
    limits.push_back({gpu.shared_bytes_per_sm / (o.shared_bytes + gpu.shared_bytes_reserved), "shared memory"});
  Limit least = *std::min_element(limits.begin(), limits.end(), [](auto& a, auto& b) { return a.programs < b.programs; });
  int64_t full = std::max<int64_t>(1, least.programs) * gpu.sms;
  o.programs_per_sm = static_cast<int>(std::max<int64_t>(1, least.programs));
  o.limited_by = least.name;
  if (programs < full) {
    o.programs_per_sm = static_cast<int>((programs + gpu.sms - 1) / gpu.sms);
    o.limited_by = "grid";
  }
  o.warps_fraction = static_cast<double>(o.programs_per_sm) * f.num_warps / gpu.warps_per_sm;
  o.at_once = std::min(programs, full);
  o.waves = static_cast<double>(programs) / static_cast<double>(full);
  int64_t rest = programs % full;
  o.last_wave = rest == 0 ? 1 : static_cast<double>(rest) / static_cast<double>(full);
  return o;
}

}  // namespace tilescope::cost
