// What the Memory panel draws, as plain data: where the lanes of an access lie in a tensor's logical shape and in the
// line of memory that the tensor is, and samples of its elements at any level of detail.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/tensor.h"
#include "core/trace.h"
#include "visualizer/model/scene.h"

namespace tilescope::model {

/// TensorLayout::index_of for many offsets: layouts whose axes nest (all that people write) take one division an axis.
class OffsetMap {
 public:
  explicit OffsetMap(const TensorLayout& layout);
  /// The logical index of an offset; false for gaps of a strided view and for offsets outside.
  bool find(int64_t offset, std::vector<int64_t>& index) const;
  bool holds(int64_t offset) const;
  /// The index that an offset would have if the outermost axis went on without end, in both directions.
  void find_beyond(int64_t offset, std::vector<int64_t>& index) const;
  const TensorLayout& layout() const { return layout_; }
  int64_t lowest() const { return lowest_; }
  int64_t highest() const { return highest_; }

 private:
  struct Level {
    int axis = 0;
    int64_t stride = 1;  ///< its magnitude
    int64_t extent = 1;
    bool negative = false;
  };
  TensorLayout layout_;
  std::vector<Level> levels_;  ///< largest stride first
  bool nested_ = true;         ///< every stride exceeds what the smaller ones reach: one way to split an offset
  int64_t lowest_ = 0, highest_ = 0;
};

/// The two axes of a tensor that are drawn as rows and columns; the others stand at a chosen index. Vectors are one row.
struct Plane {
  int down = -1, across = -1;       ///< axes; -1: the tensor has none for it
  std::vector<int64_t> at;          ///< index along every axis; `down` and `across` are ignored
  int64_t rows = 1, cols = 1;
  int64_t base = 0, row_stride = 0, col_stride = 0;  ///< offset of (0, 0) relative to logical index 0; strides in elements

  int64_t offset(int64_t row, int64_t col) const { return base + row * row_stride + col * col_stride; }
  std::vector<int64_t> index(int64_t row, int64_t col) const;
  /// Whether a logical index lies in this slice (rows and columns are not looked at).
  bool shows(const std::vector<int64_t>& index) const;
  int64_t row_of(const std::vector<int64_t>& index) const { return down < 0 ? 0 : index[static_cast<size_t>(down)]; }
  int64_t col_of(const std::vector<int64_t>& index) const { return across < 0 ? 0 : index[static_cast<size_t>(across)]; }
};
/// The last two axes; the outer ones at `at` (missing: 0, clamped).
Plane make_plane(const TensorLayout& layout, const std::vector<int64_t>& at = {});

/// Lanes in neighbouring places with one state. In a plane `row` and `col` may lie outside the matrix; in the line of
/// memory row is 0 and col is the element offset.
struct LaneRun {
  int64_t row = 0, col = 0, count = 0;
  LaneState state = LaneState::On;
  uint32_t copies = 1;  ///< lanes on each of these elements
  friend bool operator==(const LaneRun&, const LaneRun&) = default;
};

/// Half open box of cells.
struct CellBox {
  int64_t row = 0, col = 0, rows = 0, cols = 0;
  bool empty() const { return rows <= 0 || cols <= 0; }
  int64_t bottom() const { return row + rows; }
  int64_t right() const { return col + cols; }
  void include(int64_t r, int64_t c, int64_t count = 1);
  friend bool operator==(const CellBox&, const CellBox&) = default;
};

/// The lanes of one access on one tensor.
struct LanePicture {
  std::vector<LaneRun> plane;  ///< lanes in the slice shown, by row and column
  std::vector<LaneRun> line;   ///< all lanes, by offset
  CellBox live, whole;         ///< of `plane`: around lanes that are on and inside; around all
  bool solid = false;          ///< the live lanes fill `live` and every lane is in its own element
  int64_t elsewhere = 0;       ///< lanes on in other slices
  int64_t first = 0, last = -1;            ///< offsets of the lanes that are on and inside, both inclusive
  int64_t whole_first = 0, whole_last = -1;  ///< of all lanes
  uint64_t on = 0, masked = 0, out = 0, uninitialised = 0, duplicates = 0;
  uint32_t most_copies = 1;
  /// Lanes by offset: (offset, lane), sorted; and by place in the plane.
  std::vector<std::pair<int64_t, int64_t>> lanes;
  struct PlacedLane { int64_t row = 0, col = 0, lane = 0; LaneState state = LaneState::On; };
  std::vector<PlacedLane> placed;
  /// The lanes of an element.
  std::vector<int64_t> lanes_at(int64_t offset, size_t most = 8) const;
  /// The first lane that is drawn at a place of the plane, or null.
  const PlacedLane* lane_at(int64_t row, int64_t col) const;
};

/// Where masked-off lanes belong in the matrix. A lane beyond the last column has the offset of an element of the next
/// row; but when the tile is an affine map onto the tensor's axes, the lane has a place of its own beyond the border.
/// `shape` is the tile's. Lanes outside are placed as if the outermost axis went on.
LanePicture place_lanes(const OffsetMap& map, const Plane& plane, const AccessLanes& lanes, const Shape& shape);

/// Elements of a tensor without first values that nobody has stored yet. Their bytes are all 0xff, which a stored float
/// never is (NaNs are canonical) but a stored -1 may be; integers therefore look at what was stored.
class NeverStored {
 public:
  NeverStored() = default;
  NeverStored(const Scene& scene, int tensor);
  bool operator()(const Tensor& t, int64_t storage_index) const;

