#include "visualizer/window/panels/source_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

namespace tilescope::window {
namespace {

/// Seconds without a key until the kernel is compiled anew.
constexpr double kPause = 0.15;
constexpr double kNoteSeconds = 8;

}  // namespace

bool SourceText::follow(PanelContext& c) {
  const model::Published& run = c.scene.run;
  if (owner_ != &c.control) {
    *this = SourceText();
    owner_ = &c.control;
  }
  if (run.text == nullptr) return editor_.has_value();
  if (!editor_) {
    editor_.emplace(run.text->text, "source");
    const LaunchSpec spec = c.control.session().spec();
    file_ = model::KernelFile(spec.kernel_path, run.text->text);
    seen_ = run.text;
  }
  if (run.text != seen_) {
    seen_ = run.text;
    const size_t hash = std::hash<std::string>{}(run.text->text);
    const auto ours = std::find(sent_.begin(), sent_.end(), hash);
    if (ours != sent_.end()) {
      sent_.erase(sent_.begin(), std::next(ours));
    } else {  // a lesson was started or reset
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
  overwrite_next_ = false;
  edited_at_ = c.time;
}

void SourceText::send_when_due(PanelContext& c) {
  if (unsent_ && (!c.motion || c.time - edited_at_ > kPause)) {
    unsent_ = false;
    std::string text = editor_->document().text();
    sent_.push_back(std::hash<std::string>{}(text));
    if (sent_.size() > 256) sent_.pop_front();
    c.control.edit(std::move(text));
  }
}

void SourceText::save(PanelContext& c) {
  const model::KernelFile::Result result = file_.save(editor_->document().text(), overwrite_next_);
  using Outcome = model::KernelFile::Outcome;
  overwrite_next_ = false;
  compared_version_ = ~uint64_t{0};
  note_bad_ = result.outcome != Outcome::Saved;
  switch (result.outcome) {
    case Outcome::Saved: note_ = fmt::format(fmt::runtime(c.ui.t(Text::SourceSaved)), file_.path()); break;
    case Outcome::NoFile: note_ = c.ui.t(Text::SourceNoFile); break;
    case Outcome::Failed: note_ = fmt::format(fmt::runtime(c.ui.t(Text::SourceNotSaved)), file_.path(), result.reason); break;
    case Outcome::ChangedOnDisk:
      note_ = fmt::format(fmt::runtime(c.ui.t(Text::SourceChangedOnDisk)), file_.path());
      overwrite_next_ = true;
      break;
  }
  note_until_ = note_bad_ ? 1e300 : c.time + kNoteSeconds;
}

bool SourceText::unsaved() {
  if (compared_version_ != editor_->document().version()) {
    compared_version_ = editor_->document().version();
    unsaved_ = file_.differs(editor_->document().text());
  }
  return unsaved_;
}

std::string SourceText::note(const PanelContext& c) const { return c.time < note_until_ ? note_ : std::string(); }

std::string SourceText::file_name() const {
  const size_t slash = file_.path().find_last_of("/\\");
  return slash == std::string::npos ? file_.path() : file_.path().substr(slash + 1);
}

}  // namespace tilescope::window
