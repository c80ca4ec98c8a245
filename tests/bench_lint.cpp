// How fast kernels are linted: guessed, compiled some times, judged.
//   bench_lint [FILE|FOLDER]   (default: this source tree, its lessons and tests)
//
// Prints processor time on one thread, per kernel and per compilation: other work on the machine does not count.
#include <cstdio>
#include <ctime>
#include <string>

#include "core/lint.h"

using namespace tilescope;

int main(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : TILESCOPE_SOURCE_DIR;
  LintOptions options;
  options.threads = 1;
  const std::clock_t start = std::clock();
  const Expected<LintReport> report = lint(path, options);
  const double ms = static_cast<double>(std::clock() - start) * 1000 / CLOCKS_PER_SEC;
  if (!report) {
    std::fputs(render(report.errors()).c_str(), stderr);
    return 2;
  }
  int64_t compiles = 0;
  double in_kernels = 0;
  for (const FileLint& f : report->files)
    for (const KernelLint& k : f.kernels) compiles += k.compiles, in_kernels += k.seconds * 1000;
  const double kernels = static_cast<double>(report->kernels());
  std::printf("%s: %lld files, %lld kernels, %lld compilations in %.0f ms of one thread\n", path.c_str(), static_cast<long long>(report->files_seen),
              static_cast<long long>(report->kernels()), static_cast<long long>(compiles), ms);
  if (kernels > 0)
    std::printf("%.2f ms a kernel (%.0f kernels/s), %.2f ms a compilation; %.0f%% of it reading and parsing\n", ms / kernels, kernels / ms * 1000,
                compiles > 0 ? in_kernels / static_cast<double>(compiles) : 0.0, 100 * (1 - in_kernels / ms));
  return 0;
}
