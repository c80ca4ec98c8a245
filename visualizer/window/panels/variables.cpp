#include "visualizer/window/panels/variables.h"

#include <fmt/format.h>

#include <algorithm>

#include "visualizer/model/tile_view.h"

namespace tilescope::window {
namespace {

using model::Summary;

constexpr float kTitle = 40, kRow = 28, kFolded = 40;

// The variables that say something now: with a value first by the order in which the program computes them.
std::vector<const model::Variable*> listed(const model::Scene& scene) {
  std::vector<const model::Variable*> out;
  for (const model::Variable& v : scene.variables) {
    const model::Variable* item = model::find_item(scene, v.name);
    out.push_back(item != nullptr ? item : &v);
  }
  return out;
}

bool shown_in_tile(const PanelContext& c, const model::Variable& v) {
  const std::string& pinned = c.state.pinned_variable;
  if (!pinned.empty()) return pinned == v.name;
  if (!c.state.shown_variable.empty()) return c.state.shown_variable == v.name;
  const model::Variable* current = model::current_item(c.scene);
  return current != nullptr && current->name == v.name;
}

void act_on(PanelContext& c, const Hit& h, const model::Variable& v) {
  if (h.hovered) c.state.hover = {model::Element::Of::Variable, v.name, {}};
  if (h.clicked) c.state.pinned_variable = c.state.pinned_variable == v.name ? "" : v.name;
}

// A swatch of the hatch that stands for lanes that are off.
void swatch(Ui& ui, const Rect& row, float x) {
  const float w = ui.px(16), h = ui.px(12);
  const Rect r{x, row.y + (row.h - h) / 2, w, h};
  ui.hatch(r, ui.theme().hatch, 4);
  ui.outline(r, ui.theme().hatch);
}

void draw_note(PanelContext& c, const Rect& r, const Summary& s) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const std::string note = summary_note(ui, s);
  if (note.empty()) return;
  const bool quiet = s.why_off == Summary::Off::AllOn, fault = s.why_off == Summary::Off::OutOfBounds;
  const float mark = quiet ? 0 : ui.px(22), w = std::min(r.w - mark, ui.width(note, TextSize::Caption));
  if (r.w - mark < ui.px(30)) return;
  if (!quiet && !fault) swatch(ui, r, r.right() - w - mark);
  ui.text_in({r.right() - w, r.y, w, r.h}, note, TextSize::Caption, fault ? t.fault_text : t.text2, false, Align::Left);
}

void draw_row(PanelContext& c, const Rect& row, const model::Variable& v, float name_width, float type_width, float value_width) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const Hit h = ui.hit("variables." + v.name, row);
  act_on(c, h, v);
  const bool lit = c.hover.of == model::Element::Of::Variable && c.hover.name == v.name;
  if (lit || h.hovered) ui.fill(row, t.raised, ui.px(4));
  if (shown_in_tile(c, v)) ui.outline(row, c.state.pinned_variable == v.name ? t.selected : t.text2, ui.px(c.state.pinned_variable == v.name ? 2 : 1), ui.px(4));
  Rect r{row.x + ui.px(8), row.y, row.w - 2 * ui.px(8), row.h};
  const bool known = v.record != nullptr;
  ui.text_in(r.take_left(name_width), v.name, TextSize::Code, known ? t.text1 : t.text3, true);
  ui.text_in(r.take_left(type_width), model::short_type(v.type), TextSize::Caption, t.text3, true);
  if (!known) {
    ui.text_in(r, ui.t(Text::SummaryNotYet), TextSize::Caption, t.text3);
    return;
  }
  const Summary& s = model::summary_of(c.scene, v);
  const std::string value = summary_value(ui, s);
  const std::string note = summary_note(ui, s);
  const float note_width = note.empty() ? 0 : ui.width(note, TextSize::Caption) + ui.px(34);
  const float wanted = std::max(std::min(value_width, r.w - note_width), std::min(ui.width(value, TextSize::Code, true) + ui.px(8), r.w * 0.6f));
  ui.text_in(r.take_left(std::min(r.w, std::max(0.0f, note.empty() ? r.w : wanted))), value, TextSize::Code, v.now ? t.text1 : t.text2, true);
  draw_note(c, r, s);
}

