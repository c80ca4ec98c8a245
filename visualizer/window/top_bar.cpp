// The strip at the top: what is open, the launch's arguments, faults, panels, language, help and theme.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <filesystem>

#include "visualizer/model/kernel_file.h"
#include "visualizer/window/chrome.h"
#include "visualizer/window/spoken.h"
#include "visualizer/window/withheld.h"

namespace tilescope::window {
namespace {

constexpr float kButton = 32;

/// Four squares: a tile of tiles.
void draw_logo(Ui& ui, float x, float y) {
  const Theme& t = ui.theme();
  const float s = ui.px(7), g = ui.px(2);
  ui.fill({x, y, s, s}, t.load);
  ui.fill({x + s + g, y, s, s}, t.store);
  ui.fill({x, y + s + g, s, s}, t.compute);
  ui.fill({x + s + g, y + s + g, s, s}, t.text1);
}

Rect button_place(Ui& ui, Rect& bar, float width) {
  const Rect r = bar.take_right(width);
  bar.take_right(ui.px(8));
  return {r.x, r.y + ui.px(8), r.w, ui.px(kButton)};
}

void draw_theme_button(PanelContext& c, const Rect& r) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const bool dark = c.state.theme == model::ThemeChoice::Dark;
  if (ui.button("topbar.theme", r, "", {}, ui.t(Text::KeyTheme))) c.state.theme = dark ? model::ThemeChoice::Light : model::ThemeChoice::Dark;
  const ImVec2 centre{r.x + r.w / 2, r.y + r.h / 2};
  if (dark) {  // a moon; in light a ring
    ui.draw().AddCircleFilled(centre, ui.px(7), t.text1);
    ui.draw().AddCircleFilled({centre.x + ui.px(4), centre.y - ui.px(3)}, ui.px(6), t.raised);
  } else {
    ui.draw().AddCircle(centre, ui.px(6), t.text1, 0, ui.px(2.5f));
  }
}

/// Menus open below their button; a second click closes them.
void menu_button(PanelContext& c, Chrome& chrome, std::string_view name, const Rect& r, std::string_view label, Popup popup) {
  Ui& ui = c.ui;
  const bool open = chrome.popup == popup;
  if (ui.button(name, r, "", {.active = open})) {
    chrome.popup = open ? Popup::None : popup;
    chrome.anchor = r;
  }
  if (open) chrome.anchor = r;
  const ImU32 ink = open ? IM_COL32_WHITE : ui.theme().text1;
  ui.text_in({r.x + ui.px(10), r.y, r.w - ui.px(28), r.h}, label, TextSize::Title, ink);
  ui.triangle({r.right() - ui.px(14), r.y + r.h / 2 - ui.px(1)}, ui.px(4), 90, ink);
}

/// What the session is doing, in the language chosen.
std::string work_text(const Ui& ui, const model::Published& run) {
  const auto& p = run.work_program;
  const std::string program = fmt::format(" ({}, {}, {})", p[0], p[1], p[2]);
  switch (run.work) {
    case model::Work::Nothing:
      return {};
    case model::Work::Compiling:
      return std::string(ui.t(Text::WorkCompiling));
    case model::Work::FillingTensors:
      return std::string(ui.t(Text::WorkFilling));
    case model::Work::RunningBefore:
      return std::string(ui.t(Text::WorkBefore)) + program;
    case model::Work::Recording:
      return std::string(ui.t(Text::WorkRecording)) + program;
    case model::Work::RunningAll:
      return std::string(ui.t(Text::WorkRunning));
  }
  return {};
}

void draw_busy(PanelContext& c, Rect& bar) {
  Ui& ui = c.ui;
  const Rect cancel = button_place(ui, bar, ui.width(ui.t(Text::Cancel), TextSize::Title) + ui.px(20));
  if (ui.button("topbar.cancel", cancel, ui.t(Text::Cancel), {})) c.control.session().cancel();
  std::string work = work_text(ui, c.scene.run);
  if (c.scene.run.progress >= 0) work += fmt::format(" {:.0f}%", c.scene.run.progress * 100);
  const float w = std::min(ui.width(work, TextSize::Caption) + ui.px(4), ui.px(220));
  ui.text_in(bar.take_right(w), work, TextSize::Caption, ui.theme().text2, false, Align::Right);
  bar.take_right(ui.px(8));
}

size_t wrong_outputs(const PanelContext& c) {
  if (c.scene.run.totals == nullptr) return 0;
  const std::vector<OutputCheck>& outputs = c.scene.run.totals->outputs;
  return static_cast<size_t>(std::count_if(outputs.begin(), outputs.end(), [](const OutputCheck& o) { return !o.equal; }));
}

/// A run without faults whose results are wrong. A click brings Messages to the front, where the differences stand.
void draw_wrong_outputs(PanelContext& c, Rect& bar) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const size_t n = wrong_outputs(c);
  const std::string text = n == 1 ? std::string(ui.t(Text::OneWrongOutput)) : fmt::format(fmt::runtime(ui.t(Text::ManyWrongOutputs)), n);
  const Rect chip = button_place(ui, bar, ui.width(text, TextSize::Title) + ui.px(40));
  const Hit h = ui.hit("topbar.wrong_outputs", chip);
  const ImVec2 dot{chip.x + ui.px(16), chip.y + chip.h / 2};
  ui.fill(chip, mix(t.panel, t.fault, h.hovered ? 0.45f : 0.3f), ui.px(4));
  ui.draw().AddCircleFilled(dot, ui.px(7), t.fault);
  ui.cross({dot.x - ui.px(8), dot.y - ui.px(8), ui.px(16), ui.px(16)}, IM_COL32_WHITE, ui.px(2));
  ui.text_in({chip.x + ui.px(28), chip.y, chip.w - ui.px(28), chip.h}, text, TextSize::Title, t.text1);
  if (h.clicked) bring_to_front(c.state, "messages");
  if (!h.hovered) return;
  for (const OutputCheck& o : c.scene.run.totals->outputs)
    if (!o.equal) return ui.tooltip(fmt::format(fmt::runtime(ui.t(Text::WrongOutputHint)), o.differing, o.elements, o.tensor));
}

