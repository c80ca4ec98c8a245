#include "visualizer/window/rich_text.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/syntax/lexer.h"
#include "visualizer/model/text_wrap.h"
#include "visualizer/window/formula_view.h"

namespace tilescope::window {
namespace {

/// A stretch that is never broken across lines.
struct Piece {
  std::string text;
  bool code = false, strong = false;
  bool space_before = false;  ///< dropped at the start of a line
  bool line_end = false;      ///< a forced line end after it
  bool glued = false;         ///< may not start a line: closing punctuation, or the same word goes on in another style
  bool joins = false;         ///< code that goes on from the piece before it
  std::optional<model::FormulaLayout> formula = {};
};

bool closes(std::string_view c) {
  constexpr std::string_view kClosing = "，。；：！？、）》」』”’…％,.;:!?)%";
  return kClosing.find(c) != std::string_view::npos;
}

/// May not end a line.
bool opens(std::string_view c) {
  constexpr std::string_view kOpening[] = {"（", "《", "「", "『", "“", "‘", "("};
  return std::any_of(std::begin(kOpening), std::end(kOpening), [&](std::string_view o) { return c.ends_with(o); });
}

/// Chinese characters and their punctuation: a line may end on either side. Signs like − and × are part of a word.
bool is_wide(std::string_view character) {
  uint32_t code = 0;
  utf8_sequence(character, 0, &code);
  return code >= 0x2E80;
}

/// Cuts spans into words, Chinese characters, stretches of code and parts of formulas.
class Cutter {
 public:
  Cutter(Ui& ui, float width, const TextFill& fill) : ui_(ui), width_(width), fill_(fill) {}

  std::vector<Piece> cut(const std::vector<lessons::Span>& spans) {
    for (const lessons::Span& span : spans) {
      if (span.formula != nullptr) add_formula(*span.formula);
      else if (span.code) add_code(span);
      else add_text(span);
    }
    // What opens a bracket stays with what follows it.
    for (size_t i = 1; i < out_.size(); ++i)
      if (!out_[i].space_before && !out_[i - 1].line_end && opens(out_[i - 1].text)) out_[i].glued = true;
    return std::move(out_);
  }

 private:
  void add_formula(const lessons::FormulaNode& formula) {
    bool first = true;
    for (model::FormulaLayout& part : model::layout_formula_parts(formula, fill_, formula_type(ui_), width_)) {
      out_.push_back({"", false, false, first && space_, false, first && in_word_ && !space_});
      out_.back().formula = std::move(part);
      first = false;
    }
    space_ = false;
    in_word_ = true;
  }

  /// Code is broken only where a line cannot hold it: behind a blank, else anywhere.
  void add_code(const lessons::Span& span) {
    std::string text = fill_(span.text);
    bool joins = false;
    const float room = width_ - 2 * ui_.px(3);
    do {
      size_t end = text.size();
      if (ui_.width(text, TextSize::Code, true) > room) {
        size_t blank = 0;
        for (end = 0; end < text.size();) {
          const size_t n = model::character_bytes(text, end);
          if (end > 0 && ui_.width(text.substr(0, end + n), TextSize::Code, true) > room) break;
          end += n;
          if (text[end - 1] == ' ') blank = end;
        }
        if (blank > 0) end = blank;
      }
      out_.push_back({text.substr(0, end), true, span.strong, space_ && !joins, false, in_word_ && !space_ && !joins, joins});
      text.erase(0, end);
      joins = true;
    } while (!text.empty());
    space_ = false;
    in_word_ = true;
  }

  void add_text(const lessons::Span& span) {
    const std::string text = lessons::with_lists_kept_together(fill_(span.text));
    bool fresh = true;  // the style changes here: a new piece, even inside a word
    for (size_t i = 0; i < text.size();) {
      const size_t n = model::character_bytes(text, i);
      const std::string c = text.substr(i, n);
      i += n;
      if (c == lessons::kFixedBlank && in_word_) {
        out_.back().text += ' ';
        continue;
      }
      if (c == "\n" || c == " ") {
        if (c == "\n" && !out_.empty()) out_.back().line_end = true;
        space_ = c == " ";
        in_word_ = false;
        continue;
      }
      const bool wide = is_wide(c);
      if (in_word_ && !wide && !fresh) {
        out_.back().text += c;
      } else {
        out_.push_back({c, false, span.strong, space_, false, closes(c) || (in_word_ && !wide)});
      }
      fresh = false;
      space_ = false;
      in_word_ = !wide;
    }
  }

