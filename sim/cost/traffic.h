// What the programs of a launch ask of memory, program by program, found without computing a value that no address and
// no mask needs: the launch's tensors are not even allocated unless a load of them decides an address.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/launch_file.h"
#include "sim/cost/gpu_description.h"
#include "sim/launch.h"

namespace tilescope::cost {

/// A load, store or atomic of the kernel.
struct TrafficOp {
  int line = 0, column = 0;
  std::string mnemonic;  ///< load, store, atomic_rmw, atomic_cas
  int tensor = -1;       ///< index into TrafficSource::tensors(); -1: several, or not known before the run
  bool loads = false, stores = false;
  int elem_bytes = 0;
  bool feeds_dot = false;       ///< the loaded tile is an operand of a dot
};

struct TrafficTensor {
  std::string name;
  DType dtype = DType::Float32;
  std::vector<int64_t> shape;
  uint64_t begin = 0, end = 0;  ///< virtual byte addresses of its storage, half open; apart from all others by wide gaps
  uint64_t origin = 0;           ///< address of logical index 0
  std::vector<int64_t> strides;  ///< in elements
};

/// Bytes of one execution of an op, in the order of the tile: row r covers [start + r * stride, + bytes), active lanes
/// only. An execution without a pattern is several of these; one whose lanes are all masked off is one with rows = 0.
struct AccessRows {
  int32_t op = 0;
  int32_t tensor = -1;
  uint64_t start = 0;
  uint32_t bytes = 0, rows = 1;
  int64_t stride = 0;
  bool first = true;  ///< first part of its execution; the next three are of the whole execution and 0 in other parts
  uint32_t lanes = 0, requests = 0, sectors = 0;  ///< (a tile of pointers into several tensors: its first part in each has them)
  uint32_t shared_requests = 0;  ///< of `requests`, those that an earlier part has counted for another tensor
  /// Arithmetic that the program does between the access before this one and this one: flop by unit of the dominant
  /// kind (WorkCounts has the sums).
  float flops_before = 0;
};

/// Arithmetic of the whole launch. A multiply-add is two; a division, exp or log counts one.
struct WorkCounts {
  double flops[kWorkUnits] = {};
  double dot_multiply_adds = 0;  ///< over all dots
  /// Bytes of loaded operands, were every multiply-add of the dots to read its own two from memory.
  double operand_bytes = 0;
  double total() const;  ///< flops of all units
};

/// Programs of a launch, run for their addresses only. Not copyable; `program` may be called from several threads, each
/// with its own `lane` (0 .. lanes() - 1).
class TrafficSource {
 public:
  /// Compiles the launch and slices its kernel. Error: as prepare_launch; or a kernel whose addresses cannot be found
  /// this way, by name and line. `text`: the kernel file as it is edited; null: read from spec.kernel_path.
  static Expected<std::unique_ptr<TrafficSource>> open(const LaunchSpec& spec, int lanes = 1, SourcePtr text = nullptr);
  /// The same of a launch that is bound already. Its tensors need storage only where a load decides an address, and are
  /// changed there when programs store what decides addresses.
  static Expected<std::unique_ptr<TrafficSource>> open(Launch launch, int lanes = 1);
  /// The same of a launch that is complete and compiled, with its tensors still to be made.
  static Expected<std::unique_ptr<TrafficSource>> open(const LaunchSpec& complete, CompiledKernel kernel, int lanes = 1);
  virtual ~TrafficSource() = default;

  virtual const CompiledKernel& kernel() const = 0;  ///< before slicing
  virtual const Function& sliced() const = 0;        ///< what runs
  virtual std::array<int64_t, 3> grid() const = 0;
  virtual int lanes() const = 0;
  virtual const std::vector<TrafficOp>& ops() const = 0;
  virtual const std::vector<TrafficTensor>& tensors() const = 0;
  /// The accesses of one program (number: axis 0 fastest), replacing what is in `out`. False: the program faulted or
  /// reached the step limit; `out` then has what it did until there.
  virtual bool program(int64_t number, int lane, std::vector<AccessRows>& out) = 0;
  /// The unit of AccessRows::flops_before: that which does most of the arithmetic, by the kernel's text.
  virtual WorkUnit dominant_unit() const = 0;
  /// Arithmetic of the programs run so far; a program that ran twice counts twice. Not while programs run.
  virtual WorkCounts work() const = 0;
  /// What the numbers leave out ("values loaded through indices are those before the launch").
  virtual std::vector<std::string> notes() const = 0;
};

/// The tensors of a kernel whose values decide addresses or masks, by name: they need storage, others do not.
std::vector<std::string> tensors_behind_addresses(const Function& kernel);

// ---- accounting -----------------------------------------------------------------------------------------------------------

/// One load, store or atomic over all programs.
struct OpTraffic {
  uint64_t times = 0, lanes = 0, requests = 0, sectors = 0;
  uint64_t asked_bytes = 0;       ///< lanes x element size
  uint64_t moved_bytes = 0;       ///< sectors x 32
  uint64_t distinct_bytes = 0;    ///< over the launch
  uint64_t program_bytes = 0;     ///< distinct bytes of each program, summed: asked / this = reuse within a program,
                                  ///< this / distinct = reuse across programs
  uint64_t distinct_sectors = 0;
  /// Executions whose elements are the same count as one tile; those that are all masked off as none. times / tiles =
  /// loads of a tile. Exact up to two million, then an estimate to well within 1%.
  uint64_t tiles = 0;
  double efficiency() const { return moved_bytes == 0 ? 1 : static_cast<double>(asked_bytes) / static_cast<double>(moved_bytes); }
};

struct LaunchTraffic {
  std::vector<OpTraffic> ops;          ///< by TrafficSource::ops
  std::vector<OpTraffic> loads, stores;  ///< by tensor; an atomic counts as a store
  WorkCounts work;
  int64_t programs = 0, stopped = 0;   ///< programs that ran; of them, faulted
  /// Bytes loaded: naive, were every multiply-add of the dots to read its two operands from memory (other loads as they
  /// are); tiled, as the kernel asks for them; ideal, every byte that it loads once.
  double naive_loads = 0, tiled_loads = 0, ideal_loads = 0;
  /// The same with the stores: as the kernel stores them; ideal, every byte once.
  double naive_bytes = 0, tiled_bytes = 0, ideal_bytes = 0;
};

/// Runs every program (`first`: only the first so many) once. Uses all lanes of the source.
/// `progress` may be empty; false stops (then the counts cover what ran).
LaunchTraffic account(TrafficSource& source, int64_t first = -1, const std::function<bool(int64_t, int64_t)>& progress = {});

/// One tile that programs load or store: elements of a tensor, as a box of logical indices where it is one.
struct TileUse {
  int32_t op = 0;
  IndexBox box;
  std::vector<int64_t> programs;  ///< that accessed it, in order, each once
};
/// Tiles of these programs, each once: the figure of "90 tile loads row by row, 54 in groups". At most `most` tiles.
std::vector<TileUse> tiles_of(TrafficSource& source, const std::vector<int64_t>& programs, size_t most = 100'000);

}  // namespace tilescope::cost