 private:
  bool look_ = false, integer_ = false;
  OffsetMap map_{TensorLayout{}};
  std::vector<int64_t> offsets_;   ///< stored by this program so far, sorted
  std::vector<IndexBox> boxes_;    ///< stored by earlier programs
};

enum class CellKind : uint8_t { Value, NeverStored, Nothing };
/// A rectangle of elements, or of every step-th element.
struct Samples {
  int rows = 0, cols = 0;
  std::vector<double> values;
  std::vector<CellKind> kinds;
};
/// Which elements of a plane are sampled: (row + i * row_step, col + j * col_step).
struct PlaneWindow {
  int64_t row = 0, col = 0, row_step = 1, col_step = 1;
  int rows = 0, cols = 0;
};
/// Elements outside of the plane are Nothing.
void sample_plane(const Tensor& t, const Plane& plane, const NeverStored& never, const PlaneWindow& window, Samples& out);
/// Sample j is the element at offset floor(first + j * step) of the line of memory; Nothing in gaps and outside.
void sample_line(const Tensor& t, const OffsetMap& map, const NeverStored& never, double first, double step, int count, Samples& out);
/// The same with how often each element was loaded or stored; `counts` is ElementCounts::loads or ::stores.
void count_plane(const Tensor& t, const Plane& plane, const std::vector<uint32_t>& counts, int64_t elements_per_count, const PlaneWindow& window,
                 Samples& out);
void count_line(const Tensor& t, const OffsetMap& map, const std::vector<uint32_t>& counts, int64_t elements_per_count, double first, double step,
                int count, Samples& out);

/// The power of two (as its exponent) of elements a texel stands for when an element is `pixels` wide: texels are
/// between 1 and 2 pixels.
int level_of_detail(double pixels);

/// Program p's part of a vector, for labels over its overview.
struct ProgramRange {
  int64_t program = 0, first = 0, end = 0;  ///< half open element offsets
};
/// What each program touches of a tensor, when the parts are disjoint intervals of the line of memory; else empty.
std::vector<ProgramRange> program_ranges(const RunTrace& totals, int tensor, const TensorLayout& layout, size_t most = 64);

/// Largest magnitude for the scale of a tensor's values; the same at every step of a program. For a tensor without first
/// values: of what the launch leaves in it, or what this program stores.
double value_reach(const Scene& scene, int tensor);

/// Virtual byte address of logical index 0 (as in sim/memory.h).
uint64_t tensor_address(const Launch& launch, int tensor);

/// The access of the step that a tensor's picture is about: of the current line, else the last one before, else the
/// first one after. Index into trace->accesses, or -1.
int nearest_access(const Scene& scene, int tensor);
/// The tensor that is shown when none is chosen: of the current access, else of the nearest one; 0 at worst.
int tensor_in_focus(const Scene& scene);

/// Of `lanes` lanes that are off in a part [from, to) of a vector whose lanes in [on_from, on_to) are on: how many lie
/// before those, and after them. Where they do not lie side by side the longer side counts them all.
struct OutsideLanes {
  uint64_t before = 0, after = 0;
};
OutsideLanes outside_lanes(int64_t from, int64_t to, int64_t on_from, int64_t on_to, uint64_t lanes);

/// Elements that the current line step stored, sorted by offset.
struct Stored {
  int64_t offset = 0;
  const std::byte* before = nullptr;  ///< the old element, inside the trace
};
std::vector<Stored> stored_now(const Scene& scene, int tensor, size_t most = size_t{1} << 16);

/// "a_ptr[3, 5]".
std::string element_name(const std::string& tensor, const std::vector<int64_t>& index);

}  // namespace tilescope::model
