// The strip at the top: what is open, sliders of constexpr values, sizes, faults, help and theme.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "visualizer/window/window.h"

namespace tilescope::window {
namespace {

/// Four squares: a tile of tiles.
void draw_logo(Ui& ui, float x, float y) {
  const Theme& t = ui.theme();
  const float s = ui.px(7), g = ui.px(1);
  ui.fill({x, y, s, s}, t.load);
  ui.fill({x + s + g, y, s, s}, t.store);
  ui.fill({x, y + s + g, s, s}, t.compute);
  ui.fill({x + s + g, y + s + g, s, s}, t.text1);
}

struct Constexpr {
  std::string name;
  int64_t value = 0;
};

bool is_power_of_two(int64_t v) { return v > 0 && (v & (v - 1)) == 0; }

/// The launch's integer constexprs that are powers of two, in the order of the kernel's parameters.
std::vector<Constexpr> block_sizes(const LaunchSpec& spec, const Function& f) {
  std::vector<Constexpr> out;
  for (const auto& [name, text] : f.constexprs) {
    const LaunchArg* arg = spec.find(name);
    if (arg == nullptr) continue;
    if (const auto* v = std::get_if<int64_t>(&arg->value); v != nullptr && is_power_of_two(*v)) out.push_back({name, *v});
  }
  return out;
}

constexpr int kFewestLog2 = 0, kMostLog2 = 12;

/// A slider over powers of two from a quarter of the value to four times it. Returns the width used.
float draw_block_slider(PanelContext& c, float x, const Rect& bar, const Constexpr& k) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const float label = ui.width(k.name, TextSize::Code, true), track = ui.px(96), number = ui.px(40);
  ui.text_in({x, bar.y, label, bar.h}, k.name, TextSize::Code, t.text2, true);
  const int at = static_cast<int>(std::lround(std::log2(static_cast<double>(k.value))));
  const int stops = kMostLog2 - kFewestLog2 + 1;
  const float p = ui.slider("slider." + k.name, {x + label + ui.px(8), bar.y + ui.px(8), track, bar.h - ui.px(16)},
                            static_cast<float>(at - kFewestLog2) / static_cast<float>(stops - 1), stops);
  if (p >= 0) {
    const int64_t chosen = int64_t{1} << (kFewestLog2 + std::lround(p * static_cast<float>(stops - 1)));
    if (chosen != k.value) c.control.set_argument(k.name, chosen);
  }
  ui.text_in({x + label + track + ui.px(16), bar.y, number, bar.h}, std::to_string(k.value), TextSize::Code, t.text1, true);
  return label + track + number + ui.px(32);
}

void draw_faults(PanelContext& c, Rect& bar) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const size_t n = c.scene.run.totals != nullptr ? c.scene.run.totals->trace.faults.size() : 0;
  if (c.scene.run.busy) {
    const Rect cancel = bar.take_right(ui.px(72));
    if (ui.button("topbar.cancel", {cancel.x, cancel.y + ui.px(8), cancel.w, cancel.h - ui.px(16)}, ui.t(Text::Cancel), {})) c.control.session().cancel();
    bar.take_right(ui.px(8));
    ui.text_in(bar.take_right(ui.px(220)), c.scene.run.work, TextSize::Title, t.text2, false, Align::Right);
    return;
  }
  if (c.scene.run.totals == nullptr) return;
  const std::string text = n == 0 ? std::string(ui.t(Text::NoFaults)) : n == 1 ? std::string(ui.t(Text::OneFault)) : fmt::format(fmt::runtime(ui.t(Text::ManyFaults)), n);
  const float w = ui.width(text, TextSize::Title) + ui.px(40);
  const Rect r = bar.take_right(w);
  const Rect chip{r.x, r.y + ui.px(8), r.w, r.h - ui.px(16)};
  const Hit h = ui.hit("topbar.faults", chip);
  const ImVec2 dot{chip.x + ui.px(16), chip.y + chip.h / 2};
  if (n > 0) ui.fill(chip, mix(t.panel, t.fault, h.hovered ? 0.45f : 0.3f), ui.px(4));
  ui.draw().AddCircleFilled(dot, ui.px(7), n > 0 ? t.fault : t.compute);
  if (n > 0) ui.cross({dot.x - ui.px(7), dot.y - ui.px(7), ui.px(14), ui.px(14)}, IM_COL32_WHITE, ui.px(2));
  ui.text_in({chip.x + ui.px(28), chip.y, chip.w - ui.px(28), chip.h}, text, TextSize::Title, n > 0 ? t.fault_text : t.text1);
  if (h.clicked && n > 0) c.control.go_to_fault(0);
  if (h.hovered && n > 0) ui.tooltip(c.scene.run.totals->trace.faults[0].message);
}

}  // namespace

