// Sliders, steppers and number fields of the launch's arguments. Every change runs the launch again at once.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "core/arg_spec.h"
#include "core/launch_text.h"
#include "visualizer/model/follow_sizes.h"
#include "visualizer/window/chrome.h"
#include "visualizer/window/input.h"

namespace tilescope::window {
namespace {

using model::ArgumentControl;
using Kind = ArgumentControl::Kind;

constexpr float kHeight = 28, kTrack = 84, kTightTrack = 60, kGap = 8, kStep = 22;

float track_width(const Chrome& chrome) { return chrome.tight ? kTightTrack : kTrack; }

std::string slider_end(const ArgumentControl& a) { return std::to_string(int64_t{1} << (a.first_stop + a.stops - 1)); }

float box_width(Ui& ui, const std::string& text) {
  return std::max(ui.px(38), ui.width(text, TextSize::Code, true) + ui.px(16));
}

/// Sizes stay sizes: a positive whole number is not dragged or turned below 1.
ArgValue moved(const ArgValue& from, int64_t steps) {
  ArgValue to = model::moved_value(from, steps);
  const auto *a = std::get_if<int64_t>(&from), *b = std::get_if<int64_t>(&to);
  if (a != nullptr && b != nullptr && *a >= 1 && *b < 1) return int64_t{1};
  return to;
}

bool same(const ArgValue& a, const ArgValue& b) { return arg_text(a) == arg_text(b); }

void set(PanelContext& c, const ArgumentControl& a, ArgValue value) {
  if (!same(a.value, value)) c.control.set_argument(a.name, std::move(value));
}

// ---- typing

/// The same argument may be drawn in several places; each field has a name of its own.
std::string field_name(const Chrome& chrome, const ArgumentControl& a) { return chrome.fields + a.name; }
std::string place_name(const Chrome& chrome, const ArgumentControl& a) { return chrome.fields + "argument." + a.name; }
std::string focus_name(const std::string& field) { return "argument." + field; }

void begin_edit(Ui& ui, Chrome& chrome, const ArgumentControl& a) {
  chrome.edit = {field_name(chrome, a), a.text, a.text.size(), true, {}, {}, true};
  ui.keyboard_focus = focus_name(chrome.edit.name);
}

void end_edit(Ui& ui, Chrome& chrome) {
  if (ui.keyboard_focus == focus_name(chrome.edit.name)) ui.keyboard_focus.clear();
  chrome.edit = {};
}

Text text_of_problem(model::TypedValue::Problem p) {
  using Problem = model::TypedValue::Problem;
  switch (p) {
    case Problem::NotWhole: return Text::NotWhole;
    case Problem::NotANumber: return Text::NotANumber;
    case Problem::TooLarge: return Text::TooLarge;
    case Problem::Empty:
    case Problem::None: break;
  }
  return Text::TypeANumber;
}

/// A tensor as `--arg` takes it.
bool commit_typed(PanelContext& c, Chrome& chrome, const ArgumentControl& a) {
  Expected<LaunchArg> arg = parse_arg(a.name + "=" + chrome.edit.text);
  if (!arg || !std::holds_alternative<TensorSpec>(arg->value)) {
    std::string why = arg ? std::string(c.ui.t(Text::TensorWanted)) : arg.errors()[0].message;
    const std::string place = "--arg " + a.name + ": ";  // of the command line
    chrome.edit.problem = why.starts_with(place) ? why.substr(place.size()) : why;
    return false;
  }
  set(c, a, std::move(arg->value));
  return true;
}

/// True when the text was taken over.
bool commit(PanelContext& c, Chrome& chrome, const ArgumentControl& a) {
  if (a.kind == Kind::Typed) return commit_typed(c, chrome, a);
  model::TypedValue typed = model::read_typed_value(chrome.edit.text, a.value);
  if (!typed.value) {
    chrome.edit.problem = c.ui.t(text_of_problem(typed.problem));
    return false;
  }
  set(c, a, std::move(*typed.value));
  return true;
}

void insert(FieldEdit& e, const std::string& text) {
  constexpr size_t kMost = 400;
  if (e.all) e.text.clear(), e.caret = 0;
  e.all = false;
  e.problem.clear();
  if (e.text.size() + text.size() > kMost) return;
  e.text.insert(e.caret, text);
  e.caret += text.size();
}

void erase(FieldEdit& e, bool before) {
  e.problem.clear();
  if (e.all) {
    e.text.clear();
    e.caret = 0;
  } else if (before && e.caret > 0) {
    e.text.erase(--e.caret, 1);
  } else if (!before && e.caret < e.text.size()) {
    e.text.erase(e.caret, 1);
  }
  e.all = false;
}

void move_caret(FieldEdit& e, size_t to) {
  e.caret = std::min(to, e.text.size());
  e.all = false;
}

/// Printable ASCII of what was typed or pasted: no number has anything else.
std::string plain(const char* text) {
  std::string out;
  for (; text != nullptr && *text != 0; ++text)
    if (*text > ' ' && *text < 127) out += *text;
  return out;
}

void type(PanelContext& c, Chrome& chrome, const ArgumentControl& a) {
  FieldEdit& e = chrome.edit;
  const auto pressed = [](const char* name) { return key_pressed(key_by_name(name), true); };
  if (ctrl_down()) {
    if (pressed("V")) insert(e, plain(ImGui::GetClipboardText()));
    if (pressed("C")) ImGui::SetClipboardText(e.text.c_str());
    if (pressed("A")) e.all = true;
    return;
  }
  for (const ImWchar w : ImGui::GetIO().InputQueueCharacters)
    if (w > ' ' && w < 127) insert(e, std::string(1, static_cast<char>(w)));
  if (pressed("Backspace")) erase(e, true);
  if (pressed("Delete")) erase(e, false);
  if (pressed("Left")) move_caret(e, e.all ? 0 : e.caret - (e.caret > 0 ? 1 : 0));
  if (pressed("Right")) move_caret(e, e.all ? e.text.size() : e.caret + 1);
  if (pressed("Home")) move_caret(e, 0);
  if (pressed("End")) move_caret(e, e.text.size());
  const int turn = a.kind == Kind::Typed ? 0 : pressed("Up") ? 1 : pressed("Down") ? -1 : 0;
  if (turn != 0) {
    const model::TypedValue typed = model::read_typed_value(e.text, a.value);
    e.text = model::value_text(moved(typed.value.value_or(a.value), turn));
    e.caret = e.text.size();
    e.all = true;
    e.problem.clear();
  }
  if (pressed("Escape")) return end_edit(c.ui, chrome);
  if ((pressed("Enter") || pressed("Tab")) && commit(c, chrome, a)) end_edit(c.ui, chrome);
}

void draw_edit(PanelContext& c, Chrome& chrome, const ArgumentControl& a, const Rect& box) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  FieldEdit& e = chrome.edit;
  e.box = box;
  e.drawn = true;
  type(c, chrome, a);
  if (e.name.empty()) return;  // taken over or given up
  if (ImGui::IsMouseClicked(0) && !box.contains(ImGui::GetIO().MousePos)) {
    commit(c, chrome, a);  // what cannot be taken is dropped
    return end_edit(ui, chrome);
  }
  ui.fill(box, t.window, ui.px(4));
  // Text that is longer than the box is moved so that the caret stays in it.
  const float advance = ui.code_advance(TextSize::Code), room = box.w - ui.px(16);
  const float x = box.x + ui.px(8) - std::max(0.0f, advance * static_cast<float>(e.caret) - room), high = ui.line_height(TextSize::Code);
  const float y = std::round(box.y + (box.h - high) / 2);
  ui.clip({box.x + ui.px(4), box.y, box.w - ui.px(8), box.h});
  if (e.all && !e.text.empty()) ui.fill({x, y, advance * static_cast<float>(e.text.size()), high}, mix(t.window, t.selected, 0.6f));
  ui.text({x, y}, e.text, TextSize::Code, t.text1, true);
  if (!e.all) ui.fill({std::round(x + advance * static_cast<float>(e.caret)), y, std::max(1.0f, ui.px(1)), high}, t.text1);
  ui.unclip();
  ui.outline(box, e.problem.empty() ? t.selected : t.fault, ui.px(2), ui.px(4));
}

// ---- the controls

/// A box that is dragged, turned with the wheel, or clicked to type.
void draw_number(PanelContext& c, Chrome& chrome, const ArgumentControl& a, Rect box) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const std::string field = field_name(chrome, a);
  const Hit h = ui.hit(place_name(chrome, a), box);
  if (chrome.edit.name == field) return draw_edit(c, chrome, a, box);
  const ImU32 ground = chrome.in_menu ? t.window : t.raised;
  ui.fill(box, h.hovered || h.held ? mix(ground, t.text1, 0.12f) : ground, ui.px(4));
  ui.text_in({box.x + ui.px(8), box.y, box.w - ui.px(16), box.h}, a.text, TextSize::Code, t.text1, true);
  if (h.clicked) chrome.press = {field, a.value, h.mouse.x, false};
  FieldPress& press = chrome.press;
  if (press.name == field && h.held) {
    const float dx = h.mouse.x - press.x;
    if (std::abs(dx) >= ui.px(4)) press.moved = true;
    if (press.moved) set(c, a, moved(press.value, std::lround(dx / ui.px(6))));
  }
  if (press.name == field && h.released) {
    if (!press.moved) begin_edit(ui, chrome, a);
    press = {};
  }
  if (h.wheel != 0) set(c, a, moved(a.value, h.wheel > 0 ? 1 : -1));
  if (h.hovered && !h.held) ui.tooltip(ui.t(Text::NumberTip));
}

