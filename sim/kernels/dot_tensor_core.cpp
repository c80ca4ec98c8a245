// The bit model of tensor cores (sim/tensor_core.h), vectorised across columns.
//
// For one group of k and one element: `top` is the largest exponent ea + eb of a nonzero product, or the accumulator's;
// every product is cut off to a multiple of 2^(top - F) and all are summed as integers. In fp32:
//   * a product of two values with 11-bit significands is exact in fp32, and so is a multiplication by 2^(F - top),
//     unless it underflows to something that is cut off to zero anyway;
//   * a conversion from float to int cuts off towards zero, as the model does;
//   * 16 products stay below 2^31 in units of 2^(top - 25); the accumulator may push the sum over (detected);
//   * the rounding mode "towards zero" turns the int back into a cut-off float.
// Exponents are 16-bit integers, two columns to a 32-bit lane: columns i and kLanes + i of a panel.
//
// "Narrow" operands, nearly all, have exponents for which nothing in this overflows. "Wide" ones are split into a
// significand in [1, 2) and an exponent, and each product is scaled by its own power of two.
// Lanes with NaN, infinities, tiny or huge values go through the scalar model one by one.
#include <cstring>

#include "sim/kernels/dot_parts.h"
#include "sim/tensor_core.h"

namespace tilescope::TILESCOPE_ISA {
namespace {

constexpr int kBias = 127;
constexpr int kZeroExponent = -8000;  ///< of a zero operand; two of them still fit 16 bits
constexpr int kFloor = 27;            ///< smallest `top` + 127 in the vector path: keeps 2^(top - F) a normal number
constexpr int kCeiling = 246;         ///< largest in the wide path: keeps sums below 2^128
/// Values of MXCSR. Subnormals count as zero in the vector path: they occur only in scaled products that are cut off to
/// zero anyway, and would be slow.
constexpr uint32_t kRoundTowardsZero = 0xffc0, kRoundToNearest = 0x1f80;

#if defined(__AVX512F__)
constexpr int kRows = 4;
#else
constexpr int kRows = 2;
#endif

/// Exponents that occur among the finite nonzero values of an operand, biased by 127, lane by lane.
struct Range {
  VI smallest = splat(255), largest = VI{};
  VI finite = splat(-1);  ///< sign bit cleared where a lane saw a NaN or an infinity
};

/// One operand, taken apart. Rows of A and panels of B hold k_padded values; columns beyond N are zero.
struct Decoded {
  float* values;
  int32_t* exponents;
};

struct Problem {
  TensorCoreArgs args;
  DotShape shape;
  int k_padded;
  int groups;
  bool wide;
  Decoded a;            ///< M rows of k_padded; the exponent twice in each int, the first biased by 127
  Decoded b;            ///< one panel: k_padded rows of kPanel values, kLanes exponents
  bool* a_special;      ///< [M][groups]
  uint32_t* b_special;  ///< [groups], a bit per column of the panel
};

TILESCOPE_INLINE int32_t bits_of(float x) {
  int32_t bits;
  memcpy(&bits, &x, 4);
  return bits;
}

/// Exponents of one vector of values; tf32 operands lose their low bits in place. fp16 needs no range: all of its
/// exponents are narrow.
template <bool Cut, bool Ranged>
TILESCOPE_INLINE VI take_apart(float* values, int min_biased, Range& range) {
  VI bits = *reinterpret_cast<const UI*>(values);
  if (Cut) {
    bits = bits & ~0x1fff;
    *reinterpret_cast<UI*>(values) = bits;
  }
  VI magnitude = bits & 0x7fffffff;
  VI e = max(magnitude >> 23, splat(min_biased));
  range.finite &= magnitude - 0x7f800000;
  if (Ranged) {
    VI counted = (magnitude != 0) & (magnitude < 0x7f800000);
    range.smallest = min(range.smallest, e | (~counted & 255));
    range.largest = max(range.largest, e & counted);
  }
  return magnitude == 0 ? splat(kZeroExponent) : e - kBias;
}

TILESCOPE_INLINE int largest_lane(VI x) {
  int largest = x[0];
  for (int i = 1; i < kLanes; ++i) largest = x[i] > largest ? x[i] : largest;
  return largest;
}
TILESCOPE_INLINE int smallest_lane(VI x) { return -largest_lane(-x); }
TILESCOPE_INLINE bool has_special(const Range& range) { return negative_lanes(~range.finite) != 0; }
TILESCOPE_INLINE bool is_special(float x) { return (bits_of(x) & 0x7fffffff) >= 0x7f800000; }

/// Turns values into significands; their exponents are known already.
void keep_significands(float* values, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    int32_t bits = bits_of(values[i]);
    int32_t biased = bits >> 23 & 255;
    int32_t normal = (bits & static_cast<int32_t>(0x807fffff)) | kBias << 23;
    float x;
    memcpy(&x, &normal, 4);
    values[i] = biased == 0 ? values[i] * 0x1p126f : biased == 255 ? values[i] : x;
  }
}

/// Whether fp32 products and their scales stay normal for all pairs of operands.
bool is_narrow(const Range& a, const Range& b) {
  int largest_a = largest_lane(a.largest), largest_b = largest_lane(b.largest);
  if (largest_a == 0 || largest_b == 0) return true;  // nothing but zeros, and specials, which leave the vector path
  return largest_a + largest_b - 2 * kBias <= 119 &&
         smallest_lane(a.smallest) + smallest_lane(b.smallest) - kBias >= kFloor;
}

struct RoundTowardsZero {
  RoundTowardsZero() { __builtin_ia32_ldmxcsr(kRoundTowardsZero); }
  ~RoundTowardsZero() { __builtin_ia32_ldmxcsr(saved); }
  uint32_t saved = __builtin_ia32_stmxcsr();
};

/// significand * 2^exponent, exactly; any exponent will do for zero, and 128 for NaN and infinity.
TILESCOPE_INLINE float put_together(float significand, int exponent) {
  exponent = exponent < -126 ? -126 : exponent > 127 ? 127 : exponent;
  int32_t bits = (exponent + kBias) << 23;
  float power;
  memcpy(&power, &bits, 4);
  return significand * power;
}

/// Elements of c that the vector path cannot do, one by one through the scalar model.
/// `before` holds the accumulators ahead of this group; the flagged lanes of `c` get the results.
__attribute__((noinline, cold)) void repair(const Problem& p, int m, int group, uint32_t lanes, const float* before,
                                            float* c) {
  uint32_t mode = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(kRoundToNearest);
  TensorCoreModel model{p.args.fraction_bits, p.args.operand_min_exponent, p.args.round_to_f16 ? -14 : -126,
                        p.args.round_to_f16};
  int k_group = p.args.k_group;
  int64_t first_k = static_cast<int64_t>(group) * k_group, first_a = static_cast<int64_t>(m) * p.k_padded + first_k;
  float a[16], b[16];
  for (int k = 0; k < k_group; ++k) {
    a[k] = p.a.values[first_a + k];
    if (p.wide) a[k] = put_together(a[k], (p.a.exponents[first_a + k] >> 16) - kBias);
  }
  for (; lanes != 0; lanes &= lanes - 1) {
    int lane = __builtin_ctz(lanes);
    for (int k = 0; k < k_group; ++k) {
      b[k] = p.b.values[(first_k + k) * kPanel + lane];
      if (!p.wide) continue;
      int32_t both = p.b.exponents[(first_k + k) * kLanes + lane % kLanes];
      b[k] = put_together(b[k], lane < kLanes ? static_cast<int16_t>(both) : both >> 16);
    }
    c[lane] = tensor_core_group(model, a, b, k_group, before[lane]);
  }
  __builtin_ia32_ldmxcsr(mode);
}

/// The low (half 0) or high (half 1) 16-bit numbers of each 32-bit lane.
TILESCOPE_INLINE VI half(VI x, int which) { return which == 0 ? x << 16 >> 16 : x >> 16; }

/// 2^x for biased exponents 1 to 254.
TILESCOPE_INLINE VF power(VI biased) { return reinterpret_cast<VF>(biased << 23); }

/// What a vector of accumulators contributes, and which lanes leave the vector path (sign bit).
struct Term {
  VI top;    ///< largest exponent of products and accumulator, biased by 127, at least kFloor
  VI value;  ///< the accumulator in units of 2^(top - F)
  VI leave;
};

template <bool Wide, bool F16>
TILESCOPE_INLINE Term accumulator_term(VF c, VI product_top, int F) {
  VI bits = reinterpret_cast<VI>(c), magnitude = bits & 0x7fffffff;
  VI e = magnitude >> 23;
  if (F16) e = max(e, splat(-14 + kBias) & (magnitude != 0));
  Term t;
  if constexpr (Wide) {
    e = magnitude != 0 ? e : splat(2 * kZeroExponent);
    VI top = max(product_top, e);
    // Subnormal, NaN, infinite; top out of reach, unless all is zero.
    t.leave = ((magnitude - (1 << 23)) & -magnitude) | (splat((255 << 23) - 1) - magnitude) | (kCeiling - top) |
              ((top - kFloor) & (kZeroExponent / 2 - top));
    t.top = max(top, splat(kFloor));
    VF significand = reinterpret_cast<VF>((bits & static_cast<int32_t>(0x807fffff)) | kBias << 23);
    t.value = to_int(significand * power(max(e - t.top + (F + kBias), splat(1))));
  } else {
    t.top = max(product_top, e);
    // Tiny but not zero; so large that the sum might overflow.
    t.leave = ((magnitude - (kFloor << 23)) & -magnitude) | (splat((254 << 23) - 1) - magnitude);
    t.value = to_int(c * power(F + 2 * kBias - t.top));
  }
  return t;
}

/// The sum in units of 2^(top - F) as a result; sets the sign of `leave` in lanes that need the scalar model.
template <bool F16>
TILESCOPE_INLINE VF result(VI sum, const Term& t, int F, VI& leave) {
  VI total = add_wrapping(sum, t.value);
  leave = t.leave | ((sum ^ total) & (t.value ^ total));  // overflow of 32 bits
  VF x = to_float(total);
  VF scale = power(t.top - F);
  if (!F16) return x * scale;
  VI sticky = (to_int(x) != total) & 1;
  VI bits = reinterpret_cast<VI>(reinterpret_cast<VF>(reinterpret_cast<VI>(x) | sticky) * scale);
  bits = (bits + 0xfff + (bits >> 13 & 1)) & ~0x1fff;
  VI magnitude = bits & 0x7fffffff;
  constexpr int32_t kSmallestNormal = (kBias - 14) << 23, kTooLarge = (kBias + 16) << 23;
  leave |= ((magnitude - kSmallestNormal) & -magnitude) | (splat(kTooLarge - 1) - magnitude);
  return reinterpret_cast<VF>(bits);
}

/// R rows from m on, all groups of k, against the panel; `c` points at the first row's columns of this panel.
template <int R, int Group, bool Wide, bool F16>
TILESCOPE_INLINE void rows(const Problem& p, int m, float* c, int64_t c_stride) {
  const int F = p.args.fraction_bits;
  VF acc[R][2];
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r)
    for (int h = 0; h < 2; ++h) acc[r][h] = *reinterpret_cast<const UF*>(c + r * c_stride + h * kLanes);
  for (int g = 0; g < p.groups; ++g) {
    const float* a = p.a.values + static_cast<int64_t>(m) * p.k_padded + g * Group;
    const int32_t* ea = p.a.exponents + static_cast<int64_t>(m) * p.k_padded + g * Group;
    const float* b = p.b.values + static_cast<int64_t>(g) * Group * kPanel;
    const int32_t* eb = p.b.exponents + static_cast<int64_t>(g) * Group * kLanes;
    VS top[R];
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) top[r] = VS{} + static_cast<int16_t>(Wide ? 2 * kZeroExponent : kFloor);
#pragma GCC unroll 2
    for (int k = 0; k < Group; ++k) {
      VS e = reinterpret_cast<VS>(*reinterpret_cast<const VI*>(eb + k * kLanes));
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) top[r] = max(top[r], e + reinterpret_cast<VS>(splat(ea[r * p.k_padded + k])));
    }
    Term term[R][2];
    VF scale[R][2];
    VI sum[R][2];
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r)
      for (int h = 0; h < 2; ++h) {
        term[r][h] = accumulator_term<Wide, F16>(acc[r][h], half(reinterpret_cast<VI>(top[r]), h), F);
        scale[r][h] = power(F + 2 * kBias - term[r][h].top);
        sum[r][h] = VI{};
      }
