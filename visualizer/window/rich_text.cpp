#include "visualizer/window/rich_text.h"

#include <algorithm>
#include <cmath>

namespace tilescope::window {
namespace {

/// A stretch that is never broken across lines.
struct Piece {
  std::string text;
  bool code = false, strong = false;
  bool space_before = false;  ///< dropped at the start of a line
  bool line_end = false;      ///< a forced line end after it
  bool glued = false;         ///< may not start a line: closing punctuation, or the same word goes on in another style
};

size_t character_bytes(std::string_view s, size_t i) {
  size_t n = 1;
  while (i + n < s.size() && (static_cast<unsigned char>(s[i + n]) & 0xC0) == 0x80) ++n;
  return n;
}

bool closes(std::string_view c) {
  constexpr std::string_view kClosing = "，。；：！？、）》」』”’…％,.;:!?)%";
  return kClosing.find(c) != std::string_view::npos;
}

/// Cuts spans into words and Chinese characters.
std::vector<Piece> cut(const std::vector<lessons::Span>& spans, const std::function<std::string(const std::string&)>& fill) {
  std::vector<Piece> out;
  bool space = false, in_word = false;
  for (const lessons::Span& span : spans) {
    const std::string text = fill(span.text);
    if (span.code) {
      out.push_back({text, true, span.strong, space, false, in_word && !space});
      space = false;
      in_word = true;
      continue;
    }
    bool fresh = true;  // the style changes here: a new piece, even inside a word
    for (size_t i = 0; i < text.size();) {
      const size_t n = character_bytes(text, i);
      const std::string c = text.substr(i, n);
      i += n;
      if (c == "\n" || c == " ") {
        if (c == "\n" && !out.empty()) out.back().line_end = true;
        space = c == " ";
        in_word = false;
        continue;
      }
      const bool wide = n >= 3;
      if (in_word && !wide && !fresh) {
        out.back().text += c;
      } else {
        out.push_back({c, false, span.strong, space, false, closes(c) || (in_word && !wide)});
      }
      fresh = false;
      space = false;
      in_word = !wide;
    }
  }
  return out;
}

/// Wraps and draws pieces. Returns the height.
float draw_pieces(Ui& ui, const Rect& r, const std::vector<Piece>& pieces, TextSize size, ImU32 colour, float line) {
  const Theme& t = ui.theme();
  const float blank = ui.width(" ", size), pad = ui.px(3);
  float x = r.x, y = r.y;
  const auto width = [&](const Piece& p) { return ui.width(p.text, p.code ? TextSize::Code : size, p.code) + (p.code ? 2 * pad : 0); };
  for (size_t i = 0; i < pieces.size(); ++i) {
    const Piece& p = pieces[i];
    // What must stay together with this piece counts when the line is full.
    float together = width(p);
    for (size_t k = i + 1; k < pieces.size() && pieces[k].glued; ++k) together += width(pieces[k]);
    if (x > r.x && p.space_before) x += blank;
    if (x > r.x && !p.glued && x + together > r.right()) {
      x = r.x;
      y += line;
    }
    const float w = width(p);
    const float text_y = y + (line - ui.line_height(p.code ? TextSize::Code : size)) / 2;
    if (p.code) {
      ui.fill({x, y + ui.px(2), w, line - ui.px(4)}, t.raised, ui.px(3));
      ui.text({x + pad, text_y}, p.text, TextSize::Code, t.text1, true);
    } else {
      ui.text({x, text_y}, p.text, size, p.strong ? t.text1 : colour);
    }
    x += w;
    if (p.line_end) {
      x = r.x;
      y += line;
    }
  }
  return (x > r.x ? y + line : y) - r.y;
}

float draw_code(Ui& ui, const Rect& r, const std::string& text) {
  const float line = ui.px(22), margin = ui.px(10);
  std::vector<std::string> rows;
  size_t start = 0;
  for (size_t end = text.find('\n'); ; end = text.find('\n', start)) {
    rows.push_back(text.substr(start, end == std::string::npos ? end : end - start));
    if (end == std::string::npos) break;
    start = end + 1;
  }
  const float height = line * static_cast<float>(rows.size()) + 2 * ui.px(8);
  ui.fill({r.x, r.y, r.w, height}, ui.theme().raised, ui.px(4));
  for (size_t i = 0; i < rows.size(); ++i)
    ui.text_in({r.x + margin, r.y + ui.px(8) + line * static_cast<float>(i), r.w - 2 * margin, line}, rows[i], TextSize::Code, ui.theme().text1, true);
  return height;
}

}  // namespace

float draw_blocks(Ui& ui, Rect r, const std::vector<lessons::TextBlock>& blocks, const std::function<std::string(const std::string&)>& fill) {
  using Kind = lessons::TextBlock::Kind;
  const Theme& t = ui.theme();
  const float top = r.y;
  bool after_title = false, after_item = false;
  for (const lessons::TextBlock& b : blocks) {
    if (b.spans.empty()) continue;
    if (after_item && b.kind != Kind::Item) r.take_top(ui.px(8));
    after_item = b.kind == Kind::Item;
    switch (b.kind) {
      case Kind::Heading: {
        const TextSize size = b.level == 1 ? TextSize::Verdict : TextSize::Question;
        r.take_top(draw_pieces(ui, r, cut(b.spans, fill), size, t.text1, std::round(ui.line_height(size) * 1.3f)));
        break;
      }
      case Kind::Paragraph:
        // The line under a title is its subtitle.
        r.take_top(draw_pieces(ui, r, cut(b.spans, fill), after_title ? TextSize::Question : TextSize::Body, t.text2, ui.px(after_title ? 26 : 24)));
        r.take_top(ui.px(12));
        break;
      case Kind::Item: {
        const float indent = ui.px(20) * static_cast<float>(b.level);
        ui.text({r.x + indent - ui.px(16), r.y + ui.px(3)}, b.number > 0 ? std::to_string(b.number) + "." : "•", TextSize::Body, t.text2);
        r.take_top(draw_pieces(ui, {r.x + indent, r.y, r.w - indent, r.h}, cut(b.spans, fill), TextSize::Body, t.text2, ui.px(24)));
        r.take_top(ui.px(4));
        break;
      }
      case Kind::Code:
        r.take_top(draw_code(ui, r, fill(b.spans[0].text)));
        r.take_top(ui.px(12));
        break;
    }
    after_title = b.kind == Kind::Heading && b.level == 1;
  }
  return r.y - top;
}

void draw_tick(Ui& ui, ImVec2 c, float radius) {
  ui.draw().AddCircleFilled(c, radius, ui.theme().compute);
  const float u = radius / 8;
  ui.line({c.x - 4 * u, c.y}, {c.x - 1 * u, c.y + 3 * u}, IM_COL32_WHITE, ui.px(2));
  ui.line({c.x - 1 * u, c.y + 3 * u}, {c.x + 4 * u, c.y - 3 * u}, IM_COL32_WHITE, ui.px(2));
}

}  // namespace tilescope::window
