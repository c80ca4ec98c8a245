#include "sim/try_score.h"

#include <algorithm>
#include <vector>

#include "sim/try_extents.h"

namespace tilescope {
namespace {

/// Sizes and other whole numbers that extents of tensors are made of.
std::vector<int64_t> factors(const GuessedLaunch& g) {
  std::set<int64_t> out{1};
  for (const GuessedArg& a : g.args)
    if (const auto* n = std::get_if<int64_t>(&a.value); n != nullptr && *n > 1 && !a.leave_out) out.insert(*n);
  return {out.begin(), out.end()};
}

/// The tensor is touched where its sizes say that it has no elements: the kernel does not mask.
bool exceeds_sizes(const std::vector<StridedAxis>& axes, const Touched& t, const std::vector<int64_t>& factors) {
  if (t.empty()) return false;
  if (!axes.empty()) {
    int64_t rest = t.high;
    for (const StridedAxis& axis : axes) {
      if (axis.size && rest / axis.stride >= *axis.size) return true;
      rest %= axis.stride;
    }
    return false;
  }
  const int64_t elements = t.high + 1;
  for (int64_t a : factors)
    for (int64_t b : factors)  // one after the other: their product may be beyond 64 bits
      if (elements % a == 0 && elements / a % b == 0 && std::binary_search(factors.begin(), factors.end(), elements / a / b)) return false;
  return true;
}

/// Elements of the box that reaches as far as the tensor is touched, and as far as its sizes say.
double box_of(const std::vector<StridedAxis>& axes, const Touched& t) {
  double box = 1;
  int64_t rest = std::max<int64_t>(t.high, 0);
  for (const StridedAxis& axis : axes) {
    box *= static_cast<double>(std::max(rest / axis.stride + 1, axis.size.value_or(1)));
    rest %= axis.stride;
  }
  return box * static_cast<double>(rest + 1);
}

}  // namespace

TriedScore score_tried(const GuessedLaunch& g, const Reach& reach, const std::set<std::string>& given) {
  TriedScore s;
  s.failed = reach.errors.empty() && reach.stopped_programs == 0 ? 0 : 1;
  const std::vector<int64_t> f = factors(g);
  for (const Touched& t : reach.tensors) {
    if (given.count(t.tensor) != 0) continue;
    const std::vector<StridedAxis> axes = axes_of(g, t.tensor);
    s.exceeding += exceeds_sizes(axes, t, f);
    if (t.stores > 0) s.overlap += static_cast<double>(t.stored_again) / static_cast<double>(t.stores);
    if (t.empty()) continue;
    s.holes += 1 - static_cast<double>(t.distinct) / static_cast<double>(t.high + 1);
    s.gaps += std::max(0.0, 1 - static_cast<double>(t.distinct) / box_of(axes, t));
  }
  return s;
}

bool touches_else(const Reach& a, const Reach& b) {
  return !std::equal(a.tensors.begin(), a.tensors.end(), b.tensors.begin(), b.tensors.end(), [](const Touched& x, const Touched& y) {
    return x.low == y.low && x.high == y.high && x.distinct == y.distinct && x.stores == y.stores;
  });
}

}  // namespace tilescope
