// Lesson text in a terminal: wrapped to its width, Chinese characters two columns wide.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/markdown.h"

namespace tilescope::terminal {

/// Columns that UTF-8 text takes.
size_t display_width(std::string_view text);

/// Lines of at most `width` columns. Breaks at blanks and between Chinese characters, none before a closing mark; a word
/// that is wider than a line is cut.
std::vector<std::string> wrap_text(std::string_view text, size_t width);

/// A page: headings underlined, code in backticks, items with their marks. `fill` fills in the live numbers.
std::string page_text(const std::vector<lessons::TextBlock>& blocks, const std::function<std::string(const std::string&)>& fill, size_t width);

}  // namespace tilescope::terminal
