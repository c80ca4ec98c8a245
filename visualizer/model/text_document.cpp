#include "visualizer/model/text_document.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tilescope::model {
namespace {

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  size_t at = 0;
  while (true) {
    const size_t end = text.find('\n', at);
    if (end == std::string_view::npos) break;
    lines.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  lines.emplace_back(text.substr(at));
  return lines;
}

/// Where text that starts at `at` ends.
TextPosition end_of(TextPosition at, std::string_view text) {
  const size_t breaks = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  if (breaks == 0) return {at.line, at.column + text.size()};
  return {at.line + breaks, text.size() - text.rfind('\n') - 1};
}

}  // namespace

size_t TextDocument::Step::bytes() const {
  size_t sum = 0;
  for (const Edit& e : edits) sum += sizeof(Edit) + e.removed.size() + e.inserted.size();
  return sum;
}

TextDocument::TextDocument(std::string_view text) : lines_(split_lines(text)), bytes_(text.size()) {
  crlf_ = lines_.size() > 1 && !lines_[0].empty() && lines_[0].back() == '\r';
}

std::string_view TextDocument::line(size_t number) const {
  if (number >= lines_.size()) return {};
  std::string_view text = lines_[number];
  if (number + 1 < lines_.size() && !text.empty() && text.back() == '\r') text.remove_suffix(1);
  return text;
}

std::string TextDocument::text() const {
  std::string out;
  out.reserve(bytes_);
  for (size_t i = 0; i < lines_.size(); ++i) {
    if (i > 0) out += '\n';
    out += lines_[i];
  }
  return out;
}

TextPosition TextDocument::clamp(TextPosition p) const {
  if (p.line >= lines_.size()) return end();
  return {p.line, std::min(p.column, line(p.line).size())};
}

std::string TextDocument::slice(TextPosition begin, TextPosition end) const {
  begin = clamp(begin), end = clamp(end);
  return begin < end ? slice_raw(begin, end) : std::string();
}

std::string TextDocument::slice_raw(TextPosition begin, TextPosition end) const {
  if (begin.line == end.line) return lines_[begin.line].substr(begin.column, end.column - begin.column);
  std::string out = lines_[begin.line].substr(begin.column);
  for (size_t i = begin.line + 1; i < end.line; ++i) out += '\n', out += lines_[i];
  out += '\n';
  out.append(lines_[end.line], 0, end.column);
  return out;
}

size_t TextDocument::offset_of(TextPosition p) const {
  p = clamp(p);
  size_t offset = p.column;
  for (size_t i = 0; i < p.line; ++i) offset += lines_[i].size() + 1;
  return offset;
}

TextPosition TextDocument::position_of(size_t offset) const {
  size_t line = 0;
  while (line + 1 < lines_.size() && offset > lines_[line].size()) offset -= lines_[line].size() + 1, ++line;
  return clamp({line, offset});
}

TextPosition TextDocument::replace_raw(TextPosition begin, TextPosition end, std::string_view with) {
  std::vector<std::string> pieces = split_lines(with);
  const size_t removed = end.line - begin.line + 1, inserted = pieces.size();
  changes_.push_back({begin.line, removed, inserted});
  ++version_;
  const std::string tail = lines_[end.line].substr(end.column);
  const TextPosition after = end_of(begin, with);
  pieces.front().insert(0, lines_[begin.line], 0, begin.column);
  pieces.back() += tail;
  const size_t common = std::min(removed, inserted);
  const auto at = lines_.begin() + static_cast<std::ptrdiff_t>(begin.line);
  std::move(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(common), at);
  if (removed > common) {
    lines_.erase(at + static_cast<std::ptrdiff_t>(common), at + static_cast<std::ptrdiff_t>(removed));
  } else if (inserted > common) {
    lines_.insert(at + static_cast<std::ptrdiff_t>(common), std::make_move_iterator(pieces.begin() + static_cast<std::ptrdiff_t>(common)),
                  std::make_move_iterator(pieces.end()));
  }
  return after;
}

