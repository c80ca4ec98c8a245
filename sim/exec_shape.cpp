// Shape ops: most of them only look at the same lanes in another way.
#include "sim/exec_tile.h"
#include "sim/words.h"

namespace tilescope {
namespace {

const Inst* run_constant(Machine& m, const Inst* i) {
  make_uniform(m.tile(i->out), static_cast<uint64_t>(i->imm));
  return i + 1;
}

const Inst* run_make_range(Machine& m, const Inst* i) {
  Tile& out = m.tile(i->out);
  make_uniform(out, static_cast<uint64_t>(i->imm));
  if (i->type->elements == 1) return i + 1;
  out.kind = TileKind::Affine;
  out.stride[0] = 1;
  return i + 1;
}

const Inst* run_splat(Machine& m, const Inst* i) {
  Tile& out = m.tile(i->out);
  make_uniform(out, m.reg(i->in[0]));
  if (m.poisoned && m.reg_poison(i->in[0])) set_poison(out, all_poisoned(*i->type));
  return i + 1;
}

// ---- views ----------------------------------------------------------------------------------------------------------------

bool has_row_major_strides(const Tile& t, const TileType& type) {
  for (int a = 0; a < type.rank; ++a)
    if (type.dims[a] != 1 && t.stride[a] != type.row_major[a]) return false;
  return true;
}

/// How the result's axes look at the operand's: axis a of the result is operand axis from[a] (-1: a new axis of length 1
/// or a repeated one).
struct AxisMap : Extra {
  std::array<int, kMaxRank> from{};
  std::array<bool, kMaxRank> reversed{};
};

void map_box(const Box& in, const AxisMap& map, const TileType& from_type, const TileType& type, Box& out) {
  bool empty = in.empty(from_type.rank);
  for (int a = 0; a < type.rank; ++a) {
    const int f = map.from[a];
    const bool whole = f < 0 || from_type.dims[f] != type.dims[a];
    out.lo[a] = whole ? 0 : in.lo[f];
    out.hi[a] = whole ? static_cast<int32_t>(type.dims[a]) : in.hi[f];
    if (map.reversed[a]) {
      const auto dim = static_cast<int32_t>(type.dims[a]);
      const int32_t lo = out.lo[a];
      out.lo[a] = dim - out.hi[a];
      out.hi[a] = dim - lo;
    }
  }
  if (empty) out.hi[0] = out.lo[0] = 0;
}

// The same lanes along mapped axes, whatever the tile's form.
void look_through(const Tile& in, const AxisMap& map, const TileType& from_type, const TileType& type, Tile& out) {
  out.kind = in.kind;
  out.bits = in.bits;
  out.data = in.data;
  out.tensor = in.tensor;
  out.row_major = false;
  out.storage = in.storage;
  if (in.kind == TileKind::Mask) {
    map_box(in.box, map, from_type, type, out.box);
  } else if (in.kind != TileKind::Uniform) {
    for (int a = 0; a < type.rank; ++a) {
      const int f = map.from[a];
      out.stride[a] = f < 0 || from_type.dims[f] != type.dims[a] ? 0 : in.stride[f];
      if (!map.reversed[a]) continue;
      const auto step = static_cast<uint64_t>(out.stride[a]), last = step * static_cast<uint64_t>(type.dims[a] - 1);
      if (in.kind == TileKind::Affine) out.bits = canonical(type.dtype, out.bits + last);
      else out.data += static_cast<int64_t>(last);
      out.stride[a] = type.wrap_stride(uint64_t{0} - step);
    }
    if (in.kind == TileKind::Memory) out.row_major = has_row_major_strides(out, type);
  }
}

Storage* view_poison(Machine& m, const Tile& in, const AxisMap& map, const TileType& from_type, const TileType& type) {
  Tile lanes, seen;
  TileType from = from_type, to = type;
  from.dtype = to.dtype = DType::UInt8;
  from.elem_bytes = to.elem_bytes = 1;
  for (int a = 0; a < from.rank; ++a) from.row_major[a] /= from_type.elem_bytes;
  for (int a = 0; a < to.rank; ++a) to.row_major[a] /= type.elem_bytes;
  lanes.kind = TileKind::Memory;
  lanes.data = in.poison_lanes->data;
  lanes.row_major = true;
  lanes.stride = from.row_major;
  look_through(lanes, map, from, to, seen);
  Storage* out = m.acquire(to.elements);
  write_lanes(m, seen, to, out->data);
  return out;
}

const Inst* run_view(Machine& m, const Inst* i) {
  const auto& map = *static_cast<const AxisMap*>(i->extra);
  const Tile& in = m.tile(i->in[0]);
  Tile& out = m.tile(i->out);
  const TileType& from_type = m.type(i->in[0]);
  look_through(in, map, from_type, *i->type, out);
  if (out.storage != nullptr) ++out.storage->references;
  out.poison = in.poison;
  if (in.poison == PoisonKind::Outside) map_box(in.clean, map, from_type, *i->type, out.clean);
  if (in.poison == PoisonKind::Lanes) out.poison_lanes = view_poison(m, in, map, from_type, *i->type);
  m.finish(i);
  return i + 1;
}

// ---- reshape ---------------------------------------------------------------------------------------------------------------

// Strides of the same lanes under another shape, when each group of axes that the reshape merges or splits is itself
// evenly spaced. Works for byte strides and for affine strides alike.
bool reshape_strides(const TileType& from, const int64_t* in, const TileType& to, int64_t* out) {
  int a = from.rank - 1, b = to.rank - 1;
  while (a >= 0 || b >= 0) {
    int64_t na = 1, nb = 1;
    uint64_t step = 0;  // affine strides wrap
    const int group_end = b;
    while (a >= 0 && from.dims[a] == 1) --a;
    if (a < 0) {
      for (; b >= 0; --b) out[b] = 0;
      return true;
    }
    step = static_cast<uint64_t>(in[a]);
    na = from.dims[a--];
    while (b >= 0 && nb < na) nb *= to.dims[b--];
    while (nb != na) {
      if (na < nb) {
        while (a >= 0 && from.dims[a] == 1) --a;
        if (a < 0 || static_cast<uint64_t>(in[a]) != step * static_cast<uint64_t>(na)) return false;
        na *= from.dims[a--];
      } else {
        if (b < 0) return false;
        nb *= to.dims[b--];
      }
    }
    for (int x = group_end; x > b; --x) {
      out[x] = to.dims[x] == 1 ? 0 : static_cast<int64_t>(step);
      step *= static_cast<uint64_t>(to.dims[x]);
    }
  }
  return true;
}

const Inst* run_reshape(Machine& m, const Inst* i) {
  m.current = i;
  Tile& in = m.tile(i->in[0]);
  Tile& out = m.tile(i->out);
  const TileType& from = m.type(i->in[0]);
  const TileType& to = *i->type;
  int64_t strides[kMaxRank] = {};
  const bool strided = in.kind == TileKind::Affine || (in.kind == TileKind::Memory && !in.row_major);
  if (in.kind == TileKind::Mask || (strided && !reshape_strides(from, in.stride.data(), to, strides))) {
    private_lanes(m, in, from);
  }
  out.kind = in.kind;
  out.poison = PoisonKind::Clean;
  out.bits = in.bits;
  out.data = in.data;
  out.tensor = in.tensor;
  out.storage = in.storage;
  if (out.storage != nullptr) ++out.storage->references;
  const bool row_major = in.kind == TileKind::Memory && in.row_major;
  for (int a = 0; a < to.rank; ++a) out.stride[a] = row_major ? to.row_major[a] : strides[a];
  out.row_major = row_major || (in.kind == TileKind::Memory && has_row_major_strides(out, to));
  if (any_poison(in)) {
    Poison p;
    p.kind = PoisonKind::Lanes;
    p.lanes = m.acquire(to.elements);
    write_poison(in, from, reinterpret_cast<uint8_t*>(p.lanes->data));
    set_poison(out, p);
  }
  m.finish(i);
  return i + 1;
}

// ---- join, split, cat --------------------------------------------------------------------------------------------------------

template <class Copy>
void with_poison(Machine& m, const Inst* i, Tile& out, Copy&& copy) {
  bool some = false;
  for (int k = 0; k < i->operands; ++k) some |= any_poison(m.tile(i->in[static_cast<size_t>(k)]));
  if (!some) return;
  Storage* parts[2] = {};
  const std::byte* in[2] = {};
  for (int k = 0; k < i->operands; ++k) {
    const TileType& t = m.type(i->in[static_cast<size_t>(k)]);
    parts[k] = m.acquire(t.elements);
    write_poison(m.tile(i->in[static_cast<size_t>(k)]), t, reinterpret_cast<uint8_t*>(parts[k]->data));
    in[k] = parts[k]->data;
  }
  Poison p;
  p.kind = PoisonKind::Lanes;
  p.lanes = m.acquire(i->type->elements);
  copy(1, p.lanes->data, in);
  for (Storage* s : parts)
    if (s != nullptr) m.pool.release(s);
  set_poison(out, p);
}

void copy_joined(int bytes, int64_t n, std::byte* out, const std::byte* const* in) {
  for (int64_t l = 0; l < n; ++l) {
    std::memcpy(out + 2 * l * bytes, in[0] + l * bytes, static_cast<size_t>(bytes));
    std::memcpy(out + (2 * l + 1) * bytes, in[1] + l * bytes, static_cast<size_t>(bytes));
  }
}

// Scalars join to a tile of two.
const Inst* run_join(Machine& m, const Inst* i) {
  m.current = i;
  const std::byte* in[2] = {operand_lanes(m, i, 0), operand_lanes(m, i, 1)};
  Tile& out = m.tile(i->out);
  const int64_t n = i->type->elements / 2;
  copy_joined(i->type->elem_bytes, n, allocate(m, out, *i->type), in);
  if (i->scalars == 0) {
    with_poison(m, i, out, [&](int bytes, std::byte* to, const std::byte* const* from) { copy_joined(bytes, n, to, from); });
  } else if (m.poisoned && (m.reg_poison(i->in[0]) || m.reg_poison(i->in[1]))) {
    set_poison(out, all_poisoned(*i->type));
  }
  m.finish(i);
  return i + 1;
}

const Inst* run_split_scalar(Machine& m, const Inst* i) {
  m.current = i;
  const std::byte* in = operand_lanes(m, i, 0);
  uint8_t poison[2] = {};
  if (m.poisoned) write_poison(m.tile(i->in[0]), m.type(i->in[0]), poison);
  for (int k = 0; k < 2; ++k) {
    m.reg(i->out + k) = read_bits(i->type->dtype, in + k * i->type->elem_bytes);
    m.reg_poison(i->out + k) = poison[k];
  }
  m.finish(i);
  return i + 1;
}

/// The only lane of a tile, as a scalar.
const Inst* run_reshape_scalar(Machine& m, const Inst* i) {
  m.current = i;
  const std::byte* in = operand_lanes(m, i, 0);
  uint8_t poison = 0;
  if (m.poisoned) write_poison(m.tile(i->in[0]), m.type(i->in[0]), &poison);
  m.reg(i->out) = read_bits(i->type->dtype, in);
  m.reg_poison(i->out) = poison;
  m.finish(i);
  return i + 1;
}

// Each half looks into the operand's lanes with a step of two.
const Inst* run_split(Machine& m, const Inst* i) {
  m.current = i;
  Tile& in = m.tile(i->in[0]);
  const TileType& from = m.type(i->in[0]);
  if (in.kind == TileKind::Mask) private_lanes(m, in, from);
  std::vector<uint8_t> poison;
  if (any_poison(in)) {
    poison.resize(static_cast<size_t>(from.elements));
    write_poison(in, from, poison.data());
  }
  for (int k = 0; k < 2; ++k) {
    Tile& out = m.tile(i->out + k);
    out.kind = in.kind;
    out.poison = PoisonKind::Clean;
    out.tensor = in.tensor;
    out.bits = in.bits;
    out.data = in.data;
    out.storage = in.storage;
    if (out.storage != nullptr) ++out.storage->references;
    for (int a = 0; a < i->type->rank; ++a) out.stride[a] = in.stride[a];
    const int64_t step = in.stride[from.rank - 1];
    if (k == 1 && in.kind == TileKind::Affine) out.bits = canonical(from.dtype, in.bits + static_cast<uint64_t>(step));
    if (k == 1 && in.kind == TileKind::Memory) out.data = in.data + step;
    if (in.kind == TileKind::Memory) out.row_major = has_row_major_strides(out, *i->type);
    if (poison.empty()) continue;
    Poison p;
    p.kind = PoisonKind::Lanes;
    p.lanes = m.acquire(i->type->elements);
    for (int64_t l = 0; l < i->type->elements; ++l) p.lanes->data[l] = std::byte{poison[static_cast<size_t>(2 * l + k)]};
    set_poison(out, p);
  }
  m.finish(i);
  return i + 1;
}

const Inst* run_cat(Machine& m, const Inst* i) {
  m.current = i;
  Tile& out = m.tile(i->out);
  std::byte* to = allocate(m, out, *i->type);
  const TileType &a = m.type(i->in[0]), &b = m.type(i->in[1]);
  write_lanes(m, m.tile(i->in[0]), a, to);
  write_lanes(m, m.tile(i->in[1]), b, to + a.elements * a.elem_bytes);
  with_poison(m, i, out, [&](int, std::byte* p, const std::byte* const* from) {
    std::memcpy(p, from[0], static_cast<size_t>(a.elements));
    std::memcpy(p + a.elements, from[1], static_cast<size_t>(b.elements));
  });
  m.finish(i);
  return i + 1;
}

// ---- gather ---------------------------------------------------------------------------------------------------------------

/// source[outer, axis, inner] indexed by index[outer, picks, inner].
struct GatherExtra : Extra {
  int axis = 0;
};

const Inst* run_gather(Machine& m, const Inst* i) {
  m.current = i;
  const int axis = static_cast<const GatherExtra*>(i->extra)->axis;
  const TileType &source = m.type(i->in[0]), &index = m.type(i->in[1]);
  const std::byte* s = operand_lanes(m, i, 0);
  const std::byte* x = operand_lanes(m, i, 1);
  Tile& out = m.tile(i->out);
  std::byte* to = allocate(m, out, *i->type);
  const int64_t n = index.elements;
  std::vector<uint8_t> poison, index_poison;
  if (m.poisoned) {
    poison.resize(static_cast<size_t>(source.elements));
    index_poison.resize(static_cast<size_t>(n));
    write_poison(m.tile(i->in[0]), source, poison.data());
    write_poison(m.tile(i->in[1]), index, index_poison.data());
  }
  bool some = false;
  for (int64_t l = 0; l < n; ++l) {
    const auto pick = static_cast<int64_t>(read_bits(index.dtype, x + l * index.elem_bytes));
    if (!index_poison.empty() && index_poison[static_cast<size_t>(l)]) {
      std::memset(to + l * source.elem_bytes, 0, static_cast<size_t>(source.elem_bytes));
      some = true;
      continue;
    }
    if (pick < 0 || pick >= source.dims[axis])
      m.fault(i, FaultKind::OutOfBounds, l,
              remember(say(SimWords::GatherOutside, {{"index", pick}, {"length", source.dims[axis]}})));
    int64_t rest = l, at = 0;
    for (int a = index.rank - 1; a >= 0; --a) {
      const int64_t k = rest % index.dims[a];
      rest /= index.dims[a];
      at += (a == axis ? pick : k) * (source.row_major[a] / source.elem_bytes);
    }
    std::memcpy(to + l * source.elem_bytes, s + at * source.elem_bytes, static_cast<size_t>(source.elem_bytes));
    if (index_poison.empty()) continue;
    index_poison[static_cast<size_t>(l)] = poison[static_cast<size_t>(at)];
    some = some || poison[static_cast<size_t>(at)] != 0;
  }
  if (some) {
    Poison p;
    p.kind = PoisonKind::Lanes;
    p.lanes = m.acquire(n);
    std::memcpy(p.lanes->data, index_poison.data(), static_cast<size_t>(n));
    set_poison(out, p);
  }
  m.finish(i);
  return i + 1;
}

// Axes of a shape op that only looks through; null when it is another kind of op.
AxisMap* axis_map(PlanContext& c, const Op& op) {
  const Shape& from = c.type(op.operands[0]).shape;
  AxisMap* map = c.extra<AxisMap>();
  const int axis = static_cast<int>(op.int_attr("axis"));
  switch (op.code) {
    case OpCode::ExpandDims:
      for (int a = 0; a <= from.rank; ++a) map->from[a] = a == axis ? -1 : a - (a > axis ? 1 : 0);
      return map;
    case OpCode::Trans: {
      const std::vector<int64_t>& order = op.ints_attr("order");
      for (int a = 0; a < from.rank; ++a) map->from[a] = static_cast<int>(order[static_cast<size_t>(a)]);
      return map;
    }
    case OpCode::Flip:
      for (int a = 0; a < from.rank; ++a) map->from[a] = a;
      map->reversed[axis] = true;
      return map;
    default:  // Broadcast
      for (int a = 0; a < from.rank; ++a) map->from[a] = a;
      return map;
  }
}

}  // namespace

bool plan_shape(PlanContext& c, const Op& op, Inst& inst) {
  if (op.info().group != OpGroup::Shape) return false;
  switch (op.code) {
    case OpCode::Constant:
      inst.imm = static_cast<int64_t>(canonical(inst.type->dtype, static_cast<uint64_t>(op.int_attr("bits"))));
      inst.run = run_constant;
      return true;
    case OpCode::MakeRange:
      inst.imm = op.int_attr("start");
      inst.run = run_make_range;
      return true;
    case OpCode::Splat:
      inst.run = run_splat;
      return true;
    case OpCode::ExpandDims: case OpCode::Broadcast: case OpCode::Trans: case OpCode::Flip:
      if (c.type(op.operands[0]).is_scalar()) {  // a scalar becomes a tile of one lane
        inst.run = run_splat;
        return true;
      }
      inst.extra = axis_map(c, op);
      inst.run = run_view;
      return true;
    case OpCode::Reshape:
      inst.run = c.type(op.results[0]).is_scalar()    ? run_reshape_scalar
                 : c.type(op.operands[0]).is_scalar() ? run_splat
                                                      : run_reshape;
      return true;
    case OpCode::Join: inst.run = run_join; return true;
    case OpCode::Split: inst.run = c.type(op.results[0]).is_scalar() ? run_split_scalar : run_split; return true;
    case OpCode::Cat: inst.run = run_cat; return true;
    case OpCode::Gather: {
      auto* e = c.extra<GatherExtra>();
      e->axis = static_cast<int>(op.int_attr("axis"));
      inst.extra = e;
      inst.run = run_gather;
      return true;
    }
    default: return false;
  }
}

}  // namespace tilescope