/// A box whose text is typed.
void draw_typed(PanelContext& c, Chrome& chrome, const ArgumentControl& a, const Rect& box) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const Hit h = ui.hit(place_name(chrome, a), box);
  if (chrome.edit.name == field_name(chrome, a)) return draw_edit(c, chrome, a, box);
  const ImU32 ground = chrome.in_menu ? t.window : t.raised;
  ui.fill(box, h.hovered ? mix(ground, t.text1, 0.12f) : ground, ui.px(4));
  ui.text_in({box.x + ui.px(8), box.y, box.w - ui.px(16), box.h}, a.text, TextSize::Code, t.text1, true);
  if (h.clicked) begin_edit(ui, chrome, a);
}

void draw_slider(PanelContext& c, const Chrome& chrome, const ArgumentControl& a, const Rect& track, const Rect& number) {
  Ui& ui = c.ui;
  const float p = ui.slider(chrome.fields + "slider." + a.name, track, static_cast<float>(a.stop) / static_cast<float>(std::max(1, a.stops - 1)), a.stops);
  int stop = a.stop;
  if (p >= 0) stop = static_cast<int>(std::lround(p * static_cast<float>(a.stops - 1)));
  if (stop != a.stop) set(c, a, int64_t{1} << (a.first_stop + stop));
  ui.text_in(number, a.text, TextSize::Code, ui.theme().text1, true);
}

