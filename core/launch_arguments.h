// What the compiler must know of a launch's arguments.
#pragma once

#include "core/compile.h"
#include "core/launch_file.h"

namespace tilescope {

/// Tensors begin at a multiple of 16 bytes, so that a pointer to an element behind their beginning may be less aligned.
CompileArg compile_argument(const LaunchArg& arg);

}  // namespace tilescope
