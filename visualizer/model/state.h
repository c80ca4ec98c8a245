// What the person in front of the window has chosen: the one selection that all panels share. Plain data; it is saved,
// written as JSON for tests, and changed through model/controller.h.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/trace.h"

namespace tilescope::model {

/// What one press of "step" moves by.
enum class StepUnit : uint8_t { Op, Line, Iteration, Program };
enum class ThemeChoice : uint8_t { Dark, Light };
enum class Language : uint8_t { English, Chinese };

/// One element of a variable (index: lane along the tile's axes) or of a tensor (logical index).
struct Element {
  enum class Of : uint8_t { Nothing, Variable, Tensor };
  Of of = Of::Nothing;
  std::string name;
  std::vector<int64_t> index;
  explicit operator bool() const { return of != Of::Nothing; }
  friend bool operator==(const Element&, const Element&) = default;
};

/// What was chosen in the Cost panel.
struct CostChoices {
  std::string gpu = "h200";  ///< an id of cost::gpu_descriptions()
  int64_t programs = 0;      ///< launched in the figures of tile loads; 0: as many as the output has columns of tiles
  std::string other;         ///< label of the order that stands beside the launch's; empty: the model's choice
  friend bool operator==(const CostChoices&, const CostChoices&) = default;
};

struct ViewState {
  ProgramIndex program{};
  uint64_t step = 0;  ///< number of the op-step that is shown as just done (index into ProgramTrace::steps)
  StepUnit unit = StepUnit::Line;
  bool playing = false;
  double speed = 1;  ///< 0.1 to 10; line steps a second, times 2

  Element hover;                ///< under the mouse, in whatever panel
  Element selected;             ///< clicked: what "where it came from" explains when nothing is hovered
  std::string shown_variable;   ///< what Tile would show if nothing is pinned: the variable hovered last
  std::string pinned_variable;  ///< clicked; empty: Tile follows
  std::string shown_tensor;     ///< Memory; empty: the tensor of the current access
  std::set<int> breakpoints;    ///< source lines

  CostChoices cost;

  ThemeChoice theme = ThemeChoice::Dark;
  Language language = Language::English;
  bool reduce_motion = false;
  bool help = false;  ///< the table of keys is open

  std::map<std::string, bool> hidden;            ///< panels by id
  std::map<std::string, std::string> front_tab;  ///< by layout cell: id of the panel in front
  std::map<std::string, float> splits;           ///< by splitter: its position as a share of the window
};

/// The state and what is selected by it, as one JSON object, for tests and `view --state`.
std::string to_json(const ViewState& state);

}  // namespace tilescope::model
