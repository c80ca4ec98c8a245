// What the two pictures of the Memory panel share: the tensors of a step, their colours, and where each picture is
// zoomed to.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "visualizer/model/memory_view.h"
#include "visualizer/model/values.h"
#include "visualizer/window/panel.h"

namespace tilescope::window {

enum class MemoryColour : uint8_t { Values, Loads, Stores };
enum class MemoryShape : uint8_t { Both, Matrix, Line };

/// A load or store of the current line on one tensor.
struct MemoryAccess {
  const model::CurrentAccess* access = nullptr;
  bool writes = false;
  model::LanePicture lanes;
};

/// A tensor at this step.
struct MemoryTensor {
  int index = 0;
  const model::TensorNow* now = nullptr;
  const Tensor* tensor = nullptr;
  model::OffsetMap map{TensorLayout{}};
  model::NeverStored never;
  double reach = 1;
  bool negative = true;  ///< some values are below 0 now
  uint64_t version = 0;                   ///< changes with the elements
  std::vector<model::Stored> stored;      ///< by this line step
  const ElementCounts* counts = nullptr;  ///< null: the launch has not been run to its end
  uint64_t most_loads = 0, most_stores = 0;
  uint64_t address = 0;                   ///< of logical index 0

  /// The accesses of this line step, placed in the slice at `at`.
  const std::vector<MemoryAccess>& accesses(const model::Scene& scene, const std::vector<int64_t>& at) const;
  /// Where the access before this step (or else after it) was, when the line has none. `access` is null. Null: none.
  const MemoryAccess* nearest(const model::Scene& scene, const std::vector<int64_t>& at) const;
  /// The accesses of this line step, else the nearest one.
  std::vector<const MemoryAccess*> shown(const model::Scene& scene, const std::vector<int64_t>& at) const;
  /// What the last access of the program to this tensor addresses: how far tiles reach beyond the matrix. Null: none.
  const MemoryAccess* last(const model::Scene& scene, const std::vector<int64_t>& at) const;
  const model::Stored* stored_at(int64_t offset) const;

 private:
  mutable std::map<std::vector<int64_t>, std::vector<MemoryAccess>> placed_;
  const MemoryAccess* recorded(const model::Scene& scene, size_t access, const std::vector<int64_t>& at) const;
  mutable std::map<std::pair<size_t, std::vector<int64_t>>, std::unique_ptr<MemoryAccess>> recorded_;
};

struct MemoryTensors {
  std::vector<std::unique_ptr<MemoryTensor>> all;
};
const MemoryTensors& memory_tensors(const model::Scene& scene);

/// Colours and texts of elements.
class CellPainter {
 public:
  CellPainter(const Theme& theme, MemoryColour mode, const MemoryTensor& tensor);
  /// Transparent where there is nothing, or nothing was stored yet.
  ImU32 colour(model::CellKind kind, double value) const;
  /// "−3.14", at most `characters` long.
  std::string text(model::CellKind kind, double value, int characters) const;
  uint64_t version() const { return version_; }
  bool counts() const { return mode_ != MemoryColour::Values; }
  const MemoryTensor& tensor() const { return tensor_; }
  void sample_plane(const model::Plane& plane, const model::PlaneWindow& window, model::Samples& out) const;
  void sample_line(double first, double step, int count, model::Samples& out) const;

 private:
  const Theme& theme_;
  MemoryColour mode_;
  const MemoryTensor& tensor_;
  uint64_t version_ = 0;
  double most_ = 1;
  bool is_bool_ = false, is_unsigned_ = false;
  std::vector<ImU32> signed_, counted_;
};

struct MatrixZoom {
  bool fitted = true;
  double cell_w = 0, cell_h = 0;  ///< pixels an element
  double row = 0, col = 0;        ///< element at the upper left corner
};
struct LineZoom {
  bool fitted = true;
  double from = 0, to = 1;
};

/// The tensor as a matrix, with room for labels of rows and columns.
void draw_memory_matrix(PanelContext& c, const MemoryTensor& m, const model::Plane& plane, const CellPainter& paint, MatrixZoom& zoom, Rect r);
/// The tensor as the line of memory that it is: overview, a wedge to the part that is looked at, and that part.
void draw_memory_line(PanelContext& c, const MemoryTensor& m, const model::Plane& plane, const CellPainter& paint, LineZoom& zoom, Rect r);
/// Vectors one above the other: overview with the programs' ranges, this program's part, the elements around the edge.
void draw_memory_vectors(PanelContext& c, const std::vector<const MemoryTensor*>& tensors, MemoryColour mode, LineZoom& zoom, Rect r);

/// Lines for the tooltip of an element, and marks it as hovered for all panels.
void hover_element(PanelContext& c, const MemoryTensor& m, const std::vector<int64_t>& index, const std::vector<MemoryAccess>& accesses);
/// Storage offsets of this tensor that are hovered somewhere: its own element, or those of a variable's lane.
std::vector<int64_t> hovered_offsets(const PanelContext& c, const MemoryTensor& m);

/// The element at which a check of an exercise failed, once that failure was opened; it may lie outside of the tensor.
struct FailedElement {
  int64_t offset = 0;
  std::string words;  ///< "first wrong: element 7"
};
std::optional<FailedElement> failed_element(const PanelContext& c, const MemoryTensor& m);

ImU32 access_mark(const Theme& t, const MemoryAccess& a);
ImU32 access_text(const Theme& t, const MemoryAccess& a);
/// fmt with the panel's language.
std::string say(const PanelContext& c, Text id, const std::vector<std::string>& values);
/// "1 lane on", "232 lanes on".
std::string lanes_on_text(const PanelContext& c, uint64_t n);

/// Cells of a line of memory: one row of `r`, elements from..to, with the marks of the lanes that are there.
struct LineMarks {
  std::vector<const MemoryAccess*> accesses;
  bool masked_inside = true;  ///< hatch masked-off lanes whose address is an element of the tensor, too
  double lit_from = 0, lit_to = 0;  ///< elements outside are dimmed; empty: none
  float thickness = 3;
};
void draw_line_cells(PanelContext& c, const MemoryTensor& m, const CellPainter& paint, const std::string& key, Rect r, double from, double to,
                     const LineMarks& marks);
/// Wheel, drag and double click on a line that reaches from `lowest` to `highest`.
void zoom_line(const Hit& hit, const Rect& r, LineZoom& zoom, double lowest, double highest, float widest_cell);
/// Hover of the element of a line that lies under the mouse.
void hover_line(PanelContext& c, const MemoryTensor& m, const Hit& hit, const Rect& r, double from, double to);
/// From a part of the upper strip to the whole width of the lower one.
void draw_wedge(Ui& ui, float x0, float x1, float top, float left, float right, float bottom);
/// A label centred over [x0, x1], kept inside `room`.
void centred_label(Ui& ui, const Rect& room, float x0, float x1, float y, const std::string& text, ImU32 colour, bool code);
/// Crosses and tint of lanes that miss the tensor.
void draw_out_of_bounds(Ui& ui, Rect r, float cell_w);
/// Dots as one picture, however many elements nobody stored.
void draw_dots(PanelContext& c, const std::string& key, Rect area, Rect part);

}  // namespace tilescope::window
