// sim/try_kernel.h: launches found by trying, for kernels whose arguments nobody gave.
#include <doctest/doctest.h>

#include <ctime>
#include <filesystem>

#include "core/launch_text.h"
#include "core/syntax/parser.h"
#include "sim/launch.h"
#include "sim/try_kernel.h"
#include "sim/try_reach.h"
#include "tests/temporary_folder.h"

namespace fs = std::filesystem;

namespace tilescope {
namespace {

SourcePtr text_of(const std::string& body) {
  auto source = std::make_shared<SourceFile>();
  source->path = "k.py";
  source->text = "import triton\nimport triton.language as tl\n" + body;
  return source;
}

TriedLaunch tried(const SourcePtr& source, const KnownArguments& known = {}) {
  Expected<TriedLaunch> t = try_kernel(source, "", source->path, known);
  if (!t) FAIL(render(t.errors()));
  return std::move(*t);
}

std::string value(const TriedLaunch& t, const std::string& name) {
  const LaunchArg* a = t.spec.find(name);
  return a == nullptr ? "open" : arg_text(a->value);
}

const std::string kSource = std::string(TILESCOPE_SOURCE_DIR) + "/";

/// The first fault or error of the launch that is found for a kernel file; empty when it runs.
std::string problem_of(const std::string& path) {
  auto source = read_source(path);
  if (!source) return source.errors()[0].message;
  auto t = try_kernel(*source, "", path, {});
  if (!t) return t.errors()[0].message;
  auto launch = prepare_launch(t->spec);
  if (!launch) return launch.errors()[0].message;
  RunOptions options;
  options.limits.max_steps_per_program = 2'000'000;
  const RunTrace trace = execute(*launch, options);
  return trace.faults.empty() ? "" : trace.faults[0].message;
}

TEST_CASE("tensors of a masked kernel get the sizes that its masks name, no multiples of its blocks") {
  const TriedLaunch t = tried(text_of(
      "@triton.jit\ndef scale(x_ptr, y_ptr, M, N, stride_xm, stride_xn, stride_ym, stride_yn, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):\n"
      "    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)\n    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)\n"
      "    mask = (rows[:, None] < M) & (cols[None, :] < N)\n"
      "    x = tl.load(x_ptr + rows[:, None] * stride_xm + cols[None, :] * stride_xn, mask=mask, other=0.0)\n"
      "    tl.store(y_ptr + rows[:, None] * stride_ym + cols[None, :] * stride_yn, x * 2, mask=mask)\n"));
  const int64_t m = std::get<int64_t>(t.spec.find("M")->value), n = std::get<int64_t>(t.spec.find("N")->value);
  CHECK(m % 32 != 0);
  CHECK(n % 32 != 0);
  CHECK(m != n);
  CHECK(m > 32);
  const std::string shape = "[" + std::to_string(m) + "," + std::to_string(n) + "]";
  CHECK(value(t, "x_ptr") == "f32" + shape + "=randn(1)");
  CHECK(value(t, "y_ptr") == "f32" + shape + "=empty");
  CHECK(value(t, "stride_xm") == std::to_string(n));
  CHECK(value(t, "stride_xn") == "1");
}

TEST_CASE("a kernel without masks gets sizes that its blocks divide") {
  const TriedLaunch t = tried(text_of("@triton.jit\ndef copy(x_ptr, y_ptr, N, BLOCK: tl.constexpr):\n    for at in range(0, N, BLOCK):\n        i = at + tl.arange(0, BLOCK)\n        tl.store(y_ptr + i, tl.load(x_ptr + i))\n"));
  CHECK(std::get<int64_t>(t.spec.find("N")->value) % 32 == 0);
  CHECK(value(t, "x_ptr") == "f32[64]=randn(1)");
}

/// The first fault of a launch that was found.
std::string first_fault(const TriedLaunch& t, const SourcePtr& source) {
  const TemporaryFolder folder;
  LaunchSpec spec = t.spec;
  spec.kernel_path = folder.write("k.py", source->text);
  auto launch = prepare_launch(spec);
  if (!launch) return launch.errors()[0].message;
  const RunTrace trace = execute(*launch, {});
  return trace.faults.empty() ? "" : trace.faults[0].message;
}

TEST_CASE("a load without the mask that its neighbours have faults: names of strides tell the shape, not what is touched") {
  const SourcePtr text = text_of(
      "@triton.jit\ndef scale(x_ptr, y_ptr, M, N, stride_xm, stride_xn, stride_ym, stride_yn, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):\n"
      "    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)\n    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)\n"
      "    x = tl.load(x_ptr + rows[:, None] * stride_xm + cols[None, :] * stride_xn)\n"
      "    tl.store(y_ptr + rows[:, None] * stride_ym + cols[None, :] * stride_yn, x * 2, mask=(rows[:, None] < M) & (cols[None, :] < N))\n");
  const TriedLaunch t = tried(text);
  CHECK(value(t, "x_ptr") == "f32[54,58]=randn(1)");
  CHECK(t.by_names == std::vector<std::string>{"x_ptr", "y_ptr"});
  CHECK(first_fault(t, text).find("out of bounds of `x_ptr`") != std::string::npos);
  REQUIRE(t.notes.size() == 1);
  CHECK(t.notes[0].find("x_ptr is touched behind its end") == 0);
}

TEST_CASE("a load of a whole last block faults where the store is masked by the size") {
  const SourcePtr text = text_of("@triton.jit\ndef add(x, y, n, BLOCK: tl.constexpr):\n    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n    tl.store(y + i, tl.load(x + i) + 1, mask=i < n)\n");
  const TriedLaunch t = tried(text);
  CHECK(value(t, "x") == "f32[1000]=randn(1)");
  CHECK(first_fault(t, text).find("out of bounds of `x`") != std::string::npos);
}

TEST_CASE("scratch of whole blocks beside masked tensors is no fault") {
  const SourcePtr text = text_of("@triton.jit\ndef keep(x, scratch, n, BLOCK: tl.constexpr):\n    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n    tl.store(scratch + i, tl.load(x + i, mask=i < n, other=0.0))\n");
  const TriedLaunch t = tried(text);
  CHECK(value(t, "scratch") == "f32[1024]=empty");
  CHECK(first_fault(t, text).empty());
}

TEST_CASE("sizes with separate strides are no multiples of blocks where masks heed them; a size that no mask heeds is one") {
  const SourcePtr text = text_of(
      "@triton.jit\ndef sums(x_ptr, y_ptr, M, K, stride_xm, stride_xk, BLOCK_M: tl.constexpr, BLOCK_K: tl.constexpr):\n"
      "    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)\n    acc = tl.zeros([BLOCK_M], tl.float32)\n"
      "    for k in range(0, K, BLOCK_K):\n        ks = k + tl.arange(0, BLOCK_K)\n"
      "        acc += tl.sum(tl.load(x_ptr + rows[:, None] * stride_xm + ks[None, :] * stride_xk, mask=rows[:, None] < M, other=0.0), axis=1)\n"
      "    tl.store(y_ptr + rows, acc, mask=rows < M)\n");
  const TriedLaunch t = tried(text);
  CHECK(std::get<int64_t>(t.spec.find("M")->value) % 32 != 0);
  CHECK(std::get<int64_t>(t.spec.find("K")->value) % 32 == 0);
  CHECK(first_fault(t, text).empty());
}

TEST_CASE("sizes and strides near the ends of 64 bits are refused or tried, and never overflow") {
  const SourcePtr text = text_of("@triton.jit\ndef k(x, y, n, m, stride_xm, stride_xn, BLOCK: tl.constexpr):\n    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
                                 "    tl.store(y + i * n, tl.load(x + i * stride_xm + stride_xn, mask=i < m), mask=i < m)\n");
  for (const int64_t big : {INT64_MAX, INT64_MIN, int64_t{1} << 32, int64_t{1} << 62})
    for (const char* name : {"n", "m", "stride_xm", "stride_xn"}) {
      KnownArguments known;
      known.grid = {GridExpr::constant(2)};
      known.args[name] = big;
      if (name[0] == 'n') known.args["m"] = big;
      const auto t = try_kernel(text, "", "k.py", known);
      if (!t) CHECK_FALSE(t.errors()[0].message.empty());
    }
}

TEST_CASE("the config that is asked for gives the values, and one that does not exist is refused") {
  const SourcePtr text = text_of("@triton.autotune(configs=[triton.Config({'BLOCK': 32}, num_warps=2), triton.Config({'BLOCK': 128}, num_warps=8)], key=[])\n"
                                 "@triton.jit\ndef add(x, y, n, BLOCK: tl.constexpr):\n    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n    tl.store(y + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)\n");
  KnownArguments known;
  known.config = 1;
  const TriedLaunch t = tried(text, known);
  CHECK(t.args[3].left_out);
  CHECK(arg_text(t.args[3].value) == "128");
  CHECK(arg_text(tried(text).args[3].value) == "32");
  known.config = 2;
  CHECK_FALSE(try_kernel(text, "", "k.py", known).ok());
}

TEST_CASE("a stride is known by its use where its name does not tell, and follows the sizes") {
  // sam and sak are strides of a_ptr: M rows of K.
  const TriedLaunch t = tried(text_of(
      "@triton.jit\ndef mm(a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, scm, scn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):\n"
      "    rm = tl.program_id(0) * BM + tl.arange(0, BM)\n    rn = tl.program_id(1) * BN + tl.arange(0, BN)\n    rk = tl.arange(0, BK)\n"
      "    a_ptrs = a_ptr + rm[:, None] * sam + rk[None, :] * sak\n    b_ptrs = b_ptr + rk[:, None] * sbk + rn[None, :] * sbn\n"
      "    acc = tl.zeros((BM, BN), dtype=tl.float32)\n"
      "    for k in range(0, K, BK):\n"
      "        a = tl.load(a_ptrs, mask=(rm[:, None] < M) & (rk[None, :] + k < K), other=0.0)\n"
      "        b = tl.load(b_ptrs, mask=(rk[:, None] + k < K) & (rn[None, :] < N), other=0.0)\n"
      "        acc = tl.dot(a, b, acc)\n        a_ptrs += BK * sak\n        b_ptrs += BK * sbk\n"
      "    tl.store(c_ptr + rm[:, None] * scm + rn[None, :] * scn, acc, mask=(rm[:, None] < M) & (rn[None, :] < N))\n"));
  CHECK(value(t, "sam") == value(t, "K"));
  CHECK(value(t, "sbk") == value(t, "N"));
  CHECK(value(t, "scm") == value(t, "N"));
  for (const char* one : {"sak", "sbn", "scn"}) CHECK(value(t, one) == "1");
  // One step a row, columns within it; the size is given.
  KnownArguments known;
  known.args["N"] = int64_t{100};
  const std::string rows = "@triton.jit\ndef rows(x_ptr, y_ptr, stride, N, BLOCK: tl.constexpr):\n"
                           "    row = tl.program_id(0)\n    x_ptr += row * stride\n    y_ptr += row * stride\n"
                           "    for off in range(0, N, BLOCK):\n        cols = off + tl.arange(0, BLOCK)\n"
                           "        tl.store(y_ptr + cols, tl.load(x_ptr + cols, mask=cols < N), mask=cols < N)\n";
  CHECK(value(tried(text_of(rows), known), "stride") == "100");
  // What a mask compares with is a size, though it multiplies an index too.
  const TriedLaunch sized = tried(text_of("@triton.jit\ndef k(x_ptr, y_ptr, w, BLOCK: tl.constexpr):\n    i = tl.arange(0, BLOCK)\n"
                                          "    tl.store(y_ptr + tl.program_id(0) * w + i, tl.load(x_ptr + tl.program_id(0) * w + i, mask=i < w), mask=i < w)\n"));
  for (const TriedArgument& a : sized.args) CHECK_FALSE(a.stride);
}

TEST_CASE("a grid that nothing tells is said to be open, until it is given") {
  const SourcePtr text = text_of("@triton.jit\ndef k(x):\n    tl.store(x + tl.program_id(0), 1.0)\n");
  CHECK(tried(text).grid_open);
  KnownArguments known;
  known.grid = {GridExpr::constant(3)};
  const TriedLaunch t = tried(text, known);
  CHECK_FALSE(t.grid_open);
  CHECK(value(t, "x") == "f32[3]=empty");
}

TEST_CASE("a block that must cover a row is widened until it does") {
  const TriedLaunch t = tried(text_of(
      "@triton.jit\ndef soft(x_ptr, y_ptr, n_rows, n_cols, WIDTH: tl.constexpr):\n    row = tl.program_id(0)\n    i = tl.arange(0, WIDTH)\n"
      "    x = tl.load(x_ptr + row * n_cols + i, mask=i < n_cols, other=-float('inf'))\n    e = tl.exp(x - tl.max(x, axis=0))\n"
      "    tl.store(y_ptr + row * n_cols + i, e / tl.sum(e, axis=0), mask=i < n_cols)\n"));
  CHECK(std::get<int64_t>(t.spec.find("WIDTH")->value) >= std::get<int64_t>(t.spec.find("n_cols")->value));
}

TEST_CASE("indices lie inside the table that they choose from") {
  const TriedLaunch t = tried(text_of(
      "@triton.jit\ndef pick(table, rows, out, width, W: tl.constexpr):\n    row = tl.load(rows + tl.program_id(0))\n    i = tl.arange(0, W)\n"
      "    v = tl.load(table + row * width + i, mask=i < width)\n    tl.store(out + tl.program_id(0) * width + i, v, mask=i < width)\n"));
  CHECK(value(t, "rows").find("randint(0,") != std::string::npos);
  CHECK(std::get<TensorSpec>(t.spec.find("table")->value).layout.elements() > 64);
}

TEST_CASE("what is given stays, and the rest follows from it") {
  KnownArguments known;
  known.args["n"] = int64_t{77};
  const SourcePtr text = text_of("@triton.jit\ndef add(x, y, n, BLOCK: tl.constexpr):\n    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n    tl.store(y + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)\n");
  const TriedLaunch t = tried(text, known);
  CHECK(value(t, "n") == "77");
  CHECK(value(t, "x") == "f32[77]=randn(1)");
  known.args["m"] = int64_t{1};
  const auto refused = try_kernel(text, "", "k.py", known);
  REQUIRE_FALSE(refused);
  CHECK(refused.errors()[0].message == "the kernel `add` has no parameter `m`");
}

TEST_CASE("a launch that was found can be written to a file and read again") {
  const TriedLaunch t = tried(text_of("@triton.jit\ndef add(x, y, n, BLOCK: tl.constexpr):\n    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n    tl.store(y + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)\n"));
  const auto read = parse_launch_text(launch_file_text(t.spec, "k.py"), "launch.json");
  REQUIRE(read);
  REQUIRE(read->args.size() == t.spec.args.size());
  for (const LaunchArg& a : t.spec.args) CHECK(arg_text(read->find(a.name)->value) == arg_text(a.value));
  CHECK(read->grid[0].text == t.spec.grid[0].text);
}

const std::string kMaskedAdd =
    "def add(x, y, n, BLOCK: tl.constexpr):\n    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "    tl.store(y + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)\n";

TEST_CASE("a size that takes more programs than are tried does not make a right kernel fault") {
  KnownArguments known;
  known.args["n"] = int64_t{300'000};
  const TriedLaunch t = tried(text_of("@triton.jit\n" + kMaskedAdd), known);
  CHECK(value(t, "x").starts_with("f32[300000]"));
  CHECK(value(t, "y").starts_with("f32[300000]"));
}

TEST_CASE("a program that hardly ever ends is left when the time for trying is used up, with what it touched until then") {
  const SourcePtr text = text_of(
      "@triton.jit\ndef k(x, o, BLOCK: tl.constexpr):\n    j = 0\n    while j < 1000000000:\n"
      "        i = (tl.program_id(0) + j) * BLOCK + tl.arange(0, BLOCK)\n        tl.store(o + i, tl.load(x + i))\n        j += 1\n");
  const std::clock_t start = std::clock();
  Expected<TriedLaunch> t = try_kernel(text, "", text->path, {}, 0.2);
  CHECK(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < 3);
  if (t) CHECK(t->notes.back() == "only some programs were looked at; the shapes of tensors may be too small");
  else CHECK(t.errors()[0].message.starts_with("the shape of `"));
  // One measurement ends in the middle of a program.
  const Expected<Module> module = parse_module(text);
  LaunchSpec spec;
  spec.grid = {GridExpr::constant(2)};
  TensorSpec tensor;
  tensor.layout = TensorLayout::contiguous({kEndless});
  spec.args = {{"x", tensor}, {"o", tensor}, {"BLOCK", int64_t{32}}};
  const Reach reach = measure_reach(spec, *module, 0.1);
  CHECK(reach.errors.empty());
  CHECK(reach.cut_off);
  CHECK(reach.programs == 1);
  REQUIRE(reach.tensors.size() == 2);
  CHECK(reach.tensors[0].low == 0);
  CHECK(reach.tensors[0].high > 1000);
  CHECK(reach.tensors[1].stored);
}

TEST_CASE("sizes whose products do not fit 64 bits are no error of the guess") {
  KnownArguments known;
  known.args["n"] = int64_t{1} << 32;
  CHECK_FALSE(value(tried(text_of("@triton.jit\n" + kMaskedAdd), known), "x").empty());
}

TEST_CASE("a launch that was found leaves warps to the kernel's decorators, and may name any file") {
  const TriedLaunch t = tried(text_of("@triton.autotune(configs=[triton.Config({'BLOCK': 64}, num_warps=16)], key=['n'])\n@triton.jit\n" + kMaskedAdd));
  const std::string text = launch_file_text(t.spec, "s\xff.py");
  CHECK(text.find("num_warps") == std::string::npos);
  CHECK(parse_launch_text(text, "launch.json"));
}

TEST_CASE("the project's own kernels run without a fault when all their arguments are guessed") {
  int runs = 0, all = 0;
  std::string others;
  for (const char* folder : {"lessons/kernels", "tests/conformance"})
    for (const auto& entry : fs::recursive_directory_iterator(kSource + folder)) {
      const bool refused = entry.path().parent_path().filename().string().ends_with("_error");  // kernels that must not compile
      if (entry.path().filename() != "kernel.py" || refused) continue;
      ++all;
      const std::string problem = problem_of(entry.path().string());
      runs += problem.empty();
      if (!problem.empty()) others += entry.path().parent_path().filename().string() + ": " + problem + "\n";
    }
  MESSAGE(runs << " of " << all << " kernels run without a fault\n" << others);
  CHECK(all > 100);
  CHECK(runs >= all - 4);
}

}  // namespace
}  // namespace tilescope
