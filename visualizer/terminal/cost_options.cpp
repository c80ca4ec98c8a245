#include "visualizer/terminal/cost_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>

#include "visualizer/report/csv.h"
#include "visualizer/report/units.h"
#include "visualizer/terminal/table.h"

namespace tilescope::terminal {
namespace {

constexpr size_t kMostOrderValues = 32;
constexpr int64_t kLargestOrderValue = int64_t{1} << 30;

std::string ids() {
  std::string out;
  for (const cost::GpuDescription& g : cost::gpu_descriptions()) out += (out.empty() ? "" : ", ") + g.id;
  return out;
}

/// "8=1.51e9": the counter's bytes at a value of the parameter.
Expected<report::Measured> parse_measured(const std::string& text) {
  const auto refuse = [&] { return plain_error("--measured " + text + ": expected VALUE=BYTES, as in 8=1513147648"); };
  report::Measured m;
  const size_t equals = text.find('=');
  if (equals == std::string::npos) return refuse();
  const char *middle = text.data() + equals, *end = text.data() + text.size();
  auto [value_end, value_error] = std::from_chars(text.data(), middle, m.value);
  auto [bytes_end, bytes_error] = std::from_chars(middle + 1, end, m.dram_read);
  if (value_error != std::errc() || value_end != middle || bytes_error != std::errc() || bytes_end != end)
    return refuse();
  if (m.value < 1 || !(m.dram_read > 0) || m.dram_read > 1e18) return refuse();
  return m;
}

/// The first option that only makes sense with an estimate; empty when there is none.
std::string needs_estimate(const CostRequest& q) {
  if (q.csv) return "--csv";
  if (q.chrome_trace) return "--chrome-trace";
  if (q.html) return "--html";
  if (q.seeds) return "--seeds";
  if (q.registers) return "--registers";
  if (q.shared_bytes) return "--shared";
  if (!q.order_values.empty()) return "--order-values";
  return q.measured.empty() ? "" : "--measured";
}

/// "1,2,4": every part a whole number.
void read_order_values(const std::string& list, std::vector<int64_t>& out) {
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    int64_t value = 0;
    const auto [stop, error] = std::from_chars(list.data() + begin, list.data() + end, value);
    if (error != std::errc() || stop != list.data() + end)
      throw CLI::ValidationError("--order-values",
                                 "\"" + list.substr(begin, end - begin) + "\" in \"" + list + "\" is not a whole number; expected N,N,...");
    out.push_back(value);
    begin = end + 1;
  }
}

std::optional<Diagnostic> check_order_values(const std::vector<int64_t>& values) {
  if (values.size() > kMostOrderValues)
    return plain_error(fmt::format("--order-values: {} values; at most {} are tried", values.size(), kMostOrderValues));
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 1 || values[i] > kLargestOrderValue)
      return plain_error(fmt::format("--order-values: {} is not between 1 and 2^30", values[i]));
    if (std::find(values.begin(), values.begin() + static_cast<int64_t>(i), values[i]) !=
        values.begin() + static_cast<int64_t>(i))
      return plain_error(fmt::format("--order-values: {} is given twice", values[i]));
  }
  return std::nullopt;
}

}  // namespace

void add_cost_options(CLI::App& app, CostRequest& q, bool cost_verb) {
  const std::string group = cost_verb ? "Estimate" : "Cost on a GPU";
  const auto add = [&](const char* name, auto& value, const std::string& doc, const char* type) {
    return app.add_option(name, value, doc)->type_name(type)->group(group);
  };
  const std::string which = "an id (" + ids() + "), a JSON file that describes one, or list";
  if (cost_verb)
    add("--gpu", q.gpu, "the GPU: " + which + " (default h200)", "GPU");
  else
    add("--cost", q.gpu, "estimate too what the launch costs a GPU: " + which, "GPU");
  add("--seeds", q.seeds, "runs of the cache model, whose spread is shown (1 to 100; default 5)", "N")
      ->check(CLI::Range(1, 100));
  app.add_option_function<std::vector<std::string>>(
         "--order-values",
         [&q](const std::vector<std::string>& lists) {
           for (const std::string& list : lists) read_order_values(list, q.order_values);
         },
         "values to try for the constexpr that only orders the programs (default 1,2,4,8,16)")
      ->type_name("N,N,...")
      ->group(group)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  add("--registers", q.registers, "registers of a thread, when a compiler has told them (else estimated)", "N")
      ->check(CLI::Range(1, 255));
  add("--shared", q.shared_bytes, "bytes of shared memory of a program, when known (else estimated)", "BYTES")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 30));
  add("--measured", q.measured, "DRAM bytes that hardware counters gave for a value, for the page; repeatable",
      "VALUE=BYTES")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  add("--csv", q.csv, "write the tables NAME.tensors.csv, NAME.lines.csv and NAME.orders.csv", "NAME");
  add("--chrome-trace", q.chrome_trace, "write when what runs where, for ui.perfetto.dev", "FILE.json");
  add("--html", q.html, "write one page with figures and tables; needs no network", "FILE.html");
}

