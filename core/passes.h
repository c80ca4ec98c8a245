// Named rewrites of a Function. Each keeps every bit that a kernel computes (fold-dot-acc chooses the accumulation that
// the language promises; slice-addresses keeps what a kernel accesses, not what it computes), the source locations of
// the ops that remain, and the rules of core/verify.h. Each is idempotent and takes time linear in the number of ops.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/ir.h"

namespace tilescope {

struct Pass {
  std::string_view name;
  std::string_view doc;
  void (*run)(Function&);
};

/// All passes, in the order in which the documentation lists them.
const std::vector<Pass>& all_passes();
/// Null when there is none of that name.
const Pass* find_pass(std::string_view name);

/// The passes that compile_kernel runs, in order.
const std::vector<std::string>& default_pipeline();

/// Runs passes by name; an unknown name is an internal error (ask find_pass first).
void run_passes(Function& f, const std::vector<std::string>& names);

}  // namespace tilescope
