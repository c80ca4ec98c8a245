// Turns a function into a plan (sim/plan.h). Internal to sim/plan.cpp, which plans ops and blocks, and
// sim/plan_control.cpp, which plans loops, branches and the moves of carried values.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/handlers.h"
#include "sim/plan_analysis.h"

namespace tilescope {

class Planner {
 public:
  Planner(const Function& f, const RunOptions& options, PlanStyle style)
      : fn_(f),
        options_(options),
        fast_(style != PlanStyle::Steps),
        addresses_(style == PlanStyle::Addresses),
        plan_(std::make_unique<Plan>()),
        live_(f),
        ctx_{*plan_, f, {}} {
    plan_->function = &f;
    plan_->options = options;
    plan_->slots.resize(f.values.size());
    hoisted_.assign(f.values.size(), false);
  }

  Expected<std::unique_ptr<Plan>> build();

 private:
  // ---- slots ----
  Slot assign_slot(ValueId v);
  void share_slot(ValueId v, Slot s) { plan_->slots[v] = s; }
  Slot temporary(const Type& t);

  // ---- code ----
  int32_t here() const { return static_cast<int32_t>(plan_->code.size()); }
  int32_t push(Inst i);
  void jump_to(int32_t inst, int32_t target) { jumps_.push_back({inst, target}); }
  void resolve_jumps();
  void fail(const Op& op, const std::string& what);

  // ---- fusion of a value into the store that is its only use ----
  void find_fused_stores(const Block& b);

  // ---- blocks ----
  void emit_block(const Block& b);

  bool tile_dies(ValueId v) const { return !hoisted_[v] && fn_.type(v).is_tile() && plan_->slots[v].index >= 0; }

  Inst basic_inst(const Op& op);
  void set_kills(Inst& inst, const Op& op, std::vector<ValueId>& dying);
  std::vector<ValueId> dying_tiles(const Block& b, int position) const;
  void plan_inst(const Op& op, Inst& inst);
  void emit_simple(const Block& b, int position, const Op& op);
  void emit_place();
  void write_out(const Op& op, std::vector<Inst>& code);
  void emit_fused(const Block& b, int position, const Op& producer, const Op& store);
  void kill_after(const std::vector<ValueId>& values);
  void add_memory_op(const Op& op, Inst& inst);

  // Tiles that still have uses after the op at `position`, of this block and of all blocks around it.
  void add_live_tiles(const Block& b, int position, Inst& inst);

  // ---- moves between slots, as if all at once (sim/plan_control.cpp) ----
  struct Move {
    ValueId from;
    Slot to;
    bool last;  ///< the value dies here
  };
  void emit_move(Slot from, Slot to, bool last);
  void emit_moves(std::vector<Move> moves);

  // Moves of a region's terminator, then the end of its other values.
  void emit_terminator(const Block& b, size_t skip, const std::vector<ValueId>& to, size_t to_skip);

  // ---- control flow (sim/plan_control.cpp) ----
  // Slots of carried values get the initial values; a value that dies at the loop is moved, else shared.
  void emit_initial(const Op& op, size_t skip, const std::vector<ValueId>& to, size_t to_skip,
                    std::vector<ValueId>& dying);

  // A step of control flow: what `results` names has its values when the program comes here.
  void mark(const Op& op, StepPhase phase, const std::vector<ValueId>& results, int32_t loop = -1);

  int32_t open_loop(const Op& op);
  void emit_for(const Block& b, int position, const Op& op);
  void emit_while(const Block& b, int position, const Op& op);
  void emit_if(const Block& b, int position, const Op& op);
  void kill_unused(const Op& op);

  const Function& fn_;
  const RunOptions& options_;
  const bool fast_, addresses_;
  int32_t places_ = 0;  ///< of PlanStyle::Addresses
  std::unique_ptr<Plan> plan_;
  Liveness live_;
  PlanContext ctx_;
  std::vector<bool> hoisted_;
  std::unordered_map<const Op*, const Op*> fused_;
  std::set<const Op*> moved_;
  std::vector<std::pair<int32_t, int32_t>> jumps_;
  std::vector<std::pair<const Block*, int>> enclosing_;
  int32_t loop_ = -1;
  std::optional<Diagnostic> error_;
};

}  // namespace tilescope
