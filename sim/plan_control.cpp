// Planning of loops and branches, and of the moves that carry values from one region to the next.
#include <algorithm>

#include "sim/planner.h"

namespace tilescope {

void Planner::emit_move(Slot from, Slot to, bool last) {
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

void Planner::emit_moves(std::vector<Move> moves) {
  struct Pending {
    Slot from, to;
    bool last;
  };
  std::vector<Pending> pending;
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
    pending.push_back({from[i].first, t, from[i].second});
    from[i] = {t, true};
  }
  for (const Pending& p : pending) emit_move(p.from, p.to, p.last);
  for (size_t i = 0; i < moves.size(); ++i) emit_move(from[i].first, moves[i].to, from[i].second);
}

void Planner::emit_terminator(const Block& b, size_t skip, const std::vector<ValueId>& to, size_t to_skip) {
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

void Planner::emit_initial(const Op& op, size_t skip, const std::vector<ValueId>& to, size_t to_skip,
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

void Planner::mark(const Op& op, StepPhase phase, const std::vector<ValueId>& results, int32_t loop) {
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

int32_t Planner::open_loop(const Op& op) {
  LoopInfo info;
  info.op = &op;
  info.parent = loop_;
  plan_->loops.push_back(info);
  return static_cast<int32_t>(plan_->loops.size()) - 1;
}

void Planner::emit_for(const Block& b, int position, const Op& op) {
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

void Planner::emit_while(const Block& b, int position, const Op& op) {
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

void Planner::emit_if(const Block& b, int position, const Op& op) {
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

void Planner::kill_unused(const Op& op) {
  for (ValueId r : op.results)
    if (live_.last(r) < 0) kill_after({r});
}

}  // namespace tilescope
