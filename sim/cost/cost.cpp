#include "sim/cost/cost.h"

#include <omp.h>

#include <algorithm>

#include "sim/cost/model.h"

namespace tilescope::cost {

Expected<CostReport> estimate_cost(const LaunchSpec& spec, const CostOptions& options) {
  OpenSource open = [&](const LaunchSpec& s) { return TrafficSource::open(s, std::max(1, omp_get_max_threads()), options.text); };
  Expected<LaunchSpec> complete = complete_launch(spec, options.text);
  if (!complete) return complete.errors();
  auto source = open(*complete);
  if (!source) return source.errors();
  bool stopped = false;
  LaunchTraffic traffic = account(**source, -1, [&](int64_t done, int64_t total) {
    if (options.progress && !options.progress(0.25 * static_cast<double>(done) / static_cast<double>(std::max<int64_t>(1, total))))
      stopped = true;
    return !stopped;
  });
  if (stopped) return stopped_by_user();
  ModelInput input;
  input.spec = &*complete;
  input.options = &options;
  input.open = open;
  return cost_of(**source, std::move(traffic), input);
}

}  // namespace tilescope::cost
