// Which steps of a program make the pictures of an animation.
#pragma once

#include <cstddef>
#include <vector>

#include "visualizer/model/timeline.h"

namespace tilescope::model {

struct RecordPlan {
  std::vector<size_t> line_steps;  ///< one picture each, in order
  bool iterations = false;         ///< one picture an iteration, because there are too many steps
  size_t left_out = 0;             ///< pictures at the end that are beyond the limit even so
};

/// The steps of the loops, from the first iteration to the last; all steps when there is no loop. At most `most`.
RecordPlan plan_recording(const Timeline& timeline, size_t most);

}  // namespace tilescope::model