#pragma GCC unroll 2
    for (int k = 0; k < Group; ++k) {
      VF b0 = *reinterpret_cast<const VF*>(b + k * kPanel), b1 = *reinterpret_cast<const VF*>(b + k * kPanel + kLanes);
      VI e = *reinterpret_cast<const VI*>(eb + k * kLanes);
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) {
        VF x = splat(a[r * p.k_padded + k]);
        if constexpr (Wide) {
          VI e_a = splat((ea[r * p.k_padded + k] >> 16) + F + kBias);
          VF s0 = power(max(half(e, 0) + (e_a - term[r][0].top), splat(1)));
          VF s1 = power(max(half(e, 1) + (e_a - term[r][1].top), splat(1)));
          sum[r][0] = add_wrapping(sum[r][0], to_int(x * b0 * s0));
          sum[r][1] = add_wrapping(sum[r][1], to_int(x * b1 * s1));
        } else {
          sum[r][0] = add_wrapping(sum[r][0], to_int(x * b0 * scale[r][0]));
          sum[r][1] = add_wrapping(sum[r][1], to_int(x * b1 * scale[r][1]));
        }
      }
    }
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      VI leave[2];
      VF next[2];
      for (int h = 0; h < 2; ++h) next[h] = result<F16>(sum[r][h], term[r][h], F, leave[h]);
      uint32_t lanes = negative_lanes(leave[0]) | negative_lanes(leave[1]) << kLanes | p.b_special[g];
      if (p.a_special[static_cast<int64_t>(m + r) * p.groups + g]) lanes = ~0u >> (32 - kPanel);
      if (__builtin_expect(lanes != 0, 0)) {
        float before[kPanel], after[kPanel];
        memcpy(before, acc[r], sizeof before);
        memcpy(after, next, sizeof after);
        repair(p, m + r, g, lanes, before, after);
        memcpy(next, after, sizeof after);
      }
      for (int h = 0; h < 2; ++h) acc[r][h] = next[h];
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r)
    for (int h = 0; h < 2; ++h) *reinterpret_cast<UF*>(c + r * c_stride + h * kLanes) = acc[r][h];
}

