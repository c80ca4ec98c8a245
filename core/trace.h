// What a run leaves behind, as plain versioned data. The simulator writes it; reports, panels and exporters read it and
// nothing else. Two levels: counters (always cheap) and, for chosen programs, every step with every value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "core/types.h"

namespace tilescope {

inline constexpr int kTraceVersion = 3;

/// Program index along the three grid axes.
using ProgramIndex = std::array<int64_t, 3>;

/// Counters of one kind of access. Lanes count elements of the tile; requests and sectors are those of a GPU under the
/// thread layout of core/layout.h: one request a warp-wide instruction with at least one active lane, sectors of 32
/// bytes counted once within a request.
struct AccessCounters {
  uint64_t programs = 0;  ///< programs that executed it at least once
  uint64_t times = 0;     ///< executions
  uint64_t lanes_active = 0, lanes_masked = 0;
  uint64_t bytes = 0;     ///< lanes_active x element size
  uint64_t requests = 0, sectors = 0;
};

/// How often each element of a tensor was loaded (over all programs): times -> number of elements, elements loaded at
/// least once only.
struct ReuseCounts {
  uint64_t max = 0;
  double mean = 0;  ///< over the elements loaded at least once
  std::map<uint64_t, uint64_t> histogram;
};

struct TensorReport {
  std::string name;
  DType dtype = DType::Float32;
  std::vector<int64_t> shape;
  AccessCounters loads, stores, atomics;
  uint64_t distinct_bytes = 0;  ///< bytes loaded, stored or updated at least once
  /// 32-byte sectors loaded at least once, and stored (atomics too) at least once.
  uint64_t distinct_sectors_loaded = 0, distinct_sectors_stored = 0;
  ReuseCounts reuse;
};

/// One memory op of the source.
struct LineReport {
  int line = 0, column = 0;
  std::string op;      ///< mnemonic: load, store, atomic_rmw, atomic_cas
  std::string tensor;  ///< the tensor it touched, or "several"
  AccessCounters counters;
};

enum class FaultKind : uint8_t {
  OutOfBounds, UninitialisedRead, PoisonedUse, BadAddress, ZeroStep, AssertFailed, Limit,
  DuplicateLanes,   ///< lanes of one store write one element
  Race,             ///< two programs write one element, or one reads what another writes
  OrderDependence,  ///< another order of the programs gives another result
  OffsetOverflow,   ///< a 32-bit offset wrapped before it was used as an address
  Misaligned,
  BlockPointer      ///< blocks of a block pointer that overlap, or a parent that is not what its shape and strides say
};
std::string_view fault_kind_name(FaultKind k);  // "out_of_bounds", ...

/// One iteration of an enclosing loop at the time of a fault or step.
struct LoopPosition {
  int line = 0;           ///< of the loop statement
  std::string variable;   ///< induction variable's name
  int64_t value = 0;      ///< its value
  int64_t iteration = 0;  ///< counted from 0
};

/// The other access of a fault that needs two: a race, duplicate lanes.
struct FaultPartner {
  SourceRange range;
  CallChain calls;
  ProgramIndex program{};
  int64_t lane = 0;
  std::vector<int64_t> lane_index;
  bool writes = false;
};

struct Fault {
  FaultKind kind = FaultKind::OutOfBounds;
  SourceRange range;
  CallChain calls;
  ProgramIndex program{};
  int64_t lane = 0;                 ///< row-major index within the tile; 0 for scalars
  std::vector<int64_t> lane_index;  ///< the same along the tile's axes
  std::string tensor;               ///< may be empty when the address belongs to none
  int64_t offset = 0, size = 0;     ///< element offset that was addressed; number of elements of the tensor
  std::vector<int64_t> element;     ///< the offset in the tensor's logical shape, where it has one
  std::vector<LoopPosition> loops;  ///< outermost first
  uint64_t count = 1;               ///< lanes (over all programs) with the same kind at the same place
  std::string message, hint;
  std::optional<FaultPartner> other;
  /// Both accesses write the same value: the result is right on this launch, and only by luck.
  bool same_value = false;
};
/// The fault as an error with carets, for render().
Diagnostic to_diagnostic(const Fault& f);

// ---- full recording of chosen programs -----------------------------------------------------------------------------------
//
// A recorded program is a list of steps, one for each op that ran. The list, the loop iterations, the summaries of the
// accesses and the changes of memory are always complete and small; the values of a step (StepData) are fetched by its
// number (sim/record.h), because all of them together may be larger than the machine's memory.

enum class LaneState : uint8_t { On, Masked, OutOfBounds, Uninitialised };

/// Smallest box of logical tensor indices around some elements: [lo, hi) along each axis of the tensor's shape. An
/// element past the end of its tensor counts by the index it would have if the outermost axis went on. Empty: no lanes.
struct IndexBox {
  std::vector<int64_t> lo, hi;
  bool empty() const { return lo.empty(); }
};

/// What one execution of a memory op addressed.
struct AccessSummary {
  uint64_t step = 0;
  int32_t tensor = -1;  ///< index into RunTrace::tensors; -1: several or none
  bool reads = false, writes = false;
  uint64_t on = 0, masked = 0, out_of_bounds = 0, uninitialised = 0;  ///< lanes; `on` counts the uninitialised too
  uint64_t duplicates = 0;                                           ///< lanes on an element that an earlier lane has
  IndexBox box;  ///< around the lanes that are on
  /// Around all lanes, the masked-off ones too, so that the part of a tile outside the matrix can be drawn.
  IndexBox whole;
  uint64_t requests = 0, sectors = 0;
};

/// Lane by lane (row-major in the tile).
struct AccessLanes {
  int32_t tensor = -1;
  std::vector<int64_t> offsets;  ///< element offset relative to the tensor's logical index 0, also of lanes that are off
  std::vector<LaneState> states;
};

/// A value that a step produced: raw elements in row-major order (pointers as 64-bit virtual addresses).
struct ValueRecord {
  uint32_t value = 0;  ///< ValueId in the recorded function
  Type type;
  std::vector<std::byte> data;
  std::vector<uint8_t> poison;  ///< empty: none; else one byte a lane
};

/// Values of one step.
struct StepData {
  std::vector<ValueRecord> results;
  std::optional<AccessLanes> access;
};

/// A loop takes part with a step of its own at the start of every iteration (results: the induction variable and the
/// carried values) and one when it is left (results: the loop's results). An `if` has one, after the branch that ran.
/// An iteration of `while` begins with its condition, which has a step too (results: the body's arguments, when it goes
/// on); so its last iteration is a condition only.
enum class StepPhase : uint8_t { Op, Iteration, Leave };

/// One executed op.
struct Step {
  int32_t op = 0;      ///< number of the op in the recorded function, in the order of walk(function.body)
  int32_t frame = -1;  ///< index into ProgramTrace::frames: the innermost loop iteration; -1 outside loops
  int32_t access = -1; ///< index into ProgramTrace::accesses
  StepPhase phase = StepPhase::Op;
};

/// One iteration of a loop.
struct LoopFrame {
  int32_t parent = -1;
  LoopPosition position;
  uint64_t first_step = 0, last_step = 0;  ///< half open; nested iterations included
};

/// What a store or atomic changed, so that memory can be shown after any step, in both directions.
struct MemoryChange {
  uint64_t step = 0;
  int32_t tensor = -1;
  std::vector<int64_t> offsets;  ///< in elements, as in AccessLanes
  std::vector<std::byte> before, after;
};

struct ProgramTrace {
  ProgramIndex program{};
  std::vector<Step> steps;
  std::vector<LoopFrame> frames;
  std::vector<AccessSummary> accesses;
  std::vector<MemoryChange> changes;
  std::vector<Fault> faults;  ///< at most one: the last step then is the one that faulted
  /// Why the recording ends before the program does (a limit was reached or somebody cancelled); else empty.
  std::string truncated;
};

// ---- the launch as a whole, for maps of the grid and of memory ------------------------------------------------------------

/// What one program loaded from and stored to one tensor; atomics count as stores.
struct ProgramFootprint {
  IndexBox loaded, stored;
  uint64_t lanes_on = 0, lanes_masked = 0;  ///< of its loads and stores together
};

/// How often each element of a tensor was loaded and stored by the whole launch; atomics count as stores.
struct ElementCounts {
  int64_t elements_per_count = 1;  ///< more than 1 for tensors beyond 2^25 elements: the largest count of the group
  /// By storage order, starting at the lowest element. Empty: none was loaded (stored).
  std::vector<uint32_t> loads, stores;
};

/// Result of one launch.
struct RunTrace {
  int version = kTraceVersion;
  std::string kernel, backend = "sim";
  std::array<int64_t, 3> grid{1, 1, 1};
  int64_t programs = 0;
  int num_warps = 4;
  double time_ms = 0;  ///< warm execution, without compilation and allocation
  std::vector<TensorReport> tensors;
  std::vector<LineReport> lines;
  std::vector<Fault> faults;
  std::vector<std::string> printed;  ///< device_print output, in program order
  std::vector<std::string> notes;    ///< such as "result depends on program order"
  /// Asked for by RunOptions::maps; else empty. footprints[program * tensors.size() + tensor], programs in row-major
  /// order (axis 0 fastest), empty beyond 2^18 programs; element_counts[tensor].
  std::vector<ProgramFootprint> footprints;
  std::vector<ElementCounts> element_counts;
};

}  // namespace tilescope
