// How one elementwise op becomes a loop over lanes; included by the elementwise_*.cpp files.
#pragma once

#include "sim/kernels/isa_math.h"
#include "sim/kernels/tile_kernels.h"

namespace tilescope::TILESCOPE_ISA {

// Lookups of the files that hold one family of element types each; null when the family or the op does not fit.
ElementwiseFn elementwise_integer(OpCode op, DType t);
ElementwiseFn elementwise_float32(OpCode op);
ElementwiseFn elementwise_float64(OpCode op);
ElementwiseFn elementwise_small_float(OpCode op, DType t);

/// Lanes handled at a time where an operand must be spread out or converted first: small enough for the first cache.
inline constexpr int64_t kChunk = 512;

template <OpCode op> constexpr int arity() {
  switch (op) {
#define TILESCOPE_OP(name, mnemonic, lo, hi, results, group, rule, meaning, doc) \
  case OpCode::name: return lo;
#include "core/ops.def"
  }
  return 0;
}

template <bool keeps, class T, class R> struct ResultType { using type = R; };
template <class T, class R> struct ResultType<true, T, R> { using type = T; };
template <OpCode op, class T, class... A> using Result = typename ResultType<Meaning<op>::kKeepsType, T, decltype(Meaning<op>::call(A()...))>::type;

/// Ops whose loop is long anyway: one loop each, step-0 operands are spread into a buffer.
constexpr bool is_heavy(OpCode op) { return op == OpCode::Pow || op == OpCode::Atan2 || op == OpCode::Rem; }

template <OpCode op, class T> void loop1(int64_t n, void* out, const T* a) {
  using R = Result<op, T, T>;
  R* o = static_cast<R*>(out);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) o[i] = static_cast<R>(Meaning<op>::call(a[i]));
}

template <OpCode op, class T> void loop2(int64_t n, void* out, const T* a, const T* b) {
  using R = Result<op, T, T, T>;
  R* o = static_cast<R*>(out);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) o[i] = Meaning<op>::call(a[i], b[i]);
}
template <OpCode op, class T> void loop2_left(int64_t n, void* out, T a, const T* b) {
  using R = Result<op, T, T, T>;
  R* o = static_cast<R*>(out);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) o[i] = Meaning<op>::call(a, b[i]);
}
template <OpCode op, class T> void loop2_right(int64_t n, void* out, const T* a, T b) {
  using R = Result<op, T, T, T>;
  R* o = static_cast<R*>(out);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) o[i] = Meaning<op>::call(a[i], b);
}

template <OpCode op, class T> void loop3(int64_t n, void* out, const T* a, const T* b, const T* c) {
  T* o = static_cast<T*>(out);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) o[i] = Meaning<op>::call(a[i], b[i], c[i]);
}

/// Spreads step-0 operands over a chunk and runs `loop(n, out, pointers)` chunk by chunk.
template <int count, class T, class R, class Loop> void by_chunks(int64_t n, void* out, const Lanes* in, Loop loop) {
  T spread[count][kChunk];
  for (int k = 0; k < count; ++k) {
    if (in[k].step != 0) continue;
    const T one = *static_cast<const T*>(in[k].data);
    for (int64_t i = 0; i < (n < kChunk ? n : kChunk); ++i) spread[k][i] = one;
  }
  for (int64_t at = 0; at < n; at += kChunk) {
    const T* p[count];
    for (int k = 0; k < count; ++k) p[k] = in[k].step != 0 ? static_cast<const T*>(in[k].data) + at : spread[k];
    loop(n - at < kChunk ? n - at : kChunk, static_cast<R*>(out) + at, p);
  }
}

/// The kernel of one op on one element type with native arithmetic.
template <OpCode op, class T> void lanes(int64_t n, void* out, const Lanes* in) {
  const T* a = static_cast<const T*>(in[0].data);
  if constexpr (arity<op>() == 1) {
    if (in[0].step != 0) return loop1<op, T>(n, out, a);
    by_chunks<1, T, Result<op, T, T>>(n, out, in, [](int64_t m, void* o, const T* const* p) {
      loop1<op, T>(m, o, p[0]);
    });
  } else if constexpr (arity<op>() == 2) {
    const T* b = static_cast<const T*>(in[1].data);
    if (in[0].step != 0 && in[1].step != 0) return loop2<op, T>(n, out, a, b);
    if constexpr (!is_heavy(op)) {
      if (in[0].step != 0) return loop2_right<op, T>(n, out, a, *b);
      if (in[1].step != 0) return loop2_left<op, T>(n, out, *a, b);
    }
    by_chunks<2, T, Result<op, T, T, T>>(n, out, in, [](int64_t m, void* o, const T* const* p) {
      loop2<op, T>(m, o, p[0], p[1]);
    });
  } else {
    by_chunks<3, T, T>(n, out, in, [](int64_t m, void* o, const T* const* p) { loop3<op, T>(m, o, p[0], p[1], p[2]); });
  }
}

/// lanes<op, T> where op is an elementwise op with a scalar meaning for that type, else null.
template <OpCode op, DType t> constexpr ElementwiseFn lanes_or_null() {
  if constexpr (op_takes(op, t))
    return lanes<op, CType<t>>;
  else
    return nullptr;
}

/// True for rows whose kernel is Meaning<op> on operands of one type (Select, casts and pointer ops are separate).
constexpr bool is_plain_elementwise(OpCode op, OpGroup group) {
  return group == OpGroup::Elementwise && op != OpCode::Select && op != OpCode::Cast && op != OpCode::Bitcast &&
         op != OpCode::PtrToInt && op != OpCode::IntToPtr && op != OpCode::AddPtr && op != OpCode::Philox;
}

/// Lookup over all rows for one element type.
template <DType t> ElementwiseFn find_lanes(OpCode wanted) {
  switch (wanted) {
#define TILESCOPE_OP(name, mnemonic, lo, hi, results, group, rule, meaning, doc)  \
  case OpCode::name:                                                              \
    if constexpr (is_plain_elementwise(OpCode::name, OpGroup::group))             \
      return lanes_or_null<OpCode::name, t>();                                    \
    else                                                                          \
      return nullptr;
#include "core/ops.def"
  }
  return nullptr;
}

}  // namespace tilescope::TILESCOPE_ISA