/// All rows against the panel, `c` at its first column. Not inlined: the rounding mode is set around it.
template <int Group, bool Wide, bool F16>
__attribute__((noinline)) void panel_columns(const Problem& p, float* c, int columns) {
  int64_t stride = p.shape.N;
  int m = 0;
  if (columns == kPanel) {
    for (; m + kRows <= p.shape.M; m += kRows) rows<kRows, Group, Wide, F16>(p, m, c + m * stride, stride);
    for (; m < p.shape.M; ++m) rows<1, Group, Wide, F16>(p, m, c + m * stride, stride);
    return;
  }
  float copy[kRows * kPanel] = {};
  size_t bytes = sizeof(float) * static_cast<size_t>(columns);
  for (; m < p.shape.M; m += kRows) {
    int count = p.shape.M - m < kRows ? p.shape.M - m : kRows;
    for (int r = 0; r < count; ++r) memcpy(copy + r * kPanel, c + (m + r) * stride, bytes);
    if (count == kRows) {
      rows<kRows, Group, Wide, F16>(p, m, copy, kPanel);
    } else {
      for (int r = 0; r < count; ++r) rows<1, Group, Wide, F16>(p, m + r, copy + r * kPanel, kPanel);
    }
    for (int r = 0; r < count; ++r) memcpy(c + (m + r) * stride, copy + r * kPanel, bytes);
  }
}

