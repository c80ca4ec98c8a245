// What the elementwise functions share.
#pragma once

#include "core/lower/builtins.h"

namespace tilescope::lower {

/// "exp" of "tl.math.exp".
std::string last_name(const Builtin& b);

/// The argument as float32 or float64; other types are refused with the cast to write.
ValueId require_wide_float(Context& c, const Call& call, const Value& v);

}  // namespace tilescope::lower
