// The run-time choice of instruction set.
#include <doctest/doctest.h>

#include "sim/kernels/dispatch.h"
#include "sim/kernels/dot_kernels.h"

using namespace tilescope;

TEST_CASE("each instruction set has its own kernels, and use_isa switches between those the processor has") {
  Isa before = current_isa();
  CHECK(isa_supported(Isa::Base));
  CHECK(isa_supported(before));
  for (Isa isa : {Isa::Base, Isa::V3, Isa::V4}) {
    CHECK(use_isa(isa) == isa_supported(isa));
    if (!isa_supported(isa)) continue;
    CHECK(current_isa() == isa);
    const DotKernels* own = isa == Isa::Base ? &base::dot_kernels_table
                            : isa == Isa::V3 ? &v3::dot_kernels_table
                                             : &v4::dot_kernels_table;
    CHECK(&dot_kernels() == own);
  }
  use_isa(before);
  CHECK((base::dot_kernels_table.tensor_core != v3::dot_kernels_table.tensor_core));
  CHECK((v3::dot_kernels_table.tensor_core != v4::dot_kernels_table.tensor_core));
}
