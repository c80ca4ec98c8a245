// Which stores depend on what a kernel loads: where tensors are too large to hold, loads give 0, and what such stores write
// says nothing.
#pragma once

#include "core/ir.h"

namespace tilescope::lessons {

/// Some store or atomic on this line writes something that may depend on loaded values.
bool stores_loaded_values(const Function& f, const SourceRange& where);

}  // namespace tilescope::lessons
