// Functions of one 32-bit number over all 2^32 inputs. Each program hashes 4096 inputs with their results into one sum;
// the sums of both sides are compared, so that a difference is found with the block it lies in.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstring>

#include "core/builder.h"
#include "core/device_math.h"
#include "core/op_domain.h"
#include "sim/kernels/tile_kernels.h"
#include "tests/parity/suite.h"

namespace tilescope::parity {
namespace {

constexpr int64_t kBlock = 4096, kBlocks = (int64_t{1} << 32) / kBlock;
constexpr uint64_t kFirst = 0x9e3779b97f4a7c15u, kSecond = 0xd6e8feb86659fd93u;

struct Unary {
  std::string rung, name;
  OpCode code;
  DType from, to;
};

DType unsigned_of(DType t) { return int_type(std::max(8, dtype_bits(t)), false); }

ValueId wide_constant(Builder& b, uint64_t bits) {
  return b.splat(b.constant_bits(Type::scalar(DType::UInt64), bits), {kBlock});
}

/// sums[pid] = sum over the block of mix(bits of the result, bits of the input).
Function kernel_of(const Unary& u) {
  Function f;
  f.name = "hash_of_" + std::string(op_info(u.code).name);
  Builder b(f);
  const ValueId sums = b.param("sums", Type::pointer_to(DType::UInt64), 16);
  const ValueId pid = b.program_id(0);
  const ValueId start = b.elementwise(OpCode::Mul, {pid, b.constant_int(Type::scalar(DType::Int32), kBlock)});
  const ValueId number = b.elementwise(OpCode::Add, {b.splat(start, {kBlock}), b.make_range(0, kBlock)});
  const ValueId x = is_float(u.from) ? b.bitcast(number, u.from) : b.cast(number, u.from);
  const ValueId y = u.code == OpCode::Cast ? b.cast(x, u.to) : b.elementwise(u.code, {x});
  ValueId bits = u.to == DType::Int1                           ? b.cast(y, DType::UInt8)
                 : is_float(u.to) || u.to != unsigned_of(u.to) ? b.bitcast(y, unsigned_of(u.to))
                                                               : y;
  bits = b.cast(bits, DType::UInt64);
  const ValueId input = b.cast(b.cast(number, DType::UInt32), DType::UInt64);
  ValueId h = b.elementwise(OpCode::BitXor, {bits, b.elementwise(OpCode::Mul, {input, wide_constant(b, kSecond)})});
  h = b.elementwise(OpCode::Mul, {h, wide_constant(b, kFirst)});
  h = b.elementwise(OpCode::BitXor, {h, b.elementwise(OpCode::Shr, {h, wide_constant(b, 29)})});
  h = b.elementwise(OpCode::Mul, {h, wide_constant(b, kSecond)});
  const ValueId sum = b.create1(OpCode::Reduce, {h}, Type::scalar(DType::UInt64),
                                {{"axis", int64_t{0}}, {"combine", std::string("sum")}});
  b.store(b.addptr(sums, pid), sum);
  b.create(OpCode::Return, {}, {});
  return f;
}

template <class T>
void widen(const void* from, uint64_t* to) {
  const T* p = static_cast<const T*>(from);
  for (int64_t i = 0; i < kBlock; ++i) to[i] = p[i];
}

/// The same sum on the CPU, by the simulator's own kernels.
uint64_t sum_of_block(const Unary& u, int64_t block) {
  alignas(64) uint32_t input[kBlock];
  alignas(64) uint64_t result[kBlock], wide[kBlock];
  for (int64_t i = 0; i < kBlock; ++i) input[i] = static_cast<uint32_t>(block * kBlock + i);
  const Lanes lanes[1] = {{input, 1}};
  const ElementwiseFn fn = u.code == OpCode::Cast ? cast_kernel(u.from, u.to) : elementwise_kernel(u.code, u.from);
  fn(kBlock, result, lanes);
  if (u.to == DType::Float32) {
    float* y = reinterpret_cast<float*>(result);
    for (int64_t i = 0; i < kBlock; ++i) y[i] = tilescope_math::canonical_nan(y[i]);
  } else if (u.to == DType::Float64) {
    double* y = reinterpret_cast<double*>(result);
    for (int64_t i = 0; i < kBlock; ++i) y[i] = tilescope_math::canonical_nan(y[i]);
  } else if (is_float(u.to)) {
    const auto canonical = [&](auto* y) {
      for (int64_t i = 0; i < kBlock; ++i) y[i] = tilescope_math::canonical_nan(y[i]);
    };
    if (u.to == DType::Float16) canonical(reinterpret_cast<tilescope_math::f16*>(result));
    if (u.to == DType::BFloat16) canonical(reinterpret_cast<tilescope_math::bf16*>(result));
    if (u.to == DType::Float8E4NV) canonical(reinterpret_cast<tilescope_math::e4m3*>(result));
    if (u.to == DType::Float8E5) canonical(reinterpret_cast<tilescope_math::e5m2*>(result));
  }
  switch (dtype_bytes(u.to)) {
    case 1:
      widen<uint8_t>(result, wide);
      break;
    case 2:
      widen<uint16_t>(result, wide);
      break;
    case 4:
      widen<uint32_t>(result, wide);
      break;
    default:
      widen<uint64_t>(result, wide);
  }
  uint64_t sum = 0;
  for (int64_t i = 0; i < kBlock; ++i) {
    uint64_t h = (wide[i] ^ input[i] * kSecond) * kFirst;
    h = (h ^ h >> 29) * kSecond;
    sum += h;
  }
  return sum;
}

std::vector<Unary> functions() {
  std::vector<Unary> out;
  for (int i = 0; i < op_count(); ++i) {
    const OpInfo& info = op_info(static_cast<OpCode>(i));
    if (info.group != OpGroup::Elementwise || info.min_operands != 1 || info.rule == TypeRule::Explicit ||
        info.rule == TypeRule::ToFloat)
      continue;
    if (!op_takes(info.code, DType::Float32)) continue;
    const bool exact = info.rule == TypeRule::IsFloat || info.code == OpCode::Sqrt || info.code == OpCode::Neg ||
                       info.code == OpCode::Abs;
    out.push_back({exact ? "L0" : "L2", std::string(info.name), info.code, DType::Float32,
                   info.rule == TypeRule::IsFloat ? DType::Int1 : DType::Float32});
  }
  for (DType to : {DType::Float16, DType::BFloat16, DType::Float8E4NV, DType::Float8E5, DType::Int8, DType::UInt8,
                   DType::Int16, DType::Int32, DType::UInt32, DType::Int64, DType::Float64})
    out.push_back({"L1", "float32 to " + std::string(dtype_name(to)), OpCode::Cast, DType::Float32, to});
  for (DType to : {DType::Float32, DType::Float16, DType::BFloat16, DType::Float8E4NV, DType::Float8E5})
    for (DType from : {DType::Int32, DType::UInt32})
      out.push_back(
          {"L1", std::string(dtype_name(from)) + " to " + std::string(dtype_name(to)), OpCode::Cast, from, to});
  return out;
}

}  // namespace

void run_unary(gpu::Device& device, const Options& o, Report& report) {
  (void)o;
  auto sums = allocate_tensor("sums", DType::UInt64, TensorLayout::contiguous({kBlocks}));
  if (!sums) return;
  std::vector<uint64_t> expected(kBlocks);
  for (const Unary& u : functions()) {
    Tally& t = report[u.rung == "L1"   ? "32-bit conversions, all 2^32 inputs"
                      : u.rung == "L0" ? "exact functions, all 2^32 inputs"
                                       : "functions of float32, all 2^32 inputs"];
    t.rung = u.rung;
    ++t.cases;
    t.results += int64_t{1} << 32;
    const Function f = kernel_of(u);
    const auto begin = std::chrono::steady_clock::now();
#pragma omp parallel for schedule(dynamic, 256)
    for (int64_t block = 0; block < kBlocks; ++block) expected[static_cast<size_t>(block)] = sum_of_block(u, block);
    const auto middle = std::chrono::steady_clock::now();
    auto kernel = gpu::compile_for_gpu(f, {kBlocks, 1, 1}, device.info().architecture(), device.info().shared_limit);
    if (!kernel) {
      ++t.differing_cases;
      t.examples.push_back(u.name + ": " + render(kernel.errors()));
      continue;
    }
    const std::vector<Argument> args = {{&*sums, 0}};
    auto ran = gpu::run_on_gpu(device, *kernel, f, args, {kBlocks, 1, 1});
    if (!ran || !ran->fault.empty()) {
      ++t.differing_cases;
      t.examples.push_back(u.name + ": " + (ran ? ran->fault : ran.errors().front().message));
      continue;
    }
    t.sim_s += std::chrono::duration<double>(middle - begin).count();
    t.gpu_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - middle).count();
    int64_t wrong = 0, first = -1;
    for (int64_t block = 0; block < kBlocks; ++block) {
      uint64_t got = 0;
      std::memcpy(&got, sums->element(block), 8);
      if (got != expected[static_cast<size_t>(block)] && wrong++ == 0) first = block;
    }
    if (wrong == 0) continue;
    t.differing += wrong;
    ++t.differing_cases;
    t.examples.push_back(fmt::format("{}: {} of {} blocks of {} inputs differ, the first begins at bits {:#x}", u.name,
                                     wrong, kBlocks, kBlock, first * kBlock));
  }
}

}  // namespace tilescope::parity
