#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "visualizer/terminal/progress.h"
#include "visualizer/terminal/report.h"
#include "visualizer/terminal/table.h"

using namespace tilescope;
using namespace tilescope::terminal;

namespace {

SourcePtr source() {
  return std::make_shared<SourceFile>(
      SourceFile{"add.py", "@triton.jit\ndef add(x_ptr):\n    x = tl.load(x_ptr + offs)\n"});
}

/// The vector add of N = 1000 in blocks of 256, as the design tells it.
RunTrace vector_add() {
  RunTrace t;
  t.kernel = "add";
  t.grid = {4, 1, 1};
  t.programs = 4;
  TensorReport x;
  x.name = "x_ptr";
  x.shape = {1000};
  x.loads = {4, 4, 1000, 24, 4000, 32, 250};
  x.distinct_bytes = 4000;
  x.distinct_sectors_loaded = 125;
  x.reuse = {1, 1.0, {{1, 1000}}};
  t.tensors.push_back(x);
  t.lines.push_back({3, 9, "load", "x_ptr", x.loads});
  return t;
}

Fault out_of_bounds(const SourcePtr& file) {
  Fault f;
  f.range = {file, 3, 9, 3, 30};
  f.program = {3, 0, 0};
  f.lane = 232;
  f.lane_index = {232};
  f.tensor = "x_ptr";
  f.offset = f.size = 1000;
  f.count = 24;
  f.loops.push_back({2, "k", 32, 1});
  f.message = "out of bounds: this load reads past the end";
  f.hint = "mask it";
  return f;
}

bool mentions(const std::string& text, const std::string& part) {
  bool found = text.find(part) != std::string::npos;
  if (!found) MESSAGE("looked for: ", part, "\nin: ", text);
  return found;
}

RunReport report_of(const RunTrace& t) { return {t, source(), {{"BLOCK", "256"}}, {}, {}, {}, {"x"}, {}}; }

}  // namespace

TEST_CASE("the report tells grid, lanes on and off, bytes, reuse and the source lines") {
  RunTrace t = vector_add();
  std::string text = report_text(report_of(t));
  CHECK(mentions(text, "grid 4 programs, each of 4 warps"));
  CHECK(mentions(text, "BLOCK = 256"));
  CHECK(mentions(text, "1000   f32   loads          4     1,000         24        4,000        32      250     50%       125"));
  CHECK(mentions(text, "x_ptr   1,000 elements were loaded, each once"));
  CHECK(mentions(text, "x = tl.load(x_ptr + offs)"));
  CHECK(mentions(text, "other sizes and other data may behave differently"));
}

TEST_CASE("reuse is told as one count, as a short list, or as a range") {
  RunTrace t = vector_add();
  t.tensors[0].reuse = {3, 2.5, {{2, 500}, {3, 500}}};
  CHECK(
      mentions(report_text(report_of(t)), "1,000 elements were loaded, 2.50 times on average: 500 twice, 500 3 times"));
  t.tensors[0].reuse = {2, 2, {{2, 10}}};
  CHECK(mentions(report_text(report_of(t)), "10 of 1,000 elements were loaded, each twice"));
  t.tensors[0].reuse = {8, 4.5, {{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 1}, {7, 1}, {8, 1}}};
  CHECK(mentions(report_text(report_of(t)), "8 of 1,000 elements were loaded, 4.50 times on average (1 to 8 times)"));
}

TEST_CASE("a fault is told with caret, program, lane, count and hint") {
  RunTrace t = vector_add();
  t.faults.push_back(out_of_bounds(source()));
  std::string text = faults_text(t);
  CHECK(mentions(text, "add.py:3:9: error: out of bounds"));
  CHECK(mentions(text, "^^^^^"));
  CHECK(mentions(text, "at: program [3, 0, 0], lane 232; 24 lanes in all failed here in the same way"));
  CHECK(mentions(text, "hint: mask it"));
}

