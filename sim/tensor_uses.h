// Which tensors of a launch its kernel may load from and store to.
#pragma once

#include <vector>

#include "sim/launch.h"
#include "sim/plan_analysis.h"

namespace tilescope {

/// One flag for each of launch.tensors; an atomic both loads and stores.
struct TensorUses {
  std::vector<bool> loads, stores;

  explicit TensorUses(const Launch& launch)
      : loads(launch.tensors.size(), false), stores(launch.tensors.size(), false) {
    const Provenance from(launch.kernel.function);
    walk(launch.kernel.function.body, [&](const Op& op) {
      if (!is_memory(op.code)) return;
      const std::vector<bool>& params = from.of(op.operands[0]);
      if (op.code != OpCode::Store) add(launch, params, loads);
      if (op.code != OpCode::Load) add(launch, params, stores);
    });
  }

  bool any_is_loaded_and_stored() const {
    for (size_t t = 0; t < loads.size(); ++t)
      if (loads[t] && stores[t]) return true;
    return false;
  }

  /// Index into launch.tensors of a parameter's tensor, or -1.
  static int tensor_of(const Launch& launch, size_t parameter) {
    const Tensor* t = launch.arguments[parameter].tensor;
    return t == nullptr ? -1 : static_cast<int>(t - launch.tensors.data());
  }

 private:
  static void add(const Launch& launch, const std::vector<bool>& params, std::vector<bool>& out) {
    if (params.back()) out.assign(out.size(), true);
    for (size_t p = 0; p < launch.arguments.size(); ++p)
      if (params[p] && tensor_of(launch, p) >= 0) out[static_cast<size_t>(tensor_of(launch, p))] = true;
  }
};

}  // namespace tilescope
