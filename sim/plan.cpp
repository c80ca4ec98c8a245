#include "sim/plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "core/stop.h"
#include "sim/handlers.h"
#include "sim/plan_analysis.h"

namespace tilescope {
namespace {

class Planner {
 public:
  Planner(const Function& f, const RunOptions& options, PlanStyle style)
      : fn_(f), options_(options), fast_(style != PlanStyle::Steps), addresses_(style == PlanStyle::Addresses), plan_(std::make_unique<Plan>()), live_(f), ctx_{*plan_, f, {}} {
    plan_->function = &f;
    plan_->options = options;
    plan_->slots.resize(f.values.size());
    hoisted_.assign(f.values.size(), false);
  }

  Expected<std::unique_ptr<Plan>> build() {
    // The race check looks at what is stored before it is in memory.
    if (options_.closed_forms && fast_ && !addresses_ && !options_.check.races) find_fused_stores(fn_.body);
    live_.index_blocks();
    for (ValueId v = 0; v < fn_.params.size(); ++v) {
      assign_slot(v);
      hoisted_[v] = true;
    }
    emit_block(fn_.body);
    if (error_) return *error_;
    emit_place();
    Inst end;
    end.run = run_end;
    push(end);
    plan_->prologue.push_back(end);
    resolve_jumps();
    decide_order(fn_, live_, *plan_);
    if (options_.record != RecordLevel::None) choose_layouts(fn_, plan_->memory_ops);
    return std::move(plan_);
  }

 private:
  // ---- slots ----
  Slot assign_slot(ValueId v) {
    Slot& s = plan_->slots[v];
    if (s.index >= 0) return s;
    s.scalar = fn_.type(v).is_scalar();
    if (s.scalar) {
      s.index = plan_->registers++;
    } else {
      s.index = static_cast<int32_t>(plan_->tiles.size());
      plan_->tiles.push_back(tile_type(fn_.type(v)));
    }
    return s;
  }
  void share_slot(ValueId v, Slot s) { plan_->slots[v] = s; }
  Slot temporary(const Type& t) {
    Slot s;
    s.scalar = t.is_scalar();
    if (s.scalar) {
      s.index = plan_->registers++;
    } else {
      s.index = static_cast<int32_t>(plan_->tiles.size());
      plan_->tiles.push_back(tile_type(t));
    }
    return s;
  }

  // ---- code ----
  int32_t here() const { return static_cast<int32_t>(plan_->code.size()); }
  int32_t push(Inst i) {
    i.loop = loop_;
    plan_->code.push_back(i);
    return here() - 1;
  }
  void jump_to(int32_t inst, int32_t target) { jumps_.push_back({inst, target}); }
  void resolve_jumps() {
    for (auto [inst, target] : jumps_) plan_->code[static_cast<size_t>(inst)].target = &plan_->code[static_cast<size_t>(target)];
  }
  void fail(const Op& op, const std::string& what) {
    if (error_) return;
    Diagnostic d;
    d.message = what;
    if (op.loc) d.range = op.loc->range, d.calls = op.loc->calls;
    error_ = d;
  }

  // ---- fusion of a value into the store that is its only use ----
  void find_fused_stores(const Block& b) {
    std::unordered_map<ValueId, int> defined_at;
    int barrier = -1;
    for (int i = 0; i < static_cast<int>(b.ops.size()); ++i) {
      const Op& op = *b.ops[static_cast<size_t>(i)];
      if (op.code == OpCode::Store && fn_.type(op.operands[1]).is_tile()) {
        auto it = defined_at.find(op.operands[1]);
        if (it != defined_at.end() && it->second > barrier && live_.uses(op.operands[1]) == 1) {
          const Op& producer = *b.ops[static_cast<size_t>(it->second)];
          fused_[&op] = &producer;
          moved_.insert(&producer);
          for (ValueId v : producer.operands)
            if (live_.block(v) == &b) live_.extend(v, i);
        }
      }
      if (is_store(op.code) || !op.regions.empty()) barrier = i;
      if (op.info().group == OpGroup::Elementwise && op.results.size() == 1 && op.operands.size() <= 3)
        defined_at[op.results[0]] = i;
      for (const Block& r : op.regions) find_fused_stores(r);
    }
  }

