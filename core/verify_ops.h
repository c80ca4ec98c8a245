// The rule of each op, apart from where its operands were defined. Used by core/verify.cpp.
#pragma once

#include <string>

#include "core/ir.h"

namespace tilescope {

/// Why a type cannot be in the IR ("axis 0 is 48, not a power of two"), or "".
std::string type_problem(const Type& t);

/// Why the op breaks its row of ops.def or its own rule, or "". Its operands, results and region contents exist.
std::string op_problem(const Function& f, const Op& op);

/// A combine of reduce and scan that needs no region: a binary op of one type, named by its mnemonic.
bool is_builtin_combine(std::string_view combine);

}  // namespace tilescope
