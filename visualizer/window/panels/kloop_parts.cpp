#include "visualizer/window/panels/kloop_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "visualizer/model/summary.h"
#include "visualizer/model/values.h"

namespace tilescope::window::kloop {

using model::KAxis;
using model::KMatrix;
using model::KPlace;
using model::Span;

Span around(const std::vector<int64_t>& index) {
  if (index.empty()) return {};
  const auto [lo, hi] = std::minmax_element(index.begin(), index.end());
  return {*lo, *hi + 1};
}

Rect cut(const Rect& a, const Rect& b) {
  const float x = std::max(a.x, b.x), y = std::max(a.y, b.y);
  return {x, y, std::max(0.0f, std::min(a.right(), b.right()) - x), std::max(0.0f, std::min(a.bottom(), b.bottom()) - y)};
}

bool meet(const Rect& a, const Rect& b) { return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom(); }

Rect Picture::rect_of(const KMatrix& m, Span rows, Span cols) const {
  const Rect b = box(m.letter);
  const model::KPort &down = layout.port(m.row_axis), &across = layout.port(m.col_axis);
  const float x0 = b.x + across.at(static_cast<double>(cols.lo), layout.lane), x1 = b.x + across.at(static_cast<double>(cols.hi), layout.lane);
  const float y0 = b.y + down.at(static_cast<double>(rows.lo), layout.lane), y1 = b.y + down.at(static_cast<double>(rows.hi), layout.lane);
  return {x0, y0, x1 - x0, y1 - y0};
}

Rect Picture::tile_rect(const KMatrix& m) const {
  Rect r = rect_of(m, around(m.row_index), around(m.col_index));
  r.x += slide[static_cast<size_t>(m.col_axis)];
  r.y += slide[static_cast<size_t>(m.row_axis)];
  return r;
}

bool Picture::is_free(const Rect& r) const {
  if (r.x < body.x || r.y < body.y || r.right() > body.right() || r.bottom() > body.bottom()) return false;
  return std::none_of(taken.begin(), taken.end(), [&](const Rect& t) { return meet(t, r); });
}

const Tensor* Picture::tensor_of(const KMatrix& m) const {
  if (!m.in_memory() || static_cast<size_t>(m.tensor) >= c.scene.tensors.size()) return nullptr;
  return c.scene.tensors[static_cast<size_t>(m.tensor)].tensor;
}

Scale::Scale(const Theme& t, double reach, float dim) : other_(mix(t.raised, t.panel, dim)), factor_(reach > 0 ? kSteps / reach : 0) {
  for (int i = -kSteps; i <= kSteps; ++i) colours_[static_cast<size_t>(i + kSteps)] = mix(signed_colour(t, i, kSteps), t.panel, dim);
}

ImU32 Scale::operator()(double v) const {
  const double x = v * factor_;
  if (!(std::fabs(x) < 1e300)) return other_;  // NaN and infinities have no place on the scale
  return colours_[static_cast<size_t>(std::lround(std::clamp(x, -double{kSteps}, double{kSteps})) + kSteps)];
}

uint64_t hash_of(std::initializer_list<uint64_t> words) {
  uint64_t h = 0x9E3779B97F4A7C15u;
  for (uint64_t w : words) {
    h ^= w + 0x9E3779B97F4A7C15u + (h << 6) + (h >> 2);
    h *= 0xD6E8FEB86659FD93u;
    h ^= h >> 32;
  }
  return h;
}

uint64_t bits_of(double x) { return std::bit_cast<uint64_t>(x); }

std::string axis_name(Ui& ui, const KMatrix& m, KAxis axis) {
  if (!m.name_along(axis).empty()) return m.name_along(axis);
  const std::string name = m.name.empty() ? std::string(1, m.letter) : m.name;
  return fmt::format(fmt::runtime(ui.t(axis == m.row_axis ? Text::KLoopRowsOf : Text::KLoopColsOf)), name);
}

std::string short_dtype(DType t) { return model::short_type(Type::scalar(t)); }

std::optional<double> value_at(const Picture& p, const KPlace& at) {
  const KMatrix& m = p.loop.matrix(at.letter);
  const auto lane = model::lane_at(m, at.row, at.col);
  if (lane && at.letter == 'C' && !m.done) {
    const model::Accumulator& acc = p.loop.acc;
    const std::vector<double>& from = acc.has_after ? acc.after : acc.before;
    const auto i = static_cast<size_t>((*lane)[0] * acc.cols + (*lane)[1]);
    if (i < from.size()) return from[i];
  }
  if (lane && m.tile != nullptr && m.done) {
    const auto i = (*lane)[0] * static_cast<int64_t>(m.col_index.size()) + (*lane)[1];
    if (i < m.tile->type.elements()) return model::lane_number(*m.tile, i);
  }
  const Tensor* t = p.tensor_of(m);
  return t != nullptr && m.written(*t, at.row, at.col) ? m.value(*t, at.row, at.col) : std::nullopt;
}

std::string describe(const Picture& p, const KPlace& at) {
  Ui& ui = p.ui();
  const KMatrix& m = p.loop.matrix(at.letter);
  const Tensor* t = p.tensor_of(m);
  const auto lane = model::lane_at(m, at.row, at.col);
  const std::optional<double> value = value_at(p, at);
  const std::vector<int64_t> index = t == nullptr ? std::vector<int64_t>{} : m.element(*t, at.row, at.col);
  std::string out;
  if (!index.empty()) {
    out = m.name + "[";
    for (size_t i = 0; i < index.size(); ++i) out += (i == 0 ? "" : ", ") + std::to_string(index[i]);
    out += "]";
  } else if (t != nullptr) {
    out = fmt::format(fmt::runtime(ui.t(Text::KLoopOutside)), m.name);
  } else {
    out = m.name;
  }
  if (lane && at.letter == 'C' && !m.done && !p.loop.acc.name.empty() && value) out = fmt::format("{}[{}, {}] → {}", p.loop.acc.name, (*lane)[0], (*lane)[1], out);
  if (value) out += " = " + model::short_number(*value);
  else if (!index.empty()) out += "\n" + std::string(ui.t(Text::KLoopUnwritten));
  out += fmt::format("\n{} {}, {} {}", axis_name(ui, m, m.row_axis), at.row, axis_name(ui, m, m.col_axis), at.col);
  if (!lane) return out;
  const std::string variable = m.variable.empty() ? std::string(1, m.letter) : m.variable;
  out += "\n" + fmt::format(fmt::runtime(ui.t(Text::KLoopLane)), (*lane)[0], (*lane)[1], variable);
  for (const model::LanePatch& o : m.off) {
    if ((*lane)[0] < o.row || (*lane)[0] >= o.row_end || (*lane)[1] < o.col || (*lane)[1] >= o.col_end) continue;
    if (o.state == LaneState::OutOfBounds) out += "\n" + std::string(ui.t(Text::KLoopOutOfBounds));
    else if (o.state == LaneState::Masked) out += "\n" + std::string(ui.t(at.letter == 'C' ? Text::KLoopMaskedStore : Text::KLoopMasked));
    else out += "\n" + std::string(ui.t(Text::KLoopUnwritten));
  }
  return out;
}

}  // namespace tilescope::window::kloop
