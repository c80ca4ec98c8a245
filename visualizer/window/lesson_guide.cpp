#include "visualizer/window/lesson_guide.h"

#include <algorithm>
#include <utility>

#include "visualizer/window/panel.h"

namespace tilescope::window {
namespace {

/// The line step on `line`, in iteration `iteration` (from 1) of the innermost loop when one is asked for.
std::optional<size_t> find_step(const model::Scene& scene, int line, std::optional<int64_t> iteration) {
  const std::vector<model::LineStep>& steps = scene.timeline->lines;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].statement.line != line) continue;
    if (!iteration) return i;
    if (steps[i].frame >= 0 && scene.trace->frames[static_cast<size_t>(steps[i].frame)].position.iteration + 1 == *iteration) return i;
  }
  return std::nullopt;
}

void bring_to_front(model::ViewState& state, const std::string& id) {
  for (const Panel& p : all_panels()) {
    if (id != p.id) continue;
    state.hidden.erase(id);
    state.front_tab[cell_id(p.cell)] = id;
    // In a narrow window the right column's panels are tabs of the centre.
    if (p.cell == Cell::RightTop || p.cell == Cell::RightBottom) state.front_tab[cell_id(Cell::Centre)] = id;
  }
}

}  // namespace

LessonGuide::LessonGuide(lessons::Lesson lesson) : lesson_(std::move(lesson)), choices_(lesson_.pages.size(), -1) {
  for (size_t l = 0; l < lessons::kLanguages.size(); ++l) {
    all_text_ += lesson_.title[l];
    for (const lessons::Page& p : lesson_.pages) {
      for (const lessons::TextBlock& b : p.text[l])
        for (const lessons::Span& s : b.spans) all_text_ += s.text;
      for (const std::string& c : p.choices[l]) all_text_ += c;
    }
  }
}

void LessonGuide::go_to(size_t page, const ChosenView& chosen) {
  chosen_ = chosen;
  page_ = std::min(page, lesson_.pages.size() - 1);
  scroll = 0;
  to_show_ = true;
}

void LessonGuide::advance(model::Controller& control) {
  if (!to_show_) return;
  const lessons::Page& p = current();
  if (p.program && !chosen_.program && control.state().program != *p.program) control.select_program(*p.program);
  const std::shared_ptr<const model::Scene> scene = control.scene();
  if (!scene->ready || scene->run.busy || scene->run.text == nullptr) return;
  to_show_ = false;
  const ChosenView chosen = std::exchange(chosen_, {});
  if (!p.panel.empty() && !chosen.panel) bring_to_front(control.state(), p.panel);
  // After an edit the line may be gone: then the view stays where it is.
  if (p.line.empty() || chosen.step) return;
  const std::optional<size_t> step = find_step(*scene, lessons::find_line(*scene->run.text, p.line), p.iteration);
  if (step) control.go_to_line_step(*step);
}

}  // namespace tilescope::window
