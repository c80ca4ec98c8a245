// The kernel's text with what happens on each line: the step, values, lanes, counts, errors. It is edited in place.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "visualizer/model/messages.h"
#include "visualizer/window/input.h"
#include "visualizer/window/lesson_guide.h"
#include "visualizer/window/panels/source_counters.h"
#include "visualizer/window/panels/source_messages.h"
#include "visualizer/window/panels/source_text.h"
#include "visualizer/window/panels/variables.h"

namespace tilescope::window {
namespace {

using model::LineFacts;
using model::SourceView;

template <class... Args>
std::string words(Ui& ui, Text id, Args&&... args) {
  return fmt::format(fmt::runtime(ui.t(id)), args...);
}

class SourcePanel {
 public:
  void draw(PanelContext& c, Rect header, Rect body);
  void show_line(int line) { wanted_line_ = line; }
  void send_if_hidden(PanelContext& c);

 private:
  SourceColumns columns(Ui& ui, const Rect& body, const SourceView& view);
  void draw_header(PanelContext& c, Rect header, const SourceColumns& columns);
  void draw_variables_below(PanelContext& c, Rect& body);
  void draw_line(PanelContext& c, size_t line, const SourceView& view, const SourceColumns& columns, const Rect& body, bool dim);
  void draw_number(PanelContext& c, size_t line, bool current, const SourceColumns& columns, const Rect& body);
  static constexpr float kChipGap = 6;
  /// Negative when there is none.
  static float chips_width(Ui& ui, const LineFacts& facts);
  void draw_chips(PanelContext& c, size_t line, const LineFacts& facts, const SourceColumns& columns, float alpha);
  float draw_chip(PanelContext& c, size_t line, const LineFacts& facts, const model::LineValue& v, ImVec2 at, float room, float alpha);
  void draw_marks(Ui& ui, size_t line);
  void underline(Ui& ui, size_t line, int column, int end_column, ImU32 colour);
  void underline_op(PanelContext& c, size_t line);
  void outline_name(PanelContext& c, size_t line);
  void hover_names(PanelContext& c);
  void draw_error_out_of_view(PanelContext& c, const Rect& body);
  void keep_in_view(PanelContext& c, const SourceView& view);
  void keep_error_in_view(PanelContext& c);
  int line_then(size_t line) const { return text_.run_lines().then(static_cast<int>(line) + 1); }

