// Dots of tiles in shared memory, as their contract (core/dot_contract.h) has them: one chain for each element, k ascending.
// The accumulator is spread over a warp as mma.sync m16n8 has it. Compiled by NVRTC only.
#ifndef TILESCOPE_GPU_DEVICE_DOT_H_
#define TILESCOPE_GPU_DEVICE_DOT_H_

#include "gpu/device/tile.h"

namespace ts {

// ---- 16-bit tiles in shared memory: no padding; the 16-byte pieces of a row are exchanged so that neither whole rows that are
// written nor 8 rows that are read in one column meet in a bank

/// What the row's pieces are exchanged by (xor with the column, in elements); `row` is a row's length.
template <int row>
TS_FN int phase(int r) {
  return row >= 64 ? (r & 7) * 8 : row == 32 ? (r >> 1 & 3) * 8 : row == 16 ? (r >> 2 & 1) * 8 : 0;
}
/// Where element e lies of matrices of `rows` rows of that length, one behind the other.
template <int row, int rows>
TS_FN int swizzled(int e) {
  return e ^ phase<row>(e / row & (rows - 1));
}

// ---- units: how fragments are read (A is [row][k], B is [k][column]) and multiplied ----------------------------------------

/// Where the lane's row of an A tile lies: rows beyond a short tile are copies.
template <class Shape, class T>
TS_FN const T* row_of(const T* A, int row) {
  return A + (row & (Shape::M - 1)) * Shape::kStrideA;
}
TS_FN uint32_t shared_address(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }

TS_FN void load_matrices(uint32_t* a, uint32_t p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(p) : "memory");
}

/// A 16 x 32-byte tile of A, whose rows are padded, in the order of mma.sync's registers; from column k on.
template <class Shape, class T>
TS_FN void read_rows(uint32_t* a, const T* A, int row, int k) {
  const uint32_t lane = threadIdx.x % 32;
  load_matrices(a, shared_address(A + k) + ((row + lane % 16) & (Shape::M - 1)) * (Shape::kStrideA * (int)sizeof(T)) + lane / 16 * 16);
}

/// 16-bit operands. Their rows are not padded but swizzled (below).
struct PairsOf16 {
  using Element = uint16_t;
  static constexpr int kStep = 16;
  template <class Shape>
  TS_FN static void read_a(uint32_t* a, const Element* A, int row, int k) {
    const int lane = threadIdx.x % 32, r = (row + lane % 16) & (Shape::M - 1);
    const uint32_t piece = 2 * (lane / 16 * 8 ^ phase<Shape::kStrideA>(r));  // within 128 bytes, as the low part of k
    load_matrices(a, shared_address(A) + 2 * (r * Shape::kStrideA + (k & ~63)) + (piece ^ 2 * (k & 63)));
  }
  /// All of the warp's columns: 16 x 16 at a time, transposed on the way.
  template <class Shape>
  TS_FN static void read_b(uint32_t (*b)[2], const Element* B, int k, int column) {
    const int lane = threadIdx.x % 32, r = lane % 16;
    const uint32_t row = shared_address(B) + 2 * (k + r) * Shape::kStrideB;
    if constexpr (Shape::kColumnTiles == 1) {
      const uint32_t base = row + 2 * (column ^ phase<Shape::kStrideB>(r));
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(b[0][0]), "=r"(b[0][1]) : "r"(base) : "memory");
    } else {
      const uint32_t piece = 2 * (column + lane / 16 * 8 ^ phase<Shape::kStrideB>(r));
      each(n, Shape::kColumnTiles / 2) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(b[2 * n][0]), "=r"(b[2 * n][1]), "=r"(b[2 * n + 1][0]), "=r"(b[2 * n + 1][1])
                     : "r"(row + (32 * n & ~127) + (piece ^ (32 * n & 127)))
                     : "memory");
      }
    }
  }
};

/// Reads B tile by tile, through Unit::read_column: registers of lane (g, q) for column g of the tile.
template <class Unit, class Shape, class T>
TS_FN void read_columns(uint32_t (*b)[2], const T* B, int column) {
  const int lane = threadIdx.x % 32, g = lane / 4, q = lane % 4;
  each(n, Shape::kColumnTiles) Unit::read_column(b[n], B + column + 8 * n + g, Shape::kStrideB, q);
}

