// Colours of kernel text, line by line: what each piece is, and which of the library's functions touch memory. Reads
// broken text as well as any other.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope::model {

class TextDocument;

enum class TextRole : uint8_t {
  Name,         ///< names of the kernel's own, and numbers
  Constexpr,    ///< names that are known when the kernel is compiled
  Word,         ///< keywords, operators, brackets, library names
  String,
  Comment,
  Load,         ///< tl.load and the like, as a whole
  Store,        ///< stores and atomics
  Dot,
  Reduce,       ///< reductions and scans
  Broken,       ///< what is no token of the language
};

/// Bytes [begin, end) of a line. Blanks lie between spans.
struct TextSpan {
  uint32_t begin = 0, end = 0;
  TextRole role = TextRole::Name;
  friend bool operator==(const TextSpan&, const TextSpan&) = default;
};

/// What a line takes over from the lines before it: the quote of a triple-quoted string that is still open, else 0.
struct LineStart {
  char quote = 0;
  friend bool operator==(const LineStart&, const LineStart&) = default;
};
LineStart after_line(std::string_view line, LineStart start);

/// Names that mean something to the whole file.
struct KnownNames {
  std::set<std::string, std::less<>> modules;     ///< "tl", "triton", and what else the file calls them
  std::set<std::string, std::less<>> constexprs;  ///< annotated `tl.constexpr` somewhere in the file
  bool cpp = false;  ///< the text is C++ that builds a kernel, not a kernel file
  friend bool operator==(const KnownNames&, const KnownNames&) = default;
};
KnownNames known_names(const TextDocument& document);

/// Spans in order, without overlaps. Lines beyond 64 KB are one Name.
std::vector<TextSpan> highlight_line(std::string_view line, LineStart start, const KnownNames& names);
/// The same of a line of C++ (highlight_cpp.cpp); highlight_line asks it where names.cpp says so.
std::vector<TextSpan> highlight_cpp_line(std::string_view line, const KnownNames& names);
/// What a function of the library does, by its name without a module; Name when it is none that touches memory or
/// combines lanes.
TextRole role_of_function(std::string_view name);
/// Where the line's comment starts, or npos.
size_t comment_start(std::string_view line, LineStart start);

/// The name at byte `column` of a line that stands alone (no attribute, no keyword argument's name); empty when there is none.
std::string_view name_at(std::string_view line, LineStart start, size_t column);

}  // namespace tilescope::model
