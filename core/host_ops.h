// What host Python does with values, for core/host_evaluation.h: operators, comparisons, lists. What it does not know it throws
// as Unknown; HostEval turns that into an error.
#pragma once

#include <string>
#include <vector>

#include "core/host_eval.h"

namespace tilescope::host {

inline constexpr size_t kMaxItems = 10'000;  ///< of a list
inline constexpr size_t kMaxText = 4096;     ///< of a string made by `+`

/// Why something is not known.
struct Unknown {
  Diagnostic why;
};

bool is_number(const HostValue& v);
bool is_whole(const HostValue& v);  ///< int or bool
double real_of(const HostValue& v);

[[noreturn]] void refuse(const Expr& at, const std::string& why);
bool truth(const HostValue& v, const Expr& at);
void add(const Expr& at, HostValue& list, HostValue v);
/// What a `for` goes over.
std::vector<HostValue> sequence(const Expr& at, const HostValue& v);
HostValue dtype_value(DType t);
HostValue whole_list(const std::vector<int64_t>& values);
HostValue unary(const Expr& e, const HostValue& v);
HostValue binary(const Expr& e, SynOp op, HostValue a, HostValue b);
/// ==. Refused where it needs a tensor's values.
bool equal(const Expr& at, const HostValue& a, const HostValue& b);
HostValue to_int(const Expr& e, double v);
HostValue minus(const Expr& e, const HostValue& v);
HostValue range(const Expr& e, const std::vector<HostValue>& a);
HostValue product(const Expr& e, const std::vector<HostValue>& lists);

}  // namespace tilescope::host
