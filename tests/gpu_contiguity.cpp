// How wide the accesses of typical address patterns are. The widths expected here are those of real Triton 3.6: read
// from the PTX that it makes of the same kernels for sm_90, with the same arguments specialised.
#include <doctest/doctest.h>

#include "core/compile.h"
#include "core/layout.h"
#include "gpu/emit.h"

namespace tilescope::gpu {
namespace {

struct Pattern {
  const char* what;
  DType t;
  int64_t n, m, block;
  int alignment;     ///< bytes that divide both pointers
  const char* body;  ///< of a kernel that reads x_ptr and writes y_ptr
  int load, store;   ///< elements of one access
};

const Pattern kPatterns[] = {
    {"16 bytes a thread", DType::Float32, 16, 16, 1024, 16, "    tl.store(y_ptr + i, tl.load(x_ptr + i))\n", 4, 4},
    {"eight halves", DType::Float16, 16, 16, 1024, 16, "    tl.store(y_ptr + i, tl.load(x_ptr + i))\n", 8, 8},
    {"sixteen bytes", DType::Int8, 16, 16, 4096, 16, "    tl.store(y_ptr + i, tl.load(x_ptr + i))\n", 16, 16},
    {"two doubles", DType::Float64, 16, 16, 1024, 16, "    tl.store(y_ptr + i, tl.load(x_ptr + i))\n", 2, 2},
    {"the pointer is no multiple of 16", DType::Float32, 16, 16, 1024, 4,
     "    tl.store(y_ptr + i, tl.load(x_ptr + i))\n", 1, 1},
    {"two elements a thread are all there are", DType::Float32, 16, 16, 256, 16,
     "    tl.store(y_ptr + i, tl.load(x_ptr + i))\n", 2, 2},
    {"one element a thread", DType::Float32, 16, 16, 128, 16, "    tl.store(y_ptr + i, tl.load(x_ptr + i))\n", 1, 1},
    {"the bound is a multiple of 16", DType::Float32, 992, 16, 1024, 16,
     "    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)\n", 4, 4},
    {"the bound is not", DType::Float32, 1000, 16, 1024, 16,
     "    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)\n", 1, 1},
    {"a bound that is a multiple of 8 is not specialised", DType::Float16, 1000, 16, 2048, 16,
     "    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)\n", 1, 1},
    {"<= puts the bound between neighbours", DType::Float32, 992, 16, 1024, 16,
     "    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i <= n), mask=i <= n)\n", 1, 1},
    {"both bounds are multiples of 16", DType::Float32, 992, 32, 1024, 16,
     "    ok = (i < n) & (i >= m)\n"
     "    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=ok), mask=ok)\n",
     4, 4},
    {"one of the bounds is not", DType::Float32, 992, 33, 1024, 16,
     "    ok = (i < n) & (i >= m)\n"
     "    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=ok), mask=ok)\n",
     1, 1},
    {"one value for the whole tile", DType::Float32, 993, 33, 1024, 16,
     "    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=n > m), mask=n > m)\n", 4, 4},
    {"constant bounds: a multiple of 8, and of 2", DType::Float32, 16, 16, 1024, 16,
     "    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < 1000), mask=i < 1002)\n", 4, 2},
    {"offsets of 4 and 8 elements", DType::Float32, 16, 16, 1024, 16,
     "    tl.store(y_ptr + i + 8, tl.load(x_ptr + i + 4))\n", 4, 4},
    {"offsets of 2 and 1 elements", DType::Float32, 16, 16, 1024, 16,
     "    tl.store(y_ptr + i + 1, tl.load(x_ptr + i + 2))\n", 2, 1},
    {"runtime offsets, a multiple of 16 and not", DType::Float32, 32, 33, 1024, 16,
     "    tl.store(y_ptr + i + m, tl.load(x_ptr + i + n))\n", 4, 1},
    {"blocks of a grid", DType::Float32, 992, 16, 1024, 16,
     "    i = tl.program_id(0) * BLOCK + i\n"
     "    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)\n",
     4, 4},
    {"every second element", DType::Float32, 16, 16, 1024, 16, "    tl.store(y_ptr + i, tl.load(x_ptr + i * 2))\n", 1,
     4},
    {"four neighbours read one element", DType::Float32, 16, 16, 1024, 16,
     "    tl.store(y_ptr + i, tl.load(x_ptr + i // 4))\n", 1, 4},
    {"i % n wraps between runs of 16", DType::Float32, 992, 16, 1024, 16,
     "    tl.store(y_ptr + i, tl.load(x_ptr + i % n))\n", 4, 4},
    {"i % n may wrap anywhere", DType::Float32, 1000, 16, 1024, 16, "    tl.store(y_ptr + i, tl.load(x_ptr + i % n))\n",
     1, 4},
    {"a pointer that advances by BLOCK", DType::Float32, 5, 16, 1024, 16,
     "    p = x_ptr + i\n"
     "    a = tl.zeros((BLOCK,), tl.float32)\n"
     "    for j in range(0, n):\n"
     "        a += tl.load(p)\n"
     "        p += BLOCK\n"
     "    tl.store(y_ptr + i, a)\n",
     4, 4},
    {"a pointer that advances by any number", DType::Float32, 5, 33, 1024, 16,
     "    p = x_ptr + i\n"
     "    a = tl.zeros((BLOCK,), tl.float32)\n"
     "    for j in range(0, n):\n"
     "        a += tl.load(p)\n"
     "        p += m\n"
     "    tl.store(y_ptr + i, a)\n",
     1, 4},
    {"a pointer that advances by a multiple of 16", DType::Float32, 5, 32, 1024, 16,
     "    p = x_ptr + i\n"
     "    a = tl.zeros((BLOCK,), tl.float32)\n"
     "    for j in range(0, n):\n"
     "        a += tl.load(p)\n"
     "        p += m\n"
     "    tl.store(y_ptr + i, a)\n",
     4, 4},
    {"a loop's index, from 0 in steps of BLOCK", DType::Float32, 4064, 16, 1024, 16,
     "    a = tl.zeros((BLOCK,), tl.float32)\n"
     "    for j in range(0, n, BLOCK):\n"
     "        a += tl.load(x_ptr + j + i, mask=j + i < n)\n"
     "    tl.store(y_ptr + i, a)\n",
     4, 4},
    {"the same with a bound that is no multiple of 16", DType::Float32, 4065, 16, 1024, 16,
     "    a = tl.zeros((BLOCK,), tl.float32)\n"
     "    for j in range(0, n, BLOCK):\n"
     "        a += tl.load(x_ptr + j + i, mask=j + i < n)\n"
     "    tl.store(y_ptr + i, a)\n",
     1, 4},
    {"a loop's index that starts anywhere", DType::Float32, 4065, 33, 1024, 16,
     "    a = tl.zeros((BLOCK,), tl.float32)\n"
     "    for j in range(m, n, BLOCK):\n"
     "        a += tl.load(x_ptr + j + i)\n"
     "    tl.store(y_ptr + i, a)\n",
     1, 4},
    {"rows whose stride is a multiple of 16", DType::Float32, 5, 64, 64, 16,
     "    r = tl.arange(0, 32)\n"
     "    at = r[:, None] * m + i[None, :]\n"
     "    tl.store(y_ptr + at, tl.load(x_ptr + at))\n",
     4, 4},
    {"rows whose stride is not", DType::Float32, 5, 50, 64, 16,
     "    r = tl.arange(0, 32)\n"
     "    at = r[:, None] * m + i[None, :]\n"
     "    tl.store(y_ptr + at, tl.load(x_ptr + at))\n",
     1, 1},
    {"a column-major tile: the other axis is the fast one", DType::Float32, 5, 64, 64, 16,
     "    r = tl.arange(0, 32)\n"
     "    at = r[:, None] + i[None, :] * m\n"
     "    tl.store(y_ptr + at, tl.load(x_ptr + at))\n",
     4, 4},
    {"masked rows: only the bound along the row counts", DType::Float16, 21, 48, 64, 16,
     "    r = tl.arange(0, 32)\n"
     "    at = r[:, None] * m + i[None, :]\n"
     "    ok = (r[:, None] < n) & (i[None, :] < m)\n"
     "    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=ok, other=0.0), mask=ok)\n",
     8, 8},
    {"and the bound is not a multiple of 16", DType::Float16, 21, 50, 64, 16,
     "    r = tl.arange(0, 32)\n"
     "    at = r[:, None] * m + i[None, :]\n"
     "    ok = (r[:, None] < n) & (i[None, :] < m)\n"
     "    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=ok, other=0.0), mask=ok)\n",
     1, 1},
    {"multiple_of of a scalar", DType::Float32, 5, 40, 1024, 16,
     "    o = tl.multiple_of(m, 8)\n"
     "    tl.store(y_ptr + i, tl.load(x_ptr + o + i))\n",
     1, 4},
    {"a stride of 1 is a constant", DType::Float32, 5, 1, 1024, 16,
     "    tl.store(y_ptr + i * m, tl.load(x_ptr + i * m))\n", 4, 4},
};

Expected<CompiledKernel> compile(const Pattern& p) {
  auto source = std::make_shared<SourceFile>();
  source->path = "kernel.py";
  source->text = std::string(
                     "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
                     "def k(x_ptr, y_ptr, n, m, BLOCK: tl.constexpr):\n"
                     "    i = tl.arange(0, BLOCK)\n") +
                 p.body;
  CompileRequest request;
  request.source = source;
  request.args = {{"x_ptr", PointerArg{p.t, p.alignment}},
                  {"y_ptr", PointerArg{p.t, p.alignment}},
                  {"n", IntArg{p.n, false}},
                  {"m", IntArg{p.m, false}},
                  {"BLOCK", IntArg{p.block, false}}};
  return compile_kernel(request);
}

/// Elements of one access of the only load, or store, of a tile.
int width_of(const Function& f, OpCode code) {
  const AxisAnalysis axes(f);
  int width = 0;
  walk(f.body, [&](const Op& op) {
    if (op.code != code || !f.type(op.operands[0]).is_tile()) return;
    CHECK(width == 0);
    width = choose_access_layout(f, op, f.num_warps, axes).vector_width;
  });
  return width;
}

TEST_CASE("accesses are as wide as Triton's, pattern by pattern") {
  for (const Pattern& p : kPatterns) {
    CAPTURE(p.what);
    const auto kernel = compile(p);
    REQUIRE_MESSAGE(kernel.ok(), (kernel.ok() ? "" : render(kernel.errors())));
    CHECK(width_of(kernel->function, OpCode::Load) == p.load);
    CHECK(width_of(kernel->function, OpCode::Store) == p.store);
  }
}

TEST_CASE("the emitted text accesses memory in the width that the analysis finds") {
  for (const Pattern& p : kPatterns) {
    CAPTURE(p.what);
    const auto kernel = compile(p);
    REQUIRE(kernel.ok());
    const auto emitted = emit_cuda(kernel->function);
    REQUIRE(emitted.ok());
    const std::string load = "<" + std::to_string(p.load) + ">(", store = "<" + std::to_string(p.store) + ">(";
    const bool plain = emitted->text.find("ts::load" + load) != std::string::npos;
    CHECK((plain || emitted->text.find("ts::load_checked" + load) != std::string::npos));
    CHECK(emitted->text.find("ts::store" + store) != std::string::npos);
  }
}

TEST_CASE("a width that stands on a dividend that is not negative is checked when the kernel runs") {
  const std::string wraps = "    tl.store(y_ptr + i, tl.load(x_ptr + (i + n) % m))\n";
  const auto kernel = compile({"", DType::Float32, 32, 992, 1024, 16, wraps.c_str(), 4, 4});
  REQUIRE(kernel.ok());
  const auto emitted = emit_cuda(kernel->function);
  REQUIRE(emitted.ok());
  CHECK(emitted->text.find("ts::load_checked<4>(") != std::string::npos);
}

}  // namespace
}  // namespace tilescope::gpu
