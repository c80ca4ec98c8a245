// The tools that panels draw with: lengths, text, marks for lanes, and named places that can be clicked. A thin layer
// over ImGui's draw list and input; it keeps no state of the kernel.
#pragma once

#include <imgui.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "visualizer/window/fonts.h"
#include "visualizer/window/texts.h"
#include "visualizer/window/theme.h"

namespace tilescope::window {

struct Rect {
  float x = 0, y = 0, w = 0, h = 0;
  float right() const { return x + w; }
  float bottom() const { return y + h; }
  ImVec2 min() const { return {x, y}; }
  ImVec2 max() const { return {x + w, y + h}; }
  bool contains(ImVec2 p) const { return p.x >= x && p.x < x + w && p.y >= y && p.y < y + h; }
  Rect inset(float d) const { return {x + d, y + d, w - 2 * d, h - 2 * d}; }
  /// Cuts a strip off and returns it.
  Rect take_top(float height);
  Rect take_bottom(float height);
  Rect take_left(float width);
  Rect take_right(float width);
};

enum class Align : uint8_t { Left, Centre, Right };

/// What the mouse does with a named place.
struct Hit {
  bool hovered = false;
  bool clicked = false;         ///< left button pressed on it
  bool double_clicked = false;
  bool held = false;            ///< pressed on it and not released yet, wherever the mouse is now
  bool released = false;        ///< this frame, after having been held
  ImVec2 mouse{};               ///< position
  ImVec2 drag{};                ///< movement of this frame while held
  float wheel = 0;              ///< while hovered
};

class Ui {
 public:
  // ---- a frame
  explicit Ui(const FontSet& fonts) : fonts_(fonts) {}
  /// After ImGui::NewFrame(). `scale` multiplies type and lengths.
  void begin(model::ThemeChoice theme, model::Language language, float scale, ImVec2 size);
  void end();  ///< after all panels: draws the tooltip, swaps the places
  const Theme& theme() const { return *theme_; }
  model::Language language() const { return language_; }
  /// Pixels for a length given at scale 1; whole pixels.
  float px(float length) const;
  float scale() const { return scale_; }
  ImVec2 size() const { return size_; }
  ImDrawList& draw() { return *draw_; }
  /// Draws over all panels (tooltips, menus).
  ImDrawList& top() { return *top_; }
  void clip(const Rect& r);    ///< drawing and hits outside r are cut off, until unclip
  void unclip();

  // ---- places
  /// Registers a place under a name that is unique in the frame and tells what the mouse does there. Later places lie
  /// over earlier ones; while a place is held no other one is hovered.
  Hit hit(std::string_view name, const Rect& r);
  /// Registers a place that only scripts and tests look up.
  void place(std::string_view name, const Rect& r);
  /// All places of the last whole frame.
  const std::map<std::string, Rect, std::less<>>& places() const { return last_places_; }
  /// Text that appears beside the mouse after this frame's panels are drawn. Lines are separated by '\n'.
  void tooltip(std::string_view text);
  /// Name of the place that has the keyboard; empty: single keys are commands. Text editors set it.
  std::string keyboard_focus;

  // ---- text
  /// Width of a line. `code`: the monospaced face.
  float width(std::string_view text, TextSize size, bool code = false);
  float line_height(TextSize size) const;
  float baseline(TextSize size, bool code = false) const;  ///< from the top of a line
  /// Draws one line; `at` is its top left (Left), top centre or top right. Returns its width.
  float text(ImVec2 at, std::string_view text, TextSize size, ImU32 colour, bool code = false, Align align = Align::Left);
  /// One line, vertically centred in r; cut with "…" when it is wider than r (the whole text is then its tooltip, and the
  /// place "cut." with the text is where it stands).
  void text_in(const Rect& r, std::string_view text, TextSize size, ImU32 colour, bool code = false, Align align = Align::Left);
  /// Wraps at spaces and, in Chinese, between characters but not before closing punctuation. Returns the height.
  float paragraph(const Rect& r, std::string_view text, TextSize size, ImU32 colour, float line_height = 0);
  /// A text of texts.def in the language chosen.
  std::string_view t(Text id) const { return text_of(id, language_); }

  // ---- shapes
  void fill(const Rect& r, ImU32 colour, float radius = 0);
  void outline(const Rect& r, ImU32 colour, float thickness = 1, float radius = 0);  ///< inside r
  void line(ImVec2 a, ImVec2 b, ImU32 colour, float thickness = 1);
  void dashed(ImVec2 a, ImVec2 b, ImU32 colour, float thickness = 1, float dash = 3);
  void dashed_outline(const Rect& r, ImU32 colour, float thickness = 1, float dash = 3);
  /// 45 degree lines whose phase is fixed to the screen: masked lanes, and what lies outside a matrix.
  void hatch(const Rect& r, ImU32 colour, float period = 6);
  void cross_hatch(const Rect& r, ImU32 colour, float period = 6);  ///< duplicate lanes
  void dots(const Rect& r, ImU32 colour, float period = 4);         ///< uninitialised
  void cross(const Rect& r, ImU32 colour, float thickness = 2);     ///< out of bounds
  void check(ImVec2 centre, float radius, ImU32 colour);            ///< a check mark
  /// A bracket along a side of r, for labels of ranges.
  void bracket_top(const Rect& r, ImU32 colour);
  void bracket_left(const Rect& r, ImU32 colour);
  void triangle(ImVec2 centre, float radius, float degrees, ImU32 colour);  ///< points right at 0

  // ---- controls
  struct ButtonLook { bool primary = false, active = false, enabled = true; };
  bool button(std::string_view name, const Rect& r, std::string_view label, ButtonLook look, std::string_view tip = {});
  /// A row of joined buttons; returns the index that was clicked, or -1.
  int segmented(std::string_view name, const Rect& r, const std::vector<std::string>& labels, int active);
  /// A slider over `stops` (2 or more; the wheel too moves it) or continuous 0..1 when stops is 0. Returns the new position or a negative number.
  float slider(std::string_view name, const Rect& r, float position, int stops);
  /// A small label on a raised ground. Returns its width.
  float chip(ImVec2 at, std::string_view text, bool code = true);

  float code_advance(TextSize size);  ///< width of one character of the monospaced face

 private:
  ImFont* font(TextSize size, bool code) const { return fonts_.get(size, code); }

  const FontSet& fonts_;
  const Theme* theme_ = nullptr;
  model::Language language_ = model::Language::English;
  float scale_ = 1;
  ImVec2 size_{};
  ImDrawList *draw_ = nullptr, *top_ = nullptr;
  std::vector<Rect> clips_;
  std::map<std::string, Rect, std::less<>> places_, last_places_;
  std::string held_, hovered_, last_hovered_;
  std::string tooltip_;
};

}  // namespace tilescope::window
