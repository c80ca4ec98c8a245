// Atomics, lane by lane in row-major order. Each update is one compare-and-swap on the host, so that kernels whose
// result does not depend on the order may run their programs in parallel.
#include <atomic>

#include "sim/exec_access.h"

namespace tilescope {
namespace {

/// Exchanges `desired(old)` for the element's bits; returns the old bits. The address is aligned.
template <class Word, class Fn>
uint64_t update_word(std::byte* p, Fn&& desired) {
  std::atomic_ref<Word> ref(*reinterpret_cast<Word*>(p));
  Word old = ref.load(std::memory_order_relaxed);
  while (!ref.compare_exchange_weak(old, static_cast<Word>(desired(static_cast<uint64_t>(old))), std::memory_order_relaxed)) {
  }
  return old;
}
template <class Fn>
uint64_t update(int bytes, std::byte* p, Fn&& desired) {
  switch (bytes) {
    case 1: return update_word<uint8_t>(p, desired);
    case 2: return update_word<uint16_t>(p, desired);
    case 4: return update_word<uint32_t>(p, desired);
    default: return update_word<uint64_t>(p, desired);
  }
}

uint64_t bits_at(int bytes, const std::byte* p) {
  uint64_t x = 0;
  std::memcpy(&x, p, static_cast<size_t>(bytes));
  return x;
}

// The new bits of a read-modify-write: an exchange when there is no kernel.
uint64_t combine(const Inst* i, uint64_t old, const std::byte* value, int bytes) {
  if (i->kernel == nullptr) return bits_at(bytes, value);
  const Lanes in[2] = {{&old, 1}, {value, 1}};
  uint64_t out = 0;
  i->kernel(1, &out, in);
  return out;
}

struct Operands {
  const uint64_t* addresses;
  const std::byte* values;
  const std::byte* desired;
  const uint8_t* on;
};

// One element: its old bits. `poison` tells whether the old value was uninitialised.
uint64_t update_lane(Machine& m, const Inst* i, TensorRange& r, const Operands& o, int64_t l, bool& poison) {
  const int bytes = i->type->elem_bytes;
  const uint64_t address = o.addresses[l];
  if (!r.backed) return 0;
  poison = !r.written.empty() && !r.all_written(address, bytes);
  const bool exchange = i->op->code == OpCode::AtomicRmw && i->kernel == nullptr;
  if (poison && !exchange && m.plan.options.check.uninitialised) {
    RawFault f;
    f.kind = FaultKind::UninitialisedRead;
    f.inst = i;
    f.lane = l;
    f.address = address;
    m.fault(std::move(f));
  }
  if (!r.written.empty()) r.mark_written(address, bytes);
  std::byte* p = r.host(address);
  if (i->op->code == OpCode::AtomicRmw)
    return update(bytes, p, [&](uint64_t old) { return combine(i, old, o.values + l * bytes, bytes); });
  const uint64_t expected = bits_at(bytes, o.values + l * bytes), desired = bits_at(bytes, o.desired + l * bytes);
  return update(bytes, p, [&](uint64_t old) { return old == expected ? desired : old; });
}

const Inst* run_atomic(Machine& m, const Inst* i) {
  m.current = i;
  const TileType& type = *i->type;
  Tile& pointers = m.tile(i->in[0]);
  Tile& out = m.tile(i->out);
  const bool cas = i->op->code == OpCode::AtomicCas;
  const Active active = active_lanes(m, i, cas ? 3 : 2, type);
  if (m.poisoned) [[unlikely]] {
    check_pointer_poison(m, i, pointers, type, active);
    check_value_poison(m, i, m.tile(i->in[1]), type, active);
    if (cas) check_value_poison(m, i, m.tile(i->in[2]), type, active);
  }
  std::byte* old = allocate(m, out, type);
  fill(type.elem_bytes, old, type.elements, 0);
  if (active.kind == Active::Kind::None) {
    if (m.recorder != nullptr) m.recorder->masked(i->index);
    m.poisoned = m.masked_poison = true;
    set_poison(out, all_poisoned(type));
    m.finish(i);
    return i + 1;
  }
  Storage *flags = nullptr, *poison = nullptr;
  Operands o{};
  o.addresses = lane_addresses(m, i, 0);
  o.values = private_lanes(m, m.tile(i->in[1]), type);
  if (cas) o.desired = private_lanes(m, m.tile(i->in[2]), type);
  o.on = lane_flags(m, active, type, flags);
  fault_at_lanes(m, i, o.addresses, o.on, type.elements, type.elem_bytes, !active.all);
  if (m.recorder != nullptr) m.recorder->lanes(i->index, o.addresses, o.on, type.elements);
  if (m.accesses != nullptr) {
    m.accesses->lanes(i->index, m.memory, o.addresses, o.on, type.elements);
    m.accesses->synchronise(i->index);
  }
  auto mark = [&](int64_t l) {
    if (poison == nullptr) {
      poison = m.acquire(type.elements);
      std::memset(poison->data, 0, static_cast<size_t>(type.elements));
    }
    poison->data[l] = std::byte{1};
  };
  TensorRange* r = nullptr;
  for (int64_t l = 0; l < type.elements; ++l) {
    const LanePlace p = o.on != nullptr && !o.on[l] ? LanePlace{} : find_lane(m, o.addresses[l], type.elem_bytes, r);
    if (p.range == nullptr) {  // masked off, or outside with bounds unchecked
      mark(l);
      continue;
    }
    if (p.range != r) detach_views(m, i, p.range->index);
    r = p.range;
    bool unwritten = false;
    write_bits(type.elem_bytes, old + l * type.elem_bytes, update_lane(m, i, *r, o, l, unwritten));
    if (unwritten) mark(l);
  }
  if (flags != nullptr) m.pool.release(flags);
  if (poison != nullptr) {
    m.poisoned = m.masked_poison = true;
    out.poison = PoisonKind::Lanes;
    out.poison_lanes = poison;
  }
  m.finish(i);
  return i + 1;
}

const Inst* run_atomic_scalar(Machine& m, const Inst* i) {
  m.current = i;
  const bool cas = i->op->code == OpCode::AtomicCas;
  const bool on = cas || i->operands <= 2 || m.reg(i->in[2]) != 0;
  if (m.poisoned) {
    const Checkers& check = m.plan.options.check;
    if (check.addresses && !cas && i->operands > 2 && m.reg_poison(i->in[2])) m.fault(i, FaultKind::PoisonedUse, 0, "mask");
    if (check.addresses && on && m.reg_poison(i->in[0])) m.fault(i, FaultKind::PoisonedUse, 0, "address");
    if (check.uninitialised && on && m.reg_poison(i->in[1])) m.fault(i, FaultKind::PoisonedUse, 0, "value");
  }
  Operands o{};
  o.addresses = &m.reg(i->in[0]);
  o.values = reinterpret_cast<const std::byte*>(&m.reg(i->in[1]));
  if (cas) o.desired = reinterpret_cast<const std::byte*>(&m.reg(i->in[2]));
  uint64_t old = 0;
  bool poison = true;
  if (!on) {
    if (m.recorder != nullptr) m.recorder->masked(i->index);
  } else if (const LanePlace p = find_lane(m, *o.addresses, i->type->elem_bytes, nullptr); p.range == nullptr) {
    fault_at_lanes(m, i, o.addresses, nullptr, 1, i->type->elem_bytes, false);
  } else {
    detach_views(m, i, p.range->index);
    if (m.recorder != nullptr) m.recorder->lanes(i->index, o.addresses, nullptr, 1);
    if (m.accesses != nullptr) {
      m.accesses->lanes(i->index, m.memory, o.addresses, nullptr, 1);
      m.accesses->synchronise(i->index);
    }
    old = update_lane(m, i, *p.range, o, 0, poison);
  }
  m.poisoned = m.poisoned || poison;
  m.masked_poison = m.masked_poison || !on;
  m.reg(i->out) = canonical(i->type->dtype, old);
  if (m.poisoned) m.reg_poison(i->out) = poison;
  return i + 1;
}

}  // namespace

bool plan_atomic(PlanContext& c, const Op& op, Inst& inst) {
  if (op.code != OpCode::AtomicRmw && op.code != OpCode::AtomicCas) return false;
  inst.run = inst.type->rank == 0 ? run_atomic_scalar : run_atomic;
  if (op.code == OpCode::AtomicCas) return true;
  const std::string_view kind = op.str_attr("kind");
  const DType t = c.type(op.operands[1]).elem;
  struct Row {
    std::string_view kind;
    OpCode code;
  };
  constexpr Row rows[] = {{"add", OpCode::Add}, {"max", OpCode::Maximum}, {"min", OpCode::Minimum},
                          {"and", OpCode::BitAnd}, {"or", OpCode::BitOr}, {"xor", OpCode::BitXor}};
  for (const Row& r : rows)
    if (r.kind == kind) inst.kernel = elementwise_kernel(r.code, t);
  // Triton compares the bits of floats as integers, where a NaN is above infinity: max keeps it, min drops it.
  if (kind == "max" && is_float(t)) inst.kernel = elementwise_kernel(OpCode::MaximumNan, t);
  if (inst.kernel == nullptr && kind != "xchg") c.error = "atomic " + std::string(kind) + " on " + std::string(dtype_name(t)) + " is not supported by the simulator";
  return true;
}

}  // namespace tilescope