  // ---- blocks ----
  void emit_block(const Block& b) {
    for (int i = 0; i < static_cast<int>(b.ops.size()) && !error_; ++i) {
      const Op& op = *b.ops[static_cast<size_t>(i)];
      if (moved_.count(&op) != 0) continue;
      switch (op.code) {
        case OpCode::For: emit_place(), emit_for(b, i, op); break;
        case OpCode::While: emit_place(), emit_while(b, i, op); break;
        case OpCode::If: emit_place(), emit_if(b, i, op); break;
        case OpCode::Yield: case OpCode::Condition: emit_place(); break;  // the rest by the op around it
        case OpCode::Return: break;
        default: emit_simple(b, i, op);
      }
    }
  }

  bool tile_dies(ValueId v) const { return !hoisted_[v] && fn_.type(v).is_tile() && plan_->slots[v].index >= 0; }

  Inst basic_inst(const Op& op) {
    Inst inst;
    inst.op = &op;
    inst.loop = loop_;
    const size_t n = std::min<size_t>(op.operands.size(), Inst::kMaxOperands);
    inst.operands = static_cast<uint8_t>(n);
    for (size_t k = 0; k < n; ++k) {
      const Slot s = plan_->slots[op.operands[k]];
      inst.in[k] = s.index;
      if (s.scalar) inst.scalars |= static_cast<uint8_t>(1u << k);
    }
    if (n > 0) inst.dtype = kernel_dtype(fn_.type(op.operands[0]));
    for (size_t k = 0; k < op.results.size(); ++k) {
      const Slot s = assign_slot(op.results[k]);
      if (k == 0) inst.out = s.index;
    }
    if (!op.results.empty()) inst.type = ctx_.tile_type_of(op.results[0]);
    return inst;
  }

  void set_kills(Inst& inst, const Op& op, std::vector<ValueId>& dying) {
    for (size_t k = inst.operands; k-- > 0;) {
      auto it = std::find(dying.begin(), dying.end(), op.operands[k]);
      if (it == dying.end()) continue;
      inst.kill |= static_cast<uint8_t>(1u << k);
      dying.erase(it);
    }
  }

  std::vector<ValueId> dying_tiles(const Block& b, int position) const {
    std::vector<ValueId> out;
    for (ValueId v : live_.deaths(&b, position))
      if (tile_dies(v)) out.push_back(v);
    return out;
  }

  void plan_inst(const Op& op, Inst& inst) {
    stop_if_asked();
    if (op.operands.size() > Inst::kMaxOperands && op.code != OpCode::Print)
      return fail(op, "`" + std::string(op.info().name) + "` with more than " + std::to_string(Inst::kMaxOperands) + " operands is not supported by the simulator");
    const bool known = plan_scalar(ctx_, op, inst) || plan_elementwise(ctx_, op, inst) || plan_shape(ctx_, op, inst) ||
                       plan_reduce(ctx_, op, inst) || plan_dot(ctx_, op, inst) || plan_order(ctx_, op, inst) || plan_load(ctx_, op, inst) ||
                       plan_store(ctx_, op, inst) || plan_atomic(ctx_, op, inst) || plan_debug(ctx_, op, inst);
    if (!ctx_.error.empty()) return fail(op, ctx_.error);
    if (!known || inst.run == nullptr) fail(op, "the simulator does not know the op `" + std::string(op.info().name) + "`");
  }

  void emit_simple(const Block& b, int position, const Op& op) {
    const bool hoist = fast_ && &b == &fn_.body && can_hoist(op) &&
                       std::all_of(op.operands.begin(), op.operands.end(), [&](ValueId v) { return hoisted_[v]; });
    auto fused = fused_.find(&op);
    if (fused != fused_.end()) return emit_fused(b, position, *fused->second, op);
    Inst inst = basic_inst(op);
    if (is_memory(op.code)) add_memory_op(op, inst);
    if (hoist) {
      for (ValueId r : op.results) hoisted_[r] = true;
      plan_inst(op, inst);
      plan_->prologue.push_back(inst);
      write_out(op, plan_->prologue);
      return;
    }
    std::vector<ValueId> dying = dying_tiles(b, position);
    if (addresses_ && is_memory(op.code)) {
      Inst log = inst;
      const bool only = op.int_attr("address_only") != 0;
      if (only) set_kills(log, op, dying);
      log.run = access_log_handler();
      log.imm = places_++;
      push(log);
      if (only) return kill_after(dying);
    }
    set_kills(inst, op, dying);
    if (is_store(op.code)) add_live_tiles(b, position, inst);
    plan_inst(op, inst);
    push(inst);
    write_out(op, plan_->code);
    kill_after(dying);
    for (ValueId r : op.results)
      if (live_.last(r) < 0) kill_after({r});
  }

