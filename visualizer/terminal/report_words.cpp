#include "visualizer/terminal/report_words.h"

namespace tilescope::terminal {
namespace {

constexpr Wording kRows[] = {
#define TILESCOPE_WORDS(id, english, chinese) {english, chinese},
#include "visualizer/terminal/report.texts.def"
#undef TILESCOPE_WORDS
};

}  // namespace

Words say(ReportWords id, std::initializer_list<Blank> blanks) { return fill(kRows[static_cast<size_t>(id)], blanks); }

std::span<const Wording> report_wordings() { return kRows; }

}  // namespace tilescope::terminal
