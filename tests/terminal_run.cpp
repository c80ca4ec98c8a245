#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/npy.h"
#include "tests/terminal_calls.h"
#include "visualizer/terminal/command.h"

using namespace tilescope;
using namespace tilescope::terminal_calls;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

const std::string kKernels = std::string(TILESCOPE_SOURCE_DIR) + "/lessons/kernels/";

/// A folder with kernels and launch files of a test.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("tilescope_run_" + std::to_string(reinterpret_cast<uintptr_t>(this)));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name), std::ios::binary) << text;
    return file(name);
  }
  std::string kernel(const std::string& body, const std::string& params = "x_ptr, n, BLOCK: tl.constexpr") const {
    return write("kernel.py",
                 "import triton\nimport triton.language as tl\n@triton.jit\ndef k(" + params + "):\n" + body);
  }
  size_t files() const { return std::distance(fs::directory_iterator(path), fs::directory_iterator()); }
};

const std::string kFill =
    "    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "    tl.store(x_ptr + offs, offs, mask=offs < n)\n";
const std::string kPastTheEnd =
    "    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "    x = tl.load(x_ptr + offs)\n"
    "    tl.store(x_ptr + offs, x, mask=offs < n)\n";

std::vector<std::string> run_args(const std::string& kernel, std::vector<std::string> more = {}) {
  std::vector<std::string> args = {"run",   kernel,   "--grid", "cdiv(n, BLOCK)", "--arg", "x_ptr=i32[1000]=zeros",
                                   "--arg", "n=1000", "--arg",  "BLOCK=256"};
  // What is given again replaces the default: the command itself refuses an argument that is given twice.
  for (size_t i = 0; i + 1 < more.size(); ++i) {
    if (more[i] == "--grid") args[3] = more[i + 1];
    if (more[i] != "--arg" && more[i] != "--grid") continue;
    const std::string name = more[i + 1].substr(0, more[i + 1].find('=') + 1);
    bool replaced = more[i] == "--grid";
    for (size_t k = 5; k < args.size() && !replaced; k += 2)
      if (args[k].starts_with(name)) {
        args[k] = more[i + 1];
        replaced = true;
      }
    if (replaced) more.erase(more.begin() + static_cast<int64_t>(i), more.begin() + static_cast<int64_t>(i) + 2), --i;
  }
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

}  // namespace

TEST_CASE("the four first kernels agree with float64 and tell what they touched") {
  for (std::string name : {"vector_add", "softmax", "matmul", "grouped_matmul"}) {
    CAPTURE(name);
    Result r = tilescope_command({"check", kKernels + name + "/launch.json"});
    CHECK(r.status == terminal::kFine);
    CHECK(r.err.empty());
    for (const char* part :
         {"What the programs touched", "lanes off", "Line by line", "tl.load(", "Compared", " equals "})
      CHECK(mentions(r.out, part));
  }
}

TEST_CASE("the report tells how often each element of A and B was loaded") {
  Result r = tilescope_command({"check", kKernels + "matmul/launch.json"});
  CHECK(mentions(r.out, "grid 3 x 2 = 6 programs"));
  CHECK(mentions(r.out, "a_ptr   3,500 elements were loaded, each twice"));
  CHECK(mentions(r.out, "b_ptr   2,250 elements were loaded, each 3 times"));
  json j = json::parse(tilescope_command({"run", "--json", kKernels + "grouped_matmul/launch.json"}).out);
  CHECK(j["tensors"]["a_ptr"]["reuse"]["histogram"] == json({{"6", 32500}}));
  CHECK(j["tensors"]["a_ptr"]["distinct_bytes"] == 65000);
}

