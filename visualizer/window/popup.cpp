// Menus of the top bar, and the question before unsaved text is lost.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "visualizer/window/chrome.h"

namespace tilescope::window {
namespace {

constexpr float kRow = 32;

}  // namespace

Rect menu_ground(Ui& ui, const Rect& anchor, float w, float h) {
  const float margin = ui.px(8);
  const Rect r{std::clamp(anchor.x, margin, std::max(margin, ui.size().x - w - margin)), anchor.bottom() + ui.px(4), w,
               std::min(h, ui.size().y - anchor.bottom() - ui.px(12))};
  ui.fill(r, ui.theme().raised, ui.px(4));
  ui.outline(r, ui.theme().text3, 1, ui.px(4));
  return r;
}

Rect question_ground(Ui& ui, float w, float h) {
  const Theme& t = ui.theme();
  const Rect screen{0, 0, ui.size().x, ui.size().y};
  ui.fill(screen, with_alpha(t.window, 0.7f));
  w = std::min(w, screen.w - ui.px(32));
  h = std::min(h, screen.h - ui.px(32));
  const Rect r{std::round((screen.w - w) / 2), std::round((screen.h - h) / 2), w, h};
  ui.fill(r, t.panel, ui.px(4));
  ui.outline(r, t.line, 1, ui.px(4));
  return r;
}

namespace {

void draw_panels_menu(PanelContext& c, const Chrome& chrome) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  std::vector<Panel> panels = all_panels();
  if (c.lesson == nullptr) std::erase_if(panels, [](const Panel& p) { return std::string_view(p.id) == "lesson"; });
  float w = std::max(ui.width(ui.t(Text::ResetLayout), TextSize::Title), ui.width(ui.t(Text::ReduceMotion), TextSize::Title));
  for (const Panel& p : panels) w = std::max(w, ui.width(ui.t(p.title), TextSize::Title));
  Rect r = menu_ground(ui, chrome.anchor, w + ui.px(68), ui.px(kRow) * static_cast<float>(panels.size() + 2) + ui.px(26));
  const Hit ground = ui.hit("menu.ground", r);
  (void)ground;  // a click beside the rows does not close the menu
  r.take_top(ui.px(4));
  // One row with a box; true when it was clicked.
  const auto check_row = [&](const std::string& name, std::string_view text, bool on) {
    const Rect row = r.take_top(ui.px(kRow)), inner{row.x + ui.px(4), row.y, row.w - ui.px(8), row.h};
    const Hit h = ui.hit(name, inner);
    if (h.hovered) ui.fill(inner, mix(t.raised, t.text1, 0.12f), ui.px(4));
    const float s = ui.px(18);
    const Rect box{row.x + ui.px(16), std::round(row.y + (row.h - s) / 2), s, s};
    if (on) ui.fill(box, t.selected, ui.px(3));
    else ui.outline(box, t.text3, 1, ui.px(3));
    if (on) ui.check({box.x + s / 2, box.y + s / 2}, ui.px(8), IM_COL32_WHITE);
    ui.text_in({box.right() + ui.px(12), row.y, row.w, row.h}, text, TextSize::Title, on ? t.text1 : t.text2);
    return h.clicked;
  };
  const auto separator = [&] {
    r.take_top(ui.px(4));
    ui.fill({r.x, r.y, r.w, 1}, t.line);
    r.take_top(ui.px(5));
  };
  for (const Panel& p : panels) {
    const bool shown = !c.state.hidden[p.id];
    if (check_row(std::string("menu.panel.") + p.id, ui.t(p.title), shown)) c.state.hidden[p.id] = shown;
  }
  separator();
  if (check_row("menu.motion", ui.t(Text::ReduceMotion), c.state.reduce_motion)) c.state.reduce_motion = !c.state.reduce_motion;
  separator();
  const Rect row = r.take_top(ui.px(kRow));
  const Hit h = ui.hit("menu.reset", {row.x + ui.px(4), row.y, row.w - ui.px(8), row.h});
  if (h.hovered) ui.fill({row.x + ui.px(4), row.y, row.w - ui.px(8), row.h}, mix(t.raised, t.text1, 0.12f), ui.px(4));
  ui.text_in({row.x + ui.px(46), row.y, row.w, row.h}, ui.t(Text::ResetLayout), TextSize::Title, t.text1);
  if (h.clicked) {
    c.state.hidden.clear();
    c.state.splits.clear();
    c.state.front_tab.clear();
  }
}

void draw_more_menu(PanelContext& c, Chrome& chrome) {
  Ui& ui = c.ui;
  const std::vector<model::ArgumentControl> controls = controls_of(c, chrome);
  std::vector<const model::ArgumentControl*> rows;
  for (const model::ArgumentControl& a : controls)
    if (std::find(chrome.overflow.begin(), chrome.overflow.end(), a.name) != chrome.overflow.end()) rows.push_back(&a);
  chrome.tight = false;
  float name = 0, w = ui.px(160);
  for (const model::ArgumentControl* a : rows) name = std::max(name, ui.width(a->name, TextSize::Code, true));
  for (const model::ArgumentControl* a : rows)
    w = std::max(w, name - ui.width(a->name, TextSize::Code, true) + argument_width(ui, chrome, *a) + ui.px(24));
  // As many columns as keep the menu inside the window.
  const float room = ui.size().y - chrome.anchor.bottom() - ui.px(32);
  const auto high = static_cast<size_t>(std::max(1.0f, room / ui.px(kRow)));
  const size_t columns = (rows.size() + high - 1) / high, each = (rows.size() + columns - 1) / std::max<size_t>(1, columns);
  const Rect r = menu_ground(ui, chrome.anchor, w * static_cast<float>(columns) + ui.px(16), ui.px(kRow) * static_cast<float>(each) + ui.px(16));
  const Hit ground = ui.hit("menu.ground", r);
  (void)ground;
  ui.clip(r);
  chrome.in_menu = true;
  for (size_t i = 0; i < rows.size(); ++i) {
    const float x = r.x + ui.px(16) + w * static_cast<float>(i / each), y = r.y + ui.px(8) + ui.px(kRow) * static_cast<float>(i % each);
    draw_argument(c, chrome, *rows[i], {x, y, w - ui.px(24), ui.px(kRow)}, name);
  }
  chrome.in_menu = false;
  ui.unclip();
}

/// One row a config, its values beside it. Long lists are turned with the wheel.
void draw_configs_menu(PanelContext& c, Chrome& chrome) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const std::optional<int64_t> now = config_in_use(c, chrome);
  const auto count = static_cast<int>(chrome.configs.size());
  if (!now) {
    chrome.popup = Popup::None;
    return;
  }
  float text = 0;
  for (const TuningConfig& config : chrome.configs) text = std::max(text, ui.width(config_text(config), TextSize::Code, true));
  const float number = ui.width(std::to_string(count), TextSize::Code, true) + ui.px(16);
  const float room = ui.size().y - chrome.anchor.bottom() - ui.px(32);
  const int rows = std::clamp(static_cast<int>(room / ui.px(kRow)), 1, count);
  const float w = std::min(number + text + ui.px(40), ui.size().x - ui.px(16));
  Rect r = menu_ground(ui, chrome.anchor, w, ui.px(kRow) * static_cast<float>(rows) + ui.px(8));
  const Hit ground = ui.hit("menu.ground", r);
  if (r.contains(ImGui::GetIO().MousePos) && ImGui::GetIO().MouseWheel != 0) chrome.first_config += ImGui::GetIO().MouseWheel < 0 ? 3 : -3;
  (void)ground;
  chrome.first_config = std::clamp(chrome.first_config, 0, count - rows);
  ui.clip(r);
  r.take_top(ui.px(4));
  for (int i = chrome.first_config; i < chrome.first_config + rows; ++i) {
    const Rect row = r.take_top(ui.px(kRow)), inner{row.x + ui.px(4), row.y, row.w - ui.px(8), row.h};
    const Hit h = ui.hit("menu.config." + std::to_string(i + 1), inner);
    const bool chosen = i == *now;
    if (chosen || h.hovered) ui.fill(inner, chosen ? t.selected : mix(t.raised, t.text1, 0.12f), ui.px(4));
    ui.text_in({inner.x, inner.y, number, inner.h}, std::to_string(i + 1), TextSize::Code, chosen ? IM_COL32_WHITE : t.text3, true, Align::Right);
    ui.text_in({inner.x + number + ui.px(12), inner.y, inner.w - number - ui.px(16), inner.h}, config_text(chrome.configs[static_cast<size_t>(i)]), TextSize::Code,
               chosen ? IM_COL32_WHITE : t.text1, true);
    if (!h.clicked) continue;
    c.control.session().set_config(i);
    chrome.popup = Popup::None;
  }
  ui.unclip();
}