Expected<CostPlan> plan_cost(const CostRequest& q, bool cost_verb, const LaunchSpec& spec,
                             const std::vector<std::string>& other_files) {
  CostPlan plan;
  if (!q.gpu && !cost_verb) {
    if (const std::string option = needs_estimate(q); !option.empty())
      return plain_error(option + " belongs to the cost estimate", "add --cost h200, or use `tilescope cost`");
    return plan;
  }
  auto gpu = cost::find_gpu(q.gpu.value_or("h200"));
  if (!gpu) return gpu.errors();
  plan.options.gpu = std::move(*gpu);
  if (q.seeds) plan.options.seeds = *q.seeds;
  plan.options.registers = q.registers;
  plan.options.shared_bytes = q.shared_bytes;
  if (auto problem = check_order_values(q.order_values)) return *problem;
  plan.options.order_values = q.order_values;
  for (const std::string& text : q.measured) {
    auto m = parse_measured(text);
    if (!m) return m.errors();
    plan.measured.push_back(*m);
  }
  if (!plan.measured.empty() && !q.html) return plain_error("--measured belongs to the page", "add --html FILE.html");
  std::vector<report::OutputPath> all;
  if (q.csv) {
    if (q.csv->empty()) return plain_error("--csv: expected the name of a file");
    if (q.csv->back() == '/') return plain_error("--csv " + *q.csv + ": is a folder", "add the beginning of a file's name: " + *q.csv + "cost");
    std::error_code ec;
    const auto status = std::filesystem::status(*q.csv, ec);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) && !std::filesystem::is_directory(status))
      return plain_error("--csv " + *q.csv + ": is not a file", "NAME.tensors.csv, NAME.lines.csv and NAME.orders.csv are written, so give a name that files may have");
    for (const char* table : {"tensors", "lines", "orders"})
      plan.csv.push_back({"--csv", report::csv_path(*q.csv, table)});
    all = plan.csv;
  }
  if (q.chrome_trace) all.push_back(*(plan.chrome_trace = report::OutputPath{"--chrome-trace", *q.chrome_trace}));
  if (q.html) all.push_back(*(plan.html = report::OutputPath{"--html", *q.html}));
  plan.options.schedule = q.chrome_trace.has_value();
  std::vector<std::string> inputs = report::files_of_launch(spec);
  inputs.insert(inputs.end(), other_files.begin(), other_files.end());
  if (q.gpu) inputs.push_back(*q.gpu);
  if (auto problem = report::check_output_paths(all, inputs)) return *problem;
  return plan;
}

std::string gpu_list() {
  Table table({{"id", Table::Align::Left},
               {"GPU", Table::Align::Left},
               {"SMs", Table::Align::Right},
               {"L2", Table::Align::Right},
               {"DRAM", Table::Align::Right},
               {"fp16 tensor cores", Table::Align::Right},
               {"fp32", Table::Align::Right}});
  for (const cost::GpuDescription& g : cost::gpu_descriptions()) {
    const auto peak = [&](cost::WorkUnit u) {
      return g.peak[static_cast<int>(u)] > 0 ? report::flops_text(g.peak[static_cast<int>(u)]) : "-";
    };
    table.add({g.id, g.name, std::to_string(g.sms), report::bytes_text(static_cast<double>(g.l2_bytes)),
               report::rate_text(g.dram_bytes_per_s), peak(cost::WorkUnit::TensorFp16), peak(cost::WorkUnit::Fp32)});
  }
  return table.text() + "  A GPU of your own: a JSON file in the form of sim/cost/gpus/*.json.\n";
}

}  // namespace tilescope::terminal
