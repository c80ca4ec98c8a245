// Questions about places in the picture of a K loop: which element, which lane, what number.
#include <algorithm>

#include "visualizer/model/kloop.h"

namespace tilescope::model {

std::vector<Span> runs_of(const std::vector<int64_t>& index) {
  std::vector<Span> out;
  for (int64_t i : index) {
    if (!out.empty() && out.back().hi == i) ++out.back().hi;
    else out.push_back({i, i + 1});
  }
  return out;
}

int64_t KAxisView::inside() const {
  return std::count_if(index.begin(), index.end(), [&](int64_t i) { return i >= 0 && i < size; });
}

std::vector<int64_t> KMatrix::element(const Tensor& t, int64_t row, int64_t col) const {
  if ((row < 0 || col < 0 || row >= rows || col >= cols) && !(runs_over && lane_at(*this, row, col))) return {};
  return t.layout.index_of(base + row * row_stride + col * col_stride).value_or(std::vector<int64_t>{});
}

namespace {
const std::byte* element_bytes(const KMatrix& m, const Tensor& t, int64_t row, int64_t col) {
  if ((row < 0 || col < 0 || row >= m.rows || col >= m.cols) && !(m.runs_over && lane_at(m, row, col))) return nullptr;
  const int64_t at = t.origin + m.base + row * m.row_stride + col * m.col_stride;
  return at < 0 || at >= t.storage_elements() ? nullptr : t.element(at);
}
}  // namespace

std::optional<double> KMatrix::value(const Tensor& t, int64_t row, int64_t col) const {
  const std::byte* bytes = element_bytes(*this, t, row, col);
  if (bytes == nullptr) return std::nullopt;
  return read_double(t.dtype, bytes);
}

bool KMatrix::written(const Tensor& t, int64_t row, int64_t col) const {
  const std::byte* bytes = element_bytes(*this, t, row, col);
  if (bytes == nullptr) return false;
  if (!t.uninitialised) return true;
  // Such tensors start with every byte 0xff: a NaN that no arithmetic gives.
  for (int i = 0; i < dtype_bytes(t.dtype); ++i)
    if (bytes[i] != std::byte{0xff}) return true;
  return false;
}

std::optional<std::array<int64_t, 2>> lane_at(const KMatrix& m, int64_t row, int64_t col) {
  const auto r = std::find(m.row_index.begin(), m.row_index.end(), row);
  const auto c = std::find(m.col_index.begin(), m.col_index.end(), col);
  if (r == m.row_index.end() || c == m.col_index.end()) return std::nullopt;
  return std::array<int64_t, 2>{r - m.row_index.begin(), c - m.col_index.begin()};
}

std::optional<KPlace> find_place(const KLoop& loop, const Scene& scene, const Element& e) {
  if (loop.kind != KLoop::Kind::Product || !e) return std::nullopt;
  for (char letter : {'C', 'A', 'B'}) {
    const KMatrix& m = loop.matrix(letter);
    if (e.of == Element::Of::Tensor && m.in_memory() && m.name == e.name) {
      const Tensor* t = scene.tensors[static_cast<size_t>(m.tensor)].tensor;
      if (t == nullptr || e.index.size() != t->layout.shape.size()) continue;
      TilePlace p;
      p.rows = m.rows, p.cols = m.cols, p.base = m.base, p.row_stride = m.row_stride, p.col_stride = m.col_stride;
      const int64_t offset = t->layout.offset_of(e.index);
      const std::array<int64_t, 2> at = matrix_index(p, offset);
      if (at[0] < 0 || at[0] >= m.rows || at[1] < 0 || at[1] >= m.cols) continue;
      if (m.base + at[0] * m.row_stride + at[1] * m.col_stride != offset) continue;  // of another slice
      return KPlace{letter, at[0], at[1]};
    }
    if (e.of == Element::Of::Variable && m.variable == e.name && e.index.size() >= 2) {
      const auto r = static_cast<size_t>(e.index[e.index.size() - 2]), c = static_cast<size_t>(e.index.back());
      if (r < m.row_index.size() && c < m.col_index.size()) return KPlace{letter, m.row_index[r], m.col_index[c]};
    }
  }
  return std::nullopt;
}

Element element_at(const KLoop& loop, const Scene& scene, const KPlace& place) {
  const KMatrix& m = loop.matrix(place.letter);
  const auto lane = lane_at(m, place.row, place.col);
  const bool in_registers = lane && (place.letter == 'C' ? !m.done : !m.in_memory());
  if (in_registers && !m.variable.empty()) return {Element::Of::Variable, m.variable, {(*lane)[0], (*lane)[1]}};
  if (m.in_memory()) {
    const Tensor* t = scene.tensors[static_cast<size_t>(m.tensor)].tensor;
    std::vector<int64_t> index = t == nullptr ? std::vector<int64_t>{} : m.element(*t, place.row, place.col);
    if (!index.empty()) return {Element::Of::Tensor, m.name, std::move(index)};
  }
  return {};
}

}  // namespace tilescope::model
