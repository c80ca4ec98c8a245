#include "visualizer/model/kloop_chunks.h"

#include <algorithm>
#include <set>
#include <string>

namespace tilescope::model {

void describe_chunks(const Scene& scene, KLoop& loop) {
  const ProgramTrace& trace = *scene.trace;
  loop.kind = KLoop::Kind::NoLoop;
  if (trace.frames.empty() || trace.steps.empty()) return;
  // The innermost loop around the step that loads, else the first one that does.
  auto loads = [&](const LoopFrame& f) {
    std::set<std::string> names;
    for (const AccessSummary& a : trace.accesses)
      if (a.step >= f.first_step && a.step < f.last_step && a.reads && a.tensor >= 0 && static_cast<size_t>(a.tensor) < scene.tensors.size())
        names.insert(scene.tensors[static_cast<size_t>(a.tensor)].name);
    return names;
  };
  int32_t chosen = trace.steps[std::min<uint64_t>(scene.step, trace.steps.size() - 1)].frame;
  while (chosen >= 0 && loads(trace.frames[static_cast<size_t>(chosen)]).empty()) chosen = trace.frames[static_cast<size_t>(chosen)].parent;
  const bool inside = chosen >= 0;
  if (!inside) {
    for (const AccessSummary& a : trace.accesses) {
      const int32_t frame = trace.steps[a.step].frame;
      if (!a.reads || frame < 0) continue;
      chosen = frame;
      if (trace.frames[static_cast<size_t>(frame)].last_step > scene.step) break;
    }
    if (chosen < 0) return;
  }
  const LoopFrame& f = trace.frames[static_cast<size_t>(chosen)];
  const Step& first = trace.steps[f.first_step];
  int64_t n = 0;
  for (const LoopFrame& g : trace.frames)
    if (g.parent == f.parent && trace.steps[g.first_step].op == first.op) n = std::max(n, g.position.iteration + 1);
  loop.kind = KLoop::Kind::Chunks;
  loop.in_loop = true;
  loop.phase = inside ? KLoop::Phase::Inside : scene.step < f.first_step ? KLoop::Phase::Before : KLoop::Phase::After;
  loop.iteration = f.position.iteration;
  loop.iterations = n;
  loop.loop_line = f.position.line;
  const std::set<std::string> names = loads(f);
  loop.tensors.assign(names.begin(), names.end());
}

}  // namespace tilescope::model
