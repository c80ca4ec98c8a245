#include "visualizer/terminal/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/trimmed.h"
#include "core/words.h"
#include "visualizer/terminal/lesson_text.h"
#include "visualizer/terminal/report_cost.h"
#include "visualizer/terminal/report_words.h"
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

/// Says rows of report.texts.def in one language.
struct Speaker {
  bool chinese = false;
  std::string operator()(ReportWords id, std::initializer_list<Blank> blanks = {}) const { return of(say(id, blanks)); }
  std::string of(Words w) const { return chinese ? std::move(w.chinese) : std::move(w.english); }
};

Blank commas(std::string_view name, uint64_t n) { return {name, with_commas(n)}; }

Words times_words(uint64_t n) {
  if (n == 1 || n == 2) return say(n == 1 ? ReportWords::Once : ReportWords::Twice);
  return say(ReportWords::NTimes, {commas("n", n)});
}

std::string header_text(const RunReport& r) {
  using enum ReportWords;
  const RunTrace& t = r.trace;
  const Speaker tell{r.chinese};
  std::string out = t.kernel;
  if (r.source) out += "  (" + r.source->path + ")";
  const Words where = t.backend == "sim" ? say(TheSimulator) : Words(t.backend, t.backend);
  out += "\n" + tell(RanOn, {{"where", where}, {"ms", fmt::format("{:.3g}", t.time_ms)}}) + "\n";
  const Words warps = t.num_warps == 1 ? say(WarpOne) : say(WarpMany, {commas("n", static_cast<uint64_t>(t.num_warps))});
  out += tell(t.programs == 1 ? GridOne : GridMany, {{"grid", grid_text(t)}, {"warps", warps}}) + "\n";
  if (r.constexprs.empty()) return out;
  std::string values;
  for (const auto& [name, value] : r.constexprs) values += fmt::format("{}{} = {}", values.empty() ? "" : ", ", name, value);
  return out + tell(CompiledFor, {{"values", values}}) + "\n";
}

/// Share of the bytes in the touched 32-byte sectors that lanes asked for; lanes that share an element ask for more
/// than there is.
std::string useful(const AccessCounters& c) {
  if (c.sectors == 0) return "-";
  double share = static_cast<double>(c.bytes) / (32.0 * static_cast<double>(c.sectors));
  return fmt::format("{:.0f}%", 100.0 * std::min(share, 1.0));
}

std::vector<Table::Column> counter_columns(const Speaker& tell, std::vector<Table::Column> first) {
  using enum ReportWords;
  for (ReportWords title : {ColumnPrograms, ColumnOn, ColumnOff, ColumnBytes, ColumnRequests, ColumnSectors, ColumnUseful})
    first.push_back({tell(title), Align::Right});
  return first;
}

void append_counters(std::vector<std::string>& row, const AccessCounters& c) {
  for (uint64_t n : {c.programs, c.lanes_active, c.lanes_masked, c.bytes, c.requests, c.sectors})
    row.push_back(with_commas(n));
  row.push_back(useful(c));
}

std::string tensors_text(const RunTrace& t, const Speaker& tell) {
  using enum ReportWords;
  std::vector<Table::Column> columns =
      counter_columns(tell, {{tell(ColumnTensor), Align::Left}, {tell(ColumnShape), Align::Left}, {tell(ColumnType), Align::Left}, {tell(ColumnAccess), Align::Left}});
  columns.push_back({tell(ColumnDistinct), Align::Right});
  Table table(columns);
  for (const TensorReport& r : t.tensors) {
    for (const auto& [name, counters] :
         {std::pair{Loads, &r.loads}, std::pair{Stores, &r.stores}, std::pair{Atomics, &r.atomics}}) {
      if (counters->times == 0) continue;
      std::vector<std::string> row{r.name, shape_text(r.shape), std::string(dtype_short_name(r.dtype)), tell(name)};
      append_counters(row, *counters);
      // Atomics count with the stores.
      const bool loads = counters == &r.loads, alone = counters == &r.stores || r.stores.times == 0;
      const uint64_t distinct = loads ? r.distinct_sectors_loaded : r.distinct_sectors_stored;
      row.push_back(distinct > 0 && (loads || alone) ? with_commas(distinct) : "-");
      table.add(std::move(row));
    }
  }
  if (table.empty()) return {};
  return "\n" + tell(Touched) + "\n" + table.text();
}

