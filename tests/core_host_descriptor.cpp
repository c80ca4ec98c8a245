// Tensor descriptors as arguments of a kernel: how a launch writes them, and what is refused.
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "core/arg_spec.h"
#include "core/compile.h"
#include "core/launch_file.h"
#include "core/launch_text.h"

using namespace tilescope;

namespace {

bool mentions(const std::string& text, const std::string& part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) MESSAGE("looked for: ", part, "\nin: ", text);
  return found;
}

const std::string kCopy =
    "import triton\nimport triton.language as tl\n\n@triton.jit\n"
    "def copy(x_desc, y_desc, ROWS: tl.constexpr, COLUMNS: tl.constexpr = 16):\n"
    "    row = tl.program_id(0) * ROWS\n"
    "    for column in range(0, x_desc.shape[1], x_desc.block_shape[1]):\n"
    "        y_desc.store([row, column], x_desc.load([row, column]))\n";

TensorSpec tensor_of(const std::string& text) {
  auto arg = parse_arg("x=" + text);
  if (!arg) FAIL(render(arg.errors()));
  return std::get<TensorSpec>(arg->value);
}

PointerArg pointer(const std::string& text) {
  const TensorSpec t = tensor_of(text);
  return {t.dtype, 16, t.block, t.layout.shape, t.layout.strides};
}

/// "" when the copy compiles with this tensor for both, else the message.
std::string problem(const PointerArg& x, const std::string& kernel = kCopy) {
  CompileRequest r;
  r.source = std::make_shared<SourceFile>(SourceFile{"kernel.py", kernel});
  r.args = {{"x_desc", x}, {"y_desc", x}, {"ROWS", IntArg{8}}};
  auto compiled = compile_kernel(r);
  return compiled ? "" : render(compiled.errors());
}
std::string problem(const std::string& text) { return problem(pointer(text)); }

std::string file_error(const std::string& tensor) {
  auto spec = parse_launch_text(R"({"grid": [1], "args": {"x": )" + tensor + "}}", "launch.json");
  return spec ? "no error" : render(spec.errors());
}

std::string arg_error(const std::string& text) {
  auto arg = parse_arg(text);
  return arg ? "no error" : render(arg.errors());
}

}  // namespace

TEST_CASE("a descriptor's block is written with numbers, constexprs and defaults of the kernel") {
  CHECK(problem("f32[20,40]:block(8,16)") == "");
  CHECK(problem("f32[20,40]:block(ROWS,COLUMNS)") == "");
  CHECK(problem("f32[20,40]:block(ROWS,cdiv(COLUMNS,2))") == "");
  CHECK(problem("f16[20,45]:strides(48,1):block(8,8)") == "");
  CHECK(problem("f16[20,45]:block(8,8):strides(48,1)") == "");
}

TEST_CASE("the shape of a descriptor is int32, so that loops over it give offsets") {
  const std::string typed =
      "import triton.language as tl\n@triton.jit\ndef k(x_desc, y_desc, ROWS: tl.constexpr):\n"
      "    tl.static_assert(x_desc.shape[0].dtype == tl.int32)\n"
      "    tl.static_assert(x_desc.strides[0].dtype == tl.int64)\n"
      "    tl.static_assert(x_desc.dtype == tl.float16)\n"
      "    tl.static_assert(x_desc.block_shape[1] == 8)\n";
  CHECK(problem(pointer("f16[20,48]:block(ROWS,8)"), typed) == "");
}

TEST_CASE("what no GPU could describe is refused beside the parameter, with a way out") {
  const std::string rows = problem("f16[20,45]:block(8,8)");
  CHECK(mentions(rows, "kernel.py:5:10"));
  CHECK(mentions(rows, "the strides of the descriptor `x_desc` are (45, 1)"));
  CHECK(mentions(rows, "give it the strides (48, 1)"));
  CHECK(mentions(problem("f32[20,40]:block(8,24)"), "no power of two"));
  CHECK(mentions(problem("f32[20,40]:block(8,0)"), "extents are positive"));
  CHECK(mentions(problem("f32[20,40]:block(8,2)"), "at least 16 bytes, not 8"));
  CHECK(mentions(problem("f32[20,40]:block(2048,2048)"), "more than 2^20"));
  CHECK(mentions(problem("f32[20,40]:strides(1,20):block(8,8)"), "the last stride of the descriptor `x_desc` is 20"));
  CHECK(mentions(problem("f32[0,40]:block(8,8)"), "the extent 0"));
  CHECK(mentions(problem("f32[8,8]:strides(-8,1):block(8,8)"), "the stride -8 of the descriptor `x_desc` is negative"));
  CHECK(mentions(problem("f32[8,8]:block(NONE,8)"), "a block's extents are numbers, or integer arguments of the launch by name"));
  CHECK(mentions(problem("f32[20,40]:block(8,WIDTH)"), "WIDTH"));
  CHECK(mentions(problem("f32[1,4]:strides(9223372036854775807,1):block(1,4)"), "multiples of 16 bytes"));
  PointerArg x = pointer("f32[20,40]:block(8,8)");
  x.divisible_by = 1;
  CHECK(mentions(problem(x), "multiple of 16 bytes"));
}

