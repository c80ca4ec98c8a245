// The typing rules of operators, written down once more, from Triton's documentation of type promotion.
#include <algorithm>
#include <initializer_list>

#include "tests/property/program.h"

namespace tilescope::property {

bool is_fp8(DType t) { return is_float(t) && dtype_bits(t) == 8; }

bool is_comparison(const std::string& op) {
  const std::initializer_list<const char*> all = {"==", "!=", "<", "<=", ">", ">="};
  return std::find(all.begin(), all.end(), op) != all.end();
}

DType number_type(const Expr& e) { return e.is_float ? DType::Float32 : DType::Int32; }

DType common_type(DType a, bool a_is_number, DType b, bool b_is_number, bool division) {
  const auto category = [](DType t) { return is_bool(t) ? 0 : is_float(t) ? 2 : 1; };
  const auto wide = [&](DType t) { return division ? DType::Float32 : t; };
  if (a_is_number && !b_is_number && category(a) <= category(b))
    return dtype_bits(b) == 16 && is_float(b) ? wide(b) : b;
  if (b_is_number && !a_is_number && category(b) <= category(a))
    return dtype_bits(a) == 16 && is_float(a) ? wide(a) : a;
  for (DType t : {DType::Float64, DType::Float32})
    if (a == t || b == t) return t;
  if (a == DType::Float16 || b == DType::Float16) return wide(DType::Float16);
  if (a == DType::BFloat16 || b == DType::BFloat16) return a == b ? wide(a) : DType::Float32;
  if (is_fp8(a) && is_fp8(b)) return a == b ? a : DType::Float16;
  if (is_float(a) || is_float(b)) internal_error("property test: float8 with an integer has no common type");
  if (is_signed_int(a) == is_signed_int(b)) return dtype_bits(a) > dtype_bits(b) ? a : b;
  const DType s = is_signed_int(a) ? a : b, u = is_signed_int(a) ? b : a;
  return dtype_bits(u) >= dtype_bits(s) ? u : s;
}

DType operator_type(const std::string& op, const Expr& a, const Expr& b) {
  const bool division = op == "/" || op == "//" || op == "%", comparison = is_comparison(op);
  const DType ta = a.is_number() ? number_type(a) : a.type.elem, tb = b.is_number() ? number_type(b) : b.type.elem;
  return common_type(ta, a.is_number() && !comparison, tb, b.is_number() && !comparison, division);
}

}  // namespace tilescope::property