#define TS_MMA_F32(shape_and_types)                                                                                    \
  asm volatile("mma.sync.aligned." shape_and_types " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"               \
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                                        \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

struct F16 : PairsOf16 {
  static constexpr bool kIsBF16 = false;
  TS_FN static void multiply(float* c, const uint32_t* a, const uint32_t* b) { TS_MMA_F32("m16n8k16.row.col.f32.f16.f16.f32"); }
};
/// float16 sums, rounded after each group.
struct F16Sums : PairsOf16 {
  TS_FN static void multiply(f16* c, const uint32_t* a, const uint32_t* b) {
    uint32_t top = c[0].bits | (uint32_t)c[1].bits << 16, bottom = c[2].bits | (uint32_t)c[3].bits << 16;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1},{%2,%3,%4,%5},{%6,%7},{%0,%1};"
                 : "+r"(top), "+r"(bottom)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    c[0].bits = (uint16_t)top, c[1].bits = (uint16_t)(top >> 16), c[2].bits = (uint16_t)bottom, c[3].bits = (uint16_t)(bottom >> 16);
  }
};
struct BF16 : PairsOf16 {
  static constexpr bool kIsBF16 = true;
  TS_FN static void multiply(float* c, const uint32_t* a, const uint32_t* b) { TS_MMA_F32("m16n8k16.row.col.f32.bf16.bf16.f32"); }
};

/// The nearest tf32 (ties away from zero) or bf16 (ties to even); NaNs stay NaNs.
struct NearestTf32 {
  TS_FN static float of(float x) {
    const uint32_t u = float_bits(x);
    return (u & 0x7fffffffu) > 0x7f800000u ? x : as_float((u + 0x1000u) & ~0x1fffu);
  }
};
struct NearestBf16 {
  TS_FN static float of(float x) {
    const uint32_t u = float_bits(x);
    // A NaN whose payload lies in the low half would be cut to an infinity.
    return (u & 0x7fffffffu) > 0x7f800000u ? quiet_nan<float>() : as_float((u + 0x7fffu + (u >> 16 & 1u)) & 0xffff0000u);
  }
};
/// The i-th part of a float as a sum of narrower numbers, largest first.
template <class Nearest, int i>
TS_FN float part(float x) {
  each(n, i) x = x - Nearest::of(x);
  return Nearest::of(x);
}

/// float operands of which the unit sees a tf32: whole (the low bits are ignored), or part `i` of A and `j` of B.
template <int i, int j>
struct Tf32Parts {
  using Element = float;
  static constexpr int kStep = 8;
  template <int n>
  TS_FN static uint32_t seen(float x) {
    if constexpr (n < 0)
      return float_bits(x);
    else
      return float_bits(part<NearestTf32, n>(x));
  }
  template <class Shape>
  TS_FN static void read_a(uint32_t* a, const float* A, int row, int k) {
    read_rows<Shape>(a, A, row, k);
    if constexpr (i >= 0) each(n, 4) a[n] = seen<i>(as_float(a[n]));
  }
  template <class Shape>
  TS_FN static void read_b(uint32_t (*b)[2], const float* B, int k, int column) {
    read_columns<Tf32Parts, Shape>(b, B + k * Shape::kStrideB, column);
  }
  TS_FN static void read_column(uint32_t* b, const float* column, int stride, int q) {
    b[0] = seen<j>(column[q * stride]), b[1] = seen<j>(column[(q + 4) * stride]);
  }
  TS_FN static void multiply(float* c, const uint32_t* a, const uint32_t* b) { TS_MMA_F32("m16n8k8.row.col.f32.tf32.tf32.f32"); }
};
using TF32 = Tf32Parts<-1, -1>;

/// float operands as bf16 part `i` of A and `j` of B.
template <int i, int j>
struct Bf16Parts {
  using Element = float;
  static constexpr int kStep = 16;
  template <int n>
  TS_FN static uint32_t pair(float low, float high) {
    return float_bits(part<NearestBf16, n>(low)) >> 16 | (float_bits(part<NearestBf16, n>(high)) & 0xffff0000u);
  }
  template <class Shape>
  TS_FN static void read_a(uint32_t* a, const float* A, int row, int k) {
    const int lane = threadIdx.x % 32, g = lane / 4, q = lane % 4;
    const float *top = row_of<Shape>(A + k, row + g), *bottom = row_of<Shape>(A + k, row + g + 8);
    a[0] = pair<i>(top[2 * q], top[2 * q + 1]), a[1] = pair<i>(bottom[2 * q], bottom[2 * q + 1]);
    a[2] = pair<i>(top[2 * q + 8], top[2 * q + 9]), a[3] = pair<i>(bottom[2 * q + 8], bottom[2 * q + 9]);
  }
  template <class Shape>
  TS_FN static void read_b(uint32_t (*b)[2], const float* B, int k, int column) {
    read_columns<Bf16Parts, Shape>(b, B + k * Shape::kStrideB, column);
  }
  TS_FN static void read_column(uint32_t* b, const float* column, int stride, int q) {
    each(h, 2) b[h] = pair<j>(column[(2 * q + 8 * h) * stride], column[(2 * q + 8 * h + 1) * stride]);
  }
  TS_FN static void multiply(float* c, const uint32_t* a, const uint32_t* b) { TS_MMA_F32("m16n8k16.row.col.f32.bf16.bf16.f32"); }
};

