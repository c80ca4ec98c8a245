#include "visualizer/model/words.h"

#include "core/words.h"
#include "lessons/words.h"
#include "sim/words.h"

namespace tilescope::model {
namespace {

constexpr Wording kRows[] = {
#define TILESCOPE_WORDS(id, english, chinese) {english, chinese},
#include "visualizer/model/words.texts.def"
#undef TILESCOPE_WORDS
};

}  // namespace

Words say(ModelWords id, std::initializer_list<Blank> blanks) { return fill(kRows[static_cast<size_t>(id)], blanks); }

std::span<const Wording> model_wordings() { return kRows; }

const std::string& spoken_texts() {
  static const std::string all = [] {
    std::string s;
    for (const auto& table : {core_wordings(), sim_wordings(), lessons::lesson_wordings(), model_wordings()})
      for (const Wording& row : table) s += row.chinese;
    return s;
  }();
  return all;
}

std::string error_in_language(const std::string& message, int line, bool chinese) {
  if (!chinese) return message;
  if (const std::optional<std::string> known = chinese_of(message)) return *known;
  return (line > 0 ? say(ModelWords::CompilerErrorAt, {{"line", line}, {"message", message}}) : say(ModelWords::CompilerError, {{"message", message}})).chinese;
}

}  // namespace tilescope::model