  Ui& ui_;
  float width_;
  const TextFill& fill_;
  std::vector<Piece> out_;
  bool space_ = false, in_word_ = false;
};

/// Pieces in rows. A row is taller than others when a formula in it is.
class Setter {
 public:
  Setter(Ui& ui, const Rect& r, TextSize size, ImU32 colour, float line) : ui_(ui), r_(r), size_(size), colour_(colour), line_(line) {}

  /// Returns the height.
  float draw(const std::vector<Piece>& pieces) {
    float x = 0;
    for (size_t i = 0; i < pieces.size(); ++i) {
      const Piece& p = pieces[i];
      // What must stay together with this piece counts when the line is full.
      float together = width(p);
      for (size_t k = i + 1; k < pieces.size() && pieces[k].glued; ++k) together += width(pieces[k]);
      if (x > 0) x += p.formula ? std::max(p.formula->space_before, p.space_before ? blank() : 0) : p.space_before ? blank() : 0;
      // What is wider than a line, glued together, is broken all the same.
      const float needed = p.glued ? width(p) : std::min(together, std::max(width(p), r_.w));
      if (x > 0 && x + needed > r_.w) x = end_row();
      row_.push_back({&p, x});
      x += width(p);
      if (p.line_end) x = end_row();
    }
    end_row();
    return y_;
  }

 private:
  struct Placed {
    const Piece* piece;
    float x;
  };

  float blank() { return ui_.width(" ", size_); }
  float width(const Piece& p) {
    if (p.formula) return p.formula->width;
    return ui_.width(p.text, p.code ? TextSize::Code : size_, p.code) + (p.code ? 2 * ui_.px(3) : 0);
  }

  /// Draws the row and starts the next one at 0.
  float end_row() {
    if (row_.empty()) return 0;
    const float text_top = (line_ - ui_.line_height(size_)) / 2;
    float base = std::round(text_top + ui_.baseline(size_)), below = line_ - base;
    for (const Placed& p : row_)
      if (p.piece->formula) {
        base = std::max(base, p.piece->formula->baseline + ui_.px(3));
        below = std::max(below, p.piece->formula->height - p.piece->formula->baseline + ui_.px(3));
      }
    for (const Placed& p : row_) draw_piece(*p.piece, r_.x + p.x, r_.y + y_ + base);
    y_ += base + below;
    row_.clear();
    return 0;
  }

  void draw_piece(const Piece& p, float x, float base) {
    const Theme& t = ui_.theme();
    if (p.formula) return draw_formula(ui_, {x, base - p.formula->baseline}, *p.formula, t.text1);
    if (!p.code) {
      ui_.text({x, base - ui_.baseline(size_)}, p.text, size_, p.strong ? t.text1 : colour_);
      return;
    }
    const float height = ui_.line_height(TextSize::Code), top = std::round(base - ui_.baseline(TextSize::Code, true));
    ui_.fill({x, top - ui_.px(3), width(p), height + ui_.px(6)}, t.raised, ui_.px(3));
    ui_.text({x + ui_.px(3), top}, p.text, TextSize::Code, t.text1, true);
  }

  Ui& ui_;
  Rect r_;
  TextSize size_;
  ImU32 colour_;
  float line_, y_ = 0;
  std::vector<Placed> row_;
};

float draw_spans(Ui& ui, const Rect& r, const std::vector<lessons::Span>& spans, const TextFill& fill, TextSize size, ImU32 colour, float line) {
  return Setter(ui, r, size, colour, line).draw(Cutter(ui, r.w, fill).cut(spans));
}

/// A hook in the margin: this row goes on from the one above it.
void draw_hook(Ui& ui, const Rect& r) {
  const ImU32 colour = ui.theme().text3;
  const float x = r.x, right = r.right(), middle = r.y + r.h / 2, u = ui.px(3);
  ui.line({x, r.y + r.h * 0.15f}, {x, middle}, colour, ui.px(1));
  ui.line({x, middle}, {right, middle}, colour, ui.px(1));
  ui.line({right - u, middle - u}, {right, middle}, colour, ui.px(1));
  ui.line({right - u, middle + u}, {right, middle}, colour, ui.px(1));
}

model::CharWidths code_widths(Ui& ui, TextSize size) {
  return model::CharWidths(ui.code_advance(size), [&ui, size](uint32_t code) {
    std::string character;
    append_utf8(character, code);
    return ui.width(character, size, true);
  });
}

/// Code keeps its lines; one that is wider than the panel goes on below, with a hook before it.
float draw_code(Ui& ui, const Rect& r, const std::string& text) {
  const float line = ui.px(22), margin = ui.px(14), pad = ui.px(8);
  const model::CharWidths widths = code_widths(ui, TextSize::Code);
  struct Row {
    std::string_view text;
    float x;
    bool goes_on;
  };
  std::vector<Row> rows;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view whole = std::string_view(text).substr(start, end - start);
    for (const model::WrappedRow& row : model::wrap_line(whole, r.w - 2 * margin, widths))
      rows.push_back({whole.substr(row.begin, row.end - row.begin), row.x, row.begin > 0});
    start = end + 1;
  }
  const float height = line * static_cast<float>(rows.size()) + 2 * pad;
  ui.fill({r.x, r.y, r.w, height}, ui.theme().raised, ui.px(4));
  float y = r.y + pad;
  for (const Row& row : rows) {
    const float x = r.x + margin + row.x;
    if (row.goes_on) draw_hook(ui, {x - ui.px(13), y, ui.px(8), line});
    ui.text({x, y + (line - ui.line_height(TextSize::Code)) / 2}, row.text, TextSize::Code, ui.theme().text1, true);
    y += line;
  }
  return height;
}

}  // namespace