struct I8 {
  using Element = int8_t;
  static constexpr int kStep = 32;
  template <class Shape>
  TS_FN static void read_a(uint32_t* a, const int8_t* A, int row, int k) {
    read_rows<Shape>(a, A, row, k);
  }
  template <class Shape>
  TS_FN static void read_b(uint32_t (*b)[2], const int8_t* B, int k, int column) {
    read_columns<I8, Shape>(b, B + k * Shape::kStrideB, column);
  }
  TS_FN static void read_column(uint32_t* b, const int8_t* column, int stride, int q) {
    each(h, 2) {
      b[h] = 0;
      each(i, 4) b[h] |= (uint32_t)(uint8_t)column[(4 * q + 16 * h + i) * stride] << (8 * i);
    }
  }
  TS_FN static void multiply(int32_t* c, const uint32_t* a, const uint32_t* b) {
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

// ---- the warp's part of the product -----------------------------------------------------------------------------------------

/// Sizes of a dot: M x N x K of the tile, what one warp computes of it, row strides of A and B in shared memory.
template <int M_, int N_, int K_, int warp_m, int warp_n, int stride_a, int stride_b>
struct DotShape {
  static constexpr int M = M_, N = N_, K = K_, kStrideA = stride_a, kStrideB = stride_b;
  static constexpr int kRowTiles = warp_m < 16 ? 1 : warp_m / 16, kColumnTiles = warp_n < 8 ? 1 : warp_n / 8;
  static constexpr int kRows = M > 8 ? 2 : 1, kColumns = N > 1 ? 2 : 1;  // registers of a thread in one 16 x 8 tile
  /// Register of element i (of 4) of a 16 x 8 tile; elements beyond a smaller tile are copies.
  TS_FN static int at(int m, int n, int i) {
    return ((m * kColumnTiles + n) * kRows + ((i >> 1) & (kRows - 1))) * kColumns + (i & (kColumns - 1));
  }
};

/// acc += A x B in groups of Unit::kStep. `row` and `column`: where the warp's part begins.
template <class Unit, class Shape, class Acc>
TS_FN void dot(Acc* acc, const typename Unit::Element* A, const typename Unit::Element* B, int row, int column) {
  constexpr int kTiles = Shape::kRowTiles * Shape::kColumnTiles * (Shape::K / Unit::kStep);
#pragma unroll (kTiles <= 128 ? Shape::K / Unit::kStep : 1)
  for (int k = 0; k < Shape::K; k += Unit::kStep) {
    uint32_t b[Shape::kColumnTiles][2];
    Unit::template read_b<Shape>(b, B, k, column);
    each(m, Shape::kRowTiles) {
      uint32_t a[4];
      Unit::template read_a<Shape>(a, A, row + 16 * m, k);
      each(n, Shape::kColumnTiles) {
        Acc c[4];
        each(i, 4) c[i] = acc[Shape::at(m, n, i)];
        Unit::multiply(c, a, b[n]);
        each(i, 4) acc[Shape::at(m, n, i)] = c[i];
      }
    }
  }
}

/// acc = fma(a, b, acc), element by element: float and double operands that no matrix unit takes.
template <class Shape, class T>
TS_FN void dot_fma(T* acc, const T* A, const T* B, int row, int column) {
  const int lane = threadIdx.x % 32, g = lane / 4, q = lane % 4;
#pragma unroll 4
  for (int k = 0; k < Shape::K; ++k) {
    T b[Shape::kColumnTiles][Shape::kColumns];
    each(n, Shape::kColumnTiles) each(i, Shape::kColumns) b[n][i] = B[k * Shape::kStrideB + column + 8 * n + 2 * q + i];
    each(m, Shape::kRowTiles) each(h, Shape::kRows) {
      const T a = A[((row + 16 * m + g + 8 * h) & (Shape::M - 1)) * Shape::kStrideA + k];
      each(n, Shape::kColumnTiles) each(i, Shape::kColumns) {
        T& c = acc[Shape::at(m, n, 2 * h + i)];
        c = fma(a, b[n][i], c);
      }
    }
  }
}

template <class Shape>
struct Registers {
  static constexpr int kCount = Shape::kRowTiles * Shape::kColumnTiles * Shape::kRows * Shape::kColumns;
};

/// Products of parts, smallest first, in one chain that starts at zero; a NaN among the small ones (inf - inf) becomes
/// zero before the largest product; the accumulator is added last.
template <class Shape, class Largest, class... Smaller>
TS_FN void dot_of_parts(float* acc, const float* A, const float* B, int row, int column) {
  constexpr int R = Registers<Shape>::kCount;
  float sum[R];
  each(r, R) sum[r] = 0.0f;
  (dot<Smaller, Shape>(sum, A, B, row, column), ...);
  each(r, R) sum[r] = sum[r] != sum[r] ? 0.0f : sum[r];
  dot<Largest, Shape>(sum, A, B, row, column);
  each(r, R) acc[r] = sum[r] + acc[r];
}
template <class Shape>
TS_FN void dot_tf32x3(float* acc, const float* A, const float* B, int row, int column) {
  dot_of_parts<Shape, Tf32Parts<0, 0>, Tf32Parts<1, 0>, Tf32Parts<0, 1>>(acc, A, B, row, column);
}
template <class Shape>
TS_FN void dot_bf16x3(float* acc, const float* A, const float* B, int row, int column) {
  dot_of_parts<Shape, Bf16Parts<0, 0>, Bf16Parts<1, 0>, Bf16Parts<0, 1>>(acc, A, B, row, column);
}
template <class Shape>
TS_FN void dot_bf16x6(float* acc, const float* A, const float* B, int row, int column) {
  dot_of_parts<Shape, Bf16Parts<0, 0>, Bf16Parts<1, 1>, Bf16Parts<2, 0>, Bf16Parts<0, 2>, Bf16Parts<1, 0>, Bf16Parts<0, 1>>(
      acc, A, B, row, column);
}

// ---- wgmma: four warps multiply 64 rows at once, and read both operands from shared memory. The same bits as mma.sync.

/// Where a tile lies, for the matrix unit. `row_bytes` (32, 64 or 128) tells the swizzle; `stride` leads from 8 rows to the next
/// 8, `panel` from 64 columns of B to the next 64.
template <int row_bytes>
TS_FN uint64_t described(const void* p, int stride, int panel) {
  constexpr uint64_t swizzle = row_bytes == 128 ? 1 : row_bytes == 64 ? 2 : 3;
  return (shared_address(p) & 0x3ffff) >> 4 | (uint64_t)(panel >> 4) << 16 | (uint64_t)(stride >> 4) << 32 | swizzle << 62;
}

#define TS_WGMMA_64(type) \
  asm volatile( \
      "{ .reg .pred p; setp.ne.b32 p, %34, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32." type "." type " " \
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26," \
      "%27,%28,%29,%30,%31}" \
      ", %32, %33, p, 1, 1, 0, 1; }" \
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]), \
      "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]), \
      "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]), \
      "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31]) \
      : "l"(a), "l"(b), "r"(1))
