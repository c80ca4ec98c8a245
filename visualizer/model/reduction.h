// The reduction or scan of the current line as the tree that it is, for one row.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "visualizer/model/reduce_tree.h"
#include "visualizer/model/scene.h"

namespace tilescope::model {

/// A reduction or scan of the program.
struct ReduceSite {
  int line = 0;
  std::string label;  ///< "max(x)"
};

struct Reduction {
  enum class Kind : uint8_t {
    NotReady,  ///< nothing is recorded
    Nothing,   ///< the program holds no reduction
    NeverRan,  ///< it holds one that this program does not reach
    TooLong,   ///< more lanes than can be drawn
    Opaque,    ///< its combine function cannot be evaluated lane by lane
    Shown
  };
  Kind kind = Kind::NotReady;
  std::vector<ReduceSite> sites;
  size_t site = 0;
  bool scan = false, reverse = false;
  std::string combine;   ///< "sum", "max", "argmax", "user" ...
  std::string operand;   ///< variable that is reduced; may be empty
  std::string result;    ///< variable that the result was given to; may be empty
  DType dtype = DType::Float32;
  int axis = 0;
  Shape shape;           ///< of the operand
  int64_t length = 0;    ///< lanes along the axis
  int64_t rows = 1, row = 0;
  std::vector<int64_t> row_index;  ///< of the row along the other axes
  int64_t step = -1;     ///< op-step of the reduction
  bool known = false;    ///< its operand has been computed at this step
  bool done = false;     ///< it has run at this step
  bool now = false;      ///< in the current line step

  std::vector<ReduceLevel> levels;  ///< from the lanes to the result; see reduce_tree.h. A reversed scan's run from the end
  std::vector<uint8_t> masked;      ///< by lane: padding, masked off in the loads that it came from (masked_lanes.h)
  int64_t masked_lanes = 0;
  std::string masked_value;         ///< what these lanes hold, when it is one value
  bool masked_neutral = false;      ///< they change nothing: the result without them is the same
  /// By level: for max, min, argmax and argmin the lane of the level that the result came from; -1 else.
  std::vector<int64_t> winner;
  std::vector<double> reach;        ///< by level: largest magnitude, for colours
  bool equal = false;               ///< the last level equals the recorded result bit for bit

  double value(size_t level, int64_t lane) const;  ///< of operand 0
  int64_t index(size_t level, int64_t lane) const;  ///< of operand 1 (argmax); -1 when there is none
};

/// `site`: which of `sites`; -1: that of the current line, else the last that ran, else the first. `row` counts the
/// lanes of the other axes in row-major order and is clamped.
Reduction make_reduction(const Scene& scene, int site = -1, int64_t row = 0);

/// The operand's lane that lane `lane` along the axis is, as an index of the operand.
std::vector<int64_t> operand_index(const Reduction& r, int64_t lane);

}  // namespace tilescope::model
