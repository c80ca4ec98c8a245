// The texts of core/lower/reference/*.json, embedded at build time.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace tilescope::lower {

/// Path relative to the source tree, and text.
const std::vector<std::pair<std::string_view, std::string_view>>& reference_texts();

}  // namespace tilescope::lower
