// Which loops run their loads ahead, and what the emitted text then does.
#include <doctest/doctest.h>

#include "core/compile.h"
#include "gpu/emit.h"
#include "gpu/nvrtc.h"

namespace tilescope::gpu {
namespace {

constexpr const char* kHead = "import triton\nimport triton.language as tl\n\n\n@triton.jit\n";

/// A matmul of one 64 x 64 tile whose loop body is given.
std::string text_of(const std::string& body, int num_stages = 3, DType t = DType::Float16,
                    const std::string& after = "", bool wgmma = false) {
  auto source = std::make_shared<SourceFile>();
  source->path = "kernel.py";
  source->text = std::string(kHead) +
                 "def k(a_ptr, b_ptr, c_ptr, i_ptr, K, stride):\n"
                 "    m = tl.arange(0, 64)\n"
                 "    s = tl.arange(0, 32)\n"
                 "    acc = tl.zeros((64, 64), dtype=tl.float32)\n"
                 "    a_tile = a_ptr + m[:, None] * stride + s[None, :]\n"
                 "    b_tile = b_ptr + s[:, None] * stride + m[None, :]\n"
                 "    for k in range(0, K, 32):\n" +
                 body + after + "    tl.store(c_ptr + m[:, None] * 64 + m[None, :], acc)\n";
  CompileRequest request;
  request.source = source;
  request.num_stages = num_stages;
  request.args = {{"a_ptr", PointerArg{t, 16}},
                  {"b_ptr", PointerArg{t, 16}},
                  {"c_ptr", PointerArg{DType::Float32, 16}},
                  {"i_ptr", PointerArg{DType::Int32, 16}},
                  {"K", IntArg{256, false}},
                  {"stride", IntArg{256, false}}};
  auto kernel = compile_kernel(request);
  REQUIRE_MESSAGE(kernel.ok(), (kernel.ok() ? "" : render(kernel.errors())));
  EmitOptions options;
  options.wgmma = wgmma;
  auto emitted = emit_cuda(kernel->function, options);
  REQUIRE_MESSAGE(emitted.ok(), (emitted.ok() ? "" : render(emitted.errors())));
  if (!find_nvrtc()) {
    auto cubin = compile_cubin(*emitted, "sm_90a");
    CHECK_MESSAGE(cubin.ok(), (cubin.ok() ? "" : render(cubin.errors())));
  }
  return emitted->text;
}

bool runs_ahead(const std::string& text) { return text.find("ts::copy_async") != std::string::npos; }

const std::string kPlain =
    "        a = tl.load(a_tile, mask=s[None, :] + k < K, other=0.0)\n"
    "        b = tl.load(b_tile)\n"
    "        acc += tl.dot(a, b)\n"
    "        a_tile += 32\n"
    "        b_tile += 32 * stride\n";

TEST_CASE("tiles that a dot reads are copied ahead, 16 bytes at a time, as many stages as num_stages says") {
  const std::string text = text_of(kPlain, 4);
  CHECK(text.find("ts::copy_async_16(") != std::string::npos);
  CHECK(text.find("ts::swizzled<") != std::string::npos);
  CHECK(text.find("run 3 iterations ahead of it, in 4 stages") != std::string::npos);
  CHECK(text.find("ts::wait_for_copies<2>();") != std::string::npos);
  CHECK(text.find("ts::load<") == std::string::npos);
}

TEST_CASE("where the GPU has wgmma, loads are fetched while it multiplies") {
  const std::string text = text_of(kPlain, 3, DType::Float16, "", true);
  const size_t start = text.find("ts::start_dot<ts::F16, 32, 1, 64, 64>("), finish = text.find("ts::finish_dot<32>(");
  REQUIRE(start != std::string::npos);
  REQUIRE(finish != std::string::npos);
  const size_t fetch = text.find("fetch();", start);
  CHECK(fetch < finish);
  CHECK(text.find("ts::show_to_wgmma();") < start);
  CHECK(text.find("ts::dot<") == std::string::npos);
  // The other 16-bit type, and the types that stay with mma.sync.
  CHECK(text_of(kPlain, 3, DType::BFloat16, "", true).find("ts::start_dot<ts::BF16, ") != std::string::npos);
  CHECK(text_of(kPlain, 3, DType::Float32, "", true).find("ts::start_dot<") == std::string::npos);
  CHECK(text_of(kPlain).find("ts::start_dot<") == std::string::npos);
}

TEST_CASE("with one stage nothing runs ahead") { CHECK(!runs_ahead(text_of(kPlain, 1))); }

TEST_CASE("loads whose addresses come from memory stay in their iteration") {
  CHECK(
      !runs_ahead(text_of("        i = tl.load(i_ptr + k)\n"
                          "        acc += tl.dot(tl.load(a_tile + i), tl.load(b_tile + i))\n")));
}

TEST_CASE("loads of what the kernel writes stay in their iteration") {
  CHECK(
      !runs_ahead(text_of("        acc += tl.dot(tl.load(a_tile + k), tl.load(b_tile + k))\n"
                          "        tl.store(a_ptr + m, m.to(tl.float16))\n")));
}

TEST_CASE("a tile that something else than the dot reads is loaded by its threads") {
  CHECK(
      !runs_ahead(text_of("        a = tl.load(a_tile + k)\n"
                          "        acc += tl.dot(a * 2.0, tl.load(b_tile + k))\n")));
}

TEST_CASE("masked lanes that are not zero are loaded by their threads") {
  CHECK(
      !runs_ahead(text_of("        a = tl.load(a_tile + k, mask=s[None, :] + k < K, other=1.0)\n"
                          "        acc += tl.dot(a, tl.load(b_tile + k))\n")));
}

TEST_CASE("float8 tiles are converted on the way, so they are loaded by their threads") {
  CHECK(!runs_ahead(text_of("        acc += tl.dot(tl.load(a_tile + k), tl.load(b_tile + k))\n", 3, DType::Float8E5)));
}

}  // namespace
}  // namespace tilescope::gpu
