// What a load, store or atomic is about to touch, found without running it: for the full recording of a program.
#pragma once

#include <vector>

#include "core/trace.h"
#include "sim/coalesce.h"
#include "sim/index_map.h"
#include "sim/machine.h"

namespace tilescope {

/// Made just before the instruction runs, while its operands are alive. The machine is not changed.
class AccessProbe {
 public:
  AccessProbe(Machine& m, const Inst* i);

  /// `maps`: one for each tensor of the memory. `costs` of this op: requests and sectors are counted unless a lane is
  /// out of bounds (the op issues nothing then).
  AccessSummary summarise(const std::vector<IndexMap>& maps, AccessCosts& costs);
  AccessLanes lanes();

  bool writes() const { return writes_; }
  /// Virtual addresses of the lanes that are on and lie in a tensor, each element once, rising.
  std::vector<uint64_t> held_addresses();

 private:
  void read_pointers();
  void read_mask();
  void bound_lanes();
  void find_affine();
  void materialise_addresses();
  void materialise_flags();
  bool summarise_affine(AccessSummary& s);
  void summarise_lanes(AccessSummary& s);
  bool place_boxes(AccessSummary& s, const IndexMap& map, const TensorRange& r) const;
  void lane_boxes(AccessSummary& s, const IndexMap& map, const TensorRange& r);
  LaneState state_of(int64_t lane, TensorRange*& guess) const;
  bool on(int64_t lane) const { return flags_.empty() ? all_on_ : flags_[static_cast<size_t>(lane)] != 0; }
  bool lost(int64_t lane) const { return !lost_.empty() && lost_[static_cast<size_t>(lane)] != 0; }

  Machine& m_;
  const Inst* inst_;
  const TileType& type_;
  const int64_t n_;
  bool reads_ = false, writes_ = false;
  int mask_ = -1;  ///< operand, or -1
  // Lane [i0, i1, ...] is at base_ + sum(i * strides_) when affine_; else at addresses_[lane].
  bool affine_ = false;
  uint64_t base_ = 0;
  std::array<int64_t, kMaxRank> strides_{};
  std::vector<uint64_t> addresses_;
  std::vector<uint8_t> lost_;  ///< the pointer is poisoned: its address is not known; empty: none
  // The lanes that are on are those of box_ when boxed_; else flags_ tells and box_ is the smallest box around them.
  bool boxed_ = true, all_on_ = true;
  Box box_;
  std::vector<uint8_t> flags_;
  int64_t on_count_ = 0;
};

}  // namespace tilescope
