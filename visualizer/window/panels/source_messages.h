// Errors and faults under the lines that they are about.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "visualizer/model/source_view.h"
#include "visualizer/window/panels/source_text.h"

namespace tilescope::window {

/// What stands under a line, already broken into rows.
struct MessageBlock {
  enum class Ink : uint8_t { Message, Detail, Faint };
  struct Row {
    std::string text;
    Ink ink = Ink::Message;
    float indent = 0;
  };
  std::vector<Row> rows;
  std::optional<size_t> fault;  ///< index into Totals::trace.faults: a click goes there
  float height = 0;
};

struct SourceMessages {
  std::map<size_t, std::vector<MessageBlock>> under;  ///< by line of the text, from 0
  std::vector<MessageBlock> above;                    ///< without a place in the text
  std::map<size_t, std::vector<model::TextMark>> marks;

  float height(size_t line) const;
};

/// `width` of the rows in pixels. Faults are left out while the text has errors: they are from before the edit.
SourceMessages source_messages(PanelContext& c, SourceText& text, const model::SourceView& view, float width);

/// Draws a block across the panel, text from `left` on; returns its height.
float draw_message(PanelContext& c, const std::string& name, const MessageBlock& block, Rect r, float left);

}  // namespace tilescope::window
