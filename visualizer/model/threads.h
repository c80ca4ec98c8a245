// Which warp, lane and register holds which element of a load, store or atomic, and what each warp-wide instruction of it
// asks of memory: lane by lane, and 32-byte sector by sector. Layouts and counts are those of core/layout.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/affine.h"
#include "core/layout.h"
#include "core/trace.h"
#include "visualizer/model/scene.h"
#include "visualizer/model/values.h"

namespace tilescope::model {

/// A place in the thread block. `reg` counts the elements that the thread holds.
struct Thread {
  int warp = 0, lane = 0, reg = 0;
  friend bool operator==(const Thread&, const Thread&) = default;
};

/// Why one instruction of a thread takes as many elements as it does: all limits in elements along the fastest axis, and
/// the first of them, in the order of Limit, that sets the width. They are what the compiler can prove, not what happens
/// to be true of this launch.
struct WidthReason {
  enum class Limit : uint8_t {
    Scalar,       ///< there is one element
    Atomic,       ///< atomics take one element at a time
    Contiguity,   ///< neighbours along the axis are next to each other in memory in runs of so many elements only
    Divisibility, ///< runs are long enough, but start at addresses that are multiples of few bytes only
    Share,        ///< elements for each thread; or the length of the axis
    Mask,         ///< the mask is known to be equal in runs of so many elements only
    Widest,       ///< 16 bytes: there is no wider access
  };
  Limit limit = Limit::Scalar;
  int axis = 0;                    ///< the fastest
  int64_t contiguity = 1;          ///< elements
  int64_t divisibility = 1;        ///< bytes
  int64_t share = 1, mask = 0;     ///< elements; mask 0: there is none
  /// Elements of memory between neighbours along each axis of the tile, where it is one number over the whole tile.
  std::vector<std::optional<int64_t>> strides;
};

/// A 32-byte sector (byte address / 32), and a bit for each of its bytes that a lane asked for.
struct SectorUse {
  uint64_t sector = 0;
  uint32_t bytes = 0;
  int used() const { return __builtin_popcount(bytes); }
  friend bool operator==(const SectorUse&, const SectorUse&) = default;
};

/// One instruction of one warp.
struct WarpRequest {
  int warp = 0, instruction = 0;
  int lanes_on = 0;                ///< lanes that access at least one element
  bool copy = false;               ///< a store's warp whose elements another warp stores
  std::vector<SectorUse> sectors;  ///< rising; empty: nothing is issued
  bool issued() const { return !sectors.empty(); }
  int64_t bytes_used() const;
  int64_t bytes_moved() const { return static_cast<int64_t>(sectors.size()) * kSectorBytes; }
};

/// The threads of one execution of a load, store or atomic.
struct AccessThreads {
  uint64_t step = 0;
  const Op* op = nullptr;
  const AccessSummary* summary = nullptr;
  std::shared_ptr<const StepData> data;  ///< holds `lanes`
  const AccessLanes* lanes = nullptr;    ///< by element, row-major
  AccessLayout layout;
  WidthReason why;
  std::vector<uint64_t> addresses;       ///< byte address of every element, row-major

  // Of all its requests. Bytes used: asked for by at least one lane of a request, summed over the requests.
  bool counted = false;                  ///< false: a lane is out of bounds, the program stops and nothing is issued
  uint64_t requests = 0, sectors = 0, bytes_used = 0;
  uint64_t bytes_moved() const { return sectors * kSectorBytes; }

  int64_t elements() const { return layout.shape.elements(); }
  int instructions() const { return layout.registers() / layout.vector_width; }  ///< of every warp
  int copies() const;                    ///< threads that hold each element
  /// Element number `i` < vector_width of a lane's instruction.
  int64_t element(int warp, int lane, int instruction, int i) const { return layout.element_of(instruction * layout.vector_width + i, lane, warp); }
  /// The first thread that holds the element, and the thread of `warp` that does, if any.
  Thread holder(int64_t element) const;
  std::optional<Thread> holder_in(int warp, int64_t element) const;
  /// False for threads with a copy of what another thread stores.
  bool takes_part(int warp, int lane) const { return layout.all_threads || layout.is_first_copy(lane, warp); }
  bool on(int64_t element) const;        ///< its lane touches memory
  WarpRequest request(int warp, int instruction) const;
  /// The first request that is issued, else warp 0's first: (warp, instruction).
  Thread first_issued() const;
};

/// Of the access that step `step` of the program is; nothing when it is none. Cost: O(elements).
std::optional<AccessThreads> access_threads(const ProgramValues& values, const AxisAnalysis& axes, uint64_t step);
/// Of the current line's accesses. Kept with the scene.
const std::vector<AccessThreads>& current_threads(const Scene& scene);

/// Steps of the last access before and the first one after the current line; -1: there is none.
struct NearbyAccesses {
  int64_t last = -1, next = -1;
};
NearbyAccesses nearby_accesses(const Scene& scene);

/// Elements of the tile that are the element of a tensor or variable: at most `limit`.
std::vector<int64_t> elements_at(const Scene& scene, const CurrentAccess& access, const Element& e, size_t limit = 32);

}  // namespace tilescope::model
