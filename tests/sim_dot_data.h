// Operands for the tests of dots: raw codes, their values decoded by arithmetic, and a plain reference.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "sim/dot.h"
#include "sim/kernels/dispatch.h"
#include "sim/tensor_core.h"

namespace tilescope::dot_test {

/// Instruction sets this processor can be tested with.
inline std::vector<Isa> isas() {
  std::vector<Isa> all;
  for (Isa isa : {Isa::Base, Isa::V3, Isa::V4})
    if (isa_supported(isa)) all.push_back(isa);
  return all;
}

/// Back to the instruction set that was in use.
struct IsaGuard {
  Isa before = current_isa();
  ~IsaGuard() { use_isa(before); }
};

struct Format {
  int exponent_bits, fraction_bits;
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  uint32_t largest() const { return (1u << exponent_bits) - 1; }
};

inline Format format_of(DType t) {
  switch (t) {
    case DType::Float16:
      return {5, 10};
    case DType::BFloat16:
      return {8, 7};
    case DType::Float8E5:
      return {5, 2};
    case DType::Float8E4NV:
      return {4, 3};
    default:
      return {8, 23};
  }
}

/// Value of a raw code, by arithmetic (fp32 as it is: the payload of a NaN matters to tf32).
inline float decode(DType t, uint32_t code) {
  if (t == DType::Float32) return std::bit_cast<float>(code);
  Format f = format_of(t);
  uint32_t fraction = code & ((1u << f.fraction_bits) - 1), e = code >> f.fraction_bits & f.largest();
  float sign = code >> (f.exponent_bits + f.fraction_bits) & 1 ? -1.0f : 1.0f;
  bool e4m3 = t == DType::Float8E4NV;
  if (e == f.largest() && (!e4m3 || fraction == 7)) return fraction ? NAN : sign * INFINITY;
  double significand = static_cast<double>(fraction) / (1 << f.fraction_bits) + (e ? 1 : 0);
  return sign * static_cast<float>(std::ldexp(significand, (e ? static_cast<int>(e) : 1) - f.bias()));
}

/// A matrix of raw codes with strides.
struct Matrix {
  DType dtype;
  int rows, columns;
  int64_t row_stride, column_stride;
  std::vector<std::byte> bytes;

  Matrix(DType t, int r, int c, bool transposed = false, int padding = 0)
      : dtype(t),
        rows(r),
        columns(c),
        row_stride(transposed ? 1 : c + padding),
        column_stride(transposed ? r + padding : 1),
        bytes(static_cast<size_t>(transposed ? (r + padding) * c : r * (c + padding)) * dtype_bytes(t)) {}
  int64_t index(int i, int j) const { return i * row_stride + j * column_stride; }
  void set(int i, int j, uint32_t code) {
    std::memcpy(&bytes[index(i, j) * dtype_bytes(dtype)], &code, dtype_bytes(dtype));
  }
  uint32_t code(int i, int j) const {
    uint32_t code = 0;
    std::memcpy(&code, &bytes[index(i, j) * dtype_bytes(dtype)], dtype_bytes(dtype));
    return code;
  }
  float value(int i, int j) const { return decode(dtype, code(i, j)); }
  DotOperand operand() const { return {bytes.data(), dtype, row_stride, column_stride}; }
};

/// Kinds of data on which a model can go wrong.
enum class Data { Ordinary, AllExponents, ZerosAndSubnormals, Specials, Huge, Tiny, SameExponent, WideRange, kCount };

/// A random code whose exponent field lies in [low, high]; extreme fractions often.
inline uint32_t code_with_exponent(Format f, int low, int high, std::mt19937& random) {
  int e = low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  e = std::min(std::max(e, 0), static_cast<int>(f.largest()));
  uint32_t all = (1u << f.fraction_bits) - 1;
  uint32_t fraction = random() % 4 ? random() & all : random() % 2 ? all : 0;
  return ((random() & 1) << f.exponent_bits | static_cast<uint32_t>(e)) << f.fraction_bits | fraction;
}

inline uint32_t random_code(Data kind, Format f, std::mt19937& random) {
  int top = static_cast<int>(f.largest()), bias = f.bias();
  switch (kind) {
    case Data::AllExponents:
      return code_with_exponent(f, 0, top - 1, random);
    case Data::ZerosAndSubnormals:
      if (random() % 3 == 0) return (random() & 1) << (f.exponent_bits + f.fraction_bits);
      return code_with_exponent(f, 0, random() % 2 ? 1 : top - 1, random);
    case Data::Specials:
      if (random() % 60 == 0) return code_with_exponent(f, top, top, random);
      return random() % 6 ? code_with_exponent(f, 1, top - 1, random) : 0;
    case Data::Huge:
      return code_with_exponent(f, top - 3, top - 1, random);
    case Data::Tiny:
      return code_with_exponent(f, 0, 3, random);
    case Data::SameExponent:
      return code_with_exponent(f, bias, bias, random);
    case Data::WideRange:
      return code_with_exponent(f, bias - bias / 2, bias + bias / 2, random);
    default:
      return code_with_exponent(f, bias - 4, bias + 2, random);
  }
}

inline void fill(Matrix& m, Data kind, std::mt19937& random) {
  for (int i = 0; i < m.rows; ++i)
    for (int j = 0; j < m.columns; ++j) m.set(i, j, random_code(kind, format_of(m.dtype), random));
}

/// The model applied element by element; accumulators as values.
inline std::vector<float> reference_dot(const DotContract& contract, const Matrix& a, const Matrix& b,
                                        std::vector<float> c) {
  TensorCoreModel model = tensor_core_model(contract);
  bool cut = contract.input == DotContract::Input::TF32;
  for (int m = 0; m < a.rows; ++m)
    for (int n = 0; n < b.columns; ++n)
      for (int k = 0; k < a.columns; k += contract.k_group) {
        float x[64], y[64];
        int count = std::min(contract.k_group, a.columns - k);
        for (int i = 0; i < count; ++i) {
          x[i] = cut ? tf32_operand(a.value(m, k + i)) : a.value(m, k + i);
          y[i] = cut ? tf32_operand(b.value(k + i, n)) : b.value(k + i, n);
        }
        float& sum = c[static_cast<size_t>(m) * b.columns + n];
        sum = tensor_core_group(model, x, y, count, sum);
      }
  return c;
}

inline bool same_bits(float x, float y) { return std::bit_cast<uint32_t>(x) == std::bit_cast<uint32_t>(y); }

}  // namespace tilescope::dot_test
