// Which layouts every value of a kernel is held in. A value has a home (what its op gives by nature: a load the layout
// of its access, a dot the accumulator of the matrix unit), or none: what is made of ranges, splats and scalars alone
// is computed afresh in every layout that somebody wants. Other wants are met by a conversion through shared memory.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "core/affine.h"
#include "core/ir.h"
#include "gpu/tile_layout.h"

namespace tilescope::gpu {

/// What `home` says besides the number of a layout.
inline constexpr int kScalar = -1;    ///< no tile: every thread holds the value
inline constexpr int kUniform = -2;   ///< every lane of the tile has one value, held as a scalar
inline constexpr int kFlexible = -3;  ///< cheap to compute in any layout

struct Assignment {
  std::vector<TileLayout> layouts;
  std::vector<int> home;                    ///< by value
  std::vector<std::vector<int>> wanted;     ///< by value: the layouts in which it must exist, its home included
  std::map<const Op*, int> operand_layout;  ///< reductions and scans, histograms, asserts: the layout of what they read
  std::map<const Op*, AccessLayout> access;  ///< loads, stores, atomics on tiles
  std::set<const Op*> wgmma;                 ///< dots that go to wgmma

  int intern(const TileLayout& l);
  bool is_wanted(ValueId v) const { return !wanted[v].empty(); }
};

/// `wgmma`: the GPU has it.
Assignment assign_layouts(const Function& f, const AxisAnalysis& axes, bool wgmma);

}  // namespace tilescope::gpu
