// Lesson text as blocks: the part of Markdown that lessons use, read by md4c.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope::lessons {

/// A stretch of text in one style.
struct Span {
  std::string text;
  bool code = false, strong = false;
  friend bool operator==(const Span&, const Span&) = default;
};

struct TextBlock {
  enum class Kind : uint8_t { Heading, Paragraph, Item, Code };
  Kind kind = Kind::Paragraph;
  int level = 0;            ///< of a heading: 1, 2 ...; of an item: its depth, from 1
  int number = 0;           ///< of an item of a numbered list, else 0
  std::vector<Span> spans;  ///< of Code: one, with line ends
};

/// Blocks of a page. Markup that lessons do not use (tables, images, HTML) comes out as its text.
std::vector<TextBlock> parse_markdown(std::string_view text);

}  // namespace tilescope::lessons
