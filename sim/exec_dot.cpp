// Dots: operands go to the kernels as views of wherever they lie.
#include "core/dot_contract.h"
#include "sim/dot.h"
#include "sim/exec_tile.h"

namespace tilescope {
namespace {

struct DotExtra : Extra {
  DotContract contract;
  int64_t batch = 1;
  int M = 1, N = 1, K = 1;
  TileType a, b;
};

DotOperand operand(const Tile& t, const TileType& type, int64_t batch) {
  const int r = type.rank;
  if (t.kind == TileKind::Uniform) return {&t.bits, type.dtype, 0, 0};
  const std::byte* data = t.data + (r == 3 ? batch * t.stride[0] : 0);
  return {data, type.dtype, t.stride[r - 2] / type.elem_bytes, t.stride[r - 1] / type.elem_bytes};
}

std::vector<uint8_t> poison_of(Machine& m, int32_t slot) {
  std::vector<uint8_t> p(static_cast<size_t>(m.type(slot).elements));
  write_poison(m.tile(slot), m.type(slot), p.data());
  return p;
}

// An element is poisoned when its row of a, its column of b or its accumulator has a poisoned lane.
Poison dot_poison(Machine& m, const Inst* i, const DotExtra& e) {
  Poison p;
  bool some = false;
  for (int k = 0; k < 3; ++k) some |= any_poison(m.tile(i->in[static_cast<size_t>(k)]));
  if (!some) return p;
  const std::vector<uint8_t> a = poison_of(m, i->in[0]), b = poison_of(m, i->in[1]), c = poison_of(m, i->in[2]);
  p.kind = PoisonKind::Lanes;
  p.lanes = m.acquire(i->type->elements);
  const auto M = static_cast<size_t>(e.M), N = static_cast<size_t>(e.N), K = static_cast<size_t>(e.K);
  for (size_t g = 0; g < static_cast<size_t>(e.batch); ++g) {
    std::vector<uint8_t> column(N, 0);
    for (size_t k = 0; k < K; ++k)
      for (size_t n = 0; n < N; ++n) column[n] |= b[(g * K + k) * N + n];
    for (size_t r = 0; r < M; ++r) {
      uint8_t row = 0;
      for (size_t k = 0; k < K; ++k) row |= a[(g * M + r) * K + k];
      for (size_t n = 0; n < N; ++n) p.lanes->data[(g * M + r) * N + n] = std::byte{static_cast<uint8_t>(row | column[n] | c[(g * M + r) * N + n])};
    }
  }
  return p;
}

const Inst* run_dot(Machine& m, const Inst* i) {
  m.current = i;
  const auto& e = *static_cast<const DotExtra*>(i->extra);
  Poison poison;
  if (m.poisoned) [[unlikely]] poison = dot_poison(m, i, e);
  Tile& accumulator = m.tile(i->in[2]);
  Tile& out = m.tile(i->out);
  for (int k = 0; k < 2; ++k) {
    Tile& t = m.tile(i->in[static_cast<size_t>(k)]);
    if (t.kind == TileKind::Affine || t.kind == TileKind::Mask) private_lanes(m, t, m.type(i->in[static_cast<size_t>(k)]));
  }
  // The chain continues in place when nothing else needs the old accumulator.
  if ((i->kill & 4) != 0 && accumulator.kind == TileKind::Memory && accumulator.row_major && accumulator.storage != nullptr &&
      accumulator.storage->references == 1 && accumulator.data == accumulator.storage->data) {
    out = accumulator;
    ++out.storage->references;
    out.poison = PoisonKind::Clean;
    out.poison_lanes = nullptr;
  } else {
    allocate(m, out, *i->type);
    write_lanes(m, accumulator, *i->type, out.data);
  }
  const int64_t step = int64_t{e.M} * e.N * i->type->elem_bytes;
  for (int64_t g = 0; g < e.batch; ++g)
    dot(e.contract, m.plan.options.dot, operand(m.tile(i->in[0]), e.a, g), operand(m.tile(i->in[1]), e.b, g), out.data + g * step, e.M,
        e.N, e.K, m.dot_scratch);
  if (m.poisoned) set_poison(out, poison);
  m.finish(i);
  return i + 1;
}

}  // namespace

bool plan_dot(PlanContext& c, const Op& op, Inst& inst) {
  if (op.code != OpCode::Dot) return false;
  auto* e = c.extra<DotExtra>();
  const std::optional<DotContract> contract = parse_dot_contract(op.str_attr("contract"));
  if (!contract) {
    c.error = "unknown dot contract `" + std::string(op.str_attr("contract")) + "`";
    return true;
  }
  e->contract = *contract;
  const Shape &a = c.type(op.operands[0]).shape, &b = c.type(op.operands[1]).shape;
  e->batch = a.rank == 3 ? a[0] : 1;
  e->M = static_cast<int>(a[a.rank - 2]);
  e->K = static_cast<int>(a[a.rank - 1]);
  e->N = static_cast<int>(b[b.rank - 1]);
  e->a = tile_type(c.type(op.operands[0]));
  e->b = tile_type(c.type(op.operands[1]));
  inst.extra = e;
  inst.run = run_dot;
  return true;
}

}  // namespace tilescope
