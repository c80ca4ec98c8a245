#include "visualizer/window/loop_recorder.h"

#include <fmt/format.h>

#include <filesystem>

namespace tilescope::window {
namespace {

namespace fs = std::filesystem;
constexpr int kMilliseconds = 400, kLastMilliseconds = 1600;

}  // namespace

LoopRecorder::LoopRecorder(Window& window, std::string folder, std::function<void(Picture*)> frame)
    : window_(window), folder_(std::move(folder)), frame_(std::move(frame)) {}

std::optional<std::string> LoopRecorder::start() {
  model::Controller& control = window_.controller();
  const std::shared_ptr<const model::Scene> scene = control.scene();
  if (!scene->ready || scene->timeline == nullptr) return "there is no recorded program";
  plan_ = model::plan_recording(*scene->timeline, kMostFrames);
  if (plan_.line_steps.empty()) return "the program has no steps";
  std::error_code ec;
  fs::create_directories(folder_, ec);
  if (ec) return folder_ + ": " + ec.message();
  for (const fs::directory_entry& e : fs::directory_iterator(folder_, ec)) {
    const std::string name = e.path().filename().string();
    if (name == "loop.png" || (name.starts_with("frame-") && name.ends_with(".png")))
      return folder_ + " holds " + name + " already; nothing is overwritten";
  }
  step_before_ = control.state().step;
  control.state().playing = false;
  animation_ = std::make_unique<AnimationWriter>((fs::path(folder_) / "loop.png").string(), static_cast<int>(plan_.line_steps.size()));
  return std::nullopt;
}

bool LoopRecorder::next() {
  if (animation_ == nullptr || done_ >= frames()) return false;
  window_.controller().go_to_line_step(plan_.line_steps[done_]);
  Picture picture;
  frame_(nullptr);  // textures and places are those of this step one frame later
  frame_(&picture);
  const bool last = done_ + 1 == frames();
  const std::string path = (fs::path(folder_) / fmt::format("frame-{:03}.png", done_ + 1)).string();
  std::optional<std::string> why = write_png(path, picture);
  if (!why) why = animation_->add(picture, last ? kLastMilliseconds : kMilliseconds);
  if (!why && last) why = animation_->finish();
  if (why) {
    problem_ = path + ": " + *why;
    finish();
    return false;
  }
  ++done_;
  if (last) finish();
  return true;
}

void LoopRecorder::stop() { finish(); }

void LoopRecorder::finish() {
  animation_.reset();
  window_.controller().go_to_step(step_before_);
}

}  // namespace tilescope::window
