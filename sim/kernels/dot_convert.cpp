// Operands of every float type, with any strides, to dense fp32; all conversions are exact.
#include <cstring>

#include "sim/kernels/dot_parts.h"

namespace tilescope::TILESCOPE_ISA {
namespace {

// x86-64's base has no half-precision instructions: multiply by a power of two to move the exponent's bias.
// Exact for subnormals too; `infinity` is what the largest exponent turns into, `nan` the codes above it.
TILESCOPE_INLINE float widen_bits(uint32_t magnitude, uint32_t sign, float rebias, float infinity) {
  float x, y;
  memcpy(&x, &magnitude, 4);
  x *= rebias;
  uint32_t bits;
  memcpy(&bits, &x, 4);
  bits |= x >= infinity ? 0x7f800000u : 0u;  // the fraction stays: infinity or NaN
  bits |= sign;
  memcpy(&y, &bits, 4);
  return y;
}

struct FromF16 {
  using Raw = uint16_t;
  TILESCOPE_INLINE float get(uint16_t h) {
    return widen_bits((h & 0x7fffu) << 13, (h & 0x8000u) << 16, 0x1p112f, 65536.0f);
  }
};
struct FromE5M2 {
  using Raw = uint8_t;
  TILESCOPE_INLINE float get(uint8_t b) { return FromF16::get(static_cast<uint16_t>(b << 8)); }
};
struct FromE4M3 {
  using Raw = uint8_t;
  TILESCOPE_INLINE float get(uint8_t b) {  // no infinities; all ones is NaN, which would be 480
    return widen_bits((b & 0x7fu) << 20, (b & 0x80u) << 24, 0x1p120f, 480.0f);
  }
};
struct FromBF16 {
  using Raw = uint16_t;
  TILESCOPE_INLINE float get(uint16_t b) {
    uint32_t bits = static_cast<uint32_t>(b) << 16;
    float x;
    memcpy(&x, &bits, 4);
    return x;
  }
};
struct FromF32 {
  using Raw = float;
  TILESCOPE_INLINE float get(float x) { return x; }
};

template <class Raw>
TILESCOPE_INLINE Raw load(const Raw* p) {
  Raw x;
  memcpy(&x, p, sizeof x);
  return x;
}

template <class From>
TILESCOPE_INLINE void convert_run(From, const typename From::Raw* source, float* target, int count) {
  for (int i = 0; i < count; ++i) target[i] = From::get(load(source + i));
}

#if defined(__F16C__)
TILESCOPE_INLINE void convert_run(FromF16, const uint16_t* source, float* target, int count) {
  int i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= count; i += 16)
    _mm512_storeu_ps(target + i,
                     _mm512_maskz_cvtph_ps(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source + i))));
#endif
  for (; i + 8 <= count; i += 8) {
    __m128i h = _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + i));
    _mm256_storeu_ps(target + i, _mm256_cvtph_ps(h));
  }
  for (; i < count; ++i) target[i] = FromF16::get(load(source + i));
}
#endif

template <class From>
void convert(const DotOperand& m, int rows, int columns, float* target, int64_t stride) {
  using Raw = typename From::Raw;
  const Raw* source = static_cast<const Raw*>(m.data);
  if (m.column_stride == 1) {
    for (int i = 0; i < rows; ++i) convert_run(From{}, source + i * m.row_stride, target + i * stride, columns);
    return;
  }
  // Down the columns in short runs, so that a transposed view is read along its lines.
  constexpr int kRun = 16;
  for (int i0 = 0; i0 < rows; i0 += kRun) {
    int run = rows - i0 < kRun ? rows - i0 : kRun;
    for (int j = 0; j < columns; ++j) {
      float line[kRun];
      const Raw* p = source + i0 * m.row_stride + j * m.column_stride;
      if (m.row_stride == 1 && run == kRun) {
        convert_run(From{}, p, line, kRun);
      } else {
        for (int i = 0; i < run; ++i) line[i] = From::get(load(p + i * m.row_stride));
      }
      for (int i = 0; i < run; ++i) target[(i0 + i) * stride + j] = line[i];
    }
  }
}

}  // namespace

void dot_to_f32(const DotOperand& source, int rows, int columns, float* target, int64_t stride) {
  switch (source.dtype) {
    case DType::Float16:
      return convert<FromF16>(source, rows, columns, target, stride);
    case DType::BFloat16:
      return convert<FromBF16>(source, rows, columns, target, stride);
    case DType::Float8E5:
      return convert<FromE5M2>(source, rows, columns, target, stride);
    case DType::Float8E4NV:
      return convert<FromE4M3>(source, rows, columns, target, stride);
    default:
      return convert<FromF32>(source, rows, columns, target, stride);
  }
}

void dot_to_f16(const float* source, uint16_t* target, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    uint32_t bits;
    memcpy(&bits, source + i, 4);
    uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    // Normal results: drop 13 bits, to nearest even, and move the bias; a carry runs into the exponent as it should.
    uint32_t normal = (magnitude + 0xfffu + (magnitude >> 13 & 1u) - (112u << 23)) >> 13;
    // Subnormal results: the adder's own rounding, with the last bit of the sum worth 2^-24.
    float x;
    memcpy(&x, &magnitude, 4);
    float shifted = x + 0.5f;
    uint32_t subnormal;
    memcpy(&subnormal, &shifted, 4);
    subnormal -= 0x3f000000u;
    uint32_t h = magnitude < 0x38800000u ? subnormal : normal;
    h = magnitude >= 0x477ff000u ? 0x7c00u : h;  // 65520 and above
    h |= sign;
    target[i] = static_cast<uint16_t>(magnitude > 0x7f800000u ? 0x7fffu : h);
  }
}

}  // namespace tilescope::TILESCOPE_ISA