  SourceText text_;
  model::SourceFacts facts_;
  SourceMessages messages_;
  uint64_t shown_step_ = ~uint64_t{0}, shown_version_ = 0;
  ProgramIndex shown_program_{-1, 0, 0};
  bool first_view_ = true;
  bool drawn_ = false;   ///< in this frame
  int wanted_line_ = 0;  ///< of the session's text, to be shown
  const void* owner_ = nullptr;
};

SourceColumns SourcePanel::columns(Ui& ui, const Rect& body, const SourceView& view) {
  const float advance = ui.code_advance(TextSize::Caption);
  const size_t digits = std::max<size_t>(2, std::to_string(text_.editor().document().lines()).size());
  uint64_t most = 1;
  for (const auto& [line, f] : view.lines) most = std::max(most, f.times);
  SourceColumns out;
  out.bar_left = body.x;
  out.number_right = body.x + ui.px(24) + static_cast<float>(digits) * advance;
  out.text_left = out.number_right + ui.px(12);
  out.times_right = body.right() - ui.px(16);
  const float times = std::max(ui.width(ui.t(Text::SourceTimes), TextSize::Caption), ui.width("×" + grouped(most), TextSize::Caption, true));
  out.times_left = out.times_right - times;
  out.lanes_width = ui.px(28);
  out.lanes_left = out.times_left - ui.px(8) - out.lanes_width;
  out.text_right = out.times_left - ui.px(8);
  return out;
}

void SourcePanel::draw_header(PanelContext& c, Rect header, const SourceColumns& columns) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const std::string_view times = ui.t(Text::SourceTimes), lanes = ui.t(Text::SourceLanesOn);
  const float times_left = columns.times_right - ui.width(times, TextSize::Caption);
  const float lanes_left = times_left - ui.px(14) - ui.width(lanes, TextSize::Caption);
  ui.text_in({times_left, header.y, columns.times_right - times_left + 1, header.h}, times, TextSize::Caption, t.text3);
  ui.text_in({lanes_left, header.y, times_left - lanes_left, header.h}, lanes, TextSize::Caption, t.text3);
  std::string left;
  ImU32 ink = t.text3;
  if (text_.editor().read_only()) {
    left = ui.t(Text::SourceCpp);
    if (c.scene.ready) left += " · " + words(ui, Text::SourceProgram, model::program_text(c.scene.program, c.scene.run.launch->grid));
  } else if (text_.editor().focused(ui)) {
    left = ui.t(Text::SourceEditing);
    ink = t.selected_text;
  } else if (c.scene.ready) {
    left = words(ui, Text::SourceProgram, model::program_text(c.scene.program, c.scene.run.launch->grid));
  }
  if (c.file != nullptr && !text_.editor().read_only() && text_.unsaved(c)) left += (left.empty() ? "" : " · ") + std::string(ui.t(Text::SourceUnsaved));
  if (c.scene.run.stale && !c.scene.run.errors.empty()) {
    left = ui.t(Text::FromBeforeEdit);
    ink = t.fault_text;
  }
  ui.text_in({header.x, header.y, std::max(0.f, lanes_left - header.x - ui.px(8)), header.h}, left, TextSize::Caption, ink);
}

/// The current statement stays in view while the step changes, but nobody's scrolling is undone in between.
void SourcePanel::keep_in_view(PanelContext& c, const SourceView& view) {
  const bool moved = c.scene.step != shown_step_ || c.scene.program != shown_program_;
  if (!c.scene.ready || (!moved && !first_view_)) return;
  TextEditor& editor = text_.editor();
  if (first_view_) {  // from the kernel's head on, if it fits
    const std::string head = "def " + c.scene.function->name;
    for (size_t n = 0; n < editor.document().lines(); ++n) {
      const std::string_view line = editor.document().line(n);
      if (line.find(head) == std::string_view::npos) continue;
      size_t first = n;
      while (first > 0 && !editor.document().line(first - 1).empty() && editor.document().line(first - 1)[0] == '@') --first;
      editor.scroll_to(first);
      break;
    }
  }
  first_view_ = false;
  shown_step_ = c.scene.step;
  shown_program_ = c.scene.program;
  const LineFacts* facts = view.at(c.scene.line);
  if (const int helper = text_.run_lines().now(c.scene.helper_line); c.scene.helper_line > 0 && helper > 0)
    return editor.reveal(static_cast<size_t>(helper - 1), static_cast<size_t>(helper - 1));
  const int first = text_.run_lines().now(facts != nullptr ? facts->line : c.scene.line);
  const int last = text_.run_lines().now(facts != nullptr ? facts->end_line : c.scene.line);
  if (first > 0 && last >= first) editor.reveal(static_cast<size_t>(first - 1), static_cast<size_t>(last - 1));
}

/// A new message about what somebody is typing comes into view with the line.
void SourcePanel::keep_error_in_view(PanelContext& c) {
  if (c.scene.run.version == shown_version_) return;
  shown_version_ = c.scene.run.version;
  TextEditor& editor = text_.editor();
  const size_t cursor = editor.buffer().cursor().line;
  if (editor.focused(c.ui) && !c.scene.run.errors.empty() && messages_.under.contains(cursor)) editor.reveal(cursor, cursor);
}

/// The list of variables under the text, as high as it needs to be and the text allows, or as somebody dragged it.
void SourcePanel::draw_variables_below(PanelContext& c, Rect& body) {
  Ui& ui = c.ui;
  constexpr const char* kSplit = "source.variables";
  const float folded = ui.px(40), whole = body.h;
  float h = whole < ui.px(600) ? folded : std::min(variables_height(c), std::max(folded, whole * 0.4f));
  if (const auto dragged = c.state.splits.find(kSplit); dragged != c.state.splits.end())
    h = std::clamp(dragged->second * whole, folded, std::max(folded, whole - ui.px(120)));
  const Rect list = body.take_bottom(std::round(h));
  const Hit hit = ui.hit("source.splitter", {list.x, list.y - ui.px(4), list.w, ui.px(8)});
  if (hit.hovered || hit.held) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  ui.line({list.x, list.y}, {list.right(), list.y}, hit.hovered || hit.held ? ui.theme().selected : ui.theme().line, ui.px(hit.hovered || hit.held ? 2 : 1));
  if (hit.double_clicked) c.state.splits.erase(kSplit);
  else if (hit.held && hit.drag.y != 0 && whole > 0) c.state.splits[kSplit] = std::clamp((list.h - hit.drag.y) / whole, 0.f, 1.f);
  ui.clip(list);
  draw_variables(c, list);
  ui.unclip();
}

void SourcePanel::draw(PanelContext& c, Rect header, Rect body) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  if (owner_ != &c.control) {
    *this = SourcePanel();
    owner_ = &c.control;
  }
  drawn_ = true;
  if (!text_.follow(c)) {
    ui.text({body.x + body.w / 2, body.y + body.h / 3}, ui.t(Text::SourceOpen), TextSize::Body, t.text1, false, Align::Centre);
    ui.text({body.x + body.w / 2, body.y + body.h / 3 + ui.px(28)}, ui.t(Text::SourceOpenHow), TextSize::Code, t.text2, true, Align::Centre);
    return;
  }
  const SourceView& view = c.scene.derived<SourceView>([&](const model::Scene& scene) { return facts_.view(scene); });
  TextEditor& editor = text_.editor();
  editor.prepare(ui);
  const SourceColumns col = columns(ui, body, view);
  draw_header(c, header, col);
  messages_ = source_messages(c, text_, view, col.times_right - col.text_left);

