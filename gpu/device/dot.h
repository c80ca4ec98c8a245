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

}  // namespace ts

#endif  // TILESCOPE_GPU_DEVICE_DOT_H_
