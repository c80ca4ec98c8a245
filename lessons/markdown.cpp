#include "lessons/markdown.h"

#include <md4c.h>

namespace tilescope::lessons {
namespace {

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

  void open(TextBlock b) {
    blocks.push_back(std::move(b));
    in_block = true;
  }
  void add(std::string_view s) {
    if (!in_block || s.empty()) return;
    std::vector<Span>& spans = blocks.back().spans;
    const bool is_code = code && blocks.back().kind != TextBlock::Kind::Code;
    if (!spans.empty() && spans.back().code == is_code && spans.back().strong == (strong > 0)) spans.back().text += s;
    else spans.push_back({std::string(s), is_code, strong > 0});
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
  return 0;
}

int leave_span(MD_SPANTYPE type, void*, void* user) {
  Builder& b = *static_cast<Builder*>(user);
  if (type == MD_SPAN_CODE) b.code = false;
  if (type == MD_SPAN_STRONG || type == MD_SPAN_EM) --b.strong;
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
  if (type == MD_TEXT_SOFTBR) b.add(soft_break(b));
  else if (type == MD_TEXT_BR) b.add("\n");
  else if (type == MD_TEXT_NULLCHAR) b.add("\xEF\xBF\xBD");
  else b.add({text, size});
  return 0;
}

}  // namespace

std::vector<TextBlock> parse_markdown(std::string_view text) {
  Builder b;
  MD_PARSER parser{};
  parser.flags = MD_FLAG_NOHTML;
  parser.enter_block = enter_block;
  parser.leave_block = leave_block;
  parser.enter_span = enter_span;
  parser.leave_span = leave_span;
  parser.text = add_text;
  md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, &b);
  return std::move(b.blocks);
}

}  // namespace tilescope::lessons
