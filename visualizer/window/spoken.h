// What faults, errors and notes say, in the window's language.
#pragma once

#include "visualizer/model/words.h"
#include "visualizer/window/ui.h"

namespace tilescope::window {

inline bool is_chinese(const Ui& ui) { return ui.language() == model::Language::Chinese; }
inline std::string spoken(const Ui& ui, const std::string& english) { return in_language(english, is_chinese(ui)); }
/// Of a kernel that does not compile; `line`: of the message, 0 where it stands beside it anyway.
inline std::string spoken_error(const Ui& ui, const std::string& message, int line = 0) { return model::error_in_language(message, line, is_chinese(ui)); }

}  // namespace tilescope::window
