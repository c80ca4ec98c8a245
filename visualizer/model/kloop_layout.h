// Where A, B and C lie in the panel, and what of them is seen: three axes that are zoomed and moved together, so that
// rows of A stay beside rows of C and columns of B above columns of C. Lengths in pixels.
#pragma once

#include <array>

#include "visualizer/model/kloop.h"

namespace tilescope::model {

/// One axis on the screen: the lane at the start of the port, and the port's length.
struct KPort {
  double first = 0;
  float pixels = 0;
  /// Position of lane `index` relative to the port's start.
  float at(double index, float lane) const { return static_cast<float>((index - first) * lane); }
};

struct KBox {
  float x = 0, y = 0, w = 0, h = 0;
};

struct KLayout {
  float lane = 1;  ///< pixels a lane; a whole number from 2 on
  std::array<KPort, 3> ports;
  KBox a, b, c;
  bool whole = true;  ///< all of the three matrices is seen
  const KPort& port(KAxis axis) const { return ports[static_cast<size_t>(axis)]; }
  KPort& port(KAxis axis) { return ports[static_cast<size_t>(axis)]; }
  const KBox& box(char letter) const { return letter == 'A' ? a : letter == 'B' ? b : c; }
};

/// The room for the three matrices: `gap` between A and C and between B and C.
struct KRoom {
  float x = 0, y = 0, w = 0, h = 0;
  float gap = 0, most_lane = 48;
};

/// Everything seen, if a tile is then not too small to see; else the longest axes show a part around the tile.
KLayout fit_layout(const KLoop& loop, const KRoom& room);

/// What a person has made of it with wheel and mouse.
struct KView {
  bool fitted = true;
  float lane = 0;
  std::array<double, 3> first{};
};

/// The layout with the view applied: the same boxes, other lanes in them.
KLayout apply_view(const KLoop& loop, const KLayout& fit, const KView& view);
/// Zooms round a place in the picture: `notches` of the wheel, at lane positions `at` of the three axes (a fraction
/// allowed; the axis that the cursor does not tell is zoomed round its tile).
void zoom(KView& view, const KLoop& loop, const KLayout& now, const KLayout& fit, float notches, const std::array<double, 3>& at, float most_lane);
/// Moves by pixels along two axes.
void pan(KView& view, const KLoop& loop, const KLayout& now, KAxis down, float dy, KAxis across, float dx);
/// Zooms so that the tiles of this iteration fill a good part of the boxes.
void zoom_to_tiles(KView& view, const KLoop& loop, const KLayout& fit);
/// When the loop moved on, the picture moves with the tile, if not everything is seen.
void follow(KView& view, const KLoop& loop, const KLayout& now, const std::array<int64_t, 3>& moved);

}  // namespace tilescope::model
