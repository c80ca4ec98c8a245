// Dots of tiles: C := A * B + C under a contract (core/dot_contract.h), on views of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/dot_contract.h"
#include "sim/dot_operand.h"
#include "sim/run.h"

namespace tilescope {

/// Working memory of a thread, kept from dot to dot.
class DotScratch {
 public:
  /// At least `bytes` bytes, aligned to 64; what an earlier call returned is lost.
  std::byte* reserve(size_t bytes);

 private:
  struct Free {
    void operator()(std::byte* p) const;
  };
  std::unique_ptr<std::byte, Free> memory_;
  size_t size_ = 0;
};

/// C := A[M, K] * B[K, N] + C[M, N], one accumulator chain per element, k ascending.
/// `c` is dense, row-major, of accumulator_dtype(contract). Operand types are those the contract was chosen for.
/// Mode Exact obeys the contract to the last bit, the same on every processor (NaN results are 0x7fffffff, in fp16
/// 0x7fff). Mode Fast replaces tensor cores by fp32 fma in k order (fp16 sums are rounded once, at the end); it changes
/// nothing for Fma and Integer contracts.
void dot(const DotContract& contract, DotMode mode, const DotOperand& a, const DotOperand& b, void* c, int M, int N,
         int K, DotScratch& scratch);

}  // namespace tilescope