  draw_variables_below(c, body);
  float above = body.y;
  for (size_t i = 0; i < messages_.above.size() && above < body.y + body.h / 2; ++i)
    above += draw_message(c, "source.message." + std::to_string(i), messages_.above[i], {body.x, above, body.w, 0}, col.text_left);
  body.take_top(above - body.y);
  body.take_top(ui.px(6));

  ui.clip(body);
  keep_in_view(c, view);
  if (const int line = text_.message_lines().nearest(std::exchange(wanted_line_, 0)); line > 0)
    editor.reveal(static_cast<size_t>(line - 1), static_cast<size_t>(line - 1));
  keep_error_in_view(c);
  TextEditor::Place place{body, col.text_left, col.text_right, {}, {}};
  for (const auto& [line, blocks] : messages_.under) place.below[line] = messages_.height(line);
  for (const auto& [line, f] : view.lines)
    if (const int now = text_.run_lines().now(line); now > 0 && f.times_in_all > 0 && touches_memory(f))
      place.beside[static_cast<size_t>(now - 1)] = col.text_right - col.lanes_left + ui.px(6);
  // What was printed is always seen: the text makes room for it.
  for (const auto& [line, f] : view.lines) {
    const bool prints = std::any_of(f.values.begin(), f.values.end(), [](const model::LineValue& v) { return v.printed; });
    const int now = text_.run_lines().now(f.end_line);
    if (!prints || now <= 0) continue;
    float& beside = place.beside[static_cast<size_t>(now - 1)];
    beside = std::max(beside, std::min(chips_width(ui, f) + ui.px(20), (col.text_right - col.text_left) * 0.4f));
  }
  editor.layout(std::move(place));
  if (editor.input(ui, c.time)) text_.changed(c);
  if (ctrl_down() && !alt_down() && key_pressed(key_by_name("S"))) {
    text_.send(c);
    c.save_text = editor.focused(ui);  // else the key is the window's own
  }
  if (editor.double_clicked()) {
    if (const int then = line_then(*editor.double_clicked()); then > 0) c.control.go_to_line(then);
  }
  // Keys may have changed the text: what is drawn below belongs to the layout above, so it waits for the next frame.
  if (editor.laid_out()) {
    const bool dim = c.scene.run.stale && !c.scene.run.errors.empty();
    for (size_t n = editor.first_visible(); n < editor.last_visible(); ++n) draw_line(c, n, view, col, body, dim);
    editor.draw_cursor(ui, c.motion ? c.time : 0);
    hover_names(c);
  }
  editor.draw_scrollbar(ui);
  draw_error_out_of_view(c, body);
  ui.unclip();
  if (editor.focused(ui)) ui.outline(body, t.selected, ui.px(2));
  text_.send_when_due(c);
}

/// What was typed before another tab came to the front.
void SourcePanel::send_if_hidden(PanelContext& c) {
  if (!std::exchange(drawn_, false) && owner_ == &c.control && text_.has_text()) {
    text_.editor().give_up_keyboard(c.ui);
    text_.send(c);
  }
}

