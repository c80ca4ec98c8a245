// Kernels over grids of several programs with data of their own, against plain C++.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/compile.h"
#include "core/tensor.h"
#include "sim/run.h"

namespace tilescope::testing {

using Numbers = std::vector<double>;
using OpSet = std::set<OpCode>;

/// The programs of the tile kernels below: 3 x 2.
inline constexpr int64_t kPrograms = 6;

/// One launch; the ops of every kernel that ran are added to `ops`.
class GridLaunch {
 public:
  explicit GridLaunch(OpSet& ops) : ops_(ops) {}
  /// A tensor with these values in storage order.
  Tensor& tensor(const std::string& name, DType dtype, std::vector<int64_t> shape, const Numbers& values = {});
  void integer(const std::string& name, int64_t value) { args_.push_back({name, IntArg{value, false}}); }
  /// `text` holds jit functions, the last of them named kernel. A kernel that does not compile gives a fault.
  RunTrace run(const std::string& text, std::array<int64_t, 3> grid, RunOptions options = {});

 private:
  OpSet& ops_;
  std::vector<std::unique_ptr<Tensor>> tensors_;
  std::vector<CompileArg> args_;
};

Numbers values_of(const Tensor& t);
/// Messages of all faults; "" when there are none.
std::string fault_text(const RunTrace& t);

/// From a program's tiles x and y of `lanes` elements to its tile z. `body` is the kernel's text between the loads and
/// the store; it defines z, of `results` elements (rank 1) or a scalar when `results` is 1.
struct TileCase {
  std::string body;
  DType in = DType::Int32, out = DType::Int32;
  int64_t lanes = 16, results = 16;
  std::function<Numbers(const Numbers& x, const Numbers& y)> expected;
  double tolerance = 0;  ///< relative
  std::string helpers;   ///< functions that stand before the kernel
};
/// Runs the case over the grid and compares all programs.
void check_tile_case(const TileCase& c, OpSet& ops);

/// Element `lane` of a program's x or y.
double sample(DType t, bool is_y, int64_t program, int64_t lane);

// What each file of grid tests runs.
void elementwise_grids(OpSet& ops);
void shape_grids(OpSet& ops);
void collective_grids(OpSet& ops);
void memory_grids(OpSet& ops);
void control_grids(OpSet& ops);
void debug_grids(OpSet& ops);

}  // namespace tilescope::testing
