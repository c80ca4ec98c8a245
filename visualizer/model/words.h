// What the model says in both languages (words.texts.def).
#pragma once

#include <span>

#include "core/wording.h"

namespace tilescope::model {

enum class ModelWords : uint16_t {
#define TILESCOPE_WORDS(id, english, chinese) id,
#include "visualizer/model/words.texts.def"
#undef TILESCOPE_WORDS
};

Words say(ModelWords id, std::initializer_list<Blank> blanks = {});
/// The whole table.
std::span<const Wording> model_wordings();

/// All that may be spoken in Chinese of faults, errors, exercises and the model, for the fonts' glyphs.
const std::string& spoken_texts();

/// A message of a kernel that does not compile. Where it is in English only, a Chinese reader is told whose it is and, for
/// a line above 0, where.
std::string error_in_language(const std::string& message, int line, bool chinese);

}  // namespace tilescope::model