TEST_CASE("--json prints one object and nothing else") {
  Result r = tilescope_command({"check", "--json", kKernels + "vector_add/launch.json"});
  CHECK(r.status == terminal::kFine);
  CHECK(r.err.empty());
  json j = json::parse(r.out);
  CHECK(j["kernel"] == "add_kernel");
  CHECK(j["grid"] == json({4, 1, 1}));
  CHECK(j["tensors"]["x_ptr"]["loads"]["lanes_active"] == 1000);
  CHECK(j["tensors"]["x_ptr"]["loads"]["lanes_masked"] == 24);
  CHECK(j["tensors"]["x_ptr"]["loads"]["bytes"] == 4000);
  CHECK(j["tensors"]["x_ptr"]["loads"]["requests"] == 32);
  CHECK(j["tensors"]["x_ptr"]["loads"]["sectors"] == 250);
  CHECK(j["tensors"]["x_ptr"]["reuse"]["histogram"] == json({{"1", 1000}}));
  CHECK(j["lines"].size() == 3);
  CHECK(j["faults"].empty());
  CHECK(j["outputs"]["out_ptr"]["equal"] == true);
}

TEST_CASE("a kernel runs from the command line alone and its tensor is saved") {
  Folder folder;
  Result r = tilescope_command(run_args(folder.kernel(kFill), {"--save", "x_ptr=" + folder.file("x.npy")}));
  CHECK(r.status == terminal::kFine);
  CHECK(mentions(r.out, "saved x_ptr to"));
  auto saved = load_npy(folder.file("x.npy"));
  REQUIRE(saved.ok());
  CHECK(saved->shape == std::vector<int64_t>{1000});
  CHECK(read_int64(DType::Int32, saved->data.data() + 4 * 999) == 999);
}

TEST_CASE("the command line overrides a launch file") {
  Result r = tilescope_command(
      {"run", kKernels + "vector_add/launch.json", "--json", "--arg", "BLOCK=128", "--num-warps", "8"});
  CHECK(r.status == terminal::kFine);
  json j = json::parse(r.out);
  CHECK(j["programs"] == 8);
  CHECK(j["num_warps"] == 8);
}

TEST_CASE("a load past the end without a mask: status 3, line, caret, program, lane, tensor and offset") {
  Folder folder;
  Result r = tilescope_command(run_args(folder.kernel(kPastTheEnd), {"--save", "x_ptr=" + folder.file("x.npy")}));
  CHECK(r.status == terminal::kFault);
  for (const char* part :
       {"kernel.py:6:", "x = tl.load(x_ptr + offs)", "^^^", "program [3, 0, 0]", "lane 232", "x_ptr", "1000"})
    CHECK(mentions(r.err, part));
  CHECK_FALSE(fs::exists(folder.file("x.npy")));
  CHECK(mentions(r.err, "nothing was saved"));

  r = tilescope_command(run_args(folder.file("kernel.py"), {"--json"}));
  CHECK(r.status == terminal::kFault);
  json fault = json::parse(r.out)["faults"][0];
  CHECK(fault["kind"] == "out_of_bounds");
  CHECK(fault["line"] == 6);
  CHECK(fault["program"] == json({3, 0, 0}));
  CHECK(fault["lane"] == 232);
  CHECK(fault["tensor"] == "x_ptr");
  CHECK(fault["offset"] == 1000);
  CHECK(fault["size"] == 1000);
}

TEST_CASE("a swapped [:, None]: status 2 with both shapes and a hint") {
  Folder folder;
  std::string kernel = folder.kernel(
      "    rows = tl.arange(0, 64)\n"
      "    ks = tl.arange(0, 32)\n"
      "    offs = rows[:, None] * n + ks[:, None]\n"
      "    tl.store(x_ptr + offs, offs)\n");
  Result r = tilescope_command(run_args(kernel));
  CHECK(r.status == terminal::kUsage);
  CHECK(r.out.empty());
  for (const char* part : {"kernel.py:7:", "[64, 1]", "[32, 1]", "^^^", "hint:"}) CHECK(mentions(r.err, part));
}

