// How long the addresses of an fp16 8192^3 matmul take, in 128 x 128 x 64 tiles: 4096 programs, by GROUP_M.
//   bench_traffic [SIZE]
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "sim/cost/traffic.h"

using namespace tilescope;
using cost::AccessRows;
using cost::LaunchTraffic;
using cost::TrafficSource;

namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

template <class T>
T take(Expected<T> e) {
  if (e) return std::move(*e);
  std::fputs(render(e.errors()).c_str(), stderr);
  std::exit(2);
}

LaunchSpec matmul(int64_t size, int64_t group) {
  const std::string n = std::to_string(size), tensor = R"({"tensor": "float16", "shape": [)" + n + ", " + n + R"(], "init": "empty"})";
  std::string text = R"x({"file": "kernel.py", "kernel": "grouped_matmul_kernel", "grid": ["cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)"], "args": {)x";
  for (const char* name : {"a_ptr", "b_ptr", "c_ptr"}) text += '"' + std::string(name) + "\": " + tensor + ", ";
  for (const char* name : {"M", "N", "K", "stride_am", "stride_bk", "stride_cm"}) text += '"' + std::string(name) + "\": " + n + ", ";
  text += R"("stride_ak": 1, "stride_bn": 1, "stride_cn": 1, "BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "GROUP_M": )" +
          std::to_string(group) + "}}";
  return take(parse_launch_text(text, TILESCOPE_SOURCE_DIR "/lessons/kernels/grouped_matmul/launch.json"));
}

struct Times {
  double open = 0, stream = 0, account = 0;
};

Times measure(const LaunchSpec& spec) {
  Times t;
  auto start = Clock::now();
  const auto source = take(TrafficSource::open(spec, 1));
  t.open = seconds_since(start);
  const int64_t programs = source->grid()[0];
  std::vector<AccessRows> rows;
  start = Clock::now();
  uint64_t accesses = 0;
  for (int64_t p = 0; p < programs; ++p) {
    if (!source->program(p, 0, rows)) std::exit(2);
    accesses += rows.size();
  }
  t.stream = seconds_since(start);
  start = Clock::now();
  const LaunchTraffic sums = account(*source);
  t.account = seconds_since(start);
  std::printf("  %8llu accesses, %.0f ns each; %.1f GiB asked, %.1f MiB distinct\n", static_cast<unsigned long long>(accesses),
              t.stream * 1e9 / static_cast<double>(accesses), sums.tiled_bytes / (1 << 30), sums.ideal_bytes / (1 << 20));
  return t;
}

}  // namespace

int main(int argc, char** argv) {
  const int64_t size = argc > 1 ? std::atol(argv[1]) : 8192;
  Times all, worst;
  std::printf("fp16 matmul %lld^3 in 128 x 128 x 64 tiles, one thread\n", static_cast<long long>(size));
  for (int64_t group : {1, 2, 4, 8, 16}) {
    const Times t = measure(matmul(size, group));
    std::printf("GROUP_M %2lld: compile and slice %.1f ms, stream of all programs %.3f s, account %.3f s\n",
                static_cast<long long>(group), t.open * 1e3, t.stream, t.account);
    all.stream += t.stream, all.account += t.account;
    worst.stream = std::max(worst.stream, t.stream), worst.account = std::max(worst.account, t.account);
  }
  std::printf(R"({"name": "traffic of fp16 %lld^3", "stream_s": %.3f, "stream_target_s": 0.4, "account_s": %.3f, "account_target_s": 1.0, )"
              R"("all_groups_s": %.3f})"
              "\n",
              static_cast<long long>(size), worst.stream, worst.account, all.stream + all.account);
  return 0;
}
