// device_print and device_assert.
#include <algorithm>

#include "core/tensor.h"
#include "sim/exec_access.h"
#include "sim/offset_shadow.h"

namespace tilescope {
namespace {

struct DebugExtra : Extra {
  std::string text;
  std::vector<Slot> slots;
  std::vector<TileType> types;
};

std::string lane_name(const TileType& type, int64_t lane) {
  std::array<int64_t, kMaxRank> at{};
  for (int a = type.rank - 1; a >= 0; --a) {
    at[a] = lane % type.dims[a];
    lane /= type.dims[a];
  }
  std::string out;
  for (int a = 0; a < type.rank; ++a) out += (a ? ", " : "") + std::to_string(at[a]);
  return out;
}

void print_line(Machine& m, std::string line) {
  const auto most = static_cast<size_t>(m.plan.options.limits.max_printed);
  m.printed.push_back({m.order, std::move(line)});
  if (m.printed.size() < 4 * (most + 16)) return;
  // Programs do not come in order: keep the first lines in program order.
  std::stable_sort(m.printed.begin(), m.printed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  m.printed.resize(most + 1);
}

const Inst* run_print(Machine& m, const Inst* i) {
  m.current = i;
  const auto& e = *static_cast<const DebugExtra*>(i->extra);
  std::string pid = "pid (" + std::to_string(m.program[0]) + ", " + std::to_string(m.program[1]) + ", " + std::to_string(m.program[2]) + ")";
  if (e.slots.empty()) print_line(m, pid + " " + e.text);
  for (size_t k = 0; k < e.slots.size(); ++k) {
    const TileType& type = e.types[k];
    const std::byte* lanes = nullptr;
    if (e.slots[k].scalar) lanes = reinterpret_cast<const std::byte*>(&m.reg(e.slots[k].index));
    else lanes = row_major_lanes(m, m.tile(e.slots[k].index), type);
    std::vector<uint8_t> undefined;  // nothing was stored there, or the load's mask left it open
    if (m.poisoned && m.plan.options.check.addresses) {
      undefined.resize(static_cast<size_t>(type.elements));
      if (e.slots[k].scalar) undefined[0] = m.reg_poison(e.slots[k].index);
      else write_poison(m.tile(e.slots[k].index), type, undefined.data());
    }
    const auto most = std::min<int64_t>(type.elements, static_cast<int64_t>(m.plan.options.limits.max_printed) + 1);
    for (int64_t l = 0; l < most; ++l)
      print_line(m, pid + " idx (" + lane_name(type, l) + ") " + e.text + (e.slots.size() > 1 ? " (operand " + std::to_string(k) + ")" : "") +
                        ": " + (!undefined.empty() && undefined[static_cast<size_t>(l)] ? "undefined" : format_element(type.dtype, lanes + l * type.elem_bytes)));
  }
  m.finish(i);
  return i + 1;
}

const Inst* run_assert(Machine& m, const Inst* i) {
  m.current = i;
  const auto& e = *static_cast<const DebugExtra*>(i->extra);
  const TileType& type = e.types[0];
  const std::byte* condition = operand_lanes(m, i, 0);
  const std::byte* mask = i->operands > 1 ? operand_lanes(m, i, 1) : nullptr;
  std::vector<uint8_t> poison;
  if (m.poisoned && m.plan.options.check.addresses) {
    poison.resize(static_cast<size_t>(type.elements));
    if (e.slots[0].scalar) poison[0] = m.reg_poison(e.slots[0].index);
    else write_poison(m.tile(e.slots[0].index), type, poison.data());
  }
  RawFault f;
  f.lanes = 0;
  for (int64_t l = 0; l < type.elements; ++l) {
    if (mask != nullptr && mask[l] == std::byte{0}) continue;
    const bool unknown = !poison.empty() && poison[static_cast<size_t>(l)];
    if (condition[l] != std::byte{0} && !unknown) continue;
    const FaultKind kind = unknown ? FaultKind::PoisonedUse : FaultKind::AssertFailed;
    if (f.lanes == 0) {
      f.kind = kind;
      f.lane = l;
      f.text = unknown ? "condition" : e.text;
    }
    if (kind == f.kind) ++f.lanes;
  }
  f.inst = i;
  if (f.lanes != 0) m.fault(std::move(f));
  m.finish(i);
  return i + 1;
}

}  // namespace

bool plan_debug(PlanContext& c, const Op& op, Inst& inst) {
  if (op.info().group != OpGroup::Debug) return false;
  if (op.find_attr(kOverflowAttr) != nullptr) return plan_overflow(c, op, inst);
  auto* e = c.extra<DebugExtra>();
  e->text = op.str_attr("text");
  for (ValueId v : op.operands) {
    e->slots.push_back(c.slot(v));
    e->types.push_back(tile_type(c.type(v)));
  }
  inst.extra = e;
  inst.run = op.code == OpCode::Print ? run_print : run_assert;
  return true;
}

}  // namespace tilescope
