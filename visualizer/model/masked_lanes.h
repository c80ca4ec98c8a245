// Which lanes of a tile hold nothing but what a masked load put there: padding.
#pragma once

#include <cstdint>
#include <vector>

#include "visualizer/model/values.h"

namespace tilescope::model {

enum class LaneData : uint8_t {
  None,     ///< the same in all lanes asked about, or made of indices and constants
  Masked,   ///< of the loads that it comes from each one has this lane masked off
  Loaded,   ///< memory takes part in it, or an earlier iteration, a dot, ...
};

/// What lanes `lanes` of `value` are made of, as it is after `step`. A lane to which a variable of a loop adds is Loaded:
/// what other iterations brought is in it, though this iteration's load may have masked it off.
std::vector<LaneData> lane_data(const ProgramValues& values, ValueId value, uint64_t step, const std::vector<int64_t>& lanes);

}  // namespace tilescope::model
