// The rule of each op, apart from where its operands were defined. Used by core/verify.cpp.
#pragma once

#include <string>

#include "core/ir.h"

namespace tilescope {

/// Why a type cannot be in the IR ("axis 0 is 48, not a power of two"), or "".
std::string type_problem(const Type& t);

/// Why the op breaks its row of ops.def or its own rule, or "". Its operands, results and region contents exist.
std::string op_problem(const Function& f, const Op& op);

/// The `combine` of reduce and scan that means this binary op: "sum" for Add, "max_nan" for MaximumNan; "" for others.
std::string_view combine_of(OpCode op);
/// A combine of one tile that needs no region; reduce knows "argmax", "argmin" and their "_right" forms besides.
bool is_builtin_combine(std::string_view combine);

}  // namespace tilescope
