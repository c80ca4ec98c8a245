#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/terminal_cost_data.h"
#include "visualizer/report/chrome_trace.h"

using namespace tilescope;
using nlohmann::json;

namespace {

cost::CostReport with_schedule() {
  cost::CostReport r = grouped_report();
  r.grid = {4, 1, 1};
  r.schedule = small_schedule();
  return r;
}

int64_t nanoseconds(const json& us) { return std::llround(us.get<double>() * 1000); }

/// Slices of a thread, in the order of the file, lie inside one another or apart, as viewers require.
void check_nesting(const json& trace) {
  std::map<std::pair<int, int>, std::vector<std::pair<int64_t, int64_t>>> open;
  for (const json& e : trace["traceEvents"]) {
    if (e["ph"] != "X") continue;
    const int64_t start = nanoseconds(e["ts"]), end = start + nanoseconds(e["dur"]);
    auto& stack = open[{e["pid"], e["tid"]}];
    while (!stack.empty() && stack.back().second <= start && !(start == end && stack.back().second == start))
      stack.pop_back();
    if (!stack.empty()) {
      CHECK(stack.back().first <= start);
      CHECK(end <= stack.back().second);
    }
    stack.push_back({start, end});
  }
}

size_t count(const json& trace, const std::string& phase, const std::string& name_part = "") {
  size_t n = 0;
  for (const json& e : trace["traceEvents"])
    if (e["ph"] == phase && e.value("name", "").find(name_part) != std::string::npos) ++n;
  return n;
}

}  // namespace

TEST_CASE(
    "the trace has a process for each partition, a lane for each place on an SM, programs with their ops inside, "
    "counters") {
  const report::ChromeTrace out = report::chrome_trace(with_schedule(), grouped_source());
  const json trace = json::parse(out.json);
  CHECK(out.truncated.empty());
  CHECK(trace["otherData"]["truncated"].is_null());
  CHECK(trace["otherData"]["kernel"] == "grouped_matmul_kernel");
  CHECK(count(trace, "M", "process_name") == 3);
  CHECK(count(trace, "M", "thread_name") == 4);
  CHECK(count(trace, "X", "program ") == 4);
  CHECK(count(trace, "X", "load a_ptr, line 31") == 4);
  CHECK(count(trace, "C", "DRAM read, GB/s") == 2);
  CHECK(count(trace, "C", "L2 hit rate") == 2);
  CHECK(count(trace, "C", "programs running") == 2);
  CHECK(trace["otherData"]["lines"]["32"].get<std::string>().starts_with("b = tl.load("));
  for (const json& e : trace["traceEvents"]) {
    if (e["ph"] == "C" && e["name"] == "DRAM read, GB/s" && e["ts"] == 0.0) CHECK(e["args"]["value"] == 3100.0);
  }
  check_nesting(trace);
}

TEST_CASE("slices that overlap by rounding, end early, or are no numbers are still nested") {
  cost::CostReport r = with_schedule();
  r.schedule->slices[1].end_us = 4.00049;  // past the start of the next op
  r.schedule->slices[2].end_us = 1000;     // past the end of its program
  r.schedule->slices[4].start_us = std::nan("");
  r.schedule->slices[5].end_us = -5;
  r.schedule->samples[0].dram_bytes_per_s = INFINITY;
  const json trace = json::parse(report::chrome_trace(r, nullptr).json);
  check_nesting(trace);
  CHECK(count(trace, "X") == 12);
}

TEST_CASE("a schedule that does not fit keeps whole programs and says what it left out") {
  cost::CostReport r = with_schedule();
  const report::ChromeTrace out = report::chrome_trace(r, nullptr, 8);
  const json trace = json::parse(out.json);
  CHECK(out.truncated == "slices of 2 of 4 programs, those that start first; the counters cover all");
  CHECK(trace["otherData"]["truncated"] == out.truncated);
  CHECK(count(trace, "X") == 6);
  CHECK(count(trace, "i") == 1);
  check_nesting(trace);
  r.schedule->truncated = true;
  CHECK(report::chrome_trace(r, nullptr).truncated == "all programs; their loads and stores up to 11.0 us only");
  r.grid = {4096, 1, 1};
  CHECK(report::chrome_trace(r, nullptr).truncated.starts_with("slices of 4 of 4,096 programs"));
}

TEST_CASE("names in the trace are quoted, whatever they hold") {
  cost::CostReport r = with_schedule();
  r.kernel = "k\"\\\n\xff</script>";
  r.lines[0].tensor = "a\"},{\x01";
  r.gpu.name = "\"";
  const json trace = json::parse(report::chrome_trace(r, grouped_source()).json);
  CHECK(trace["otherData"]["gpu"] == "\"");
  CHECK(count(trace, "X", "a\"},{") == 4);
}