void draw_top_bar(PanelContext& c, Rect r) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  ui.fill(r, t.panel);
  ui.fill({r.x, r.bottom() - 1, r.w, 1}, t.line);
  Rect bar{r.x + ui.px(16), r.y, r.w - ui.px(24), r.h};
  draw_logo(ui, bar.x, bar.y + ui.px(16));
  bar.take_left(ui.px(24));
  const float name = ui.width("Tilescope", TextSize::Body);
  ui.text_in(bar.take_left(name), "Tilescope", TextSize::Body, t.text1);
  bar.take_left(ui.px(16));
  ui.fill({bar.x, bar.y + ui.px(10), 1, bar.h - ui.px(20)}, t.line);
  bar.take_left(ui.px(16));

  // From the right, so that what must be there always is.
  const float button = ui.px(32), top = ui.px(8);
  const Rect theme = bar.take_right(button);
  const bool dark = c.state.theme == model::ThemeChoice::Dark;
  if (ui.button("topbar.theme", {theme.x, theme.y + top, button, button}, "", {}, ui.t(Text::KeyTheme)))
    c.state.theme = dark ? model::ThemeChoice::Light : model::ThemeChoice::Dark;
  const ImVec2 centre{theme.x + button / 2, theme.y + theme.h / 2};
  ui.draw().AddCircleFilled(centre, ui.px(7), t.text1);
  ui.draw().AddCircleFilled({centre.x + ui.px(dark ? 4 : 0), centre.y - ui.px(dark ? 3 : 0)}, ui.px(dark ? 6 : 5), dark ? t.raised : t.raised);
  bar.take_right(ui.px(8));
  const Rect help = bar.take_right(button);
  if (ui.button("topbar.help", {help.x, help.y + top, button, button}, "?", {}, ui.t(Text::HelpTitle))) c.state.help = !c.state.help;
  bar.take_right(ui.px(16));
  draw_faults(c, bar);
  bar.take_right(ui.px(16));

  const LaunchSpec spec = c.control.session().spec();
  std::string file = std::filesystem::path(spec.kernel_path).filename().string();
  const Function* f = c.scene.function;
  if (f != nullptr) file += " / " + f->name;
  const float file_width = std::min(ui.width(file, TextSize::Code, true), bar.w / 3);
  ui.text_in(bar.take_left(file_width), file, TextSize::Code, t.text1, true);
  bar.take_left(ui.px(32));
  if (f == nullptr) return;
  for (const Constexpr& k : block_sizes(spec, *f)) {
    const float need = ui.width(k.name, TextSize::Code, true) + ui.px(96 + 40 + 32);
    if (need > bar.w) break;
    bar.take_left(draw_block_slider(c, bar.x, bar, k));
    bar.take_left(ui.px(8));
  }
  for (const Param& p : f->params) {
    if (p.type.pointer) continue;
    const LaunchArg* arg = spec.find(p.name);
    const int64_t* v = arg != nullptr ? std::get_if<int64_t>(&arg->value) : nullptr;
    if (v == nullptr) continue;
    const std::string text = fmt::format("{} {}", p.name, *v);
    const float w = ui.width(text, TextSize::Code, true);
    if (w > bar.w) break;
    ui.text_in(bar.take_left(w), text, TextSize::Code, t.text2, true);
    bar.take_left(ui.px(20));
  }
}

}  // namespace tilescope::window
