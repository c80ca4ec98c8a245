// What lessons say of a checked exercise, in both languages (words.texts.def).
#pragma once

#include <span>

#include "core/wording.h"
#include "lessons/language.h"

namespace tilescope::lessons {

enum class LessonWords : uint16_t {
#define TILESCOPE_WORDS(id, english, chinese) id,
#include "lessons/words.texts.def"
#undef TILESCOPE_WORDS
};

Words say(LessonWords id, std::initializer_list<Blank> blanks = {});
/// The whole table.
std::span<const Wording> lesson_wordings();

/// "once", "twice", "3 times".
Words times_words(uint64_t n);

inline PerLanguage<std::string> per_language(Words w) { return {std::move(w.english), std::move(w.chinese)}; }
inline const std::string& in(const Words& w, size_t language) { return language == kChinese ? w.chinese : w.english; }

}  // namespace tilescope::lessons
