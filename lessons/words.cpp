#include "lessons/words.h"

namespace tilescope::lessons {
namespace {

constexpr Wording kRows[] = {
#define TILESCOPE_WORDS(id, english, chinese) {english, chinese},
#include "lessons/words.texts.def"
#undef TILESCOPE_WORDS
};

}  // namespace

Words say(LessonWords id, std::initializer_list<Blank> blanks) { return fill(kRows[static_cast<size_t>(id)], blanks); }

std::span<const Wording> lesson_wordings() { return kRows; }

Words times_words(uint64_t n) {
  if (n == 1 || n == 2) return say(n == 1 ? LessonWords::Once : LessonWords::Twice);
  return say(LessonWords::NTimes, {{"n", static_cast<int64_t>(n)}});
}

}  // namespace tilescope::lessons
