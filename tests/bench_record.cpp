// What recording one program of a large matmul costs: time, bytes, and the time to fetch steps at random places.
//   bench_record [M N K]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

#include "sim/record.h"

using namespace tilescope;

namespace {

// Processor time of this one thread, so that other work on the machine does not count.
double now_ms() { return static_cast<double>(std::clock()) * 1000 / CLOCKS_PER_SEC; }
double ms_since(double start) { return now_ms() - start; }

template <class T>
T take(Expected<T> e) {
  if (e) return std::move(*e);
  std::fputs(render(e.errors()).c_str(), stderr);
  std::exit(2);
}

std::string launch_text(long m, long n, long k) {
  const auto s = [](long x) { return std::to_string(x); };
  const std::string sizes = R"("M": )" + s(m) + R"(, "N": )" + s(n) + R"(, "K": )" + s(k);
  return R"x({"file": "kernel.py", "kernel": "matmul_kernel", "grid": ["cdiv(M, BLOCK_M)", "cdiv(N, BLOCK_N)"], "args": {
    "a_ptr": {"tensor": "float16", "shape": [)x" +
         s(m) + "," + s(k) + R"x(], "init": {"randn": 1}},
    "b_ptr": {"tensor": "float16", "shape": [)x" +
         s(k) + "," + s(n) + R"x(], "init": {"randn": 2}},
    "c_ptr": {"tensor": "float32", "shape": [)x" +
         s(m) + "," + s(n) + R"x(], "init": "empty"},
    "BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, )x" +
         sizes + "}}";
}

void measure(const Launch& launch, std::shared_ptr<const std::vector<Tensor>> before, uint64_t limit,
             ProgramIndex program) {
  RecordOptions options;
  options.memory_limit = limit;
  auto start = now_ms();
  const auto r = take(ProgramRecording::make(launch, before, program, options));
  const double record = ms_since(start);
  const uint64_t steps = r->trace().steps.size(), bytes = r->bytes();
  std::mt19937_64 random(1);
  double worst = 0, sum = 0;
  constexpr int kPlaces = 300;
  for (int n = 0; n < kPlaces; ++n) {
    start = now_ms();
    r->step(random() % steps);
    const double t = ms_since(start);
    worst = std::max(worst, t);
    sum += t;
  }
  start = now_ms();
  const uint64_t some = std::min<uint64_t>(steps, 100000);
  for (uint64_t s = 0; s < some; ++s) r->step(s);
  const double forward = ms_since(start) / static_cast<double>(some);
  start = now_ms();
  r->memory(static_cast<int>(before->size()) - 1, steps);
  const double memory = ms_since(start);
  std::printf(
      "%4llu MiB limit: %llu steps in %.1f ms, %.1f MiB; a step at random %.2f ms, at worst %.2f ms; in order %.3f ms; "
      "memory %.1f ms; then %.1f MiB %s\n",
      static_cast<unsigned long long>(limit >> 20), static_cast<unsigned long long>(steps), record,
      static_cast<double>(bytes) / (1 << 20), sum / kPlaces, worst, forward, memory,
      static_cast<double>(r->bytes()) / (1 << 20), r->trace().truncated.c_str());
}

// Millions of small steps.
void measure_small_steps() {
  auto source = std::make_shared<SourceFile>();
  source->path = "kernel.py";
  source->text =
      "import triton\nimport triton.language as tl\n\n@triton.jit\ndef kernel(x_ptr):\n    s = 0\n    for i in "
      "range(1000000000):\n        s += i\n    tl.store(x_ptr, s)\n";
  const LaunchSpec spec = take(parse_launch_text(
      R"({"file": "k.py", "kernel": "kernel", "grid": [1], "args": {"x_ptr": {"tensor": "int32", "shape": [1], "init": {"full": 0}}}})",
      "/launch.json"));
  const Launch launch = take(bind_launch(spec, take(compile_for_recording(spec, source)), take(make_tensors(spec))));
  std::printf("small steps: ");
  measure(launch, tensors_before(launch, {}, nullptr, nullptr), uint64_t{256} << 20, {});
}

// What maps add to a run of 65,536 programs.
void measure_maps() {
  const LaunchSpec spec =
      take(parse_launch_text(R"x({"file": "kernel.py", "kernel": "add_kernel", "grid": [65536], "args": {
    "x_ptr": {"tensor": "float32", "shape": [16777216], "init": {"full": 1}}, "y_ptr": {"tensor": "float32", "shape": [16777216], "init": {"full": 2}},
    "out_ptr": {"tensor": "float32", "shape": [16777216], "init": "empty"}, "n": 16777216, "BLOCK": 256}})x",
                             TILESCOPE_SOURCE_DIR "/lessons/kernels/vector_add/launch.json"));
  Launch launch = take(prepare_launch(spec));
  RunOptions options;
  options.threads = 1;
  for (int again = 0; again < 2; ++again)
    for (bool maps : {false, true}) {
      options.maps = maps;
      const double start = now_ms();
      const RunTrace t = execute(launch, options);
      std::printf("65536 programs, %s maps: %.1f ms (programs alone, by the clock: %.1f ms)\n",
                  maps ? "with" : "without", ms_since(start), t.time_ms);
    }
}

}  // namespace

int main(int argc, char** argv) {
  const auto size = [&](int i) { return argc > i ? std::atol(argv[i]) : 4096L; };
  LaunchSpec spec = take(parse_launch_text(launch_text(size(1), size(2), size(3)),
                                           TILESCOPE_SOURCE_DIR "/lessons/kernels/matmul/launch.json"));
  const Launch launch = take(bind_launch(spec, take(compile_for_recording(spec)), take(make_tensors(spec))));
  auto start = now_ms();
  const auto before = tensors_before(launch, {}, nullptr, nullptr);
  std::printf("memory before the first program: %.1f ms\n", ms_since(start));
  for (uint64_t mib : {256, 16, 4}) measure(launch, before, mib << 20, {3, 5, 0});
  measure_small_steps();
  measure_maps();
  return 0;
}
