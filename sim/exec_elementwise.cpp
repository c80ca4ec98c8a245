// Elementwise ops on tiles through the kernel tables.
#include "sim/exec_tile.h"

namespace tilescope {
namespace {

constexpr int64_t kNoStride[kMaxRank] = {};

// The operand whose storage the result may take over: it dies here, owns its lanes alone, and has the same element size.
int reusable_operand(Machine& m, const Inst* i) {
  for (unsigned k = i->kill; k != 0; k &= k - 1) {
    const int at = __builtin_ctz(k);
    const int32_t slot = i->in[static_cast<size_t>(at)];
    const Tile& t = m.tile(slot);
    if (t.kind == TileKind::Memory && t.row_major && t.storage != nullptr && t.storage->references == 1 &&
        t.data == t.storage->data && m.type(slot).elem_bytes == i->type->elem_bytes)
      return at;
  }
  return -1;
}

bool all_uniform(Machine& m, const Inst* i) {
  for (int k = 0; k < i->operands; ++k)
    if (m.tile(i->in[static_cast<size_t>(k)]).kind != TileKind::Uniform) return false;
  return true;
}

// The common case: everything is uniform or row-major, one kernel call does.
bool evaluate_whole(Machine& m, const Inst* i, std::byte* out, const int64_t* out_strides) {
  const TileType& type = *i->type;
  for (int a = 0; a < type.rank; ++a)
    if (out_strides[a] != type.row_major[a] && type.dims[a] != 1) return false;
  Lanes lanes[3];
  for (int k = 0; k < i->operands; ++k) {
    const Tile& t = m.tile(i->in[static_cast<size_t>(k)]);
    const bool uniform = t.kind == TileKind::Uniform;
    if (!uniform && !t.row_major) return false;
    lanes[k] = uniform ? Lanes{&t.bits, 0} : Lanes{t.data, 1};
  }
  i->kernel(type.elements, out, lanes);
  return true;
}

}  // namespace

void settle_operands(Machine& m, const Inst* i) {
  for (int k = 0; k < i->operands; ++k) {
    const int32_t slot = i->in[static_cast<size_t>(k)];
    Tile& t = m.tile(slot);
    if (t.kind != TileKind::Uniform && t.kind != TileKind::Memory) private_lanes(m, t, m.type(slot));
  }
}

void evaluate(Machine& m, const Inst* i, std::byte* out, const int64_t* out_strides, const Box* active) {
  m.spend(i->type->elements);
  if (active == nullptr && evaluate_whole(m, i, out, out_strides)) return;
  const int n = i->operands;
  const int64_t* strides[Inst::kMaxOperands + 1];
  const std::byte* data[Inst::kMaxOperands];
  int64_t steps[Inst::kMaxOperands + 1];
  int bytes[Inst::kMaxOperands];
  const int rank = i->type->rank;
  std::array<int64_t, kMaxRank> part;
  const int64_t* dims = i->type->dims.data();
  if (active != nullptr) {
    for (int a = 0; a < rank; ++a) {
      part[a] = active->hi[a] - active->lo[a];
      out += active->lo[a] * out_strides[a];
    }
    dims = part.data();
  }
  for (int k = 0; k < n; ++k) {
    const int32_t slot = i->in[static_cast<size_t>(k)];
    const Tile& t = m.tile(slot);
    bytes[k] = m.type(slot).elem_bytes;
    const bool uniform = t.kind == TileKind::Uniform;
    data[k] = uniform ? reinterpret_cast<const std::byte*>(&t.bits) : t.data;
    strides[k] = uniform ? kNoStride : t.stride.data();
    if (active != nullptr)
      for (int a = 0; a < rank; ++a) data[k] += active->lo[a] * strides[k][a];
  }
  strides[n] = out_strides;
  const Runs runs = make_runs(rank, dims, n + 1, strides, steps);
  Lanes lanes[Inst::kMaxOperands];
  Storage* scratch[Inst::kMaxOperands] = {};
  for (int k = 0; k < n; ++k) {
    if (steps[k] == 0 || steps[k] == bytes[k] || runs.length == 1) {
      lanes[k] = {data[k], steps[k] == 0 ? 0 : 1};
    } else {
      scratch[k] = m.acquire(runs.length * bytes[k]);
      lanes[k] = {scratch[k]->data, 1};
    }
  }
  std::array<int64_t, kMaxRank> at{};
  for (int64_t run = 0;; ++run) {
    for (int k = 0; k < n; ++k) {
      if (scratch[k] != nullptr)
        copy_strided(bytes[k], runs.length, scratch[k]->data, data[k], steps[k]);
      else
        lanes[k].data = data[k];
    }
    i->kernel(runs.length, out, lanes);
    if (run + 1 == runs.count) break;
    int axis = runs.outer_rank - 1;
    for (;; --axis) {
      const int a = runs.outer_axis[axis];
      for (int k = 0; k < n; ++k) data[k] += strides[k][a];
      out += out_strides[a];
      if (++at[axis] < runs.outer_dims[axis]) break;
      for (int k = 0; k < n; ++k) data[k] -= strides[k][a] * runs.outer_dims[axis];
      out -= out_strides[a] * runs.outer_dims[axis];
      at[axis] = 0;
    }
  }
  for (int k = 0; k < n; ++k)
    if (scratch[k] != nullptr) m.pool.release(scratch[k]);
}

const Inst* run_elementwise(Machine& m, const Inst* i) {
  m.current = i;
  Tile& out = m.tile(i->out);
  Poison poison;
  if (m.poisoned) [[unlikely]] poison = elementwise_poison(m, i);
  if (all_uniform(m, i)) {
    Lanes lanes[3];
    for (int k = 0; k < i->operands; ++k) lanes[k] = {&m.tile(i->in[static_cast<size_t>(k)]).bits, 1};
    uint64_t bits = 0;
    i->kernel(1, &bits, lanes);
    make_uniform(out, canonical(i->type->dtype, bits));
  } else {
    settle_operands(m, i);
    const int reuse = reusable_operand(m, i);
    if (reuse >= 0) {
      Tile& from = m.tile(i->in[static_cast<size_t>(reuse)]);
      out.kind = TileKind::Memory;
      out.poison = PoisonKind::Clean;
      out.row_major = true;
      out.tensor = -1;
      out.data = from.data;
      for (int a = 0; a < i->type->rank; ++a) out.stride[a] = i->type->row_major[a];
      out.storage = from.storage;
      ++out.storage->references;  // given up again when the operand is released below
    } else {
      allocate(m, out, *i->type);
    }
    evaluate(m, i, out.data, out.stride.data(), nullptr);
  }
  if (m.poisoned) set_poison(out, poison);
  m.finish(i);
  return i + 1;
}

namespace {

// Same lanes under another type: the result looks into the operand's storage.
const Inst* run_same_bits(Machine& m, const Inst* i) {
  Tile& from = m.tile(i->in[0]);
  Tile& out = m.tile(i->out);
  if (from.kind == TileKind::Mask || (from.kind == TileKind::Affine && is_float(i->type->dtype)))
    private_lanes(m, from, m.type(i->in[0]));
  out = from;
  out.bits = canonical(i->type->dtype, out.bits);
  if (out.storage != nullptr) ++out.storage->references;
  if (out.poison_lanes != nullptr) ++out.poison_lanes->references;
  m.finish(i);
  return i + 1;
}

// Pointers plus offsets lane by lane, in 64 bits.
const Inst* run_addptr_lanes(Machine& m, const Inst* i) {
  m.current = i;
  Poison poison;
  if (m.poisoned) [[unlikely]] poison = elementwise_poison(m, i);
  const TileType& type = *i->type;
  Tile& pointers = m.tile(i->in[0]);
  Tile& offsets = m.tile(i->in[1]);
  Tile& out = m.tile(i->out);
  const std::byte* o = row_major_lanes(m, offsets, m.type(i->in[1]));
  const bool uniform = pointers.kind == TileKind::Uniform;
  const std::byte* p = uniform ? reinterpret_cast<const std::byte*>(&pointers.bits) : row_major_lanes(m, pointers, type);
  std::byte* to = allocate(m, out, type);
  const Lanes narrow[1] = {{o, 1}};
  i->kernel(type.elements, to, narrow);
  static const ElementwiseFn shift = elementwise_kernel(OpCode::Shl, DType::UInt64);
  static const ElementwiseFn add = elementwise_kernel(OpCode::Add, DType::UInt64);
  const auto log_bytes = static_cast<uint64_t>(__builtin_ctzll(static_cast<uint64_t>(i->imm)));
  const Lanes scaled[2] = {{to, 1}, {&log_bytes, 0}};
  if (log_bytes != 0) shift(type.elements, to, scaled);
  const Lanes sum[2] = {{to, 1}, {p, uniform ? 0 : 1}};
  add(type.elements, to, sum);
  if (m.poisoned) set_poison(out, poison);
  m.finish(i);
  return i + 1;
}

void copy_words(int64_t n, void* out, const Lanes* in) {
  if (in[0].step != 0)
    std::memmove(out, in[0].data, static_cast<size_t>(n) * 8);
  else
    fill(8, out, n, *static_cast<const uint64_t*>(in[0].data));
}

}  // namespace

bool plan_elementwise(PlanContext& c, const Op& op, Inst& inst) {
  if (op.info().group != OpGroup::Elementwise) return false;
  const Type& first = c.type(op.operands[0]);
  switch (op.code) {
    case OpCode::Philox:
      inst.run = run_philox;
      return true;
    case OpCode::Select:
      inst.kernel = elementwise_kernel(op.code, kernel_dtype(c.type(op.operands[1])));
      inst.run = run_elementwise;
      break;
    case OpCode::Cast:
      inst.kernel = cast_kernel(inst.dtype, inst.type->dtype);
      inst.run = run_elementwise;
      break;
    case OpCode::PtrToInt: case OpCode::IntToPtr:
      inst.run = run_same_bits;
      return true;
    case OpCode::Bitcast:
      inst.kernel = first.pointer ? nullptr : bitcast_kernel(inst.dtype, inst.type->dtype);
      inst.run = inst.kernel != nullptr ? run_elementwise : run_same_bits;
      return true;
    case OpCode::AddPtr:
      inst.imm = dtype_bytes(first.elem);
      inst.kernel = cast_kernel(c.type(op.operands[1]).elem, DType::Int64);
      if (inst.kernel == nullptr) inst.kernel = copy_words;
      inst.run = run_addptr_lanes;
      break;
    default:
      inst.kernel = elementwise_kernel(op.code, inst.dtype);
      inst.run = run_elementwise;
  }
  if (inst.kernel == nullptr) return false;
  if (Handler closed = closed_form_handler(op, inst.dtype, inst.type->dtype)) inst.run = closed;
  return true;
}

const Inst* run_general(Machine& m, const Inst* i) {
  return i->op->code == OpCode::AddPtr ? run_addptr_lanes(m, i) : run_elementwise(m, i);
}

}  // namespace tilescope
