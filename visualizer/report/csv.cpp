#include "visualizer/report/csv.h"

#include <fmt/format.h>

#include "visualizer/report/text.h"

namespace tilescope::report {
namespace {

using cost::OpTraffic;
using cost::Spread;

std::string number(double v) { return fmt::format("{:.17g}", v); }
std::string number(uint64_t v) { return std::to_string(v); }
std::string number(int64_t v) { return std::to_string(v); }

/// Rows of cells that are counted against the titles by construction: each row adds what its titles name.
class Sheet {
 public:
  explicit Sheet(const std::vector<std::string>& titles) {
    for (const std::string& t : titles) cell(t);
    end_row();
  }
  void cell(std::string_view text) {
    text_ += (first_ ? "" : ",") + csv_cell(text);
    first_ = false;
  }
  template <class T>
  void value(T v) {
    text_ += (first_ ? "" : ",") + number(v);
    first_ = false;
  }
  void spread(const Spread& s) { value(s.mean), value(s.low), value(s.high); }
  void end_row() {
    text_ += "\r\n";
    first_ = true;
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  bool first_ = true;
};

const std::vector<std::string> kTrafficTitles = {
    "times",      "lanes",          "requests",      "sectors",          "asked_bytes", "moved_bytes",
    "efficiency", "distinct_bytes", "program_bytes", "distinct_sectors", "tiles"};

void add_traffic(Sheet& sheet, const OpTraffic& t) {
  for (uint64_t v : {t.times, t.lanes, t.requests, t.sectors, t.asked_bytes, t.moved_bytes}) sheet.value(v);
  sheet.value(t.efficiency());
  for (uint64_t v : {t.distinct_bytes, t.program_bytes, t.distinct_sectors, t.tiles}) sheet.value(v);
}

std::vector<std::string> titles(std::vector<std::string> first, const std::vector<std::string>& last) {
  first.insert(first.end(), kTrafficTitles.begin(), kTrafficTitles.end());
  first.insert(first.end(), last.begin(), last.end());
  return first;
}

}  // namespace

std::string csv_cell(std::string_view text) {
  std::string cell(text);
  if (!cell.empty() && std::string_view("=+-@\t\r").find(cell[0]) != std::string_view::npos) cell.insert(0, 1, '\'');
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string out = "\"";
  for (char c : cell) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string tensors_csv(const cost::CostReport& report) {
  Sheet sheet(titles({"tensor", "access"}, {"dram_bytes", "dram_bytes_low", "dram_bytes_high", "l2_hit_rate",
                                            "l2_hit_rate_low", "l2_hit_rate_high"}));
  for (const cost::TensorCost& t : report.tensors) {
    for (bool loads : {true, false}) {
      const OpTraffic& traffic = loads ? t.loads : t.stores;
      if (traffic.times == 0) continue;
      sheet.cell(t.name);
      sheet.cell(loads ? "loads" : "stores");
      add_traffic(sheet, traffic);
      sheet.spread(loads ? t.dram_read : t.dram_written);
      if (loads)
        sheet.spread(t.l2_hit_rate);
      else
        for (int i = 0; i < 3; ++i) sheet.cell("");
      sheet.end_row();
    }
  }
  return sheet.take();
}

std::string lines_csv(const cost::CostReport& report, const SourcePtr& source) {
  Sheet sheet(titles({"line", "column", "op", "tensor"},
                     {"dram_read_bytes", "dram_read_bytes_low", "dram_read_bytes_high", "source"}));
  for (const cost::LineCost& l : report.lines) {
    sheet.value(static_cast<int64_t>(l.op.line));
    sheet.value(static_cast<int64_t>(l.op.column));
    sheet.cell(l.op.mnemonic);
    sheet.cell(l.tensor);
    add_traffic(sheet, l.traffic);
    sheet.spread(l.dram_read);
    sheet.cell(trimmed_line(source, l.op.line));
    sheet.end_row();
  }
  return sheet.take();
}

std::string alternatives_csv(const cost::CostReport& report) {
  Sheet sheet({"parameter", "value", "label", "current", "dram_read_bytes", "dram_read_bytes_low",
               "dram_read_bytes_high", "l2_hit_rate", "l2_hit_rate_low", "l2_hit_rate_high", "total_ms",
               "tile_loads_first"});
  for (const cost::Alternative& a : report.alternatives) {
    sheet.cell(a.parameter);
    sheet.value(a.value);
    sheet.cell(a.label);
    sheet.cell(a.current ? "yes" : "no");
    sheet.spread(a.dram_read);
    sheet.spread(a.l2_hit_rate);
    sheet.value(a.total_ms);
    sheet.value(a.tile_loads_first);
    sheet.end_row();
  }
  return sheet.take();
}

std::string csv_path(const std::string& given, const std::string& table) {
  constexpr std::string_view kEnd = ".csv";
  std::string stem =
      given.size() > kEnd.size() && given.ends_with(kEnd) ? given.substr(0, given.size() - kEnd.size()) : given;
  return stem + "." + table + ".csv";
}

}  // namespace tilescope::report
