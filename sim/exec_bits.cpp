// Bitcasts between element types, and Philox.
#include "core/device_math.h"
#include "sim/exec_tile.h"

namespace tilescope {
namespace {

namespace math = ::tilescope_math;

template <class From, class To>
void bitcast_lanes(int64_t n, void* out, const Lanes* in) {
  const auto* a = static_cast<const From*>(in[0].data);
  auto* o = static_cast<To*>(out);
  for (int64_t l = 0; l < n; ++l) o[l] = math::bitcast<To>(a[in[0].step != 0 ? l : 0]);
}

template <class From, class I8, class I16, class I32, class I64>
constexpr auto integer_like() {
  if constexpr (sizeof(From) == 1) return I8{};
  else if constexpr (sizeof(From) == 2) return I16{};
  else if constexpr (sizeof(From) == 4) return I32{};
  else return I64{};
}

template <class From>
ElementwiseFn float_to_int(DType to) {
  using Signed = decltype(integer_like<From, int8_t, int16_t, int32_t, int64_t>());
  using Unsigned = decltype(integer_like<From, uint8_t, uint16_t, uint32_t, uint64_t>());
  return is_signed_int(to) ? bitcast_lanes<From, Signed> : bitcast_lanes<From, Unsigned>;
}

template <class Word>
void philox_lanes(int64_t n, const std::byte* const* in, std::byte* const* out) {
  for (int64_t l = 0; l < n; ++l) {
    Word w[6];
    for (int k = 0; k < 6; ++k) std::memcpy(&w[k], in[k] + l * static_cast<int64_t>(sizeof(Word)), sizeof(Word));
    const math::PhiloxWords<Word> r = math::philox<Word>({w[2], w[3], w[4], w[5]}, w[0], w[1], math::kPhiloxRounds);
    const Word words[4] = {r.c0, r.c1, r.c2, r.c3};
    for (int k = 0; k < 4; ++k) std::memcpy(out[k] + l * static_cast<int64_t>(sizeof(Word)), &words[k], sizeof(Word));
  }
}

void philox(DType t, int64_t n, const std::byte* const* in, std::byte* const* out) {
  if (t == DType::UInt64)
    philox_lanes<uint64_t>(n, in, out);
  else
    philox_lanes<uint32_t>(n, in, out);
}

const Inst* run_philox_scalar(Machine& m, const Inst* i) {
  const std::byte* in[6];
  std::byte* out[4];
  uint8_t poison = 0;
  for (int k = 0; k < 6; ++k) {
    in[k] = operand_lanes(m, i, k);
    poison |= m.reg_poison(i->in[static_cast<size_t>(k)]);
  }
  uint64_t words[4] = {};
  for (int k = 0; k < 4; ++k) out[k] = reinterpret_cast<std::byte*>(&words[k]);
  philox(i->dtype, 1, in, out);
  for (int k = 0; k < 4; ++k) {
    m.reg(i->out + k) = words[k];
    m.reg_poison(i->out + k) = poison;
  }
  return i + 1;
}

}  // namespace

ElementwiseFn bitcast_kernel(DType from, DType to) {
  if (!is_float(from) || is_float(to)) return nullptr;
  switch (from) {
    case DType::Float8E4NV: return float_to_int<math::e4m3>(to);
    case DType::Float8E5: return float_to_int<math::e5m2>(to);
    case DType::Float16: return float_to_int<math::f16>(to);
    case DType::BFloat16: return float_to_int<math::bf16>(to);
    case DType::Float32: return float_to_int<float>(to);
    default: return float_to_int<double>(to);
  }
}

const Inst* run_philox(Machine& m, const Inst* i) {
  m.current = i;
  if (i->scalars != 0) return run_philox_scalar(m, i);
  Poison poison;
  const std::byte* in[6];
  for (int k = 0; k < 6; ++k) {
    const int32_t slot = i->in[static_cast<size_t>(k)];
    if (m.poisoned) add_poison(m, poison, m.tile(slot), m.type(slot));
    in[k] = operand_lanes(m, i, k);
  }
  std::byte* out[4];
  for (int k = 0; k < 4; ++k) {
    Tile& t = m.tile(i->out + k);
    out[k] = allocate(m, t, *i->type);
    if (k > 0 && poison.lanes != nullptr) ++poison.lanes->references;
    set_poison(t, poison);
  }
  philox(i->dtype, i->type->elements, in, out);
  m.finish(i);
  return i + 1;
}

}  // namespace tilescope
