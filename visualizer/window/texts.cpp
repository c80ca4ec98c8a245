#include "visualizer/window/texts.h"

#include <array>
#include <string>

namespace tilescope::window {
namespace {

struct Row {
  std::string_view english, chinese;
};
constexpr auto kRows = std::to_array<Row>({
#define TILESCOPE_TEXT(id, english, chinese) {english, chinese},
#include "visualizer/window/texts.def"
});

}  // namespace

std::string_view text_of(Text id, model::Language language) {
  const Row& row = kRows[static_cast<size_t>(id)];
  return language == model::Language::Chinese ? row.chinese : row.english;
}

const std::string& all_texts() {
  static const std::string all = [] {
    std::string s;
    for (const Row& row : kRows) s.append(row.english).append(row.chinese);
    return s;
  }();
  return all;
}

}  // namespace tilescope::window