void draw_stepper(PanelContext& c, Chrome& chrome, const ArgumentControl& a, Rect r) {
  Ui& ui = c.ui;
  const Rect less = r.take_left(ui.px(kStep));
  const Rect box = r.take_left(box_width(ui, a.text));
  const Rect more = r.take_left(ui.px(kStep));
  if (ui.button(place_name(chrome, a) + ".less", less, "−", {})) set(c, a, moved(a.value, -1));
  if (ui.button(place_name(chrome, a) + ".more", more, "+", {})) set(c, a, moved(a.value, 1));
  draw_number(c, chrome, a, box.inset(0));
}

void draw_switch(PanelContext& c, const Chrome& chrome, const ArgumentControl& a, const Rect& r) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const bool on = std::get<bool>(a.value);
  const Hit h = ui.hit(place_name(chrome, a), r);
  const float high = ui.px(18);
  const Rect track{r.x, std::round(r.y + (r.h - high) / 2), ui.px(34), high};
  ui.fill(track, on ? t.selected : h.hovered ? mix(t.line, t.text1, 0.2f) : t.line, high / 2);
  ui.draw().AddCircleFilled({on ? track.right() - high / 2 : track.x + high / 2, track.y + high / 2}, high / 2 - ui.px(3), IM_COL32_WHITE);
  ui.text_in({track.right() + ui.px(kGap), r.y, r.w - track.w - ui.px(kGap), r.h}, a.text, TextSize::Code, t.text1, true);
  if (h.clicked) set(c, a, !on);
}

}  // namespace

namespace {

/// Adds the arguments that `spec` leaves open and the decorators give.
void add_given(LaunchSpec& spec, const std::vector<LaunchArg>& given) {
  for (const LaunchArg& arg : given)
    if (spec.find(arg.name) == nullptr) spec.args.push_back(arg);
}

}  // namespace