void SourcePanel::draw_line(PanelContext& c, size_t line, const SourceView& view, const SourceColumns& col, const Rect& body, bool dim) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  TextEditor& editor = text_.editor();
  const float top = editor.top(line), height = static_cast<float>(editor.rows(line).size()) * editor.row_height();
  const Rect row{body.x, top, body.w, height};
  ui.place("source.line." + std::to_string(line + 1), {col.text_left, top, col.text_right - col.text_left, height});
  const int then = line_then(line);
  const LineFacts* facts = then > 0 ? view.at(then) : nullptr;
  const bool current = facts != nullptr && facts->current;
  const float alpha = dim ? 0.5f : 1;
  const auto under = messages_.under.find(line);
  const auto marks = messages_.marks.find(line);
  if (marks != messages_.marks.end()) ui.fill(row, mix(t.panel, t.fault, 0.12f));
  if (current) {
    ui.fill(row, with_alpha(t.current_line, alpha));
    ui.fill({row.x, row.y, ui.px(4), row.h}, with_alpha(mark_of(t, facts->kind), alpha));
  } else if (then > 0 && then == c.scene.helper_line) {
    ui.fill(row, with_alpha(t.current_line, alpha * 0.6f));
    ui.fill({row.x, row.y, ui.px(4), row.h}, with_alpha(t.text3, alpha));
  }
  editor.draw_selection(ui, line);
  draw_number(c, line, current && !dim, col, body);
  editor.draw_line(ui, line, 1, current);
  if (marks != messages_.marks.end()) draw_marks(ui, line);
  underline_op(c, line);
  if (c.hover.of == model::Element::Of::Variable) outline_name(c, line);
  if (facts != nullptr && facts->end_line == then) draw_chips(c, line, *facts, col, alpha);
  if (facts != nullptr && facts->line == then) draw_line_counters(c, text_.editor(), line, *facts, col, alpha);
  float y = top + height;
  if (under != messages_.under.end())
    for (size_t i = 0; i < under->second.size(); ++i)
      y += draw_message(c, "source.message." + std::to_string(line + 1) + "." + std::to_string(i), under->second[i], {body.x, y, body.w, 0}, col.text_left);
}

void SourcePanel::draw_number(PanelContext& c, size_t line, bool current, const SourceColumns& col, const Rect& body) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const float top = text_.editor().top(line), h = text_.editor().row_height();
  const int number = static_cast<int>(line) + 1;
  const Hit hit = ui.hit("source.number." + std::to_string(number), {body.x, top, col.text_left - ui.px(6) - body.x, h});
  const bool stops = c.state.breakpoints.contains(number);
  const ImVec2 dot{body.x + ui.px(12), top + h / 2};
  if (stops) ui.draw().AddCircleFilled(dot, ui.px(5), t.fault);
  else if (hit.hovered) ui.draw().AddCircle(dot, ui.px(4.5f), t.text3, 0, ui.px(1.5f));
  ui.text({col.number_right, top + (h - ui.line_height(TextSize::Caption)) / 2}, std::to_string(number), TextSize::Caption, current ? t.text1 : t.text3, true,
          Align::Right);
  if (hit.hovered) ui.tooltip(ui.t(Text::SourceTipStop));
  if (hit.clicked) c.control.toggle_breakpoint(number);
}

float SourcePanel::chips_width(Ui& ui, const LineFacts& facts) {
  float needed = -kChipGap * ui.px(1);
  for (const model::LineValue& v : facts.values)
    if (v.summary.form != model::Summary::Form::NotComputed)
      needed += kChipGap * ui.px(1) + ui.width(summary_value(ui, v.summary), TextSize::Caption, true) + ui.px(10);
  return needed;
}

/// Behind the code of the statement's last line; where there is no room, at the right end of a row above it.
void SourcePanel::draw_chips(PanelContext& c, size_t line, const LineFacts& facts, const SourceColumns& col, float alpha) {
  Ui& ui = c.ui;
  const TextEditor& editor = text_.editor();
  const auto& rows = editor.rows(line);
  const std::string_view text = editor.document().line(line);
  size_t code_end = std::min(model::comment_start(text, editor.line_start(line)), text.size());
  while (code_end > 0 && text[code_end - 1] == ' ') --code_end;
  const size_t code_row = code_end > 0 ? model::row_of(rows, code_end - 1) : rows.size() - 1;
  const bool counters_here = facts.line == line_then(line);
  // Where the row's text ends, and where its room ends: the first row of a statement has its counters at the right.
  const auto left = [&](size_t row) {
    std::string_view shown = text.substr(rows[row].begin, rows[row].end - rows[row].begin);
    while (!shown.empty() && shown.back() == ' ') shown.remove_suffix(1);
    return col.text_left + rows[row].x + model::offset_in_row(text, rows[row], rows[row].begin + shown.size(), editor.widths()) + ui.px(10);
  };
  const auto right = [&](size_t row) {
    if (row > 0 || !counters_here) return col.times_right;
    return touches_memory(facts) ? col.lanes_left - ui.px(6) : col.text_right;
  };
  const float gap = kChipGap * ui.px(1), needed = chips_width(ui, facts);
  if (needed <= 0) return;
  size_t row = code_row;
  float x = left(row);
  for (size_t above = code_row; above > 0 && x + needed > right(row);) {
    --above;
    if (left(above) + needed <= right(above)) row = above, x = right(above) - needed;
  }
  for (const model::LineValue& v : facts.values) {
    if (v.summary.form == model::Summary::Form::NotComputed) continue;
    const float w = draw_chip(c, line, facts, v, {x, editor.top(line) + static_cast<float>(row) * editor.row_height()}, right(row) - x, alpha);
    if (w == 0) break;
    x += w + gap;
  }
}

