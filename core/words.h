// What core says in both languages (words.texts.def).
#pragma once

#include <span>

#include "core/diagnostic.h"
#include "core/wording.h"

namespace tilescope {

enum class CoreWords : uint16_t {
#define TILESCOPE_WORDS(id, english, chinese) id,
#include "core/words.texts.def"
#undef TILESCOPE_WORDS
};

Words say(CoreWords id, std::initializer_list<Blank> blanks = {});
/// The whole table.
std::span<const Wording> core_wordings();

/// "the only element", "element 7", "row 3, column 50", "index [1, 2, 3]".
Words element_words(const std::vector<int64_t>& index);

/// As render(), in Chinese when that is asked for: an error that is in English only is introduced as the compiler's.
std::string render(const Diagnostic& d, bool chinese);
std::string render(const std::vector<Diagnostic>& ds, bool chinese);

}  // namespace tilescope