#define TS_WGMMA_128(type) \
  asm volatile( \
      "{ .reg .pred p; setp.ne.b32 p, %66, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32." type "." type " " \
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26," \
      "%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51," \
      "%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}" \
      ", %64, %65, p, 1, 1, 0, 1; }" \
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]), \
      "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]), \
      "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]), \
      "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31]), \
      "+f"(c[32]), "+f"(c[33]), "+f"(c[34]), "+f"(c[35]), "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]), \
      "+f"(c[40]), "+f"(c[41]), "+f"(c[42]), "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]), \
      "+f"(c[48]), "+f"(c[49]), "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]), \
      "+f"(c[56]), "+f"(c[57]), "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]), "+f"(c[63]) \
      : "l"(a), "l"(b), "r"(1))

#define TS_WGMMA_256(type) \
  asm volatile( \
      "{ .reg .pred p; setp.ne.b32 p, %130, 0; wgmma.mma_async.sync.aligned.m64n256k16.f32." type "." type " " \
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26," \
      "%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51," \
      "%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76," \
      "%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100," \
      "%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120," \
      "%121,%122,%123,%124,%125,%126,%127}" \
      ", %128, %129, p, 1, 1, 0, 1; }" \
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]), \
      "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]), \
      "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]), \
      "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31]), \
      "+f"(c[32]), "+f"(c[33]), "+f"(c[34]), "+f"(c[35]), "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]), \
      "+f"(c[40]), "+f"(c[41]), "+f"(c[42]), "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]), \
      "+f"(c[48]), "+f"(c[49]), "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]), \
      "+f"(c[56]), "+f"(c[57]), "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]), "+f"(c[63]), \
      "+f"(c[64]), "+f"(c[65]), "+f"(c[66]), "+f"(c[67]), "+f"(c[68]), "+f"(c[69]), "+f"(c[70]), "+f"(c[71]), \
      "+f"(c[72]), "+f"(c[73]), "+f"(c[74]), "+f"(c[75]), "+f"(c[76]), "+f"(c[77]), "+f"(c[78]), "+f"(c[79]), \
      "+f"(c[80]), "+f"(c[81]), "+f"(c[82]), "+f"(c[83]), "+f"(c[84]), "+f"(c[85]), "+f"(c[86]), "+f"(c[87]), \
      "+f"(c[88]), "+f"(c[89]), "+f"(c[90]), "+f"(c[91]), "+f"(c[92]), "+f"(c[93]), "+f"(c[94]), "+f"(c[95]), \
      "+f"(c[96]), "+f"(c[97]), "+f"(c[98]), "+f"(c[99]), "+f"(c[100]), "+f"(c[101]), "+f"(c[102]), "+f"(c[103]), \
      "+f"(c[104]), "+f"(c[105]), "+f"(c[106]), "+f"(c[107]), "+f"(c[108]), "+f"(c[109]), "+f"(c[110]), "+f"(c[111]), \
      "+f"(c[112]), "+f"(c[113]), "+f"(c[114]), "+f"(c[115]), "+f"(c[116]), "+f"(c[117]), "+f"(c[118]), "+f"(c[119]), \
      "+f"(c[120]), "+f"(c[121]), "+f"(c[122]), "+f"(c[123]), "+f"(c[124]), "+f"(c[125]), "+f"(c[126]), "+f"(c[127]) \
      : "l"(a), "l"(b), "r"(1))

