#include "visualizer/window/window.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "visualizer/window/input.h"

namespace tilescope::window {

const std::vector<KeyBinding>& key_bindings() {
  static const std::vector<KeyBinding> bindings{
#define TILESCOPE_KEY(action, key, mods, text) {KeyAction::action, key, mods, Text::text},
#include "visualizer/window/keys.def"
  };
  return bindings;
}

Window::Window(std::unique_ptr<model::Controller> controller, std::optional<lessons::Lesson> lesson) : controller_(std::move(controller)) {
  if (lesson) lesson_.emplace(std::move(*lesson));
  else controller_->state().hidden["lesson"] = true;
}
Window::~Window() = default;

void Window::open_page(size_t page) {
  if (lesson_) lesson_->go_to(page > 0 ? page - 1 : 0);
}

void Window::set_zoom(float zoom) { zoom_ = std::clamp(zoom, 0.75f, 2.0f); }

bool Window::update_fonts(float scale) {
  const model::Published run = controller_->session().published();
  std::string source = run.text != nullptr ? run.text->text : std::string();
  if (lesson_) source += lesson_->all_text();
  if (fonts_.scale() == scale && fonts_.covers(source)) return false;
  fonts_.build(scale, source);
  return true;
}

void Window::say(std::string message) {
  message_ = std::move(message);
  message_until_ = time_ + 4;
}

void Window::frame(double seconds, bool still) {
  time_ += seconds;
  model::ViewState& state = controller_->state();
  controller_->advance(seconds);
  if (lesson_) lesson_->advance(*controller_);
  std::shared_ptr<const model::Scene> scene = controller_->scene();
  ui_.begin(state.theme, state.language, fonts_.scale(), ImGui::GetIO().DisplaySize);
  handle_keys(*scene);
  scene = controller_->scene();
  const model::Element hover = std::exchange(state.hover, {});
  PanelContext c{ui_, *scene, state, *controller_, textures_, time_, !still && !state.reduce_motion && state.speed <= 2, lesson_ ? &*lesson_ : nullptr, hover};
  ui_.fill({0, 0, ui_.size().x, ui_.size().y}, ui_.theme().window);
  const WindowLayout layout = make_layout(ui_, state);
  drag_splitters(ui_, state, layout);
  draw_cells(c, layout);
  draw_scrubber(c, layout.scrubber);
  draw_top_bar(c, layout.top_bar);
  draw_message();
  if (state.help) draw_help(c);
  ui_.end();
  textures_.end_frame();
}

void Window::draw_message() {
  if (message_.empty() || time_ > message_until_) return;
  const float w = ui_.width(message_, TextSize::Title) + ui_.px(32), h = ui_.px(36);
  const Rect r{(ui_.size().x - w) / 2, ui_.px(56), w, h};
  ui_.fill(r, ui_.theme().raised, ui_.px(4));
  ui_.outline(r, ui_.theme().text3, 1, ui_.px(4));
  ui_.text_in(r, message_, TextSize::Title, ui_.theme().text1, false, Align::Centre);
}

void Window::handle_keys(const model::Scene& scene) {
  if (!ui_.keyboard_focus.empty()) return;
  for (const KeyBinding& b : key_bindings()) {
    const std::string_view mods = b.mods;
    const bool ctrl = mods == "Ctrl", shift = mods == "Shift";
    if (ctrl_down() != ctrl || alt_down()) continue;
    // "?" is Shift+/ on many keyboards and elsewhere on others: Shift is not looked at for signs.
    if (std::string_view(b.key) != "?" && shift_down() != shift) continue;
    if (key_pressed(key_by_name(b.key), true)) return act(b.action, scene);
  }
}

void Window::act(KeyAction action, const model::Scene& scene) {
  model::Controller& k = *controller_;
  model::ViewState& s = k.state();
  using model::StepUnit;
  switch (action) {
    case KeyAction::PlayPause: return k.toggle_play();
    case KeyAction::StepForward: return k.move(s.unit, 1);
    case KeyAction::StepBack: return k.move(s.unit, -1);
    case KeyAction::IterationForward: return k.move(StepUnit::Iteration, 1);
    case KeyAction::IterationBack: return k.move(StepUnit::Iteration, -1);
    case KeyAction::OpForward: return k.move(StepUnit::Op, 1);
    case KeyAction::OpBack: return k.move(StepUnit::Op, -1);
    case KeyAction::Start: return k.go_to_start();
    case KeyAction::End: return k.go_to_end();
    case KeyAction::ProgramForward: return k.move(StepUnit::Program, 1);
    case KeyAction::ProgramBack: return k.move(StepUnit::Program, -1);
    case KeyAction::UnitOp: s.unit = StepUnit::Op; return;
    case KeyAction::UnitLine: s.unit = StepUnit::Line; return;
    case KeyAction::UnitIteration: s.unit = StepUnit::Iteration; return;
    case KeyAction::UnitProgram: s.unit = StepUnit::Program; return;
    case KeyAction::Faster: return k.set_speed(s.speed * std::sqrt(2.0));
    case KeyAction::Slower: return k.set_speed(s.speed / std::sqrt(2.0));
    case KeyAction::Breakpoint: if (scene.line > 0) k.toggle_breakpoint(scene.line); return;
    case KeyAction::NextFault: return k.go_to_fault(0);
    case KeyAction::CopyText: return;
    case KeyAction::SaveTile: return;
    case KeyAction::SavePicture: wishes_.picture = true; return;
    case KeyAction::RecordLoop: wishes_.record = true; return;
    case KeyAction::NextTab: return;
    case KeyAction::Theme: s.theme = s.theme == model::ThemeChoice::Dark ? model::ThemeChoice::Light : model::ThemeChoice::Dark; return;
    case KeyAction::Language: s.language = s.language == model::Language::English ? model::Language::Chinese : model::Language::English; return;
    case KeyAction::Larger: return set_zoom(zoom_ + 0.125f);
    case KeyAction::Smaller: return set_zoom(zoom_ - 0.125f);
    case KeyAction::Help: s.help = !s.help; return;
    case KeyAction::Unpin:
      if (s.help) s.help = false;
      else s.pinned_variable.clear(), s.selected = {};
      return;
  }
}

std::string Window::state_json() {
  nlohmann::json j;
  j["state"] = nlohmann::json::parse(model::to_json(controller_->state()));
  const std::shared_ptr<const model::Scene> scene = controller_->scene();
  j["ready"] = scene->ready;
  j["line"] = scene->line;
  j["line_step"] = scene->line_step;
  j["busy"] = scene->run.busy;
  nlohmann::json& places = j["places"];
  for (const auto& [name, r] : ui_.places()) places[name] = {r.x, r.y, r.w, r.h};
  return j.dump(1);
}

}  // namespace tilescope::window
