// What the parts of the typing rules share with each other and with the lowering; builtins use core/lower/context.h.
#pragma once

#include <string>

#include "core/lower/context.h"

namespace tilescope::lower {

/// Both operands known at compile time: Python's own rules, without rounding to any width.
/// Fails for mixed kinds, division by zero and integers beyond 127 bits.
Value const_binary(Context& c, const std::string& op, const Value& lhs, const Value& rhs, const SourceRange& range);
Value const_unary(Context& c, const std::string& op, const Value& x, const SourceRange& range);

/// Python's truth of a compile-time value; only for values without run-time parts.
bool const_truth(const Value& v);

/// Whether the value has no run-time part: constants, dtypes, functions, tuples of such.
bool is_compile_time(const Value& v);

inline constexpr size_t kMaxTupleItems = 1024;  ///< tuples are copied with the scopes of branches and loops
/// Refuses tuples of more items than that, those of tuples inside counted.
void check_tuple_size(Context& c, const TupleValue& t, const SourceRange& range);

/// As Python's str(): 1.0, True, None, a string without quotes, fp32 for a dtype.
std::string python_str(const Value& v);
std::string to_string(ConstInt v);

/// The text of the kernel that a range covers, when it lies on one line.
std::string text_of(const SourceRange& range);

/// The range from the start of `a` to the end of `b`.
SourceRange join(const SourceRange& a, const SourceRange& b);

/// "float32", "pointer to float32".
std::string element_name(const Type& t);

/// The type that Triton gives a Python number by itself: int1, int32, uint32, int64, uint64, float32 or float64.
DType number_type(Context& c, const Value& number);

/// A Python number as an element of that type; `type` is not a pointer.
ValueId number_constant(Context& c, const Value& number, DType type);

}  // namespace tilescope::lower
