// Fits the cost model's one fitted parameter, the drift of programs in speed: least squares over the logarithm of DRAM bytes
// read, for the points of tests/data/l2_h200.csv that are marked for the fit here. Prints the sum for each drift tried, and
// for the drift that the model has (kDrift) a table of all points: sim/cost/README.md keeps it.
//
//   ninja fit_drift && ./fit_drift          the table only:  ./fit_drift table
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "sim/cost/model.h"
#include "tests/sim_cost_data.h"

using namespace tilescope;
using namespace tilescope::cost;
using cost_data::Measured;

namespace {

/// Group sizes of one shape, measured in one sitting. All else is held out.
bool fitted(const Measured& p) {
  return !p.given && p.shape.m == 8192 && p.shape.k == 8192 && p.shape.bm == 128 && p.shape.bn == 128 && p.shape.warps == 8;
}

void table(double drift) {
  fmt::print("| M x N x K, tile, warps | GROUP_M | DRAM read, GB | model | ratio | hit rate, % | model | time, ms | model |\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|\n");
  double sum = 0, worst = 0;
  int n = 0;
  for (const Measured& p : cost_data::measured_points()) {
    CostReport r = cost_data::modelled(p, drift);
    double ratio = r.dram_read.mean / p.dram_read;
    if (!fitted(p)) sum += std::log(ratio) * std::log(ratio), ++n, worst = std::max(worst, std::fabs(std::log(ratio)));
    const auto& s = p.shape;
    fmt::print("| {} x {} x {}, {} x {} x {}, {}{} | {} | {:.3f} | {:.3f} ({:.3f} to {:.3f}) | {:.2f} | {:.1f} | {:.1f} | {:.3f} | {:.3f} |\n",
               s.m, s.n, s.k, s.bm, s.bn, s.bk, s.warps, p.given ? ", no masks" : fitted(p) ? ", *" : "", s.group, p.dram_read / 1e9,
               r.dram_read.mean / 1e9, r.dram_read.low / 1e9, r.dram_read.high / 1e9, ratio, 100 * p.hit_rate, 100 * r.l2_hit_rate.mean,
               p.time_ns / 1e6, r.estimate.total_ms);
    std::fflush(stdout);
  }
  fmt::print("held out: {} points, root mean square of the logarithm {:.3f}, worst factor {:.2f}\n", n, std::sqrt(sum / n), std::exp(worst));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || std::strcmp(argv[1], "table") != 0) {
    double best = 1e30, best_drift = 0;
    for (double drift = 0.010; drift < 0.0405; drift += 0.0025) {
      double sum = 0;
      int n = 0;
      for (const Measured& p : cost_data::measured_points()) {
        if (!fitted(p)) continue;
        double e = std::log(cost_data::modelled(p, drift).dram_read.mean / p.dram_read);
        sum += e * e, ++n;
      }
      fmt::print("drift {:.4f}: root mean square of the logarithm {:.4f} over {} points\n", drift, std::sqrt(sum / n), n);
      std::fflush(stdout);
      if (sum < best) best = sum, best_drift = drift;
    }
    fmt::print("best: {:.4f}; the model has {:.4f}\n", best_drift, kDrift);
  }
  table(kDrift);
}
