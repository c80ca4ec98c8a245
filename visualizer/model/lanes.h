// Which lanes of a variable count: read by its load, inside a bound that the kernel compares it with, or on their way to
// a store. The rest is hatched wherever the variable is drawn.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "visualizer/model/scene.h"
#include "visualizer/model/values.h"

namespace tilescope::model {

enum class LaneUse : uint8_t { On, Off, OutOfBounds, Undefined };

struct VariableLanes {
  /// What decides whether a lane counts.
  enum class By : uint8_t {
    Nothing,  ///< all do
    Load,     ///< the mask of the load (or atomic) that made it
    Bound,    ///< a comparison with a scalar: `rows < M`
    Store,    ///< the mask of the store that it flows into, lane by lane
    Itself,   ///< it is a mask
  };
  By by = By::Nothing;
  std::vector<LaneUse> use;    ///< one a lane; empty when all are on
  uint64_t on = 0, off = 0, out_of_bounds = 0, undefined = 0;
  int tensor = -1;             ///< Load, Store: index into Launch::tensors
  std::string bound;           ///< Bound: "M", or "" for a number without a name
  std::string bound_value;     ///< Bound: "70"
  bool below = false;          ///< Bound: the lanes that are off are below the bound (`x >= 0`), not beyond it
  std::string other;           ///< Load: the value of masked lanes when all have one; "" when it had no `other`
  std::vector<int64_t> lo, hi; ///< smallest box of lanes that are on, half open; empty: none
  /// Load, Store: element offsets in the tensor, one a lane.
  std::vector<int64_t> offsets;

  bool is_on(int64_t lane) const { return use.empty() || use[static_cast<size_t>(lane)] == LaneUse::On; }
};

VariableLanes variable_lanes(const ProgramValues& values, const Variable& v);

/// Where the elements of a value end: the store into which they flow lane by lane, through arithmetic, casts, loops.
struct StoredBy {
  const Op* store = nullptr;   ///< null: into none
  bool same = true;            ///< it is stored as it is (or as the variable of that name went on), not as part of something else
  int64_t step = -1;           ///< its first execution after the value was made
  int tensor = -1;
  std::vector<int64_t> lanes;  ///< the store's lane for each lane of the value; empty: the same
  std::shared_ptr<const StepData> data;  ///< of that step; has `access`
  int64_t lane_of(int64_t lane) const { return lanes.empty() ? lane : lanes[static_cast<size_t>(lane)]; }
};
StoredBy stored_by(const ProgramValues& values, ValueId value, uint64_t defined_at);

}  // namespace tilescope::model
