// The bytes of a text that is being edited, line by line, with undo. Knows nothing of cursors, keys or screens.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope::model {

/// A place between two bytes. Lines count from 0, columns count bytes of the line.
struct TextPosition {
  size_t line = 0, column = 0;
  friend auto operator<=>(const TextPosition&, const TextPosition&) = default;
};

/// An edit as seen by whoever keeps something for each line: lines [first, first + removed) became
/// [first, first + inserted). The first and the last of them may be old lines with some text changed.
struct LineChange {
  size_t first = 0, removed = 0, inserted = 0;
  friend bool operator==(const LineChange&, const LineChange&) = default;
};

/// Where line `line` is after the change. A line whose text changed stays among the lines that replaced it.
inline size_t line_after(const LineChange& c, size_t line) {
  if (line < c.first) return line;
  if (line >= c.first + c.removed) return line + c.inserted - c.removed;
  return c.first + (line - c.first < c.inserted ? line - c.first : c.inserted - 1);
}

/// Anchor and cursor; equal when nothing is selected.
struct Selection {
  TextPosition anchor, cursor;
  bool empty() const { return anchor == cursor; }
  TextPosition begin() const { return anchor < cursor ? anchor : cursor; }
  TextPosition end() const { return anchor < cursor ? cursor : anchor; }
  friend bool operator==(const Selection&, const Selection&) = default;
};

/// Lines end with LF. A CR before the LF belongs to the line end: it is kept, but no position lies behind it. Every other
/// byte is text, whether it is UTF-8 or not.
class TextDocument {
 public:
  explicit TextDocument(std::string_view text = {});

  size_t lines() const { return lines_.size(); }  ///< at least 1; the last one has no line end
  std::string_view line(size_t number) const;     ///< without its line end; empty when there is no such line
  std::string text() const;
  size_t bytes() const { return bytes_; }
  TextPosition end() const { return {lines_.size() - 1, line(lines_.size() - 1).size()}; }
  /// What Enter inserts: the line end that the first line has.
  std::string_view line_end() const { return crlf_ ? "\r\n" : "\n"; }
  /// The nearest position that exists.
  TextPosition clamp(TextPosition p) const;
  std::string slice(TextPosition begin, TextPosition end) const;
  size_t offset_of(TextPosition p) const;  ///< bytes of the text before p
  TextPosition position_of(size_t offset) const;

  /// How an edit joins the one before it to one step of undo.
  enum class Join : uint8_t { Never, Typing, Erasing };
  /// Replaces [begin, end) and returns the end of the new text. `before` and the returned position (as an empty selection)
  /// are what undo and redo give back.
  TextPosition replace(TextPosition begin, TextPosition end, std::string_view with, const Selection& before, Join join = Join::Never);
  /// Between these, edits form one step of undo. They nest.
  void begin_group(const Selection& before);
  void end_group(const Selection& after);
  /// The next edit starts a step of undo of its own.
  void break_join() { joinable_ = false; }

  bool can_undo() const { return done_ > 0; }
  bool can_redo() const { return done_ < steps_.size(); }
  Selection undo();  ///< the selection before the step; only when can_undo()
  Selection redo();

  /// Grows with every change of the text.
  uint64_t version() const { return version_; }
  /// Changes since the last call, in order.
  std::vector<LineChange> take_changes();
  const std::vector<LineChange>& changes() const { return changes_; }  ///< not taken yet

  /// Undo forgets its oldest steps beyond this many bytes of text.
  static constexpr size_t kUndoBytes = size_t{64} << 20;

 private:
  struct Edit {
    TextPosition at;  ///< in raw columns: the CR of a line end counts
    std::string removed, inserted;
  };
  struct Step {
    std::vector<Edit> edits;
    Selection before, after;
    size_t bytes() const;
  };
  TextPosition replace_raw(TextPosition begin, TextPosition end, std::string_view with);
  std::string slice_raw(TextPosition begin, TextPosition end) const;
  bool join_to_last(const Edit& edit, Join join);
  void remember(Edit edit, const Selection& before, TextPosition after, Join join);
  void limit_undo();

  std::vector<std::string> lines_;  ///< each with its CR, without its LF
  bool crlf_ = false;
  size_t bytes_ = 0;
  uint64_t version_ = 0;
  std::deque<Step> steps_;
  size_t done_ = 0;  ///< steps_[0, done_) are done, the others undone
  size_t undo_bytes_ = 0;
  int group_depth_ = 0;
  bool group_has_step_ = false;
  Selection group_before_;
  bool joinable_ = false;
  Join last_join_ = Join::Never;
  std::vector<LineChange> changes_;
};

}  // namespace tilescope::model
