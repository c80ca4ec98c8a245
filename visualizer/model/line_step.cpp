#include "visualizer/model/line_step.h"

namespace tilescope::model {

std::optional<size_t> step_on_line(const Scene& scene, int line, std::optional<int64_t> iteration) {
  const std::vector<LineStep>& steps = scene.timeline->lines;
  std::optional<size_t> last;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].statement.line != line) continue;
    if (!iteration) return i;
    last = i;
    if (steps[i].frame >= 0 && scene.trace->frames[static_cast<size_t>(steps[i].frame)].position.iteration + 1 == *iteration) return i;
  }
  return last;
}

}  // namespace tilescope::model
