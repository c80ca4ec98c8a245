// The speed table: the simulator beside hand-written code, in one run, as ratios. `./dev bench` builds and runs it.
//
//   build/bench [--json FILE] [NAME...]     rows whose name contains one of NAMEs; all without
//
// A ratio is the median over rounds of (reference seconds / our seconds); both sides run in each round.
#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/compile.h"
#include "sim/kernels/dispatch.h"
#include "sim/launch.h"
#include "sim/order_check.h"
#include "tests/bench/baselines.h"

namespace tilescope::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds(const std::function<void()>& body) {
  const auto start = Clock::now();
  body();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return x[x.size() / 2];
}

struct Row {
  std::string name, against;
  double ours = 0, reference = 0;  ///< seconds, medians
  double ratio = 0, target = 0;    ///< reference / ours; at least target
  std::string note;
};

std::vector<Row> rows;
std::vector<std::string> filters;

bool wanted(const std::string& name) {
  if (filters.empty()) return true;
  for (const std::string& f : filters)
    if (name.find(f) != std::string::npos) return true;
  return false;
}

void show(const Row& r) {
  fmt::print("{:<52} {:>11} {:>11} {:>9} {:>8}  {:<4} {}\n", r.name, fmt::format("{:.3f} ms", r.ours * 1e3),
             fmt::format("{:.3f} ms", r.reference * 1e3), fmt::format("{:.3g} x", r.ratio), fmt::format("{:.3g} x", r.target),
             r.ratio >= r.target ? "ok" : "LOW", r.against);
  std::fflush(stdout);
}

void add_row(Row r) {
  show(r);
  rows.push_back(std::move(r));
}

/// Measures both sides in turn. Each side runs once before, unmeasured.
void measure(const std::string& name, const std::string& against, double target, int rounds, const std::function<double()>& ours,
             const std::function<void()>& reference) {
  if (!wanted(name)) return;
  ours();
  reference();
  std::vector<double> a, b, ratio;
  for (int i = 0; i < rounds; ++i) {
    a.push_back(ours());
    b.push_back(seconds(reference));
    ratio.push_back(b.back() / a.back());
  }
  add_row({name, against, median(a), median(b), median(ratio), target, {}});
}

/// Ours against a time that was taken elsewhere.
void measure_fixed(const std::string& name, const std::string& against, double reference, double target, int rounds,
                   const std::function<double()>& ours) {
  if (!wanted(name)) return;
  ours();
  std::vector<double> a;
  for (int i = 0; i < rounds; ++i) a.push_back(ours());
  add_row({name, against, median(a), reference, reference / median(a), target, {}});
}

Launch prepare(const std::string& kernel, const std::string& json) {
  auto spec = parse_launch_text(json, std::string(TILESCOPE_SOURCE_DIR) + "/lessons/kernels/" + kernel + "/launch.json");
  if (!spec) {
    std::fputs(render(spec.errors()).c_str(), stderr);
    std::exit(2);
  }
  auto launch = prepare_launch(*spec);
  if (!launch) {
    std::fputs(render(launch.errors()).c_str(), stderr);
    std::exit(2);
  }
  return std::move(*launch);
}

/// Warm execution in seconds, as the report's time_ms says it.
double run_once(Launch& launch, RecordLevel record, DotMode dot = DotMode::Exact) {
  RunOptions options;
  options.record = record;
  options.dot = dot;
  const RunTrace trace = execute(launch, options);
  if (!trace.faults.empty()) {
    std::fputs(render(to_diagnostic(trace.faults.front())).c_str(), stderr);
    std::exit(3);
  }
  return trace.time_ms / 1e3;
}

const float* floats(const Launch& launch, const char* name) {
  return reinterpret_cast<const float*>(launch.find_tensor(name)->storage.data());
}

Launch vector_add(int64_t n, int block) {
  return prepare("vector_add", fmt::format(R"json({{"kernel": "add_kernel", "grid": ["cdiv(n, BLOCK)"], "args": {{
    "x_ptr": {{"tensor": "float32", "shape": [{0}], "init": {{"rand": 1}}}}, "y_ptr": {{"tensor": "float32", "shape": [{0}], "init": {{"rand": 2}}}},
    "out_ptr": {{"tensor": "float32", "shape": [{0}], "init": "zeros"}}, "n": {0}, "BLOCK": {1}}}}})json", n, block));
}

Launch softmax(int64_t m, int64_t n) {
  return prepare("softmax", fmt::format(R"json({{"kernel": "softmax_kernel", "grid": [{0}], "args": {{
    "x_ptr": {{"tensor": "float32", "shape": [{0}, {1}], "init": {{"randn": 1}}}},
    "y_ptr": {{"tensor": "float32", "shape": [{0}, {1}], "init": "zeros"}}, "N": {1}, "BLOCK_SIZE": {1}}}}})json", m, n));
}