/// Returns its width; 0 when there is no room for it.
float SourcePanel::draw_chip(PanelContext& c, size_t line, const LineFacts& facts, const model::LineValue& v, ImVec2 at, float room, float alpha) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const std::string shown = summary_value(ui, v.summary);
  const float w = ui.width(shown, TextSize::Caption, true) + ui.px(10), h = ui.px(18);
  if (w > room) return 0;
  const Rect r{at.x, at.y + (text_.editor().row_height() - h) / 2, w, h};
  // While somebody writes, a click is meant for the text.
  const std::string name = "source.value." + v.name + "." + std::to_string(line + 1);
  const bool writing = text_.editor().focused(ui);
  if (writing) ui.place(name, r);
  const Hit hit = writing ? Hit{} : ui.hit(name, r);
  ui.fill(r, with_alpha(facts.current ? mix(t.raised, t.panel, 0.6f) : t.raised, alpha), ui.px(3));
  const bool lit = hit.hovered || (v.variable && c.hover.of == model::Element::Of::Variable && c.hover.name == v.name);
  if (lit) ui.outline(r, t.hover, ui.px(1), ui.px(3));
  ui.text({r.x + ui.px(5), r.y + (h - ui.line_height(TextSize::Caption)) / 2}, shown, TextSize::Caption,
          with_alpha(facts.current ? t.text1 : t.text2, alpha), true);
  if (hit.hovered) {
    if (v.variable) {
      c.state.hover = {model::Element::Of::Variable, v.name, {}};
      c.state.shown_variable = v.name;
    }
    const std::string note = summary_note(ui, v.summary);
    ui.tooltip(v.name + ": " + shown + (note.empty() ? "" : "\n" + note));
  }
  if (hit.clicked && v.variable) c.state.pinned_variable = c.state.pinned_variable == v.name ? std::string() : v.name;
  return w;
}

/// The first error, when the text is scrolled to where no message is seen: a click goes there.
void SourcePanel::draw_error_out_of_view(PanelContext& c, const Rect& body) {
  Ui& ui = c.ui;
  TextEditor& editor = text_.editor();
  if (messages_.under.empty() || !messages_.above.empty() || c.scene.run.errors.empty()) return;
  for (const auto& [line, blocks] : messages_.under)
    if (line >= editor.first_visible() && line < editor.last_visible()) {
      const float top = editor.top(line) + static_cast<float>(editor.rows(line).size()) * editor.row_height();
      if (top + ui.px(18) < body.bottom()) return;
    }
  const auto& [line, blocks] = *messages_.under.begin();
  const float h = ui.px(26);
  const Rect r{body.x, body.bottom() - h, body.w, h};
  const Hit hit = ui.hit("source.error", r);
  ui.fill(r, mix(ui.theme().panel, ui.theme().fault, hit.hovered ? 0.34f : 0.24f));
  ui.fill({r.x, r.y, ui.px(4), r.h}, ui.theme().fault);
  ui.text_in({r.x + ui.px(16), r.y, r.w - ui.px(32), r.h}, words(ui, Text::SourceErrorAt, line + 1, blocks.front().rows.front().text), TextSize::Caption,
             ui.theme().text1, true);
  if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (hit.clicked) editor.reveal(line, line);
}

void SourcePanel::draw_marks(Ui& ui, size_t line) {
  for (const model::TextMark& mark : messages_.marks[line]) underline(ui, line, mark.column, mark.end_column, ui.theme().fault);
}

