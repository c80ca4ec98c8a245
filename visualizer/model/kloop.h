// The K loop of a matrix product as a picture: B above C, A left of C, and where the tiles of each iteration lie in them.
// Found from what the program did (its dots, their loads, the store of the accumulator), not from the kernel's names.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "visualizer/model/scene.h"
#include "visualizer/model/tile_place.h"

namespace tilescope::model {

/// The three axes of a product: C[m, n] += A[m, k] * B[k, n].
enum class KAxis : uint8_t { M, N, K };

/// Half open range of matrix indices along one axis.
struct Span {
  int64_t lo = 0, hi = 0;
  int64_t size() const { return hi - lo; }
  bool holds(int64_t i) const { return i >= lo && i < hi; }
  friend bool operator==(const Span&, const Span&) = default;
};
/// Consecutive runs of indices: a tile's rows are one run, or several when they wrap round (`rows % M`).
std::vector<Span> runs_of(const std::vector<int64_t>& index);

/// One axis of the picture in this iteration.
struct KAxisView {
  std::string name;       ///< variable of the kernel that holds these indices ("rows", "ks"), else "rows", "cols", "k"; empty
                          ///< when the kernel uses that word for something else, or the matrices disagree
  std::string size_name;  ///< argument that says how long the axis is ("M"), else empty
  int64_t size = 0;       ///< length of the longest matrix along it; 0 when none is in memory
  int64_t extent = 0;     ///< the same up to whole tiles: what the picture has room for
  int64_t block = 0;      ///< length of the tile
  std::vector<Span> tiles;       ///< by iteration: around the tile's indices, lanes outside the matrix too
  std::vector<int64_t> index;    ///< in this iteration, lane by lane
  bool moves = false;            ///< the tile lies elsewhere in other iterations
  int64_t inside() const;        ///< lanes of `index` that are inside 0 .. size
};

/// A, B or C.
struct KMatrix {
  enum class Source : uint8_t {
    Nothing,  ///< not found; the picture shows the tile only, dashed
    Tensor,   ///< in memory
    Value     ///< made by the program and never in memory (`p` of attention): only the tile has values
  };
  Source source = Source::Nothing;
  char letter = 'A';
  std::string name;        ///< of the tensor, or of the variable
  std::string variable;    ///< that holds the tile ("a"); may be empty
  DType dtype = DType::Float32;
  KAxis row_axis = KAxis::M, col_axis = KAxis::K;
  int64_t rows = 0, cols = 0;  ///< of the matrix as it is drawn; for Source::Value those of its axes
  bool transposed = false;     ///< drawn transposed: its rows are a later axis of the tensor than its columns
  bool column_major = false;   ///< as drawn, its columns lie together in memory

  int tensor = -1;             ///< index into Scene::tensors
  int64_t base = 0, row_stride = 0, col_stride = 0;  ///< element offset of (r, c): base + r * row_stride + c * col_stride
  double reach = 1;            ///< largest magnitude of its values, for the scale of colours

  std::vector<int64_t> row_index, col_index;  ///< of this iteration's tile: matrix index of each lane row and column
  std::string row_name, col_name;  ///< KAxisView::name where this tile's indices are those values; else empty
  bool runs_over = false;          ///< lanes that are on lie beyond the end of a row: in memory they are in the next one
  bool wrapped = false;            ///< all lie so: the kernel's columns are others than those of the tensor
  std::vector<int64_t> steps;  ///< by iteration: op-step of the load (C: of the store); -1 when it never came
  bool done = false;           ///< this iteration's load (C: the store) has run at this step
  bool now = false;            ///< it belongs to the current line step
  uint64_t on = 0, masked = 0, out_of_bounds = 0;  ///< lanes of this iteration's tile
  std::vector<LanePatch> off;  ///< lanes that are not on; empty also when there are too many pieces to draw
  bool irregular = false;      ///< the lanes do not form a rectangle of this matrix: Memory shows them
  bool unreached = false;      ///< C: a store follows in the source, but the recording ends before it
  std::shared_ptr<const StepData> data;  ///< holds `tile`
  const ValueRecord* tile = nullptr;     ///< values of the tile where they are not (yet) in memory

