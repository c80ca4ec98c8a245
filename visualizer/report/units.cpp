#include "visualizer/report/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "visualizer/report/text.h"

namespace tilescope::report {
namespace {

constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P", "E"};

/// Three digits; the caller has scaled it below 1000.
std::string digits(double v) {
  if (v < 9.995) return fmt::format("{:.2f}", v);
  if (v < 99.95) return fmt::format("{:.1f}", v);
  return fmt::format("{:.0f}", v);
}

struct Scaled {
  double value = 0;
  int prefix = 0;
};

Scaled scale(double v) {
  Scaled out{v, 0};
  while (out.value >= 999.5 && out.prefix < 6) out = {out.value / 1000, out.prefix + 1};
  return out;
}

std::string scaled_text(double v, const char* unit) {
  if (!std::isfinite(v)) return std::string("- ") + unit;
  const Scaled s = scale(std::max(v, 0.0));
  const bool whole = s.prefix == 0 && s.value == std::floor(s.value);
  return (whole ? fmt::format("{:.0f}", s.value) : digits(s.value)) + " " + kPrefixes[s.prefix] + unit;
}

}  // namespace

std::string bytes_text(double bytes) { return scaled_text(std::round(bytes), "B"); }

std::string work_text(double flops) { return scaled_text(flops, "flop"); }

std::string count_text(double n) {
  if (!std::isfinite(n) || n < 0) return "-";
  return n < 99.95 ? digits(n) : with_commas(static_cast<uint64_t>(std::min(std::round(n), 1e18)));
}

std::string rate_text(double bytes_per_s) { return scaled_text(bytes_per_s, "B/s"); }
std::string flops_text(double flops_per_s) { return scaled_text(flops_per_s, "FLOP/s"); }

std::string time_text(double ms) {
  if (!std::isfinite(ms) || ms < 0) return "-";
  if (ms >= 999.5) return digits(ms / 1000) + " s";
  if (ms == 0) return "0 us";
  if (ms < 5e-6) return "<0.01 us";
  return ms >= 0.9995 ? digits(ms) + " ms" : digits(ms * 1000) + " us";
}

std::string percent_text(double share) {
  if (!std::isfinite(share)) return "-";
  const double percent = 100 * share;
  if (percent <= 0 || percent >= 100) return fmt::format("{:.0f}%", percent);
  if (percent < 0.95) return percent < 0.05 ? "<0.1%" : fmt::format("{:.1f}%", percent);
  return percent >= 99.5 ? fmt::format("{:.1f}%", std::min(percent, 99.9)) : fmt::format("{:.0f}%", percent);
}

std::string ratio_text(double ratio) {
  if (!std::isfinite(ratio)) return "-";
  if (ratio < 99.5 && std::abs(ratio - std::round(ratio)) >= 0.05) return fmt::format("{:.1f} x", ratio);
  return with_commas(static_cast<uint64_t>(std::clamp(std::round(ratio), 0.0, 1e18))) + " x";
}

std::string spread_text(const cost::Spread& bytes) {
  const std::string low = bytes_text(bytes.low), high = bytes_text(bytes.high);
  if (low == high) return {};
  const Scaled top = scale(std::round(bytes.high));
  if (top.prefix == 0) return low.substr(0, low.find(' ')) + " to " + high;
  const double unit = std::pow(1000, top.prefix);
  // As many decimals as the larger end has.
  const int decimals = top.value < 9.995 ? 2 : top.value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} to {:.{}f} {}B", bytes.low / unit, decimals, bytes.high / unit, decimals,
                     kPrefixes[top.prefix]);
}

std::string share_spread_text(const cost::Spread& share) {
  const std::string low = percent_text(share.low), high = percent_text(share.high);
  return low == high ? std::string{} : low.substr(0, low.size() - 1) + " to " + high;
}

const char* bound_name(const cost::Estimate& e) {
  switch (e.bound) {
    case cost::Bound::Memory:
      return cost::bound_by_l2(e) ? "memory (L2)" : "memory";
    case cost::Bound::Compute:
      return "compute";
    case cost::Bound::Latency:
      break;
  }
  return "latency";
}

std::string at_once_text(const cost::Occupancy& o, int sms) {
  const std::string here = with_commas(static_cast<uint64_t>(o.at_once)), on = with_commas(static_cast<uint64_t>(sms)) + " SMs";
  if (o.waves >= 1 || o.waves <= 0) return here + " on " + on;
  return here + " of the " + with_commas(static_cast<uint64_t>(std::llround(static_cast<double>(o.at_once) / o.waves))) + " that fit on " + on;
}

std::string waves_text(const cost::Occupancy& o) {
  if (o.waves < 1) return percent_text(o.waves) + " of a wave";
  return o.waves == 1 ? "1 wave" : fmt::format("{:.3g} waves", o.waves);
}

std::string grid_text(const std::array<int64_t, 3>& grid) {
  const int axes = grid[2] > 1 ? 3 : grid[1] > 1 ? 2 : 1;
  std::string out;
  for (int i = 0; i < axes; ++i) out += (i ? " x " : "") + with_commas(static_cast<uint64_t>(grid[i]));
  const uint64_t all = static_cast<uint64_t>(grid[0]) * static_cast<uint64_t>(grid[1]) * static_cast<uint64_t>(grid[2]);
  if (axes > 1) out += " = " + with_commas(all);
  return out + (all == 1 ? " program" : " programs");
}

}  // namespace tilescope::report
