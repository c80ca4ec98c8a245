// The order in which tl.view hands on its elements.
#pragma once

#include <vector>

#include "core/diagnostic.h"
#include "core/ir.h"

namespace tilescope {

/// Replaces every reshape that may reorder (attribute {may_reorder = 1}) by reshapes and transposes that put each element
/// where Triton 3.6 puts it on an NVIDIA GPU with f.num_warps warps; uses that see different orders get views of their
/// own. Where the layouts are not known (core/view_layouts.h) the order stays row-major. Returns a note for each view
/// that says which of these it was. Linear in the number of ops.
std::vector<Diagnostic> order_views(Function& f);

/// True when the function has a reshape that may reorder.
bool has_views(const Function& f);

}  // namespace tilescope
