// How each op becomes an instruction: one planning function per group of ops, in the exec_*.cpp file that runs them.
#pragma once

#include <string>

#include "sim/machine.h"
#include "sim/plan.h"

namespace tilescope {

/// What a planning function may ask and add to. The instruction's slots, operand flags and `type` are already filled in.
struct PlanContext {
  Plan& plan;
  const Function& fn;
  std::string error;  ///< set when the simulator lacks this op, or this form of it

  const Type& type(ValueId v) const { return fn.type(v); }
  const TileType* tile_type_of(ValueId v) {
    plan.types.push_back(tile_type(fn.type(v)));
    return &plan.types.back();
  }
  template <class T>
  T* extra() {
    auto e = std::make_unique<T>();
    T* p = e.get();
    plan.extras.push_back(std::move(e));
    return p;
  }
  Slot slot(ValueId v) const { return plan.slots[v]; }
};

/// Each sets inst.run (and what it needs) and returns true when the op is of its group.
bool plan_scalar(PlanContext& c, const Op& op, Inst& inst);       ///< elementwise on scalars, program ids, constants
bool plan_elementwise(PlanContext& c, const Op& op, Inst& inst);  ///< elementwise on tiles
bool plan_shape(PlanContext& c, const Op& op, Inst& inst);
bool plan_reduce(PlanContext& c, const Op& op, Inst& inst);  ///< and scan
bool plan_dot(PlanContext& c, const Op& op, Inst& inst);
bool plan_order(PlanContext& c, const Op& op, Inst& inst);   ///< sort, top-k, histogram
bool plan_load(PlanContext& c, const Op& op, Inst& inst);
bool plan_store(PlanContext& c, const Op& op, Inst& inst);
bool plan_atomic(PlanContext& c, const Op& op, Inst& inst);
bool plan_debug(PlanContext& c, const Op& op, Inst& inst);
bool plan_overflow(PlanContext& c, const Op& op, Inst& inst);  ///< the checks of sim/offset_shadow.h

/// The element type in which an op's kernel works: pointers as UInt64.
inline DType kernel_dtype(const Type& t) { return t.pointer ? DType::UInt64 : t.elem; }

// Control instructions, emitted by the planner itself.
const Inst* run_move_register(Machine& m, const Inst* i);
const Inst* run_move_tile(Machine& m, const Inst* i);
const Inst* run_kill(Machine& m, const Inst* i);
const Inst* run_jump(Machine& m, const Inst* i);
const Inst* run_jump_if_false(Machine& m, const Inst* i);
const Inst* run_loop_begin(Machine& m, const Inst* i);  ///< in: lower, upper, step; out: induction variable
const Inst* run_loop_next(Machine& m, const Inst* i);
const Inst* run_while_begin(Machine& m, const Inst* i);
const Inst* run_while_next(Machine& m, const Inst* i);
const Inst* run_mark(Machine& m, const Inst* i);  ///< does nothing (extra: Mark)
const Inst* run_end(Machine& m, const Inst* i);
const Inst* run_write_out(Machine& m, const Inst* i);  ///< gives the tile in[0] lanes of its own

// Instructions of PlanStyle::Addresses (sim/cost/traffic_exec.cpp).
/// Logs a load, store or atomic, with the faults that it would have. `imm`: number of the place before it.
Handler access_log_handler();
/// Counts that the program came to place number `index`: before an access, a loop or a branch, at the end of a region
/// or of the program.
Handler place_handler();

/// A store whose value is computed straight into the tensor where that is possible.
struct FusedStore : Extra {
  Inst producer, store;
};
void plan_fused_store(PlanContext& c, Inst& fused, FusedStore& parts);

/// Extra of stores and atomics: tiles that are live after it and may look into the memory that it changes.
struct StoreExtra : Extra {
  std::vector<int32_t> live_tiles;
};

}  // namespace tilescope