Launch matmul(int64_t n, const std::string& dtype, int bm, int bn, int bk, const std::string& precision) {
  const std::string folder = precision == "ieee" ? "../../tests/bench" : "matmul";
  return prepare(folder, fmt::format(R"json({{"kernel": "matmul_kernel", "grid": ["cdiv(M, BLOCK_M)", "cdiv(N, BLOCK_N)"], "args": {{
    "a_ptr": {{"tensor": "{1}", "shape": [{0}, {0}], "init": {{"randn": 1}}}}, "b_ptr": {{"tensor": "{1}", "shape": [{0}, {0}], "init": {{"randn": 2}}}},
    "c_ptr": {{"tensor": "float32", "shape": [{0}, {0}], "init": "zeros"}}, "M": {0}, "N": {0}, "K": {0},
    "BLOCK_M": {2}, "BLOCK_N": {3}, "BLOCK_K": {4}}}}})json", n, dtype, bm, bn, bk));
}

void bench_add() {
  if (!wanted("vector add 2^26")) return;
  const int64_t n = int64_t{1} << 26;
  Launch launch = vector_add(n, 1024);
  Launch other = vector_add(n, 1024);  // the loop writes to a tensor of its own, in the same kind of memory
  float* out = const_cast<float*>(floats(other, "out_ptr"));
  auto loop = [&] { add(n, floats(launch, "x_ptr"), floats(launch, "y_ptr"), out); };
  measure("vector add 2^26, BLOCK 1024, no recording", "OpenMP loop", 0.8, 9, [&] { return run_once(launch, RecordLevel::None); }, loop);
  measure("vector add 2^26, BLOCK 1024, counters", "OpenMP loop", 0.4, 9, [&] { return run_once(launch, RecordLevel::Counters); }, loop);
}

void bench_softmax() {
  if (!wanted("row softmax 4096 x 1024")) return;
  Launch launch = softmax(4096, 1024);
  Launch other = softmax(4096, 1024);
  float* out = const_cast<float*>(floats(other, "y_ptr"));
  measure("row softmax 4096 x 1024, counters", "OpenMP loop, same exp", 0.5, 25, [&] { return run_once(launch, RecordLevel::Counters); },
          [&] { softmax_rows(4096, 1024, floats(launch, "x_ptr"), out); });
}

void bench_matmul() {
  std::vector<float> out(1024 * 1024);
  if (wanted("matmul 1024^3")) {
    Launch launch = matmul(1024, "float32", 128, 128, 64, "tf32");
    auto eigen = [&] { bench::matmul(1024, floats(launch, "a_ptr"), floats(launch, "b_ptr"), out.data()); };
    measure("matmul 1024^3 fp32, 128x128x64, counters, --dot fast", "Eigen product", 0.7, 9,
            [&] { return run_once(launch, RecordLevel::Counters, DotMode::Fast); }, eigen);
    Launch exact = matmul(1024, "float32", 128, 128, 64, "ieee");
    measure("matmul 1024^3 fp32 ieee, 128x128x64, counters, exact", "Eigen product", 0.4, 9,
            [&] { return run_once(exact, RecordLevel::Counters); }, eigen);
  }
  if (wanted("matmul 512^3 fp16")) {
    Launch small = matmul(512, "float16", 32, 32, 32, "");
    const double target = current_isa() == Isa::V4 ? 0.3 : 0.15;
    measure("matmul 512^3 fp16, 32x32x32, bit-exact model", "the same, --dot fast", target, 9,
            [&] { return run_once(small, RecordLevel::Counters); },
            [&] { run_once(small, RecordLevel::Counters, DotMode::Fast); });
  }
}

/// Seconds that Triton 3.6's own interpreter took for the same launches on 16 Xeon cores.
void bench_interpreter() {
  const std::string against = "Triton's interpreter, 16 cores";
  if (wanted("interpreter")) {
    Launch a = vector_add(1 << 20, 256);
    measure_fixed("interpreter: vector add 2^20 in 256s", against, 4.450, 1000, 15, [&] { return run_once(a, RecordLevel::Counters); });
    Launch s = softmax(4096, 1024);
    measure_fixed("interpreter: softmax 4096 x 1024", against, 7.405, 1000, 15, [&] { return run_once(s, RecordLevel::Counters); });
    Launch m = matmul(512, "float16", 32, 32, 32, "");
    measure_fixed("interpreter: matmul 512^3 fp16 in 32s, bit-exact", against, 20.503, 1000, 9, [&] { return run_once(m, RecordLevel::Counters); });
    Launch g = matmul(512, "float16", 128, 128, 64, "");
    measure_fixed("interpreter: matmul 512^3 fp16, 128x128x64, bit-exact", against, 0.3051, 20, 9, [&] { return run_once(g, RecordLevel::Counters); });
    measure_fixed("interpreter: matmul 512^3 fp16, 128x128x64, fast", against, 0.3051, 150, 9,
                  [&] { return run_once(g, RecordLevel::Counters, DotMode::Fast); });
  }
}

