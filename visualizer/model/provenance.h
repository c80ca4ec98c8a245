// Where one element of a variable came from, and which later lines of this program use it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/trace.h"
#include "visualizer/model/scene.h"
#include "visualizer/model/timeline.h"
#include "visualizer/model/values.h"

namespace tilescope::model {

/// Lanes of one operand that one lane of a result is made of, in the order in which they are combined.
struct OperandLanes {
  int operand = 0;
  std::vector<int64_t> lanes;
};
/// Which operand lanes lane `lane` of result number `result` depends on: for a dot the row of a and the column of b in k
/// order and the accumulator; for a reduction the whole axis; for a scan the elements up to it, in scan order; for
/// shape ops where the element was. Ops without operands, loads from memory and control flow: their own lane of each
/// tile operand of the same shape.
std::vector<OperandLanes> source_lanes(const Function& function, const Op& op, int result, int64_t lane);

/// A run of elements of one value, as a strip of cells.
struct Strip {
  std::string label;                 ///< "A[65, ks]", "x"
  std::string varying;               ///< name of the variable that runs along it ("ks"), or ""
  int64_t first = 0;                 ///< value of `varying` (or the index) at the first element
  std::vector<int64_t> lanes;        ///< in `found`
  std::vector<bool> off;             ///< masked by its load; empty: none
  ProgramValues::Found found;
  ValueId pointer = kNoValue;        ///< of the load that brought the elements, when one did
};

struct LaterUse {
  uint64_t step = 0;      ///< its first execution that reads this element
  int line = 0;
  StepKind kind = StepKind::Compute;
  std::string label;      ///< the line step's: "dot", "store"
  std::string lanes;      ///< what it becomes there: "[1, :]"; may be empty
  int64_t iteration = -1; ///< of the innermost loop, when it is not the one in which the element was made
};

struct Provenance {
  enum class Kind : uint8_t {
    NotComputed,
    Parameter,   ///< an argument of the launch
    Formula,     ///< formula = with_values = text
    Load,        ///< from memory at `place`
    Dot,         ///< a (strip 0) times b (strip 1), products, accumulator `before`
    Reduce,      ///< of strip 0
    Scan,        ///< of strip 0
    Counter,     ///< a loop's variable: formula is start + iteration x step
    Moved,       ///< the same element of `formula` ("rows[5]")
    Other,       ///< formula: the op's text
  };
  Kind kind = Kind::NotComputed;
  std::string element;        ///< "acc[1, 2]"
  std::string text;           ///< its value
  std::string formula, with_values;
  // Load
  TensorPlace place;
  uint64_t address = 0;
  LaneState state = LaneState::On;
  bool has_other = false;
  // Dot, Reduce, Scan
  std::vector<Strip> strips;
  std::vector<double> products;   ///< Dot: one a k
  std::string before, sum;        ///< Dot: the accumulator's element, and what was added to it
  std::string combine;            ///< Reduce, Scan: "sum", "max" ...
  /// Where a store puts it later: tensor element ("C[65, 2]"), or "" when it flows into none.
  std::string destination;
  bool destination_off = false;   ///< the store's mask leaves it out
  std::vector<LaterUse> used_by;
  int64_t iteration = -1;         ///< Counter: counted from 0
  int line = 0;                   ///< source line that computed it
};

/// Explains lane `lane` of `value` as it is after `step`. `timeline` may be null: then labels of later uses are empty.
Provenance explain(const ProgramValues& values, ValueId value, int64_t lane, uint64_t step, const Timeline* timeline);

/// The same for what a load would have given that faulted: `v` as tile_items() has it.
Provenance explain_faulted(const ProgramValues& values, const Variable& v, int64_t lane);

/// "[1, 2]"; "" for a scalar.
std::string index_text(const std::vector<int64_t>& index);

/// Lanes of a loaded (or stored) variable whose address is that tensor element; at most `limit`.
std::vector<int64_t> lanes_at(const std::vector<int64_t>& offsets, int64_t offset, size_t limit);

}  // namespace tilescope::model
