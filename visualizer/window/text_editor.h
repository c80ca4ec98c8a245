// A small editor for kernel text: rows wrapped to the width, colours, cursor, selection, mouse and keys. Who draws it adds
// what stands beside and under the lines.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "visualizer/model/edit_buffer.h"
#include "visualizer/model/highlight.h"
#include "visualizer/model/text_wrap.h"
#include "visualizer/window/ui.h"

namespace tilescope::window {

class TextEditor {
 public:
  explicit TextEditor(std::string_view text = {}, std::string name = "text") : name_(std::move(name)), buffer_(text) { forget_layout(); }

  /// A text that is C++ is shown and searched, not edited here.
  void set_cpp(bool cpp, std::set<std::string, std::less<>> constexprs = {}) {
    cpp_ = cpp;
    cpp_constexprs_ = std::move(constexprs);
  }
  bool read_only() const { return cpp_; }

  model::EditBuffer& buffer() { return buffer_; }
  const model::TextDocument& document() const { return buffer_.document(); }

  /// Where the text is drawn in this frame.
  struct Place {
    Rect body;                 ///< everything that scrolls, the columns beside the text included
    float left = 0, right = 0; ///< of the text
    std::map<size_t, float> below;  ///< pixels to leave free under lines (from 0)
    std::map<size_t, float> beside; ///< pixels to leave free at the right end of the first row of lines
  };
  /// First of all in a frame: sizes that others lay their things out with.
  void prepare(Ui& ui);
  /// Brings the rows up to date with the text and the width.
  void layout(Place place);
  /// The mouse in the text, and keys while the editor has the keyboard. True when the text changed.
  bool input(Ui& ui, double time);
  /// The next frames begin with these lines in view, as few rows away as possible.
  void reveal(size_t first, size_t last);
  void scroll_to(size_t line) { scroll_to_ = line; }  ///< the line becomes the first in view
  /// The rows below are those of the text: no key has changed it since layout().
  bool laid_out() const { return version_ == document().version(); }

  bool focused(const Ui& ui) const { return ui.keyboard_focus == name_; }
  void give_up_keyboard(Ui& ui) const { if (focused(ui)) ui.keyboard_focus.clear(); }

  float row_height() const { return row_height_; }
  float left() const { return place_.left; }
  const model::CharWidths& widths() const { return *widths_; }
  /// Lines in view: [first, last).
  size_t first_visible() const { return first_; }
  size_t last_visible() const { return last_; }
  float top(size_t line) const;     ///< y on the screen; of visible lines
  const std::vector<model::WrappedRow>& rows(size_t line) const { return visible_.at(line); }
  float x(size_t line, size_t column) const;
  /// The place in the text nearest to a point.
  model::TextPosition at(ImVec2 point) const;
  const model::KnownNames& names() const { return names_; }
  model::LineStart line_start(size_t line) const { return starts_[line]; }
  std::string_view hovered_name() const { return hovered_name_; }  ///< the plain name under the mouse
  std::optional<size_t> double_clicked() const { return double_clicked_; }  ///< line, when it happened without the keyboard

  /// One line's text in its colours. `strong`: on the ground of the current line, where faint colours are too weak.
  void draw_line(Ui& ui, size_t line, float alpha, bool strong);
  void draw_selection(Ui& ui, size_t line);
  void draw_cursor(Ui& ui, double time);
  void draw_scrollbar(Ui& ui);

 private:
  void forget_layout();
  void follow_changes();
  std::vector<model::WrappedRow> wrap(size_t line) const;
  void measure(size_t line);
  void keys(Ui& ui);
  void vertical(int rows, bool select);
  void scroll_to_cursor();
  void draw_piece(Ui& ui, std::string_view line, uint32_t begin, uint32_t end, float& x, float y, ImU32 colour);

  std::string name_;
  model::EditBuffer buffer_;
  Place place_;
  float row_height_ = 20, advance_ = 0;
  bool rows_differ_ = false;  ///< the font changed since the last layout
  std::optional<model::CharWidths> widths_;
  TextSize size_ = TextSize::Caption;

  // ---- for each line of the text
  std::vector<uint32_t> row_count_;
  std::vector<model::LineStart> starts_;
  uint64_t version_ = ~uint64_t{0};
  model::KnownNames names_;
  bool cpp_ = false;
  std::set<std::string, std::less<>> cpp_constexprs_;

  // ---- of this frame
  std::map<size_t, std::vector<model::WrappedRow>> visible_;
  std::map<size_t, float> tops_;
  size_t first_ = 0, last_ = 0;
  float content_ = 0, scroll_ = 0;
  std::string hovered_name_;
  std::optional<size_t> double_clicked_;

  std::optional<std::pair<size_t, size_t>> reveal_;
  std::optional<size_t> scroll_to_;
  bool follow_cursor_ = false;
  float wanted_x_ = -1;      ///< column that Up and Down aim for; negative: the cursor's own
  double blink_from_ = 0;
  double last_click_ = -1;
  int clicks_ = 0;
  bool had_keyboard_ = false;
};

}  // namespace tilescope::window
