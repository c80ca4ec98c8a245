// Loops whose dots read tiles straight from the GPU's memory: their loads run some iterations ahead, copied to shared
// memory by cp.async while the matrix units work. The order of the sums does not change.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "core/affine.h"
#include "core/ir.h"
#include "gpu/assign.h"
#include "gpu/hazards.h"

namespace tilescope::gpu {

/// One loop's part in it.
struct Pipeline {
  std::vector<const Op*> dots;
  std::vector<const Op*> loads;  ///< in program order
  std::vector<const Op*> slice;  ///< of the loop's ops: those that the loads' addresses and masks are computed by
  std::vector<size_t> carried;   ///< carried values among them, which run ahead too
};

/// By loop. A loop is left out when its loads need what only the iteration itself can know, when the kernel may write
/// what they read, or when a copy would be narrower than 4 bytes.
std::map<const Op*, Pipeline> find_pipelines(const Function& f, const Assignment& a, const AxisAnalysis& axes,
                                             const Hazards& hazards);

}  // namespace tilescope::gpu
