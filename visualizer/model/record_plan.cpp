#include "visualizer/model/record_plan.h"

#include <algorithm>

namespace tilescope::model {

RecordPlan plan_recording(const Timeline& timeline, size_t most) {
  const auto in_loop = [](const Section& s) { return s.frame >= 0; };
  auto begin = std::find_if(timeline.sections.begin(), timeline.sections.end(), in_loop);
  auto end = timeline.sections.end();
  if (begin == end) begin = timeline.sections.begin();
  else
    while (!in_loop(*(end - 1))) --end;
  RecordPlan plan;
  if (begin == end) return plan;
  const size_t first = begin->first, steps = (end - 1)->end - first;
  if (steps <= most) {
    for (size_t i = 0; i < steps; ++i) plan.line_steps.push_back(first + i);
    return plan;
  }
  // Without a loop every section is one, so that only the limit helps.
  plan.iterations = end - begin > 1;
  if (plan.iterations)
    for (auto s = begin; s != end; ++s) plan.line_steps.push_back(s->end - 1);
  else
    for (size_t i = 0; i < steps; ++i) plan.line_steps.push_back(first + i);
  if (plan.line_steps.size() > most) {
    plan.left_out = plan.line_steps.size() - most;
    plan.line_steps.resize(most);
  }
  return plan;
}

}  // namespace tilescope::model