  void emit_place() {
    if (!addresses_) return;
    Inst inst;
    inst.run = place_handler();
    inst.index = places_++;
    push(inst);
  }

  void write_out(const Op& op, std::vector<Inst>& code) {
    if (options_.closed_forms) return;
    for (ValueId r : op.results) {
      if (plan_->slots[r].scalar) continue;
      Inst inst;
      inst.run = run_write_out;
      inst.in[0] = plan_->slots[r].index;
      inst.operands = 1;
      inst.loop = loop_;
      code.push_back(inst);
    }
  }

  void emit_fused(const Block& b, int position, const Op& producer, const Op& store) {
    auto* parts = ctx_.extra<FusedStore>();
    parts->producer = basic_inst(producer);
    parts->store = basic_inst(store);
    add_memory_op(store, parts->store);
    std::vector<ValueId> dying = dying_tiles(b, position);
    set_kills(parts->store, store, dying);
    set_kills(parts->producer, producer, dying);
    add_live_tiles(b, position, parts->store);
    plan_inst(producer, parts->producer);
    plan_inst(store, parts->store);
    Inst inst = parts->store;
    inst.extra = parts;
    plan_fused_store(ctx_, inst, *parts);
    push(inst);
    kill_after(dying);
  }

  void kill_after(const std::vector<ValueId>& values) {
    Inst inst;
    inst.run = run_kill;
    for (ValueId v : values) {
      if (!tile_dies(v)) continue;
      inst.kill |= static_cast<uint8_t>(1u << inst.operands);
      inst.in[inst.operands++] = plan_->slots[v].index;
      if (inst.operands == Inst::kMaxOperands) push(inst), inst.operands = 0, inst.kill = 0;
    }
    if (inst.operands > 0) push(inst);
  }

  void add_memory_op(const Op& op, Inst& inst) {
    MemoryOp m;
    m.op = &op;
    m.code = op.code;
    const Type& pointer = fn_.type(op.operands[0]);
    m.elem = pointer.elem;
    m.type = tile_type(Type::tile(pointer.elem, pointer.shape));
    inst.index = static_cast<int32_t>(plan_->memory_ops.size());
    plan_->memory_ops.push_back(m);
    plan_->types.push_back(m.type);
    inst.type = &plan_->types.back();
  }

  // Tiles that still have uses after the op at `position`, of this block and of all blocks around it.
  void add_live_tiles(const Block& b, int position, Inst& inst) {
    auto* e = ctx_.extra<StoreExtra>();
    auto collect = [&](const Block& block, int at) {
      auto add = [&](ValueId v) {
        if (tile_dies(v) && live_.last(v) > at) e->live_tiles.push_back(plan_->slots[v].index);
      };
      for (ValueId v : block.args) add(v);
      for (int i = 0; i < at; ++i)
        for (ValueId v : block.ops[static_cast<size_t>(i)]->results) add(v);
    };
    collect(b, position);
    for (auto [block, at] : enclosing_) {
      // Inside a loop, what the loop carries or uses again in its next iteration is live as well.
      collect(*block, at);
      for (ValueId v : live_.deaths(block, at))
        if (tile_dies(v)) e->live_tiles.push_back(plan_->slots[v].index);
    }
    // Uses by the same op (a value stored and used later) are covered by `last > position`.
    std::sort(e->live_tiles.begin(), e->live_tiles.end());
    e->live_tiles.erase(std::unique(e->live_tiles.begin(), e->live_tiles.end()), e->live_tiles.end());
    inst.extra = e;
  }