void bench_compile() {
  for (const char* kernel : {"vector_add", "softmax", "matmul", "grouped_matmul"}) {
    const std::string name = fmt::format("compile {}", kernel);
    auto spec = load_launch_file(std::string(TILESCOPE_SOURCE_DIR) + "/lessons/kernels/" + kernel + "/launch.json");
    if (!spec) continue;
    measure_fixed(name, "50 ms", 0.050, 1, 15, [&] { return seconds([&] { (void)compile_launch(*spec); }); });
  }
}

int64_t resident_kib() {
  std::ifstream statm("/proc/self/statm");
  int64_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/// Ten times the programs should take ten times the time and no more memory: reference is 10 x the small run.
void bench_growth() {
  if (!wanted("growth")) return;
  Launch few = vector_add(1 << 20, 16), many = vector_add(10 << 20, 16);
  run_once(few, RecordLevel::Counters);
  run_once(many, RecordLevel::Counters);
  std::vector<double> a, b;
  const int64_t before = resident_kib();
  for (int i = 0; i < 7; ++i) {
    a.push_back(run_once(few, RecordLevel::Counters));
    b.push_back(run_once(many, RecordLevel::Counters));
  }
  const int64_t grown = resident_kib() - before;
  add_row({"growth: 655,360 programs of 16 lanes", "10 x the time of 65,536 programs", median(b), 10 * median(a), 10 * median(a) / median(b), 0.8, {}});
  fmt::print("  {:.1f} million tiny programs a second; resident memory grew by {} KiB over 14 more runs\n",
             655360 / median(b) / 1e6, grown);
}

/// All checkers of `tilescope check` against the same launch with counters: it may take five times as long. The race check
/// shows that the order cannot matter, so that `check` runs once; --order-check runs it twice more, in fresh memory.
void bench_checks() {
  if (!wanted("check")) return;
  struct Case {
    std::string name;
    Launch launch;
  };
  std::vector<Case> cases;
  cases.push_back({"vector add 2^24", vector_add(int64_t{1} << 24, 1024)});
  cases.push_back({"softmax 4096 x 1024", softmax(4096, 1024)});
  cases.push_back({"matmul 1024^3 fp16, 128x128x64", matmul(1024, "float16", 128, 128, 64, "")});
  RunOptions counted, checked;
  checked.check = Checkers::all();
  for (Case& c : cases) {
    // Whole calls: the search for races comes after the time that the report states.
    const auto once = [&](const RunOptions& options, bool orders) {
      return seconds([&] {
        const RunTrace trace = execute(c.launch, options);
        std::vector<Fault> faults = trace.faults;
        if (orders) (void)find_order_dependence(c.launch, options, faults);
        if (!faults.empty()) std::fputs(render(to_diagnostic(faults.front())).c_str(), stderr), std::exit(3);
      });
    };
    const auto reference = [&] { once(counted, false); };
    measure("check: " + c.name, "the same, counters", 0.2, 7, [&] { return once(checked, false); }, reference);
    measure("check: " + c.name + ", --order-check", "the same, counters", 0.05, 7, [&] { return once(checked, true); }, reference);
  }
}

int save_json(const std::string& path) {
  nlohmann::json out = {{"threads", omp_get_max_threads()}, {"isa", std::string(isa_name(current_isa()))}, {"rows", nlohmann::json::array()}};
  for (const Row& r : rows)
    out["rows"].push_back({{"name", r.name}, {"against", r.against}, {"ours_ms", r.ours * 1e3}, {"reference_ms", r.reference * 1e3},
                           {"ratio", r.ratio}, {"target", r.target}});
  std::ofstream file(path);
  file << out.dump(1) << "\n";
  return file.good() ? 0 : 2;
}

}  // namespace
}  // namespace tilescope::bench

int main(int argc, char** argv) {
  using namespace tilescope::bench;
  std::string json;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--json" && i + 1 < argc)
      json = argv[++i];
    else
      filters.push_back(argv[i]);
  }
  fmt::print("{} threads, instruction set {}\n", omp_get_max_threads(), tilescope::isa_name(tilescope::current_isa()));
  fmt::print("{:<52} {:>11} {:>11} {:>9} {:>8}  {:<4} {}\n", "work", "ours", "reference", "ratio", "target", "", "against");
  bench_add();
  bench_softmax();
  bench_matmul();
  bench_interpreter();
  bench_compile();
  bench_growth();
  bench_checks();
  return json.empty() ? 0 : save_json(json);
}
