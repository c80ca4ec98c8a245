#include "visualizer/terminal/config_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "core/decorators.h"
#include "sim/launch.h"
#include "visualizer/report/units.h"
#include "visualizer/terminal/progress.h"
#include "visualizer/terminal/report.h"
#include "visualizer/terminal/standard_streams.h"
#include "visualizer/terminal/table.h"

namespace tilescope::terminal {
namespace {

using nlohmann::json;

int refuse(const Command& c, const std::vector<Diagnostic>& errors, std::ostream& out, std::ostream& err) {
  err << render(errors);
  if (c.json) out << errors_json(errors);
  return kUsage;
}

Expected<std::vector<TuningConfig>> configs_of(const LaunchSpec& spec) {
  Expected<SourcePtr> source = launch_source(spec);
  if (!source) return source.errors();
  return read_configs(*source, spec.kernel);
}

json value_json(const ArgValue& value) {
  if (const auto* i = std::get_if<int64_t>(&value)) return *i;
  if (const auto* d = std::get_if<double>(&value)) return *d;
  if (const auto* b = std::get_if<bool>(&value)) return *b;
  if (const auto* s = std::get_if<std::string>(&value)) return *s;
  return nullptr;
}

json config_json(size_t number, const TuningConfig& config) {
  json values = json::object();
  for (const LaunchArg& v : config.values) values[v.name] = value_json(v.value);
  json out = {{"config", number + 1}, {"values", values}};
  if (config.num_warps) out["num_warps"] = *config.num_warps;
  if (config.num_stages) out["num_stages"] = *config.num_stages;
  return out;
}

/// One config with its estimate, or why there is none.
struct Ranked {
  size_t number = 0;
  std::optional<cost::CostReport> report;
  std::vector<Diagnostic> errors;
  double ms() const { return report ? report->estimate.total_ms : HUGE_VAL; }
};

json ranked_json(const Ranked& r, const TuningConfig& config) {
  json out = config_json(r.number, config);
  if (!r.report) {
    out["error"] = r.errors.empty() ? "" : r.errors.front().message;
    return out;
  }
  out["time_ms"] = r.report->estimate.total_ms;
  out["dram_bytes"] = r.report->dram_read.mean + r.report->dram_written.mean;
  out["programs_per_sm"] = r.report->occupancy.programs_per_sm;
  out["warps_fraction"] = r.report->occupancy.warps_fraction;
  out["limited_by"] = r.report->occupancy.limited_by;
  return out;
}

std::string ranked_text(const std::vector<Ranked>& ranked, const std::vector<TuningConfig>& configs) {
  using Align = Table::Align;
  Table table({{"config", Align::Right}, {"time", Align::Right}, {"DRAM", Align::Right}, {"programs/SM", Align::Right},
               {"warps", Align::Right}, {"limited by", Align::Left}, {"values", Align::Left}});
  std::string failed;
  for (const Ranked& r : ranked) {
    const std::string values = config_text(configs[r.number]);
    if (!r.report) {
      failed += fmt::format("  config {} has no estimate ({}): {}\n", r.number + 1, values, r.errors.empty() ? "" : r.errors.front().message);
      continue;
    }
    const cost::Occupancy& o = r.report->occupancy;
    table.add({std::to_string(r.number + 1), report::time_text(r.report->estimate.total_ms),
               report::bytes_text(r.report->dram_read.mean + r.report->dram_written.mean), std::to_string(o.programs_per_sm),
               fmt::format("{:.0f}%", 100 * o.warps_fraction), o.limited_by, values});
  }
  return (table.empty() ? "" : table.text()) + failed;
}

}  // namespace

int list_configs(const Command& c, const LaunchSpec& spec, std::ostream& out, std::ostream& err) {
  Expected<std::vector<TuningConfig>> configs = configs_of(spec);
  if (!configs) return refuse(c, configs.errors(), out, err);
  if (c.json) {
    json list = json::array();
    for (size_t i = 0; i < configs->size(); ++i) list.push_back(config_json(i, (*configs)[i]));
    out << json{{"configs", list}}.dump(2) << "\n";
    return kFine;
  }
  if (configs->empty()) out << "  The kernel has no @triton.autotune.\n";
  for (size_t i = 0; i < configs->size(); ++i) out << fmt::format("  config {} of {}: {}\n", i + 1, configs->size(), config_text((*configs)[i]));
  return kFine;
}

int rank_configs(const Command& c, const LaunchSpec& spec, std::ostream& out, std::ostream& err) {
  if (c.cost.csv || c.cost.html || c.cost.chrome_trace)
    return refuse(c, {plain_error("--configs writes no files", "leave --csv, --html and --chrome-trace out, or choose one config with --config")}, out, err);
  auto plan = plan_cost(c.cost, true, spec, {c.target});
  if (!plan) return refuse(c, plan.errors(), out, err);
  Expected<std::vector<TuningConfig>> configs = configs_of(spec);
  if (!configs) return refuse(c, configs.errors(), out, err);
  if (configs->empty()) return refuse(c, {plain_error("the kernel has no @triton.autotune, so there is nothing to rank", "leave --configs out")}, out, err);
  std::vector<Ranked> ranked;
  Progress progress(err, !c.quiet && is_terminal(Stream::Error));
  cost::CostOptions options = plan->options;
  options.alternatives = false;
  options.progress = [&](double share) {
    return progress.update_share((share + static_cast<double>(ranked.size())) / static_cast<double>(configs->size()), "cost model"), true;
  };
  for (size_t i = 0; i < configs->size(); ++i) {
    LaunchSpec one = spec;
    one.config = static_cast<int64_t>(i);
    auto report = cost::estimate_cost(one, options);
    Ranked r{i, std::nullopt, {}};
    if (report) r.report = std::move(*report);
    else r.errors = report.errors();
    ranked.push_back(std::move(r));
  }
  progress.clear();
  std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) { return a.ms() < b.ms(); });
  if (!ranked.front().report) return refuse(c, ranked.front().errors, out, err);
  if (c.json) {
    json list = json::array();
    for (const Ranked& r : ranked) list.push_back(ranked_json(r, (*configs)[r.number]));
    out << json{{"gpu", options.gpu.id}, {"configs", list}}.dump(2) << "\n";
    return kFine;
  }
  const cost::CostReport& first = *ranked.front().report;
  out << fmt::format("  {} of {} configs, estimated on {}; the fastest first. An estimate orders them; it is no measurement.\n\n", first.kernel, configs->size(), options.gpu.name)
      << ranked_text(ranked, *configs);
  return kFine;
}

}  // namespace tilescope::terminal
