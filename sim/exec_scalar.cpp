// Elementwise ops on scalars, in registers. Integer ops that index arithmetic is made of have handlers of their own;
// all others go through the tile kernels with one lane.
#include "sim/exec_tile.h"

namespace tilescope {
namespace {

const Inst* merge_poison(Machine& m, const Inst* i) {
  uint8_t p = 0;
  for (int k = 0; k < i->operands; ++k) p |= m.reg_poison(i->in[static_cast<size_t>(k)]);
  m.reg_poison(i->out) = p;
  return i + 1;
}
inline const Inst* done(Machine& m, const Inst* i) {
  if (m.poisoned) [[unlikely]] return merge_poison(m, i);
  return i + 1;
}

// ---- integers of at most 64 bits, canonical in and out ----
enum class Fast { Add, Sub, Mul, Eq, Ne, Lt, Le, Gt, Ge };

template <DType t, Fast op>
const Inst* run_fast(Machine& m, const Inst* i) {
  const uint64_t x = m.reg(i->in[0]), y = m.reg(i->in[1]);
  constexpr bool is_signed = t == DType::Int32 || t == DType::Int64;
  const auto sx = static_cast<int64_t>(x), sy = static_cast<int64_t>(y);
  uint64_t r = 0;
  if constexpr (op == Fast::Add) r = canonical(t, x + y);
  if constexpr (op == Fast::Sub) r = canonical(t, x - y);
  if constexpr (op == Fast::Mul) r = canonical(t, x * y);
  if constexpr (op == Fast::Eq) r = x == y;
  if constexpr (op == Fast::Ne) r = x != y;
  if constexpr (op == Fast::Lt) r = is_signed ? sx < sy : x < y;
  if constexpr (op == Fast::Le) r = is_signed ? sx <= sy : x <= y;
  if constexpr (op == Fast::Gt) r = is_signed ? sx > sy : x > y;
  if constexpr (op == Fast::Ge) r = is_signed ? sx >= sy : x >= y;
  // A wrapped offset is the likely cause when an access goes astray later.
  if constexpr (t == DType::Int32 && op == Fast::Add) m.wrapped |= r != x + y;
  if constexpr (t == DType::Int32 && op == Fast::Mul) m.wrapped |= r != x * y;
  m.reg(i->out) = r;
  return done(m, i);
}

template <Fast op>
Handler fast_for(DType t) {
  switch (t) {
    case DType::Int32: return run_fast<DType::Int32, op>;
    case DType::Int64: return run_fast<DType::Int64, op>;
    case DType::UInt32: return run_fast<DType::UInt32, op>;
    case DType::UInt64: return run_fast<DType::UInt64, op>;
    default: return nullptr;
  }
}

Handler fast_handler(OpCode code, DType t) {
  switch (code) {
    case OpCode::Add: return fast_for<Fast::Add>(t);
    case OpCode::Sub: return fast_for<Fast::Sub>(t);
    case OpCode::Mul: return fast_for<Fast::Mul>(t);
    case OpCode::CmpEq: return fast_for<Fast::Eq>(t);
    case OpCode::CmpNe: return fast_for<Fast::Ne>(t);
    case OpCode::CmpLt: return fast_for<Fast::Lt>(t);
    case OpCode::CmpLe: return fast_for<Fast::Le>(t);
    case OpCode::CmpGt: return fast_for<Fast::Gt>(t);
    case OpCode::CmpGe: return fast_for<Fast::Ge>(t);
    default: return nullptr;
  }
}

const Inst* run_kernel(Machine& m, const Inst* i) {
  Lanes lanes[3];
  for (int k = 0; k < i->operands; ++k) lanes[k] = {&m.reg(i->in[static_cast<size_t>(k)]), 1};
  uint64_t out = 0;
  i->kernel(1, &out, lanes);
  m.reg(i->out) = canonical(i->type->dtype, out);
  return done(m, i);
}

const Inst* run_select(Machine& m, const Inst* i) {
  const int side = m.reg(i->in[0]) != 0 ? 1 : 2;
  const int32_t from = i->in[static_cast<size_t>(side)];
  m.reg(i->out) = m.reg(from);
  if (m.poisoned) m.reg_poison(i->out) = m.reg_poison(i->in[0]) | m.reg_poison(from);
  return i + 1;
}

// `and` with a clean 0 and `or` with clean ones are clean.
const Inst* run_and_or(Machine& m, const Inst* i) {
  const uint64_t x = m.reg(i->in[0]), y = m.reg(i->in[1]);
  const bool is_and = i->op->code == OpCode::BitAnd;
  m.reg(i->out) = is_and ? x & y : x | y;
  if (m.poisoned) {
    const uint64_t decided = is_and ? 0 : canonical(i->dtype, ~uint64_t{0});
    const uint8_t px = m.reg_poison(i->in[0]), py = m.reg_poison(i->in[1]);
    m.reg_poison(i->out) = (px | py) != 0 && !(px == 0 && x == decided) && !(py == 0 && y == decided);
  }
  return i + 1;
}

// Same bits under another type; the NaN that becomes visible is the canonical one.
const Inst* run_bits(Machine& m, const Inst* i) {
  m.reg(i->out) = canonical(i->type->dtype, m.reg(i->in[0]));
  return done(m, i);
}

const Inst* run_addptr(Machine& m, const Inst* i) {
  m.reg(i->out) = m.reg(i->in[0]) + m.reg(i->in[1]) * static_cast<uint64_t>(i->imm);
  return done(m, i);
}

const Inst* run_program_id(Machine& m, const Inst* i) {
  m.reg(i->out) = static_cast<uint64_t>(m.program[static_cast<size_t>(i->imm)]);
  if (m.poisoned) m.reg_poison(i->out) = 0;
  return i + 1;
}
const Inst* run_num_programs(Machine& m, const Inst* i) {
  m.reg(i->out) = static_cast<uint64_t>(m.grid[static_cast<size_t>(i->imm)]);
  if (m.poisoned) m.reg_poison(i->out) = 0;
  return i + 1;
}
const Inst* run_constant(Machine& m, const Inst* i) {
  m.reg(i->out) = static_cast<uint64_t>(i->imm);
  if (m.poisoned) m.reg_poison(i->out) = 0;
  return i + 1;
}

}  // namespace

bool plan_scalar(PlanContext& c, const Op& op, Inst& inst) {
  if (op.code == OpCode::ProgramId || op.code == OpCode::NumPrograms) {
    inst.imm = op.int_attr("axis");
    if (inst.imm < 0 || inst.imm > 2) c.error = "a grid has axes 0, 1 and 2";
    inst.run = op.code == OpCode::ProgramId ? run_program_id : run_num_programs;
    return true;
  }
  if (op.results.size() != 1 || !c.type(op.results[0]).is_scalar()) return false;
  if (op.code == OpCode::Constant) {
    inst.imm = static_cast<int64_t>(canonical(inst.type->dtype, static_cast<uint64_t>(op.int_attr("bits"))));
    inst.run = run_constant;
    return true;
  }
  if (op.info().group != OpGroup::Elementwise) return false;
  switch (op.code) {
    case OpCode::Select:
      inst.run = run_select;
      return true;
    case OpCode::BitAnd: case OpCode::BitOr:
      inst.run = run_and_or;
      return true;
    case OpCode::PtrToInt: case OpCode::IntToPtr:
      inst.run = run_bits;
      return true;
    case OpCode::Bitcast:
      inst.kernel = bitcast_kernel(inst.dtype, inst.type->dtype);
      inst.run = inst.kernel != nullptr ? run_kernel : run_bits;
      return true;
    case OpCode::AddPtr:
      inst.imm = dtype_bytes(c.type(op.operands[0]).elem);
      inst.run = run_addptr;
      return true;
    case OpCode::Cast:
      inst.kernel = cast_kernel(inst.dtype, inst.type->dtype);
      inst.run = run_kernel;
      return true;
    default: break;
  }
  inst.run = fast_handler(op.code, inst.dtype);
  if (inst.run != nullptr) return true;
  inst.kernel = elementwise_kernel(op.code, inst.dtype);
  if (inst.kernel == nullptr) return false;
  inst.run = run_kernel;
  return true;
}

}  // namespace tilescope
