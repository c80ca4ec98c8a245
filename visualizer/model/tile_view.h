// What the Tile panel says about one variable: its items, statistics, and the scale of its colours, which stays the same
// at every step of a program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "visualizer/model/lanes.h"
#include "visualizer/model/scene.h"
#include "visualizer/model/values.h"

namespace tilescope::model {

/// The variables of the scene, then values that are stored without a name of their own ("x + y"). What a load that
/// faulted would have given is among them: memory's values in its lanes that are within bounds.
const std::vector<Variable>& tile_items(const Scene& scene);
const Variable* find_item(const Scene& scene, const std::string& name);
/// What the current line computed or stored; else the last item before it; null when there is nothing.
const Variable* current_item(const Scene& scene);

/// How a variable's lanes are coloured.
enum class ValueScale : uint8_t {
  Plain,   ///< indices and addresses: the number says all
  Signed,  ///< symmetric about 0
  Counts,  ///< from 0 up
  Bool,
};

struct TileStatistics {
  ValueScale scale = ValueScale::Signed;
  double reach = 0;             ///< Signed: largest magnitude of the scale; Counts: its upper end
  double low = 0, high = 0, mean = 0;  ///< over finite lanes that are not undefined
  uint64_t finite = 0, nan = 0, infinite = 0, undefined = 0, ones = 0;
  bool whole = true;            ///< all finite lanes are whole numbers
  double largest = 0;           ///< largest magnitude of a finite lane now
};
/// Kept with the scene.
const TileStatistics& statistics_of(const Scene& scene, const Variable& v);

/// The lanes that are off and the undefined ones are the same lanes.
bool off_lanes_are_the_undefined(const Variable& v, const VariableLanes& lanes);

/// Largest magnitude of a variable over the whole program, as far as some of its moments show; 0 when there is none.
/// Colour scales of one variable are the same in all panels.
double variable_reach(const Scene& scene, const Variable& v);

/// Lanes of `v` that are the element which is hovered or selected: its own, or the tensor element that they were loaded
/// from or will be stored to. At most a few.
std::vector<int64_t> lanes_of_element(const Scene& scene, const Variable& v, const Element& e);

}  // namespace tilescope::model
