// Which thread layouts Triton gives to the operand of a view and to each of its uses. An op that may reorder (tl.view,
// tl.cat) hands every thread's registers on as they are, so these two layouts decide where each element comes out.
//
// The rules are those of Triton 3.6's passes, as read from the TTGIR of small kernels on an H200 (gpu/README.md):
//   * a memory op has the layout of choose_access_layout(), a load with as many elements a thread as any access of its
//     shape and order that something joins with it; everything else starts with the default layout (one element a
//     thread, last axis first);
//   * loads of at least as many elements as there are threads, atomics and views are anchors; elementwise ops and scans
//     take the layout of the latest anchor among what they are made of;
//   * a use that wants another layout (a store, an atomic, or arithmetic that ends in one or meets a later anchor) gets a
//     view of its own in that layout; the uses that are left share one;
//   * equal views are one, and a use that nothing needs does not count;
//   * if one of these is a reduction, and all of them that are reduce one axis, which several threads share, then the
//     view moves to a layout where that axis is the slowest (the pass "optimize thread locality").
// tl.cat takes its operands in the default layout and gives each thread the registers of one after those of the other; it is
// no anchor. Where that makes more registers than the default layout of the result has, its layout has two neighbours a
// thread, whatever uses it.
// What the rules do not reach (dots, transposes, values carried by loops ...) is "not known".
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/affine.h"
#include "core/ir.h"

namespace tilescope {

/// A blocked layout of a tile: axes, the fastest first, and neighbouring elements along the fastest in one thread.
struct BlockedOrder {
  std::vector<int> order;
  int contiguous = 1;
  friend bool operator==(const BlockedOrder&, const BlockedOrder&) = default;
};

/// True for ops with the attribute {may_reorder}, not 0: a reshape or a cat of which the compiler chooses the order.
bool may_reorder(const Op& op);

class ViewLayouts {
 public:
  explicit ViewLayouts(Function& f);

  struct Operand {
    Op* user;
    size_t index;  ///< among the user's operands
  };
  /// Operands that see the view in one layout.
  struct Uses {
    BlockedOrder layout;
    std::vector<Operand> operands;
  };

  /// The layout of the first operand of a view; nothing when it is not known.
  std::optional<BlockedOrder> source(const Op& view) const;
  /// The uses of a view by layout, the one with reductions first; nothing when it is not known.
  std::optional<std::vector<Uses>> uses(const Op& view) const;

 private:
  /// The latest anchor among what a value is made of.
  struct Anchor {
    bool known = true;
    int position = -1;  ///< in program order; -1: there is none
    BlockedOrder layout;
  };

  void index(Block& b);
  void mark_live(const Block& b);
  bool is_live(const Op& op) const;
  const std::vector<Operand>& live_users(const Op& view) const;
  std::optional<std::vector<Uses>> find_uses(const Op& view) const;
  void join(const Op& op);
  int group(int value) const;
  const Op* def(ValueId v) const;
  bool is_small(ValueId tile) const;
  const BlockedOrder& own_access(const Op& memory_op) const;
  const BlockedOrder& access(const Op& memory_op) const;
  const Op& first_equal(const Op& view) const;
  BlockedOrder with_slowest(const Type& tile, const BlockedOrder& from, int64_t axis) const;

  Anchor anchor(ValueId v) const;
  Anchor find_anchor(const Op& op) const;
  Anchor sliced_anchor(ValueId v, int64_t axis) const;
  Anchor latest_operand(const Op& op) const;
  Anchor natural(const Op& op) const;

  std::optional<BlockedOrder> wanted_by_arithmetic(const Op& view, const Op& first) const;
  bool ends_in_reductions(const Op& first, const BlockedOrder& plain) const;
  std::optional<bool> follows_end(const std::vector<const Op*>& chain, const BlockedOrder& wanted) const;
  /// A look at what a value is made of.
  struct Making {
    int budget = 256;                        ///< values still looked at
    std::vector<const Op*> converts_before;  ///< widening casts in front of which a conversion would stand
  };
  std::optional<bool> can_be_made(ValueId v, const BlockedOrder& layout, Making& making) const;
  bool widens(const Op& op) const;

  const Function& f_;
  AxisAnalysis axes_;
  std::vector<const Op*> defs_;
  std::unordered_map<const Op*, int> position_;
  std::vector<bool> live_;            ///< values that something with an effect needs
  std::vector<std::vector<Operand>> users_;  ///< live ones
  std::map<std::pair<OpCode, std::vector<ValueId>>, std::vector<const Op*>> views_;  ///< by op and operands
  mutable std::unordered_map<const Op*, std::vector<Operand>> shared_users_;  ///< of the first of equal views
  mutable std::unordered_map<const Op*, std::optional<std::vector<Uses>>> uses_;
  mutable std::unordered_map<const Op*, BlockedOrder> own_access_, access_;
  std::vector<const Op*> accesses_;   ///< loads, stores, atomics
  mutable std::vector<int> joined_;   ///< union-find over values: joined by the ops that use them
  mutable std::unordered_map<ValueId, Anchor> anchors_;
};

}  // namespace tilescope
