// Tuples and functions as arguments of a launch: read from a launch file, compiled, run.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "core/arg_spec.h"
#include "core/guess.h"
#include "sim/launch.h"

using namespace tilescope;

namespace {

const std::string kKernel = R"(import triton
import triton.language as tl

@triton.jit
def square(x):
    return x * x

@triton.jit
def kernel(outs, sizes, ACT: tl.constexpr, MODES: tl.constexpr, empty):
    at = tl.arange(0, 8)
    for i in tl.static_range(len(outs)):
        v = ACT((at + sizes[i][0]).to(tl.float32)) * sizes[i][1]
        if MODES[i] == "minus":
            v = -v
        tl.store(outs[i] + at, v + len(empty))
)";

/// A folder of its own, with the kernel in it.
struct Folder {
  Folder() {
    static int count = 0;
    path = std::filesystem::temp_directory_path() / ("tilescope_composite_" + std::to_string(getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(path);
    std::ofstream(path / "kernel.py") << kKernel;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

Expected<LaunchSpec> launch(const Folder& f, const std::string& args) {
  return parse_launch_text(R"({"kernel": "kernel", "grid": [1], "args": {)" + args + "}}", (f.path / "launch.json").string());
}

const std::string kTensor = R"({"tensor": "float32", "shape": [8], "init": "zeros"})";
const std::string kGood = R"("outs": [)" + kTensor + ", " + kTensor + R"(], "sizes": [[3, 10], [5, 1]], "ACT": {"function": "square"}, "MODES": ["plus", "minus"], "empty": [])";

std::string compile_error(const std::string& args) {
  const Folder f;
  Expected<LaunchSpec> spec = launch(f, args);
  if (!spec) return render(spec.errors());
  Expected<CompiledKernel> k = compile_complete(*spec, nullptr, false);
  return k ? "" : render(k.errors());
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("tuples of tensors, of numbers and of texts reach the kernel, and so does a function") {
  const Folder f;
  const Expected<LaunchSpec> spec = launch(f, kGood);
  REQUIRE(spec.ok());
  CHECK(spec->find("outs[1]") != nullptr);
  CHECK(spec->find("sizes[1][0]") != nullptr);
  CHECK(spec->find("empty[]") != nullptr);
  Expected<Launch> ready = prepare_launch(*spec);
  const std::string errors = ready.ok() ? "" : render(ready.errors());
  REQUIRE_MESSAGE(ready.ok(), errors);
  RunTrace trace = execute(*ready, {});
  REQUIRE(trace.faults.empty());
  for (int i = 0; i < 8; ++i) {
    CHECK(read_double(DType::Float32, ready->find_tensor("outs[0]")->element(i)) == (i + 3) * (i + 3) * 10);
    CHECK(read_double(DType::Float32, ready->find_tensor("outs[1]")->element(i)) == -(i + 5) * (i + 5));
  }
}

TEST_CASE("what does not fit a tuple or a function is said by name") {
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string s = kGood;
    s.replace(s.find(from), from.size(), to);
    return compile_error(s);
  };
  CHECK(compile_error(kGood) == "");
  CHECK(has(replaced(R"({"function": "square"})", R"({"function": "sqare"})"), "did you mean `@square`?"));
  CHECK(has(replaced(R"({"function": "square"})", R"({"function": "tl.no_such"})"), "is the function `tl.no_such`"));
  CHECK(replaced(R"({"function": "square"})", R"("@tl.abs")") == "");
  CHECK(has(replaced(R"("empty": [])", R"("empty[1]": 4)"), "numbered from 0 without a gap"));
  CHECK(has(replaced(R"("empty": [])", R"("empty": 1, "empty[0]": 4)"), "given twice"));
  CHECK(has(replaced(R"("empty": [])", R"("nothing": [1])"), "no parameter `nothing[0]`"));
  CHECK(has(replaced(R"("MODES": ["plus", "minus"])", R"("MODES": ["plus"])"), "index 1 is out of range"));
  CHECK(has(replaced(R"("sizes": [[3, 10], [5, 1]])", R"("sizes": [["a", 1], [2, 3]])"), "is a string, but the kernel needs a run-time value"));
}

TEST_CASE("items of tuples and functions are given on the command line by their names") {
  const Expected<LaunchArg> item = parse_arg("sizes[1][0]=5");
  REQUIRE(item.ok());
  CHECK(item->name == "sizes[1][0]");
  CHECK(parse_arg("outs[0]=f32[8]=zeros").ok());
  CHECK(parse_arg("ACT='@square'").ok());
  CHECK_FALSE(parse_arg("sizes[=5").ok());
  CHECK_FALSE(parse_arg("sizes[a]=5").ok());
  CHECK_FALSE(parse_arg("sizes[0]x=5").ok());
  CHECK_FALSE(parse_arg("[0]=5").ok());
}

TEST_CASE("tuples and functions are guessed") {
  const Expected<GuessedLaunch> g = guess_launch(std::make_shared<SourceFile>(SourceFile{"kernel.py", R"(import triton
import triton.language as tl

@triton.jit
def double(x):
    return x + x

@triton.jit
def kernel(x, out, strides, F: tl.constexpr):
    row, column = strides
    at = tl.arange(0, 16)
    tl.store(out + at * column, F(tl.load(x + at * row)))
)"}), "kernel");
  REQUIRE(g.ok());
  std::vector<std::string> names;
  for (const GuessedArg& a : g->args) names.push_back(a.name);
  CHECK(names == std::vector<std::string>{"x", "out", "strides[0]", "strides[1]", "F"});
  CHECK(std::get<std::string>(g->args.back().value) == "@double");
}
