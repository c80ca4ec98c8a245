// Likely causes of accesses outside a tensor: block pointers, loaded indices, masks with rows and columns swapped.
#include <doctest/doctest.h>

#include "tests/sim_exec_data.h"

namespace tilescope {
namespace {

RunTrace run_checked(const std::string& kernel) {
  testing::Bench b;
  b.range("x_ptr", DType::Float32, {45, 70});
  b.range("index_ptr", DType::Int32, {4000});
  RunOptions o;
  o.check = Checkers::all();
  return b.run(kernel, {1, 1, 1}, o);
}

TEST_CASE("a block pointer whose shape is larger than the tensor is named as such") {
  const RunTrace t = run_checked(R"(
def kernel(x_ptr, index_ptr):
    p = tl.make_block_ptr(x_ptr, (64, 70), (70, 1), (32, 0), (32, 16), (1, 0))
    tl.store(index_ptr + tl.arange(0, 16), tl.sum(tl.load(p, boundary_check=(0, 1)), axis=0).to(tl.int32))
)");
  REQUIRE(t.faults.size() == 1);
  CHECK(t.faults[0].kind == FaultKind::BlockPointer);
  CHECK(t.faults[0].element == std::vector<int64_t>{45, 0});
  CHECK(t.faults[0].hint == "the shape given to the block pointer lets rows >= 45 through, or boundary_check leaves axis 0 out");
}

TEST_CASE("an index that was loaded is blamed for a gather out of bounds, not a missing mask") {
  const RunTrace t = run_checked(R"(
def kernel(x_ptr, index_ptr):
    i = tl.load(index_ptr + 3500 + tl.arange(0, 16))
    tl.store(index_ptr + tl.arange(0, 16), tl.load(x_ptr + i).to(tl.int32))
)");
  REQUIRE(t.faults.size() == 1);
  CHECK(t.faults[0].kind == FaultKind::OutOfBounds);
  CHECK(t.faults[0].hint == "the index was loaded at line 7 by `tl.load(index_ptr + 3500 + tl.arange(0, 16))`: is every value in there below 3150?");
}

}  // namespace
}  // namespace tilescope
