// The recorded steps as a person counts them: one statement of the source in one loop iteration is one step; the ops
// inside can be stepped too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ir.h"
#include "core/trace.h"

namespace tilescope::model {

/// Decides the colour of a step's cap and of the current line.
enum class StepKind : uint8_t { Compute, Load, Store, Dot, Reduce };

/// One statement that ran once.
struct LineStep {
  uint64_t first = 0, last = 0;  ///< op-steps, both inclusive
  int32_t frame = -1;            ///< innermost loop iteration
  SourceRange statement;         ///< in the kernel itself (the call, for statements of inlined helpers)
  StepKind kind = StepKind::Compute;
  std::string label;             ///< "rows", "load a", "dot", "store": short enough for a cell
};

/// Line steps of one loop iteration, or those between loops.
struct Section {
  size_t first = 0, end = 0;  ///< half open, indices into Timeline::lines
  int32_t frame = -1;         ///< the iteration; -1 outside loops
  /// For an iteration: the tile of indices that the iteration walks, when the loop's variable feeds one ("ks 32..63");
  /// else the variable's value ("k 32").
  std::string detail;
  int loop_line = 0;    ///< of an iteration: where its loop begins, in the kernel itself
};

struct Timeline {
  std::vector<LineStep> lines;
  std::vector<Section> sections;
  int loops = 0;  ///< that ran, counted by their lines

  /// The line step that op-step `step` belongs to; 0 when there are none.
  size_t line_of(uint64_t step) const;
  size_t section_of(size_t line) const;
};

/// Groups the steps. `ops` as in ProgramRecording::ops().
Timeline make_timeline(const ProgramTrace& trace, const std::vector<const Op*>& ops, const Function& function);

}  // namespace tilescope::model