/// SourceColumns from 1, half open.
void SourcePanel::underline(Ui& ui, size_t line, int column, int end_column, ImU32 colour) {
  const TextEditor& editor = text_.editor();
  const std::string_view text = editor.document().line(line);
  const size_t from = std::min(static_cast<size_t>(std::max(column - 1, 0)), text.size());
  const size_t to = std::max(from + 1, static_cast<size_t>(std::max(end_column - 1, 0)));
  float y = editor.top(line) + editor.row_height() - ui.px(3);
  for (const model::WrappedRow& row : editor.rows(line)) {
    const size_t begin = std::clamp<size_t>(from, row.begin, row.end), end = std::clamp<size_t>(to, row.begin, row.end);
    const bool behind = from >= text.size() && row.end == text.size();  // a mark behind the line's end is one character wide
    const float x0 = editor.left() + row.x + model::offset_in_row(text, row, begin, editor.widths());
    const float x1 = behind ? x0 + editor.widths().ascii() : editor.left() + row.x + model::offset_in_row(text, row, end, editor.widths());
    if (x1 > x0) ui.fill({x0, y, x1 - x0, ui.px(2)}, colour);
    y += editor.row_height();
  }
}

/// When steps count ops: the expression that the step has just computed.
void SourcePanel::underline_op(PanelContext& c, size_t line) {
  const model::Scene& s = c.scene;
  if (s.state.unit != model::StepUnit::Op || !s.ready || s.run.recorded == nullptr || s.step >= s.trace->steps.size()) return;
  const Step& step = s.trace->steps[s.step];
  const Op& op = *s.run.recorded->recording->ops()[static_cast<size_t>(step.op)];
  if (op.loc == nullptr || step.phase != StepPhase::Op || op.loc->range.file != s.function->source) return;
  const SourceRange& r = op.loc->range;
  const int then = line_then(line);
  if (then < r.line || then > r.end_line) return;
  const int line_end = static_cast<int>(text_.editor().document().line(line).size()) + 1;
  const std::string_view text = text_.editor().document().line(line);
  const int first = static_cast<int>(std::min(text.find_first_not_of(" \t"), text.size())) + 1;
  underline(c.ui, line, then == r.line ? r.column : first, then == r.end_line ? r.end_column : line_end, c.ui.theme().text1);
}

/// The variable that is hovered, here or in another panel, wherever it stands on the line.
void SourcePanel::outline_name(PanelContext& c, size_t line) {
  Ui& ui = c.ui;
  const TextEditor& editor = text_.editor();
  const std::string_view text = editor.document().line(line);
  for (const model::TextSpan& s : model::highlight_line(text, editor.line_start(line), editor.names())) {
    if (s.role != model::TextRole::Name || text.substr(s.begin, s.end - s.begin) != c.hover.name) continue;
    const auto& rows = editor.rows(line);
    const size_t row = model::row_of(rows, s.begin);
    const float x0 = editor.x(line, s.begin), x1 = x0 + static_cast<float>(s.end - s.begin) * editor.widths().ascii();
    const float y = editor.top(line) + static_cast<float>(row) * editor.row_height();
    ui.outline({x0 - ui.px(2), y + ui.px(1), x1 - x0 + ui.px(4), editor.row_height() - ui.px(2)}, ui.theme().hover, 1, ui.px(3));
  }
}

void SourcePanel::hover_names(PanelContext& c) {
  const std::string name(text_.editor().hovered_name());
  if (name.empty()) return;
  if (c.scene.find_variable(name) != nullptr) {
    c.state.shown_variable = name;
    c.state.hover = {model::Element::Of::Variable, name, {}};
  } else if (c.scene.function != nullptr) {
    for (const auto& [constant, value] : c.scene.function->constexprs)
      if (constant == name) c.ui.tooltip(words(c.ui, Text::SourceTipConstexpr, name, value));
  }
}

}  // namespace

namespace {

SourcePanel& the_panel() {
  static SourcePanel panel;
  return panel;
}

}  // namespace

void draw_source(PanelContext& c, Rect header, Rect body) { the_panel().draw(c, header, body); }

void show_source_line(PanelContext& c, int line) {
  the_panel().show_line(line);
  c.state.hidden["source"] = false;
  const bool exercise = c.lesson != nullptr && c.lesson->on_exercise();
  c.state.front_tab[cell_id(exercise ? Cell::Centre : Cell::Left)] = "source";
}

void send_hidden_text(PanelContext& c) { the_panel().send_if_hidden(c); }

}  // namespace tilescope::window