  // ---- moves between slots, as if all at once ----
  struct Move {
    ValueId from;
    Slot to;
    bool last;  ///< the value dies here
  };
  void emit_move(Slot from, Slot to, bool last) {
    if (from.index == to.index) return;
    Inst inst;
    inst.run = from.scalar ? run_move_register : run_move_tile;
    inst.in[0] = from.index;
    inst.operands = 1;
    inst.scalars = from.scalar ? 1 : 0;
    inst.out = to.index;
    inst.kill = last && !from.scalar ? 1 : 0;
    push(inst);
  }
  void emit_moves(std::vector<Move> moves) {
    auto same = [](Slot a, Slot b) { return a.scalar == b.scalar && a.index == b.index; };
    // A source that an earlier move overwrites is set aside first.
    std::vector<std::pair<Slot, bool>> from(moves.size());
    for (size_t i = 0; i < moves.size(); ++i) from[i] = {plan_->slots[moves[i].from], moves[i].last};
    for (size_t i = 0; i < moves.size(); ++i) {
      // Only the last of several moves of one value may take it.
      for (size_t j = i + 1; j < moves.size(); ++j)
        if (moves[j].from == moves[i].from) from[i].second = false;
      // A value that stays in its own slot is not taken from it.
      for (size_t j = 0; j < moves.size(); ++j)
        if (same(from[i].first, moves[j].to) && moves[j].from == moves[i].from) from[i].second = false;
    }
    for (size_t i = 0; i < moves.size(); ++i) {
      bool overwritten = false;
      for (size_t j = 0; j < i; ++j) overwritten |= same(moves[j].to, from[i].first) && !same(from[j].first, moves[j].to);
      if (!overwritten) continue;
      const Slot t = temporary(fn_.type(moves[i].from));
      pending_.push_back({from[i].first, t, from[i].second});
      from[i] = {t, true};
    }
    for (auto& p : pending_) emit_move(p.from, p.to, p.last);
    pending_.clear();
    for (size_t i = 0; i < moves.size(); ++i) emit_move(from[i].first, moves[i].to, from[i].second);
  }
  struct Pending {
    Slot from, to;
    bool last;
  };
  std::vector<Pending> pending_;

  // Moves of a region's terminator, then the end of its other values.
  void emit_terminator(const Block& b, size_t skip, const std::vector<ValueId>& to, size_t to_skip) {
    const int position = static_cast<int>(b.ops.size()) - 1;
    const Op& end = *b.ops.back();
    std::vector<ValueId> dying = dying_tiles(b, position);
    std::vector<Move> moves;
    for (size_t i = skip; i < end.operands.size(); ++i) {
      const ValueId v = end.operands[i];
      const bool last = std::find(dying.begin(), dying.end(), v) != dying.end();
      moves.push_back({v, plan_->slots[to[i - skip + to_skip]], last});
    }
    emit_moves(moves);
  }

  // ---- control flow ----
  // Slots of carried values get the initial values; a value that dies at the loop is moved, else shared.
  void emit_initial(const Op& op, size_t skip, const std::vector<ValueId>& to, size_t to_skip,
                    std::vector<ValueId>& dying) {
    std::vector<Move> moves;
    for (size_t i = skip; i < op.operands.size(); ++i) {
      const ValueId v = op.operands[i];
      auto it = std::find(dying.begin(), dying.end(), v);
      const bool last = it != dying.end() && !live_.used_inside(&op, v);
      moves.push_back({v, assign_slot(to[i - skip + to_skip]), last});
    }
    for (const Move& mv : moves)
      if (mv.last) dying.erase(std::remove(dying.begin(), dying.end(), mv.from), dying.end());
    emit_moves(moves);
  }

  // A step of control flow: what `results` names has its values when the program comes here.
  void mark(const Op& op, StepPhase phase, const std::vector<ValueId>& results, int32_t loop = -1) {
    if (fast_) return;
    auto* e = ctx_.extra<Mark>();
    e->phase = phase;
    e->results = &results;
    Inst inst;
    inst.run = run_mark;
    inst.op = &op;
    inst.extra = e;
    inst.index = loop;
    push(inst);
  }

  int32_t open_loop(const Op& op) {
    LoopInfo info;
    info.op = &op;
    info.parent = loop_;
    plan_->loops.push_back(info);
    return static_cast<int32_t>(plan_->loops.size()) - 1;
  }