TEST_CASE("what cannot run is refused with status 2 and one message that names the place") {
  Folder folder;
  std::string kernel = folder.kernel(kFill);
  struct Case {
    std::vector<std::string> args;
    std::string message;
  };
  std::vector<Case> cases = {
      {{"run", folder.file("none.py"), "--grid", "1"}, "none.py"},
      {{"run", folder.file("none.json")}, "none.json: no such file"},
      {{"run", folder.write("bad.json", "{\"grid\": [1")}, "bad.json:1:12: error: not valid JSON"},
      {run_args(kernel, {"--arg", "x_ptr=None"}), "x_ptr"},
      {run_args(kernel, {"--arg", "m=1"}), "`m`"},
      {{"run", kernel, "--grid", "1", "--arg", "x_ptr=i32[4]=zeros", "--arg", "BLOCK=4"}, "`n`"},
      {run_args(kernel, {"--arg", "n=12x"}), "--arg n: \"12x\" is not a number"},
      {run_args(kernel, {"--grid", "0"}), "grid[0]: a grid axis has 1 to 2147483647 programs, found 0"},
      {run_args(kernel, {"--grid", "2147483648"}), "found 2147483648"},
      {run_args(kernel, {"--grid", "blocks"}), "`blocks` is not an integer argument"},
      {run_args(kernel, {"--arg", "BLOCK=100"}), "must be a power of two, not 100"},
      {run_args(kernel, {"--arg", "BLOCK=2097152"}), "2097152 elements is too large"},
      {run_args(kernel, {"--kernel", "kk"}), "kk"},
      {run_args(kernel, {"--num-warps", "3"}), "--num-warps: expected 1, 2, 4, 8, 16 or 32, found 3"},
      {run_args(kernel, {"--order", "sideways"}), "--order sideways: expected row, reverse or shuffled:SEED"},
      {run_args(kernel, {"--order", "shuffled:x"}), "expected shuffled:SEED"},
      {run_args(kernel, {"--save", "y=y.npy"}), "there is no tensor \"y\""},
      {run_args(kernel, {"--save", "x_ptr"}), "expected TENSOR=FILE.npy"},
      {run_args(kernel, {"--save", "x_ptr=" + folder.file("no/such/x.npy")}), "there is no folder"},
      {{"run", kernel, "--arg", "x_ptr=i32[4]", "--arg", "n=4", "--arg", "BLOCK=4"}, "grid"},
  };
  size_t files = folder.files();
  for (const Case& c : cases) {
    CAPTURE(c.message);
    Result r = tilescope_command(c.args);
    CHECK(r.status == terminal::kUsage);
    CHECK(mentions(r.err, c.message));
    CHECK(folder.files() == files);
    std::vector<std::string> with_json = c.args;
    with_json.push_back("--json");
    r = tilescope_command(with_json);
    CHECK(r.status == terminal::kUsage);
    CHECK(json::parse(r.out).is_object());
  }
}

TEST_CASE("a .npy of another shape or type is refused, and nothing runs") {
  Folder folder;
  std::string kernel = folder.kernel(kFill);
  REQUIRE(tilescope_command(run_args(kernel, {"--save", "x_ptr=" + folder.file("x.npy")})).status == terminal::kFine);
  std::string init = "=npy(" + folder.file("x.npy") + ")";
  CHECK(tilescope_command(run_args(kernel, {"--arg", "x_ptr=i32[1000]" + init})).status == terminal::kFine);
  Result r = tilescope_command(run_args(kernel, {"--arg", "x_ptr=i32[999]" + init}));
  CHECK(r.status == terminal::kUsage);
  CHECK(mentions(r.err, "has shape [1000], but the tensor has shape [999]"));
  r = tilescope_command(run_args(kernel, {"--arg", "x_ptr=f32[1000]" + init}));
  CHECK(r.status == terminal::kUsage);
  CHECK(mentions(r.err, "holds int32, but the tensor is float32"));
}

TEST_CASE("an endless loop and a recursion end with a message") {
  Folder folder;
  std::string endless = folder.kernel("    i = 0\n    while i < n:\n        i = i * 1\n    tl.store(x_ptr, i)\n");
  Result r = tilescope_command(run_args(endless, {"--max-steps", "20000"}));
  CHECK(r.status == terminal::kFault);
  CHECK(mentions(r.err, "kernel.py:6:"));
  std::string recursive =
      folder.write("recursive.py",
                   "import triton.language as tl\n@triton.jit\ndef f(n):\n    return f(n)\n\n"
                   "@triton.jit\ndef k(x_ptr, n, BLOCK: tl.constexpr):\n    tl.store(x_ptr, f(n))\n");
  r = tilescope_command(run_args(recursive, {"--kernel", "k"}));
  CHECK(r.status == terminal::kUsage);
  CHECK(mentions(r.err, "recursive.py:4:"));
}