void draw_folded(PanelContext& c, Rect r) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  r = {r.x + ui.px(16), r.y, r.w - 2 * ui.px(16), r.h};
  const float title = ui.width(ui.t(Text::VariablesShort), TextSize::Caption) + ui.px(10);
  ui.text_in(r.take_left(title), ui.t(Text::VariablesShort), TextSize::Caption, t.text3);
  // What was computed last says most: fill the line from the end of the list of values.
  std::vector<const model::Variable*> known;
  for (const model::Variable* v : listed(c.scene))
    if (v->record != nullptr) known.push_back(v);
  std::stable_sort(known.begin(), known.end(), [](const model::Variable* a, const model::Variable* b) { return a->defined_at > b->defined_at; });
  if (known.empty()) {
    ui.text_in(r, ui.t(Text::VariablesEmpty), TextSize::Caption, t.text3);
    return;
  }
  for (const model::Variable* v : known) {
    const std::string value = summary_value(ui, model::summary_of(c.scene, *v));
    const float name = ui.width(v->name, TextSize::Code, true) + ui.px(6), w = name + ui.width(value, TextSize::Caption, true) + ui.px(12);
    if (w > r.w && v != known.front()) break;
    Rect part = r.take_left(w + ui.px(10));
    part.w = std::min(part.w, w);
    const Rect chip{part.x, part.y + ui.px(7), part.w, part.h - ui.px(14)};
    const Hit h = ui.hit("variables." + v->name, chip);
    act_on(c, h, *v);
    if (h.hovered) ui.fill(chip, t.raised, ui.px(3));
    if (shown_in_tile(c, *v)) ui.outline(chip, t.text3, 1, ui.px(3));
    part.take_left(ui.px(6));
    ui.text_in(part.take_left(name), v->name, TextSize::Code, t.text1, true);
    ui.text_in({part.x, part.y, part.w - ui.px(5), part.h}, value, TextSize::Caption, t.text2, true);
  }
}

}  // namespace

std::string summary_value(const Ui& ui, const Summary& s) {
  const auto fill = [&](Text id, auto&&... args) { return fmt::format(fmt::runtime(ui.t(id)), args...); };
  switch (s.form) {
    case Summary::Form::NotComputed: return std::string(ui.t(Text::SummaryNotYet));
    case Summary::Form::Scalar: return s.text == "undefined" ? std::string(ui.t(Text::Undefined)) : s.text;
    case Summary::Form::Run: return s.text;
    case Summary::Form::Same: return fill(Text::SummarySame, s.text == "undefined" ? std::string(ui.t(Text::Undefined)) : s.text);
    case Summary::Form::Span: return fill(Text::SummarySpan, s.low, s.high);
    case Summary::Form::On: return fill(Text::SummaryOn, s.on);
    case Summary::Form::Reach: return fill(Text::SummaryReach, s.on, s.name);
    case Summary::Form::Pointers: return fill(Text::SummaryFrom, s.text);
  }
  return {};
}

std::string summary_note(const Ui& ui, const Summary& s) {
  const auto fill = [&](Text id, auto&&... args) { return fmt::format(fmt::runtime(ui.t(id)), args...); };
  const std::string limit = s.name.empty() ? s.bound : s.name + " = " + s.bound;
  switch (s.why_off) {
    case Summary::Off::Nothing: return {};
    case Summary::Off::AllOn: return std::string(ui.t(s.form == Summary::Form::On ? Text::SummaryAllOn : Text::SummaryAllInside));
    case Summary::Off::False: return fill(Text::SummaryFalse, s.off);
    case Summary::Off::Masked: return fill(Text::SummaryMasked, s.off, s.other);
    case Summary::Off::Undefined: return fill(Text::SummaryUndefined, s.off);
    case Summary::Off::Beyond: return fill(Text::SummaryBeyond, s.off, limit);
    case Summary::Off::Below: return fill(Text::SummaryBelow, s.off, limit);
    case Summary::Off::Outside: return fill(Text::SummaryOutside, s.off, s.name);
    case Summary::Off::OutOfBounds: return fill(Text::SummaryOutOfBounds, s.off, s.name);
  }
  return {};
}

