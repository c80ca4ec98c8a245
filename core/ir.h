// The tile IR: SSA, structured control flow, static shapes, typed pointers.
//
// Semantics, in prose. They hold in the simulator, in the constant folder and on the GPU:
//
// * Evaluation is in program order, op by op; within an op every lane is independent unless the op is Collective.
// * Integers wrap. Division truncates towards zero; x / 0 and INT_MIN / -1 have defined results (core/device_math.h).
//   Shifts by the width or more give 0 (or the sign). Floor division exists only on constexpr values, in the front end.
// * Floats: IEEE, round to nearest even, subnormals kept, no contraction. float16, bfloat16 and float8 values are
//   computed in float32 and rounded once per op. NaN payloads carry no meaning: NaNs compare by class; bitcast and
//   integer atomics see the canonical NaN.
// * Masked lanes: a load's masked-off lane touches no memory; it gives `other`, or poison when there is no `other`.
//   A store's or atomic's masked-off lane touches no memory; an atomic's result there is poison.
// * Poison is per lane. An op's lane is poisoned when an operand's lane is, except: `select` looks at the condition's
//   lane and the chosen side only; `and` with a clean 0 and `or` with clean ones are clean. A poisoned address, loop
//   bound, condition, or live stored lane is a fault. The bits of a poisoned lane are 0 in the simulator.
// * Uninitialised tensor elements load as poison.
// * Reductions combine adjacent pairs of the logical index in a balanced tree, the lower index on the left. An axis
//   length is a power of two. Scans are Sklansky over the logical index: the last element equals the reduction.
//   A reversed scan is the scan of the flipped axis, flipped back.
// * A dot is one chain: acc := acc + a[:, k] * b[k, :] for groups of k ascending, as its contract says.
// * Addresses are 64-bit virtual byte addresses. Every tensor argument has a range of its own with wide gaps, so an
//   address knows its tensor. AddPtr converts its offset to 64 bits (by the offset's own signedness) and wraps.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/diagnostic.h"
#include "core/types.h"

namespace tilescope {

enum class OpCode : uint8_t {
#define TILESCOPE_OP(name, ...) name,
#include "core/ops.def"
};

enum class OpGroup : uint8_t { Elementwise, Shape, Collective, Memory, Program, Control, Debug };
enum class TypeRule : uint8_t { Same, Compare, Select, ToFloat, IsFloat, Explicit };

/// One row of ops.def.
struct OpInfo {
  OpCode code;
  std::string_view name;
  int min_operands, max_operands, results;  ///< -1: any
  OpGroup group;
  TypeRule rule;
  std::string_view meaning;  ///< function of core/device_math.h, or "none"
  std::string_view doc;
};
const OpInfo& op_info(OpCode code);
int op_count();
/// The op of that mnemonic, or null.
const OpInfo* find_op(std::string_view mnemonic);

using ValueId = uint32_t;
inline constexpr ValueId kNoValue = ~ValueId{0};

using AttrValue = std::variant<int64_t, std::vector<int64_t>, std::string>;
struct Attr {
  std::string name;
  AttrValue value;
  friend bool operator==(const Attr&, const Attr&) = default;
};

/// Where an op comes from in the source: the expression, the statement around it, the helpers it was inlined through.
struct Location {
  SourceRange range;
  SourceRange statement;
  CallChain calls;
};
using LocationPtr = std::shared_ptr<const Location>;

struct Op;
struct Block {
  std::vector<ValueId> args;
  std::vector<std::unique_ptr<Op>> ops;
};

struct Op {
  OpCode code;
  std::vector<ValueId> operands, results;
  std::vector<Attr> attrs;
  std::vector<Block> regions;  ///< For 1, While 2, If 2, user Reduce/Scan 1
  LocationPtr loc;

  const OpInfo& info() const { return op_info(code); }
  const AttrValue* find_attr(std::string_view name) const;
  /// Integer attribute, or `fallback` when absent.
  int64_t int_attr(std::string_view name, int64_t fallback = 0) const;
  /// String attribute, or "" when absent.
  std::string_view str_attr(std::string_view name) const;
  const std::vector<int64_t>& ints_attr(std::string_view name) const;
  void set_attr(std::string name, AttrValue value);
};

struct ValueInfo {
  Type type;
  std::string name;  ///< the source variable it was assigned to last, for panels and readable text; may be empty
};

/// A run-time parameter: a scalar or a pointer. Constexpr, None and 1-specialised arguments are folded away.
struct Param {
  std::string name;
  Type type;
  /// The argument is known to be divisible by this (16 or 1): elements' values for integers, bytes for pointers.
  int64_t divisible_by = 1;
};

/// A kernel specialised for argument types, constexpr values and num_warps.
struct Function {
  std::string name;
  std::vector<Param> params;  ///< values 0 .. params.size()-1
  std::vector<std::pair<std::string, std::string>> constexprs;  ///< name and value as text, in parameter order
  int num_warps = 4, num_stages = 3;
  Block body;
  std::vector<ValueInfo> values;
  SourcePtr source;

  const Type& type(ValueId v) const { return values[v].type; }
  ValueId new_value(const Type& t, std::string name = {});
};

/// Deep copy (regions included). Locations are shared.
Function clone(const Function& f);

/// Calls `fn(Op&)` for every op, outer before inner, in program order.
template <class Fn>
void walk(Block& b, Fn&& fn) {
  for (auto& op : b.ops) {
    fn(*op);
    for (Block& r : op->regions) walk(r, fn);
  }
}
template <class Fn>
void walk(const Block& b, Fn&& fn) {
  for (const auto& op : b.ops) {
    fn(static_cast<const Op&>(*op));
    for (const Block& r : op->regions) walk(r, fn);
  }
}

}  // namespace tilescope
