// What a run did, for people (report.cpp) and for programs (report_json.cpp). Both read the trace and nothing else.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/trace.h"
#include "sim/cost/cost.h"
#include "sim/launch.h"

namespace tilescope::terminal {

/// A run, and with `cost` what it would cost a GPU: then the screen of the estimate stands in place of the tables.
struct RunReport {
  const RunTrace& trace;
  SourcePtr source;                                             ///< the kernel's text, for the table of lines
  std::vector<std::pair<std::string, std::string>> constexprs;  ///< name and value
  std::vector<Diagnostic> notes;                                ///< of the compiler
  std::vector<OutputCheck> outputs;
  std::vector<std::string> saved;       ///< "c_ptr to c.npy"
  std::vector<std::string> checks_run;  ///< what was looked for, in words
  std::vector<std::string> remarks;     ///< what was not done, and how to do it
  const cost::CostReport* cost = nullptr;
  int columns = 110;  ///< of the terminal, for the estimate
  std::vector<Diagnostic> causes{};     ///< why an output may differ (sim/diagnose.h)
  bool chinese = false;  ///< for people; JSON is in English
};

/// Some programs stopped before their end: their counters and stores are not in the report.
bool programs_stopped(const RunTrace& trace);
/// The report for learners: grid, programs, lanes, bytes, reuse of elements, a table of lines, comparisons.
std::string report_text(const RunReport& report);
/// Faults with carets and where they happened; empty without faults.
std::string faults_text(const RunTrace& trace, bool chinese = false);
/// One line for each output: equal, or the first element that differs.
std::string outputs_text(const std::vector<OutputCheck>& outputs, bool chinese = false);

/// The object of `--json`, as text with a newline at its end.
std::string report_json(const RunReport& report);
/// The object of `cost --json`: the launch, and the estimate under "cost" as in `run --cost`.
std::string cost_report_json(const cost::CostReport& report, const std::vector<std::pair<std::string, std::string>>& constexprs);
/// The object of `--json` when nothing ran.
std::string errors_json(const std::vector<Diagnostic>& errors);
/// The object of `--json` for a launch whose kernel must be refused.
std::string refusal_json(const std::string& kernel, bool refused, const std::vector<Diagnostic>& errors,
                         const std::string& problem);

}  // namespace tilescope::terminal
