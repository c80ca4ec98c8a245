#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/terminal_cost_data.h"
#include "visualizer/report/text.h"
#include "visualizer/report/units.h"
#include "visualizer/terminal/report_cost.h"

using namespace tilescope;
using namespace tilescope::terminal;
using report::bytes_text;

namespace {

bool mentions(const std::string& text, const std::string& part) {
  bool found = text.find(part) != std::string::npos;
  if (!found) MESSAGE("looked for: ", part, "\nin: ", text);
  return found;
}

size_t widest_line(const std::string& text) {
  size_t widest = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    widest = std::max(widest, report::width_of(std::string_view(text).substr(at, end - at)));
    at = end + 1;
  }
  return widest;
}

int64_t line_count(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

}  // namespace

TEST_CASE("the cost of a matmul fits one screen and says where the bytes go and what GROUP_M would change") {
  const std::string text = cost_text(grouped_report(), grouped_source());
  CHECK(line_count(text) <= kScreenLines);
  CHECK(widest_line(text) <= static_cast<size_t>(kScreenColumns));
  CHECK(mentions(text, "grouped_matmul_kernel on NVIDIA H200, estimated: 1.73 ms, bound by compute"));
  CHECK(mentions(
      text,
      "4,096 programs of 8 warps, 2 at once on an SM (shared memory): 264 on 132 SMs, 15.5 waves, last 52% full"));
  CHECK(mentions(text, "parts: DRAM 340 us, L2 1.45 ms, arithmetic 1.11 ms, latency 50.0 us"));
  CHECK(mentions(text, "122 registers a thread, 98.3 kB of shared memory (estimated); 25% of the warps an SM holds"));
  CHECK(mentions(text, "no reuse    2.20 TB"));
  CHECK(mentions(text, "each once    403 MB  #"));
  CHECK(mentions(text, "1.56 to 1.73 GB over 5 seeds"));
  CHECK(mentions(text, "a_ptr   loads   8.59 GB  8.59 GB    100%    134 MB         1 x         64 x  620 MB     91%"));
  CHECK(mentions(text, "What GROUP_M would change"));
  CHECK(mentions(text, "GROUP_M = 8     1.51 GB  1.45 to 1.59 GB     82%  1.73 ms"));
  CHECK(mentions(text, "<- now"));
  CHECK(mentions(text, "GROUP_M = 8 reads 3.6 x less from DRAM than GROUP_M = 1; nothing that was tried reads less."));
  CHECK(mentions(text, "a = tl.load(a_tile"));
  CHECK(mentions(text, "here 667, each byte once 2,731; memory binds below 206, arithmetic above"));
  CHECK(mentions(text, "note: the drift of programs"));
}

TEST_CASE("a better order is named with what it would save") {
  cost::CostReport r = grouped_report();
  for (cost::Alternative& a : r.alternatives) a.current = a.value == 1;
  CHECK(mentions(cost_text(r, nullptr),
                 "GROUP_M = 8 would read 3.6 x less from DRAM than GROUP_M = 1 does: 1.51 GB instead of 5.51 GB."));
}

TEST_CASE("orders that differ by less than their spread are not recommended") {
  cost::CostReport r = grouped_report();
  for (cost::Alternative& a : r.alternatives) a.dram_read = {a.value == 8 ? 1.5e9 : 1.52e9, 1.4e9, 1.6e9};
  CHECK(mentions(cost_text(r, nullptr), "All that were tried read about as much from DRAM."));
}

TEST_CASE("a better order by less than 5% is no advice") {
  cost::CostReport r = grouped_report();
  r.alternatives[4].dram_read = {1.49e9, 1.49e9, 1.49e9};
  for (cost::Alternative& a : r.alternatives) a.dram_read.low = a.dram_read.high = a.dram_read.mean;
  CHECK(mentions(cost_text(r, nullptr),
                 "GROUP_M = 8 reads 3.6 x less from DRAM than GROUP_M = 1; GROUP_M = 16 reads about as much."));
}

TEST_CASE("a launch without dots has no step of no reuse, and a small one is a part of a wave") {
  cost::CostReport r = grouped_report();
  r.traffic.work.dot_multiply_adds = 0;
  r.occupancy.waves = 0.002;
  r.estimate.memory_ms = 0;
  r.estimate.compute_ms = 1e-7;
  const std::string text = cost_text(r, nullptr, 120);
  CHECK(text.find("no reuse") == std::string::npos);
  CHECK(mentions(text, "0.2% of a wave"));
  CHECK(mentions(text, "parts: DRAM 0 us, L2 1.45 ms, arithmetic <0.01 us"));
}

TEST_CASE("many tensors, lines and notes still fit one screen, and the text says what it left out") {
  cost::CostReport r = grouped_report();
  for (int i = 0; i < 40; ++i) {
    cost::TensorCost t = r.tensors[0];
    t.name = "a_tensor_with_a_rather_long_name_" + std::to_string(i);
    t.loads.moved_bytes = static_cast<uint64_t>(i + 1);
    r.tensors.push_back(t);
    cost::LineCost l = r.lines[0];
    l.op.line = 40 + i;
    l.traffic.moved_bytes = static_cast<uint64_t>(i + 1);
    r.lines.push_back(l);
    r.notes.push_back(
        "one of many notes that together would fill more than a screen of an ordinary terminal, wrapped " +
        std::to_string(i));
  }
  for (int columns : {80, 110, 120}) {
    const std::string text = cost_text(r, grouped_source(), columns);
    CHECK(line_count(text) <= kScreenLines);
    CHECK(widest_line(text) <= static_cast<size_t>(columns));
    CHECK(mentions(text, "rows with less traffic left out"));
    CHECK(mentions(text, "lines with less traffic left out"));
    CHECK(mentions(text, "notes left out: --json has them"));
    CHECK(mentions(text, "c_ptr"));
  }
}

