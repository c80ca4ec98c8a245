// Values of the reference, and its collective operations.
#pragma once

#include <vector>

#include "tests/property/program.h"

namespace tilescope::property {

/// A tile (or a scalar) with all its lanes, row-major. Pointers: the element offset from the tensor's index 0.
struct Lanes {
  Type type;
  std::vector<uint64_t> lanes;
  int tensor = -1;
};

/// Adjacent pairs, lower index on the left: the two halves of an axis are reduced on their own, then combined.
Lanes reduce(const Expr& e, const Lanes& x);
/// Values and their indices.
std::vector<Lanes> arg_reduce(const Expr& e, const Lanes& x);
/// Two tiles at once, by the larger of the first, ties to the smaller second.
std::vector<Lanes> pair_reduce(const Expr& e, const Lanes& x, const Lanes& i);
std::vector<Lanes> pair_scan(const Expr& e, Lanes x, Lanes i);
/// Sklansky: the upper half of an axis is scanned on its own, then the lower half's last element is combined into it.
Lanes scan(const Expr& e, const Lanes& x);
Lanes sort(const Expr& e, Lanes x);
/// One chain for every element of the result, k ascending.
Lanes dot(const Expr& e, const Lanes& a, const Lanes& b, const Lanes& acc);

}  // namespace tilescope::property