void draw_faults(PanelContext& c, Chrome& chrome, Rect& bar) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const std::vector<Fault>* faults = c.scene.run.totals != nullptr ? &c.scene.run.totals->trace.faults : nullptr;
  const bool broken = !c.scene.run.errors.empty();
  if (faults == nullptr && !broken) return;
  if (is_withheld(c) && !broken && !faults->empty()) return;
  if (!broken && faults->empty() && wrong_outputs(c) > 0) return draw_wrong_outputs(c, bar);
  const size_t n = broken ? 1 : faults->size();
  // As the terminal has it: stores of one value to one element are warned of, and the launch does not fail.
  const bool harmless = !broken && std::all_of(faults->begin(), faults->end(), [](const Fault& f) { return f.same_value; });
  const std::string text = broken   ? std::string(ui.t(Text::DoesNotCompile))
                           : n == 0 ? std::string(ui.t(Text::NoFaults))
                           : harmless && n == 1 ? std::string(ui.t(Text::OneWarning))
                           : harmless ? fmt::format(fmt::runtime(ui.t(Text::ManyWarnings)), n)
                           : n == 1 ? std::string(ui.t(Text::OneFault))
                                    : fmt::format(fmt::runtime(ui.t(Text::ManyFaults)), n);
  const Rect chip = button_place(ui, bar, ui.width(text, TextSize::Title) + ui.px(40));
  const Hit h = ui.hit("topbar.faults", chip);
  const ImVec2 dot{chip.x + ui.px(16), chip.y + chip.h / 2};
  if (n > 0) ui.fill(chip, mix(t.panel, t.fault, h.hovered ? 0.45f : 0.3f), ui.px(4));
  ui.draw().AddCircleFilled(dot, ui.px(7), n > 0 ? t.fault : t.compute);
  if (n > 0) ui.cross({dot.x - ui.px(8), dot.y - ui.px(8), ui.px(16), ui.px(16)}, IM_COL32_WHITE, ui.px(2));
  else ui.check(dot, ui.px(7), IM_COL32_WHITE);
  ui.text_in({chip.x + ui.px(28), chip.y, chip.w - ui.px(28), chip.h}, text, TextSize::Title, t.text1);
  if (broken) return;
  if (h.clicked && n > 0) chrome.next_fault = true;
  if (!h.hovered || n == 0) return;
  const size_t next = chrome.fault + 1 < n ? chrome.fault + 1 : 0;
  ui.tooltip(spoken(ui, (*faults)[next].message) + "\n" + std::string(ui.t(Text::KeyFault)));
}

