// Whether a launch's result depends on the order of its programs, and which tensors its loads may read.
#include <algorithm>

#include "sim/plan.h"
#include "sim/plan_analysis.h"

namespace tilescope {

void decide_order(const Function& f, const Liveness& live, Plan& plan) {
  const Provenance from(f);
  const size_t n = f.params.size();
  std::vector<bool> loaded(n + 1, false);
  walk(f.body, [&](const Op& op) {
    if (op.code != OpCode::Load) return;
    for (size_t i = 0; i <= n; ++i) loaded[i] = loaded[i] || from.of(op.operands[0])[i];
  });
  for (MemoryOp& m : plan.memory_ops) m.param = from.only(m.op->operands[0]);
  plan.may_load.assign(n, loaded[n]);
  for (size_t i = 0; i < n; ++i) plan.may_load[i] = loaded[n] || loaded[i];
  walk(f.body, [&](const Op& op) {
    if (op.code != OpCode::AtomicRmw && op.code != OpCode::AtomicCas) return;
    const std::vector<bool>& target = from.of(op.operands[0]);
    bool also_loaded = loaded[n] || target[n];
    for (size_t i = 0; i < n; ++i) {
      also_loaded = also_loaded || (target[i] && loaded[i]);
      if (target[i] || target[n]) plan.may_load[i] = true;
    }
    const std::string_view kind = op.str_attr("kind");
    const bool used = std::any_of(op.results.begin(), op.results.end(), [&](ValueId r) { return live.uses(r) > 0; });
    const char* because = nullptr;
    if (op.code == OpCode::AtomicCas) because = "atomic_cas";
    else if (kind == "xchg") because = "atomic exchange";
    else if (is_float(f.type(op.operands[1]).elem)) because = "floating-point atomics";
    else if (used) because = "the old value that an atomic returns";
    else if (also_loaded) because = "a load from memory that atomics change";
    if (because == nullptr || plan.ordered) return;
    plan.ordered = true;
    plan.ordered_because = because;
  });
}

}  // namespace tilescope
