// Reads the IR text of core/print.h. The text is untrusted: errors are values that point into it.
#pragma once

#include "core/ir.h"

namespace tilescope {

/// Parses and verifies one kernel. print(*read_ir(print(f))) == print(f), with locations too; values get the names that
/// the text gives them. Locations point into `kernel_source` when its path is the header's `source`, else into files
/// without text. Errors: syntax, unknown ops or values, numbers that do not fit, and every rule of core/verify.h.
Expected<Function> read_ir(const SourcePtr& text, const SourcePtr& kernel_source = nullptr);

}  // namespace tilescope