/// One row a tensor: what is typed takes its place.
void draw_tensors_menu(PanelContext& c, Chrome& chrome) {
  Ui& ui = c.ui;
  const std::vector<model::ArgumentControl> rows = model::tensor_controls(c.control.session().spec());
  const float help = ui.width(ui.t(Text::LaunchHelp), TextSize::Caption);
  float name = 0, w = help;
  for (const model::ArgumentControl& a : rows) name = std::max(name, ui.width(a.name, TextSize::Code, true));
  for (const model::ArgumentControl& a : rows) w = std::max(w, name - ui.width(a.name, TextSize::Code, true) + argument_width(ui, chrome, a));
  w = std::min(w + ui.px(32), ui.size().x - ui.px(16));
  Rect r = menu_ground(ui, chrome.anchor, w, ui.px(kRow) * static_cast<float>(rows.size() + 2) + ui.px(16));
  const Hit ground = ui.hit("menu.ground", r);
  (void)ground;
  ui.clip(r);
  r = {r.x + ui.px(16), r.y + ui.px(8), r.w - ui.px(32), r.h - ui.px(16)};
  ui.text_in(r.take_top(ui.px(kRow)), ui.t(Text::LaunchTensors), TextSize::Title, ui.theme().text2);
  chrome.in_menu = true;
  for (const model::ArgumentControl& a : rows) draw_argument(c, chrome, a, r.take_top(ui.px(kRow)), name);
  chrome.in_menu = false;
  ui.text_in(r.take_top(ui.px(kRow)), ui.t(Text::LaunchHelp), TextSize::Caption, ui.theme().text3);
  ui.unclip();
}

