// What the Grid panel draws, as plain data: where each program stands on a canvas of cells, and which tile of the output
// each one owns.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "core/trace.h"

namespace tilescope::model {

/// Row-major number of a program (axis 0 runs first, as the launch does), and back.
int64_t program_number(const std::array<int64_t, 3>& grid, const ProgramIndex& p);
ProgramIndex program_index(const std::array<int64_t, 3>& grid, int64_t number);
/// "3", "(2, 0)" or "(1, 0, 2)": as many axes as the grid uses.
std::string program_name(const std::array<int64_t, 3>& grid, const ProgramIndex& p);

/// What each program stores.
struct Ownership {
  int tensor = -1;           ///< the output that the programs divide among them; -1: none
  std::string name;
  std::vector<int64_t> tile; ///< the largest part of a program along each axis: what a program owns when nothing is cut off
  int64_t programs = 0;      ///< that store to it
  bool disjoint = false;     ///< no two programs start at the same place
};
/// The stored tensor with the most elements that the programs divide among them (each stores a part of its own); else
/// the largest one stored. `totals` with maps.
Ownership find_ownership(const RunTrace& totals);

/// One program's part.
struct OwnedTile {
  IndexBox box;               ///< stored elements
  IndexBox whole;             ///< with what lies beyond the border of the tensor
  int64_t inside = 0, of = 0; ///< elements of both
};
std::optional<OwnedTile> owned_tile(const RunTrace& totals, const Ownership& owner, int64_t program);
/// The output as a line that the programs divide among them, in their order.
struct OwnedLine {
  struct Slice {
    int64_t lo = 0, hi = 0;  ///< stored elements, half open
    int64_t whole = 0;       ///< where its lanes end: behind `hi` when some of them lie past the end of the tensor
  };
  std::string name;
  int64_t elements = 0;       ///< of the tensor
  int64_t end = 0;            ///< the furthest `whole`, at least `elements`
  std::vector<Slice> slices;  ///< by program
};
/// Nothing unless the grid has one axis of at most 64 programs and each of them stores every element of a stretch of its
/// own of a tensor with one axis, one behind the other.
std::optional<OwnedLine> owned_line(const RunTrace& totals, const Ownership& owner);
/// How many elements of its box the program can have stored at most: fewer than the box has where its stores are scattered
/// or strided. It counts the box's elements that anybody stored, and the program's lanes.
int64_t most_stored(const RunTrace& totals, const Ownership& owner, int64_t program);
/// "c_ptr[64..95, 0..31]"; one index without "..".
std::string box_name(const std::string& tensor, const IndexBox& box);

/// Cells in blocks of rows x cols, the blocks side by side and then below one another.
class GridCanvas {
 public:
  enum class By : uint8_t { Program, Tile };
  struct Place { int64_t x = 0, y = 0; friend bool operator==(const Place&, const Place&) = default; };
  struct Block { Place at; int64_t rows = 0, cols = 0; std::string label; };

  /// Programs by their index: axis 0 downwards and axis 1 to the right, a block for each index along axis 2; a grid with
  /// one axis in one row as long as cells of 25 x 25 fit, else in rows of text; of two axes a very long one is cut into blocks. `width` and `height` of the room and `cell_w` : `cell_h` choose how it is folded.
  static GridCanvas by_program(const std::array<int64_t, 3>& grid, double width, double height, double cell_w, double cell_h);
  /// Programs where the tiles that they own lie in the output. Nothing when no program owns a part of its own.
  static std::optional<GridCanvas> by_tile(const RunTrace& totals, const Ownership& owner, double width, double height, double cell_w, double cell_h);

  By by() const { return by_; }
  int64_t width() const { return width_; }    ///< in cells, gaps between blocks counted as one cell
  int64_t height() const { return height_; }
  int64_t programs() const { return programs_; }
  /// -1 where no program stands.
  int64_t program_at(int64_t x, int64_t y) const;
  Place place_of(int64_t program) const;
  /// One row of programs that is folded: each row goes on in the next.
  bool goes_on() const { return wrapped_ && rows_ > 1; }
  /// Blocks with their labels; empty when there is one only. At most `most`.
  std::vector<Block> blocks(size_t most = 256) const;
  /// Grid axis that the blocks count along; -1: blocks of the output, or none.
  int block_axis() const { return deep_ >= 0 ? deep_ : band_axis_; }
  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }

 private:
  double fold(int64_t blocks, double width, double height, double cell_w, double cell_h);
  void fold_bands(double width, double height, double cell_w, double cell_h);

  By by_ = By::Program;
  std::array<int64_t, 3> grid_{1, 1, 1};
  int down_ = -1, across_ = 0, deep_ = -1;  ///< grid axes; -1: none
  bool wrapped_ = false;                    ///< one axis, folded into rows of cols_
  int band_axis_ = -1;                      ///< this long axis of two is cut into the blocks
  int64_t programs_ = 0, rows_ = 1, cols_ = 1, blocks_ = 1, blocks_across_ = 1, gap_ = 0;
  int64_t width_ = 0, height_ = 0;
  std::vector<int64_t> program_by_cell_, cell_by_program_;  ///< By::Tile
};

/// True when the output's tiles form a matrix that shows something else than the grid's own arrangement: a grid with one
/// axis over a matrix of tiles (grouped order, for one), or tiles in another order than the grid's axes.
bool tiles_differ_from_grid(const RunTrace& totals, const Ownership& owner);

/// Lanes of one program's loads and stores of a tensor.
struct ProgramCounts {
  uint64_t lanes_on = 0, lanes_masked = 0;
};
std::optional<ProgramCounts> counts_of(const RunTrace& totals, int64_t program, int tensor);

/// The fault of a program, or null.
const Fault* fault_of(const RunTrace& totals, const ProgramIndex& program);

}  // namespace tilescope::model
