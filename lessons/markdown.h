// Lesson text as blocks: the part of Markdown that lessons use, read by md4c.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/formula.h"

namespace tilescope::lessons {

/// A stretch of text in one style.
struct Span {
  std::string text;
  bool code = false, strong = false;
  /// $...$ in a paragraph, or the one span of a Formula block; `text` is then what stands between the dollar signs.
  std::shared_ptr<const FormulaNode> formula = nullptr;
  friend bool operator==(const Span&, const Span&) = default;
};

struct TextBlock {
  enum class Kind : uint8_t { Heading, Paragraph, Item, Code, Formula };
  Kind kind = Kind::Paragraph;
  int level = 0;            ///< of a heading: 1, 2 ...; of an item: its depth, from 1
  int number = 0;           ///< of an item of a numbered list, else 0
  std::vector<Span> spans;  ///< of Code: one, with line ends
};

/// Blocks of a page. Markup that lessons do not use (tables, images, HTML) comes out as its text. $$...$$ is a block of its
/// own wherever it stands. A formula that cannot be read comes out as code, and its errors go to `problems`; they point
/// into the formula alone.
std::vector<TextBlock> parse_markdown(std::string_view text, std::vector<Diagnostic>* problems = nullptr);

/// A blank at which no line may be broken (U+00A0).
inline constexpr std::string_view kFixedBlank = "\u00a0";

/// The text with the blanks inside short bracketed lists, as in "[1, 2, 3]" or "(0, 4)", made kFixedBlank.
std::string with_lists_kept_together(std::string_view text);

/// An error of a formula with its place in the file that has the text `body`.
Diagnostic placed_in_file(Diagnostic problem, const std::string& path, const std::string& body);

}  // namespace tilescope::lessons
