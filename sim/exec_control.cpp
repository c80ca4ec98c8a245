// Moves, jumps and loops.
#include "sim/handlers.h"
#include "sim/words.h"

namespace tilescope {
namespace {

void count_steps(Machine& m, const Inst* i) {
  constexpr int64_t kWorkOfStep = 16;
  const int64_t steps = m.plan.loops[static_cast<size_t>(i->index)].steps;
  m.steps += static_cast<uint64_t>(steps);
  m.spend(kWorkOfStep * steps);
  if (m.steps <= m.plan.options.limits.max_steps_per_program) return;
  RawFault f;
  f.kind = FaultKind::Limit;
  f.inst = i;
  f.text = remember(say(SimWords::StillRunning, {{"n", static_cast<int64_t>(m.plan.options.limits.max_steps_per_program)}}));
  m.fault(std::move(f));
}

void require_clean(Machine& m, const Inst* i, int operands, const char* what) {
  if (!m.plan.options.check.addresses) return;
  for (int k = 0; k < operands; ++k)
    if (m.reg_poison(i->in[static_cast<size_t>(k)])) m.fault(i, FaultKind::PoisonedUse, 0, what);
}

// Number of iterations of for(value = lower; value < upper (or > when step < 0); value += step).
uint64_t trip_count(DType t, uint64_t lower, uint64_t upper, uint64_t step) {
  if (is_signed_int(t)) {
    const auto lo = static_cast<int64_t>(lower), hi = static_cast<int64_t>(upper), by = static_cast<int64_t>(step);
    if (by > 0) return lo < hi ? (upper - lower - 1) / step + 1 : 0;
    return lo > hi ? (lower - upper - 1) / (uint64_t{0} - step) + 1 : 0;
  }
  return lower < upper ? (upper - lower - 1) / step + 1 : 0;
}

}  // namespace

const Inst* run_move_register(Machine& m, const Inst* i) {
  m.reg(i->out) = m.reg(i->in[0]);
  m.reg_poison(i->out) = m.reg_poison(i->in[0]);
  return i + 1;
}

const Inst* run_move_tile(Machine& m, const Inst* i) {
  Tile& to = m.tile(i->out);
  Tile& from = m.tile(i->in[0]);
  if (to.kind != TileKind::None) m.release(to);
  to = from;
  if (i->kill != 0) {
    from.kind = TileKind::None;
    from.poison = PoisonKind::Clean;
    from.storage = nullptr;
    from.poison_lanes = nullptr;
  } else {
    if (to.storage != nullptr) ++to.storage->references;
    if (to.poison_lanes != nullptr) ++to.poison_lanes->references;
  }
  return i + 1;
}

const Inst* run_kill(Machine& m, const Inst* i) {
  m.finish(i);
  return i + 1;
}

const Inst* run_jump(Machine&, const Inst* i) { return i->target; }

const Inst* run_jump_if_false(Machine& m, const Inst* i) {
  if (m.poisoned) require_clean(m, i, 1, "condition");
  return m.reg(i->in[0]) != 0 ? i + 1 : i->target;
}

const Inst* run_loop_begin(Machine& m, const Inst* i) {
  if (m.poisoned) require_clean(m, i, 3, "loop bound");
  const uint64_t step = m.reg(i->in[2]);
  if (step == 0) m.fault(i, FaultKind::ZeroStep);
  LoopState& l = m.loops[static_cast<size_t>(i->index)];
  l.trips = trip_count(i->dtype, m.reg(i->in[0]), m.reg(i->in[1]), step);
  l.iteration = 0;
  l.value = m.reg(i->in[0]);
  l.step = step;
  if (l.trips == 0) return i->target;
  m.reg(i->out) = l.value;
  if (m.poisoned) m.reg_poison(i->out) = 0;
  return i + 1;
}

const Inst* run_loop_next(Machine& m, const Inst* i) {
  LoopState& l = m.loops[static_cast<size_t>(i->index)];
  count_steps(m, i);
  if (++l.iteration == l.trips) return i + 1;
  l.value = canonical(i->dtype, l.value + l.step);
  m.reg(i->out) = l.value;
  if (m.poisoned) m.reg_poison(i->out) = 0;
  return i->target;
}

const Inst* run_while_begin(Machine& m, const Inst* i) {
  m.loops[static_cast<size_t>(i->index)] = LoopState{};
  return i + 1;
}

const Inst* run_while_next(Machine& m, const Inst* i) {
  ++m.loops[static_cast<size_t>(i->index)].iteration;
  count_steps(m, i);
  return i->target;
}

const Inst* run_write_out(Machine& m, const Inst* i) {
  private_lanes(m, m.tile(i->in[0]), m.type(i->in[0]));
  return i + 1;
}

const Inst* run_mark(Machine&, const Inst* i) { return i + 1; }

const Inst* run_end(Machine&, const Inst*) { return nullptr; }

}  // namespace tilescope
