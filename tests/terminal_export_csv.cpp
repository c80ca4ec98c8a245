#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "tests/terminal_cost_data.h"
#include "visualizer/model/text_file.h"
#include "visualizer/report/csv.h"
#include "visualizer/report/output_files.h"

using namespace tilescope;
using namespace tilescope::report;
namespace fs = std::filesystem;

namespace {

using Rows = std::vector<std::vector<std::string>>;

/// RFC 4180, strictly: CRLF after each record, quotes only around whole cells.
Rows parse_csv(const std::string& text) {
  Rows rows;
  std::vector<std::string> row;
  size_t at = 0;
  while (at < text.size()) {
    std::string cell;
    if (text[at] == '"') {
      for (++at;; ++at) {
        REQUIRE(at < text.size());
        if (text[at] != '"') {
          cell += text[at];
        } else if (at + 1 < text.size() && text[at + 1] == '"') {
          cell += text[at++];
        } else {
          ++at;
          break;
        }
      }
    } else {
      while (at < text.size() && text[at] != ',' && text[at] != '\r') {
        REQUIRE(text[at] != '"');
        REQUIRE(text[at] != '\n');
        cell += text[at++];
      }
    }
    row.push_back(cell);
    REQUIRE(at < text.size());
    if (text[at] == ',') {
      ++at;
      continue;
    }
    REQUIRE(text.compare(at, 2, "\r\n") == 0);
    at += 2;
    rows.push_back(std::move(row));
    row.clear();
  }
  REQUIRE(row.empty());
  return rows;
}

/// The cell under a title.
std::string cell(const Rows& rows, size_t row, const std::string& title) {
  for (size_t i = 0; i < rows[0].size(); ++i)
    if (rows[0][i] == title) return rows[row][i];
  FAIL("no column " << title);
  return {};
}

struct Folder {
  fs::path path = fs::temp_directory_path() / fs::path(unused());
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  static std::string unused() {
    return fs::path(model::unused_path((fs::temp_directory_path() / "tilescope-export").string())).filename();
  }
  std::string file(const std::string& name, const std::string& text = "") const {
    if (!text.empty()) std::ofstream(path / name) << text;
    return (path / name).string();
  }
  size_t files() const { return std::distance(fs::directory_iterator(path), fs::directory_iterator()); }
};

std::string refusal(const std::vector<OutputPath>& outputs, const std::vector<std::string>& inputs = {}) {
  auto problem = check_output_paths(outputs, inputs);
  return problem ? problem->message : "";
}

}  // namespace

TEST_CASE("the CSV tables parse back with every row as long as its titles") {
  cost::CostReport r = grouped_report();
  r.tensors[0].name = "a, \"quoted\"\r\nname";
  const Rows tensors = parse_csv(tensors_csv(r));
  REQUIRE(tensors.size() == 4);
  for (const auto& row : tensors) CHECK(row.size() == tensors[0].size());
  CHECK(cell(tensors, 1, "tensor") == "a, \"quoted\"\r\nname");
  CHECK(cell(tensors, 1, "asked_bytes") == "8589934592");
  CHECK(cell(tensors, 1, "dram_bytes") == "620000000");
  CHECK(cell(tensors, 3, "access") == "stores");
  CHECK(cell(tensors, 3, "l2_hit_rate").empty());
  const Rows lines = parse_csv(lines_csv(r, grouped_source()));
  REQUIRE(lines.size() == 4);
  for (const auto& row : lines) CHECK(row.size() == lines[0].size());
  CHECK(cell(lines, 2, "line") == "32");
  CHECK(cell(lines, 2, "times") == "524288");
  CHECK(cell(lines, 1, "source") == "a = tl.load(a_tile, mask=(rows[:, None] < M) & (ks[None, :] < left), other=0.0)");
  const Rows orders = parse_csv(alternatives_csv(r));
  REQUIRE(orders.size() == 6);
  for (const auto& row : orders) CHECK(row.size() == orders[0].size());
  CHECK(cell(orders, 4, "current") == "yes");
  CHECK(std::stod(cell(orders, 1, "dram_read_bytes")) == 5.51e9);
}

TEST_CASE("kernel text in a CSV is no formula to a spreadsheet") {
  CHECK(csv_cell("=1+1") == "'=1+1");
  CHECK(csv_cell("@x") == "'@x");
  CHECK(csv_cell("a,b") == "\"a,b\"");
  CHECK(csv_cell("say \"x\"") == "\"say \"\"x\"\"\"");
  CHECK(csv_cell("plain") == "plain");
}

TEST_CASE("each table has a file of its own, named after the one that was given") {
  CHECK(csv_path("out/cost.csv", "lines") == "out/cost.lines.csv");
  CHECK(csv_path("cost", "tensors") == "cost.tensors.csv");
  CHECK(csv_path(".csv", "tensors") == ".csv.tensors.csv");
}

TEST_CASE(
    "output files: folders, devices, the launch's own files and one file twice are refused, and nothing is made") {
  Folder folder;
  const std::string kernel = folder.file("kernel.py", "text"), page = folder.file("page.html");
  const size_t before = folder.files();
  CHECK(refusal({{"--html", page}}, {kernel}).empty());
  CHECK(refusal({{"--html", folder.path.string()}}).find("it is a folder") != std::string::npos);
  CHECK(refusal({{"--html", "/dev/null"}}).find("device") != std::string::npos);
  CHECK(refusal({{"--html", folder.file("none/page.html")}}).find("there is no folder") != std::string::npos);
  CHECK(refusal({{"--html", ""}}) == "--html: expected the name of a file");
  CHECK(refusal({{"--html", kernel}}, {kernel}).find("that is a file that the launch reads") != std::string::npos);
  CHECK(refusal({{"--html", folder.file("./kernel.py")}}, {kernel}).find("that is a file") != std::string::npos);
  CHECK(refusal({{"--csv", page}, {"--html", (folder.path / "." / "page.html").string()}})
            .find("--csv writes that file too") != std::string::npos);
  CHECK(folder.files() == before);
  fs::create_symlink(kernel, folder.path / "link.html");
  CHECK(refusal({{"--html", folder.file("link.html")}}, {kernel}).find("that is a file") != std::string::npos);
  fs::create_hard_link(kernel, folder.path / "hard.html");
  CHECK(refusal({{"--html", folder.file("hard.html")}}, {kernel}).find("that is a file") != std::string::npos);
}

TEST_CASE("a file is written whole, and an old one is replaced") {
  Folder folder;
  const std::string path = folder.file("t.csv", "an old and much longer text\n");
  CHECK_FALSE(write_output({"--csv", path}, "new"));
  CHECK(model::read_text_file(path) == "new");
  CHECK(folder.files() == 1);
}

TEST_CASE("the files of a launch are its kernel, launch file, recorded run and arrays") {
  LaunchSpec spec;
  spec.path = "a/launch.json";
  spec.kernel_path = "a/kernel.py";
  TensorSpec x;
  x.init.kind = Init::Kind::Npy;
  x.init.npy_path = "a/x.npy";
  spec.args.push_back({"x", x});
  OutputSpec y;
  y.expected = Init{};
  y.expected->kind = Init::Kind::Npy;
  y.expected->npy_path = "a/y.npy";
  spec.outputs.push_back(y);
  CHECK(files_of_launch(spec) ==
        std::vector<std::string>{"a/kernel.py", "a/launch.json", "a/launch.gpu.json", "a/x.npy", "a/y.npy"});
}