TextPosition TextDocument::replace(TextPosition begin, TextPosition end, std::string_view with, const Selection& before, Join join) {
  begin = clamp(begin), end = clamp(end);
  if (end < begin) std::swap(begin, end);
  if (begin == end && with.empty()) return begin;
  Edit edit{begin, slice_raw(begin, end), std::string(with)};
  bytes_ += with.size() - edit.removed.size();
  const TextPosition raw = replace_raw(begin, end, with);
  const TextPosition after = clamp(raw);
  remember(std::move(edit), before, after, join);
  return after;
}

bool TextDocument::join_to_last(const Edit& edit, Join join) {
  if (!joinable_ || join == Join::Never || join != last_join_ || done_ == 0) return false;
  Step& last = steps_[done_ - 1];
  if (last.edits.empty()) return false;
  Edit& e = last.edits.back();
  if (join == Join::Typing && edit.removed.empty() && end_of(e.at, e.inserted) == edit.at) {
    e.inserted += edit.inserted;
    return true;
  }
  if (join == Join::Erasing && edit.inserted.empty() && e.inserted.empty()) {
    if (edit.at == e.at) {  // forward
      e.removed += edit.removed;
      return true;
    }
    if (end_of(edit.at, edit.removed) == e.at) {  // backward
      e.removed.insert(0, edit.removed);
      e.at = edit.at;
      return true;
    }
  }
  return false;
}

void TextDocument::remember(Edit edit, const Selection& before, TextPosition after, Join join) {
  while (steps_.size() > done_) {
    undo_bytes_ -= steps_.back().bytes();
    steps_.pop_back();
  }
  const size_t size = edit.removed.size() + edit.inserted.size();
  if (join_to_last(edit, join)) {
    undo_bytes_ += size;
  } else if (group_depth_ > 0 && group_has_step_) {
    undo_bytes_ += sizeof(Edit) + size;
    steps_.back().edits.push_back(std::move(edit));
  } else {
    undo_bytes_ += sizeof(Edit) + size;
    Step step;
    step.edits.push_back(std::move(edit));
    step.before = group_depth_ > 0 ? group_before_ : before;
    steps_.push_back(std::move(step));
    ++done_;
    group_has_step_ = group_depth_ > 0;
  }
  steps_.back().after = {after, after};
  last_join_ = join;
  joinable_ = group_depth_ == 0;
  limit_undo();
}

void TextDocument::limit_undo() {
  while (undo_bytes_ > kUndoBytes && steps_.size() > 1 && group_depth_ == 0) {
    undo_bytes_ -= steps_.front().bytes();
    steps_.pop_front();
    --done_;
  }
}

void TextDocument::begin_group(const Selection& before) {
  if (group_depth_++ > 0) return;
  group_has_step_ = false;
  group_before_ = before;
  joinable_ = false;
}

void TextDocument::end_group(const Selection& after) {
  if (group_depth_ == 0 || --group_depth_ > 0) return;
  if (group_has_step_) steps_.back().after = after;
  group_has_step_ = false;
  joinable_ = false;
  limit_undo();
}

Selection TextDocument::undo() {
  const Step& step = steps_[--done_];
  for (auto e = step.edits.rbegin(); e != step.edits.rend(); ++e) {
    replace_raw(e->at, end_of(e->at, e->inserted), e->removed);
    bytes_ += e->removed.size() - e->inserted.size();
  }
  joinable_ = false;
  return step.before;
}

Selection TextDocument::redo() {
  const Step& step = steps_[done_++];
  for (const Edit& e : step.edits) {
    replace_raw(e.at, end_of(e.at, e.removed), e.inserted);
    bytes_ += e.inserted.size() - e.removed.size();
  }
  joinable_ = false;
  return step.after;
}

std::vector<LineChange> TextDocument::take_changes() { return std::exchange(changes_, {}); }

}  // namespace tilescope::model
