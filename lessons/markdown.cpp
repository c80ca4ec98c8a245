#include "lessons/markdown.h"

#include <md4c.h>

#include <algorithm>
#include <cctype>

#include "core/syntax/lexer.h"

namespace tilescope::lessons {
namespace {

/// U+E000, of the private use area: stands where Markdown shall see neither a blank nor a punctuation mark, and is not
/// part of what comes out.
constexpr std::string_view kJoint = "\xEE\x80\x80";

bool is_between(uint32_t c, uint32_t first, uint32_t last) { return c >= first && c <= last; }

bool is_chinese(uint32_t c) { return c >= 0x2E80 && c < 0xE000; }

bool is_punctuation(uint32_t c) {
  if (c < 0x80) return c > ' ' && c != 0x7F && !is_between(c, '0', '9') && !is_between(c | 0x20, 'a', 'z');
  return is_between(c, 0x2010, 0x2027) || is_between(c, 0x2030, 0x205E) || is_between(c, 0x3001, 0x3003) || is_between(c, 0x3008, 0x3011) ||
         is_between(c, 0x3014, 0x301F) || is_between(c, 0xFF01, 0xFF0F) || is_between(c, 0xFF1A, 0xFF20) || is_between(c, 0xFF3B, 0xFF40) ||
         is_between(c, 0xFF5B, 0xFF65);
}

/// The character that ends before `at`; 0 at the start.
uint32_t character_before(std::string_view text, size_t at) {
  if (at == 0) return 0;
  size_t begin = at - 1;
  while (begin > 0 && at - begin < 4 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
  uint32_t code = 0;
  utf8_sequence(text, begin, &code);
  return code;
}

/// CommonMark lets ** open or close emphasis by the blanks around it: between a bracket and a letter without a blank it
/// does neither, so that 中文**一（二）**三 stays as written. Chinese has no such blanks. A joint beside the bracket
/// makes ** both, and the one that comes second closes.
std::string with_joints(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (text[at] != '*') {
      out += text[at++];
      continue;
    }
    const size_t end = std::min(text.find_first_not_of('*', at), text.size());
    uint32_t after = 0;
    if (end < text.size()) utf8_sequence(text, end, &after);
    const uint32_t before = character_before(text, at);
    const bool mixed = end - at == 2 && before != '\\' && (is_chinese(before) || is_chinese(after) || before >= 0xFF00 || after >= 0xFF00);
    if (mixed && is_punctuation(before) && after > ' ') out += kJoint;
    out += text.substr(at, end - at);
    if (mixed && is_punctuation(after) && before > ' ') out += kJoint;
    at = end;
  }
  return out;
}

std::string without_joints(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t joint = std::min(text.find(kJoint, at), text.size());
    out += text.substr(at, joint - at);
    at = joint + kJoint.size();
  }
  return out;
}

struct List {
  bool numbered = false;
  int next = 1;
};

/// What md4c's callbacks build up.
struct Builder {
  std::vector<TextBlock> blocks;
  std::vector<List> lists;
  bool in_block = false, code = false;
  int strong = 0;
  bool in_formula = false;
  std::string formula;  ///< what was read of it
  std::vector<Diagnostic>* problems = nullptr;

  void open(TextBlock b) {
    blocks.push_back(std::move(b));
    in_block = true;
  }
  void add(std::string_view s) {
    if (!in_block || s.empty()) return;
    std::vector<Span>& spans = blocks.back().spans;
    const bool is_code = code && blocks.back().kind != TextBlock::Kind::Code;
    const bool joins = !spans.empty() && spans.back().formula == nullptr;
    if (joins && spans.back().code == is_code && spans.back().strong == (strong > 0)) spans.back().text += s;
    else spans.push_back({std::string(s), is_code, strong > 0});
  }
  /// The formula that was read becomes a span, or a block between two halves of its paragraph.
  void add_formula(bool block) {
    in_formula = false;
    if (!in_block) return;
    Expected<FormulaNode> read = parse_formula(formula);
    if (!read) {
      if (problems != nullptr) problems->insert(problems->end(), read.errors().begin(), read.errors().end());
      blocks.back().spans.push_back({formula, true, strong > 0});
      return;
    }
    const Span span{formula, false, strong > 0, std::make_shared<const FormulaNode>(std::move(*read))};
    if (!block || blocks.back().kind == TextBlock::Kind::Heading) return blocks.back().spans.push_back(span);
    if (blocks.back().kind == TextBlock::Kind::Paragraph && blocks.back().spans.empty()) blocks.pop_back();
    blocks.push_back({TextBlock::Kind::Formula, 0, 0, {span}});
    blocks.emplace_back();
  }
};

int enter_block(MD_BLOCKTYPE type, void* detail, void* user) {
  Builder& b = *static_cast<Builder*>(user);
  switch (type) {
    case MD_BLOCK_H: b.open({TextBlock::Kind::Heading, static_cast<int>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level), 0, {}}); break;
    case MD_BLOCK_P:
      // A paragraph inside a list item is the item.
      if (b.lists.empty() || !b.in_block) b.open({});
      break;
    case MD_BLOCK_CODE: b.open({TextBlock::Kind::Code, 0, 0, {}}); break;
    case MD_BLOCK_UL: b.lists.push_back({}); break;
    case MD_BLOCK_OL: b.lists.push_back({true, static_cast<int>(static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start)}); break;
    case MD_BLOCK_LI: {
      List& list = b.lists.back();
      b.open({TextBlock::Kind::Item, static_cast<int>(b.lists.size()), list.numbered ? list.next++ : 0, {}});
      break;
    }
    default: break;
  }
  return 0;
}