using PanelFunction = void (*)(const Problem&, float*, int);

PanelFunction choose(int k_group, bool wide, bool f16) {
  if (f16) return k_group == 16 ? panel_columns<16, false, true> : panel_columns<8, false, true>;
  if (wide) return k_group == 16 ? panel_columns<16, true, false> : panel_columns<8, true, false>;
  return k_group == 16 ? panel_columns<16, false, false> : panel_columns<8, false, false>;
}

template <bool Cut, bool Ranged>
Range decode_a(const Problem& p, const DotOperand& a) {
  Range range;
  DotShape s = p.shape;
  int group = p.args.k_group, min_biased = p.args.operand_min_exponent + kBias;
  int64_t count = static_cast<int64_t>(s.M) * p.k_padded;
  if (p.k_padded != s.K) memset(p.a.values, 0, sizeof(float) * static_cast<size_t>(count));
  dot_to_f32(a, s.M, s.K, p.a.values, p.k_padded);
  for (int64_t i = count; i % kLanes != 0; ++i) p.a.values[i] = 0;
  for (int64_t i = 0; i < count; i += kLanes) {
    VI biased = take_apart<Cut, Ranged>(p.a.values + i, min_biased, range) + kBias;
    *reinterpret_cast<UI*>(p.a.exponents + i) = (biased & 0xffff) | biased << 16;
  }
  int64_t groups = static_cast<int64_t>(s.M) * p.groups;
  memset(p.a_special, 0, static_cast<size_t>(groups));
  for (int64_t g = 0; g < groups && has_special(range); ++g)
    for (int k = 0; k < group; ++k) p.a_special[g] |= is_special(p.a.values[g * group + k]);
  return range;
}

