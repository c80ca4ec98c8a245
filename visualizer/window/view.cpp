#include "visualizer/window/view.h"

#include <imgui.h>

#include <chrono>
#include <fstream>
#include <ostream>

#include "core/compile.h"
#include "visualizer/window/platform.h"
#include "visualizer/window/script_player.h"
#include "visualizer/window/window.h"

namespace tilescope::window {
namespace {

using Clock = std::chrono::steady_clock;

/// A window with the platform it is drawn on.
class Viewer {
 public:
  Viewer(std::unique_ptr<Platform> platform, std::unique_ptr<model::Controller> controller, std::optional<lessons::Lesson> lesson)
      : platform_(std::move(platform)), window_(std::make_unique<Window>(std::move(controller), std::move(lesson))) {}
  ~Viewer() {
    window_->textures().clear();
    window_.reset();
  }

  Window& window() { return *window_; }
  Platform& platform() { return *platform_; }

  /// One frame. False when the window was closed.
  bool frame(double wait, bool still) {
    if (window_->update_fonts(platform_->display_scale() * window_->zoom())) platform_->fonts_changed();
    if (!platform_->begin(wait)) return false;
    ImGui::NewFrame();
    const Clock::time_point now = Clock::now();
    window_->frame(still ? 1.0 / 60 : std::chrono::duration<double>(now - last_).count(), still);
    last_ = now;
    ImGui::Render();
    platform_->present();
    return true;
  }

 private:
  std::unique_ptr<Platform> platform_;
  std::unique_ptr<Window> window_;
  Clock::time_point last_ = Clock::now();
};

void apply(const ViewOptions& o, model::ViewState& s) {
  s.program = o.program;
  if (o.theme) s.theme = *o.theme;
  if (o.language) s.language = *o.language;
  if (o.panel.empty()) return;
  for (const Panel& p : all_panels()) {
    if (o.panel != p.id) continue;
    s.front_tab[cell_id(p.cell)] = p.id;
    // In a narrow window the right column's panels are tabs of the centre.
    if (p.cell == Cell::RightTop || p.cell == Cell::RightBottom) s.front_tab["centre"] = p.id;
  }
}

/// The last finished frame is what is asked for: places are known one frame late, textures are made in the first.
bool settle(Viewer& v, const ViewOptions& o) {
  model::Controller& k = v.window().controller();
  if (!k.session().wait()) return false;
  for (int i = 0; i < 3; ++i) v.frame(0, true);
  if (o.step) k.go_to_line_step(*o.step - 1);
  for (int i = 0; i < 2; ++i) v.frame(0, true);
  return true;
}

int draw_files(Viewer& v, const ViewOptions& o, const std::vector<ScriptLine>& script, std::ostream& out, std::ostream& err) {
  if (!settle(v, o)) err << "still at work after a minute: the picture shows what there is\n";
  ScriptPlayer player(v.window(), v.platform(), [&] { v.frame(0, true); }, out, err);
  for (const ScriptLine& line : script)
    if (!player.play(line)) return 2;
  const model::Published run = v.window().controller().session().published();
  if (!run.errors.empty()) err << render(run.errors);
  if (!o.shot.empty() && !player.shot(o.shot)) return 1;
  if (!o.state.empty() && !player.state(o.state)) return 1;
  return run.launch == nullptr && !run.errors.empty() ? 2 : 0;
}

int interact(Viewer& v, const ViewOptions& o, std::ostream& out, std::ostream& err) {
  bool placed = false;
  std::string last_state;
  ScriptPlayer files(v.window(), v.platform(), [] {}, out, err);
  for (;;) {
    model::Controller& k = v.window().controller();
    const bool busy = k.state().playing || k.session().published().busy;
    if (!v.frame(busy ? 0.0 : 0.05, false)) return 0;
    if (!placed && k.scene()->ready) {
      placed = true;
      if (o.step) k.go_to_line_step(*o.step - 1);
    }
    const Window::Wishes wishes = v.window().take_wishes();
    if (wishes.picture) v.window().say(files.shot("tilescope.png") ? "saved tilescope.png" : "tilescope.png could not be written");
    if (!o.state.empty()) {
      std::string now = v.window().state_json();
      if (now != last_state) files.state(o.state);
      last_state = std::move(now);
    }
  }
}

}  // namespace

int view(const LaunchSpec& spec, const ViewOptions& o, std::ostream& out, std::ostream& err) {
  std::vector<ScriptLine> script;
  if (!o.script.empty()) {
    Expected<SourcePtr> text = read_source(o.script);
    if (!text) return err << render(text.errors()), 2;
    Expected<std::vector<ScriptLine>> lines = parse_script(*text);
    if (!lines) return err << render(lines.errors()), 2;
    script = std::move(*lines);
  }
  const bool files = !o.shot.empty() || !o.script.empty();
  Expected<std::unique_ptr<Platform>> platform =
      files ? open_offscreen(o.width, o.height, o.scale > 0 ? o.scale : 1) : open_screen("Tilescope", o.width, o.height, o.scale);
  if (!platform) return err << render(platform.errors()), 2;
  std::optional<lessons::Lesson> lesson;
  if (!o.lesson.empty()) {
    Expected<lessons::Lesson> read = lessons::load_lesson(o.lesson);
    if (!read) return err << render(read.errors()), 2;
    lesson = std::move(*read);
  }
  model::ViewState state;
  apply(o, state);
  auto session = std::make_unique<model::Session>(spec);
  if (o.program != ProgramIndex{}) session->select_program(o.program);
  Viewer viewer(std::move(*platform), std::make_unique<model::Controller>(std::move(session), state), std::move(lesson));
  viewer.window().open_page(o.page);
  return files ? draw_files(viewer, o, script, out, err) : interact(viewer, o, out, err);
}

}  // namespace tilescope::window
