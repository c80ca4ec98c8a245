// What a statement of C++ that builds a kernel does, from the beginning of its line.
#pragma once

#include <string_view>

#include "visualizer/model/statements.h"

namespace tilescope::model {

/// Fills in kind, name and one_name: "auto x = ..." assigns x, "for (auto k : tl::range(n))" is a loop over k,
/// "tl::store(...)" calls store.
void describe_cpp(std::string_view line, Statement& s);

}  // namespace tilescope::model
