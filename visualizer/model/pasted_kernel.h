// A kernel that was pasted into the window: a launch for it, guessed.
#pragma once

#include <string>

#include "sim/try_kernel.h"

namespace tilescope::model {

struct PastedKernel {
  TriedLaunch launch;
  SourcePtr text;
};

/// The first kernel of the text for which a launch is found. `path`: the file that the text is said to come from; it need not
/// exist. Errors: there is no kernel in it, or those of the first one.
Expected<PastedKernel> open_pasted(const std::string& text, const std::string& path);

}  // namespace tilescope::model
