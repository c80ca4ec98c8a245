#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "visualizer/model/text_file.h"
#include "tests/terminal_calls.h"
#include "visualizer/terminal/command.h"

using namespace tilescope;
using namespace tilescope::terminal_calls;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

const std::string kLessons = std::string(TILESCOPE_SOURCE_DIR) + "/lessons/kernels/";

struct Folder {
  fs::path path = fs::temp_directory_path() / ("tilescope_cost_" + std::to_string(reinterpret_cast<uintptr_t>(this)));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
  size_t files() const { return std::distance(fs::directory_iterator(path), fs::directory_iterator()); }
  /// A copy of a lesson's kernel and launch, to be careless with.
  std::string lesson(const std::string& name) const {
    for (const char* f : {"kernel.py", "launch.json"}) fs::copy_file(kLessons + name + "/" + f, path / f);
    return file("launch.json");
  }
};

std::vector<std::string> with(std::vector<std::string> args, const std::vector<std::string>& more) {
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

}  // namespace

TEST_CASE("the options of an estimate arrive in the command") {
  std::ostringstream out, err;
  auto parsed = terminal::parse_command(
      {"cost",           "l.json",      "--gpu",  "a100",     "--seeds",    "3",     "--order-values",
       "1,2,64",         "--registers", "122",    "--shared", "98304",      "--csv", "t",
       "--chrome-trace", "t.json",      "--html", "t.html",   "--measured", "1=5e9"},
      out, err);
  REQUIRE(std::holds_alternative<terminal::Command>(parsed));
  const terminal::Command& c = std::get<terminal::Command>(parsed);
  CHECK(c.verb == terminal::Command::Verb::Cost);
  CHECK(c.cost.gpu == "a100");
  CHECK(c.cost.seeds == 3);
  CHECK(c.cost.order_values == std::vector<int64_t>{1, 2, 64});
  CHECK(c.cost.registers == 122);
  CHECK(c.cost.shared_bytes == 98304);
  CHECK(c.cost.csv == "t");
  CHECK(c.cost.chrome_trace == "t.json");
  CHECK(c.cost.html == "t.html");
  CHECK(c.cost.measured == std::vector<std::string>{"1=5e9"});
}

TEST_CASE("the list of GPUs needs no launch, and --help tells of every option") {
  Result r = tilescope_command({"cost", "--gpu", "list"});
  CHECK(r.status == terminal::kFine);
  for (const char* id : {"h200", "h100", "a100", "rtx_4090"}) CHECK(mentions(r.out, id));
  const json listed = json::parse(tilescope_command({"cost", "--gpu", "list", "--json"}).out);
  CHECK(listed["gpus"][0]["id"] == "h200");
  for (const char* verb : {"cost", "run"}) {
    const std::string help = tilescope_command({verb, "--help"}).out;
    for (const char* option :
         {"--seeds", "--order-values", "--registers", "--shared", "--measured", "--csv", "--chrome-trace", "--html"})
      CHECK(mentions(help, option));
    CHECK(mentions(help, std::string(verb) == "cost" ? "--gpu" : "--cost"));
  }
}

