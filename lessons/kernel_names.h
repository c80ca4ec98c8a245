// Which functions of the kernel language a text uses, however it spells them.
#pragma once

#include <string>
#include <vector>

#include "core/syntax/ast.h"

namespace tilescope::lessons {

/// The lines of jit functions that name `wanted` ("tl.max"), ascending: by that spelling, through an import or an
/// assignment (`import triton.language as L`, `from triton.language import max`, `L = tl`), or as a method (`x.max()`).
/// A name that is not of the kernel language ("helper") is found as it is spelled.
std::vector<int> lines_that_name(const Module& module, const std::string& wanted);

}  // namespace tilescope::lessons
