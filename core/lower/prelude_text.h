// The text of core/lower/prelude.py, embedded at build time.
#pragma once

#include <string_view>

namespace tilescope::lower {

std::string_view prelude_text();

}  // namespace tilescope::lower