/// "each of its 3,500 elements was loaded twice", or the spread of counts.
Words reuse_line(const TensorReport& r) {
  using enum ReportWords;
  uint64_t all = 1, loaded = 0;
  for (int64_t d : r.shape) all *= static_cast<uint64_t>(d);
  for (const auto& [times, elements] : r.reuse.histogram) loaded += elements;
  const bool whole = loaded == all;
  if (r.reuse.histogram.size() == 1 && loaded == 1 && all == 1) return say(ReuseSingle, {{"times", times_words(r.reuse.max)}});
  if (r.reuse.histogram.size() == 1) return say(whole ? ReuseEach : ReuseEachOf, {commas("n", loaded), commas("all", all), {"times", times_words(r.reuse.max)}});
  Words out = say(whole ? ReuseMean : ReuseMeanOf, {commas("n", loaded), commas("all", all), {"mean", fmt::format("{:.2f}", r.reuse.mean)}});
  if (r.reuse.histogram.size() > 6)
    return out += say(ReuseSpread, {{"least", std::to_string(r.reuse.histogram.begin()->first)}, {"most", times_words(r.reuse.max)}}), out;
  Words separator(": ", "：");
  for (const auto& [times, elements] : r.reuse.histogram) {
    out += separator;
    out += say(ReusePart, {commas("n", elements), {"times", times_words(times)}});
    separator = Words(", ", "，");
  }
  return out;
}

/// A table without its row of titles.
std::string rows_of(const Table& table) {
  const std::string text = table.text();
  return text.substr(text.find('\n') + 1);
}

std::string reuse_text(const RunTrace& t, const Speaker& tell) {
  Table table({{tell(ReportWords::ColumnTensor), Align::Left}, {"", Align::Left}});
  for (const TensorReport& r : t.tensors)
    if (!r.reuse.histogram.empty()) table.add({r.name, tell.of(reuse_line(r))});
  return table.empty() ? "" : "\n" + tell(ReportWords::HowOftenLoaded) + "\n" + rows_of(table);
}

/// What became of tensors that are only written: a learner's wrong grid or forgotten offset shows here.
std::string stored_text(const RunTrace& t, const Speaker& tell) {
  using enum ReportWords;
  Table table({{tell(ReportWords::ColumnTensor), Align::Left}, {"", Align::Left}});
  for (const TensorReport& r : t.tensors) {
    if (r.loads.times != 0 || r.stores.times + r.atomics.times == 0) continue;
    uint64_t all = 1;
    for (int64_t d : r.shape) all *= static_cast<uint64_t>(d);
    const uint64_t stored = r.distinct_bytes / static_cast<uint64_t>(dtype_bytes(r.dtype));
    if (stored >= all) table.add({r.name, tell(StoredAll, {commas("n", all)})});
    else table.add({r.name, tell(StoredSome, {commas("n", stored), commas("all", all), commas("never", all - stored)})});
  }
  return table.empty() ? "" : "\n" + tell(WhatStored) + "\n" + rows_of(table);
}

std::string lines_text(const RunReport& r) {
  using enum ReportWords;
  if (r.trace.lines.empty()) return {};
  const Speaker tell{r.chinese};
  Table table({{tell(ColumnLine), Align::Right},
               {tell(ColumnAccess), Align::Left},
               {tell(ColumnTensor), Align::Left},
               {tell(ColumnTimes), Align::Right},
               {tell(ColumnOn), Align::Right},
               {tell(ColumnOff), Align::Right},
               {tell(ColumnRequests), Align::Right},
               {tell(ColumnSectors), Align::Right},
               {tell(ColumnSource), Align::Left}});
  for (const LineReport& l : r.trace.lines) {
    const std::string_view source = r.source ? trimmed(r.source->line(l.line)) : std::string_view{};
    table.add({std::to_string(l.line), l.op, l.tensor, with_commas(l.counters.times),
               with_commas(l.counters.lanes_active), with_commas(l.counters.lanes_masked),
               with_commas(l.counters.requests), with_commas(l.counters.sectors), shortened(source, 60)});
  }
  return "\n" + tell(LineByLine) + "\n" + table.text();
}

std::string legend_text(const RunTrace& t, const Speaker& tell) {
  using enum ReportWords;
  if (t.lines.empty()) return {};
  std::string out = "\n";
  for (ReportWords line : {Legend1, Legend2, Legend3, Legend4, Legend5, Legend6}) out += "  " + tell(line) + "\n";
  if (programs_stopped(t)) out += "  " + tell(StoppedNotCounted) + "\n";
  return out;
}

std::string printed_text(const RunTrace& t, const Speaker& tell) {
  if (t.printed.empty()) return {};
  std::string out = "\n" + tell(ReportWords::Printed) + "\n";
  for (const std::string& line : t.printed) out += "  " + line + "\n";
  return out;
}

/// Of running text, as the legend has them.
constexpr int kTextColumns = 110;

/// Chinese has no blanks to break at.
std::string paragraph(const std::string& text, const Speaker& tell) {
  if (!tell.chinese) return wrapped(text, kTextColumns, 2);
  std::string out;
  for (const std::string& line : wrap_text(text, kTextColumns - 4)) out += (out.empty() ? "  " : "    ") + line + "\n";
  return out;
}

