// Emission of CUDA C++: the text of the lesson kernels, every op of the table, and what NVRTC says where it is
// installed.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "gpu/emit.h"
#include "gpu/nvrtc.h"
#include "sim/launch.h"
#include "tests/op_forms.h"

namespace tilescope::gpu {
namespace {

namespace fs = std::filesystem;

const char* const kLessonKernels[] = {"vector_add", "softmax", "matmul", "grouped_matmul"};

/// Of a folder with launch files.
Function kernel_of(const std::string& folder, const std::string& name) {
  const fs::path launch = fs::path(TILESCOPE_SOURCE_DIR) / folder / name / "launch.json";
  auto spec = load_launch_file(launch.string());
  REQUIRE(spec.ok());
  auto kernel = compile_launch(*spec);
  REQUIRE(kernel.ok());
  return std::move(kernel->function);
}

Function lesson_kernel(const std::string& name) { return kernel_of("lessons/kernels", name); }

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string text_of(const Function& f) {
  auto emitted = emit_cuda(f);
  REQUIRE(emitted.ok());
  return emitted->text;
}

// TILESCOPE_UPDATE_GOLDEN=1 in the environment rewrites the files: look at the difference before committing.
TEST_CASE("the lesson kernels' CUDA text is that of tests/golden") {
  for (const char* name : kLessonKernels) {
    CAPTURE(name);
    const fs::path path = fs::path(TILESCOPE_SOURCE_DIR) / "tests/golden" / (std::string("cuda_") + name + ".cu");
    const std::string text = text_of(lesson_kernel(name));
    if (std::getenv("TILESCOPE_UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << text;
    CHECK(text == read_file(path));
  }
}

TEST_CASE("a kernel that takes descriptors gets the tensors' addresses on the GPU too, and nothing for shapes and strides") {
  const std::string text = text_of(kernel_of("tests/descriptors", "matmul"));
  const size_t begin = text.find("matmul(", text.find("__global__"));
  REQUIRE(begin != std::string::npos);
  const std::string parameters = text.substr(begin, text.find(')', begin) - begin);
  CHECK(std::count(parameters.begin(), parameters.end(), ',') == 2);
}

TEST_CASE("the same kernel gives the same text every time") {
  for (const char* name : kLessonKernels) CHECK(text_of(lesson_kernel(name)) == text_of(lesson_kernel(name)));
}

TEST_CASE("every op of the table is emitted in every form that the verifier accepts, or refused by name") {
  int refused = 0;
  for (int k = 0; k < op_count(); ++k) {
    const auto code = static_cast<OpCode>(k);
    const std::string name(op_info(code).name);
    CAPTURE(name);
    for (bool loaded : {false, true})
      for (const Function& f : testing::OpForms(loaded).make(code)) {
        auto emitted = emit_cuda(f);
        if (!emitted) {
          ++refused;
          CHECK(emitted.errors().front().message.find(name) != std::string::npos);
          continue;
        }
        CHECK(emitted->text.find("__global__") != std::string::npos);
      }
  }
  CHECK(refused == 0);
}

TEST_CASE("a dot that no unit of the GPU computes is refused by its contract's name") {
  Function f;
  f.name = "old_unit";
  Builder b(f);
  const Type half = Type::tile(DType::Float16, {32, 32}), single = Type::tile(DType::Float32, {32, 32});
  const ValueId a = b.constant_bits(half, 0), c = b.constant_bits(single, 0);
  const ValueId p = b.create1(OpCode::IntToPtr, {b.constant_bits(Type::tile(DType::Int64, {32, 32}), 64)},
                              {DType::Float32, true, {32, 32}});
  b.store(p, b.create1(OpCode::Dot, {a, a, c}, single, {{"contract", std::string("tc.f16.k8.f24.trunc")}}));
  b.create(OpCode::Return, {}, {});
  auto emitted = emit_cuda(f);
  REQUIRE(!emitted.ok());
  CHECK(emitted.errors().front().message.find("tc.f16.k8.f24.trunc") != std::string::npos);
}

TEST_CASE("a kernel that needs more shared memory than the GPU has is refused with the numbers") {
  EmitOptions options;
  options.shared_limit = 1024;
  auto emitted = emit_cuda(lesson_kernel("matmul"), options);
  REQUIRE(!emitted.ok());
  const std::string message = emitted.errors().front().message;
  CHECK(message.find("the GPU has 1024") != std::string::npos);
  CHECK(message.find("bytes of shared memory") != std::string::npos);
}

TEST_CASE("a tile that no thread can hold its part of is refused with the numbers") {
  Function f;
  f.name = "huge";
  f.num_warps = 1;
  Builder b(f);
  const ValueId x = b.param("x", Type::pointer_to(DType::Float32), 16);
  const Shape shape{int64_t{1} << 18};
  const ValueId p = b.addptr(b.splat(x, shape), b.make_range(0, shape[0]));
  b.store(p, b.load(p));
  b.create(OpCode::Return, {}, {});
  auto emitted = emit_cuda(f);
  REQUIRE(!emitted.ok());
  CHECK(emitted.errors().front().message.find("[262144] puts 8192 values into each of 32 threads") !=
        std::string::npos);
}

TEST_CASE("names that mean something to C++ or to the emitted text are changed") {
  auto source = std::make_shared<SourceFile>();
  source->path = "kernel.py";
  source->text =
      "import triton\nimport triton.language as tl\n\n@triton.jit\ndef double(int, r, N: tl.constexpr):\n    lane = "
      "tl.arange(0, N)\n    while_ = tl.load(int + lane)\n"
      "    each = while_ + r\n    for switch in range(r):\n        each = each * 2\n    tl.store(int + lane, each)\n";
  CompileRequest request;
  request.source = source;
  request.args = {{"int", PointerArg{DType::Float32, 16}}, {"r", IntArg{7, false}}, {"N", IntArg{64, false}}};
  auto kernel = compile_kernel(request);
  REQUIRE(kernel.ok());
  auto emitted = emit_cuda(kernel->function);
  REQUIRE(emitted.ok());
  CHECK(emitted->symbol == "double_2");
  if (!find_nvrtc()) {
    auto cubin = compile_cubin(*emitted, "sm_90a");
    CHECK_MESSAGE(cubin.ok(), (cubin.ok() ? "" : render(cubin.errors())));
  }
}

TEST_CASE("where NVRTC is installed the lesson kernels, and kernels that take descriptors, compile without spilling registers") {
  if (find_nvrtc()) {
    CHECK(!find_nvrtc()->message.empty());
    return;
  }
  for (const char* architecture : {"sm_80", "sm_90a", "sm_100"})
    for (const auto& [folder, name] : {std::pair{"lessons/kernels", "softmax"}, {"lessons/kernels", "matmul"},
                                       {"tests/descriptors", "softmax_rows"}, {"tests/descriptors", "matmul"}}) {
      CAPTURE(folder);
      CAPTURE(name);
      CAPTURE(architecture);
      EmitOptions options;
      options.wgmma = has_wgmma(architecture);
      auto emitted = emit_cuda(kernel_of(folder, name), options);
      REQUIRE(emitted.ok());
      auto cubin = compile_cubin(*emitted, architecture);
      REQUIRE_MESSAGE(cubin.ok(), (cubin.ok() ? "" : render(cubin.errors())));
      CHECK(cubin->spill_bytes == 0);
      CHECK(cubin->registers > 0);
    }
}

}  // namespace
}  // namespace tilescope::gpu
