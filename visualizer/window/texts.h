// Every text of the window in English and Chinese (texts.def).
#pragma once

#include <cstdint>
#include <string_view>

#include "visualizer/model/state.h"

namespace tilescope::window {

enum class Text : uint16_t {
#define TILESCOPE_TEXT(id, english, chinese) id,
#include "visualizer/window/texts.def"
};

std::string_view text_of(Text id, model::Language language);
/// All texts of a language one after the other, for the fonts' glyph ranges.
const std::string& all_texts();

}  // namespace tilescope::window
