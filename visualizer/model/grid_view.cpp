#include "visualizer/model/grid_view.h"

#include <algorithm>
#include <cmath>

namespace tilescope::model {
namespace {

const ProgramFootprint* footprint_of(const RunTrace& totals, int64_t program, int tensor) {
  const size_t tensors = totals.tensors.size();
  if (tensor < 0 || program < 0 || static_cast<size_t>(tensor) >= tensors) return nullptr;
  const size_t i = static_cast<size_t>(program) * tensors + static_cast<size_t>(tensor);
  return i < totals.footprints.size() ? &totals.footprints[i] : nullptr;
}

int64_t programs_with_maps(const RunTrace& totals) {
  return totals.tensors.empty() ? 0 : static_cast<int64_t>(totals.footprints.size() / totals.tensors.size());
}

Ownership describe(const RunTrace& totals, int tensor) {
  Ownership o;
  o.tensor = tensor;
  o.name = totals.tensors[static_cast<size_t>(tensor)].name;
  std::vector<const std::vector<int64_t>*> starts;
  for (int64_t p = 0; p < programs_with_maps(totals); ++p) {
    const IndexBox& b = footprint_of(totals, p, tensor)->stored;
    if (b.empty()) continue;
    ++o.programs;
    starts.push_back(&b.lo);
    o.tile.resize(b.lo.size(), 0);
    for (size_t a = 0; a < b.lo.size(); ++a) o.tile[a] = std::max(o.tile[a], b.hi[a] - b.lo[a]);
  }
  std::sort(starts.begin(), starts.end(), [](const auto* a, const auto* b) { return *a < *b; });
  o.disjoint = std::adjacent_find(starts.begin(), starts.end(), [](const auto* a, const auto* b) { return *a == *b; }) == starts.end();
  return o;
}

int64_t volume(const IndexBox& b) {
  int64_t n = b.empty() ? 0 : 1;
  for (size_t a = 0; a < b.lo.size(); ++a) n *= b.hi[a] - b.lo[a];
  return n;
}

}  // namespace

int64_t program_number(const std::array<int64_t, 3>& grid, const ProgramIndex& p) { return p[0] + grid[0] * (p[1] + grid[1] * p[2]); }

ProgramIndex program_index(const std::array<int64_t, 3>& grid, int64_t number) {
  return {number % grid[0], number / grid[0] % grid[1], number / grid[0] / grid[1]};
}

std::string program_name(const std::array<int64_t, 3>& grid, const ProgramIndex& p) {
  if (grid[1] == 1 && grid[2] == 1) return std::to_string(p[0]);
  std::string out = "(" + std::to_string(p[0]) + ", " + std::to_string(p[1]);
  if (grid[2] > 1) out += ", " + std::to_string(p[2]);
  return out + ")";
}

// ---- ownership

Ownership find_ownership(const RunTrace& totals) {
  Ownership best;
  uint64_t best_size = 0;
  for (size_t t = 0; t < totals.tensors.size(); ++t) {
    if (totals.tensors[t].stores.times == 0 && totals.tensors[t].atomics.times == 0) continue;
    Ownership o = describe(totals, static_cast<int>(t));
    if (o.programs == 0) continue;
    uint64_t size = 1;
    for (const int64_t n : totals.tensors[t].shape) size *= static_cast<uint64_t>(std::max<int64_t>(n, 1));
    const bool better = best.tensor < 0 || std::make_pair(o.disjoint, size) > std::make_pair(best.disjoint, best_size);
    if (better) best = std::move(o), best_size = size;
  }
  return best;
}

std::optional<OwnedTile> owned_tile(const RunTrace& totals, const Ownership& owner, int64_t program) {
  const ProgramFootprint* f = footprint_of(totals, program, owner.tensor);
  if (f == nullptr || f->stored.empty()) return std::nullopt;
  OwnedTile t{f->stored, f->stored, volume(f->stored), 0};
  const std::vector<int64_t>& shape = totals.tensors[static_cast<size_t>(owner.tensor)].shape;
  // A part that ends at the border may have been cut off there: then it goes on to the size that the others have.
  for (size_t a = 0; a < t.whole.hi.size(); ++a)
    if (a < shape.size() && t.box.hi[a] == shape[a]) t.whole.hi[a] = std::max(t.whole.hi[a], t.box.lo[a] + owner.tile[a]);
  t.of = volume(t.whole);
  // The lanes tell when they were counted once.
  const int64_t on = static_cast<int64_t>(f->lanes_on), all = on + static_cast<int64_t>(f->lanes_masked);
  if (on == t.inside && all > t.of && t.box.lo.size() == 1) {
    t.whole.hi[0] = t.whole.lo[0] + all;
    t.of = all;
  }
  return t;
}

std::optional<OwnedLine> owned_line(const RunTrace& totals, const Ownership& owner) {
  if (owner.tensor < 0 || totals.programs > 64 || totals.grid[0] != totals.programs) return std::nullopt;
  const TensorReport& tensor = totals.tensors[static_cast<size_t>(owner.tensor)];
  if (tensor.shape.size() != 1) return std::nullopt;
  OwnedLine line{owner.name, tensor.shape[0], tensor.shape[0], {}};
  for (int64_t p = 0; p < totals.programs; ++p) {
    const std::optional<OwnedTile> tile = owned_tile(totals, owner, p);
    const std::optional<ProgramCounts> lanes = counts_of(totals, p, owner.tensor);
    if (!tile || !lanes || static_cast<int64_t>(lanes->lanes_on) != tile->inside) return std::nullopt;
    const OwnedLine::Slice slice{tile->box.lo[0], tile->box.hi[0], std::max(tile->box.hi[0], tile->whole.hi[0])};
    if (!line.slices.empty() && slice.lo < line.slices.back().hi) return std::nullopt;
    line.slices.push_back(slice);
    line.end = std::max(line.end, slice.whole);
  }
  return line;
}

int64_t most_stored(const RunTrace& totals, const Ownership& owner, int64_t program) {
  const ProgramFootprint* f = footprint_of(totals, program, owner.tensor);
  if (f == nullptr || f->stored.empty()) return 0;
  const int64_t all = volume(f->stored);
  const int64_t lanes = std::min(all, static_cast<int64_t>(std::min<uint64_t>(f->lanes_on, INT64_MAX)));
  constexpr int64_t kMost = 1 << 16;  // this is asked in every frame
  const auto tensor = static_cast<size_t>(owner.tensor);
  if (all > kMost || tensor >= totals.element_counts.size()) return lanes;
  const ElementCounts& counts = totals.element_counts[tensor];
  const std::vector<int64_t>& shape = totals.tensors[tensor].shape;
  if (counts.elements_per_count != 1 || shape.size() != f->stored.lo.size()) return lanes;
  // The counts are by place in memory; a tensor without gaps has as many as elements, in the order of its indices.
  int64_t elements = 1;
  for (const int64_t n : shape) elements *= n;
  if (counts.stores.size() != static_cast<size_t>(elements)) return lanes;
  int64_t stored = 0;
  for (std::vector<int64_t> at = f->stored.lo;;) {
    int64_t place = 0;
    for (size_t a = 0; a < at.size(); ++a) place = place * shape[a] + at[a];
    if (place >= 0 && place < elements) stored += counts.stores[static_cast<size_t>(place)] > 0;
    size_t a = at.size();
    while (a > 0 && ++at[a - 1] >= f->stored.hi[a - 1]) --a, at[a] = f->stored.lo[a];
    if (a == 0) break;
  }
  return stored == 0 ? lanes : std::min(lanes, stored);
}

std::string box_name(const std::string& tensor, const IndexBox& box) {
  std::string out = tensor + "[";
  for (size_t a = 0; a < box.lo.size(); ++a) {
    if (a > 0) out += ", ";
    out += std::to_string(box.lo[a]);
    if (box.hi[a] - box.lo[a] > 1) out += ".." + std::to_string(box.hi[a] - 1);
  }
  return out + "]";
}

std::optional<ProgramCounts> counts_of(const RunTrace& totals, int64_t program, int tensor) {
  const ProgramFootprint* f = footprint_of(totals, program, tensor);
  if (f == nullptr) return std::nullopt;
  return ProgramCounts{f->lanes_on, f->lanes_masked};
}

const Fault* fault_of(const RunTrace& totals, const ProgramIndex& program) {
  for (const Fault& f : totals.faults)
    if (f.program == program) return &f;
  return nullptr;
}

// ---- canvas

// Chooses how many blocks stand side by side, so that cells come out as large as possible. Returns their size (at most 1).
double GridCanvas::fold(int64_t blocks, double width, double height, double cell_w, double cell_h) {
  blocks_ = blocks;
  gap_ = blocks > 1 ? 1 : 0;
  double best = -1;
  // Beyond this many, the number side by side follows from the room's shape well enough.
  const int64_t most = std::min<int64_t>(blocks, 4096);
  for (int64_t across = 1; across <= most; ++across) {
    const double w = static_cast<double>(across * (cols_ + gap_) - gap_) * cell_w;
    const double h = static_cast<double>((blocks + across - 1) / across * (rows_ + gap_) - gap_) * cell_h;
    const double scale = std::min({width / w, height / h, 1.0});
    if (scale > best * 1.0001) best = scale, blocks_across_ = across;
  }
  width_ = blocks_across_ * (cols_ + gap_) - gap_;
  height_ = (blocks + blocks_across_ - 1) / blocks_across_ * (rows_ + gap_) - gap_;
  return best;
}

// Two axes, one of them very long: cuts it into blocks when cells come out much larger so.
void GridCanvas::fold_bands(double width, double height, double cell_w, double cell_h) {
  const GridCanvas plain = *this;
  double best = fold(1, width, height, cell_w, cell_h) * 2;
  GridCanvas chosen = *this;
  const bool down = rows_ > cols_;
  const int64_t length = down ? plain.rows_ : plain.cols_;
  for (int64_t bands = 2; bands <= 256 && bands * 4 <= length; bands += 1 + bands / 16) {
    *this = plain;
    band_axis_ = down ? down_ : across_;
    const int64_t size = (length + bands - 1) / bands;
    (down ? rows_ : cols_) = size;
    const double scale = fold((length + size - 1) / size, width, height, cell_w, cell_h);
    if (scale > best * 1.0001) best = scale, chosen = *this;
  }
  *this = chosen;
}

GridCanvas GridCanvas::by_program(const std::array<int64_t, 3>& grid, double width, double height, double cell_w, double cell_h) {
  GridCanvas c;
  c.grid_ = grid;
  c.programs_ = grid[0] * grid[1] * grid[2];
  std::vector<int> long_axes;
  for (int a = 0; a < 3; ++a)
    if (grid[static_cast<size_t>(a)] > 1) long_axes.push_back(a);
  width = std::max(width, 1.0), height = std::max(height, 1.0);
  if (long_axes.size() < 2) {
    c.wrapped_ = true;
    const double n = static_cast<double>(c.programs_);
    // Rows as long as make the cells fill the room; a multiple of 8 when there are many, to count by.
    double cols = std::min(n, std::max(std::floor(width / cell_w), std::ceil(std::sqrt(n * width * cell_h / (height * cell_w)))));
    constexpr double kLeast = 0.45;  // of a cell at full size: its number still fits
    if (n * cell_w * kLeast <= width) cols = n;
    if (cols > 8 && cols < n) cols = std::ceil(cols / 8) * 8;
    c.cols_ = std::max<int64_t>(1, static_cast<int64_t>(std::min(cols, n)));
    c.rows_ = (c.programs_ + c.cols_ - 1) / c.cols_;
    c.width_ = c.cols_, c.height_ = c.rows_;
    return c;
  }
  c.down_ = long_axes[0], c.across_ = long_axes[1];
  c.deep_ = long_axes.size() == 3 ? long_axes[2] : -1;
  c.rows_ = grid[static_cast<size_t>(c.down_)];
  c.cols_ = grid[static_cast<size_t>(c.across_)];
  if (c.deep_ < 0) c.fold_bands(width, height, cell_w, cell_h);
  else c.fold(grid[static_cast<size_t>(c.deep_)], width, height, cell_w, cell_h);
  return c;
}

std::optional<GridCanvas> GridCanvas::by_tile(const RunTrace& totals, const Ownership& owner, double width, double height, double cell_w,
                                              double cell_h) {
  if (owner.tensor < 0 || owner.tile.empty() || !owner.disjoint) return std::nullopt;
  const size_t rank = owner.tile.size();
  const int64_t programs = programs_with_maps(totals);
  std::vector<std::vector<int64_t>> starts(rank);  // distinct first indices along each axis
  for (int64_t p = 0; p < programs; ++p) {
    const IndexBox& b = footprint_of(totals, p, owner.tensor)->stored;
    if (b.empty()) continue;
    for (size_t a = 0; a < rank; ++a) starts[a].push_back(b.lo[a]);
  }
  for (std::vector<int64_t>& s : starts) {
    std::sort(s.begin(), s.end());
    s.erase(std::unique(s.begin(), s.end()), s.end());
  }
  GridCanvas c;
  c.by_ = By::Tile;
  c.grid_ = totals.grid;
  c.programs_ = programs;
  c.cols_ = static_cast<int64_t>(starts[rank - 1].size());
  c.rows_ = rank >= 2 ? static_cast<int64_t>(starts[rank - 2].size()) : 1;
  int64_t blocks = 1;
  for (size_t a = 0; a + 2 < rank; ++a) blocks *= static_cast<int64_t>(starts[a].size());
  const double cells = static_cast<double>(c.rows_) * static_cast<double>(c.cols_) * static_cast<double>(blocks);
  if (cells > 4.0 * static_cast<double>(programs) + 4096) return std::nullopt;  // the parts form no matrix
  c.fold(blocks, std::max(width, 1.0), std::max(height, 1.0), cell_w, cell_h);
  c.program_by_cell_.assign(static_cast<size_t>(c.rows_ * c.cols_ * blocks), -1);
  c.cell_by_program_.assign(static_cast<size_t>(programs), -1);
  for (int64_t p = 0; p < programs; ++p) {
    const IndexBox& b = footprint_of(totals, p, owner.tensor)->stored;
    if (b.empty()) continue;
    int64_t cell = 0;
    for (size_t a = 0; a < rank; ++a) {
      const std::vector<int64_t>& s = starts[a];
      cell = cell * static_cast<int64_t>(s.size()) + (std::lower_bound(s.begin(), s.end(), b.lo[a]) - s.begin());
    }
    c.program_by_cell_[static_cast<size_t>(cell)] = p;
    c.cell_by_program_[static_cast<size_t>(p)] = cell;
  }
  return c;
}

int64_t GridCanvas::program_at(int64_t x, int64_t y) const {
  if (x < 0 || y < 0 || x >= width_ || y >= height_) return -1;
  if (wrapped_) {
    const int64_t p = y * cols_ + x;
    return p < programs_ ? p : -1;
  }
  const int64_t bx = x / (cols_ + gap_), by = y / (rows_ + gap_), col = x % (cols_ + gap_), row = y % (rows_ + gap_);
  const int64_t block = by * blocks_across_ + bx;
  if (col >= cols_ || row >= rows_ || block >= blocks_) return -1;
  if (by_ == By::Tile) return program_by_cell_[static_cast<size_t>((block * rows_ + row) * cols_ + col)];
  ProgramIndex p{};
  p[static_cast<size_t>(down_)] = row + (band_axis_ == down_ ? block * rows_ : 0);
  p[static_cast<size_t>(across_)] = col + (band_axis_ == across_ ? block * cols_ : 0);
  if (deep_ >= 0) p[static_cast<size_t>(deep_)] = block;
  for (size_t a = 0; a < 3; ++a)
    if (p[a] >= grid_[a]) return -1;  // the last band may be shorter
  return program_number(grid_, p);
}

GridCanvas::Place GridCanvas::place_of(int64_t program) const {
  if (program < 0 || program >= programs_) return {-1, -1};
  if (wrapped_) return {program % cols_, program / cols_};
  int64_t block = 0, row = 0, col = 0;
  if (by_ == By::Tile) {
    const int64_t cell = cell_by_program_[static_cast<size_t>(program)];
    if (cell < 0) return {-1, -1};
    block = cell / (rows_ * cols_), row = cell / cols_ % rows_, col = cell % cols_;
  } else {
    const ProgramIndex p = program_index(grid_, program);
    row = p[static_cast<size_t>(down_)], col = p[static_cast<size_t>(across_)];
    if (deep_ >= 0) block = p[static_cast<size_t>(deep_)];
    if (band_axis_ == down_) block = row / rows_, row %= rows_;
    if (band_axis_ == across_) block = col / cols_, col %= cols_;
  }
  return {block % blocks_across_ * (cols_ + gap_) + col, block / blocks_across_ * (rows_ + gap_) + row};
}

std::vector<GridCanvas::Block> GridCanvas::blocks(size_t most) const {
  std::vector<Block> out;
  if (blocks_ < 2) return out;
  const int64_t size = band_axis_ < 0 ? 0 : band_axis_ == down_ ? rows_ : cols_;
  for (int64_t b = 0; b < blocks_ && out.size() < most; ++b) {
    const std::string label = size == 0 ? std::to_string(b)
        : std::to_string(b * size) + ".." + std::to_string(std::min((b + 1) * size, grid_[static_cast<size_t>(band_axis_)]) - 1);
    out.push_back({{b % blocks_across_ * (cols_ + gap_), b / blocks_across_ * (rows_ + gap_)}, rows_, cols_, label});
  }
  return out;
}

bool tiles_differ_from_grid(const RunTrace& totals, const Ownership& owner) {
  const std::optional<GridCanvas> tiles = GridCanvas::by_tile(totals, owner, 100, 100, 1, 1);
  if (!tiles || tiles->rows() < 2 || tiles->cols() < 2) return false;
  const GridCanvas grid = GridCanvas::by_program(totals.grid, 100, 100, 1, 1);
  if (grid.rows() != tiles->rows() || grid.cols() != tiles->cols()) return true;
  for (int64_t p = 0; p < tiles->programs(); ++p)
    if (!(tiles->place_of(p) == grid.place_of(p))) return true;
  return false;
}

}  // namespace tilescope::model
