// Poison, lane by lane: only programs that have some come here.
#include "sim/machine.h"

namespace tilescope {
namespace {

// One byte a lane for the union so far; owned by `p` afterwards.
uint8_t* spread(Machine& m, Poison& p, const TileType& type) {
  if (p.kind == PoisonKind::Lanes) return reinterpret_cast<uint8_t*>(p.lanes->data);
  Tile t;
  t.poison = p.kind;
  t.clean = p.clean;
  p.lanes = m.acquire(type.elements);
  write_poison(t, type, reinterpret_cast<uint8_t*>(p.lanes->data));
  p.kind = PoisonKind::Lanes;
  return reinterpret_cast<uint8_t*>(p.lanes->data);
}

void or_lanes(uint8_t* out, const uint8_t* in, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] |= in[i];
}

struct Side {
  const std::byte* lanes;
  std::vector<uint8_t> poison;
};
Side side(Machine& m, const Inst* i, int k) {
  const int32_t slot = i->in[static_cast<size_t>(k)];
  const TileType& type = m.type(slot);
  Side s{row_major_lanes(m, m.tile(slot), type), std::vector<uint8_t>(static_cast<size_t>(type.elements))};
  write_poison(m.tile(slot), type, s.poison.data());
  return s;
}

// A lane of `x & y` is clean when one side is a clean 0; of `x | y` when one side is clean ones.
Poison masked_poison(Machine& m, const Inst* i, bool is_and) {
  const TileType& type = m.type(i->in[0]);
  const Side a = side(m, i, 0), b = side(m, i, 1);
  const uint64_t decided = is_and ? 0 : canonical(type.dtype, ~uint64_t{0});
  Poison p;
  p.kind = PoisonKind::Lanes;
  p.lanes = m.acquire(type.elements);
  auto* out = reinterpret_cast<uint8_t*>(p.lanes->data);
  for (int64_t l = 0; l < type.elements; ++l) {
    const auto at = static_cast<size_t>(l);
    const bool by_a = !a.poison[at] && read_bits(type.dtype, a.lanes + l * type.elem_bytes) == decided;
    const bool by_b = !b.poison[at] && read_bits(type.dtype, b.lanes + l * type.elem_bytes) == decided;
    out[l] = (a.poison[at] | b.poison[at]) && !by_a && !by_b;
  }
  return p;
}

Poison select_poison(Machine& m, const Inst* i) {
  const int32_t slot = i->in[0];
  const TileType& type = m.type(slot);
  const Side c = side(m, i, 0);
  std::vector<uint8_t> y(static_cast<size_t>(type.elements)), z(y.size());
  write_poison(m.tile(i->in[1]), m.type(i->in[1]), y.data());
  write_poison(m.tile(i->in[2]), m.type(i->in[2]), z.data());
  Poison p;
  p.kind = PoisonKind::Lanes;
  p.lanes = m.acquire(type.elements);
  auto* out = reinterpret_cast<uint8_t*>(p.lanes->data);
  for (size_t l = 0; l < y.size(); ++l) out[l] = c.poison[l] | (c.lanes[l] != std::byte{0} ? y[l] : z[l]);
  return p;
}

// Whether the lanes outside `clean` are the same for both, so that nothing needs to be spread.
bool has_any(const Poison& p, const TileType& type) {
  if (p.kind != PoisonKind::Lanes) return p.kind != PoisonKind::Clean;
  return std::memchr(p.lanes->data, 1, static_cast<size_t>(type.elements)) != nullptr;
}

}  // namespace

void write_poison(const Tile& t, const TileType& type, uint8_t* out) {
  const auto n = static_cast<size_t>(type.elements);
  if (t.poison == PoisonKind::Clean) {
    std::memset(out, 0, n);
  } else if (t.poison == PoisonKind::Lanes) {
    std::memcpy(out, t.poison_lanes->data, n);
  } else {
    for (size_t l = 0; l < n; ++l) {
      size_t rest = l;
      uint8_t inside = 1;
      for (int a = type.rank - 1; a >= 0; --a) {
        const auto dim = static_cast<size_t>(type.dims[a]);
        const auto at = static_cast<int32_t>(rest % dim);
        rest /= dim;
        inside &= static_cast<uint8_t>(at >= t.clean.lo[a] && at < t.clean.hi[a]);
      }
      out[l] = !inside;
    }
  }
}

Poison all_poisoned(const TileType& type) {
  Poison p;
  p.kind = PoisonKind::Outside;
  p.clean = type.whole;
  if (type.rank > 0) p.clean.hi[0] = 0;
  return p;
}

void add_poison(Machine& m, Poison& p, const Tile& t, const TileType& type) {
  if (t.poison == PoisonKind::Clean) return;
  if (p.kind == PoisonKind::Clean) {
    p.kind = t.poison;
    p.clean = t.clean;
    if (t.poison == PoisonKind::Lanes) {
      p.lanes = m.acquire(type.elements);
      std::memcpy(p.lanes->data, t.poison_lanes->data, static_cast<size_t>(type.elements));
    }
    return;
  }
  if (p.kind == PoisonKind::Outside && t.poison == PoisonKind::Outside) {
    p.clean.intersect(t.clean, type.rank);
    return;
  }
  uint8_t* out = spread(m, p, type);
  if (t.poison == PoisonKind::Lanes) return or_lanes(out, reinterpret_cast<uint8_t*>(t.poison_lanes->data), type.elements);
  std::vector<uint8_t> other(static_cast<size_t>(type.elements));
  write_poison(t, type, other.data());
  or_lanes(out, other.data(), type.elements);
}

Poison elementwise_poison(Machine& m, const Inst* i) {
  const OpCode code = i->op->code;
  bool some = false;
  for (int k = 0; k < i->operands; ++k) some |= any_poison(m.tile(i->in[static_cast<size_t>(k)]));
  Poison p;
  if (!some) return p;
  if (code == OpCode::Select || code == OpCode::BitAnd || code == OpCode::BitOr) {
    p = code == OpCode::Select ? select_poison(m, i) : masked_poison(m, i, code == OpCode::BitAnd);
    if (!has_any(p, m.type(i->in[0]))) {
      m.pool.release(p.lanes);
      p = Poison{};
    }
    return p;
  }
  for (int k = 0; k < i->operands; ++k) {
    const int32_t slot = i->in[static_cast<size_t>(k)];
    add_poison(m, p, m.tile(slot), m.type(slot));
  }
  return p;
}

}  // namespace tilescope
