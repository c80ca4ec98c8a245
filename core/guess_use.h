// What the body of a kernel tells about its parameters: which are bases of addresses, sizes, flags, types, and what the
// elements behind an address are used for. A walk over the syntax tree that follows values through assignments and
// helper calls and computes nothing; both branches of every `if` count.
#pragma once

#include <array>
#include <bitset>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/syntax/ast.h"
#include "core/types.h"

namespace tilescope {

inline constexpr size_t kMaxGuessedParams = 256;
/// A set of parameters, by position.
using ParamSet = std::bitset<kMaxGuessedParams>;

/// How one parameter is used. Several may be true: a guess weighs them.
struct ParamUse {
  bool loaded = false, stored = false;  ///< base of an address that is read, written (atomics: both)
  bool integer = false;                 ///< an offset, a bound, an operand of // % & | ^ << >>
  bool number = false;                  ///< multiplied, divided or subtracted from: no address
  bool real = false;                    ///< meets floats
  bool extent = false;                  ///< length of tl.arange, axis of a tile
  bool unrolled = false;                ///< bound of tl.static_range
  bool boolean = false;                 ///< tested by `if`, `and`, `or`, `not`
  bool none = false;                    ///< compared with None
  bool dtype = false;                   ///< names an element type
  bool called = false;                  ///< a function
  bool descriptor = false;              ///< a tensor descriptor
  std::vector<std::string> block;       ///< its axes: the parameter in steps of which it is read or stored, or empty
  bool indexed = false;                 ///< a tuple
  uint64_t items = 0;                   ///< that it has at least
  bool hint = false;                    ///< given to an option that takes a number or a bool, such as num_stages
  std::optional<std::string> option;    ///< given to an option that takes a text, such as input_precision: one that is fine
  std::vector<std::string> strings;     ///< texts that it is compared with
  std::vector<int64_t> integers;        ///< literals that it is compared with

  // The elements behind the address:
  // A stride by use, whatever its name: it only multiplies an index that is added to an address.
  ParamSet steps;                 ///< the bases of these addresses, by position
  std::string step_axis;          ///< the size that the index it multiplies stays below; empty: none is known
  std::vector<std::string> rest;  ///< sizes of the indices in these addresses that nothing multiplies
  bool bound = false;             ///< compared with an index, bound of a loop, of tl.cdiv: a size, and no stride

  bool integer_elements = false;  ///< offsets, bounds, operands of // % & | ^ << >>
  bool maybe_integer_elements = false;
  bool real_elements = false;
  bool bool_elements = false;     ///< masks, conditions
  bool pointer_elements = false;  ///< used as addresses
  std::optional<DType> elements;  ///< of exactly this type: operands and scales of tl.dot_scaled

  bool address() const { return loaded || stored; }
};

/// `axis` runs over pieces of `limit` of `block` elements each; names of parameters, `block` may be empty.
struct AxisUse {
  std::string limit, block;
};

struct KernelUse {
  std::vector<ParamUse> params;  ///< in the order of the parameters
  std::array<bool, 3> axes{};    ///< asked for by tl.program_id
  std::array<std::vector<AxisUse>, 3> limits;
  std::array<bool, 3> divided{};   ///< the program number is taken apart by // and %
  /// What an index stays below, by its tile's extent and the axes of the grid in it: `cols < N`.
  std::map<std::pair<int, uint8_t>, std::string> below;
  std::vector<AxisUse> cdivs;      ///< cdiv(limit, block) of two parameters, in order
  bool cut_off = false;            ///< the walk was stopped by its limit

  /// The parameters that had a part in the expressions inside of this place; when none had, in those around it.
  ParamSet behind(const SourceRange& place) const;

  bool is_constant(const SourceRange& place) const;

  struct Place {
    const SourceFile* file = nullptr;
    int line = 0, column = 0, end_line = 0, end_column = 0;
    ParamSet params;
  };
  std::vector<Place> places;

  /// The lines of a branch, with the parameters that its condition asks: they decide whether it is compiled at all.
  struct Branch {
    const SourceFile* file = nullptr;
    int line = 0, end_line = 0;
    ParamSet params;
  };
  std::vector<Branch> branches;
  ParamSet conditions_around(const SourceRange& place) const;
  /// For names that are assigned in branches only: the parameters that those ask.
  std::map<std::string, ParamSet> guards;
};

/// A function of another module that the file imports under this name, with its module; null when there is none.
struct FoundFunction {
  const FunctionDef* def = nullptr;
  const Module* module = nullptr;
};
using FunctionLookup = std::function<FoundFunction(const Module& module, const std::string& name)>;

/// Walks `kernel`, at most some thousand steps. `lookup` may be empty: helpers of other files are then not followed.
KernelUse study_kernel(const Module& module, const FunctionDef& kernel, const FunctionLookup& lookup);

}  // namespace tilescope
