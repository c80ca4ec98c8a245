#include "sim/dot.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

#include "core/diagnostic.h"
#include "core/stop.h"
#include "sim/kernels/dot_kernels.h"
#include "sim/tensor_core.h"

namespace tilescope {

TILESCOPE_DEFINE_KERNELS(DotKernels, dot_kernels)

namespace {

constexpr size_t kAlign = 64;
constexpr int64_t kWidestPanel = 32;

/// Narrow tiles would leave half of each AVX-512 panel empty; the results are the same bytes.
const DotKernels& kernels_for(int columns) {
  return current_isa() == Isa::V4 && columns <= 16 ? v3::dot_kernels_table : dot_kernels();
}

size_t aligned(size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

/// Hands out parts of the scratch memory.
struct Carver {
  std::byte* next;
  template <class T>
  T* take(size_t count) {
    T* p = reinterpret_cast<T*>(next);
    next += aligned(count * sizeof(T));
    return p;
  }
};

bool vector_model_covers(const DotContract& c) {
  bool group = c.k_group == 8 || c.k_group == 16;
  return group && c.fraction_bits >= 1 && (int64_t{c.k_group} << (c.fraction_bits + 2)) <= int64_t{1} << 31;
}

/// The model for groups or fractions that the vector kernels do not cover: dense fp32 operands, one element at a time.
void tensor_core_by_element(const DotContract& contract, const float* a, const float* b, float* c, DotShape s) {
  TensorCoreModel model = tensor_core_model(contract);
  bool cut = contract.input == DotContract::Input::TF32;
  float x[64], y[64];
  for (int m = 0; m < s.M; ++m) {
    stop_if_asked();
    for (int n = 0; n < s.N; ++n)
      for (int k = 0; k < s.K; k += contract.k_group) {
        int count = std::min(contract.k_group, s.K - k);
        for (int i = 0; i < count; ++i) {
          x[i] = a[int64_t{m} * s.K + k + i];
          y[i] = b[int64_t{k + i} * s.N + n];
          if (cut) x[i] = tf32_operand(x[i]), y[i] = tf32_operand(y[i]);
        }
        float& sum = c[int64_t{m} * s.N + n];
        sum = tensor_core_group(model, x, y, count, sum);
      }
  }
}

/// One dot through the model; c in fp32, `scratch` as dot_scratch_bytes plus both operands dense.
void tensor_core(const DotContract& contract, const DotOperand& a, const DotOperand& b, float* c, DotShape s,
                 Carver scratch) {
  if (vector_model_covers(contract)) {
    TensorCoreModel model = tensor_core_model(contract);
    TensorCoreArgs args{contract.k_group, contract.fraction_bits, model.operand_min_exponent,
                        contract.input == DotContract::Input::TF32, model.round_to_f16};
    return kernels_for(s.N).tensor_core(args, a, b, c, s, scratch.next);
  }
  float* dense_a = scratch.take<float>(static_cast<size_t>(s.M) * s.K);
  float* dense_b = scratch.take<float>(static_cast<size_t>(s.K) * s.N);
  dot_kernels().to_f32(a, s.M, s.K, dense_a, s.K);
  dot_kernels().to_f32(b, s.K, s.N, dense_b, s.N);
  tensor_core_by_element(contract, dense_a, dense_b, c, s);
}

uint32_t bits_of(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  return bits;
}

float float_of(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, 4);
  return x;
}

/// The nearest tf32, ties away from zero, as cvt.rna.tf32.f32 has it. NaNs stay.
struct NearestTf32 {
  static uint32_t round(uint32_t bits) { return (bits + 0x1000u) & ~0x1fffu; }
};

/// The nearest bf16, ties to even. NaNs stay.
struct NearestBf16 {
  static uint32_t round(uint32_t bits) { return (bits + 0x7fffu + (bits >> 16 & 1u)) & 0xffff0000u; }
};

/// An fp32 matrix as a sum of matrices of a narrower type, largest first.
struct Split {
  float* part[3];
  DotOperand operand(int i, int columns) const { return {part[i], DType::Float32, columns, 1}; }
};

template <class Nearest>
Split split(const DotOperand& m, int rows, int columns, int parts, Carver& scratch) {
  size_t count = static_cast<size_t>(rows) * columns;
  Split s;
  for (int i = 0; i < parts; ++i) s.part[i] = scratch.take<float>(count);
  dot_kernels().to_f32(m, rows, columns, s.part[0], columns);
  for (int i = 0; i < parts; ++i) {
    float* part = s.part[i];
    float* rest = s.part[std::min(i + 1, parts - 1)];
    for (size_t j = 0; j < count; ++j) {
      uint32_t bits = bits_of(part[j]);
      float x = part[j], nearest = float_of((bits & 0x7fffffffu) > 0x7f800000u ? bits : Nearest::round(bits));
      if (i + 1 < parts) rest[j] = x - nearest;
      part[j] = nearest;
    }
  }
  return s;
}

/// tf32x3, bf16x3, bf16x6: products of parts, smallest first, in one chain that starts at zero; a NaN among the small
/// ones (inf - inf) becomes zero before the largest product; the accumulator is added last, in fp32. As Triton does.
void split_dot(const DotContract& contract, const DotOperand& a, const DotOperand& b, float* c, DotShape s,
               Carver scratch) {
  using Input = DotContract::Input;
  struct Product {
    int a, b;
  };
  static constexpr Product kThree[] = {{1, 0}, {0, 1}};
  static constexpr Product kSix[] = {{1, 1}, {2, 0}, {0, 2}, {1, 0}, {0, 1}};
  bool tf32 = contract.input == Input::TF32x3, six = contract.input == Input::BF16x6;
  DotContract single = contract;
  single.input = tf32 ? Input::TF32 : Input::BF16;
  int parts = six ? 3 : 2;
  Split split_a =
      tf32 ? split<NearestTf32>(a, s.M, s.K, parts, scratch) : split<NearestBf16>(a, s.M, s.K, parts, scratch);
  Split split_b =
      tf32 ? split<NearestTf32>(b, s.K, s.N, parts, scratch) : split<NearestBf16>(b, s.K, s.N, parts, scratch);
  size_t count = static_cast<size_t>(s.M) * s.N;
  float* sum = scratch.take<float>(count);
  std::fill_n(sum, count, 0.0f);
  auto add = [&](Product p) {
    tensor_core(single, split_a.operand(p.a, s.K), split_b.operand(p.b, s.N), sum, s, scratch);
  };
  if (six) {
    for (Product p : kSix) add(p);
  } else {
    for (Product p : kThree) add(p);
  }
  for (size_t i = 0; i < count; ++i) sum[i] = std::isnan(sum[i]) ? 0.0f : sum[i];
  add({0, 0});
  for (size_t i = 0; i < count; ++i) {
    float x = sum[i] + c[i];
    c[i] = std::isnan(x) ? float_of(0x7fffffff) : x;
  }
}

void float_dot(const DotContract& contract, DotMode mode, const DotOperand& a, const DotOperand& b, float* c,
               DotShape s, Carver scratch) {
  using Input = DotContract::Input;
  bool parts = contract.input == Input::TF32x3 || contract.input == Input::BF16x3 || contract.input == Input::BF16x6;
  if (mode == DotMode::Fast || contract.unit == DotContract::Unit::Fma) {
    kernels_for(s.N).fma_f32(a, b, c, s, scratch.next);
  } else if (parts) {
    split_dot(contract, a, b, c, s, scratch);
  } else {
    tensor_core(contract, a, b, c, s, scratch);
  }
}

}  // namespace

std::byte* DotScratch::reserve(size_t bytes) {
  if (bytes > size_) {
    memory_.reset();
    size_ = aligned(bytes + bytes / 4);
    memory_.reset(static_cast<std::byte*>(::operator new (size_, std::align_val_t{kAlign})));
  }
  return memory_.get();
}

void DotScratch::Free::operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{kAlign}); }