  void emit_for(const Block& b, int position, const Op& op) {
    const Block& body = op.regions[0];
    std::vector<ValueId> dying = dying_tiles(b, position);
    emit_initial(op, 3, body.args, 1, dying);
    for (size_t i = 0; i < op.results.size(); ++i) share_slot(op.results[i], plan_->slots[body.args[i + 1]]);
    const int32_t outer = loop_, id = open_loop(op);
    Inst begin;
    begin.run = run_loop_begin;
    begin.op = &op;
    begin.operands = 3;
    begin.scalars = 7;
    for (size_t k = 0; k < 3; ++k) begin.in[k] = plan_->slots[op.operands[k]].index;
    begin.dtype = fn_.type(body.args[0]).elem;
    begin.out = assign_slot(body.args[0]).index;
    begin.index = id;
    const int32_t begin_at = push(begin);
    loop_ = id;
    const int32_t body_at = here();
    mark(op, StepPhase::Iteration, body.args, id);
    enclosing_.push_back({&b, position});
    emit_block(body);
    if (error_) return;
    emit_terminator(body, 0, body.args, 1);
    enclosing_.pop_back();
    Inst next = begin;
    next.run = run_loop_next;
    const int32_t next_at = push(next);
    plan_->loops[static_cast<size_t>(id)].steps = next_at - body_at + 1;
    loop_ = outer;
    jump_to(next_at, body_at);
    jump_to(begin_at, here());
    mark(op, StepPhase::Leave, op.results, id);
    kill_after(dying);
    kill_unused(op);
  }

  void emit_while(const Block& b, int position, const Op& op) {
    const Block& before = op.regions[0];
    const Block& body = op.regions[1];
    std::vector<ValueId> dying = dying_tiles(b, position);
    emit_initial(op, 0, before.args, 0, dying);
    const int32_t outer = loop_, id = open_loop(op);
    Inst begin;
    begin.run = run_while_begin;
    begin.op = &op;
    begin.index = id;
    push(begin);
    loop_ = id;
    const int32_t top = here();
    mark(op, StepPhase::Iteration, before.args, id);
    enclosing_.push_back({&b, position});
    emit_block(before);
    if (error_) return;
    const Op& condition = *before.ops.back();
    Inst test;
    test.run = run_jump_if_false;
    test.op = &op;
    test.operands = 1;
    test.scalars = 1;
    test.in[0] = plan_->slots[condition.operands[0]].index;
    const int32_t test_at = push(test);
    for (ValueId v : body.args) assign_slot(v);
    for (ValueId v : op.results) assign_slot(v);
    emit_terminator(before, 1, body.args, 0);
    mark(condition, StepPhase::Op, body.args);
    for (ValueId v : body.args)
      if (live_.last(v) < 0) kill_after({v});
    emit_block(body);
    if (error_) return;
    emit_terminator(body, 0, before.args, 0);
    enclosing_.pop_back();
    Inst next = begin;
    next.run = run_while_next;
    const int32_t next_at = push(next);
    plan_->loops[static_cast<size_t>(id)].steps = next_at - top + 1;
    jump_to(next_at, top);
    jump_to(test_at, here());
    static const std::vector<ValueId> none;
    mark(condition, StepPhase::Op, none);
    loop_ = outer;
    emit_terminator(before, 1, op.results, 0);
    mark(op, StepPhase::Leave, op.results, id);
    kill_after(dying);
    kill_unused(op);
  }

  void emit_if(const Block& b, int position, const Op& op) {
    std::vector<ValueId> dying = dying_tiles(b, position);
    for (ValueId r : op.results) assign_slot(r);
    Inst test;
    test.run = run_jump_if_false;
    test.op = &op;
    test.operands = 1;
    test.scalars = 1;
    test.in[0] = plan_->slots[op.operands[0]].index;
    const int32_t test_at = push(test);
    enclosing_.push_back({&b, position});
    emit_block(op.regions[0]);
    if (error_) return;
    emit_terminator(op.regions[0], 0, op.results, 0);
    Inst jump;
    jump.run = run_jump;
    const int32_t jump_at = push(jump);
    jump_to(test_at, here());
    emit_block(op.regions[1]);
    if (error_) return;
    emit_terminator(op.regions[1], 0, op.results, 0);
    enclosing_.pop_back();
    jump_to(jump_at, here());
    mark(op, StepPhase::Op, op.results);
    kill_after(dying);
    kill_unused(op);
  }

  void kill_unused(const Op& op) {
    for (ValueId r : op.results)
      if (live_.last(r) < 0) kill_after({r});
  }

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

}  // namespace

Expected<std::unique_ptr<Plan>> make_plan(const Function& f, const RunOptions& options, PlanStyle style) {
  return Planner(f, options, style).build();
}

}  // namespace tilescope
