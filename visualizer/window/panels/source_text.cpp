#include "visualizer/window/panels/source_text.h"

#include <algorithm>
#include <functional>
#include <set>

#include "core/compile.h"

namespace tilescope::window {
namespace {

/// Seconds without a key until the kernel is compiled anew.
constexpr double kPause = 0.15;

}  // namespace

bool SourceText::follow(PanelContext& c) {
  const model::Published& run = c.scene.run;
  if (owner_ != &c.control) {
    *this = SourceText();
    owner_ = &c.control;
  }
  if (run.text == nullptr) return editor_.has_value();
  // Another file is another text: undoing does not lead back to the one before.
  if (!editor_ || (run.text != seen_ && seen_ != nullptr && run.text->path != seen_->path)) {
    *this = SourceText();
    owner_ = &c.control;
    editor_.emplace(run.text->text, "source");
    if (const LaunchSpec spec = c.control.session().spec(); spec.host != nullptr)
      editor_->set_cpp(true, {spec.host->constexprs.begin(), spec.host->constexprs.end()});
    seen_ = run.text;
  }
  if (run.text != seen_) {
    seen_ = run.text;
    const size_t hash = std::hash<std::string>{}(run.text->text);
    const auto ours = std::find(sent_.begin(), sent_.end(), hash);
    if (ours != sent_.end()) {
      sent_.erase(sent_.begin(), std::next(ours));
    } else {  // it was reset
      editor_->buffer().replace_all(run.text->text);
      move_breakpoints(c);
      unsent_ = false;
      sent_.clear();
    }
  }
  const SourcePtr source = c.scene.function != nullptr ? c.scene.function->source : nullptr;
  if (seen_version_ != run.version || run_source_ != source || mapped_document_ != editor_->document().version()) {
    seen_version_ = run.version;
    run_source_ = source;
    mapped_document_ = editor_->document().version();
    messages_ = model::text_messages(run.errors, run.text);
    message_lines_ = model::LineMap(run.text->text, editor_->document());
    run_lines_ = source != nullptr ? model::LineMap(source->text, editor_->document()) : model::LineMap();
  }
  return true;
}

void SourceText::move_breakpoints(PanelContext& c) {
  if (c.state.breakpoints.empty()) return;
  std::set<int> moved;
  for (const int line : c.state.breakpoints) {
    size_t at = static_cast<size_t>(std::max(line - 1, 0));
    for (const model::LineChange& change : editor_->document().changes()) at = model::line_after(change, at);
    moved.insert(static_cast<int>(at) + 1);
  }
  c.state.breakpoints = std::move(moved);
}

void SourceText::changed(PanelContext& c) {
  move_breakpoints(c);
  unsent_ = true;
  edited_at_ = c.time;
}

void SourceText::send(PanelContext& c) {
  if (!unsent_) return;
  unsent_ = false;
  std::string text = editor_->document().text();
  sent_.push_back(std::hash<std::string>{}(text));
  if (sent_.size() > 256) sent_.pop_front();
  c.control.edit(std::move(text));
}

void SourceText::send_when_due(PanelContext& c) {
  if (!c.motion || c.time - edited_at_ > kPause || !editor_->focused(c.ui)) send(c);
}

bool SourceText::unsaved(const PanelContext& c) {
  if (compared_version_ != editor_->document().version() || compared_disk_ != c.file->saves()) {
    compared_version_ = editor_->document().version();
    compared_disk_ = c.file->saves();
    unsaved_ = c.file->differs(editor_->document().text());
  }
  return unsaved_;
}

}  // namespace tilescope::window