TEST_CASE("a mistake in the options of an estimate is one clear error, and nothing is written") {
  Folder folder;
  const std::string launch = folder.lesson("vector_add");
  const std::string kernel_before = *model::read_text_file(folder.file("kernel.py"));
  fs::create_directory(folder.path / "folder");
  const size_t files = folder.files();
  struct Case {
    std::vector<std::string> options;
    std::string message;
  };
  const std::vector<Case> cases = {
      {{"--gpu", "h300"}, "h300"},
      {{"--gpu", folder.file("none.json")}, "none.json"},
      {{"--seeds", "0"}, "--seeds"},
      {{"--seeds", "many"}, "--seeds"},
      {{"--order-values", "1,0"}, "--order-values: 0 is not between 1 and 2^30"},
      {{"--order-values", "1,2,1"}, "--order-values: 1 is given twice"},
      {{"--order-values", "a"}, "--order-values"},
      {{"--order-values", "3,,4"}, "\"\" in \"3,,4\" is not a whole number"},
      {{"--order-values", "3,"}, "\"\" in \"3,\" is not a whole number"},
      {{"--order-values", "99999999999999999999"}, "--order-values"},
      {{"--registers", "256"}, "--registers"},
      {{"--shared", "-1"}, "--shared"},
      {{"--measured", "8", "--html", folder.file("p.html")}, "--measured 8: expected VALUE=BYTES"},
      {{"--measured", "8=x", "--html", folder.file("p.html")}, "--measured 8=x: expected VALUE=BYTES"},
      {{"--measured", "8=nan", "--html", folder.file("p.html")}, "--measured 8=nan: expected VALUE=BYTES"},
      {{"--measured", "8=5e9"}, "--measured belongs to the page"},
      {{"--html", ""}, "--html: expected the name of a file"},
      {{"--csv", ""}, "--csv: expected the name of a file"},
      {{"--csv", "/dev/null"}, "--csv /dev/null: is not a file"},
      {{"--html", folder.file("folder")}, "it is a folder"},
      {{"--html", "/dev/null"}, "device"},
      {{"--html", folder.file("none/p.html")}, "there is no folder"},
      {{"--html", folder.file("kernel.py")}, "that is a file that the launch reads"},
      {{"--chrome-trace", folder.file("folder/../launch.json")}, "that is a file that the launch reads"},
      {{"--html", folder.file("x"), "--chrome-trace", folder.file("x")}, "writes that file too"},
      {{"--csv", folder.file("x"), "--html", folder.file("x.lines.csv")}, "--csv writes that file too"},
      {{"--cost", "h200"}, "--cost"},
  };
  for (const Case& c : cases) {
    const Result r = tilescope_command(with({"cost", launch, "--json"}, c.options));
    CAPTURE(c.message);
    CHECK(r.status == terminal::kUsage);
    CHECK(mentions(r.err, c.message));
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') <= 3);
    CHECK(json::parse(r.out)["errors"].size() == 1);
    CHECK(folder.files() == files);
  }
  CHECK(*model::read_text_file(folder.file("kernel.py")) == kernel_before);
  CHECK(mentions(tilescope_command({"cost"}).err, "a launch file or a kernel file is required"));
  CHECK(mentions(tilescope_command({"check", launch, "--cost", "h200"}).err, "--cost"));
}

TEST_CASE("run: what belongs to the estimate asks for --cost, and files of --save count too") {
  Folder folder;
  const std::string launch = folder.lesson("vector_add");
  const size_t files = folder.files();
  for (const auto& options : std::vector<std::vector<std::string>>{
           {"--csv", folder.file("t")}, {"--html", folder.file("t.html")}, {"--seeds", "2"}}) {
    const Result r = tilescope_command(with({"run", launch}, options));
    CHECK(r.status == terminal::kUsage);
    CHECK(mentions(r.err, options[0] + " belongs to the cost estimate"));
    CHECK(mentions(r.err, "add --cost h200"));
  }
  const std::string npy = folder.file("out.npy");
  CHECK(mentions(tilescope_command({"run", launch, "--cost", "h200", "--save", "out_ptr=" + npy, "--html", npy}).err,
                 "that is a file that the launch"));
  CHECK(
      mentions(tilescope_command({"run", launch, "--cost", "h200", "--backend", "gpu"}).err, "not with --backend gpu"));
  CHECK(mentions(tilescope_command({"run", launch, "--cost", "nothing"}).err, "nothing"));
  CHECK(folder.files() == files);
}

TEST_CASE("the estimate counts the same requests, sectors and bytes as a run does") {
  for (const char* lesson : {"vector_add", "softmax", "matmul", "grouped_matmul"}) {
    CAPTURE(lesson);
    const Result cost = tilescope_command({"cost", kLessons + lesson, "--seeds", "1", "--json"});
    const Result run = tilescope_command({"run", kLessons + lesson, "--json"});
    REQUIRE(cost.status == terminal::kFine);
    REQUIRE(run.status == terminal::kFine);
    const json estimated = json::parse(cost.out), counted = json::parse(run.out);
    CHECK(estimated["programs"] == counted["programs"]);
    CHECK(estimated["constexprs"] == counted["constexprs"]);
    for (const auto& [name, tensor] : counted["tensors"].items())
      for (const char* access : {"loads", "stores"}) {
        if (tensor[access]["times"] == 0) continue;
        const json& other = estimated["cost"]["tensors"][name][access];
        CHECK(other["times"] == tensor[access]["times"]);
        CHECK(other["requests"] == tensor[access]["requests"]);
        CHECK(other["sectors"] == tensor[access]["sectors"]);
        CHECK(other["asked_bytes"] == tensor[access]["bytes"]);
        CHECK(other["distinct_sectors"] ==
              tensor["distinct_sectors"][std::string(access) == "loads" ? "loaded" : "stored"]);
      }
  }
}