TEST_CASE("a difference is told with the first element, both values and the largest error") {
  OutputCheck o;
  o.tensor = "c_ptr";
  o.elements = 3150;
  o.differing = 2;
  o.first_index = {3, 40};
  o.first_got = "1.5";
  o.first_expected = "2.5";
  o.max_abs = 1;
  o.max_rel = 0.4;
  o.rtol = 1e-4;
  o.expected_from = "reference matmul in float64";
  std::string text = outputs_text({o});
  CHECK(mentions(text,
                 "c_ptr differs from reference matmul in float64 (within atol 0 + rtol 0.0001 x |expected|): 2 of 3,150 elements"));
  CHECK(mentions(text, "first at row 3, column 40: got 1.5, expected 2.5"));
  o.equal = o.exact = true;
  CHECK(mentions(outputs_text({o}), "c_ptr equals reference matmul in float64 exactly: 3,150 elements"));
}

TEST_CASE("the JSON object has the keys of the design") {
  RunTrace t = vector_add();
  t.faults.push_back(out_of_bounds(source()));
  RunReport r = report_of(t);
  r.outputs.push_back({});
  r.outputs[0].tensor = "out_ptr";
  r.outputs[0].equal = true;
  auto j = nlohmann::json::parse(report_json(r));
  CHECK(j["kernel"] == "add");
  CHECK(j["grid"] == nlohmann::json({4, 1, 1}));
  CHECK(j["programs"] == 4);
  CHECK(j["backend"] == "sim");
  CHECK(j["tensors"]["x_ptr"]["loads"]["lanes_masked"] == 24);
  CHECK(j["tensors"]["x_ptr"]["reuse"]["histogram"]["1"] == 1000);
  CHECK(j["tensors"]["x_ptr"]["loads"]["efficiency"] == 0.5);
  CHECK(j["tensors"]["x_ptr"]["distinct_sectors"]["loaded"] == 125);
  CHECK(j["lines"][0]["line"] == 3);
  CHECK(j["lines"][0]["sectors"] == 250);
  CHECK(j["faults"][0]["kind"] == "out_of_bounds");
  CHECK(j["faults"][0]["program"] == nlohmann::json({3, 0, 0}));
  CHECK(j["faults"][0]["lane"] == 232);
  CHECK(j["faults"][0]["size"] == 1000);
  CHECK(j["outputs"]["out_ptr"]["equal"] == true);
  CHECK(j["outputs"]["out_ptr"]["max_abs"] == 0.0);
}

TEST_CASE("bytes that are not UTF-8 do not break the JSON") {
  RunTrace t = vector_add();
  t.printed.push_back("\xff\xfe");
  CHECK(nlohmann::json::parse(report_json(report_of(t)))["printed"].size() == 1);
}

TEST_CASE("numbers and columns are written for people") {
  CHECK(with_commas(0) == "0");
  CHECK(with_commas(999) == "999");
  CHECK(with_commas(1234567) == "1,234,567");
  CHECK(counted(1, "warp") == "1 warp");
  CHECK(times_text(2) == "twice");
  CHECK(shape_text({70, 50}) == "70 x 50");
  CHECK(shortened("abcdefghij", 8) == "abcde...");
  CHECK(shortened("é中文é中文", 6) == "é中文é中文");
  CHECK(shortened("é中文é中文x", 6) == "é中文...");
  Table t({{"a", Table::Align::Left}, {"n", Table::Align::Right}});
  t.add({"xyz", "10"});
  CHECK(t.text() == "  a     n\n  xyz  10\n");
}

TEST_CASE("progress says nothing when it is off or the run is short") {
  std::ostringstream err;
  {
    Progress off(err, false), brief(err, true);
    for (int i = 0; i < 100; ++i) {
      off.update(i, 100);
      brief.update(i, 100);
    }
  }
  CHECK(err.str().empty());
}
