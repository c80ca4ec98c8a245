// The whole window, whatever it is shown on: a screen (GLFW) or nothing but memory (EGL).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "visualizer/model/controller.h"
#include "visualizer/window/fonts.h"
#include "visualizer/window/layout.h"
#include "visualizer/window/lesson_guide.h"
#include "visualizer/window/panel.h"
#include "visualizer/window/texture.h"
#include "visualizer/window/ui.h"

namespace tilescope::window {

/// Every command that a key stands for (keys.def).
enum class KeyAction : uint8_t {
#define TILESCOPE_KEY(action, key, mods, text) action,
#include "visualizer/window/keys.def"
};

struct KeyBinding {
  KeyAction action;
  const char *key, *mods;
  Text text;
};
const std::vector<KeyBinding>& key_bindings();

class Window {
 public:
  /// `lesson`: led through in its own panel; without one that panel is not there.
  explicit Window(std::unique_ptr<model::Controller> controller, std::optional<lessons::Lesson> lesson = std::nullopt);
  ~Window();

  /// Once before the first frame and whenever the scale or the glyphs needed change: true when the font texture must be
  /// made anew (between frames).
  bool update_fonts(float scale);
  /// Between ImGui::NewFrame() and ImGui::Render(). `still`: for a screenshot, nothing moves.
  void frame(double seconds, bool still);

  /// Page of the lesson, from 1; clamped.
  void open_page(size_t page);
  model::Controller& controller() { return *controller_; }
  Ui& ui() { return ui_; }
  TextureCache& textures() { return textures_; }
  float zoom() const { return zoom_; }  ///< the user's, on top of the display's scale
  void set_zoom(float zoom);

  /// What the platform does at the end of the frame, when somebody asked for it.
  struct Wishes {
    bool picture = false;         ///< save the frame as PNG
    bool record = false;          ///< save the loop as an animation
  };
  Wishes take_wishes() { return std::exchange(wishes_, {}); }
  /// A line that is shown for some seconds ("saved picture.png").
  void say(std::string message);

  /// State, scene and places as one JSON object.
  std::string state_json();

 private:
  void handle_keys(const model::Scene& scene);
  void act(KeyAction action, const model::Scene& scene);
  void draw_message();

  std::unique_ptr<model::Controller> controller_;
  std::optional<LessonGuide> lesson_;
  FontSet fonts_;
  Ui ui_{fonts_};
  TextureCache textures_;
  Wishes wishes_;
  std::string message_;
  double message_until_ = 0, time_ = 0;
  float zoom_ = 1;
};

/// The strips above and below the panels.
void draw_top_bar(PanelContext& c, Rect r);
void draw_scrubber(PanelContext& c, Rect r);
/// The table of keys over everything; a click or Escape closes it.
void draw_help(PanelContext& c);

}  // namespace tilescope::window
