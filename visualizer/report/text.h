// Counts, shapes and pieces of source as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"

namespace tilescope::report {

/// "1,234,567"
std::string with_commas(uint64_t n);
/// "3 programs", "1 program"
std::string counted(uint64_t n, std::string_view noun);
/// "3 times", "twice", "once"
std::string times_text(uint64_t n);
/// "70 x 50", "scalar"
std::string shape_text(const std::vector<int64_t>& shape);
/// At most `width` columns, cut with "..." between characters of UTF-8.
std::string shortened(std::string_view text, size_t width);

/// Characters of UTF-8, each taken for one column.
size_t width_of(std::string_view text);
/// Without what a terminal or a page would obey instead of show: control characters, marks that turn the direction of
/// writing, bytes that are not UTF-8. Each becomes U+FFFD; a tab becomes a blank.
std::string printable(std::string_view text);
/// A line of the source without its indent; empty without a source or such a line.
std::string_view trimmed_line(const SourcePtr& source, int line);

}  // namespace tilescope::report
