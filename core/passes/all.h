// The functions behind the table in core/passes/passes.cpp.
#pragma once

#include "core/ir.h"

namespace tilescope::passes {

void canonicalise(Function& f);
void fold(Function& f);
void fold_dot_accumulator(Function& f);
void eliminate_common(Function& f);
void eliminate_dead(Function& f);
void hoist_loop_invariant(Function& f);
void slice_addresses(Function& f);

/// True for ops that may be dropped, merged or moved when their operands allow it: no memory, no control flow, no output.
inline bool is_pure(const Op& op) {
  const OpGroup g = op.info().group;
  return g == OpGroup::Elementwise || g == OpGroup::Shape || g == OpGroup::Collective || g == OpGroup::Program;
}

}  // namespace tilescope::passes