/// Closing, or opening another kernel, would lose text that is not saved.
void draw_unsaved(PanelContext& c, Chrome& chrome) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const bool close = chrome.after_unsaved == AfterUnsaved::Close;
  const float margin = ui.px(24);
  const Rect r = question_ground(ui, ui.px(520), ui.px(176));
  ui.text({r.x + margin, r.y + ui.px(20)}, ui.t(Text::UnsavedTitle), TextSize::Question, t.text1);
  const Rect path{r.x + margin, r.y + ui.px(54), r.w - 2 * margin, ui.px(20)};
  ui.text_in(path, chrome.unsaved_path, TextSize::Code, t.text2, true);
  ui.text_in({path.x, path.bottom() + ui.px(4), path.w, ui.px(20)}, ui.t(close ? Text::UnsavedText : Text::UnsavedPasteText), TextSize::Title, t.text2);
  Rect row{r.x + margin, r.bottom() - ui.px(56), r.w - 2 * margin, ui.px(32)};
  if (question_button(ui, row, "unsaved.save", close ? Text::SaveAndClose : Text::SaveAndPaste, {.primary = true})) chrome.save = true;
  if (question_button(ui, row, "unsaved.discard", close ? Text::CloseWithoutSaving : Text::PasteWithoutSaving, {})) chrome.discard = true;
  if (question_button(ui, row, "unsaved.cancel", Text::GoBack, {})) chrome.popup = Popup::None;
}

}  // namespace

bool question_button(Ui& ui, Rect& row, std::string_view name, Text text, Ui::ButtonLook look) {
  const Rect b = row.take_right(ui.width(ui.t(text), TextSize::Title) + ui.px(28));
  row.take_right(ui.px(8));
  return ui.button(name, b, ui.t(text), look);
}

void draw_popup(PanelContext& c, Chrome& chrome) {
  if (chrome.popup == Popup::None) return;
  const Hit away = c.ui.hit("menu.close", {0, 0, c.ui.size().x, c.ui.size().y});
  switch (chrome.popup) {
    case Popup::Panels: draw_panels_menu(c, chrome); break;
    case Popup::More: draw_more_menu(c, chrome); break;
    case Popup::Configs: draw_configs_menu(c, chrome); break;
    case Popup::Tensors: draw_tensors_menu(c, chrome); break;
    case Popup::Unsaved: draw_unsaved(c, chrome); break;
    case Popup::Lessons: draw_lessons_menu(c, chrome); break;
    case Popup::ResetAnswer: draw_reset_question(c, chrome); break;
    case Popup::Solution: draw_solution(c, chrome); break;
    case Popup::None: break;
  }
  if (away.clicked && chrome.popup != Popup::Unsaved) chrome.popup = Popup::None;
}

}  // namespace tilescope::window