TEST_CASE("cost of a large matmul fits a screen and says what GROUP_M would change") {
  const Result r = tilescope_command(
      {"cost", kLessons + "grouped_matmul/large.json", "--arg", "K=4096", "--seeds", "1", "--order-values", "1,8"});
  CHECK(r.status == terminal::kFine);
  CHECK(r.err.empty());
  CHECK(std::count(r.out.begin(), r.out.end(), '\n') <= 45);
  CHECK(mentions(r.out, "grouped_matmul_kernel on NVIDIA H200, estimated: "));
  CHECK(mentions(r.out, "a_ptr   loads   4.29 GB  4.29 GB    100%   67.1 MB         1 x         64 x"));
  CHECK(mentions(r.out, "What GROUP_M would change"));
  CHECK(mentions(r.out, "less from DRAM than GROUP_M = 1; nothing that was tried reads less."));
}

TEST_CASE("run --cost runs, estimates and writes all files; --json has both reports in one object") {
  Folder folder;
  const std::string launch = folder.lesson("vector_add");
  const Result r = tilescope_command({"run", launch, "--cost", "rtx_4090", "--csv", folder.file("t.csv"), "--html",
                                      folder.file("t.html"), "--chrome-trace", folder.file("t.json"), "--save",
                                      "out_ptr=" + folder.file("out.npy")});
  CHECK(r.status == terminal::kFine);
  CHECK(r.err.empty());
  CHECK(std::count(r.out.begin(), r.out.end(), '\n') <= 45);
  CHECK(mentions(r.out, "ran on the CPU simulator"));
  CHECK(mentions(r.out, "add_kernel on NVIDIA GeForce RTX 4090, estimated: "));
  for (const char* file : {"t.tensors.csv", "t.lines.csv", "t.orders.csv", "t.html", "t.json", "out.npy"}) {
    CHECK(fs::exists(folder.path / file));
  }
  for (const char* told : {"t.tensors.csv, .lines.csv, .orders.csv", "t.html", "t.json", "out.npy"})
    CHECK(mentions(r.out, told));
  CHECK(folder.files() == 8);
  const json trace = json::parse(*model::read_text_file(folder.file("t.json")));
  size_t programs = 0;
  for (const json& e : trace["traceEvents"])
    programs += e["ph"] == "X" && e["name"].get<std::string>().starts_with("program ");
  CHECK(programs == 4);
  CHECK(mentions(*model::read_text_file(folder.file("t.html")), "How often elements were loaded"));
  const json both = json::parse(tilescope_command({"run", launch, "--cost", "h200", "--json"}).out);
  CHECK(both["tensors"]["x_ptr"]["loads"]["sectors"] == 250);
  CHECK(both["cost"]["gpu"]["id"] == "h200");
  CHECK(both["cost"]["tensors"]["x_ptr"]["loads"]["sectors"] == 250);
  CHECK_FALSE(json::parse(tilescope_command({"run", launch, "--json"}).out).contains("cost"));
}

TEST_CASE("a launch that faults is not estimated by run, and nothing is written") {
  Folder folder;
  folder.lesson("vector_add");
  std::string kernel = *model::read_text_file(folder.file("kernel.py"));
  for (size_t at; (at = kernel.find(", mask=mask")) != std::string::npos;) kernel.erase(at, 11);
  std::ofstream(folder.file("kernel.py")) << kernel;
  const Result r =
      tilescope_command({"run", folder.file("launch.json"), "--cost", "h200", "--html", folder.file("t.html")});
  CHECK(r.status == terminal::kFault);
  CHECK(mentions(r.err, "the cost was not estimated, because of the fault"));
  CHECK_FALSE(fs::exists(folder.file("t.html")));
}

TEST_CASE("cost of a kernel that does not compile, or of no launch, is an error with its place") {
  Folder folder;
  folder.lesson("vector_add");
  std::ofstream(folder.file("kernel.py"), std::ios::app) << "\n    y = undefined_name\n";
  const Result r = tilescope_command({"cost", folder.file("launch.json"), "--html", folder.file("t.html")});
  CHECK(r.status == terminal::kUsage);
  CHECK(mentions(r.err, "kernel.py:"));
  CHECK(r.out.empty());
  CHECK_FALSE(fs::exists(folder.file("t.html")));
  CHECK(tilescope_command({"cost", folder.file("none.json")}).status == terminal::kUsage);
}
