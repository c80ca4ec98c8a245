// Tensor descriptors in kernels written in C++: made in the kernel, or by the host as arguments.
#include "core/arg_spec.h"
#include "core/dsl.h"
#include "core/launch_file.h"
#include "tests/core_dsl_compare.h"

using namespace tilescope;
using namespace tilescope::test;
namespace tl = tilescope::dsl;

namespace {

PointerArg blocks(const std::string& tensor) {
  auto arg = parse_arg("x=" + tensor);
  if (!arg) FAIL(render(arg.errors()));
  const auto& t = std::get<TensorSpec>(arg->value);
  return {t.dtype, 16, t.block, t.layout.shape, t.layout.strides};
}

/// IR of the C++ kernel and of the text for descriptors x_desc, y_desc and ROWS=8.
std::pair<std::string, std::string> both(const std::shared_ptr<const HostKernel>& host, const std::string& text, bool optimise) {
  CompileRequest r;
  r.args = {{"x_desc", blocks("f16[20,45]:strides(48,1):block(ROWS,16)")},
            {"y_desc", blocks("f32[20,48]:block(8,16)")},
            {"ROWS", IntArg{8}}};
  r.optimise = optimise;
  CompileRequest cpp = r;
  cpp.host = host;
  r.source = std::make_shared<SourceFile>(SourceFile{"kernel.py", "import triton\nimport triton.language as tl\n" + text});
  return {ir_or_error(cpp), ir_or_error(r)};
}

}  // namespace

TEST_CASE("a descriptor made in a C++ kernel has the IR of the Triton text") {
  auto host = tl::kernel("copy", [](tl::Kernel& k) {
    auto x_ptr = k.pointer("x_ptr"), y_ptr = k.pointer("y_ptr");
    auto m = k.scalar("m"), n = k.scalar("n");
    const int64_t BLOCK = k.constant("BLOCK");
    auto x = tl::make_tensor_descriptor(x_ptr, {m, n}, {n, 1}, {8, BLOCK});
    auto y = tl::make_tensor_descriptor(y_ptr, {m, n}, {n, 1}, {8, BLOCK});
    auto row = tl::program_id(0) * 8;
    for (auto column : tl::range(0, n, BLOCK))
      tl::store_tensor_descriptor(y, {row, column}, tl::load_tensor_descriptor(x, {row, column}) * 2);
  });
  check_same_ir(R"(x_ptr=*f16 y_ptr=*f32 m=100 n=80 BLOCK=16
@triton.jit
def copy(x_ptr, y_ptr, m, n, BLOCK: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [m, n], [n, 1], [8, BLOCK])
    y = tl.make_tensor_descriptor(y_ptr, [m, n], [n, 1], [8, BLOCK])
    row = tl.program_id(0) * 8
    for column in range(0, n, BLOCK):
        y.store([row, column], x.load([row, column]) * 2)
)", host);
}

TEST_CASE("a descriptor that the host makes is a parameter of a C++ kernel, as of the Triton text") {
  DType dtype = DType::Int8;
  Shape block;
  auto host = tl::kernel("copy", [&](tl::Kernel& k) {
    auto x_desc = k.descriptor("x_desc"), y_desc = k.descriptor("y_desc");
    const int64_t ROWS = k.constant("ROWS");
    dtype = x_desc.dtype();
    block = x_desc.shape();
    auto row = tl::program_id(0) * ROWS;
    const std::vector<tl::Value> shape = tl::descriptor_shape(x_desc);
    for (auto column : tl::range(0, shape[1], 16))
      tl::store_tensor_descriptor(y_desc, {row, column}, tl::load_tensor_descriptor(x_desc, {row, column}));
  });
  CHECK(host->params == std::vector<std::string>{"x_desc", "y_desc", "ROWS"});
  for (bool optimise : {false, true}) {
    const auto [cpp, text] = both(host, R"(@triton.jit
def copy(x_desc, y_desc, ROWS: tl.constexpr):
    row = tl.program_id(0) * ROWS
    shape = x_desc.shape
    for column in range(0, shape[1], 16):
        y_desc.store([row, column], x_desc.load([row, column]))
)", optimise);
    CHECK(cpp == text);
    CHECK(cpp.find("error") == std::string::npos);
  }
  CHECK(dtype == DType::Float16);
  CHECK(block == Shape{8, 16});
}

TEST_CASE("block pointers, gather and atomics of descriptors go through tl::call with lists") {
  auto host = tl::kernel("k", [](tl::Kernel& k) {
    auto x_ptr = k.pointer("x_ptr");
    auto n = k.scalar("n");
    auto block = tl::call("tl.make_block_ptr", {x_ptr, tl::List{n, 16}, tl::List{16, 1}, tl::List{0, 0}, tl::List{8, 16}, tl::List{1, 0}});
    auto x = tl::call("tl.load", {block, {"boundary_check", tl::List{0, 1}}});
    auto d = tl::make_tensor_descriptor(x_ptr, {n, 16}, {16, 1}, {8, 16});
    tl::call("tl.tensor_descriptor.atomic_add", {d, tl::List{n, 0}, x});
  });
  check_same_ir(R"(x_ptr=*f32 n=100
@triton.jit
def k(x_ptr, n):
    block = tl.make_block_ptr(x_ptr, (n, 16), (16, 1), (0, 0), (8, 16), (1, 0))
    x = tl.load(block, boundary_check=(0, 1))
    d = tl.make_tensor_descriptor(x_ptr, [n, 16], [16, 1], [8, 16])
    d.atomic_add([n, 0], x)
)", host);
}

TEST_CASE("a descriptor that does not fit its declaration or its launch is refused where it is declared") {
  const auto error = [](const tl::Body& body, CompileArg arg) {
    CompileRequest r;
    r.host = tl::kernel("k", body);
    r.args = {std::move(arg)};
    return ir_or_error(r);
  };
  const tl::Body descriptor = [](tl::Kernel& k) { k.descriptor("x"); }, pointer = [](tl::Kernel& k) { k.pointer("x"); };
  CHECK(error(descriptor, {"x", PointerArg{DType::Float32, 16}}) ==
        "error: the argument `x` is a tensor without blocks, but the kernel needs a tensor descriptor");
  CHECK(error(descriptor, {"x", IntArg{3}}) == "error: the argument `x` is no tensor, but the kernel needs a tensor descriptor");
  CHECK(error(pointer, {"x", blocks("f32[20,48]:block(8,16)")}) ==
        "error: the argument `x` is a tensor descriptor, but the kernel declares something else");
  CHECK(error(descriptor, {"x", blocks("f32[20,45]:block(8,16)")}).find("multiples of 16 bytes") != std::string::npos);
  CHECK(error(descriptor, {"x", NoneArg{}}).find("error") == std::string::npos);
  CHECK(error([](tl::Kernel& k) { auto x = k.descriptor("x"); tl::load(x + 1); }, {"x", blocks("f32[20,48]:block(8,16)")})
            .starts_with("error: "));
  CHECK(error([](tl::Kernel& k) { tl::load_tensor_descriptor(k.descriptor("x"), {0}); }, {"x", blocks("f32[20,48]:block(8,16)")}) ==
        "error: the descriptor has 2 axes, but 1 offsets are given");
}
