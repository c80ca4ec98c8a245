// What of a K loop does not change from step to step: the dots of the program, when they ran, and which loads and which
// store belong to them. Made once for a recording.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "visualizer/model/kloop.h"
#include "visualizer/model/value_flow.h"

namespace tilescope::model {

class KPlan {
 public:
  /// Kept while scenes show the same recording. One thread only.
  static std::shared_ptr<KPlan> of(const Scene& scene);

  struct Dot {
    const Op* op = nullptr;
    ValueFlow::Source a, b;
    ValueFlow::Sink c;
  };
  /// One place in the source; an unrolled loop has several dots there.
  struct Site {
    std::vector<Dot> dots;
    KSite shown;
    int column = 0;
  };
  struct Execution {
    uint64_t step = 0;
    size_t dot = 0;      ///< index into Site::dots
    int32_t frame = -1;
    bool ran = true;     ///< false: the recording ends in this iteration, before the dot; `step` is its last one
  };
  /// The executions of a site inside one run of its loop.
  struct Instance {
    std::vector<Execution> runs;
    uint64_t first_step = 0, last_step = 0;  ///< half open
    bool in_loop = false;
    int line = 0;
  };

  explicit KPlan(const Scene& scene);

  const std::vector<Site>& sites() const { return sites_; }
  /// The site of the current line, else of the loop around the step, else the next one, else the last.
  size_t choose_site(const Scene& scene) const;
  /// The run of the site's loop that holds the step, else the next, else the last. Null when the dot never ran.
  const Instance* instance(size_t site, uint64_t step) const;
  /// The last step at or before `step` (from `first` on) at which `op` ran; -1 when it did not.
  int64_t last_run(const Op* op, uint64_t step) const;
  /// The first step at or after `step` at which `op` ran; -1 when it did not.
  int64_t next_run(const Op* op, uint64_t step) const;
  const ValueFlow& flow() const { return flow_; }

  /// Largest magnitudes of accumulators, by site and the first step of the instance.
  std::unordered_map<uint64_t, double> reach;

 private:
  void find_sites(const Scene& scene);
  void find_instances(const Scene& scene);
  std::optional<Execution> unfinished(const Scene& scene, const Site& site) const;

  std::weak_ptr<const Recorded> owner_;
  ValueFlow flow_;
  std::vector<Site> sites_;
  std::vector<std::vector<Instance>> instances_;  ///< by site
  std::unordered_map<const Op*, std::vector<uint64_t>> runs_;
};

}  // namespace tilescope::model