float gap_after(Ui& ui, const Chrome& chrome, const model::ArgumentControl& a) { return ui.px(a.constexpr_argument && !chrome.tight ? 24 : 16); }

float whole_width(Ui& ui, const Chrome& chrome, const std::vector<model::ArgumentControl>& controls) {
  float sum = 0;
  for (const model::ArgumentControl& a : controls) sum += argument_width(ui, chrome, a) + gap_after(ui, chrome, a);
  return sum;
}

/// Arguments from the left as far as they fit; the others go into a menu.
void draw_arguments(PanelContext& c, Chrome& chrome, const std::vector<model::ArgumentControl>& controls, Rect bar) {
  Ui& ui = c.ui;
  const float more = ui.width(ui.t(Text::MoreArguments), TextSize::Title) + ui.px(40);
  if (whole_width(ui, chrome, controls) > bar.w) bar.w -= more;
  chrome.overflow.clear();
  for (const model::ArgumentControl& a : controls) {
    const float w = argument_width(ui, chrome, a);
    // Once one is left out so are all after it: their order stays.
    if (!chrome.overflow.empty() || w > bar.w) {
      chrome.overflow.push_back(a.name);
      continue;
    }
    draw_argument(c, chrome, a, bar.take_left(w));
    bar.take_left(gap_after(ui, chrome, a));
  }
  if (chrome.overflow.empty()) {
    if (chrome.popup == Popup::More) chrome.popup = Popup::None;
    return;
  }
  const std::string label = fmt::format(fmt::runtime(ui.t(Text::MoreArguments)), chrome.overflow.size());
  const Rect r{bar.x, bar.y + ui.px(8), ui.width(label, TextSize::Title) + ui.px(32), ui.px(kButton)};
  menu_button(c, chrome, "topbar.more", r, label, Popup::More);
}

/// "config 2 of 8": a menu; the wheel goes to the next one.
void draw_config(PanelContext& c, Chrome& chrome, int64_t config, Rect& bar) {
  Ui& ui = c.ui;
  const auto count = static_cast<int64_t>(chrome.configs.size());
  const std::string label = fmt::format(fmt::runtime(ui.t(Text::ConfigOf)), config + 1, count);
  const Rect place = bar.take_left(ui.width(label, TextSize::Title) + ui.px(32));
  const Rect r{place.x, place.y + ui.px(8), place.w, ui.px(kButton)};
  menu_button(c, chrome, "topbar.config", r, label, Popup::Configs);
  const float wheel = r.contains(ImGui::GetIO().MousePos) ? ImGui::GetIO().MouseWheel : 0;
  const int64_t next = std::clamp<int64_t>(config + (wheel < 0 ? 1 : wheel > 0 ? -1 : 0), 0, count - 1);
  if (next != config) c.control.session().set_config(next);
  bar.take_left(ui.px(16));
}

