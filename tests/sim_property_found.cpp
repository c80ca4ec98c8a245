// Kernels that random programs found to go wrong once.
#include <doctest/doctest.h>

#include "tests/sim_exec_data.h"

namespace tilescope {
namespace {

using testing::Bench;
using testing::faults;
using testing::values;

TEST_CASE("a converted tile stored through a mask of a single column writes that column only") {
  Bench b;
  b.range("x_ptr", DType::Int32, {4, 4});
  Tensor& y = b.tensor("y_ptr", DType::Int16, {4, 4});
  b.integer("columns", 1);
  CHECK(faults(b.run(R"(
def kernel(x_ptr, y_ptr, columns):
    rows = tl.arange(0, 4)[:, None]
    cols = tl.arange(0, 4)[None, :]
    x = tl.load(x_ptr + rows * 4 + cols)
    tl.store(y_ptr + rows * 4 + cols, x + 100, mask=(rows < 3) & (cols < columns))
)")) == "");
  CHECK(values(y) == std::vector<double>{100, 0, 0, 0, 104, 0, 0, 0, 108, 0, 0, 0, 0, 0, 0, 0});
}

}  // namespace
}  // namespace tilescope
