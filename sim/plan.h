// The IR of a kernel, flattened once per launch into a list of instructions: slots, kernels and jumps are resolved, so
// that running a program looks nothing up and allocates nothing.
//
// Scalars live in a register file (one canonical 64-bit word each), tiles in slots (sim/tile.h). A tile slot is empty
// until its value is computed and is emptied after its last use. Structured control flow becomes moves and jumps:
// a loop's carried values share slots with its region's arguments and its results.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "core/ir.h"
#include "sim/kernels/tile_kernels.h"
#include "sim/recorder.h"
#include "sim/run.h"
#include "sim/tile.h"

namespace tilescope {

struct Machine;
struct Inst;

/// Executes one instruction and returns the next one; null ends the program.
using Handler = const Inst* (*)(Machine&, const Inst*);

/// What an instruction knows besides its slots. Derived per kind of op (sim/exec_*.cpp).
struct Extra {
  virtual ~Extra() = default;
};

struct Inst {
  static constexpr int kMaxOperands = 6;

  Handler run = nullptr;
  ElementwiseFn kernel = nullptr;
  const TileType* type = nullptr;  ///< of the result; of the stored values for stores
  const Inst* target = nullptr;
  const Extra* extra = nullptr;
  const Op* op = nullptr;          ///< where it comes from; null for moves
  int32_t out = -1;                ///< slot or register of the first result
  std::array<int32_t, kMaxOperands> in{-1, -1, -1, -1, -1, -1};
  uint8_t operands = 0;
  uint8_t scalars = 0;             ///< bit i: operand i is a register, else a tile slot
  uint8_t kill = 0;                ///< bit i: operand i is a tile used for the last time here
  DType dtype = DType::Int32;      ///< element type of the first operand
  int32_t loop = -1;               ///< innermost loop around it
  int32_t index = 0;               ///< of a memory op: its number; of a loop op: the loop
  int64_t imm = 0;
};

/// Extra of an instruction that does nothing but stand where a step of control flow is complete.
struct Mark : Extra {
  StepPhase phase = StepPhase::Op;
  const std::vector<ValueId>* results = nullptr;  ///< that have their values at this place
};

struct LoopInfo {
  const Op* op = nullptr;
  int32_t parent = -1;
  int32_t steps = 0;  ///< instructions of one iteration
};

/// A value's place.
struct Slot {
  int32_t index = -1;
  bool scalar = true;
};

struct Plan {
  const Function* function = nullptr;
  RunOptions options;
  std::vector<Inst> prologue;  ///< the same for every program: run once per thread
  std::vector<Inst> code;
  std::vector<Slot> slots;     ///< by ValueId
  int32_t registers = 0;
  std::vector<TileType> tiles;  ///< by tile slot
  std::vector<LoopInfo> loops;
  std::vector<MemoryOp> memory_ops;
  std::vector<std::unique_ptr<Extra>> extras;
  std::deque<TileType> types;
  bool ordered = false;         ///< the result depends on the order of the programs
  std::string ordered_because;  ///< which op makes it so
  std::vector<bool> may_load;   ///< by parameter: a load or atomic may go through a pointer derived from it
};

/// How the function's ops become instructions.
enum class PlanStyle : uint8_t {
  Fast,   ///< ops whose result is the same in every program run once a thread; a value may be computed into its store
  Steps,  ///< one instruction an op, in the order of the IR, with marks (Mark) where a recording has further steps
  /// For a function sliced to its addresses (core/passes/slice.cpp): every access is logged (plan_access_log), and done
  /// only where its value is needed. For machines with a log only (sim/cost/traffic_machine.h).
  Addresses,
};

/// Compiles a verified function. An op that the simulator lacks is an error that names it.
Expected<std::unique_ptr<Plan>> make_plan(const Function& f, const RunOptions& options, PlanStyle style = PlanStyle::Fast);

}  // namespace tilescope
