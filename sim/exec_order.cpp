// Sort, top-k and histogram.
#include <algorithm>
#include <vector>

#include "sim/exec_tile.h"

namespace tilescope {
namespace {

/// A number whose unsigned order is the element's order; -0 and +0 are equal, NaN comes after all numbers.
uint64_t order_key(DType t, uint64_t bits, bool descending) {
  uint64_t key = 0;
  if (is_float(t)) {
    const int width = dtype_bits(t);
    const uint64_t sign = uint64_t{1} << (width - 1), magnitude = bits & (sign - 1);
    uint64_t infinity = 0;
    switch (t) {
      case DType::Float8E4NV: infinity = 0x7e; break;  // the largest number: e4m3 has no infinity
      case DType::Float8E5: infinity = 0x7c; break;
      case DType::Float16: infinity = 0x7c00; break;
      case DType::BFloat16: infinity = 0x7f80; break;
      case DType::Float32: infinity = 0x7f800000; break;
      default: infinity = 0x7ff0000000000000; break;
    }
    if (magnitude > infinity) return ~uint64_t{0};
    constexpr uint64_t kMiddle = uint64_t{1} << 63;
    key = (bits & sign) != 0 ? kMiddle - magnitude : kMiddle + magnitude;
  } else {
    key = is_signed_int(t) ? bits ^ (uint64_t{1} << 63) : bits;
    return descending ? ~key : key;
  }
  return descending ? ~key - 1 : key;
}

struct Keyed {
  uint64_t key, bits;
};

const Inst* run_sort(Machine& m, const Inst* i) {
  m.current = i;
  const TileType& from = m.type(i->in[0]);
  const TileType& to = *i->type;
  const bool descending = i->imm != 0;
  const int64_t n = from.dims[from.rank - 1], keep = to.dims[to.rank - 1], rows = from.elements / n;
  const std::byte* in = operand_lanes(m, i, 0);
  Tile& out = m.tile(i->out);
  std::byte* o = allocate(m, out, to);
  std::vector<Keyed> row(static_cast<size_t>(n));
  for (int64_t r = 0; r < rows; ++r) {
    m.spend(n * static_cast<int64_t>(sizeof(Keyed)));
    for (int64_t l = 0; l < n; ++l) {
      const uint64_t bits = read_bits(from.dtype, in + (r * n + l) * from.elem_bytes);
      row[static_cast<size_t>(l)] = {order_key(from.dtype, bits, descending), bits};
    }
    std::stable_sort(row.begin(), row.end(), [](const Keyed& a, const Keyed& b) { return a.key < b.key; });
    for (int64_t l = 0; l < keep; ++l) write_bits(to.elem_bytes, o + (r * keep + l) * to.elem_bytes, row[static_cast<size_t>(l)].bits);
  }
  const Tile& source = m.tile(i->in[0]);
  if (any_poison(source)) {  // where a poisoned lane goes is not known
    std::vector<uint8_t> p(static_cast<size_t>(from.elements));
    write_poison(source, from, p.data());
    Poison poison;
    poison.kind = PoisonKind::Lanes;
    poison.lanes = m.acquire(to.elements);
    for (int64_t r = 0; r < rows; ++r) {
      const bool some = std::find(p.begin() + r * n, p.begin() + (r + 1) * n, 1) != p.begin() + (r + 1) * n;
      std::memset(poison.lanes->data + r * keep, some, static_cast<size_t>(keep));
    }
    set_poison(out, poison);
  }
  m.finish(i);
  return i + 1;
}

const Inst* run_histogram(Machine& m, const Inst* i) {
  m.current = i;
  const TileType& from = m.type(i->in[0]);
  const int64_t bins = i->type->elements;
  const std::byte* in = operand_lanes(m, i, 0);
  const auto* mask = i->operands > 1 ? operand_lanes(m, i, 1) : nullptr;
  Tile& out = m.tile(i->out);
  auto* counts = reinterpret_cast<int32_t*>(allocate(m, out, *i->type));
  std::fill(counts, counts + bins, 0);
  std::vector<uint8_t> poison, mask_poison;
  if (m.poisoned) {
    poison.resize(static_cast<size_t>(from.elements));
    write_poison(m.tile(i->in[0]), from, poison.data());
    mask_poison.resize(poison.size());
    if (mask != nullptr) write_poison(m.tile(i->in[1]), m.type(i->in[1]), mask_poison.data());
  }
  bool spoilt = false;
  for (int64_t l = 0; l < from.elements; ++l) {
    const auto at = static_cast<size_t>(l);
    const bool on = mask == nullptr || mask[l] != std::byte{0};
    if (!poison.empty() && (mask_poison[at] || (on && poison[at]))) spoilt = true;
    if (!on) continue;
    const uint64_t v = read_bits(from.dtype, in + l * from.elem_bytes);
    if (v < static_cast<uint64_t>(bins)) ++counts[v];
  }
  if (spoilt) set_poison(out, all_poisoned(*i->type));
  m.finish(i);
  return i + 1;
}

}  // namespace

bool plan_order(PlanContext&, const Op& op, Inst& inst) {
  switch (op.code) {
    case OpCode::Sort:
      inst.imm = op.int_attr("descending");
      inst.run = run_sort;
      return true;
    case OpCode::TopK:
      inst.imm = 1;
      inst.run = run_sort;
      return true;
    case OpCode::Histogram:
      inst.run = run_histogram;
      return true;
    default:
      return false;
  }
}

}  // namespace tilescope