size_t dot_scratch_bytes(DotShape s) {
  // A and one panel of B, K padded to a group and rows to odd cache lines; values and exponents of 4 bytes, or float64.
  size_t k = static_cast<size_t>(s.K) + 48;
  return 8 * k * (static_cast<size_t>(s.M) + kWidestPanel) + 2 * k * static_cast<size_t>(s.M) + 16 * kAlign;
}

void dot(const DotContract& contract, DotMode mode, const DotOperand& a, const DotOperand& b, void* c, int M, int N,
         int K, DotScratch& scratch) {
  DotShape s{M, N, K};
  size_t dense = aligned(4 * static_cast<size_t>(M) * K) + aligned(4 * static_cast<size_t>(K) * N);
  size_t tile = aligned(4 * static_cast<size_t>(M) * N);
  Carver carver{scratch.reserve(dot_scratch_bytes(s) + 4 * dense + 2 * tile)};
  switch (accumulator_dtype(contract)) {
    case DType::Int32:
      return kernels_for(N).int8(a, b, static_cast<int32_t*>(c), s, carver.next);
    case DType::Float64:
      return dot_kernels().fma_f64(a, b, static_cast<double*>(c), s, carver.next);
    case DType::Float32:
      return float_dot(contract, mode, a, b, static_cast<float*>(c), s, carver);
    case DType::Float16: {
      float* sums = carver.take<float>(static_cast<size_t>(M) * N);
      dot_kernels().to_f32({c, DType::Float16, N, 1}, M, N, sums, N);
      float_dot(contract, mode, a, b, sums, s, carver);
      return dot_kernels().to_f16(sums, static_cast<uint16_t*>(c), int64_t{M} * N);
    }
    default:
      internal_error("a dot's accumulator has an unexpected type");
  }
}

}  // namespace tilescope
