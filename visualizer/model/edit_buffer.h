// What an editor's keys do to a text: cursor, selection, indentation as Python wants it, clipboard, undo. No screen: how
// lines wrap and where the mouse points is the window's business.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "visualizer/model/text_document.h"

namespace tilescope::model {

/// Moves that need no screen.
enum class CursorMove : uint8_t { Left, Right, WordLeft, WordRight, LineStart, LineEnd, TextStart, TextEnd };

inline constexpr size_t kIndent = 4;

/// Start of the character after the one at `column`; a combining mark belongs to the character before it. At least one
/// byte further, and never behind the line's end.
size_t next_character(std::string_view line, size_t column);
size_t previous_character(std::string_view line, size_t column);
/// The word (letters, digits, _) around `column`, or the run of other characters of one kind.
std::pair<size_t, size_t> word_around(std::string_view line, size_t column);

class EditBuffer {
 public:
  explicit EditBuffer(std::string_view text = {}) : document_(text) {}

  const TextDocument& document() const { return document_; }
  TextDocument& document() { return document_; }
  const Selection& selection() const { return selection_; }
  TextPosition cursor() const { return selection_.cursor; }

  // ---- moving
  void move(CursorMove move, bool select);
  void place(TextPosition p, bool select);
  void select_word(TextPosition p);
  void select_line(size_t line);
  void select_all();

  // ---- editing; a selection is replaced
  void type(std::string_view text);   ///< typed characters: neighbours join to one step of undo
  void paste(std::string_view text);  ///< its line ends become the document's
  void enter();                       ///< a new line, indented as the code asks for
  void backspace();                   ///< in the indentation: back to the previous stop
  void erase();
  void erase_word_left();
  void erase_word_right();
  void indent();    ///< Tab: the selected lines, or blanks up to the next stop
  void unindent();  ///< Shift+Tab
  std::string copy() const;  ///< the selection, or the cursor's line when nothing is selected
  std::string cut();
  /// Makes the text equal to `text` by one undoable edit of what differs.
  void replace_all(std::string_view text);
  bool undo();
  bool redo();

 private:
  void replace_selection(std::string_view with, TextDocument::Join join);
  std::string new_line_indent() const;
  void shift_lines(bool right);

  TextDocument document_;
  Selection selection_;
};

}  // namespace tilescope::model
