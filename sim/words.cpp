#include "sim/words.h"

#include "core/words.h"

namespace tilescope {
namespace {

constexpr Wording kRows[] = {
#define TILESCOPE_WORDS(id, english, chinese) {english, chinese},
#include "sim/words.texts.def"
#undef TILESCOPE_WORDS
};

}  // namespace

Words say(SimWords id, std::initializer_list<Blank> blanks) { return fill(kRows[static_cast<size_t>(id)], blanks); }

std::span<const Wording> sim_wordings() { return kRows; }

Words lanes_words(int64_t n) { return n == 1 ? say(SimWords::OneLane) : say(SimWords::Lanes, {{"n", n}}); }

Words element_or_offset(const std::vector<int64_t>& element, int64_t offset) {
  return element.empty() ? say(SimWords::OffsetN, {{"n", offset}}) : element_words(element);
}

}  // namespace tilescope