std::optional<int64_t> config_in_use(const PanelContext& c, const Chrome& chrome) {
  if (chrome.configs.empty()) return std::nullopt;
  const std::optional<int64_t> asked = c.control.session().spec().config;
  if (asked) return *asked < static_cast<int64_t>(chrome.configs.size()) ? asked : std::nullopt;
  return c.scene.run.launch != nullptr ? c.scene.run.launch->spec.config : std::nullopt;
}

std::vector<ArgumentControl> controls_of(PanelContext& c, Chrome& chrome) {
  LaunchSpec spec = c.control.session().spec();
  const SourcePtr text = c.scene.run.text;
  if (text != nullptr && chrome.constexprs_of != text) {
    // A text that cannot be read (it is being typed) keeps the names of the one before.
    std::set<std::string> names = model::constexpr_parameters(text, spec);
    if (!names.empty() || chrome.constexprs_of == nullptr) chrome.constexprs = std::move(names);
    chrome.constexprs_of = text;
    if (auto configs = read_configs(text, spec.kernel)) chrome.configs = std::move(*configs);
    chrome.first_config = 0;
  }
  LaunchSpec opened = chrome.opened;
  if (const std::optional<int64_t> config = config_in_use(c, chrome)) add_given(opened, chrome.configs[static_cast<size_t>(*config)].values);
  if (c.scene.run.launch != nullptr) add_given(spec, c.scene.run.launch->spec.args);
  return model::argument_controls(spec, opened, chrome.constexprs);
}

float argument_width(Ui& ui, const Chrome& chrome, const ArgumentControl& a) {
  const float name = ui.width(a.name, TextSize::Code, true) + ui.px(kGap);
  switch (a.kind) {
    case Kind::Slider: return name + ui.px(track_width(chrome) + kGap) + ui.width(slider_end(a), TextSize::Code, true);
    case Kind::Stepper: return name + box_width(ui, a.text) + 2 * ui.px(kStep);
    case Kind::Number: return name + box_width(ui, a.text);
    case Kind::Switch: return name + ui.px(34 + kGap) + ui.width("False", TextSize::Code, true);
    case Kind::Typed: return name + std::max(ui.px(220), ui.width(a.text, TextSize::Code, true) + ui.px(24));
    case Kind::Fixed: break;
  }
  return name + ui.width(a.text, TextSize::Code, true);
}

void draw_argument(PanelContext& c, Chrome& chrome, const ArgumentControl& a, Rect r, float name) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const float high = ui.px(kHeight);
  r = {r.x, std::round(r.y + (r.h - high) / 2), r.w, high};
  ui.text_in(r.take_left(std::max(name, ui.width(a.name, TextSize::Code, true))), a.name, TextSize::Code, t.text2, true);
  r.take_left(ui.px(kGap));
  switch (a.kind) {
    case Kind::Slider: {
      const Rect track = r.take_left(ui.px(track_width(chrome)));
      r.take_left(ui.px(kGap));
      return draw_slider(c, chrome, a, track, r);
    }
    case Kind::Stepper: return draw_stepper(c, chrome, a, r);
    case Kind::Number: return draw_number(c, chrome, a, r.take_left(box_width(ui, chrome.edit.name == field_name(chrome, a) ? chrome.edit.text : a.text)));
    case Kind::Switch: return draw_switch(c, chrome, a, r);
    case Kind::Typed: return draw_typed(c, chrome, a, r);
    case Kind::Fixed: ui.text_in(r, a.text, TextSize::Code, t.text1, true);
  }
}

void draw_field_problem(PanelContext& c, const Chrome& chrome) {
  const FieldEdit& e = chrome.edit;
  if (e.name.empty() || e.problem.empty()) return;
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const float w = ui.width(e.problem, TextSize::Code) + ui.px(20);
  const Rect r{std::min(e.box.x, ui.size().x - w - ui.px(8)), e.box.bottom() + ui.px(6), w, ui.px(28)};
  ui.fill(r, t.raised, ui.px(4));
  ui.outline(r, t.fault, 1, ui.px(4));
  ui.text_in({r.x + ui.px(10), r.y, r.w - ui.px(10), r.h}, e.problem, TextSize::Code, t.fault_text);
}

}  // namespace tilescope::window
