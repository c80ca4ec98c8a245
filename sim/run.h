// Runs a compiled kernel on the CPU.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/ir.h"
#include "core/trace.h"

namespace tilescope {

struct Tensor;

/// The value of one Function parameter: a tensor for pointers, else the element's bit pattern.
struct Argument {
  Tensor* tensor = nullptr;
  uint64_t bits = 0;
};

enum class ProgramOrder { RowMajor, Reverse, Shuffled };
enum class DotMode { Exact, Fast };
enum class RecordLevel { None, Counters };

/// What is reported as a fault. A program that faults stops; others go on (up to max_faults).
struct Checkers {
  bool bounds = true;         ///< addresses outside every tensor, or outside the tensor the pointer came from
  bool addresses = true;      ///< addresses, bounds and conditions made of uninitialised or poisoned values
  bool uninitialised = false; ///< uninitialised or poisoned values that reach a live stored lane
  bool duplicates = false;    ///< lanes of one store that write one element
  bool races = false;         ///< programs that write one element, or one that reads what another writes
  bool overflow = false;      ///< offsets that wrapped in 32 (16, 8) bits and reach an address
  bool block_pointers = false;///< block pointers whose shape and strides are not those of their tensor

  /// Everything that one run can find.
  static Checkers all() { return {true, true, true, true, true, true, true}; }
};

struct Limits {
  uint64_t max_programs = uint64_t{1} << 31;
  uint64_t max_steps_per_program = 100'000'000;  ///< executed ops; beyond: "does it wait for another program?"
  uint64_t max_faults = 20;                      ///< distinct places reported
  uint64_t max_printed = 1000;                   ///< lines of device_print
};

struct RunOptions {
  ProgramOrder order = ProgramOrder::RowMajor;
  uint64_t shuffle_seed = 0;
  int threads = 0;  ///< 0: OpenMP's choice
  DotMode dot = DotMode::Exact;
  /// Keep tiles as affine functions, boxes and views where that is exact. Off: every tile is written out after every
  /// op, which is slow and gives the same bytes (tests compare the two).
  bool closed_forms = true;
  int64_t first_programs = -1;  ///< run only so many programs, in the order above; -1: all
  RecordLevel record = RecordLevel::Counters;
  bool maps = false;  ///< also fill the trace's footprints and element counts (needs counters)
  Checkers check;
  Limits limits;
  /// Called now and then with the number of finished programs; return false to stop. May be empty.
  std::function<bool(int64_t done, int64_t total)> progress;
};

/// Executes grid[0] x grid[1] x grid[2] programs. Results do not depend on threads or order, except for kernels with
/// float atomics or atomics whose old value is used: those run one after the other in program order (row-major unless
/// options.order says otherwise) and the trace's notes say "depends on order".
/// Tensors are changed in place. Faults are in the trace; a faulting program's later stores do not happen.
RunTrace run(const Function& function, const std::vector<Argument>& args, std::array<int64_t, 3> grid,
             const RunOptions& options);

/// Some fault makes the launch fail. Stores of one value to one element (Fault::same_value) do not: whoever wins, the
/// bytes are the same, and kernels that set a flag or repeat a row do so on purpose. They are reported as warnings.
inline bool has_failed(const RunTrace& trace) {
  for (const Fault& f : trace.faults)
    if (!f.same_value) return true;
  return false;
}

}  // namespace tilescope
