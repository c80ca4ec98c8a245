#include "visualizer/terminal/report_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "visualizer/report/units.h"
#include "visualizer/terminal/table.h"

namespace tilescope::terminal {
namespace {

using Align = Table::Align;
using cost::CostReport;
using cost::OpTraffic;
using report::bytes_text;
using report::count_text;
using report::percent_text;
using report::ratio_text;
using report::time_text;

/// How many rows of each part there is room for, and whether the finer figures have room.
struct Room {
  size_t tensors = 8, lines = 8, alternatives = 8, notes = 8;
  bool fine = true;
};

/// A heading, with what its columns mean where the line is long enough.
std::string heading(const std::string& title, const std::string& meaning, int columns) {
  const std::string whole = title + " (" + meaning + ")";
  return "\n" + (report::width_of(whole) <= static_cast<size_t>(columns) ? whole : title) + "\n";
}

std::string plural_rows(size_t left_out, const char* what) {
  return fmt::format("  {} with less traffic left out: --csv and --json have {}\n", counted(left_out, what),
                     left_out == 1 ? "it" : "them");
}

std::string header_text(const CostReport& r, int columns, bool fine) {
  std::string out = report::printable(r.kernel) + " on " + report::printable(r.gpu.name) +
                    ", estimated: " + time_text(r.estimate.total_ms) + ", bound by " +
                    report::bound_name(r.estimate) + "\n";
  if (!r.estimate.because.empty()) out += wrapped(r.estimate.because, columns, 2);
  const cost::Estimate& e = r.estimate;
  if (fine)
    out += wrapped(fmt::format("parts: DRAM {}, L2 {}, arithmetic {}, latency {}", time_text(e.memory_ms),
                               time_text(e.l2_ms), time_text(e.compute_ms), time_text(e.latency_ms)),
                   columns, 2);
  const cost::Occupancy& o = r.occupancy;
  out += wrapped(fmt::format("{} of {}, {} at once on an SM ({}): {}, {}{}", report::grid_text(r.grid),
                             counted(r.num_warps, "warp"), with_commas(o.programs_per_sm), o.limited_by,
                             report::at_once_text(o, r.gpu.sms), report::waves_text(o),
                             o.waves > 1 && o.last_wave < 0.995 ? ", last " + percent_text(o.last_wave) + " full" : ""),
                 columns, 2);
  if (!fine) return out;
  const char* estimated = o.registers_known && o.shared_known ? ""
                          : o.registers_known                 ? " (the latter estimated)"
                          : o.shared_known                    ? " (the former estimated)"
                                                              : " (estimated)";
  out += wrapped(fmt::format("a program: {} registers a thread, {} of shared memory{}; {} of the warps an SM holds",
                             o.registers, bytes_text(o.shared_bytes), estimated, percent_text(o.warps_fraction)),
                 columns, 2);
  return out;
}

/// From "nothing is reused" to "each byte once". Bars double with each mark: the steps are factors, not differences.
std::string ladder_text(const CostReport& r, int columns) {
  struct Step {
    const char* name;
    double bytes;
    std::string what;
  };
  const double dram = r.dram_read.mean + r.dram_written.mean;
  const std::string spread =
      report::spread_text({dram, r.dram_read.low + r.dram_written.low, r.dram_read.high + r.dram_written.high});
  const Step steps[] = {
      {"no reuse", r.traffic.naive_bytes, "each multiply-add reads two operands"},
      {"tiles", r.traffic.tiled_bytes, "as the kernel loads and stores them"},
      {"L2", r.l2_bytes, "whole sectors that the SMs ask for"},
      {"DRAM", dram, "past the L2" + (spread.empty() ? "" : "; " + spread + " over " + counted(r.seeds, "seed"))},
      {"each once", r.traffic.ideal_bytes, "every byte it needs, once"}};
  const double ideal = std::max(r.traffic.ideal_bytes, 1.0);
  std::string out = "\nWhere the bytes go (1 GB = 10^9 bytes; each further # doubles)\n";
  const size_t most = columns >= 100 ? 24 : 14;
  for (const Step& s : steps) {
    if (&s == steps && r.traffic.work.dot_multiply_adds == 0) continue;  // nothing that tiles could reuse
    double marks = s.bytes > 0 ? 1 + std::log2(std::max(s.bytes / ideal, 0.5)) : 0;
    const size_t length = std::min(most, static_cast<size_t>(std::lround(std::max(marks, s.bytes > 0 ? 1.0 : 0.0))));
    std::string bar(length, '#');
    if (marks > static_cast<double>(most)) bar.back() = '>';
    out +=
        shortened(fmt::format("  {:<9}  {:>8}  {:<{}}  {}", s.name, bytes_text(s.bytes), bar, most, s.what), columns) +
        "\n";
  }
  const cost::Spread& hit = r.l2_hit_rate;
  const std::string hits = report::share_spread_text(hit);
  out +=
      fmt::format("  {} of L2 sectors hit{}; {} read from DRAM, {} written\n", percent_text(hit.mean),
                  hits.empty() ? "" : " (" + hits + ")", bytes_text(r.dram_read.mean), bytes_text(r.dram_written.mean));
  return out;
}

double reuse_in_program(const OpTraffic& t) {
  return t.program_bytes ? static_cast<double>(t.asked_bytes) / t.program_bytes : 1;
}
double reuse_across(const OpTraffic& t) {
  return t.distinct_bytes ? static_cast<double>(t.program_bytes) / t.distinct_bytes : 1;
}

std::string tensors_text(const CostReport& r, int columns, size_t most) {
  struct Row {
    const cost::TensorCost* tensor;
    bool loads;
    const OpTraffic* traffic;
  };
  std::vector<Row> rows;
  for (const cost::TensorCost& t : r.tensors)
    for (bool loads : {true, false})
      if (const OpTraffic& traffic = loads ? t.loads : t.stores; traffic.times > 0)
        rows.push_back({&t, loads, &traffic});
  if (rows.empty()) return {};
  std::vector<Row> shown = rows;
  std::stable_sort(shown.begin(), shown.end(),
                   [](const Row& a, const Row& b) { return a.traffic->moved_bytes > b.traffic->moved_bytes; });
  const uint64_t least = shown[std::min(most, shown.size()) - 1].traffic->moved_bytes;
  const bool wide = columns >= 100;
  std::vector<Table::Column> titles{{"tensor", Align::Left}, {"access", Align::Left}, {"asked", Align::Right}};
  if (wide) titles.push_back({"moved", Align::Right});
  for (const char* title : {"useful", "distinct", "in program", "by programs", "DRAM"})
    titles.push_back({title, Align::Right});
  if (wide) titles.push_back({"L2 hit", Align::Right});
  Table table(titles);
  size_t count = 0;
  for (const Row& row : rows) {
    if (count == most || row.traffic->moved_bytes < least) continue;
    ++count;
    const OpTraffic& t = *row.traffic;
    std::vector<std::string> cells{shortened(report::printable(row.tensor->name), wide ? 24 : 14),
                                   row.loads ? "loads" : "stores", bytes_text(t.asked_bytes)};
    if (wide) cells.push_back(bytes_text(t.moved_bytes));
    cells.push_back(percent_text(std::min(1.0, t.efficiency())));
    cells.push_back(bytes_text(t.distinct_bytes));
    cells.push_back(ratio_text(reuse_in_program(t)));
    cells.push_back(ratio_text(reuse_across(t)));
    cells.push_back(bytes_text(row.loads ? row.tensor->dram_read.mean : row.tensor->dram_written.mean));
    if (wide) cells.push_back(row.loads ? percent_text(row.tensor->l2_hit_rate.mean) : "-");
    table.add(std::move(cells));
  }
  std::string out =
      heading("By tensor", "useful: share of whole sectors that was asked for; then how often a byte is used", columns);
  out += table.text();
  if (count < rows.size()) out += plural_rows(rows.size() - count, "row");
  return out;
}

/// The table without its last column first, to know how much of the source fits.
std::string lines_text(const CostReport& r, const SourcePtr& source, int columns, size_t most) {
  if (r.lines.empty()) return {};
  std::vector<size_t> order(r.lines.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return r.lines[a].traffic.moved_bytes > r.lines[b].traffic.moved_bytes; });
  order.resize(std::min(most, order.size()));
  std::sort(order.begin(), order.end());
  const auto build = [&](size_t source_columns) {
    std::vector<Table::Column> titles{{"line", Align::Right},     {"access", Align::Left},  {"times", Align::Right},
                                      {"moved", Align::Right},    {"useful", Align::Right}, {"a tile", Align::Right},
                                      {"DRAM read", Align::Right}};
    if (source_columns > 0) titles.push_back({"source", Align::Left});
    Table table(titles);
    for (size_t i : order) {
      const cost::LineCost& l = r.lines[i];
      const OpTraffic& t = l.traffic;
      std::vector<std::string> cells{std::to_string(l.op.line),
                                     l.op.mnemonic,
                                     with_commas(t.times),
                                     bytes_text(t.moved_bytes),
                                     percent_text(std::min(1.0, t.efficiency())),
                                     t.tiles ? ratio_text(static_cast<double>(t.times) / t.tiles) : "-",
                                     l.op.loads ? bytes_text(l.dram_read.mean) : "-"};
      if (source_columns > 0)
        cells.push_back(shortened(report::printable(report::trimmed_line(source, l.op.line)), source_columns));
      table.add(std::move(cells));
    }
    return table.text();
  };
  const std::string bare = build(0);
  size_t widest = 0;
  for (size_t at = 0; at < bare.size();) {
    const size_t end = bare.find('\n', at);
    widest = std::max(widest, report::width_of(std::string_view(bare).substr(at, end - at)));
    at = end + 1;
  }
  const size_t left = static_cast<size_t>(columns) > widest + 2 ? columns - widest - 2 : 0;
  std::string out = heading("By line", "a tile: how often one tile is loaded or stored", columns) +
                    (source && left >= 12 ? build(left) : bare);
  if (order.size() < r.lines.size()) out += plural_rows(r.lines.size() - order.size(), "line");
  return out;
}

std::string roofline_text(const CostReport& r, int columns, bool fine) {
  const cost::Roofline& f = r.roofline;
  if (r.traffic.work.total() <= 0 || f.dram_bytes_per_s <= 0) return {};
  std::string out = "\nRoofline (flop per byte of DRAM)\n";
  const double balance = f.peak_flops / f.dram_bytes_per_s;
  const std::string naive =
      r.traffic.work.dot_multiply_adds > 0 ? "no reuse " + count_text(f.naive_intensity) + ", " : "";
  out += wrapped(fmt::format("{}tiles {}, here {}, each byte once {}; memory binds below {}, arithmetic above", naive,
                             count_text(f.tiled_intensity), count_text(f.intensity), count_text(f.ideal_intensity),
                             count_text(balance)),
                 columns, 2);
  if (!fine) return out;
  out +=
      wrapped(fmt::format("{} on {}, {} under the estimate: {} of the peak", report::work_text(r.traffic.work.total()),
                          cost::work_unit_name(f.unit), report::flops_text(f.estimated_flops),
                          f.peak_flops > 0 ? percent_text(f.estimated_flops / f.peak_flops) : "-"),
              columns, 2);
  return out;
}

/// Less than 5% apart, or within each other's spread: nothing to choose between.
bool alike(const cost::Spread& a, const cost::Spread& b) {
  const double less = std::min(a.mean, b.mean), more = std::max(a.mean, b.mean);
  return more <= 1.05 * less || (a.low <= b.high && b.low <= a.high);
}

/// What is worth changing, in one sentence; nothing when the spreads say nothing.
std::string advice_text(const std::vector<cost::Alternative>& all, int columns) {
  const auto now = std::find_if(all.begin(), all.end(), [](const cost::Alternative& a) { return a.current; });
  if (now == all.end() || all.size() < 2) return {};
  const auto [best, worst] = std::minmax_element(
      all.begin(), all.end(),
      [](const cost::Alternative& a, const cost::Alternative& b) { return a.dram_read.mean < b.dram_read.mean; });
  if (alike(best->dram_read, worst->dram_read))
    return wrapped("All that were tried read about as much from DRAM.", columns, 2);
  if (best->current || alike(best->dram_read, now->dram_read))
    return wrapped(
        fmt::format("{} reads {} less from DRAM than {}; {}.", now->label,
                    ratio_text(worst->dram_read.mean / now->dram_read.mean), worst->label,
                    best->current ? "nothing that was tried reads less" : best->label + " reads about as much"),
        columns, 2);
  return wrapped(fmt::format("{} would read {} less from DRAM than {} does: {} instead of {}.", best->label,
                             ratio_text(now->dram_read.mean / best->dram_read.mean), now->label,
                             bytes_text(best->dram_read.mean), bytes_text(now->dram_read.mean)),
                 columns, 2);
}

/// Alternatives of one parameter.
std::string alternatives_of(const std::vector<cost::Alternative>& all, int columns, size_t most) {
  constexpr size_t kLabel = 28;
  const std::string parameter = report::printable(all[0].parameter);
  std::string out =
      parameter == "order" ? "\nIf the programs came in another order\n" : "\nWhat " + parameter + " would change\n";
  size_t label = 0;
  for (const cost::Alternative& a : all) label = std::max(label, std::min<size_t>(report::width_of(a.label), kLabel));
  Table table({{"", Align::Left},
               {"DRAM read", Align::Right},
               {"over the seeds", Align::Left},
               {"L2 hit", Align::Right},
               {"time", Align::Right},
               {label + 95 <= static_cast<size_t>(columns) ? "tiles that the first programs load" : "first tiles",
                Align::Right},
               {"", Align::Left}});
  size_t shown = 0;
  for (const cost::Alternative& a : all) {
    if (shown >= most && !a.current) continue;
    ++shown;
    table.add({shortened(report::printable(a.label), kLabel), bytes_text(a.dram_read.mean),
               report::spread_text(a.dram_read), percent_text(a.l2_hit_rate.mean), time_text(a.total_ms),
               with_commas(a.tile_loads_first), a.current ? "<- now" : ""});
  }
  out += table.text();
  if (const size_t left_out = all.size() - shown; left_out > 0)
    out += fmt::format("  {} left out: --csv and --json have {}\n", counted(left_out, "row"),
                       left_out == 1 ? "it" : "them");
  return out + advice_text(all, columns);
}

std::string alternatives_text(const CostReport& r, int columns, size_t most) {
  std::vector<std::vector<cost::Alternative>> groups;
  for (const cost::Alternative& a : r.alternatives) {
    if (groups.empty() || groups.back()[0].parameter != a.parameter) groups.emplace_back();
    groups.back().push_back(a);
  }
  std::string out;
  for (const auto& group : groups)
    if (group.size() > 1) out += alternatives_of(group, columns, most);
  return out;
}

std::string notes_text(const CostReport& r, int columns, size_t most) {
  if (r.notes.empty()) return {};
  std::string out = "\n";
  for (size_t i = 0; i < r.notes.size() && i < most; ++i)
    out += wrapped("note: " + report::printable(r.notes[i]), columns, 2);
  if (most < r.notes.size())
    out += fmt::format("  {} left out: --json has {}\n", counted(r.notes.size() - most, "note"),
                       r.notes.size() - most == 1 ? "it" : "them");
  return out;
}

std::string whole_text(const CostReport& r, const SourcePtr& source, int columns, const Room& room) {
  return header_text(r, columns, room.fine) + ladder_text(r, columns) + tensors_text(r, columns, room.tensors) +
         lines_text(r, source, columns, room.lines) + roofline_text(r, columns, room.fine) +
         alternatives_text(r, columns, room.alternatives) + notes_text(r, columns, room.notes);
}

/// Takes a row from where it is missed least; false when nothing can go.
bool shrink(Room& room) {
  if (room.tensors > 6 || room.lines > 6) {
    size_t& longer = room.lines >= room.tensors ? room.lines : room.tensors;
    return --longer, true;
  }
  if (room.notes > 3) return --room.notes, true;
  if (room.tensors > 3 || room.lines > 3) {
    size_t& longer = room.lines >= room.tensors ? room.lines : room.tensors;
    return --longer, true;
  }
  if (room.alternatives > 6) return --room.alternatives, true;
  if (room.notes > 1) return --room.notes, true;
  if (room.fine) return room.fine = false, true;
  if (room.alternatives > 3) return --room.alternatives, true;
  return false;
}

}  // namespace

std::string cost_text(const CostReport& r, const SourcePtr& source, int columns, int most_lines) {
  columns = std::max(columns, 80);
  Room room;
  std::string out = whole_text(r, source, columns, room);
  while (std::count(out.begin(), out.end(), '\n') > most_lines && shrink(room))
    out = whole_text(r, source, columns, room);
  return out;
}

}  // namespace tilescope::terminal
