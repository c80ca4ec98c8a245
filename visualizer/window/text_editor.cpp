#include "visualizer/window/text_editor.h"

#include <algorithm>
#include <cmath>

#include "core/syntax/lexer.h"
#include "visualizer/window/input.h"

namespace tilescope::window {

using model::CursorMove;
using model::TextPosition;
using model::TextRole;
using model::WrappedRow;

void TextEditor::forget_layout() {
  row_count_.assign(document().lines(), 0);
  starts_.assign(document().lines(), {});
  version_ = ~uint64_t{0};
}

std::vector<WrappedRow> TextEditor::wrap(size_t line) const {
  const std::string_view text = document().line(line);
  const auto less = place_.beside.find(line);
  return model::wrap_line(text, place_.right - place_.left, *widths_, model::comment_start(text, starts_[line]),
                          less != place_.beside.end() ? less->second : 0);
}

void TextEditor::measure(size_t line) {
  const std::string_view text = document().line(line);
  const auto less = place_.beside.find(line);
  const float width = place_.right - place_.left - (less != place_.beside.end() ? less->second : 0);
  const bool one_row = static_cast<float>(text.size()) * advance_ <= width && text.find('\t') == std::string_view::npos &&
                       std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  row_count_[line] = one_row ? 1 : static_cast<uint32_t>(wrap(line).size());
}

/// Brings what is kept for each line up to date with the edits since the last frame.
void TextEditor::follow_changes() {
  for (const model::LineChange& c : buffer_.document().take_changes()) {
    const auto splice = [&](auto& all) {
      using Value = typename std::decay_t<decltype(all)>::value_type;
      const size_t first = std::min(c.first, all.size()), removed = std::min(c.removed, all.size() - first);
      const auto at = all.begin() + static_cast<std::ptrdiff_t>(first);
      if (c.inserted > removed) all.insert(at, c.inserted - removed, Value{});
      else all.erase(at, at + static_cast<std::ptrdiff_t>(removed - c.inserted));
      for (size_t i = first; i < first + c.inserted; ++i) all[i] = Value{};
    };
    splice(row_count_), splice(starts_);
  }
  if (row_count_.size() != document().lines()) forget_layout();
  if (version_ == document().version()) return;
  version_ = document().version();
  model::LineStart start;
  for (size_t n = 0; n < document().lines(); ++n) {
    if (starts_[n] != start) starts_[n] = start, row_count_[n] = 0;
    start = model::after_line(document().line(n), start);
  }
  if (cpp_) names_ = {{}, cpp_constexprs_, true};
  else names_ = model::known_names(document());
}

void TextEditor::prepare(Ui& ui) {
  const float advance = ui.code_advance(size_);
  rows_differ_ = advance != advance_;
  if (advance != advance_ || !widths_) {
    widths_.emplace(advance, [&ui, this](uint32_t code) {
      std::string text;
      append_utf8(text, code);
      return ui.width(text, size_, true);
    });
  } else {
    rows_differ_ |= widths_->refresh();
  }
  advance_ = advance;
  row_height_ = ui.px(20);
}

void TextEditor::layout(Place place) {
  rows_differ_ |= place.right - place.left != place_.right - place_.left || place.beside != place_.beside;
  place_ = std::move(place);
  if (version_ != document().version()) visible_.clear();
  follow_changes();
  if (rows_differ_) std::fill(row_count_.begin(), row_count_.end(), 0u), visible_.clear();

  const size_t lines = document().lines();
  std::vector<std::pair<size_t, float>> extra(place_.below.begin(), place_.below.end());
  const auto height = [&](size_t n, size_t& e) {
    if (row_count_[n] == 0) measure(n);
    float h = static_cast<float>(row_count_[n]) * row_height_;
    if (e < extra.size() && extra[e].first == n) h += extra[e++].second;
    return h;
  };
  content_ = 0;
  std::optional<std::pair<float, float>> wanted;
  const TextPosition cursor = buffer_.cursor();
  size_t e = 0;
  for (size_t n = 0; n < lines; ++n) {
    while (e < extra.size() && extra[e].first < n) ++e;
    const float top = content_;
    content_ += height(n, e);
    if (scroll_to_ == n) scroll_ = top;
    if (reveal_ && n >= reveal_->first && n <= reveal_->second) wanted = {wanted ? wanted->first : top, content_};
    if (follow_cursor_ && !reveal_ && n == cursor.line) {
      const float y = top + static_cast<float>(model::row_of(wrap(n), cursor.column)) * row_height_;
      wanted = {y, y + row_height_};
    }
  }
  if (wanted) {
    const float margin = std::min((follow_cursor_ ? 1 : 3) * row_height_, place_.body.h / 4);
    const float top = std::max(0.f, wanted->first - margin), bottom = wanted->second + margin;
    if (bottom > scroll_ + place_.body.h) scroll_ = bottom - place_.body.h;
    if (top < scroll_) scroll_ = top;
    if (place_.below.empty()) scroll_ = std::round(scroll_ / row_height_) * row_height_;  // whole rows at the top
  }
  reveal_.reset();
  scroll_to_.reset();
  follow_cursor_ = false;
  scroll_ = std::round(std::clamp(scroll_, 0.f, std::max(0.f, content_ - place_.body.h)));

  std::map<size_t, std::vector<WrappedRow>> before;
  std::swap(before, visible_);
  tops_.clear();
  first_ = last_ = lines;
  float y = place_.body.y - scroll_;
  e = 0;
  for (size_t n = 0; n < lines && y < place_.body.bottom(); ++n) {
    while (e < extra.size() && extra[e].first < n) ++e;
    const float h = height(n, e);
    if (y + h > place_.body.y) {
      if (first_ == lines) first_ = n;
      last_ = n + 1;
      tops_[n] = y;
      const auto known = before.find(n);
      visible_[n] = known != before.end() ? std::move(known->second) : wrap(n);
    }
    y += h;
  }
}

float TextEditor::top(size_t line) const { return tops_.at(line); }

float TextEditor::x(size_t line, size_t column) const {
  const auto& rows = visible_.at(line);
  const WrappedRow& row = rows[model::row_of(rows, column)];
  return place_.left + row.x + model::offset_in_row(document().line(line), row, column, *widths_);
}

TextPosition TextEditor::at(ImVec2 point) const {
  if (tops_.empty()) return {};
  auto line = tops_.upper_bound(0);
  for (line = tops_.begin(); std::next(line) != tops_.end() && std::next(line)->second <= point.y; ++line) {
  }
  const auto& rows = visible_.at(line->first);
  const float row = std::clamp((point.y - line->second) / row_height_, 0.f, static_cast<float>(rows.size()) - 1);
  const WrappedRow& r = rows[static_cast<size_t>(row)];
  return {line->first, model::column_at(document().line(line->first), r, point.x - place_.left - r.x, *widths_)};
}

void TextEditor::reveal(size_t first, size_t last) { reveal_ = {first, std::max(first, last)}; }

bool TextEditor::input(Ui& ui, double time) {
  const uint64_t version = document().version();
  const Hit h = ui.hit(name_ + ".text", place_.body);
  hovered_name_.clear();
  double_clicked_.reset();
  if (h.hovered && h.mouse.x >= place_.left && h.mouse.x < place_.right) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
    const TextPosition p = at(h.mouse);
    // at() goes to the nearest edge; a name is hovered when the mouse is on one of its characters.
    const std::string_view line = document().line(p.line);
    const bool left_half = p.column > 0 && visible_.contains(p.line) && x(p.line, p.column) > h.mouse.x;
    const size_t column = left_half ? model::previous_character(line, p.column) : p.column;
    if (std::fabs(x(p.line, column) - h.mouse.x) <= 2 * advance_) hovered_name_ = model::name_at(line, starts_[p.line], column);
  }
  const bool had_keyboard = focused(ui);
  if (h.clicked) {
    const TextPosition p = at(h.mouse);
    clicks_ = time - last_click_ < 0.4 || h.double_clicked ? clicks_ + 1 : 1;
    if (!h.double_clicked && clicks_ == 2) clicks_ = 1;
    if (clicks_ == 1) had_keyboard_ = had_keyboard;
    last_click_ = time;
    ui.keyboard_focus = name_;
    if (clicks_ >= 3) buffer_.select_line(p.line);
    else if (clicks_ == 2) buffer_.select_word(p);
    else buffer_.place(p, shift_down());
    if (clicks_ == 2 && !had_keyboard_) double_clicked_ = p.line;
    wanted_x_ = -1;
    blink_from_ = time;
  } else if (h.held && clicks_ == 1 && (h.drag.x != 0 || h.drag.y != 0)) {
    buffer_.place(at(h.mouse), true);
    if (h.mouse.y < place_.body.y || h.mouse.y > place_.body.bottom()) follow_cursor_ = true;
  } else if (ImGui::IsMouseClicked(0) && !place_.body.contains(ImGui::GetIO().MousePos)) {
    give_up_keyboard(ui);
  }
  if (place_.body.contains(ImGui::GetIO().MousePos)) scroll_ -= ImGui::GetIO().MouseWheel * 3 * row_height_;
  if (had_keyboard && focused(ui)) {
    const model::Selection before = buffer_.selection();
    keys(ui);
    if (document().version() != version || !(buffer_.selection() == before)) blink_from_ = time, follow_cursor_ = true;
  }
  return document().version() != version;
}

