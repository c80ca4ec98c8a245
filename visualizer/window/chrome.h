// The strips around the panels and what lies over them: top bar, notice, scrubber, menus, help. What they remember between
// frames is here; everything that belongs to the kernel is in model::ViewState.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/decorators.h"
#include "visualizer/model/argument_controls.h"
#include "visualizer/window/panel.h"

namespace tilescope::window {

/// A number that is being typed.
struct FieldEdit {
  std::string name;     ///< Chrome::fields and the argument; empty: none
  std::string text;
  size_t caret = 0;     ///< bytes
  bool all = false;     ///< everything is selected: what is typed replaces it
  std::string problem;  ///< why the text was refused
  Rect box;             ///< where it was drawn
  bool drawn = false;   ///< in this frame: a field that went away loses the keyboard
};

/// A number that the mouse was pressed on.
struct FieldPress {
  std::string name;
  ArgValue value;
  float x = 0;
  bool moved = false;
};

enum class Popup : uint8_t { None, Panels, More, Configs, Tensors, Unsaved, Lessons, ResetAnswer, Solution };
/// It is a question or a page of its own: keys do nothing but close it.
constexpr bool is_modal(Popup p) { return p == Popup::Unsaved || p == Popup::ResetAnswer || p == Popup::Solution; }

/// What follows when the question about unsaved text is answered.
enum class AfterUnsaved : uint8_t { Close, Paste };

struct Chrome {
  LaunchSpec opened;                 ///< the launch as it was opened
  Popup popup = Popup::None;
  Rect anchor;                       ///< of the button that opened it
  std::vector<std::string> overflow; ///< arguments that the bar has no room for
  bool tight = false;                ///< short sliders, so that more arguments fit
  FieldEdit edit;
  FieldPress press;
  size_t fault = SIZE_MAX;           ///< the one that was gone to last
  SourcePtr constexprs_of;           ///< `constexprs` are those of this text
  std::set<std::string> constexprs;
  std::vector<TuningConfig> configs; ///< of the kernel's @triton.autotune, of the same text
  int first_config = 0;              ///< row at the top of the menu of configs
  bool scrubbing = false;            ///< the mouse was pressed on the cells of the scrubber
  size_t scrub_open = 0;             ///< section that is open meanwhile
  float playhead = -1;               ///< where the scrubber's marker is drawn; -1: not yet
  double playhead_time = 0;
  double busy_since = -1;            ///< -1: not busy
  float help_scroll = 0;             ///< pixels
  bool in_menu = false;              ///< fields are drawn on a menu's ground
  std::string fields;                ///< in front of the names of fields that are drawn now: "lesson."; usually empty
  float scroll = 0;                  ///< of the popup, in pixels
  SourcePtr solution;                ///< that is or was shown
  bool reset_answer = false, use_solution = false;  ///< answers to what is asked about the exercise
  bool next_fault = false;           ///< the chip was clicked
  std::string unsaved_path;          ///< of the file that is asked about
  AfterUnsaved after_unsaved = AfterUnsaved::Close;
  bool save = false, discard = false;  ///< answers to "there is unsaved text"
};

// ---- strips
void draw_top_bar(PanelContext& c, Chrome& chrome, Rect r);
/// What the bar under the top bar says: an error, a fault of the program that is shown, a recording that ends early.
struct Notice {
  enum class Kind : uint8_t { Error, Fault, Note } kind = Kind::Note;
  std::string text, detail;
  std::optional<size_t> fault;  ///< its number in the run, to go to
  bool withheld = false;        ///< it stands for what a lesson holds back: see withheld.h
};
std::optional<Notice> notice_of(const Ui& ui, const model::Scene& scene, bool withheld);
float notice_height(const Ui& ui, const std::optional<Notice>& notice);
void draw_notice(PanelContext& c, Chrome& chrome, const Notice& notice, Rect r);
void draw_scrubber(PanelContext& c, Chrome& chrome, Rect r);

// ---- over everything
/// The menu or question that is open; a click elsewhere closes menus.
void draw_popup(PanelContext& c, Chrome& chrome);
/// Of the lesson (lesson_popups.cpp): all lessons; the question before the answer is reset; the solution.
void draw_lessons_menu(PanelContext& c, Chrome& chrome);
void draw_reset_question(PanelContext& c, Chrome& chrome);
void draw_solution(PanelContext& c, Chrome& chrome);
/// The ground of a menu below its button, never outside the window.
Rect menu_ground(Ui& ui, const Rect& anchor, float w, float h);
/// Darkens what lies below and returns the ground of a question in the middle.
Rect question_ground(Ui& ui, float w, float h);
/// A button at the right end of `row`, which gets shorter by it.
bool question_button(Ui& ui, Rect& row, std::string_view name, Text text, Ui::ButtonLook look);
/// The table of keys; a click or Escape closes it.
void draw_help(PanelContext& c, Chrome& chrome);

// ---- arguments (argument_fields.cpp)
/// All scalars of the launch with their controls, those that a config or a heuristic gives among them.
std::vector<model::ArgumentControl> controls_of(PanelContext& c, Chrome& chrome);
/// The config in use, from 0; nothing when none gives a value.
std::optional<int64_t> config_in_use(const PanelContext& c, const Chrome& chrome);
/// Width of name and control in one row.
float argument_width(Ui& ui, const Chrome& chrome, const model::ArgumentControl& a);
/// `r`: where they may be; they are drawn at its left, centred vertically. `name`: least width of the name, for columns.
void draw_argument(PanelContext& c, Chrome& chrome, const model::ArgumentControl& a, Rect r, float name = 0);
/// Why the text that is typed was refused, under its field.
void draw_field_problem(PanelContext& c, const Chrome& chrome);

}  // namespace tilescope::window
