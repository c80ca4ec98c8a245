#include "core/words.h"

#include "core/tensor.h"

namespace tilescope {
namespace {

constexpr Wording kRows[] = {
#define TILESCOPE_WORDS(id, english, chinese) {english, chinese},
#include "core/words.texts.def"
#undef TILESCOPE_WORDS
};

}  // namespace

Words say(CoreWords id, std::initializer_list<Blank> blanks) { return fill(kRows[static_cast<size_t>(id)], blanks); }

std::span<const Wording> core_wordings() { return kRows; }

Words element_words(const std::vector<int64_t>& index) {
  if (index.empty()) return say(CoreWords::TheOnlyElement);
  if (index.size() == 1) return say(CoreWords::ElementN, {{"n", index[0]}});
  if (index.size() == 2) return say(CoreWords::RowColumn, {{"row", index[0]}, {"column", index[1]}});
  std::string all;
  for (int64_t i : index) all += (all.empty() ? "" : ", ") + std::to_string(i);
  return say(CoreWords::IndexN, {{"index", "[" + all + "]"}});
}

std::string index_in_words(const std::vector<int64_t>& index) { return element_words(index).english; }

}  // namespace tilescope
