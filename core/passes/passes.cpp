#include "core/passes.h"

#include "core/passes/all.h"
#include "core/stop.h"

namespace tilescope {

const std::vector<Pass>& all_passes() {
  static const std::vector<Pass> table = {
      {"fold", "ops on constants become constants, by the shared scalar meanings", passes::fold},
      {"canonicalise", "identities that keep every bit; work on scalars stays on scalars; constant branches are taken",
       passes::canonicalise},
      {"fold-dot-acc", "acc + dot(a, b, 0) becomes dot(a, b, acc): one chain of sums, as the language promises",
       passes::fold_dot_accumulator},
      {"cse", "equal pure ops are computed once", passes::eliminate_common},
      {"licm", "pure ops that no loop iteration changes move in front of the loop", passes::hoist_loop_invariant},
      {"dce", "ops and loop-carried values that nothing needs are removed, loads too", passes::eliminate_dead},
      {"slice-addresses", "only what addresses, masks and control flow need stays; accesses whose values nothing needs are {address_only}",
       passes::slice_addresses},
  };
  return table;
}

const Pass* find_pass(std::string_view name) {
  for (const Pass& p : all_passes())
    if (p.name == name) return &p;
  return nullptr;
}

const std::vector<std::string>& default_pipeline() {
  static const std::vector<std::string> names = {"canonicalise", "dce", "fold-dot-acc", "cse", "licm", "cse", "dce"};
  return names;
}

void run_passes(Function& f, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const Pass* pass = find_pass(name);
    if (pass == nullptr) internal_error("unknown pass " + name);
    stop_if_asked();
    pass->run(f);
  }
}

}  // namespace tilescope
