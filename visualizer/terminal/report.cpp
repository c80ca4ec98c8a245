#include "visualizer/terminal/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/trimmed.h"
#include "visualizer/terminal/report_cost.h"
#include "visualizer/terminal/table.h"

namespace tilescope::terminal {
namespace {

using Align = Table::Align;

std::string grid_text(const RunTrace& t) {
  int axes = t.grid[2] > 1 ? 3 : t.grid[1] > 1 ? 2 : 1;
  std::string out = with_commas(t.grid[0]);
  for (int i = 1; i < axes; ++i) out += " x " + with_commas(t.grid[i]);
  return axes == 1 ? out : out + " = " + with_commas(t.programs);
}

std::string header_text(const RunReport& r) {
  const RunTrace& t = r.trace;
  std::string where = t.backend == "sim" ? "the CPU simulator" : t.backend;
  std::string out = t.kernel;
  if (r.source) out += "  (" + r.source->path + ")";
  out += fmt::format("\n  ran on {} in {:.3g} ms\n", where, t.time_ms);
  out += fmt::format("  grid {} {}, each of {}\n", grid_text(t), t.programs == 1 ? "program" : "programs",
                     counted(t.num_warps, "warp"));
  if (r.constexprs.empty()) return out;
  out += "  compiled for";
  for (size_t i = 0; i < r.constexprs.size(); ++i)
    out += fmt::format("{} {} = {}", i ? "," : "", r.constexprs[i].first, r.constexprs[i].second);
  return out + "\n";
}

/// Share of the bytes in the touched 32-byte sectors that lanes asked for; lanes that share an element ask for more
/// than there is.
std::string useful(const AccessCounters& c) {
  if (c.sectors == 0) return "-";
  double share = static_cast<double>(c.bytes) / (32.0 * static_cast<double>(c.sectors));
  return fmt::format("{:.0f}%", 100.0 * std::min(share, 1.0));
}

std::vector<Table::Column> counter_columns(std::vector<Table::Column> first) {
  for (const char* title : {"programs", "lanes on", "lanes off", "bytes asked", "requests", "sectors", "useful"})
    first.push_back({title, Align::Right});
  return first;
}

void append_counters(std::vector<std::string>& row, const AccessCounters& c) {
  for (uint64_t n : {c.programs, c.lanes_active, c.lanes_masked, c.bytes, c.requests, c.sectors})
    row.push_back(with_commas(n));
  row.push_back(useful(c));
}

std::string tensors_text(const RunTrace& t) {
  std::vector<Table::Column> columns =
      counter_columns({{"tensor", Align::Left}, {"shape", Align::Left}, {"type", Align::Left}, {"access", Align::Left}});
  columns.push_back({"distinct", Align::Right});
  Table table(columns);
  for (const TensorReport& r : t.tensors) {
    for (const auto& [name, counters] :
         {std::pair{"loads", &r.loads}, std::pair{"stores", &r.stores}, std::pair{"atomics", &r.atomics}}) {
      if (counters->times == 0) continue;
      std::vector<std::string> row{r.name, shape_text(r.shape), std::string(dtype_short_name(r.dtype)), name};
      append_counters(row, *counters);
      // Atomics count with the stores.
      const bool loads = counters == &r.loads, alone = counters == &r.stores || r.stores.times == 0;
      const uint64_t distinct = loads ? r.distinct_sectors_loaded : r.distinct_sectors_stored;
      row.push_back(distinct > 0 && (loads || alone) ? with_commas(distinct) : "-");
      table.add(std::move(row));
    }
  }
  if (table.empty()) return {};
  return "\nWhat the programs touched\n" + table.text();
}

/// "each of its 3,500 elements was loaded twice", or the spread of counts.
std::string reuse_line(const TensorReport& r) {
  uint64_t all = 1, loaded = 0;
  for (int64_t d : r.shape) all *= static_cast<uint64_t>(d);
  for (const auto& [times, elements] : r.reuse.histogram) loaded += elements;
  std::string of = loaded == all ? "" : " of " + with_commas(all);
  if (r.reuse.histogram.size() == 1 && loaded == 1 && all == 1)
    return "its one element was loaded " + times_text(r.reuse.max);
  if (r.reuse.histogram.size() == 1)
    return fmt::format("{}{} elements were loaded, each {}", with_commas(loaded), of, times_text(r.reuse.max));
  std::string out =
      fmt::format("{}{} elements were loaded, {:.2f} times on average", with_commas(loaded), of, r.reuse.mean);
  if (r.reuse.histogram.size() > 6)
    return out + fmt::format(" ({} to {})", r.reuse.histogram.begin()->first, times_text(r.reuse.max));
  const char* separator = ": ";
  for (const auto& [times, elements] : r.reuse.histogram) {
    out += separator + with_commas(elements) + " " + times_text(times);
    separator = ", ";
  }
  return out;
}

std::string reuse_text(const RunTrace& t) {
  Table table({{"tensor", Align::Left}, {"", Align::Left}});
  for (const TensorReport& r : t.tensors)
    if (!r.reuse.histogram.empty()) table.add({r.name, reuse_line(r)});
  if (table.empty()) return {};
  std::string rows = table.text();
  return "\nHow often each element was loaded\n" + rows.substr(rows.find('\n') + 1);
}

/// What became of tensors that are only written: a learner's wrong grid or forgotten offset shows here.
std::string stored_text(const RunTrace& t) {
  Table table({{"tensor", Align::Left}, {"", Align::Left}});
  for (const TensorReport& r : t.tensors) {
    if (r.loads.times != 0 || r.stores.times + r.atomics.times == 0) continue;
    uint64_t all = 1;
    for (int64_t d : r.shape) all *= static_cast<uint64_t>(d);
    const uint64_t stored = r.distinct_bytes / static_cast<uint64_t>(dtype_bytes(r.dtype));
    if (stored >= all)
      table.add({r.name, "all " + with_commas(all) + " elements were stored"});
    else
      table.add({r.name, with_commas(stored) + " of " + with_commas(all) + " elements were stored, " +
                             with_commas(all - stored) + " never"});
  }
  if (table.empty()) return {};
  std::string rows = table.text();
  return "\nWhat was stored\n" + rows.substr(rows.find('\n') + 1);
}

std::string lines_text(const RunReport& r) {
  if (r.trace.lines.empty()) return {};
  Table table({{"line", Align::Right},
               {"access", Align::Left},
               {"tensor", Align::Left},
               {"times", Align::Right},
               {"lanes on", Align::Right},
               {"lanes off", Align::Right},
               {"requests", Align::Right},
               {"sectors", Align::Right},
               {"source", Align::Left}});
  for (const LineReport& l : r.trace.lines) {
    const std::string_view source = r.source ? trimmed(r.source->line(l.line)) : std::string_view{};
    table.add({std::to_string(l.line), l.op, l.tensor, with_commas(l.counters.times),
               with_commas(l.counters.lanes_active), with_commas(l.counters.lanes_masked),
               with_commas(l.counters.requests), with_commas(l.counters.sectors), shortened(source, 60)});
  }
  return "\nLine by line\n" + table.text();
}

std::string legend_text(const RunTrace& t) {
  if (t.lines.empty()) return {};
  std::string out =
      "\n  A lane is one element of a tile; a lane that is off was masked and touched no memory. A request is one\n"
      "  memory instruction of a warp (32 threads) on a GPU; it moves whole sectors of 32 bytes, and a warp with no\n"
      "  active lane makes none. useful: the share of those bytes that lanes asked for; distinct: different\n"
      "  sectors among them. A mask can keep a GPU from wide accesses; two requests then move the same sectors, and\n"
      "  50% is normal.\n";
  if (programs_stopped(t)) out += "  Programs that a fault stopped are not counted.\n";
  return out;
}

std::string printed_text(const RunTrace& t) {
  if (t.printed.empty()) return {};
  std::string out = "\nPrinted by the kernel\n";
  for (const std::string& line : t.printed) out += "  " + line + "\n";
  return out;
}

/// Of running text, as the legend has them.
constexpr int kTextColumns = 110;

std::string closing_text(const RunReport& r) {
  std::string out;
  for (const std::string& s : r.saved) out += "  saved " + s + "\n";
  for (const std::string& n : r.trace.notes) out += wrapped("note: " + n, kTextColumns, 2);
  for (const std::string& n : r.remarks) out += wrapped(n, kTextColumns, 2);
  for (const Diagnostic& d : r.notes) out += "\n" + render(d);
  if (!has_failed(r.trace) && !r.checks_run.empty()) {
    const bool wrong = std::any_of(r.outputs.begin(), r.outputs.end(), [](const OutputCheck& o) { return !o.equal; });
    out += wrong ? "  The values are wrong (see Compared), the accesses are not. Looked for:\n"
           : r.trace.faults.empty() ? "  No fault found. Looked for:\n" : "  Nothing but warnings found. Looked for:\n";
    for (const std::string& check : r.checks_run) out += "    " + check + "\n";
    out += "  This was one launch: other sizes and other data may behave differently.\n";
  }
  return out.empty() ? out : "\n" + out;
}

std::string program_text(const ProgramIndex& p) { return fmt::format("[{}, {}, {}]", p[0], p[1], p[2]); }

/// The message names lane, element, tensor and loops already; this adds who failed.
std::string fault_place_text(const Fault& f) {
  if (!f.range.valid()) return {};  // found by comparing whole runs: no one program
  std::string out = fmt::format("   at: program {}", program_text(f.program));
  if (!f.lane_index.empty()) out += fmt::format(", lane {}", f.lane);
  if (f.lane_index.size() > 1) {
    out += " (";
    for (size_t i = 0; i < f.lane_index.size(); ++i) out += (i ? ", " : "") + std::to_string(f.lane_index[i]);
    out += " of the tile)";
  }
  if (f.count > 1 && f.kind == FaultKind::Race) out += fmt::format("; {} elements in all", with_commas(f.count));
  else if (f.count > 1) out += fmt::format("; {} lanes in all {}", with_commas(f.count), f.same_value ? "do this" : "failed here in the same way");
  if (f.other && f.kind == FaultKind::Race) {
    out += fmt::format("\n   and: program {}", program_text(f.other->program));
    if (!f.other->lane_index.empty()) out += fmt::format(", lane {}", f.other->lane);
  }
  return out + "\n";
}

}  // namespace

bool programs_stopped(const RunTrace& trace) {
  return std::any_of(trace.faults.begin(), trace.faults.end(), [](const Fault& f) {
    switch (f.kind) {
      case FaultKind::Race:
      case FaultKind::OrderDependence:
      case FaultKind::DuplicateLanes: return false;
      default: return true;
    }
  });
}

std::string faults_text(const RunTrace& trace) {
  std::string out;
  for (const Fault& f : trace.faults) out += render(to_diagnostic(f)) + fault_place_text(f);
  return out;
}

std::string outputs_text(const std::vector<OutputCheck>& outputs) {
  std::string out;
  for (const OutputCheck& o : outputs) {
    std::string rule = o.exact ? "exactly" : fmt::format("within atol {:g} + rtol {:g} x |expected|", o.atol, o.rtol);
    if (o.equal) {
      out += fmt::format("  {} equals {} {}: {}", o.tensor, o.expected_from, rule, counted(o.elements, "element"));
      out += o.max_abs > 0 ? fmt::format(", largest difference {:.3g}\n", o.max_abs) : "\n";
      continue;
    }
    out += fmt::format("  {} differs from {} ({}): {} of {} elements\n", o.tensor, o.expected_from, rule,
                       with_commas(o.differing), with_commas(o.elements));
    out += fmt::format("    first at {}: got {}, expected {}", index_in_words(o.first_index), o.first_got, o.first_expected);
    if (o.first_got == "nan") out += " (an \"empty\" tensor holds NaN until it is stored)";
    out += o.max_abs > 0 ? fmt::format("; largest difference {:.3g} (relative {:.3g})\n", o.max_abs, o.max_rel) : "\n";
  }
  return out;
}

namespace {

/// The estimate in place of the tables; together they keep to a screen.
std::string report_with_cost(const RunReport& r) {
  std::string first = header_text(r), last = printed_text(r.trace);
  for (const std::string& s : r.saved) last += "  saved " + s + "\n";
  for (const Diagnostic& d : r.notes) last += "\n" + render(d);
  const auto lines = std::count(first.begin(), first.end(), '\n') + std::count(last.begin(), last.end(), '\n');
  const int left = std::max(30, kScreenLines - 1 - static_cast<int>(lines));
  return first + "\n" + cost_text(*r.cost, r.source, r.columns, left) + last;
}

}  // namespace

std::string report_text(const RunReport& r) {
  if (r.cost) return report_with_cost(r);
  std::string out = header_text(r) + tensors_text(r.trace) + reuse_text(r.trace) + stored_text(r.trace) + lines_text(r) +
                    legend_text(r.trace) + printed_text(r.trace);
  if (!r.outputs.empty()) out += "\nCompared\n" + outputs_text(r.outputs);
  return out + closing_text(r);
}

}  // namespace tilescope::terminal
