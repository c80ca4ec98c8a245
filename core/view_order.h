// The order in which tl.view and tl.cat hand on their elements.
#pragma once

#include <vector>

#include "core/diagnostic.h"
#include "core/ir.h"

namespace tilescope {

/// Puts reshapes and transposes in the place, or behind, of every op that may reorder (attribute {may_reorder = 1}: tl.view,
/// tl.cat), so that each element comes out where Triton 3.6 puts it on an NVIDIA GPU with f.num_warps warps; uses that see different orders get views of their
/// own. Where the layouts are not known (core/view_layouts.h) the order stays row-major. Returns a note for each view
/// that says which of these it was. Linear in the number of ops.
std::vector<Diagnostic> order_views(Function& f);

/// True when the function has an op that may reorder.
bool has_views(const Function& f);

}  // namespace tilescope
