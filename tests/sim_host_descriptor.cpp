// Kernels whose arguments are tensor descriptors, against float64 references and element by element.
#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <string>

#include "core/launch_file.h"
#include "core/launch_text.h"
#include "sim/launch.h"
#include "sim/try_kernel.h"

using namespace tilescope;

namespace {

Launch launch_of(const std::string& kernel, const std::string& json) {
  auto spec = parse_launch_text(json, "launch.json");
  if (!spec) FAIL(render(spec.errors()));
  auto source = std::make_shared<SourceFile>(SourceFile{"kernel.py", kernel});
  auto compiled = compile_kernel(compile_request(*spec, source));
  if (!compiled) FAIL(render(compiled.errors()));
  auto tensors = make_tensors(*spec);
  if (!tensors) FAIL(render(tensors.errors()));
  auto launch = bind_launch(*spec, std::move(*compiled), std::move(*tensors));
  if (!launch) FAIL(render(launch.errors()));
  return std::move(*launch);
}

const std::string kMatmul =
    "import triton\nimport triton.language as tl\n\n@triton.jit\n"
    "def matmul(a_desc, b_desc, c_desc, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):\n"
    "    m = tl.program_id(0) * BLOCK_M\n"
    "    n = tl.program_id(1) * BLOCK_N\n"
    "    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)\n"
    "    for k in range(0, a_desc.shape[1], BLOCK_K):\n"
    "        total = tl.dot(a_desc.load([m, k]), b_desc.load([k, n]), total)\n"
    "    c_desc.store([m, n], total.to(c_desc.dtype))\n";

}  // namespace

TEST_CASE("a matmul of ragged tensors through descriptors agrees with float64") {
  Launch launch = launch_of(kMatmul, R"x({"grid": ["cdiv(70, BLOCK_M)", "cdiv(53, BLOCK_N)"], "args": {
      "a_desc": {"tensor": "float16", "shape": [70, 45], "strides": [48, 1], "descriptor": ["BLOCK_M", "BLOCK_K"], "init": {"randn": 1}},
      "b_desc": {"tensor": "float16", "shape": [45, 53], "strides": [56, 1], "descriptor": ["BLOCK_K", "BLOCK_N"], "init": {"randn": 2}},
      "c_desc": {"tensor": "float32", "shape": [70, 53], "strides": [56, 1], "descriptor": ["BLOCK_M", "BLOCK_N"]},
      "BLOCK_M": 32, "BLOCK_N": 32, "BLOCK_K": 16},
      "outputs": {"c_desc": {"reference": "matmul", "inputs": ["a_desc", "b_desc"], "rtol": 1e-3, "atol": 1e-3}}})x");
  const std::vector<Tensor> before = copy_reference_inputs(launch);
  const RunTrace trace = execute(launch, {});
  CHECK(trace.faults.empty());
  auto checks = check_outputs(launch, before);
  REQUIRE(checks.ok());
  REQUIRE(checks->size() == 1);
  CHECK((*checks)[0].equal);
  CHECK((*checks)[0].elements == 70 * 53);
}

TEST_CASE("blocks that reach over the edge load zeros and store nothing outside") {
  // The gap between the rows of y belongs to nobody: it must keep its first bytes.
  const std::string kernel =
      "import triton\nimport triton.language as tl\n\n@triton.jit\n"
      "def copy(x_desc, y_desc, sum_ptr):\n"
      "    x = x_desc.load([-2, 4])\n"
      "    y_desc.store([-2, 4], x + 1)\n"
      "    tl.store(sum_ptr, tl.sum(tl.sum(x, 1), 0))\n";
  Launch launch = launch_of(kernel, R"({"grid": [1], "args": {
      "x_desc": {"tensor": "int32", "shape": [3, 6], "strides": [8, 1], "descriptor": [8, 4], "init": {"full": 7}},
      "y_desc": {"tensor": "int32", "shape": [3, 6], "strides": [8, 1], "descriptor": [8, 4], "init": "zeros"},
      "sum_ptr": {"tensor": "int32", "shape": [1], "init": "zeros"}}})");
  const auto words_of = [&](const char* name) {
    const Tensor& t = *launch.find_tensor(name);
    std::vector<int32_t> out(t.storage.size() / 4);
    std::memcpy(out.data(), t.storage.data(), out.size() * 4);
    return out;
  };
  const std::vector<int32_t> before = words_of("y_desc");
  const RunTrace trace = execute(launch, {});
  CHECK(trace.faults.empty());
  CHECK(words_of("sum_ptr")[0] == 3 * 2 * 7);
  const std::vector<int32_t> y = words_of("y_desc");
  REQUIRE(y.size() == 22);
  for (size_t i = 0; i < y.size(); ++i) {
    CAPTURE(i);
    CHECK(y[i] == (i % 8 == 4 || i % 8 == 5 ? 8 : before[i]));
  }
}

TEST_CASE("a descriptor's atomic_add adds up over the programs") {
  const std::string kernel =
      "import triton\nimport triton.language as tl\n\n@triton.jit\n"
      "def add(y_desc):\n    y_desc.atomic_add([2], tl.full((4,), 1, tl.int32))\n";
  Launch launch = launch_of(kernel, R"({"grid": [5], "args": {
      "y_desc": {"tensor": "int32", "shape": [5], "descriptor": [4], "init": "zeros"}}})");
  CHECK(execute(launch, {}).faults.empty());
  int32_t got[5];
  std::memcpy(got, launch.find_tensor("y_desc")->storage.data(), sizeof got);
  for (int i = 0; i < 5; ++i) CHECK(got[i] == (i < 2 ? 0 : 5));
}

TEST_CASE("a kernel of descriptors runs with guessed arguments") {
  auto source = std::make_shared<SourceFile>(SourceFile{"kernel.py", kMatmul});
  auto tried = try_kernel(source, "", "kernel.py", {});
  if (!tried) FAIL(render(tried.errors()));
  CHECK(arg_text(tried->spec.find("b_desc")->value) == "f32[64,64]:block(BLOCK_K,BLOCK_N)=randn(2)");
  CHECK(arg_text(tried->spec.find("c_desc")->value) == "f32[64,64]:block(BLOCK_M,BLOCK_N)=empty");
  Launch launch = launch_of(kMatmul, launch_file_text(tried->spec, "kernel.py"));
  CHECK(execute(launch, {}).faults.empty());
}

TEST_CASE("the launch files of tests/descriptors, which the GPU runs too, are right") {
  for (const char* name : {"matmul", "softmax_rows"}) {
    CAPTURE(name);
    auto spec = load_launch_file(std::string(TILESCOPE_SOURCE_DIR) + "/tests/descriptors/" + name + "/launch.json");
    REQUIRE(spec.ok());
    auto launch = prepare_launch(*spec);
    REQUIRE(launch.ok());
    const std::vector<Tensor> before = copy_reference_inputs(*launch);
    RunOptions options;
    options.check = Checkers::all();
    CHECK(execute(*launch, options).faults.empty());
    auto outputs = check_outputs(*launch, before);
    REQUIRE(outputs.ok());
    REQUIRE(outputs->size() == 1);
    CHECK(outputs->front().equal);
  }
}