int leave_block(MD_BLOCKTYPE type, void*, void* user) {
  Builder& b = *static_cast<Builder*>(user);
  if (type == MD_BLOCK_UL || type == MD_BLOCK_OL) b.lists.pop_back();
  if (type == MD_BLOCK_H || type == MD_BLOCK_P || type == MD_BLOCK_CODE || type == MD_BLOCK_LI) b.in_block = false;
  if (type == MD_BLOCK_CODE && !b.blocks.back().spans.empty()) {
    std::string& text = b.blocks.back().spans[0].text;
    while (!text.empty() && text.back() == '\n') text.pop_back();
  }
  return 0;
}

int enter_span(MD_SPANTYPE type, void*, void* user) {
  Builder& b = *static_cast<Builder*>(user);
  if (type == MD_SPAN_CODE) b.code = true;
  if (type == MD_SPAN_STRONG || type == MD_SPAN_EM) ++b.strong;
  if (type == MD_SPAN_LATEXMATH || type == MD_SPAN_LATEXMATH_DISPLAY) b.in_formula = true, b.formula.clear();
  return 0;
}

int leave_span(MD_SPANTYPE type, void*, void* user) {
  Builder& b = *static_cast<Builder*>(user);
  if (type == MD_SPAN_CODE) b.code = false;
  if (type == MD_SPAN_STRONG || type == MD_SPAN_EM) --b.strong;
  if (type == MD_SPAN_LATEXMATH || type == MD_SPAN_LATEXMATH_DISPLAY) b.add_formula(type == MD_SPAN_LATEXMATH_DISPLAY);
  return 0;
}

/// A line end in the file is a space between English words, and nothing between Chinese characters.
std::string_view soft_break(const Builder& b) {
  if (!b.in_block || b.blocks.back().spans.empty()) return "";
  const std::string& before = b.blocks.back().spans.back().text;
  return !before.empty() && static_cast<unsigned char>(before.back()) < 0x80 ? " " : "";
}

int add_text(MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* user) {
  Builder& b = *static_cast<Builder*>(user);
  if (b.in_formula) b.formula += type == MD_TEXT_SOFTBR ? std::string("\n") : without_joints({text, size});
  else if (type == MD_TEXT_SOFTBR) b.add(soft_break(b));
  else if (type == MD_TEXT_BR) b.add("\n");
  else if (type == MD_TEXT_NULLCHAR) b.add("\xEF\xBF\xBD");
  else b.add(without_joints({text, size}));
  return 0;
}

}  // namespace

std::vector<TextBlock> parse_markdown(std::string_view text, std::vector<Diagnostic>* problems) {
  const std::string joined = with_joints(text);
  Builder b;
  b.problems = problems;
  MD_PARSER parser{};
  parser.flags = MD_FLAG_NOHTML | MD_FLAG_LATEXMATHSPANS;
  parser.enter_block = enter_block;
  parser.leave_block = leave_block;
  parser.enter_span = enter_span;
  parser.leave_span = leave_span;
  parser.text = add_text;
  md_parse(joined.data(), static_cast<MD_SIZE>(joined.size()), &parser, &b);
  std::erase_if(b.blocks, [](const TextBlock& one) { return one.kind == TextBlock::Kind::Paragraph && one.spans.empty(); });
  return std::move(b.blocks);
}

std::string with_lists_kept_together(std::string_view text) {
  constexpr size_t kMost = 32;  // bytes: a longer list may well go on in the next line
  constexpr std::string_view kMinus = "\u2212";
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    const char close = text[at] == '[' ? ']' : text[at] == '(' ? ')' : '\0';
    const auto inner = [&](char c) { return std::isalnum(static_cast<unsigned char>(c)) || std::string_view(" ,.:_-").find(c) != std::string_view::npos || kMinus.find(c) != std::string_view::npos; };
    while (close != '\0' && end < text.size() && end - at < kMost && inner(text[end])) ++end;
    const std::string_view list = text.substr(at, end - at);
    if (close == '\0' || end == text.size() || text[end] != close || list.find(", ") == std::string_view::npos) {
      out += text[at++];
      continue;
    }
    for (char c : list) c == ' ' ? out += kFixedBlank : out += c;
    at = end;
  }
  return out;
}

Diagnostic placed_in_file(Diagnostic d, const std::string& path, const std::string& body) {
  size_t start = d.range.valid() ? body.find("$" + d.range.file->text) : std::string::npos;
  if (start++ == std::string::npos) {
    d.message = path + ": a formula: " + d.message;
    return d;
  }
  const int lines = static_cast<int>(std::count(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(start), '\n'));
  const int columns = static_cast<int>(start - (body.rfind('\n', start - 1) + 1));
  d.range.file = std::make_shared<const SourceFile>(SourceFile{path, body});
  if (d.range.line == 1) d.range.column += columns, d.range.end_column += columns;
  d.range.line += lines, d.range.end_line += lines;
  return d;
}

}  // namespace tilescope::lessons
