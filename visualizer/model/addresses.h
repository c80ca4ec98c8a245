// How the addresses of an access come about: `rows[:, None] * K + ks[None, :]` taken apart into a column of row terms, a
// row of column terms and scalars, with the names of the source.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/trace.h"
#include "visualizer/model/scene.h"
#include "visualizer/model/values.h"

namespace tilescope::model {

/// One summand. Values are in elements.
struct AddressTerm {
  std::string text;             ///< "rows[:, None] * K", "pid * BLOCK"
  int axis = -1;                ///< along which it varies; -1: the same in every lane
  std::vector<int64_t> values;  ///< along its axis, or one
  /// When it is a product of an index and a scalar: "rows", 50 and "K". Else index is empty.
  std::string index_name, factor_name;
  std::vector<int64_t> index;   ///< along its axis, or one
  int64_t factor = 1;
};

struct AddressTable {
  enum class Kind : uint8_t {
    Nothing,  ///< the current line has no address or offset
    Scalar,   ///< one address
    Line,     ///< one axis: base + terms
    Sum,      ///< two axes: column + row
    Gather,   ///< not taken apart: `total` is all there is to say
  };
  Kind kind = Kind::Nothing;
  bool separable = false;      ///< of a Gather: a column and a row do add up to it, but its text is no such sum
  std::string expression;      ///< the source's text of the whole, and of the names that were followed
  std::string base;            ///< name of the pointer that it starts from: "a_ptr"; empty for offsets without one
  std::string variable;        ///< that is loaded, stored or computed
  const Op* access = nullptr;  ///< null: an offset expression only
  int line = 0;                ///< source line of the access
  bool elsewhere = false;      ///< not of the current line, which has none: of the last one before it (or the first)
  int tensor = -1;             ///< index into Launch::tensors
  Shape shape;
  std::vector<AddressTerm> terms;     ///< those that vary, then scalars
  std::vector<int64_t> column, row;   ///< sums of the terms along axis 0 and along the last axis; a Line has only `row`
  int64_t scalar = 0;                 ///< sum of the scalar terms
  std::vector<int64_t> total;         ///< offset in elements, one a lane
  std::vector<LaneState> states;      ///< of the access; empty without one
};

/// Candidates at the scene's line: its accesses, then the integer and pointer tiles it computes.
size_t address_choices(const Scene& scene);
/// Number `choice` of them. A line that computes none shows the last access before it, marked `elsewhere`; Nothing when
/// the program has no access at all.
AddressTable address_table(const ProgramValues& values, const Scene& scene, size_t choice);
std::string address_choice_name(const Scene& scene, size_t choice);

/// Takes the value apart as it is at `step`. Fills all but `variable`, `access` and `states`.
AddressTable take_apart(const ProgramValues& values, ValueId value, uint64_t step);

}  // namespace tilescope::model
