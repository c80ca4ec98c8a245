// The instructions that log accesses, and the log.
#include <algorithm>

#include "sim/cost/traffic_machine.h"
#include "sim/exec_access.h"

namespace tilescope {
namespace cost {

AccessLog::AccessLog(const LogPlan& plan) : plan_(plan), times_(plan.place_flops.size(), 0) {
  costs_.reserve(plan.ops->size());
  for (const MemoryOp& op : *plan.ops) costs_.emplace_back(op.layout, op.type);
}

// A part without rows.
AccessRows& AccessLog::start(int op, int tensor) {
  AccessRows& r = out_->emplace_back();
  r.op = op;
  r.tensor = tensor;
  r.rows = 0;
  r.first = first_;
  r.flops_before = flops_;
  flops_ = 0;
  first_ = false;
  return r;
}

void AccessLog::masked(int op) {
  first_ = true;
  start(op, plan_.tensors[static_cast<size_t>(op)]);
}

void AccessLog::affine(int op, int tensor, uint64_t base, const int64_t* strides, const Box& on) {
  const AccessCost& cost = costs_[static_cast<size_t>(op)].affine(base, strides, on);
  first_ = true;
  AccessRows* r = &start(op, tensor);
  r->lanes = static_cast<uint32_t>(cost.lanes);
  r->requests = static_cast<uint32_t>(cost.count.requests);
  r->sectors = static_cast<uint32_t>(cost.count.sectors);
  const ByteRect& c = cost.covers;
  uint64_t from = base + c.start;
  std::array<int64_t, kMaxRank> at{};
  for (int axis = 0;;) {
    r->start = from;
    r->bytes = static_cast<uint32_t>(c.bytes);
    r->rows = static_cast<uint32_t>(c.rows);
    r->stride = static_cast<int64_t>(c.stride);
    for (axis = cost.outer_rank - 1; axis >= 0; --axis) {
      from += static_cast<uint64_t>(cost.outer_strides[axis]);
      if (++at[axis] < cost.outer_dims[axis]) break;
      from -= static_cast<uint64_t>(cost.outer_strides[axis] * cost.outer_dims[axis]);
      at[axis] = 0;
    }
    if (axis < 0) return;
    r = &start(op, tensor);
  }
}

int AccessLog::tensor_at(uint64_t address) const {
  const uint64_t region = (address >> Memory::kRegionBits) - 1;
  return region < static_cast<uint64_t>(plan_.memory_size) ? static_cast<int>(region) : -1;
}

void AccessLog::lanes(int op, const uint64_t* addresses, const uint8_t* active, int64_t n) {
  constexpr int kOff = -2;
  int tensor = kOff;
  AccessRows whole;
  for (int64_t l = 0; l < n; ++l) {
    if (active != nullptr && !active[l]) continue;
    const int t = tensor_at(addresses[l]);
    if (tensor == kOff) tensor = t;
    if (t != tensor) return several(op, addresses, active, n);
    ++whole.lanes;
  }
  if (tensor == kOff) return masked(op);
  const RequestCount c = costs_[static_cast<size_t>(op)].lanes(addresses, active);
  whole.requests = static_cast<uint32_t>(c.requests);
  whole.sectors = static_cast<uint32_t>(c.sectors);
  first_ = true;
  runs(op, tensor, addresses, active, n, whole);
}

// A tile of pointers into more than one tensor: each gets its lanes.
void AccessLog::several(int op, const uint64_t* addresses, const uint8_t* active, int64_t n) {
  std::vector<int> owners;
  std::vector<uint8_t> mine(static_cast<size_t>(n));
  for (int64_t l = 0; l < n; ++l) {
    if (active != nullptr && !active[l]) continue;
    const int t = tensor_at(addresses[l]);
    if (std::find(owners.begin(), owners.end(), t) == owners.end()) owners.push_back(t);
  }
  AccessCosts& costs = costs_[static_cast<size_t>(op)];
  const uint64_t all = costs.lanes(addresses, active).requests;
  uint64_t counted = 0;
  first_ = true;
  for (int t : owners) {
    AccessRows whole;
    for (int64_t l = 0; l < n; ++l) {
      mine[static_cast<size_t>(l)] = (active == nullptr || active[l]) && tensor_at(addresses[l]) == t;
      whole.lanes += mine[static_cast<size_t>(l)];
    }
    const RequestCount c = costs.lanes(addresses, mine.data());
    whole.requests = static_cast<uint32_t>(c.requests);
    whole.sectors = static_cast<uint32_t>(c.sectors);
    counted += c.requests;
    if (t == owners.back()) whole.shared_requests = static_cast<uint32_t>(counted - all);
    runs(op, t, addresses, mine.data(), n, whole);
  }
}

// Lanes at neighbouring addresses make runs; equal runs at equal distances make rows.
void AccessLog::runs(int op, int tensor, const uint64_t* addresses, const uint8_t* active, int64_t n, const AccessRows& whole) {
  const auto size = static_cast<uint64_t>((*plan_.ops)[static_cast<size_t>(op)].type.elem_bytes);
  AccessRows* r = &start(op, tensor);
  r->lanes = whole.lanes;
  r->requests = whole.requests;
  r->sectors = whole.sectors;
  r->shared_requests = whole.shared_requests;
  const auto close = [&](uint64_t from, uint64_t to) {
    const auto bytes = static_cast<uint32_t>(to - from);
    if (r->rows == 0) {
      r->start = from, r->bytes = bytes, r->rows = 1;
    } else if (r->bytes == bytes && r->rows == 1 && from >= r->start + bytes) {
      r->stride = static_cast<int64_t>(from - r->start), r->rows = 2;
    } else if (r->bytes == bytes && r->rows > 1 && from == r->start + r->rows * static_cast<uint64_t>(r->stride)) {
      ++r->rows;
    } else {
      r = &start(op, tensor);
      r->start = from, r->bytes = bytes, r->rows = 1;
    }
  };
  uint64_t from = 0, to = 0;
  for (int64_t l = 0; l < n; ++l) {
    if (active != nullptr && !active[l]) continue;
    const uint64_t a = addresses[l];
    if (a >= from && a < to) continue;  // lanes may share an element
    if (a != to || to == 0) {
      if (to != 0) close(from, to);
      from = a;
    }
    to = a + size;
  }
  close(from, to);
}

}  // namespace cost

namespace {

constexpr int kCasMask = 3;  // it has none

int mask_operand(OpCode c) { return c == OpCode::Load ? 1 : c == OpCode::AtomicCas ? kCasMask : 2; }

void log_scalar(cost::TrafficMachine& m, const Inst* i) {
  const int mask = mask_operand(i->op->code);
  const auto k = static_cast<size_t>(mask);
  const bool has_mask = i->operands > mask, on = !has_mask || m.reg(i->in[k]) != 0;
  if (m.poisoned && m.plan.options.check.addresses) {
    if (has_mask && m.reg_poison(i->in[k])) m.fault(i, FaultKind::PoisonedUse, 0, "mask");
    if (on && m.reg_poison(i->in[0])) m.fault(i, FaultKind::PoisonedUse, 0, "address");
  }
  if (!on) return m.log.masked(i->index);
  const uint64_t address = m.reg(i->in[0]);
  const LanePlace p = find_lane(m, address, i->type->elem_bytes, nullptr);
  if (p.range == nullptr) fault_at_lanes(m, i, &address, nullptr, 1, i->type->elem_bytes, has_mask);
  static constexpr int64_t kNone[kMaxRank] = {};
  m.log.affine(i->index, p.range == nullptr ? -1 : p.range->index, address, kNone, i->type->whole);
}

void log_tile(cost::TrafficMachine& m, const Inst* i) {
  const TileType& type = *i->type;
  const int mask = mask_operand(i->op->code);
  Tile& pointers = m.tile(i->in[0]);
  const Active active = active_lanes(m, i, mask, type);
  if (m.poisoned) [[unlikely]] check_pointer_poison(m, i, pointers, type, active);
  if (active.kind == Active::Kind::None) return m.log.masked(i->index);
  if (const AffineAccess a = affine_access(m, pointers, type, active); a.range != nullptr)
    return m.log.affine(i->index, a.range->index, a.base, a.strides, *active.box);
  Storage* flags = nullptr;
  const uint64_t* addresses = lane_addresses(m, i, 0);
  const uint8_t* on = lane_flags(m, active, type, flags);
  fault_at_lanes(m, i, addresses, on, type.elements, type.elem_bytes, i->operands > mask);
  m.log.lanes(i->index, addresses, on, type.elements);
  if (flags != nullptr) m.pool.release(flags);
}

const Inst* run_access_log(Machine& machine, const Inst* i) {
  auto& m = static_cast<cost::TrafficMachine&>(machine);
  m.current = i;
  m.log.place(i->imm);
  if (i->type->rank == 0) {
    log_scalar(m, i);
  } else {
    log_tile(m, i);
    m.finish(i);
  }
  return i + 1;
}

const Inst* run_place(Machine& machine, const Inst* i) {
  static_cast<cost::TrafficMachine&>(machine).log.place(i->index);
  return i + 1;
}

}  // namespace

Handler access_log_handler() { return run_access_log; }
Handler place_handler() { return run_place; }

}  // namespace tilescope
