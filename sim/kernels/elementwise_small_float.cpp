// float16, bfloat16 and float8: operands are converted to float32 a chunk at a time, the float32 kernel runs, and a
// float result is rounded back once.
#include "sim/kernels/elementwise.h"

namespace tilescope::TILESCOPE_ISA {
namespace {

template <class T> void widen(int64_t n, const T* from, float* to) {
  for (int64_t i = 0; i < n; ++i) to[i] = math::convert<float>(from[i]);
}
template <class T> void narrow(int64_t n, const float* from, T* to) {
  for (int64_t i = 0; i < n; ++i) to[i] = math::convert<T>(from[i]);
}

template <OpCode op> constexpr bool gives_int1() {
  switch (op) {
#define TILESCOPE_OP(name, mnemonic, lo, hi, results, group, rule, meaning, doc) \
  case OpCode::name: return TypeRule::rule == TypeRule::Compare || TypeRule::rule == TypeRule::IsFloat;
#include "core/ops.def"
  }
  return false;
}

template <OpCode op, class T> void via_float(int64_t n, void* out, const Lanes* in) {
  constexpr int count = arity<op>();
  by_chunks<count, T, T>(n, out, in, [](int64_t m, void* o, const T* const* p) {
    float wide[count][kChunk];
    float result[kChunk];
    Lanes args[count];
    for (int k = 0; k < count; ++k) {
      widen(m, p[k], wide[k]);
      args[k] = {wide[k], 1};
    }
    lanes<op, float>(m, result, args);
    narrow(m, result, static_cast<T*>(o));
  });
}

template <OpCode op, class T> void test_via_float(int64_t n, void* out, const Lanes* in) {
  constexpr int count = arity<op>();
  by_chunks<count, T, bool>(n, out, in, [](int64_t m, void* o, const T* const* p) {
    float wide[count][kChunk];
    Lanes args[count];
    for (int k = 0; k < count; ++k) {
      widen(m, p[k], wide[k]);
      args[k] = {wide[k], 1};
    }
    lanes<op, float>(m, o, args);
  });
}

template <OpCode op, DType t> constexpr ElementwiseFn small_or_null() {
  if constexpr (!op_takes(op, t))
    return nullptr;
  else if constexpr (op == OpCode::Abs || op == OpCode::CopySign)
    return lanes<op, CType<t>>;  // on the bits: rounding back would turn a float8e5 infinity into its largest number
  else if constexpr (gives_int1<op>())
    return test_via_float<op, CType<t>>;
  else
    return via_float<op, CType<t>>;
}

template <DType t> ElementwiseFn find_small(OpCode wanted) {
  switch (wanted) {
#define TILESCOPE_OP(name, mnemonic, lo, hi, results, group, rule, meaning, doc)  \
  case OpCode::name:                                                              \
    if constexpr (is_plain_elementwise(OpCode::name, OpGroup::group))             \
      return small_or_null<OpCode::name, t>();                                    \
    else                                                                          \
      return nullptr;
#include "core/ops.def"
  }
  return nullptr;
}

}  // namespace

ElementwiseFn elementwise_small_float(OpCode op, DType t) {
  switch (t) {
    case DType::Float8E4NV: return find_small<DType::Float8E4NV>(op);
    case DType::Float8E5: return find_small<DType::Float8E5>(op);
    case DType::Float16: return find_small<DType::Float16>(op);
    case DType::BFloat16: return find_small<DType::BFloat16>(op);
    default: return nullptr;
  }
}

}  // namespace tilescope::TILESCOPE_ISA
