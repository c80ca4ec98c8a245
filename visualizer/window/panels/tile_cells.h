// Cells of numbers: the colour and text of a lane, hatch for lanes that are off, maps of whole tiles. Used wherever
// values of a variable are drawn lane by lane.
#pragma once

#include <string>
#include <vector>

#include "visualizer/model/tile_view.h"
#include "visualizer/window/panel.h"

namespace tilescope::window {

/// Everything needed to draw lanes of one variable.
struct LanePainter {
  PanelContext& c;
  const model::Variable& v;
  const model::TileStatistics& numbers;
  const model::VariableLanes& lanes;
  const model::ProgramValues& values;

  LanePainter(PanelContext& context, const model::Variable& variable);
  bool off(int64_t lane) const { return !lanes.is_on(lane); }
  /// The fill of a lane that is on.
  ImU32 colour(int64_t lane) const;
  /// The number for a cell that has room for so many characters; "" when nothing fits.
  std::string text(int64_t lane, int characters, bool words = true) const;
  /// All there is to say about the lane, for a tooltip.
  std::string describe(int64_t lane) const;
  /// Fill, hatch and number.
  void cell(const Rect& r, int64_t lane, Align align = Align::Right) const;
};

/// A map of a rectangle of lanes (row-major, `columns` to a row, from lane `first`), with hatch over what is off.
void draw_map(const LanePainter& p, const Rect& r, const std::string& key, int64_t first, int64_t rows, int64_t columns);

/// Rectangles of lanes (row, column, rows, columns) that are off, or out of bounds, neighbours put together. At most a
/// few thousand.
struct OffBox { int64_t row, column, rows, columns; };
std::vector<OffBox> off_boxes(const model::VariableLanes& lanes, int64_t first, int64_t row, int64_t column, int64_t rows, int64_t columns, int64_t stride, bool out_of_bounds = false);

/// Digits on a hatch: the hatch is cut out behind them.
void plate_text(Ui& ui, const Rect& r, const std::string& text, TextSize size, ImU32 colour, bool code, Align align);

/// Outlines a lane that is hovered or selected.
void light(Ui& ui, const Rect& r);

/// The variable's element, as the shared hover.
model::Element element_of(const model::Variable& v, int64_t lane);

}  // namespace tilescope::window
