#include "visualizer/window/viewer.h"

#include <imgui.h>

namespace tilescope::window {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point a, Clock::time_point b) { return std::chrono::duration<double>(b - a).count(); }

}  // namespace

Viewer::Viewer(std::unique_ptr<Platform> platform, std::unique_ptr<model::Controller> controller, std::unique_ptr<LessonGuide> lesson)
    : platform_(std::move(platform)), window_(std::make_unique<Window>(std::move(controller), std::move(lesson))) {}

Viewer::~Viewer() {
  window_->textures().clear();  // while there is OpenGL
  window_.reset();
}

bool Viewer::frame(double wait, bool still, Picture* into) {
  if (window_->update_fonts(platform_->display_scale() * window_->zoom())) platform_->fonts_changed();
  const Clock::time_point before = Clock::now();
  if (!platform_->begin(wait)) return false;
  const Clock::time_point now = Clock::now();
  had_input_ = seconds_between(before, now) < wait * 0.9;
  window_->times().start();
  ImGui::NewFrame();
  window_->frame(still ? 1.0 / 60 : seconds_between(last_, now), still);
  last_ = now;
  ImGui::Render();
  window_->times().mark("layout");
  platform_->present(into);
  window_->times().mark("OpenGL");
  window_->times().finish();
  return true;
}

}  // namespace tilescope::window
