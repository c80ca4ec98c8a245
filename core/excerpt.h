// What a message shows of a source line that may be endless, and of texts that may be.
#pragma once

#include <string>
#include <string_view>

#include "core/diagnostic.h"

namespace tilescope {

inline constexpr int kExcerptColumns = 160;  ///< characters of a source line that a message shows at most
inline constexpr size_t kMessageBytes = 4000;

/// A part of a line, with "..." where something is left out.
struct Excerpt {
  std::string text;
  int first = 1;   ///< column (byte, from 1) of the line at which the part begins
  int last = 0;    ///< and the column behind its end
  int offset = 0;  ///< bytes in `text` before the part
  /// Column in `text` of a column of the line; columns that are left out come to the nearest end of the part.
  int column(int of_line) const;
};

/// The whole line where it has at most `most` characters, else that many around the bytes from column `begin` to `end`: the
/// beginning of them is always shown. Cuts are between characters of UTF-8.
Excerpt excerpt_around(std::string_view line, int begin, int end, int most = kExcerptColumns);

/// The column behind what a range covers of its first line: of a statement over several lines, the line's end without the
/// blanks there.
int end_in_first_line(const SourceRange& r);

/// A text of at most `most` bytes: beginning and end of a longer one.
std::string cut_middle(std::string text, size_t most);

}  // namespace tilescope