/// 64 x `columns` sums += A (64 x 16) x B (16 x columns).
template <class Unit, int columns>
TS_FN void multiply_64(float* c, uint64_t a, uint64_t b) {
  constexpr bool bf16 = Unit::kIsBF16;
  if constexpr (columns == 64 && !bf16) TS_WGMMA_64("f16");
  if constexpr (columns == 64 && bf16) TS_WGMMA_64("bf16");
  if constexpr (columns == 128 && !bf16) TS_WGMMA_128("f16");
  if constexpr (columns == 128 && bf16) TS_WGMMA_128("bf16");
  if constexpr (columns == 256 && !bf16) TS_WGMMA_256("f16");
  if constexpr (columns == 256 && bf16) TS_WGMMA_256("bf16");
}
template <int count>
TS_FN void keep(float* acc) {
  each(r, count) asm volatile("" : "+f"(acc[r]) : : "memory");
}

/// What threads have written to shared memory becomes visible to wgmma, after the next barrier.
TS_FN void show_to_wgmma() { asm volatile("fence.proxy.async.shared::cta;" : : : "memory"); }

/// Starts acc += A x B, one chain for each element, k ascending. A is [M][K]; B [K][N] in panels of 64 columns. The four warps
/// compute `steps` times 64 rows, the first from `row` on, row_step apart, and `columns` columns from `column` on.
template <class Unit, int K, int steps, int row_step, int columns>
TS_FN void start_dot(float* acc, const uint16_t* A, const uint16_t* B, int row, int column) {
  constexpr int most = columns < 256 ? columns : 256;
  keep<steps * columns / 2>(acc);
  asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
  each(k, K / 16) each(m, steps) each(n, columns / most) {
    const uint16_t* a = A + (row + m * row_step) * K + 16 * k;
    const uint16_t* b = B + (column + n * most) * K + 16 * k * 64;
    multiply_64<Unit, most>(acc + (m * columns + n * most) / 2, described<2 * K>(a, 16 * K, 0), described<128>(b, 1024, 128 * K));
  }
  asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
}
/// Waits until the sums are there.
template <int count>
TS_FN void finish_dot(float* acc) {
  asm volatile("wgmma.wait_group.sync.aligned 0;" : : : "memory");
  keep<count>(acc);
}

}  // namespace ts

#endif  // TILESCOPE_GPU_DEVICE_DOT_H_
