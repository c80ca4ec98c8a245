// Letters of names.
#pragma once

#include <cctype>
#include <string>

namespace tilescope {

inline std::string lower_case(std::string s) {
  for (char& c : s) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return s;
}

}  // namespace tilescope
