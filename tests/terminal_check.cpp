// `tilescope check`: the clinic's broken kernels are named by line and cause and their repaired ones are clean; switches
// and exit status of the checkers.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/temporary_folder.h"
#include "tests/terminal_calls.h"
#include "visualizer/terminal/command.h"
#include "visualizer/terminal/report_words.h"

using namespace tilescope;
using namespace tilescope::terminal_calls;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

json read_json(const fs::path& path) {
  std::ifstream file(path);
  return json::parse(file);
}

const fs::path kClinic = fs::path(TILESCOPE_SOURCE_DIR) / "lessons" / "14_clinic" / "patients";

std::vector<fs::path> broken_kernels() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(kClinic))
    if (entry.is_directory()) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

/// A kernel file that lives as long as the test.
struct KernelFile {
  fs::path path = fs::temp_directory_path() / ("tilescope_check_" + std::to_string(reinterpret_cast<uintptr_t>(this)) + ".py");
  explicit KernelFile(const std::string& body) { std::ofstream(path) << "import triton\nimport triton.language as tl\n@triton.jit\n" << body; }
  ~KernelFile() { fs::remove(path); }
  Result check(std::vector<std::string> more = {}) const {
    std::vector<std::string> args = {"check", path.string(), "--grid", "4", "--arg", "x_ptr=f32[1024]=arange", "--arg", "BLOCK=256"};
    args.insert(args.end(), more.begin(), more.end());
    return tilescope_command(args);
  }
};

constexpr const char* kRace =
    "def k(x_ptr, BLOCK: tl.constexpr):\n"
    "    offs = tl.arange(0, BLOCK)\n"
    "    tl.store(x_ptr + offs, tl.program_id(0))\n";
constexpr const char* kSameValue =
    "def k(x_ptr, BLOCK: tl.constexpr):\n"
    "    offs = tl.arange(0, BLOCK)\n"
    "    tl.store(x_ptr + offs, 1.0)\n";

}  // namespace

TEST_CASE("check names the line and the cause of every broken kernel of the clinic") {
  const auto folders = broken_kernels();
  REQUIRE(folders.size() == 9);
  for (const fs::path& folder : folders) {
    CAPTURE(folder.filename().string());
    const json expect = read_json(folder / "expect.json");
    const Result r = tilescope_command({"check", (folder / "launch.json").string(), "--quiet"});
    CHECK(r.status == expect["status"].get<int>());
    for (const auto& part : expect["says"]) CHECK(mentions(r.err, part.get<std::string>()));
    CHECK(mentions(r.err, "kernel.py:" + std::to_string(expect["line"].get<int>()) + ":"));
  }
}

TEST_CASE("the repaired kernels of the clinic are clean") {
  for (const fs::path& folder : broken_kernels()) {
    CAPTURE(folder.filename().string());
    json launch = read_json(folder / "launch.json");
    launch["file"] = (folder / "repaired.py").string();
    const fs::path path = fs::temp_directory_path() / ("tilescope_" + folder.filename().string() + ".json");
    std::ofstream(path) << launch.dump();
    const Result r = tilescope_command({"check", path.string(), "--quiet"});
    fs::remove(path);
    CHECK(r.status == 0);
    CHECK(r.err == "");
    CHECK(r.out == "");
  }
}

TEST_CASE("a cause that was found by experiment is in the JSON") {
  const Result r = tilescope_command({"check", (kClinic / "patient_7" / "launch.json").string(), "--json"});
  const json j = json::parse(r.out);
  REQUIRE(j["causes"].size() == 1);
  CHECK(j["causes"][0]["line"] == 11);
  CHECK_FALSE(j["outputs"]["c_ptr"]["equal"].get<bool>());
}

TEST_CASE("a race fails the check, stores of one value only warn") {
  const KernelFile race(kRace), same(kSameValue);
  Result r = race.check();
  CHECK(r.status == terminal::kFault);
  CHECK(mentions(r.err, "error: race on `x_ptr`"));
  CHECK(mentions(r.out, "Not looked for: results that depend on the order of programs, because a race was found.\n"));
  CHECK(r.out.find("Programs that a fault stopped") == std::string::npos);
  r = same.check();
  CHECK(r.status == terminal::kFine);
  CHECK(mentions(r.err, "warning: same-value race on `x_ptr`"));
  CHECK(mentions(r.out, "Nothing but warnings found."));
}