TEST_CASE("check finds a result that depends on the order of programs; run does not look for it") {
  Folder folder;
  std::string kernel = folder.kernel("    tl.store(x_ptr, tl.program_id(0))\n");
  std::vector<std::string> args = run_args(kernel);
  CHECK(tilescope_command(args).status == terminal::kFine);
  args[0] = "check";
  Result r = tilescope_command(args);
  CHECK(r.status == terminal::kFault);
  CHECK(mentions(r.err, "race on `x_ptr`"));
  args.push_back("--no-races");
  r = tilescope_command(args);
  CHECK(r.status == terminal::kFault);
  CHECK(mentions(r.err, "tensor `x_ptr` depends on the order in which programs run"));
  args.push_back("--no-order-check");
  CHECK(tilescope_command(args).status == terminal::kFine);
}

TEST_CASE("any order and any number of threads give the same bytes") {
  Folder folder;
  std::string kernel = folder.kernel(
      "    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
      "    x = tl.sum(tl.rand(7, offs), axis=0)\n"
      "    tl.store(x_ptr + tl.program_id(0), (x * 1e6).to(tl.int32))\n");
  std::string first;
  for (std::vector<std::string> more : {std::vector<std::string>{},
                                        {"--order", "reverse"},
                                        {"--order", "shuffled:3"},
                                        {"--threads", "1"},
                                        {"--threads", "7"}}) {
    more.insert(more.end(), {"--grid", "500", "--save", "x_ptr=" + folder.file("x.npy")});
    REQUIRE(tilescope_command(run_args(kernel, more)).status == terminal::kFine);
    std::ifstream file(folder.file("x.npy"), std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (first.empty()) first = bytes;
    CHECK(bytes == first);
  }
}

TEST_CASE("an output that differs: status 1, and a fault beside it wins") {
  Folder folder;
  folder.kernel(kFill);
  auto launch = [&](const std::string& n, const std::string& size, const std::string& values) {
    return folder.write(
        "launch.json",
        R"j({"kernel": "k", "grid": ["cdiv(n, BLOCK)"], "args": {"x_ptr": {"tensor": "i32", "shape": [)j" + size +
            R"j(], "init": "zeros"}, "n": )j" + n + R"j(, "BLOCK": 4}, "outputs": {"x_ptr": {"values": )j" + values +
            "}}}");
  };
  CHECK(tilescope_command({"check", launch("3", "3", "[0, 1, 2]")}).status == terminal::kFine);
  Result r = tilescope_command({"check", launch("3", "3", "[0, 1, 5]")});
  CHECK(r.status == terminal::kDifferent);
  CHECK(mentions(r.out, "first at element 2: got 2, expected 5"));
  CHECK(mentions(r.out, "The values are wrong (see Compared), the accesses are not. Looked for:\n"));
  CHECK(r.out.find("No fault found") == std::string::npos);
  r = tilescope_command({"check", "--quiet", folder.file("launch.json")});
  CHECK(mentions(r.out, "differs from the launch file's values"));
  CHECK(tilescope_command({"check", launch("4", "3", "[0, 1, 5]")}).status == terminal::kFault);
  CHECK(tilescope_command({"run", launch("3", "3", "[0, 1, 5]")}).status == terminal::kFine);
}

TEST_CASE("--quiet says nothing about a run that is fine") {
  Result r = tilescope_command({"check", "--quiet", kKernels + "vector_add/launch.json"});
  CHECK(r.status == terminal::kFine);
  CHECK((r.out.empty() && r.err.empty()));
}

TEST_CASE("a launch that must be refused passes check when it is, at the place that it names") {
  Folder folder;
  folder.kernel("    tl.store(x_ptr + tl.arange(0, 3), 0)\n", "x_ptr");
  auto launch = [&](const std::string& more) {
    return folder.write(
        "launch.json",
        R"({"kernel": "k", "grid": [1], "args": {"x_ptr": {"tensor": "i32", "shape": [4], "init": "zeros"}}, "expect_error": "no")" +
            more + "}");
  };
  Result r = tilescope_command({"check", launch("")});
  CHECK(r.status == terminal::kFine);
  CHECK(mentions(r.out, "refused, as the launch file expects"));
  CHECK(tilescope_command({"check", launch(R"(, "expect_error_at": [1, 1])")}).status == terminal::kDifferent);
  CHECK(tilescope_command({"run", launch("")}).status == terminal::kUsage);
  json j = json::parse(tilescope_command({"check", "--json", launch("")}).out);
  CHECK(j["refused"] == true);
  folder.kernel("    tl.store(x_ptr + tl.arange(0, 4), 0)\n", "x_ptr");
  r = tilescope_command({"check", launch("")});
  CHECK(r.status == terminal::kDifferent);
  CHECK(mentions(r.out, "the kernel compiles"));
  fs::remove(folder.file("kernel.py"));
  CHECK(tilescope_command({"check", launch("")}).status == terminal::kUsage);
}

TEST_CASE("asking for a GPU where there is none ends with status 4") {
  Folder folder;
  Result r = tilescope_command(run_args(folder.kernel(kFill), {"--backend", "gpu"}));
  if (r.status == terminal::kFine) return;  // there is one
  CHECK(r.status == terminal::kNoGpu);
  CHECK(mentions(r.err, "GPU"));
}

TEST_CASE("an argument or a grid that is given twice is refused") {
  Folder folder;
  std::vector<std::string> args = run_args(folder.kernel(kFill));
  args.insert(args.end(), {"--arg", "n=900"});
  Result r = tilescope_command(args);
  CHECK(r.status == terminal::kUsage);
  CHECK(mentions(r.err, "--arg n is given twice"));
  args = run_args(folder.file("kernel.py"));
  args.insert(args.end(), {"--grid", "3"});
  CHECK(tilescope_command(args).status == terminal::kUsage);
}

TEST_CASE("the report says which elements were never stored, and what was not looked for") {
  Folder folder;
  Result r = tilescope_command(run_args(folder.kernel(kFill), {"--grid", "2"}));
  CHECK(mentions(r.out, "512 of 1,000 elements were stored, 488 never"));
  CHECK(mentions(r.out, "Not looked for: undefined values that are stored"));
  CHECK(mentions(tilescope_command(run_args(folder.file("kernel.py"))).out, "all 1,000 elements were stored"));
}

TEST_CASE("a tensor is not saved over a device, the kernel itself or another tensor's file") {
  Folder folder;
  const std::string kernel = folder.kernel(kFill);
  CHECK(mentions(tilescope_command(run_args(kernel, {"--save", "x_ptr=/dev/null"})).err, "it is a device or a pipe"));
  CHECK(mentions(tilescope_command(run_args(kernel, {"--save", "x_ptr=" + kernel})).err, "own file"));
  const std::string file = folder.file("x.npy");
  CHECK(mentions(tilescope_command(run_args(kernel, {"--save", "x_ptr=" + file, "--save", "x_ptr=" + file})).err, "is saved there too"));
}

TEST_CASE("numbers that count from one, and names of tables that are folders, are refused in words") {
  Folder folder;
  const std::string kernel = folder.kernel(kFill);
  for (const char* number : {"0", "-1", "x", "00", "1.5"}) {
    CAPTURE(number);
    const Result r = tilescope_command(run_args(kernel, {"--config", number}));
    CHECK(r.status == tilescope::terminal::kUsage);
    CHECK(mentions(r.err, std::string("expected a whole number from 1 on, found \"") + number + "\""));
  }
  CHECK(mentions(tilescope_command(run_args(kernel, {"--cost", "h200", "--csv", folder.file("")})).err, "is a folder"));
}

TEST_CASE("ir shows the kernel after any pass of the pipeline, and refuses a pass that does not exist") {
  const std::string launch = std::string(TILESCOPE_SOURCE_DIR) + "/lessons/kernels/matmul/launch.json";
  const Result raw = tilescope_command({"ir", launch, "--no-optimise"});
  const Result middle = tilescope_command({"ir", launch, "--after", "fold-dot-acc"});
  const Result last = tilescope_command({"ir", launch});
  CHECK(raw.status == terminal::kFine);
  CHECK(middle.status == terminal::kFine);
  CHECK(raw.out != middle.out);
  CHECK(middle.out != last.out);
  const Result bad = tilescope_command({"ir", launch, "--after", "fold-dot"});
  CHECK(bad.status == terminal::kUsage);
  CHECK(mentions(bad.err, "there is no pass \"fold-dot\""));
}

TEST_CASE("ir prints the kernel, before and after the passes") {
  Folder folder;
  std::string kernel = folder.kernel(kFill);
  std::vector<std::string> args = {"ir", kernel, "--arg", "x_ptr=i32[8]", "--arg", "n=8", "--arg", "BLOCK=4"};
  Result r = tilescope_command(args);
  CHECK(r.status == terminal::kFine);
  CHECK(mentions(r.out, "kernel k(%x_ptr: ptr<i32>"));
  CHECK(mentions(r.out, "store "));
  args.push_back("--locations");
  CHECK(mentions(tilescope_command(args).out, "loc("));
}

TEST_CASE("tensors of every dtype work from the command line") {
  Folder folder;
  std::string kernel = folder.kernel(
      "    offs = tl.arange(0, 4)\n"
      "    tl.store(y_ptr + offs, tl.load(x_ptr + offs))\n",
      "x_ptr, y_ptr");
  for (int i = 0; i < kDTypeCount; ++i) {
    std::string name(dtype_short_name(static_cast<DType>(i)));
    CAPTURE(name);
    Result r = tilescope_command({"run", kernel, "--grid", "1", "--arg", "x_ptr=" + name + "[4]=values(1,0,1,1)",
                                  "--arg", "y_ptr=" + name + "[4]", "--save", "y_ptr=" + folder.file("y.npy")});
    CHECK(r.status == terminal::kFine);
    CHECK(r.err.empty());
    auto y = load_npy(folder.file("y.npy"));
    REQUIRE(y.ok());
    CHECK(npy_holds(y->dtype, static_cast<DType>(i)));
    int size = dtype_bytes(static_cast<DType>(i));
    for (int k = 0; k < 4; ++k) CHECK(read_double(static_cast<DType>(i), y->data.data() + k * size) == (k != 1));
  }
}

TEST_CASE("negative strides and transposed views are read in logical order") {
  Folder folder;
  std::string kernel = folder.kernel(
      "    i = tl.arange(0, 2)[:, None]\n"
      "    j = tl.arange(0, 4)[None, :]\n"
      "    tl.store(y_ptr + i * 4 + j, tl.load(x_ptr + i * si + j * sj))\n",
      "x_ptr, y_ptr, si, sj");
  for (auto [si, sj] : {std::pair{"4", "1"}, {"1", "2"}, {"-4", "-1"}, {"-1", "2"}, {"9", "2"}}) {
    CAPTURE(si);
    Result r = tilescope_command({"run", kernel, "--grid", "1", "--arg",
                                  std::string("x_ptr=f32[2,4]:strides(") + si + "," + sj + ")=arange", "--arg",
                                  "y_ptr=f32[2,4]", "--arg", std::string("si=") + si, "--arg", std::string("sj=") + sj,
                                  "--save", "y_ptr=" + folder.file("y.npy")});
    CHECK(r.status == terminal::kFine);
    auto y = load_npy(folder.file("y.npy"));
    REQUIRE(y.ok());
    for (int k = 0; k < 8; ++k) CHECK(read_double(DType::Float32, y->data.data() + 4 * k) == k);
  }
}

TEST_CASE("an access past a tensor with negative strides names the offsets that the strides reach") {
  Folder folder;
  const std::string kernel = folder.kernel("    offs = tl.arange(0, 4)\n    tl.store(y_ptr + offs, tl.load(x_ptr + offs))\n", "x_ptr, y_ptr");
  Result r = tilescope_command({"run", kernel, "--grid", "1", "--arg", "x_ptr=f32[4]:strides(-1)=arange", "--arg", "y_ptr=f32[4]"});
  CHECK(r.status == terminal::kFault);
  CHECK(mentions(r.err, "(its strides reach offsets -3 to 0)"));
  CHECK(mentions(r.err, "the strides run backwards"));
}
