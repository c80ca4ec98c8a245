// What the window is drawn on: a screen, or a buffer in memory when there is none.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/diagnostic.h"
#include "visualizer/window/picture.h"

namespace tilescope::window {

class Platform {
 public:
  virtual ~Platform() = default;
  /// Waits for input for at most `seconds` when nothing moves, then starts ImGui's frame (not ImGui::NewFrame itself).
  /// False when the window was closed.
  virtual bool begin(double wait_seconds) = 0;
  /// After ImGui::Render(): draws and shows. `into`: filled with what was drawn, when somebody wants it.
  virtual void present(Picture* into) = 0;
  /// Makes the font texture anew, between frames.
  virtual void fonts_changed() = 0;
  virtual float display_scale() const = 0;
  /// In pixels of the screen; 0 while the window is folded away.
  virtual int width() const = 0;
  virtual int height() const = 0;
  virtual void resize(int width, int height) = 0;
  virtual void set_title(const std::string&) {}
  /// After begin() said that the window was closed: it stays after all.
  virtual void keep_open() {}
};

/// A window on the screen. Errors: no display, no OpenGL 3.
Expected<std::unique_ptr<Platform>> open_screen(const std::string& title, int width, int height, float scale);
/// A buffer in memory through EGL without a display; draws only frames that somebody wants. Errors: no EGL, no OpenGL 3.
Expected<std::unique_ptr<Platform>> open_offscreen(int width, int height, float scale);

}  // namespace tilescope::window