TEST_CASE("a fault that stops programs is given as the reason for what was not done") {
  const Result r = tilescope_command({"check", (kClinic / "patient_1" / "launch.json").string()});
  CHECK(r.status == terminal::kFault);
  CHECK(mentions(r.out, "because a fault stopped programs."));
  CHECK(mentions(r.out, "Programs that a fault stopped are not counted."));
  CHECK(mentions(r.out, "Outputs were not compared, because of the fault."));
}

TEST_CASE("a race in the JSON has both programs") {
  const KernelFile race(kRace);
  const json j = json::parse(race.check({"--json"}).out);
  REQUIRE(j["faults"].size() == 1);
  const json& f = j["faults"][0];
  CHECK(f["kind"] == "race");
  CHECK(f["program"] == json({1, 0, 0}));
  CHECK(f["other"]["program"] == json({0, 0, 0}));
  CHECK(f["other"]["line"] == 6);
  CHECK(f["element"] == json({0}));
  CHECK_FALSE(f["same_value"].get<bool>());
}

TEST_CASE("every checker has a switch, and the report says what was not looked for") {
  const KernelFile race(kRace);
  Result r = race.check({"--no-races", "--no-order-check"});
  CHECK(r.status == terminal::kFine);
  CHECK(mentions(r.out, "Not looked for: races between programs; results that depend on the order of programs"));
  std::vector<std::string> args = {"run", race.path.string(), "--grid", "4", "--arg", "x_ptr=f32[1024]=arange", "--arg", "BLOCK=256"};
  CHECK(tilescope_command(args).status == terminal::kFine);
  args.push_back("--races");
  CHECK(tilescope_command(args).status == terminal::kFault);
  const Result help = tilescope_command({"run", "--help"});
  for (const char* name : {"--bounds", "--addresses", "--uninitialised", "--duplicates", "--races", "--overflow", "--block-pointers", "--order-check"})
    CHECK(mentions(help.out, name));
}

TEST_CASE("a launch that leaves an argument out is not taken for the refusal that it expects") {
  const KernelFile kernel(kSameValue);
  const fs::path launch = kernel.path.string() + ".json";
  const json args = {{"x_ptr", {{"tensor", "float32"}, {"shape", {1024}}, {"init", "zeros"}}}};
  std::ofstream(launch) << json({{"kernel", "k"}, {"file", kernel.path.string()}, {"grid", {1}}, {"args", args}, {"expect_error", true}});
  const Result r = tilescope_command({"check", launch.string()});
  fs::remove(launch);
  CHECK(r.status == terminal::kUsage);
  CHECK(mentions(r.err, "the argument `BLOCK` of `k` is missing"));
}

