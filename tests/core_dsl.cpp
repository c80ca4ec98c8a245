// Kernels written in C++ against the same kernels in Triton text.
#include "core/dsl.h"

#include <doctest/doctest.h>

#include "core/print.h"
#include "tests/dsl_kernels.h"

using namespace tilescope;
namespace tl = tilescope::dsl;

namespace {

CompileArg pointer(const std::string& name, DType t, int64_t alignment = 16) {
  return {name, PointerArg{t, alignment}};
}
CompileArg integer(const std::string& name, int64_t v) { return {name, IntArg{v, false}}; }

std::string ir_of(const CompileRequest& request) {
  Expected<CompiledKernel> built = compile_kernel(request);
  return built ? print(built->function) : render(built.errors());
}

/// The IR of lessons/kernels/NAME/kernel.py and of `host` for these arguments, before and after the passes.
void check_same(const std::string& name, std::shared_ptr<const HostKernel> host, std::vector<CompileArg> args) {
  Expected<SourcePtr> source =
      read_source(std::string(TILESCOPE_SOURCE_DIR) + "/lessons/kernels/" + name + "/kernel.py");
  REQUIRE(source.ok());
  for (const bool optimise : {false, true}) {
    CompileRequest triton, cpp;
    triton.source = *source;
    cpp.host = host;
    triton.args = cpp.args = args;
    triton.optimise = cpp.optimise = optimise;
    CHECK(ir_of(cpp) == ir_of(triton));
  }
}

}  // namespace

TEST_CASE("a vector addition in C++ has the IR of the Triton text") {
  for (const DType t : {DType::Float32, DType::Float16, DType::Int32, DType::UInt8})
    for (const int64_t n : {int64_t{1}, int64_t{1000}, int64_t{1024}, int64_t{3000000000}})
      check_same("vector_add", dsl_kernels::vector_add(),
                 {pointer("x_ptr", t), pointer("y_ptr", DType::Float32, 1), pointer("out_ptr", t), integer("n", n),
                  integer("BLOCK", 256)});
}

TEST_CASE("a softmax in C++ has the IR of the Triton text") {
  for (const int64_t n : {1, 100, 128})
    check_same("softmax", dsl_kernels::softmax(),
               {pointer("x_ptr", DType::Float32), pointer("y_ptr", DType::Float16), integer("N", n),
                integer("BLOCK_SIZE", 128)});
}

TEST_CASE("a matmul with edges in C++ has the IR of the Triton text") {
  for (const int64_t m : {int64_t{1}, int64_t{96}, int64_t{4000000000}})
    for (const int64_t k : {1, 33})
      check_same("matmul", dsl_kernels::matmul(),
                 {pointer("a_ptr", DType::Float16), pointer("b_ptr", DType::Float16), pointer("c_ptr", DType::Float32),
                  integer("M", m), integer("N", 50), integer("K", k), integer("BLOCK_M", 32), integer("BLOCK_N", 64),
                  integer("BLOCK_K", 16)});
}

TEST_CASE("a matmul in grouped order in C++ has the IR of the Triton text") {
  for (const int64_t m : {1, 500})
    for (const int64_t k : {1, 64})
      for (const int64_t group : {1, 8})
        check_same(
            "grouped_matmul", dsl_kernels::grouped_matmul(),
            {pointer("a_ptr", DType::Float16), pointer("b_ptr", DType::Float16), pointer("c_ptr", DType::Float16),
             integer("M", m), integer("N", 128), integer("K", k), integer("stride_am", k), integer("stride_ak", 1),
             integer("stride_bk", 128), integer("stride_bn", 1), integer("stride_cm", 128), integer("stride_cn", 1),
             integer("BLOCK_M", 32), integer("BLOCK_N", 64), integer("BLOCK_K", 16), integer("GROUP_M", group)});
}
