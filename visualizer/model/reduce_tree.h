// The partial results of a reduction or scan over one row: the same tree of adjacent pairs, the same scalar functions and
// so the same bits as in the simulator and on the GPU (core/ir.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/ir.h"

namespace tilescope::model {

/// The values that one lane has in each operand of the op: one for a sum, two (value, index) for an argmax.
using LaneBits = std::vector<uint64_t>;

/// Combines two lanes, the lower index on the left.
class Combine {
 public:
  /// `outer` gives the bits of a scalar that a user's combine function takes from outside.
  Combine(const Function& f, const Op& op, std::function<std::optional<uint64_t>(ValueId)> outer);
  /// Nothing when the function holds an op that has no scalar meaning here.
  std::optional<LaneBits> operator()(const LaneBits& left, const LaneBits& right) const;

 private:
  std::optional<LaneBits> built_in(const LaneBits& left, const LaneBits& right) const;
  std::optional<LaneBits> region(const LaneBits& left, const LaneBits& right) const;

  const Function& f_;
  const Op& op_;
  std::string_view name_;
  std::optional<OpCode> code_;
  std::vector<DType> types_;
  std::function<std::optional<uint64_t>(ValueId)> outer_;
};

/// Levels from the lanes themselves to the result. A reduction halves each level; a scan keeps its length, and `changed`
/// lanes took part in the step.
struct ReduceLevel {
  std::vector<LaneBits> lanes;
  std::vector<uint8_t> changed;  ///< scan only
};

/// Reduction: log2(n) + 1 levels, level l holding n >> l. Scan (Sklansky): log2(n) + 1 levels of n. Empty when Combine
/// cannot be evaluated. `lanes` is a power of two long.
std::vector<ReduceLevel> reduce_levels(const Combine& combine, std::vector<LaneBits> lanes);
std::vector<ReduceLevel> scan_levels(const Combine& combine, std::vector<LaneBits> lanes);

}  // namespace tilescope::model
