// The K loop panel of kernels without a dot.
#pragma once

#include "visualizer/model/kloop.h"

namespace tilescope::model {

/// A loop without a dot: what it loads, and which iteration this is.
void describe_chunks(const Scene& scene, KLoop& loop);

}  // namespace tilescope::model
