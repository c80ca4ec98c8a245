// What the launch has to say in words. A click on a fault goes to its program, step and lane.
#include "visualizer/model/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "visualizer/model/text_wrap.h"
#include "core/syntax/lexer.h"
#include "visualizer/window/panel.h"
#include "visualizer/window/panels/source_text.h"
#include "visualizer/window/spoken.h"
#include "visualizer/window/withheld.h"

namespace tilescope::window {
namespace {

using model::Message;

/// A message laid out in rows.
struct Block {
  struct Row {
    std::string text;
    float indent = 0;
    bool strong = false;
  };
  Message::Kind kind = Message::Kind::Note;
  std::vector<Row> rows;
  std::optional<size_t> fault;
  int line = 0;
  float height = 0;
};

class MessagesPanel {
 public:
  void draw(PanelContext& c, Rect header, Rect body);

 private:
  void arrange(PanelContext& c, float width);
  Block block_of(PanelContext& c, const Message& m, const model::CharWidths& widths, float width) const;
  void draw_block(PanelContext& c, size_t number, Rect r);
  void draw_printed(PanelContext& c, Rect body, float y);

  std::vector<Block> blocks_;
  uint64_t version_ = ~uint64_t{0};
  float width_ = -1, scale_ = 0, scroll_ = 0;
  bool withheld_ = false;
  model::Language language_ = model::Language::English;
  const void* owner_ = nullptr;
};

std::string short_float(double x) { return fmt::format("{:.3g}", x); }

template <class... Args>
std::string words(const Ui& ui, Text id, const Args&... args) {
  return fmt::format(fmt::runtime(ui.t(id)), args...);
}

float row_height(const Ui& ui) { return ui.px(20); }

ImU32 mark_of_kind(const Theme& t, Message::Kind k) {
  switch (k) {
    case Message::Kind::Error:
    case Message::Kind::Fault:
    case Message::Kind::OutputDiffers: return t.fault;
    case Message::Kind::OutputEqual: return t.compute;
    case Message::Kind::Note: return t.text3;
  }
  return t.text3;
}

Text label_of(Message::Kind k) {
  switch (k) {
    case Message::Kind::Error: return Text::MessagesError;
    case Message::Kind::Fault: return Text::MessagesFault;
    case Message::Kind::OutputDiffers:
    case Message::Kind::OutputEqual: return Text::MessagesOutput;
    case Message::Kind::Note: return Text::MessagesNote;
  }
  return Text::MessagesNote;
}

Block MessagesPanel::block_of(PanelContext& c, const Message& m, const model::CharWidths& widths, float width) const {
  const Ui& ui = c.ui;
  Block out{m.kind, {}, m.fault, m.line, 0};
  const auto add = [&](const std::string& text, bool strong) {
    for (const model::WrappedRow& r : model::wrap_line(text, width, widths))
      out.rows.push_back({text.substr(r.begin, r.end - r.begin), r.x, strong});
  };
  std::string head(ui.t(label_of(m.kind)));
  if (!m.place.empty()) head += "  " + m.place;
  add(head, false);
  if (m.output) {
    const OutputCheck& o = c.scene.run.totals->outputs[*m.output];
    if (o.equal) {
      add(words(ui, Text::MessagesEqual, o.tensor, spoken(ui, o.expected_from)), true);
      add(o.exact ? std::string(ui.t(Text::MessagesExactly))
                  : words(ui, Text::MessagesWithin, short_float(o.atol), short_float(o.rtol), short_float(o.max_abs), short_float(o.max_rel)),
          false);
    } else {
      add(words(ui, Text::MessagesDiffers, o.tensor, spoken(ui, o.expected_from), o.differing, o.elements), true);
      if (!o.first_got.empty()) add(words(ui, Text::MessagesFirst, fmt::join(o.first_index, ", "), o.first_got, o.first_expected), false);
      add(words(ui, Text::MessagesLargest, short_float(o.max_abs), short_float(o.max_rel)), false);
    }
  } else {
    add(m.kind == Message::Kind::Error && m.line > 0 ? spoken_error(ui, m.text) : spoken(ui, m.text), true);
  }
  for (const std::string& d : m.details) add(spoken(ui, d), false);
  if (m.fault)
    if (const uint64_t n = c.scene.run.totals->trace.faults[*m.fault].count; n > 1) add(words(ui, Text::MessagesLanes, n), false);
  if (!m.hint.empty()) add(words(ui, Text::SourceHint, spoken(ui, m.hint)), false);
  out.height = row_height(ui) * static_cast<float>(out.rows.size()) + ui.px(12);
  return out;
}

void MessagesPanel::arrange(PanelContext& c, float width) {
  Ui& ui = c.ui;
  const bool withheld = is_withheld(c);
  if (version_ == c.scene.run.version && width_ == width && scale_ == ui.scale() && language_ == ui.language() && withheld_ == withheld) return;
  version_ = c.scene.run.version, width_ = width, scale_ = ui.scale(), language_ = ui.language(), withheld_ = withheld;
  const model::CharWidths widths(ui.code_advance(TextSize::Caption), [&ui](uint32_t code) {
    std::string text;
    append_utf8(text, code);
    return ui.width(text, TextSize::Caption, true);
  });
  blocks_.clear();
  bool held = false;
  for (Message& m : model::messages_of(c.scene.run)) {
    held |= withheld && (m.kind == Message::Kind::Fault || !m.hint.empty());
    if (withheld) m.hint.clear();
    if (!withheld || (m.kind != Message::Kind::Fault && m.kind != Message::Kind::Note)) blocks_.push_back(block_of(c, m, widths, width));
  }
  if (!held) return;
  Message m;
  m.text = ui.t(Text::LessonWithheld);
  blocks_.insert(blocks_.begin(), block_of(c, m, widths, width));
}

void MessagesPanel::draw_block(PanelContext& c, size_t number, Rect r) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const Block& b = blocks_[number];
  const bool goes = b.fault || b.line > 0;
  const std::string name = "messages." + std::to_string(number);
  const Hit h = goes ? ui.hit(name, r) : Hit{};
  if (!goes) ui.place(name, r);
  ui.fill(r, h.hovered ? mix(t.raised, t.text1, 0.08f) : t.raised, ui.px(4));
  ui.fill({r.x, r.y, ui.px(4), r.h}, mark_of_kind(t, b.kind));
  float y = r.y + ui.px(6);
  for (size_t i = 0; i < b.rows.size(); ++i) {
    const Block::Row& row = b.rows[i];
    const ImU32 ink = i == 0 ? t.text3 : row.strong ? t.text1 : t.text2;
    ui.text({r.x + ui.px(16) + row.indent, y + (row_height(ui) - ui.line_height(TextSize::Caption)) / 2}, row.text, TextSize::Caption, ink, true);
    y += row_height(ui);
  }
  if (!h.hovered) return;
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  ui.tooltip(ui.t(b.fault ? Text::MessagesGo : Text::MessagesGoLine));
  if (!h.clicked) return;
  if (b.fault) c.control.go_to_fault(*b.fault);
  show_source_line(c, b.line);
}

/// There may be very many lines: only those in view are looked at.
void MessagesPanel::draw_printed(PanelContext& c, Rect body, float y) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const std::vector<std::string>& lines = c.scene.run.totals->trace.printed;
  ui.text_in({body.x, y, body.w, row_height(ui)}, words(ui, Text::MessagesPrinted, lines.size()), TextSize::Caption, t.text3);
  y += row_height(ui);
  const auto first = static_cast<size_t>(std::max(0.f, std::floor((body.y - y) / row_height(ui))));
  for (size_t i = first; i < lines.size(); ++i) {
    const Rect row{body.x, y + static_cast<float>(i) * row_height(ui), body.w, row_height(ui)};
    if (row.y > body.bottom()) break;
    ui.place("messages.printed." + std::to_string(i), row);
    ui.text_in(row, lines[i], TextSize::Caption, t.text1, true);
  }
}