TEST_CASE("long names of orders fit too") {
  cost::CostReport r = grouped_report();
  r.alternatives[0].label = "groups of 16 along axis 0, or more";
  CHECK(widest_line(cost_text(r, grouped_source())) <= static_cast<size_t>(kScreenColumns));
}

TEST_CASE("80 columns are enough") {
  const std::string text = cost_text(grouped_report(), grouped_source(), 80);
  CHECK(widest_line(text) <= 80);
  CHECK(line_count(text) <= kScreenLines);
}

TEST_CASE("a report of nothing is printed without a crash") {
  cost::CostReport r;
  CHECK(line_count(cost_text(r, nullptr)) < 20);
  CHECK(cost_json(r)["tensors"].empty());
}

TEST_CASE("names and kernel text cannot give orders to the terminal") {
  cost::CostReport r = grouped_report();
  r.kernel = "k\x1b[2J";
  r.tensors[0].name = "a\x1b]0;x\x07";
  r.notes[0] =
      "\x9b"
      "31m\xE2\x80\xAE";
  auto source = std::make_shared<SourceFile>(*grouped_source());
  source->text.replace(source->text.find("a = tl"), 3, "\x1b[1");
  const std::string text = cost_text(r, source);
  CHECK(std::none_of(text.begin(), text.end(), [](char c) { return (c >= 0 && c < 32 && c != '\n') || c == 127; }));
  CHECK(text.find("\xE2\x80\xAE") == std::string::npos);
}

TEST_CASE("the cost object of --json has these keys, and all of them") {
  const nlohmann::json j = nlohmann::json::parse(cost_json(grouped_report()).dump());
  const auto keys = [](const nlohmann::json& object) {
    std::string out;
    for (const auto& [key, value] : object.items()) out += (out.empty() ? "" : " ") + key;
    return out;  // nlohmann::json sorts them
  };
  CHECK(keys(j) ==
        "alternatives dram_read dram_written drift estimate gpu l2_bytes l2_hit_rate lines notes occupancy roofline "
        "seeds tensors traffic");
  CHECK(keys(j["dram_read"]) == "high low mean");
  CHECK(keys(j["occupancy"]) ==
        "at_once last_wave limited_by programs_per_sm registers registers_known shared_bytes shared_known "
        "warps_fraction waves");
  CHECK(keys(j["traffic"]) == "dot_multiply_adds flops ideal_bytes naive_bytes programs stopped tiled_bytes");
  CHECK(keys(j["tensors"]["a_ptr"]) == "dram_read dram_written l2_hit_rate loads");
  CHECK(keys(j["tensors"]["c_ptr"]) == "dram_read dram_written l2_hit_rate stores");
  CHECK(keys(j["tensors"]["a_ptr"]["loads"]) ==
        "asked_bytes distinct_bytes distinct_sectors efficiency lanes moved_bytes program_bytes requests sectors tiles "
        "times");
  CHECK(keys(j["lines"][0]) ==
        "asked_bytes column distinct_bytes distinct_sectors dram_read efficiency elem_bytes feeds_dot lanes line "
        "moved_bytes op program_bytes requests sectors tensor tiles times");
  CHECK(keys(j["roofline"]) ==
        "dram_bytes_per_s estimated_flops ideal_intensity intensity naive_intensity peak_flops tiled_intensity unit");
  CHECK(keys(j["estimate"]) == "because bound compute_ms l2_ms latency_ms memory_ms total_ms");
  CHECK(keys(j["alternatives"][0]) == "current dram_read l2_hit_rate label parameter tile_loads_first total_ms value");
  CHECK(j["tensors"]["a_ptr"]["loads"]["asked_bytes"] == 8589934592u);
  CHECK(j["estimate"]["bound"] == "compute");
  CHECK(j["alternatives"][3]["current"] == true);
}

TEST_CASE("amounts are read with three digits and prefixes by 1000") {
  CHECK(bytes_text(0) == "0 B");
  CHECK(bytes_text(999) == "999 B");
  CHECK(bytes_text(1000) == "1.00 kB");
  CHECK(bytes_text(999'600) == "1.00 MB");
  CHECK(bytes_text(98304) == "98.3 kB");
  CHECK(bytes_text(5511867904.0) == "5.51 GB");
  CHECK(report::rate_text(4.8e12) == "4.80 TB/s");
  CHECK(report::count_text(0.5) == "0.50");
  CHECK(report::count_text(2730.7) == "2,731");
  CHECK(report::work_text(1.0995e12) == "1.10 Tflop");
  CHECK(report::time_text(1.7315) == "1.73 ms");
  CHECK(report::time_text(0.002048) == "2.05 us");
  CHECK(report::time_text(2500) == "2.50 s");
  CHECK(report::percent_text(0.9999) == "99.9%");
  CHECK(report::percent_text(1) == "100%");
  CHECK(report::percent_text(0.0001) == "<0.1%");
  CHECK(report::percent_text(0.825) == "82%");
  CHECK(report::ratio_text(64) == "64 x");
  CHECK(report::ratio_text(3.65) == "3.6 x");
  CHECK(report::spread_text({1.5e9, 0.98e9, 1.6e9}) == "0.98 to 1.60 GB");
  CHECK(report::spread_text({5, 5, 5}).empty());
  CHECK(report::grid_text({64, 64, 1}) == "64 x 64 = 4,096 programs");
}
