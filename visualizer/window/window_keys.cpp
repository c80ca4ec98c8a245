// What every key does.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "visualizer/model/lesson_answer.h"
#include "visualizer/model/pasted_kernel.h"
#include "visualizer/model/text_file.h"
#include "visualizer/model/tile_export.h"
#include "visualizer/window/input.h"
#include "visualizer/window/window.h"

namespace tilescope::window {

const std::vector<KeyBinding>& key_bindings() {
  static const std::vector<KeyBinding> bindings{
#define TILESCOPE_KEY(action, key, mods, text) {KeyAction::action, key, mods, Text::text},
#include "visualizer/window/keys.def"
  };
  return bindings;
}

void Window::handle_keys(const model::Scene& scene) {
  if (chrome_.popup != Popup::None && ui_.keyboard_focus.empty() && key_pressed(key_by_name("Escape"))) {
    chrome_.popup = Popup::None;
    return;
  }
  if (is_modal(chrome_.popup)) return;
  for (const KeyBinding& b : key_bindings()) {
    const std::string_view mods = b.mods;
    // While somebody types, single keys are text.
    if (!ui_.keyboard_focus.empty() && (mods != "Ctrl" || b.action == KeyAction::PasteKernel)) continue;
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
    case KeyAction::NextFault: return next_fault(scene);
    case KeyAction::CopyText: return copy_tile(scene);
    case KeyAction::SaveTile: return save_tile(scene);
    case KeyAction::SavePicture: wishes_.picture = true; return;
    case KeyAction::RecordLoop: wishes_.record = true; return;
    case KeyAction::NextTab: return next_tab();
    case KeyAction::Theme: s.theme = s.theme == model::ThemeChoice::Dark ? model::ThemeChoice::Light : model::ThemeChoice::Dark; return;
    case KeyAction::Language: s.language = s.language == model::Language::English ? model::Language::Chinese : model::Language::English; return;
    case KeyAction::Larger: return set_zoom(zoom_ + 0.125f);
    case KeyAction::Smaller: return set_zoom(zoom_ - 0.125f);
    case KeyAction::NormalSize: return set_zoom(1);
    case KeyAction::PasteKernel: return paste_kernel();
    case KeyAction::SaveText: save_text(); return;
    case KeyAction::Help: s.help = !s.help; return;
    case KeyAction::Unpin:
      wishes_.stop = true;
      if (s.help) s.help = false;
      else paste_.cancel(), message_.clear(), s.pinned_variable.clear(), s.selected = {};
      return;
  }
}

void Window::next_fault(const model::Scene& scene) {
  const size_t n = scene.run.totals != nullptr ? scene.run.totals->trace.faults.size() : 0;
  if (n > 0 && lesson_ && lesson_->withholds()) return say(std::string(ui_.t(Text::LessonWithheld)));
  if (n == 0) return say(std::string(ui_.t(Text::NoFaultToGoTo)));
  chrome_.fault = chrome_.fault + 1 < n ? chrome_.fault + 1 : 0;
  controller_->go_to_fault(chrome_.fault);
}

void Window::copy_tile(const model::Scene& scene) {
  const model::Variable* v = model::looked_at(scene, controller_->state());
  if (v == nullptr) return say(std::string(ui_.t(Text::NoTile)));
  copied_ = model::tile_text(scene, *v);
  ImGui::SetClipboardText(copied_.c_str());
  say(fmt::format(fmt::runtime(ui_.t(Text::CopiedTile)), v->name, to_string(v->type)));
}

void Window::save_tile(const model::Scene& scene) {
  const model::Variable* v = model::looked_at(scene, controller_->state());
  if (v == nullptr) return say(std::string(ui_.t(Text::NoTile)));
  const std::string path = model::unused_path(model::tile_file_name(scene, *v));
  const std::optional<Diagnostic> problem = model::save_tile(path, *v);
  say(problem ? fmt::format(fmt::runtime(ui_.t(Text::NotSaved)), path, problem->message) : fmt::format(fmt::runtime(ui_.t(Text::Saved)), path));
}

void Window::next_tab() {
  for (const PlacedCell& cell : make_layout(ui_, arranged(*controller_->scene()), 0, on_exercise()).cells) {
    if (cell.cell != Cell::Centre || cell.panels.size() < 2) continue;
    const auto at = std::find(cell.panels.begin(), cell.panels.end(), cell.front);
    const Panel* next = at + 1 == cell.panels.end() ? cell.panels.front() : *(at + 1);
    controller_->state().front_tab[cell_id(cell.cell)] = next->id;
  }
}

// ---- the kernel's text

bool Window::is_unsaved() const {
  const SourcePtr now = controller_->session().published().text;
  return now != nullptr && has_file_ && file_.differs(now->text);
}

bool Window::has_unsaved_text() const { return is_unsaved() || other_text_is_unsaved(); }

bool Window::save_text() {
  const SourcePtr now = controller_->session().published().text;
  if (now == nullptr) return false;
  answer_refused_ = false;
  answer_problem_.clear();
  return tell_saved(file_, shown_.exercise ? model::save_answer(file_, now->text) : file_.save(now->text));
}

bool Window::tell_saved(const model::KernelFile& file, const model::KernelFile::Result& result) {
  const auto fill = [&](Text id, const auto&... args) { return fmt::format(fmt::runtime(ui_.t(id)), args...); };
  using Outcome = model::KernelFile::Outcome;
  switch (result.outcome) {
    case Outcome::Saved: say(fill(Text::Saved, file.path())); break;
    case Outcome::NoFile: say(std::string(ui_.t(Text::NoFileToSave))); break;
    case Outcome::ChangedOnDisk: say(fill(Text::ChangedOnDisk, file.path()), 20); break;
    case Outcome::Failed: say(fill(Text::NotSaved, file.path(), result.reason), 20); break;
  }
  return result.outcome == Outcome::Saved;
}

void Window::paste_kernel() {
  if (lesson_) return say(std::string(ui_.t(Text::LessonPasteWhere)), 8);  // a lesson shows its own kernel
  const char* text = ImGui::GetClipboardText();
  paste_.start(text != nullptr ? text : "", model::unused_path("pasted.py"));
  say(std::string(ui_.t(Text::TryingPasted)), 60);
}

void Window::take_pasted() {
  std::optional<Expected<model::PastedKernel>> result = paste_.take();
  if (!result) return;
  message_.clear();
  if (!*result) {
    const Diagnostic& d = result->errors().front();
    return say((d.range.valid() ? std::to_string(d.range.line) + ": " : "") + d.message, 20);
  }
  pasted_ = std::move(**result);
  if (has_unsaved_text()) ask_about_unsaved(AfterUnsaved::Paste);
  else show_pasted();
}

void Window::show_pasted() {
  const model::PastedKernel pasted = std::move(*std::exchange(pasted_, std::nullopt));
  chrome_ = {};
  chrome_.opened = pasted.launch.spec;
  file_ = model::KernelFile::not_yet(pasted.launch.spec.kernel_path, pasted.text->text);
  has_file_ = true;
  controller_->open(pasted.launch.spec, pasted.text);
  controller_->session().set_notes({guessed_text(pasted.launch)});
  say(fmt::format(fmt::runtime(ui_.t(Text::PastedKernel)), pasted.launch.spec.kernel));
}

bool Window::may_close() {
  keep_answer();
  if (!has_unsaved_text()) return true;
  ask_about_unsaved(AfterUnsaved::Close);
  return false;
}

void Window::ask_about_unsaved(AfterUnsaved then) {
  chrome_.unsaved_path = unsaved_path();
  chrome_.after_unsaved = then;
  chrome_.popup = Popup::Unsaved;
}

void Window::answer_question() {
  const bool save = std::exchange(chrome_.save, false), discard = std::exchange(chrome_.discard, false);
  if (!save && !discard) return;
  chrome_.popup = Popup::None;
  if (!discard && !save_all_texts()) return;
  if (chrome_.after_unsaved == AfterUnsaved::Close) wishes_.close = true;
  else show_pasted();
}

}  // namespace tilescope::window