TEST_CASE("a fill that makes up for another mistake by chance is not named as its cause") {
  // The loop leaves out the first 16 of 60 ones; 16 lanes that are off would supply them with other=1.
  const KernelFile kernel(R"(def k(x_ptr, out_ptr, N, B: tl.constexpr):
    i = tl.arange(0, B)
    acc = 0.0
    for j in range(1, N // B + 1):
        o = j * B + i
        acc += tl.sum(tl.load(x_ptr + o, mask=o < N, other=0.0))
    acc += tl.sum(tl.load(x_ptr + i, mask=i < 0, other=0.0))
    tl.store(out_ptr, acc)
)");
  const fs::path launch = kernel.path.string() + ".json";
  std::ofstream(launch) << json{{"kernel", "k"}, {"file", kernel.path.filename().string()}, {"grid", {1}},
                                {"args", {{"x_ptr", {{"tensor", "float32"}, {"shape", {60}}, {"init", "ones"}}},
                                          {"out_ptr", {{"tensor", "float32"}, {"shape", {1}}, {"init", "empty"}}}, {"N", 60}, {"B", 16}}},
                                {"outputs", {{"out_ptr", {{"reference", "sum"}, {"inputs", {"x_ptr"}}}}}}};
  const Result r = tilescope_command({"check", launch.string()});
  fs::remove(launch);
  CHECK(r.status == 1);
  CHECK(mentions(r.out + r.err, "elements 0 to 15 of `x_ptr` are never loaded"));
  CHECK((r.out + r.err).find("the fill of the masked-off lanes") == std::string::npos);
}

TEST_CASE("a product that is only rounded otherwise has no likely cause; one with a short loop has, at the same tolerance") {
  const TemporaryFolder folder;
  const std::string kernel =
      "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
      "def mm(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):\n"
      "    rows = tl.program_id(0) * BM + tl.arange(0, BM)\n    cols = tl.program_id(1) * BN + tl.arange(0, BN)\n"
      "    acc = tl.zeros((BM, BN), dtype=tl.float32)\n    for k in range(0, ROUNDS):\n        ks = k * BK + tl.arange(0, BK)\n"
      "        a = tl.load(a_ptr + rows[:, None] * K + ks[None, :], mask=(rows[:, None] < M) & (ks[None, :] < K), other=0.0)\n"
      "        b = tl.load(b_ptr + ks[:, None] * N + cols[None, :], mask=(ks[:, None] < K) & (cols[None, :] < N), other=0.0)\n"
      "        acc += tl.dot(a, b)\n"
      "    tl.store(c_ptr + rows[:, None] * N + cols[None, :], acc, mask=(rows[:, None] < M) & (cols[None, :] < N))\n";
  const auto checked = [&](const std::string& rounds, const std::string& atol) {
    std::string text = kernel;
    text.replace(text.find("ROUNDS"), 6, rounds);
    folder.write("mm.py", text);
    return tilescope_command({"check", folder.write("launch.json", R"json({"kernel": "mm", "file": "mm.py", "grid": ["cdiv(M, BM)", "cdiv(N, BN)"],
 "args": {"a_ptr": {"tensor": "float16", "shape": [70, 45], "init": {"randn": 1}}, "b_ptr": {"tensor": "float16", "shape": [45, 50], "init": {"randn": 2}},
  "c_ptr": {"tensor": "float32", "shape": [70, 50], "init": "empty"}, "M": 70, "N": 50, "K": 45, "BM": 32, "BN": 32, "BK": 16},
 "outputs": {"c_ptr": {"reference": "matmul", "inputs": ["a_ptr", "b_ptr"], "rtol": 0, "atol": )json" + atol + "}}}")});
  };
  // The sums in a dot of its own stay below 2.4e-6, those that go on in the accumulator do not: nothing in the text is wrong.
  for (const char* atol : {"1e-7", "2.5e-6", "3.2e-6"}) {
    const Result r = checked("tl.cdiv(K, BK)", atol);
    CHECK(r.status == terminal::kDifferent);
    CHECK(r.err.find("likely cause") == std::string::npos);
  }
  CHECK(checked("tl.cdiv(K, BK)", "1e-5").status == terminal::kFine);
  CHECK(mentions(checked("K // BK", "1e-5").err, "likely cause: this loop stops early"));
}

TEST_CASE("check --lang zh reports in Chinese, and every row of its table has both languages with the same blanks") {
  for (const Wording& row : terminal::report_wordings()) {
    INFO(std::string(row.english));
    CHECK(!row.chinese.empty());
    CHECK(blanks_of(row.english) == blanks_of(row.chinese));
  }
  const std::string add = std::string(TILESCOPE_SOURCE_DIR) + "/lessons/kernels/vector_add/launch.json";
  const Result fine = tilescope_command({"check", add, "--lang", "zh"});
  CHECK(fine.status == terminal::kFine);
  for (const char* part : {"  grid 4 个 program，每个 4 个 warp\n", "各 program 访问了什么\n", "1,000 个元素各加载了 1 次", "1,000 个元素全都写回了", "结果比较\n", "没有发现错误。检查过：\n", "    program 之间的竞争\n"})
    CHECK(mentions(fine.out, part));
  CHECK(fine.out.find("Looked for") == std::string::npos);
  const Result ill = tilescope_command({"check", (kClinic / "patient_1" / "launch.json").string(), "--lang", "zh"});
  CHECK(ill.status == terminal::kFault);
  CHECK(mentions(ill.err, "错误："));
  CHECK(mentions(ill.err, "   位置：program [3, 0, 0]，lane 232；一共 24 个 lane 在这里同样出错\n"));
  CHECK(mentions(ill.out, "因为有错误，没有比较输出。"));
  const Result wrong = tilescope_command({"check", (kClinic / "patient_7" / "launch.json").string(), "--lang", "zh"});
  CHECK(wrong.status == terminal::kDifferent);
  CHECK(mentions(wrong.out, "不一致"));
  CHECK(mentions(wrong.err, "可能的原因：这个循环结束得太早"));
  CHECK(tilescope_command({"check", add, "--lang", "zh", "--json"}).out.find("个元素") == std::string::npos);
  CHECK(tilescope_command({"check", add, "--lang", "de"}).status == terminal::kUsage);
}