float variables_height(PanelContext& c) {
  return c.ui.px(kTitle) + c.ui.px(kRow) * static_cast<float>(std::max<size_t>(1, c.scene.variables.size())) + c.ui.px(8);
}

void draw_variables(PanelContext& c, Rect r) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  ui.place("variables", r);
  ui.fill({r.x, r.y, r.w, 1}, t.line);
  if (!c.scene.ready) return;
  if (r.h < ui.px(kTitle + 2 * kRow)) return draw_folded(c, {r.x, r.y, r.w, std::min(r.h, ui.px(kFolded))});
  Rect title = r.take_top(ui.px(kTitle));
  title = {title.x + ui.px(16), title.y, title.w - 2 * ui.px(16), title.h};
  ui.text_in(title, ui.t(Text::VariablesTitle), TextSize::Title, t.text1);
  const size_t lines = c.scene.timeline != nullptr ? c.scene.timeline->lines.size() : 0;
  ui.text_in(title, fmt::format(fmt::runtime(ui.t(Text::VariablesStep)), c.scene.line_step + 1, lines), TextSize::Caption, t.text3, false, Align::Right);

  const std::vector<const model::Variable*> all = listed(c.scene);
  const float row_height = ui.px(kRow);
  const Rect area{r.x + ui.px(8), r.y, r.w - 2 * ui.px(8), r.h - ui.px(4)};
  const auto rows = static_cast<size_t>(std::max(1.0f, area.h / row_height));
  static size_t scrolled = 0;
  const size_t most = all.size() > rows ? all.size() - rows : 0;
  // The rows lie over the list, so the wheel is asked for here.
  if (area.contains(ImGui::GetIO().MousePos) && ImGui::GetIO().MouseWheel > 0 && scrolled > 0) --scrolled;
  if (area.contains(ImGui::GetIO().MousePos) && ImGui::GetIO().MouseWheel < 0) ++scrolled;
  // Scrolling is only there when the list is too long; it starts with what was computed last in sight.
  static uint64_t step = ~uint64_t{0};
  if (step != c.scene.step && most > 0) {
    step = c.scene.step;
    for (size_t i = 0; i < all.size(); ++i)
      if (all[i]->now && (i < scrolled || i >= scrolled + rows)) scrolled = i + 1 > rows ? i + 1 - rows : 0;
  }
  scrolled = std::min(scrolled, most);
  float name_width = ui.px(48), type_width = ui.px(60);
  for (const model::Variable* v : all) {
    name_width = std::max(name_width, ui.width(v->name, TextSize::Code, true) + ui.px(14));
    type_width = std::max(type_width, ui.width(model::short_type(v->type), TextSize::Caption, true) + ui.px(14));
  }
  name_width = std::min(name_width, area.w * 0.3f);
  type_width = std::min(type_width, area.w * 0.34f);
  ui.clip({r.x, r.y, r.w, r.h});
  for (size_t i = scrolled; i < all.size() && i < scrolled + rows; ++i)
    draw_row(c, {area.x, area.y + row_height * static_cast<float>(i - scrolled), area.w, row_height}, *all[i], name_width, type_width, ui.px(110));
  ui.unclip();
  if (most > 0) {
    const float share = static_cast<float>(rows) / static_cast<float>(all.size()), track = row_height * static_cast<float>(rows);
    ui.fill({area.right() + ui.px(2), area.y + track * static_cast<float>(scrolled) / static_cast<float>(all.size()), ui.px(3), track * share}, t.line, ui.px(1.5f));
  }
}

}  // namespace tilescope::window
