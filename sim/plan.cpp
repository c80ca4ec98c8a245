#include "sim/plan.h"

#include <algorithm>

#include "core/stop.h"
#include "sim/planner.h"

namespace tilescope {

Expected<std::unique_ptr<Plan>> Planner::build() {
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

Slot Planner::assign_slot(ValueId v) {
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

Slot Planner::temporary(const Type& t) {
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

int32_t Planner::push(Inst i) {
  i.loop = loop_;
  plan_->code.push_back(i);
  return here() - 1;
}

void Planner::resolve_jumps() {
  for (auto [inst, target] : jumps_) plan_->code[static_cast<size_t>(inst)].target = &plan_->code[static_cast<size_t>(target)];
}

void Planner::fail(const Op& op, const std::string& what) {
  if (error_) return;
  Diagnostic d;
  d.message = what;
  if (op.loc) d.range = op.loc->range, d.calls = op.loc->calls;
  error_ = d;
}

void Planner::find_fused_stores(const Block& b) {
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

void Planner::emit_block(const Block& b) {
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

Inst Planner::basic_inst(const Op& op) {
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

void Planner::set_kills(Inst& inst, const Op& op, std::vector<ValueId>& dying) {
  for (size_t k = inst.operands; k-- > 0;) {
    auto it = std::find(dying.begin(), dying.end(), op.operands[k]);
    if (it == dying.end()) continue;
    inst.kill |= static_cast<uint8_t>(1u << k);
    dying.erase(it);
  }
}

std::vector<ValueId> Planner::dying_tiles(const Block& b, int position) const {
  std::vector<ValueId> out;
  for (ValueId v : live_.deaths(&b, position))
    if (tile_dies(v)) out.push_back(v);
  return out;
}

void Planner::plan_inst(const Op& op, Inst& inst) {
  stop_if_asked();
  if (op.operands.size() > Inst::kMaxOperands && op.code != OpCode::Print)
    return fail(op, "`" + std::string(op.info().name) + "` with more than " + std::to_string(Inst::kMaxOperands) + " operands is not supported by the simulator");
  const bool known = plan_scalar(ctx_, op, inst) || plan_elementwise(ctx_, op, inst) || plan_shape(ctx_, op, inst) ||
                     plan_reduce(ctx_, op, inst) || plan_dot(ctx_, op, inst) || plan_order(ctx_, op, inst) || plan_load(ctx_, op, inst) ||
                     plan_store(ctx_, op, inst) || plan_atomic(ctx_, op, inst) || plan_debug(ctx_, op, inst);
  if (!ctx_.error.empty()) return fail(op, ctx_.error);
  if (!known || inst.run == nullptr) fail(op, "the simulator does not know the op `" + std::string(op.info().name) + "`");
}

void Planner::emit_simple(const Block& b, int position, const Op& op) {
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

void Planner::emit_place() {
  if (!addresses_) return;
  Inst inst;
  inst.run = place_handler();
  inst.index = places_++;
  push(inst);
}

void Planner::write_out(const Op& op, std::vector<Inst>& code) {
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

void Planner::emit_fused(const Block& b, int position, const Op& producer, const Op& store) {
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

void Planner::kill_after(const std::vector<ValueId>& values) {
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

void Planner::add_memory_op(const Op& op, Inst& inst) {
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

void Planner::add_live_tiles(const Block& b, int position, Inst& inst) {
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

Expected<std::unique_ptr<Plan>> make_plan(const Function& f, const RunOptions& options, PlanStyle style) {
  return Planner(f, options, style).build();
}

}  // namespace tilescope
