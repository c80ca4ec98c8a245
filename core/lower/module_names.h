// One spelling for the modules of the kernel language.
#pragma once

#include <string>
#include <string_view>

namespace tilescope::lower {

inline bool is_module_prefix(std::string_view prefix, std::string_view path) {
  return path.starts_with(prefix) && (path.size() == prefix.size() || path[prefix.size()] == '.');
}

/// "triton.language.core.load" and "tl.load" are "tl.load"; every libdevice is "libdevice".
std::string canonical_module(std::string path);

}  // namespace tilescope::lower
