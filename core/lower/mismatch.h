// Rules about control flow that both front ends share: bounds of a range, conditions, and variables that change their
// type in a loop or differ between branches.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/lower/context.h"

namespace tilescope::lower {

/// The bounds of a run-time range as scalars of one integer type.
struct RangeBounds {
  ValueId ids[3];  ///< start, end, step
  DType type = DType::Int32;
};
/// `at` is called with the range of each bound before ops for it are made.
RangeBounds range_bounds(Context& c, const Value bounds[3], const std::function<void(const SourceRange&)>& at);

/// int1 scalar for `if` and `while`; `what` names the construct.
ValueId condition_value(Context& c, const Value& v, const std::string& what, const SourceRange& range);

/// What is wrong when a variable that starts a loop as `before` ends its body as `after`; nothing when both agree.
/// `declared` and `assigned` are the places of the assignments.
std::optional<Diagnostic> carried_mismatch(const Function& f, const std::string& name, const Value& before,
                                           const Value& after, const SourceRange& declared,
                                           const SourceRange& assigned);

/// Whether the values that the two branches of an `if` leave in a variable are of one kind and type.
bool branches_agree(const Function& f, const Value& a, const Value& b);
/// The message when they do not.
Diagnostic branch_mismatch(const Function& f, const std::string& name, const Value& a, const Value& b);

}  // namespace tilescope::lower