TEST_CASE("a pointer where the kernel wants a descriptor says how to give one") {
  const std::string load =
      "import triton.language as tl\n@triton.jit\ndef k(x_desc, y_desc, ROWS: tl.constexpr):\n    x_desc.load([0, 0])\n";
  CHECK(mentions(problem(pointer("f32[20,40]"), load), "\"descriptor\": [64, 64]"));
}

TEST_CASE("launch files and --arg refuse a block that does not fit its tensor") {
  CHECK(mentions(file_error(R"({"tensor": "float32", "shape": [4, 8], "descriptor": [4]})"), "expected 2 block extents"));
  CHECK(mentions(file_error(R"({"tensor": "float32", "shape": [4, 8], "descriptor": "BLOCK"})"), "as a list"));
  CHECK(mentions(file_error(R"({"tensor": "float32", "shape": [4, 8], "descriptor": [4, true]})"), "descriptor[1]"));
  CHECK(mentions(file_error(R"({"tensor": "float32", "shape": [4, 8], "descriptor": [4, "2 *"]})"), "descriptor[1]"));
  CHECK(mentions(arg_error("x=f32[4,8]:block(4)"), "expected 2 block extents"));
  CHECK(mentions(arg_error("x=f32[4,8]:block(4,8"), "':block(...)'"));
  CHECK(mentions(arg_error("x=f32[4,8]:blocks(4,8)"), "':block(...)'"));
  CHECK(mentions(arg_error("x=f32[4,8]:block()"), "block"));
  CHECK(mentions(arg_error("x=(1, 2)"), "a tuple is given item by item"));
}

TEST_CASE("a launch with a descriptor is written and read again") {
  auto spec = parse_launch_text(
      R"({"file": "k.py", "grid": [1], "args": {"x": {"tensor": "float16", "shape": [70, 45], "strides": [48, 1],
          "descriptor": [32, "2 * BLOCK"], "init": {"randn": 1}}, "BLOCK": 16}})",
      "launch.json");
  REQUIRE(spec.ok());
  CHECK(arg_text(spec->args[0].value) == "f16[70,45]:strides(48,1):block(32,2 * BLOCK)=randn(1)");
  const TensorSpec again = tensor_of(arg_text(spec->args[0].value));
  REQUIRE(again.block.size() == 2);
  CHECK(again.block[1].text == "2 * BLOCK");
  const std::string text = launch_file_text(*spec, "k.py");
  auto read = parse_launch_text(text, "launch.json");
  REQUIRE(read.ok());
  CHECK(launch_file_text(*read, "k.py") == text);
  CHECK(std::get<TensorSpec>(read->args[0].value).block.size() == 2);
}

TEST_CASE("a negative seed is refused, and the largest one is read and written") {
  CHECK(mentions(arg_error("x=f32[4]=randn(-1)"), "is negative"));
  CHECK(mentions(arg_error("x=i32[4]=randint(0,9,-3)"), "is negative"));
  CHECK(mentions(file_error(R"({"tensor": "f32", "shape": [4], "init": {"rand": -2}})"), "the seed -2 is negative"));
  CHECK(mentions(file_error(R"({"tensor": "i32", "shape": [4], "init": {"randint": [0, 9, -3]}})"), "the seed -3 is negative"));
  CHECK(arg_text(tensor_of("f32[4]=randn(18446744073709551615)")) == "f32[4]=randn(18446744073709551615)");
}

TEST_CASE("sizes beyond any memory are errors of the launch, for tensors, descriptors and arrays alike") {
  for (const char* text : {"f32[1000000000000]", "f32[9223372036854775807]", "f32[4294967296,4294967296]:block(8,8)",
                           "i8[1000000000000000000]:block(16)", "f32[4,4]:strides(9223372036854775807,1)"})
    CHECK(mentions(arg_error("x=" + std::string(text)), "x"));
  for (const char* text : {"f32[137438953472]", "f32[65536,2097152]:block(8,8)"}) {  // 512 GiB: an address space, but no memory
    LaunchSpec spec;
    auto arg = parse_arg("x=" + std::string(text) + "=ones");
    REQUIRE(arg.ok());
    spec.args.push_back(*arg);
    const auto tensors = make_tensors(spec);
    REQUIRE_FALSE(tensors.ok());
    CHECK(mentions(tensors.errors()[0].message, "takes more memory than the limit"));
  }
}
