#include "visualizer/terminal/cost_commands.h"

#include <nlohmann/json.hpp>
#include <ostream>

#include "sim/launch.h"
#include "visualizer/report/chrome_trace.h"
#include "visualizer/report/csv.h"
#include "visualizer/report/html.h"
#include "visualizer/terminal/progress.h"
#include "visualizer/terminal/standard_streams.h"
#include "visualizer/terminal/report.h"
#include "visualizer/terminal/report_cost.h"

namespace tilescope::terminal {
namespace {

std::optional<Diagnostic> write_files(const CostPlan& plan, const LaunchSpec& spec, const CompiledKernel& kernel,
                                      const RunTrace* run, CostOutcome& outcome) {
  const cost::CostReport& r = outcome.report;
  const SourcePtr& source = kernel.function.source;
  const auto write = [&](const report::OutputPath& path, const std::string& text, const std::string& what) {
    auto problem = report::write_output(path, text);
    if (!problem && !what.empty()) outcome.saved.push_back(what + " to " + path.path);
    return problem;
  };
  if (!plan.csv.empty()) {
    if (auto d = write(plan.csv[0], report::tensors_csv(r), "")) return d;
    if (auto d = write(plan.csv[1], report::lines_csv(r, source), "")) return d;
    if (auto d = write(plan.csv[2], report::alternatives_csv(r), "")) return d;
    outcome.saved.push_back("tables to " + plan.csv[0].path + ", .lines.csv, .orders.csv");
  }
  if (plan.chrome_trace) {
    const report::ChromeTrace trace = report::chrome_trace(r, source);
    if (auto d = write(*plan.chrome_trace, trace.json,
                       "the trace" + (trace.truncated.empty() ? "" : " (" + trace.truncated + ")")))
      return d;
  }
  if (plan.html) {
    const report::CostPage page{r,   source,        kernel.function.constexprs,
                                run, plan.measured, report::program_orders(spec, r)};
    if (auto d = write(*plan.html, report::cost_html(page), "the page")) return d;
  }
  return std::nullopt;
}

int refuse(const Command& c, const std::vector<Diagnostic>& errors, std::ostream& out, std::ostream& err) {
  err << render(errors);
  if (c.json) out << errors_json(errors);
  return kUsage;
}

}  // namespace

Expected<CostOutcome> estimate_and_write(const CostPlan& plan, const LaunchSpec& spec, const CompiledKernel& kernel,
                                         const RunTrace* run, bool quiet, std::ostream& err) {
  Progress progress(err, !quiet && is_terminal(Stream::Error));
  cost::CostOptions options = plan.options;
  options.progress = [&](double share) { return progress.update_share(share, "cost model"), true; };
  auto report = cost::estimate_cost(spec, options);
  progress.clear();
  if (!report) return report.errors();
  CostOutcome outcome{std::move(*report), {}};
  if (plan.chrome_trace && !outcome.report.schedule)
    return plain_error("--chrome-trace: the cost model gave no schedule of this launch");
  if (auto problem = write_files(plan, spec, kernel, run, outcome)) return *problem;
  return outcome;
}

int estimate_launch(const Command& c, const LaunchSpec& spec, std::ostream& out, std::ostream& err) {
  auto plan = plan_cost(c.cost, true, spec, {c.target});
  if (!plan) return refuse(c, plan.errors(), out, err);
  auto kernel = compile_launch(spec);
  if (!kernel) return refuse(c, kernel.errors(), out, err);
  auto outcome = estimate_and_write(*plan, spec, *kernel, nullptr, c.quiet, err);
  if (!outcome) return refuse(c, outcome.errors(), out, err);
  if (c.json) {
    out << cost_report_json(outcome->report, kernel->function.constexprs);
  } else if (!c.quiet) {
    const int most = kScreenLines - (outcome->saved.empty() ? 0 : 1 + static_cast<int>(outcome->saved.size()));
    out << cost_text(outcome->report, kernel->function.source, report_columns(), most);
    if (!outcome->saved.empty()) out << "\n";
    for (const std::string& s : outcome->saved) out << "  saved " << s << "\n";
  }
  out.flush();
  return kFine;
}

}  // namespace tilescope::terminal
