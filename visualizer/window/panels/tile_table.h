// A window of numbers onto a tile: two axes as a table, one axis as lanes side by side.
#pragma once

#include <cstdint>
#include <vector>

#include "visualizer/window/panels/tile_cells.h"

namespace tilescope::window {

/// What part of a tile is shown, in cells. Kept from frame to frame.
struct TileWindow {
  bool moved = false;  ///< by the person; until then it lies where there is most to see
  float zoom = 1;
  double row = 0, column = 0;
  int64_t slice = 0;
  // Filled by drawing: the part that was shown.
  double rows = 0, columns = 0;
};

/// A slice of two axes: lanes first + row * columns + column.
void draw_table(const LanePainter& p, const Rect& r, TileWindow& w, int64_t first, int64_t rows, int64_t columns, const std::vector<int64_t>& lit);
/// Vectors of one length, lane by lane. `across`: lanes run to the right, else downwards. painters[shown] is the one chosen.
void draw_lanes(PanelContext& c, const std::vector<const model::Variable*>& variables, size_t shown, const Rect& r, TileWindow& w, bool across,
                const std::vector<int64_t>& lit);

/// Colour of the outline around lanes that the current line has just made or stored; 0: none.
ImU32 access_colour(const PanelContext& c, const model::Variable& v);

}  // namespace tilescope::window
