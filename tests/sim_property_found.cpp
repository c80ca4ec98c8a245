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

TEST_CASE("a sum of two dots is one chain with the left dot first") {
  Bench b;
  Tensor& x = b.tensor("x_ptr", DType::Float32, {16, 16});
  for (int r = 0; r < 16; ++r) write_double(DType::Float32, x.element(r * 16), 1e8);  // one large product a row
  Tensor& y = b.tensor("y_ptr", DType::Float32, {16, 16});
  CHECK(faults(b.run(R"(
def kernel(x_ptr, y_ptr):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    x = tl.load(x_ptr + at)
    ones = tl.full((16, 16), 1.0, tl.float32)
    acc = tl.dot(x, ones, input_precision="ieee")
    acc += tl.dot(ones, ones, input_precision="ieee")
    tl.store(y_ptr + at, acc)
)")) == "");
  CHECK(values(y) == std::vector<double>(256, 1e8));  // 1e8 + 1 is 1e8, sixteen times over; 16 + 1e8 would be more
}

}  // namespace
}  // namespace tilescope
