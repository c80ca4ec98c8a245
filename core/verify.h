// Checks that a Function obeys the rules of ir.h and ops.def. After lowering or a pass, a broken rule is a bug of ours;
// for IR that a user wrote as text it is the user's error.
#pragma once

#include <string_view>
#include <vector>

#include "core/ir.h"

namespace tilescope {

/// The broken rules, in program order, at most 20; empty when the function is well formed. Checked are: operand, result
/// and region counts; every value defined once and before its uses (dominance); the type rule of each op; attributes
/// and their ranges; region arguments and terminators; extents that are powers of two and tiles of at most 2^20 elements.
std::vector<Diagnostic> verify(const Function& f);

/// internal_error with the first broken rule; `when` says what ran last ("lowering", "pass cse").
void verify_or_die(const Function& f, std::string_view when);

}  // namespace tilescope