  bool in_memory() const { return source == Source::Tensor; }
  const std::vector<int64_t>& index_along(KAxis axis) const { return axis == row_axis ? row_index : col_index; }
  const std::string& name_along(KAxis axis) const { return axis == row_axis ? row_name : col_name; }
  /// Logical index of (r, c) in the tensor, empty when there is none.
  std::vector<int64_t> element(const Tensor& tensor, int64_t row, int64_t col) const;
  /// The number there: from memory; nothing outside the tensor.
  std::optional<double> value(const Tensor& tensor, int64_t row, int64_t col) const;
  /// False for elements of a tensor without first values that nothing has stored to yet.
  bool written(const Tensor& tensor, int64_t row, int64_t col) const;
};

/// The accumulator before the dot of this iteration, what the dot adds, and the result. `before` and `after` hold the
/// recorded bits; `change` is their difference (in float64, so exact unless the magnitudes lie 2^29 apart).
struct Accumulator {
  std::string name;            ///< of the variable; may be empty
  DType dtype = DType::Float32;
  int64_t rows = 0, cols = 0;
  int64_t live_rows = 0, live_cols = 0;  ///< those that reach C; all when nothing is stored
  double reach = 1;                      ///< largest magnitude over the iterations, for a scale that stays fixed
  bool has_before = false, has_after = false;  ///< known at this step
  bool carried = false;  ///< the dot adds to something that was there before
  bool as_left = false;  ///< namely to what the iteration before left, unchanged
  std::vector<double> before, change, after;  ///< rows x cols; empty when not known yet
};

/// A dot of the source that can be shown.
struct KSite {
  int line = 0;
  std::string label;  ///< "acc += a · b"
};

struct KLoop {
  enum class Kind : uint8_t {
    NotReady,    ///< nothing is recorded
    Product,     ///< a dot: the picture
    Chunks,      ///< a loop that loads but has no dot: `tensors` are walked piece by piece
    NoLoop       ///< neither
  };
  Kind kind = Kind::NotReady;
  enum class Phase : uint8_t { Before, Inside, After };
  Phase phase = Phase::Before;
  bool in_loop = false;          ///< the dot is inside a loop (else the whole of K is one tile)
  int64_t iteration = 0, iterations = 0;  ///< counted from 0
  int loop_line = 0;

  std::vector<KSite> sites;      ///< the program's dots in source order
  size_t site = 0;

  std::array<KAxisView, 3> axes;
  KMatrix a, b, c;
  Accumulator acc;
  std::vector<int64_t> batch;    ///< extents of the axes before the last two: the picture shows index 0 of each
  bool computed = false;         ///< this iteration's dot has run at this step
  bool computing = false;        ///< it belongs to the current line step
  std::vector<std::string> tensors;  ///< Chunks: what the loop loads
  uint64_t identity = 0;         ///< equal for scenes of one recording: for caches of what does not change

  const KAxisView& axis(KAxis a) const { return axes[static_cast<size_t>(a)]; }
  KAxisView& axis(KAxis a) { return axes[static_cast<size_t>(a)]; }
  const KMatrix& matrix(char letter) const { return letter == 'A' ? a : letter == 'B' ? b : c; }
};

/// What the scene shows of its loop. `site`: which of the program's dots; -1: that of the current line, else the one of
/// the loop around the step, else the first.
KLoop make_kloop(const Scene& scene, int site = -1);

/// A place in the picture.
struct KPlace {
  char letter = 'C';
  int64_t row = 0, col = 0;
};
/// Where an element that some panel points at lies in the picture: a tensor's element, or a lane of a, b or acc.
std::optional<KPlace> find_place(const KLoop& loop, const Scene& scene, const Element& element);
/// The element at a place: of the tensor, or for C while it is still in the accumulator, of the variable.
Element element_at(const KLoop& loop, const Scene& scene, const KPlace& place);
/// Lane (row, column) of this iteration's tile at a place, when it is in the tile.
std::optional<std::array<int64_t, 2>> lane_at(const KMatrix& matrix, int64_t row, int64_t col);

}  // namespace tilescope::model
