#include "visualizer/window/panels/source_messages.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/excerpt.h"
#include "visualizer/model/messages.h"
#include "visualizer/window/spoken.h"
#include "visualizer/window/lesson_guide.h"
#include "visualizer/window/panels/lesson_parts.h"
#include "visualizer/window/withheld.h"

namespace tilescope::window {
namespace {

/// More at once only hide the text.
constexpr size_t kMostErrors = 20;

class Blocks {
 public:
  Blocks(PanelContext& c, const TextEditor& editor, float width) : ui_(c.ui), editor_(editor), width_(width) {}

  void add(MessageBlock& block, const std::string& text, MessageBlock::Ink ink) const {
    size_t at = 0;
    while (at <= text.size()) {  // each line of the message on its own
      const size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view line = std::string_view(text).substr(at, end - at);
      for (const model::WrappedRow& r : model::wrap_line(line, width_, editor_.widths()))
        block.rows.push_back({std::string(line.substr(r.begin, r.end - r.begin)), ink, r.x});
      at = end + 1;
    }
    block.height = row_height() * static_cast<float>(block.rows.size()) + 2 * ui_.px(4);
  }
  float row_height() const { return ui_.px(18); }

 private:
  Ui& ui_;
  const TextEditor& editor_;
  float width_;
};

void add_errors(PanelContext& c, SourceText& text, const Blocks& blocks, SourceMessages& out) {
  using Ink = MessageBlock::Ink;
  const auto& all = text.messages();
  for (size_t i = 0; i < std::min(all.size(), kMostErrors); ++i) {
    const model::TextMessage& m = all[i];
    MessageBlock block;
    blocks.add(block, m.line > 0 ? spoken_error(c.ui, m.message, m.line) : spoken(c.ui, m.message), Ink::Message);
    for (const model::TextMark& mark : m.marks) {
      const int line = text.message_lines().now(mark.line);
      if (line > 0) out.marks[static_cast<size_t>(line - 1)].push_back(mark);
      if (mark.label.empty()) continue;
      std::string_view quoted = c.scene.run.text != nullptr ? c.scene.run.text->line(mark.line) : std::string_view();
      const size_t begin = std::min(static_cast<size_t>(std::max(mark.column - 1, 0)), quoted.size());
      quoted = quoted.substr(begin, static_cast<size_t>(std::max(mark.end_column - mark.column, 0)));
      blocks.add(block, fmt::format("{}: {}", quoted, spoken(c.ui, mark.label)), Ink::Detail);
    }
    for (const std::string& call : m.called_from) blocks.add(block, spoken(c.ui, call), Ink::Faint);
    if (!m.hint.empty() && !is_withheld(c)) blocks.add(block, fmt::format(fmt::runtime(c.ui.t(Text::SourceHint)), spoken(c.ui, m.hint)), Ink::Detail);
    if (i + 1 == kMostErrors && all.size() > kMostErrors)
      blocks.add(block, fmt::format(fmt::runtime(c.ui.t(Text::SourceMoreErrors)), all.size() - kMostErrors), Ink::Faint);
    const int line = text.message_lines().nearest(m.line);
    if (line > 0) out.under[static_cast<size_t>(line - 1)].push_back(std::move(block));
    else out.above.push_back(std::move(block));
  }
}

void add_faults(PanelContext& c, SourceText& text, const Blocks& blocks, const model::SourceView& view, SourceMessages& out) {
  using Ink = MessageBlock::Ink;
  if (c.scene.run.totals == nullptr) return;
  const RunTrace& trace = c.scene.run.totals->trace;
  for (const auto& [line, facts] : view.lines) {
    if (facts.faults.empty()) continue;
    const Fault& fault = trace.faults[facts.faults.front()];
    const int now = text.run_lines().now(std::max(fault.range.line, facts.line));
    if (now <= 0) continue;
    const std::string program = model::program_text(fault.program, trace.grid);
    MessageBlock block;
    blocks.add(block,
               fault.count > 1 ? fmt::format(fmt::runtime(c.ui.t(Text::SourceFaultMore)), program, fault.lane, fault.count, spoken(c.ui, fault.message))
                               : fmt::format(fmt::runtime(c.ui.t(Text::SourceFault)), program, fault.lane, spoken(c.ui, fault.message)),
               Ink::Message);
    if (!fault.hint.empty()) blocks.add(block, fmt::format(fmt::runtime(c.ui.t(Text::SourceHint)), spoken(c.ui, fault.hint)), Ink::Detail);
    if (facts.faults.size() > 1)
      blocks.add(block, fmt::format(fmt::runtime(c.ui.t(Text::SourceMoreErrors)), facts.faults.size() - 1), Ink::Faint);
    block.fault = facts.faults.front();
    out.under[static_cast<size_t>(std::max(now, text.run_lines().now(facts.end_line)) - 1)].push_back(std::move(block));
    const SourceRange& r = fault.range;
    out.marks[static_cast<size_t>(now - 1)].push_back({now, r.column, end_in_first_line(r), {}});
  }
}

/// Where a check failed, once its failure was opened. A fault says so itself.
void add_failure(PanelContext& c, SourceText& text, const Blocks& blocks, SourceMessages& out) {
  using Ink = MessageBlock::Ink;
  const lessons::Failure* f = c.lesson == nullptr ? nullptr : c.lesson->opened_failure(c.scene.run.text.get());
  if (f == nullptr || f->kind == lessons::Failure::Kind::Fault || c.lesson->failure_line() <= 0) return;
  const int now = text.message_lines().now(c.lesson->failure_line());
  if (now <= 0) return;
  const size_t language = lesson_language(c.ui);
  MessageBlock block;
  blocks.add(block, f->label.empty() ? std::string(c.ui.t(Text::LessonFailedAtAll)) : fmt::format(fmt::runtime(c.ui.t(Text::LessonFailedHere)), f->label), Ink::Message);
  blocks.add(block, std::string(c.ui.t(Text::LessonExpected)) + f->expected[language], Ink::Detail);
  blocks.add(block, std::string(c.ui.t(Text::LessonFound)) + f->found[language], Ink::Detail);
  const auto line = static_cast<size_t>(now - 1);
  const std::string_view shown = text.editor().document().line(line);
  const auto first = static_cast<int>(std::min(shown.find_first_not_of(" \t"), shown.size()));
  out.under[line].push_back(std::move(block));
  out.marks[line].push_back({now, first + 1, static_cast<int>(shown.size()) + 1, {}});
}

}  // namespace

float SourceMessages::height(size_t line) const {
  const auto found = under.find(line);
  float sum = 0;
  if (found != under.end())
    for (const MessageBlock& b : found->second) sum += b.height;
  return sum;
}

SourceMessages source_messages(PanelContext& c, SourceText& text, const model::SourceView& view, float width) {
  SourceMessages out;
  const Blocks blocks(c, text.editor(), width);
  add_errors(c, text, blocks, out);
  if (c.scene.run.errors.empty() && !is_withheld(c)) add_faults(c, text, blocks, view, out);
  if (c.scene.run.errors.empty()) add_failure(c, text, blocks, out);
  return out;
}

float draw_message(PanelContext& c, const std::string& name, const MessageBlock& block, Rect r, float left) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  r.h = block.height;
  const bool goes = block.fault.has_value();
  const Hit h = goes ? ui.hit(name, r) : Hit{};
  if (!goes) ui.place(name, r);
  ui.fill(r, mix(t.panel, t.fault, h.hovered ? 0.28f : 0.18f));
  ui.fill({r.x, r.y, ui.px(4), r.h}, t.fault);
  float y = r.y + ui.px(4);
  for (const MessageBlock::Row& row : block.rows) {
    const ImU32 ink = row.ink == MessageBlock::Ink::Message ? t.text1 : t.text2;
    ui.text({left + row.indent, y + (ui.px(18) - ui.line_height(TextSize::Caption)) / 2}, row.text, TextSize::Caption, ink, true);
    y += ui.px(18);
  }
  if (h.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (h.clicked) c.control.go_to_fault(*block.fault);
  return r.h;
}

}  // namespace tilescope::window