/// Up, Down, Page Up, Page Down: by rows as they are wrapped.
void TextEditor::vertical(int rows, bool select) {
  TextPosition p = buffer_.cursor();
  std::vector<WrappedRow> here = wrap(p.line);
  size_t row = model::row_of(here, p.column);
  if (wanted_x_ < 0) wanted_x_ = here[row].x + model::offset_in_row(document().line(p.line), here[row], p.column, *widths_);
  for (; rows != 0; rows += rows < 0 ? 1 : -1) {
    if (rows < 0 && row > 0) --row;
    else if (rows > 0 && row + 1 < here.size()) ++row;
    else if (rows < 0 && p.line > 0) here = wrap(--p.line), row = here.size() - 1;
    else if (rows > 0 && p.line + 1 < document().lines()) here = wrap(++p.line), row = 0;
    else break;
  }
  const bool stuck = rows != 0;  // at the text's first or last row: to its very end
  p.column = model::column_at(document().line(p.line), here[row], wanted_x_ - here[row].x, *widths_);
  if (stuck) p = rows < 0 ? TextPosition{} : document().end();
  buffer_.place(p, select);
}

void TextEditor::keys(Ui& ui) {
  const bool ctrl = ctrl_down(), shift = shift_down();
  const auto key = [](const char* name) { return key_pressed(key_by_name(name), true); };
  const int page = std::max(1, static_cast<int>(place_.body.h / row_height_) - 2);
  struct Moving { const char* key; CursorMove plain, with_ctrl; };
  static constexpr Moving kMoves[] = {{"Left", CursorMove::Left, CursorMove::WordLeft},
                                      {"Right", CursorMove::Right, CursorMove::WordRight},
                                      {"Home", CursorMove::LineStart, CursorMove::TextStart},
                                      {"End", CursorMove::LineEnd, CursorMove::TextEnd}};
  for (const Moving& m : kMoves)
    if (key(m.key)) buffer_.move(ctrl ? m.with_ctrl : m.plain, shift), wanted_x_ = -1;
  if (key("Up")) vertical(-1, shift);
  if (key("Down")) vertical(1, shift);
  if (key("PageUp")) vertical(-page, shift);
  if (key("PageDown")) vertical(page, shift);

  if (key("Escape")) give_up_keyboard(ui);
  if (ctrl && !alt_down()) {
    if (key("A")) buffer_.select_all();
    if (key("C")) ImGui::SetClipboardText(buffer_.copy().c_str());
  }
  if (read_only()) return;

  const uint64_t before = document().version();
  const std::string typed = typed_text();
  if (!typed.empty() && (!ctrl || alt_down())) buffer_.type(typed);
  if (key("Enter")) buffer_.enter();
  if (key("Backspace")) ctrl ? buffer_.erase_word_left() : buffer_.backspace();
  if (key("Delete")) ctrl ? buffer_.erase_word_right() : buffer_.erase();
  if (key("Tab") && !ctrl) shift ? buffer_.unindent() : buffer_.indent();
  if (ctrl && !alt_down()) {
    if (key("X")) ImGui::SetClipboardText(buffer_.cut().c_str());
    if (key("V"))
      if (const char* text = ImGui::GetClipboardText()) buffer_.paste(text);
    if (key("Z")) shift ? buffer_.redo() : buffer_.undo();
    if (key("Y")) buffer_.redo();
  }
  if (document().version() != before) wanted_x_ = -1;
}

}  // namespace tilescope::window
