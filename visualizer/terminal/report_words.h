// What reports of runs say, in both languages (report.texts.def).
#pragma once

#include <span>

#include "core/wording.h"

namespace tilescope::terminal {

enum class ReportWords : uint16_t {
#define TILESCOPE_WORDS(id, english, chinese) id,
#include "visualizer/terminal/report.texts.def"
#undef TILESCOPE_WORDS
};

Words say(ReportWords id, std::initializer_list<Blank> blanks = {});
/// The whole table.
std::span<const Wording> report_wordings();

}  // namespace tilescope::terminal