void MessagesPanel::draw(PanelContext& c, Rect, Rect body) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  if (owner_ != &c.control) *this = MessagesPanel(), owner_ = &c.control;
  const Rect all = body;
  body = {body.x + ui.px(16), body.y + ui.px(8), body.w - 2 * ui.px(16), body.h - ui.px(8)};
  arrange(c, body.w - 2 * ui.px(16));
  const size_t printed = c.scene.run.totals != nullptr ? c.scene.run.totals->trace.printed.size() : 0;
  if (blocks_.empty() && printed == 0) {
    const bool waiting = c.scene.run.busy || c.scene.run.totals == nullptr;
    float y = body.y + ui.px(8);
    y += ui.paragraph({body.x, y, body.w, body.h}, ui.t(waiting ? Text::MessagesWaiting : Text::MessagesNothing), TextSize::Code, t.text1) + ui.px(8);
    ui.paragraph({body.x, y, body.w, body.h}, ui.t(Text::MessagesWhat), TextSize::Caption, t.text2);
    return;
  }
  const float gap = ui.px(8);
  float content = printed > 0 ? row_height(ui) * static_cast<float>(printed + 1) + gap : 0;
  for (const Block& b : blocks_) content += b.height + gap;
  const float most = std::max(0.f, content - body.h);
  if (all.contains(ImGui::GetIO().MousePos)) scroll_ -= ImGui::GetIO().MouseWheel * 3 * row_height(ui);
  scroll_ = std::round(std::clamp(scroll_, 0.f, most));
  ui.clip(all);
  float y = body.y - scroll_;
  // What was printed is read from the top, so the blocks that matter less stand behind it.
  const auto quiet = std::find_if(blocks_.begin(), blocks_.end(), [](const Block& b) { return b.kind >= Message::Kind::OutputEqual; });
  for (size_t i = 0; i <= blocks_.size(); ++i) {
    if (printed > 0 && i == static_cast<size_t>(quiet - blocks_.begin())) {
      draw_printed(c, {body.x, all.y, body.w, all.h}, y);
      y += row_height(ui) * static_cast<float>(printed + 1) + gap;
    }
    if (i == blocks_.size()) break;
    const Rect r{body.x, y, body.w, blocks_[i].height};
    if (r.bottom() > all.y && r.y < all.bottom()) draw_block(c, i, r);
    y += r.h + gap;
  }
  if (most > 0) {
    const Rect track{all.right() - ui.px(8), all.y, ui.px(8), all.h};
    const Hit h = ui.hit("messages.scroll", track);
    const float length = std::max(ui.px(24), track.h * body.h / content), room = std::max(1.f, track.h - length);
    if (h.held) scroll_ = std::clamp(scroll_ + h.drag.y / room * most, 0.f, most);
    ui.fill({track.x + ui.px(2), track.y + scroll_ / most * room, ui.px(4), length}, h.hovered || h.held ? t.text3 : t.line, ui.px(2));
  }
  ui.unclip();
}

}  // namespace

void draw_messages(PanelContext& c, Rect header, Rect body) {
  static MessagesPanel panel;
  panel.draw(c, header, body);
}

}  // namespace tilescope::window