float draw_blocks(Ui& ui, std::string_view name, Rect r, const std::vector<lessons::TextBlock>& blocks, const TextFill& fill) {
  using Kind = lessons::TextBlock::Kind;
  const Theme& t = ui.theme();
  const float top = r.y;
  bool after_title = false, after_item = false;
  int number = 0;
  for (const lessons::TextBlock& b : blocks) {
    if (b.spans.empty()) continue;
    if (after_item && b.kind != Kind::Item) r.take_top(ui.px(8));
    after_item = b.kind == Kind::Item;
    const float block_top = r.y;
    float gap = 0;
    switch (b.kind) {
      case Kind::Heading: {
        const TextSize size = b.level == 1 ? TextSize::Verdict : TextSize::Question;
        r.take_top(draw_spans(ui, r, b.spans, fill, size, t.text1, std::round(ui.line_height(size) * 1.3f)));
        break;
      }
      case Kind::Paragraph:
        // The line under a title is its subtitle.
        r.take_top(draw_spans(ui, r, b.spans, fill, after_title ? TextSize::Question : TextSize::Body, t.text2, ui.px(after_title ? 26 : 24)));
        gap = ui.px(12);
        break;
      case Kind::Item: {
        const float indent = ui.px(20) * static_cast<float>(b.level);
        ui.text({r.x + indent - ui.px(16), r.y + ui.px(3)}, b.number > 0 ? std::to_string(b.number) + "." : "•", TextSize::Body, t.text2);
        r.take_top(draw_spans(ui, {r.x + indent, r.y, r.w - indent, r.h}, b.spans, fill, TextSize::Body, t.text2, ui.px(24)));
        gap = ui.px(4);
        break;
      }
      case Kind::Code:
        r.take_top(draw_code(ui, r, fill(b.spans[0].text)));
        gap = ui.px(12);
        break;
      case Kind::Formula: {
        const float indent = ui.px(16);
        const model::FormulaLayout formula = model::layout_formula(*b.spans[0].formula, fill, formula_type(ui), r.w - indent);
        r.take_top(ui.px(2));
        draw_formula(ui, {r.x + indent, r.y}, formula, t.text1);
        r.take_top(std::ceil(formula.height));
        gap = ui.px(14);
        break;
      }
    }
    ui.place(std::string(name) + "." + std::to_string(++number), {r.x, block_top, r.w, r.y - block_top});
    r.take_top(gap);
    after_title = b.kind == Kind::Heading && b.level == 1;
  }
  return r.y - top;
}

std::vector<std::string> wrap_code(Ui& ui, const std::string& text, TextSize size, float width) {
  std::vector<std::string> rows;
  for (const model::WrappedRow& row : model::wrap_line(text, width, code_widths(ui, size))) {
    std::string& kept = rows.emplace_back(text.substr(row.begin, row.end - row.begin));
    kept.erase(kept.find_last_not_of(' ') + 1);  // a blank that ends a row takes no room
  }
  return rows;
}

void draw_tick(Ui& ui, ImVec2 c, float radius) {
  ui.draw().AddCircleFilled(c, radius, ui.theme().compute);
  const float u = radius / 8;
  ui.line({c.x - 4 * u, c.y}, {c.x - 1 * u, c.y + 3 * u}, IM_COL32_WHITE, ui.px(2));
  ui.line({c.x - 1 * u, c.y + 3 * u}, {c.x + 4 * u, c.y - 3 * u}, IM_COL32_WHITE, ui.px(2));
}

}  // namespace tilescope::window
