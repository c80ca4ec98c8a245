// What the parts of the Threads panel share: the access, and which warp's instruction is chosen.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "visualizer/model/threads.h"
#include "visualizer/window/panel.h"

namespace tilescope::window {

/// What was chosen in this panel; kept as long as the program runs. Out of range: the nearest there is.
struct ThreadsChoice {
  int access = -1;       ///< of the current line's; -1: the last one
  int warp = -1;         ///< -1: the first that issues a request
  int instruction = 0;
  int64_t slice = -1;    ///< of tiles with three axes or more; -1: where the request is
  int64_t row = -1, col = -1;  ///< first ones seen of a tile too large for the room; -1: where the request is
};

struct ThreadsView {
  PanelContext& c;
  const model::CurrentAccess& access;
  const model::AccessThreads& a;
  const model::ProgramValues& values;
  ThreadsChoice& choice;
  int warp = 0, instruction = 0;
  model::WarpRequest request;   ///< the chosen one
  std::vector<int64_t> lit;     ///< elements that are hovered, here or in another panel
  float margin = 0;             ///< room for labels on the left

  Ui& ui() const { return c.ui; }
  const Theme& theme() const { return c.ui.theme(); }
  bool is_lit(int64_t element) const;
  bool is_lit(int lane, int instruction_part) const { return is_lit(a.element(warp, lane, instruction, instruction_part)); }
  LaneState state(int64_t element) const { return a.lanes->states[static_cast<size_t>(element)]; }
  /// Chooses the request of `warp` that the element belongs to.
  void choose(int64_t element) const;
  /// Hovers the element for all panels and says in a tooltip who holds it.
  void hover(int64_t element) const;
};

/// The fill of a warp: from Paul Tol's light scheme, made for cells with black text and for colour-blind people. It repeats
/// after 8 warps: the number is always written too.
ImU32 warp_colour(int warp);

template <class... Args>
std::string said(const Ui& ui, Text id, Args&&... args) {
  return fmt::format(fmt::runtime(ui.t(id)), args...);
}
/// "1 lane on", "12 lanes on".
std::string counted(const Ui& ui, uint64_t n, Text one, Text many);

/// The tile, each element in the colour of the warp that holds it. Returns the height that it took.
float draw_threads_tile(ThreadsView& v, Rect r);
/// The lanes of the chosen request, the sectors that it touches, and lines between them.
void draw_threads_request(ThreadsView& v, Rect r);
/// Height that draw_threads_request asks for at least.
float threads_request_height(const Ui& ui);

}  // namespace tilescope::window
