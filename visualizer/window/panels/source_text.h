// The text of the source panel: the editor, what the session has of it, and whether it is saved.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "visualizer/model/source_view.h"
#include "visualizer/window/panel.h"
#include "visualizer/window/text_editor.h"

namespace tilescope::window {

class SourceText {
 public:
  TextEditor& editor() { return *editor_; }
  bool has_text() const { return editor_.has_value(); }

  /// Takes over the session's text when somebody else changed it. Before anything else in a frame; false while there is
  /// no text.
  bool follow(PanelContext& c);
  /// Call when the editor changed the text: lines that are marked move along, and the session hears of it soon.
  void changed(PanelContext& c);
  /// Sends the text to the session once nobody has typed for a moment.
  void send_when_due(PanelContext& c);
  /// Sends at once: before the text is saved, and when the keyboard goes elsewhere.
  void send(PanelContext& c);
  bool unsaved(const PanelContext& c);

  /// The recorded launch's lines and the messages' lines in the text as it is edited now.
  const model::LineMap& run_lines() const { return run_lines_; }
  const model::LineMap& message_lines() const { return message_lines_; }
  const std::vector<model::TextMessage>& messages() const { return messages_; }

 private:
  void move_breakpoints(PanelContext& c);

  std::optional<TextEditor> editor_;
  const void* owner_ = nullptr;
  SourcePtr seen_, run_source_;
  uint64_t seen_version_ = 0, mapped_document_ = ~uint64_t{0};
  std::deque<size_t> sent_;  ///< hashes of texts that the session has not shown yet
  bool unsent_ = false;
  double edited_at_ = 0;
  uint64_t compared_version_ = ~uint64_t{0}, compared_disk_ = 0;
  bool unsaved_ = false;

  model::LineMap run_lines_, message_lines_;
  std::vector<model::TextMessage> messages_;
};

/// Brings the source panel to the front with that line of the session's text in view.
void show_source_line(PanelContext& c, int line);

/// After all panels: what was typed into the source panel is not forgotten when another tab hides it.
void send_hidden_text(PanelContext& c);

}  // namespace tilescope::window
