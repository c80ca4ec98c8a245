// How the editor's text, selection, cursor and scroll bar look.
#include <algorithm>
#include <cmath>

#include "core/syntax/lexer.h"
#include "visualizer/window/text_editor.h"

namespace tilescope::window {

using model::TextPosition;
using model::TextRole;
using model::TextSpan;
using model::WrappedRow;

namespace {

ImU32 colour_of(const Theme& t, TextRole role, bool strong) {
  switch (role) {
    case TextRole::Name:
    case TextRole::Constexpr: return t.text1;
    case TextRole::Word:
    case TextRole::String: return t.text2;
    case TextRole::Comment: return strong ? t.text2 : t.text3;
    case TextRole::Load: return t.load_text;
    case TextRole::Store: return t.store_text;
    case TextRole::Dot: return t.compute_text;
    case TextRole::Reduce: return t.reduce_text;
    case TextRole::Broken: return t.fault_text;
  }
  return t.text1;
}

}  // namespace

/// Draws bytes [begin, end) from x on and moves x behind them. Control characters and bytes that are no UTF-8 are drawn as
/// a box, so that nothing in the text is invisible.
void TextEditor::draw_piece(Ui& ui, std::string_view line, uint32_t begin, uint32_t end, float& x, float y, ImU32 colour) {
  const float text_y = y + (row_height_ - ui.line_height(size_)) / 2;
  size_t run = begin;
  float run_x = x;
  const auto flush = [&](size_t to) {
    if (to > run) ui.text({run_x, text_y}, line.substr(run, to - run), size_, colour, true);
  };
  for (size_t at = begin; at < end;) {
    size_t length = 1;
    const float w = widths_->width_at(line, at, x - place_.left, &length);
    const auto c = static_cast<unsigned char>(line[at]);
    const bool odd = c < 0x20 || c == 0x7F || (c >= 0x80 && length == 1);
    const bool moves = odd || c >= 0x80;  // beyond ASCII each character is put where the wrapping expects it
    if (moves) {
      flush(at);
      if (odd && c != '\t') ui.outline({x + 1, text_y + 2, w - 2, ui.line_height(size_) - 4}, ui.theme().fault, 1);
      if (!odd) ui.text({x, text_y}, line.substr(at, length), size_, colour, true);
      run = at + length;
      run_x = x + w;
    }
    x += w;
    at += length;
  }
  flush(end);
}

void TextEditor::draw_line(Ui& ui, size_t line, float alpha, bool strong) {
  const std::string_view text = document().line(line);
  const std::vector<TextSpan> spans = model::highlight_line(text, starts_[line], names_);
  float y = top(line);
  auto span = spans.begin();
  for (const WrappedRow& row : rows(line)) {
    if (y + row_height_ > place_.body.y && y < place_.body.bottom()) {
      float x = place_.left + row.x;
      uint32_t at = row.begin;
      for (auto s = span; s != spans.end() && s->begin < row.end; ++s) {
        const uint32_t begin = std::max(s->begin, row.begin), end = std::min(s->end, row.end);
        if (begin >= end) continue;
        draw_piece(ui, text, at, begin, x, y, ui.theme().text3);  // blanks
        const ImU32 colour = with_alpha(colour_of(ui.theme(), s->role, strong), alpha);
        const float from = x;
        draw_piece(ui, text, begin, end, x, y, colour);
        if (s->role == TextRole::Constexpr) {
          const float under = std::round(y + row_height_ / 2 + ui.line_height(size_) / 2);
          ui.dashed({from, under}, {x, under}, with_alpha(ui.theme().text3, alpha), 1, ui.px(2));
        }
        at = end;
      }
    }
    while (span != spans.end() && span->end <= row.end) ++span;
    y += row_height_;
  }
}

void TextEditor::draw_selection(Ui& ui, size_t line) {
  const model::Selection& s = buffer_.selection();
  if (s.empty() || !focused(ui) || line < s.begin().line || line > s.end().line) return;
  const ImU32 colour = with_alpha(ui.theme().selected, ui.theme().dark ? 0.55f : 0.28f);
  const std::string_view text = document().line(line);
  const size_t from = line == s.begin().line ? s.begin().column : 0, to = line == s.end().line ? s.end().column : text.size();
  float y = top(line);
  for (const WrappedRow& row : rows(line)) {
    const size_t begin = std::clamp<size_t>(from, row.begin, row.end), end = std::clamp<size_t>(to, row.begin, row.end);
    const float x0 = place_.left + row.x + model::offset_in_row(text, row, begin, *widths_);
    float x1 = place_.left + row.x + model::offset_in_row(text, row, end, *widths_);
    if (line < s.end().line && row.end == text.size()) x1 += advance_ / 2;  // the line end is selected too
    x1 = std::min(x1, place_.right + advance_ / 2);
    if (x1 > x0) ui.fill({x0, y, x1 - x0, row_height_}, colour);
    y += row_height_;
  }
}

void TextEditor::draw_cursor(Ui& ui, double time) {
  if (!focused(ui)) return;
  const TextPosition c = buffer_.cursor();
  if (c.line < first_ || c.line >= last_) return;
  if (std::fmod(time - blink_from_, 1.06) > 0.53) return;
  const float y = top(c.line) + static_cast<float>(model::row_of(rows(c.line), c.column)) * row_height_;
  const float x = std::min(this->x(c.line, c.column), place_.right + advance_ / 2);
  ui.fill({std::round(x), y + ui.px(1), std::max(1.f, ui.px(2)), row_height_ - 2 * ui.px(1)}, ui.theme().text1);
  ui.place(name_ + ".cursor", {std::round(x), y, ui.px(2), row_height_});
}

void TextEditor::draw_scrollbar(Ui& ui) {
  if (content_ <= place_.body.h || place_.body.h <= 0) return;
  const Rect track{place_.body.right() - ui.px(8), place_.body.y, ui.px(8), place_.body.h};
  const Hit h = ui.hit(name_ + ".scroll", track);
  const float share = place_.body.h / content_, length = std::max(ui.px(24), track.h * share);
  const float room = std::max(1.f, track.h - length), most = content_ - place_.body.h;
  if (h.clicked) {
    const float thumb = track.y + scroll_ / most * room;
    if (h.mouse.y < thumb || h.mouse.y > thumb + length) scroll_ = (h.mouse.y - track.y - length / 2) / room * most;
  } else if (h.held) {
    scroll_ += h.drag.y / room * most;
  }
  scroll_ = std::clamp(scroll_, 0.f, most);
  const float thumb = track.y + scroll_ / most * room;
  ui.fill({track.x + ui.px(2), thumb, ui.px(4), length}, h.hovered || h.held ? ui.theme().text3 : ui.theme().line, ui.px(2));
}

}  // namespace tilescope::window