/// "kernel.py / matmul_kernel" and the arguments. Where there is little room, sliders get shorter first; then the kernel's
/// name alone says more than the file's.
void draw_launch(PanelContext& c, Chrome& chrome, Rect bar) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const std::string file = std::filesystem::path(model::source_path(chrome.opened)).filename().string();
  std::string kernel = c.scene.function != nullptr ? c.scene.function->name : chrome.opened.kernel;
  if (kernel.empty()) kernel = file;
  const std::vector<model::ArgumentControl> controls = controls_of(c, chrome);
  const float after = ui.px(24), most = bar.w * 0.4f;
  const float slash = ui.width(" / ", TextSize::Code, true), file_width = std::min(ui.width(file, TextSize::Code, true), most);
  const float kernel_width = std::min(ui.width(kernel, TextSize::Code, true), most);
  bool with_file = ui.size().x >= ui.px(1000);
  const float config_width = config_in_use(c, chrome) ? ui.width(ui.t(Text::ConfigOf), TextSize::Title) + ui.px(64) : 0;
  const auto room = [&] { return bar.w - kernel_width - after - config_width - (with_file ? file_width + slash : 0); };
  chrome.tight = false;
  if (whole_width(ui, chrome, controls) > room()) chrome.tight = true;
  if (whole_width(ui, chrome, controls) > room()) with_file = false;
  // The names open the form of tensors.
  const Rect names{bar.x - ui.px(6), bar.y + ui.px(8), kernel_width + (with_file ? file_width + slash : 0) + ui.px(12), ui.px(kButton)};
  const Hit h = ui.hit("topbar.launch", names);
  const bool open = chrome.popup == Popup::Tensors;
  if (h.hovered || open) ui.fill(names, mix(t.panel, t.text1, 0.12f), ui.px(4));
  if (h.hovered) ui.tooltip(ui.t(Text::LaunchTip));
  if (h.clicked) chrome.popup = open ? Popup::None : Popup::Tensors;
  if (h.clicked || open) chrome.anchor = names;
  if (with_file) {
    ui.text_in(bar.take_left(file_width), file, TextSize::Code, t.text1, true);
    ui.text_in(bar.take_left(slash), " / ", TextSize::Code, t.text3, true);
  }
  ui.text_in(bar.take_left(kernel_width), kernel, TextSize::Code, with_file ? t.text2 : t.text1, true);
  bar.take_left(after);
  if (const auto config = config_in_use(c, chrome)) draw_config(c, chrome, *config, bar);
  if (bar.w > ui.px(60)) draw_arguments(c, chrome, controls, bar);
}

}  // namespace

void draw_top_bar(PanelContext& c, Chrome& chrome, Rect r) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  ui.fill(r, t.panel);
  ui.fill({r.x, r.bottom() - 1, r.w, 1}, t.line);
  ui.place("topbar", r);
  Rect bar{r.x + ui.px(16), r.y, r.w - ui.px(24), r.h - 1};
  draw_logo(ui, bar.x, bar.y + ui.px(16));
  bar.take_left(ui.px(24));
  if (ui.size().x >= ui.px(1000)) ui.text_in(bar.take_left(ui.width("Tilescope", TextSize::Body)), "Tilescope", TextSize::Body, t.text1);
  bar.take_left(ui.px(14));
  ui.fill({bar.x, bar.y + ui.px(10), 1, bar.h - ui.px(20)}, t.line);
  bar.take_left(ui.px(15));

  // From the right, so that what must be there always is.
  const float button = ui.px(kButton);
  draw_theme_button(c, button_place(ui, bar, button));
  const bool english = c.state.language == model::Language::English;
  if (ui.button("topbar.language", button_place(ui, bar, button), english ? "中" : "EN", {}, ui.t(Text::KeyLanguage)))
    c.state.language = english ? model::Language::Chinese : model::Language::English;
  if (ui.button("topbar.help", button_place(ui, bar, button), "?", {}, ui.t(Text::HelpTitle))) c.state.help = !c.state.help;
  const std::string_view panels = ui.t(Text::Panels);
  menu_button(c, chrome, "topbar.panels", button_place(ui, bar, ui.width(panels, TextSize::Title) + ui.px(32)), panels, Popup::Panels);
  bar.take_right(ui.px(8));
  // The room of the usual texts is kept free, so that the bar does not jump while programs run.
  const float before = bar.w;
  constexpr double kPatience = 0.2;
  if (c.scene.run.busy && c.time - chrome.busy_since >= kPatience) draw_busy(c, bar);
  else draw_faults(c, chrome, bar);
  bar.take_right(std::max(ui.px(8), ui.px(150) - (before - bar.w)));
  draw_launch(c, chrome, bar);
}

}  // namespace tilescope::window
