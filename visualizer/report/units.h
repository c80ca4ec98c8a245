// Amounts as people read them: three digits, prefixes by 1000 (1 kB = 1000 B, 1 GB = 10^9 B).
#pragma once

#include <string>

#include "sim/cost/cost.h"

namespace tilescope::report {

std::string bytes_text(double bytes);        ///< "1.51 GB"
std::string work_text(double flops);         ///< "1.10 Tflop"
std::string count_text(double n);            ///< "2,731", "63.4", "0.50": no prefix
std::string rate_text(double bytes_per_s);   ///< "4.80 TB/s"
std::string flops_text(double flops_per_s);  ///< "989 TFLOP/s"
std::string time_text(double ms);            ///< "1.73 ms", "2.05 us"
std::string percent_text(double share);      ///< "83%", "0.4%", "100%"; never 100% or 0% by rounding
std::string ratio_text(double ratio);        ///< "64 x", "1.5 x"

/// "1.46 to 1.60 GB": the ends in the unit of the larger one; empty when both read alike.
std::string spread_text(const cost::Spread& bytes);
/// "81 to 84%"
std::string share_spread_text(const cost::Spread& share);

/// "memory", "compute", "latency"
const char* bound_name(const cost::Estimate& e);

/// "264 on 132 SMs", "6 of the 1,188 that fit on 132 SMs": programs at once.
std::string at_once_text(const cost::Occupancy& occupancy, int sms);

/// "15.5 waves", "0.2% of a wave"
std::string waves_text(const cost::Occupancy& occupancy);
/// The grid as "64 x 64 = 4,096 programs"
std::string grid_text(const std::array<int64_t, 3>& grid);

}  // namespace tilescope::report