template <bool Cut, bool Ranged>
Range decode_panel(const Problem& p, const DotOperand& b, int columns) {
  Range range;
  int K = p.shape.K, group = p.args.k_group, min_biased = p.args.operand_min_exponent + kBias;
  int64_t count = static_cast<int64_t>(p.k_padded) * kPanel;
  if (columns < kPanel || p.k_padded != K) memset(p.b.values, 0, sizeof(float) * static_cast<size_t>(count));
  dot_to_f32(b, K, columns, p.b.values, kPanel);
  for (int64_t i = 0; i < count; i += kPanel) {
    VI low = take_apart<Cut, Ranged>(p.b.values + i, min_biased, range);
    VI high = take_apart<Cut, Ranged>(p.b.values + i + kLanes, min_biased, range);
    *reinterpret_cast<UI*>(p.b.exponents + i / 2) = (low & 0xffff) | high << 16;
  }
  memset(p.b_special, 0, sizeof(uint32_t) * static_cast<size_t>(p.groups));
  for (int64_t i = 0; i < count && has_special(range); ++i)
    p.b_special[i / kPanel / group] |= static_cast<uint32_t>(is_special(p.b.values[i])) << (i % kPanel);
  return range;
}

/// The same for the operands' format.
Range decode_a(const Problem& p, const DotOperand& a) {
  if (p.args.cut_to_tf32) return decode_a<true, true>(p, a);
  return p.args.operand_min_exponent > -100 ? decode_a<false, false>(p, a) : decode_a<false, true>(p, a);
}
Range decode_panel(const Problem& p, const DotOperand& b, int columns) {
  if (p.args.cut_to_tf32) return decode_panel<true, true>(p, b, columns);
  return p.args.operand_min_exponent > -100 ? decode_panel<false, false>(p, b, columns)
                                            : decode_panel<false, true>(p, b, columns);
}

}  // namespace

void dot_tensor_core(const TensorCoreArgs& args, const DotOperand& a, const DotOperand& b, float* c, DotShape shape,
                     std::byte* scratch) {
  Problem p;
  p.args = args;
  p.shape = shape;
  p.groups = (shape.K + args.k_group - 1) / args.k_group;
  p.k_padded = p.groups * args.k_group;
  p.wide = false;
  int64_t panel_size = static_cast<int64_t>(p.k_padded) * kPanel;
  int64_t a_size = (static_cast<int64_t>(shape.M) * p.k_padded + kLanes - 1) / kLanes * kLanes;
  p.b.values = reinterpret_cast<float*>(scratch);
  p.b.exponents = reinterpret_cast<int32_t*>(p.b.values + panel_size);
  p.a.values = reinterpret_cast<float*>(p.b.exponents + panel_size / 2);
  p.a.exponents = reinterpret_cast<int32_t*>(p.a.values + a_size);
  p.b_special = reinterpret_cast<uint32_t*>(p.a.exponents + a_size);
  p.a_special = reinterpret_cast<bool*>(p.b_special + p.groups);
  Range range_a = decode_a(p, a);
  bool a_is_wide = false;
  for (int n = 0; n < shape.N; n += kPanel) {
    stop_if_asked();
    int columns = shape.N - n < kPanel ? shape.N - n : kPanel;
    Range range_b = decode_panel(p, part(b, 0, n), columns);
    bool narrow = is_narrow(range_a, range_b);
    if (!narrow && !a_is_wide) {
      keep_significands(p.a.values, a_size);
      a_is_wide = true;
    }
    p.wide = a_is_wide;  // once taken apart, A stays so
    if (p.wide) keep_significands(p.b.values, panel_size);
    PanelFunction function = choose(args.k_group, p.wide, args.round_to_f16);
    RoundTowardsZero mode;
    function(p, c + n, columns);
  }
}

}  // namespace tilescope::TILESCOPE_ISA
