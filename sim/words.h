// What the simulator says in both languages (words.texts.def).
#pragma once

#include <span>

#include "core/wording.h"

namespace tilescope {

enum class SimWords : uint16_t {
#define TILESCOPE_WORDS(id, english, chinese) id,
#include "sim/words.texts.def"
#undef TILESCOPE_WORDS
};

Words say(SimWords id, std::initializer_list<Blank> blanks = {});
/// The whole table.
std::span<const Wording> sim_wordings();

/// "1 lane", "3 lanes".
Words lanes_words(int64_t n);
/// "row 3, column 50"; "offset 7" where the element has no index.
Words element_or_offset(const std::vector<int64_t>& element, int64_t offset);

}  // namespace tilescope
