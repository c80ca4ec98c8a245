// Text without the blanks around it.
#pragma once

#include <string_view>

namespace tilescope {

/// Without blanks, tabs and line ends in front and behind.
inline std::string_view trimmed(std::string_view s) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t begin = s.find_first_not_of(kBlanks);
  return begin == std::string_view::npos ? std::string_view{} : s.substr(begin, s.find_last_not_of(kBlanks) + 1 - begin);
}

}  // namespace tilescope