std::string closing_text(const RunReport& r) {
  using enum ReportWords;
  const Speaker tell{r.chinese};
  std::string out;
  for (const std::string& s : r.saved) out += tell(Saved, {{"what", s}}) + "\n";
  for (const std::string& n : r.trace.notes) out += paragraph(tell(NoteIs, {{"note", words_of(n)}}), tell);
  for (const std::string& n : r.remarks) out += paragraph(in_language(n, r.chinese), tell);
  for (const Diagnostic& d : r.notes) out += "\n" + render(d, r.chinese);
  if (!has_failed(r.trace) && !r.checks_run.empty()) {
    const bool wrong = std::any_of(r.outputs.begin(), r.outputs.end(), [](const OutputCheck& o) { return !o.equal; });
    out += tell(wrong ? ValuesWrong : r.trace.faults.empty() ? NoFaultFound : OnlyWarnings) + "\n";
    for (const std::string& check : r.checks_run) out += "    " + in_language(check, r.chinese) + "\n";
    out += tell(OneLaunch) + "\n";
  }
  return out.empty() ? out : "\n" + out;
}

std::string program_text(const ProgramIndex& p) { return fmt::format("[{}, {}, {}]", p[0], p[1], p[2]); }

/// The message names lane, element, tensor and loops already; this adds who failed.
std::string fault_place_text(const Fault& f, const Speaker& tell) {
  using enum ReportWords;
  if (!f.range.valid()) return {};  // found by comparing whole runs: no one program
  std::string out = tell(FaultAt, {{"program", program_text(f.program)}});
  if (!f.lane_index.empty()) out += tell(FaultLane, {{"lane", static_cast<int64_t>(f.lane)}});
  if (f.lane_index.size() > 1) {
    std::string index;
    for (int64_t i : f.lane_index) index += (index.empty() ? "" : ", ") + std::to_string(i);
    out += tell(FaultIndex, {{"index", index}});
  }
  if (f.count > 1) out += tell(f.kind == FaultKind::Race ? FaultElements : f.same_value ? FaultDoThis : FaultFailed, {commas("n", f.count)});
  if (f.other && f.kind == FaultKind::Race) {
    out += "\n" + tell(FaultAnd, {{"program", program_text(f.other->program)}});
    if (!f.other->lane_index.empty()) out += tell(FaultLane, {{"lane", static_cast<int64_t>(f.other->lane)}});
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

std::string faults_text(const RunTrace& trace, bool chinese) {
  std::string out;
  for (const Fault& f : trace.faults) out += render(to_diagnostic(f), chinese) + fault_place_text(f, {chinese});
  return out;
}

std::string outputs_text(const std::vector<OutputCheck>& outputs, bool chinese) {
  using enum ReportWords;
  const Speaker tell{chinese};
  std::string out;
  for (const OutputCheck& o : outputs) {
    const Words rule = o.exact ? say(Exactly) : say(Within, {{"atol", fmt::format("{:g}", o.atol)}, {"rtol", fmt::format("{:g}", o.rtol)}});
    const Words from = words_of(o.expected_from);
    if (o.equal) {
      const Words elements = o.elements == 1 ? say(ElementOne) : say(ElementMany, {commas("n", static_cast<uint64_t>(o.elements))});
      out += tell(Equals, {{"tensor", o.tensor}, {"from", from}, {"rule", rule}, {"n", elements}});
      out += (o.max_abs > 0 ? tell(LargestDifference, {{"max", fmt::format("{:.3g}", o.max_abs)}}) : "") + "\n";
      continue;
    }
    out += tell(Differs, {{"tensor", o.tensor}, {"from", from}, {"rule", rule}, commas("n", static_cast<uint64_t>(o.differing)), commas("all", static_cast<uint64_t>(o.elements))}) + "\n";
    out += tell(FirstAt, {{"where", element_words(o.first_index)}, {"got", o.first_got}, {"expected", o.first_expected}});
    if (o.first_got == "nan") out += tell(EmptyHoldsNan);
    out += (o.max_abs > 0 ? tell(LargestBoth, {{"max", fmt::format("{:.3g}", o.max_abs)}, {"rel", fmt::format("{:.3g}", o.max_rel)}}) : "") + "\n";
  }
  return out;
}

namespace {

/// The estimate in place of the tables; together they keep to a screen.
std::string report_with_cost(const RunReport& r) {
  std::string first = header_text(r), last = printed_text(r.trace, {r.chinese});
  for (const std::string& s : r.saved) last += "  saved " + s + "\n";
  for (const Diagnostic& d : r.notes) last += "\n" + render(d);
  const auto lines = std::count(first.begin(), first.end(), '\n') + std::count(last.begin(), last.end(), '\n');
  const int left = std::max(30, kScreenLines - 1 - static_cast<int>(lines));
  return first + "\n" + cost_text(*r.cost, r.source, r.columns, left) + last;
}

}  // namespace

std::string report_text(const RunReport& r) {
  if (r.cost) return report_with_cost(r);
  const Speaker tell{r.chinese};
  std::string out = header_text(r) + tensors_text(r.trace, tell) + reuse_text(r.trace, tell) + stored_text(r.trace, tell) + lines_text(r) +
                    legend_text(r.trace, tell) + printed_text(r.trace, tell);
  if (!r.outputs.empty()) out += "\n" + tell(ReportWords::Compared) + "\n" + outputs_text(r.outputs, r.chinese);
  return out + closing_text(r);
}

}  // namespace tilescope::terminal
