// Work that nobody wants any more stops soon. Soon is counted in questions asked, not in seconds.
#include "core/stop.h"

#include <doctest/doctest.h>

#include <atomic>

#include "core/dsl.h"
#include "sim_exec_data.h"
#include "sim_record_data.h"

namespace tilescope::testing {
namespace {

/// Runs `work` and wants it to stop at question number `last`; how often it was asked in all.
template <class Work>
int64_t questions(int64_t last, Work&& work) {
  std::atomic<int64_t> asked{0};
  const StopScope scope([&] { return ++asked >= last; });
  if (last == INT64_MAX)
    work();
  else
    CHECK_THROWS_AS(work(), Stopped);
  return asked;
}

CompileRequest request_of(const std::string& body) {
  auto source = std::make_shared<SourceFile>();
  source->path = "kernel.py";
  source->text = "import triton\nimport triton.language as tl\n\n@triton.jit\n" + body;
  CompileRequest request;
  request.source = source;
  request.args = {{"x", PointerArg{DType::Float32}}};
  return request;
}

const char* kUnrolled =
    "def k(x):\n"
    "    for i in tl.static_range(500):\n"
    "        tl.store(x + i, i * 2.0)\n";

const char* kDots =
    "def k(x):\n"
    "    r = tl.arange(0, 256)\n"
    "    a = tl.load(x + r[:, None] * 256 + r[None, :])\n"
    "    b = tl.dot(a, a, input_precision='ieee')\n"
    "    tl.store(x + r[:, None] * 256 + r[None, :], b)\n";

}  // namespace

TEST_CASE("the compiler asks at every statement, op and pass whether it is to stop, and then does") {
  const CompileRequest request = request_of(kUnrolled);
  const int64_t all = questions(INT64_MAX, [&] { CHECK(compile_kernel(request).ok()); });
  CHECK(all > 500 * 5);
  for (int64_t at : {int64_t{1}, int64_t{1000}, all / 2, all})
    CHECK(questions(at, [&] { (void)compile_kernel(request); }) == at);
}

TEST_CASE("a kernel of C++ that is being built stops too, although it may throw what it likes") {
  const std::shared_ptr<const HostKernel> kernel = dsl::kernel("k", [](dsl::Kernel& k) {
    dsl::Value x = k.pointer("x");
    for (int i = 0; i < 100; ++i) dsl::store(x + i, 1.0f);
  });
  CompileRequest request;
  request.host = kernel;
  request.args = {{"x", PointerArg{DType::Float32}}};
  const int64_t all = questions(INT64_MAX, [&] { CHECK(compile_kernel(request).ok()); });
  CHECK(all > 100);
  CHECK(questions(50, [&] { (void)compile_kernel(request); }) == 50);
}

TEST_CASE("a dot asks once for each panel of columns, so that it stops in the middle") {
  for (const char* dtype : {"float32", "float16", "int8", "float64"}) {
    CAPTURE(dtype);
    Bench bench;
    const DType type = *parse_dtype(dtype);
    bench.range("x", type, {256 * 256});
    std::string text = kDots;
    if (type != DType::Float32) text.replace(text.find(", input_precision='ieee'"), 24, "");
    text.replace(text.find(", b)"), 4, ", b.to(x.dtype.element_ty))");
    RunTrace trace;
    const int64_t all = questions(INT64_MAX, [&] { trace = bench.run(text); });
    REQUIRE_MESSAGE(trace.faults.empty(), trace.faults.front().message);
    CHECK(all >= 256 / 32);
  }
  Bench bench;
  Tensor& x = bench.range("x", DType::Float32, {256 * 256});
  CompiledKernel kernel = std::move(*compile_kernel(request_of(kDots)));
  const auto work = [&] { (void)run(kernel.function, bench.bind(kernel.function), {1, 1, 1}, RunOptions{}); };
  const double before = read_double(DType::Float32, x.element(1));
  const int64_t all = [&] {
    Bench copy;
    copy.range("x", DType::Float32, {256 * 256});
    return questions(INT64_MAX, [&] { (void)run(kernel.function, copy.bind(kernel.function), {1, 1, 1}, RunOptions{}); });
  }();
  CHECK(questions(all - 2, work) == all - 2);
  CHECK(read_double(DType::Float32, x.element(1)) == before);  // the store after the dot did not happen
}

TEST_CASE("a long loop asks now and then, on every thread, and Stopped comes back to the first") {
  Bench bench;
  bench.range("x", DType::Float32, {64});
  CompiledKernel kernel = std::move(*compile_kernel(request_of("def k(x):\n"
                                                               "    s = 0.0\n"
                                                               "    for i in range(1000000):\n"
                                                               "        s += 1.0\n"
                                                               "    tl.store(x + tl.program_id(0), s)\n")));
  RunOptions options;
  options.threads = 4;
  const auto work = [&] { (void)run(kernel.function, bench.bind(kernel.function), {64, 1, 1}, options); };
  const int64_t all = questions(INT64_MAX, work);
  CHECK(all >= 64 * 4);
  const int64_t asked = questions(30, work);
  CHECK(asked >= 30);
  CHECK(asked < 30 + options.threads);  // each thread may ask once more
}

TEST_CASE("what is computed does not depend on being asked") {
  Bench bench, other;
  Tensor &x = bench.range("x", DType::Float32, {256 * 256}), &y = other.range("x", DType::Float32, {256 * 256});
  (void)bench.run(kDots);
  (void)questions(INT64_MAX, [&] { (void)other.run(kDots); });
  CHECK(std::memcmp(x.storage.data(), y.storage.data(), x.storage.size()) == 0);
}

TEST_CASE("scopes inside scopes are asked together, and only their own thread's") {
  bool outer = false, inner = false;
  CHECK(!is_stop_asked());
  const StopScope first([&] { return outer; });
  {
    const StopScope second([&] { return inner; });
    CHECK(!is_stop_asked());
    outer = true;
    CHECK(is_stop_asked());
    outer = false, inner = true;
    CHECK_THROWS_AS(stop_if_asked(), Stopped);
  }
  CHECK(!is_stop_asked());
  StopRelay relay;
  relay([] { throw Stopped{}; });
  relay([] { FAIL("what was stopped goes on"); });
  CHECK_THROWS_AS(relay.rethrow(), Stopped);
}

}  // namespace tilescope::testing
