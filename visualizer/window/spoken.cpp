#include "visualizer/window/spoken.h"

#include "core/words.h"
#include "sim/words.h"

namespace tilescope::window {

const std::string& spoken_texts() {
  static const std::string all = [] {
    std::string s;
    for (const auto& table : {core_wordings(), sim_wordings(), model::model_wordings()})
      for (const Wording& row : table) s += row.chinese;
    return s;
  }();
  return all;
}

}  // namespace tilescope::window
