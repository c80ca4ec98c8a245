// Lessons come in English and Chinese, both complete.
#pragma once

#include <array>

namespace tilescope::lessons {

/// English and Chinese, in this order.
inline constexpr std::array<const char*, 2> kLanguages{"en", "zh"};
inline constexpr size_t kEnglish = 0, kChinese = 1;
template <class T>
using PerLanguage = std::array<T, 2>;

}  // namespace tilescope::lessons
