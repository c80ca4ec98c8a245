// What the files of the K loop panel share.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "visualizer/model/kloop.h"
#include "visualizer/model/kloop_layout.h"
#include "visualizer/window/panel.h"

namespace tilescope::window::kloop {

struct Picture {
  PanelContext& c;
  const model::KLoop& loop;
  model::KLayout layout;
  Rect body;
  Rect corner;                           ///< the free corner, left of B and above A
  std::array<float, 3> slide{};          ///< pixels by which tiles still are away from their place, along each axis
  std::optional<model::KPlace> pointed;  ///< under the mouse in some panel, else selected
  bool pointed_by_mouse = false;
  std::vector<Rect> taken;               ///< where labels and tiles are

  Ui& ui() const { return c.ui; }
  const Theme& theme() const { return c.ui.theme(); }
  Rect box(char letter) const {
    const model::KBox& b = layout.box(letter);
    return {b.x, b.y, b.w, b.h};
  }
  /// Pixels of lanes rows x cols of a matrix, not clipped.
  Rect rect_of(const model::KMatrix& m, model::Span rows, model::Span cols) const;
  /// The same for the tile of this iteration, where it is now.
  Rect tile_rect(const model::KMatrix& m) const;
  /// Inside the panel and off everything that is taken.
  bool is_free(const Rect& r) const;
  const Tensor* tensor_of(const model::KMatrix& m) const;
};

model::Span around(const std::vector<int64_t>& index);
Rect cut(const Rect& a, const Rect& b);
bool meet(const Rect& a, const Rect& b);

/// Colours of a signed scale, made once for many elements.
class Scale {
 public:
  Scale(const Theme& t, double reach, float dim);  ///< dim: share of the panel's colour
  ImU32 operator()(double v) const;

 private:
  static constexpr int kSteps = 512;
  std::array<ImU32, 2 * kSteps + 1> colours_;
  ImU32 other_;
  double factor_;
};

/// Mixes numbers into a version for the texture cache.
uint64_t hash_of(std::initializer_list<uint64_t> words);
uint64_t bits_of(double x);

void draw_matrix(Picture& p, const model::KMatrix& m);
void draw_bands(Picture& p);
void draw_axis_labels(Picture& p);
void draw_captions(Picture& p);
void draw_pointed(Picture& p);
void draw_accumulator(Picture& p);

/// What stands before the indices of a matrix along an axis: the kernel's name, else "rows of b_ptr".
std::string axis_name(Ui& ui, const model::KMatrix& m, model::KAxis axis);
/// "fp16"
std::string short_dtype(DType t);
/// Value of the accumulator or tile at a place of C, A or B, else of memory; nothing when there is none.
std::optional<double> value_at(const Picture& p, const model::KPlace& at);
/// What the tooltip says about a place.
std::string describe(const Picture& p, const model::KPlace& at);

}  // namespace tilescope::window::kloop
