// Random kernels as trees: what the generator builds, what is printed as Triton text, and what the reference evaluates.
// Nothing here is shared with the compiler or the executor but the element types and the scalar meaning of one lane.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/ir.h"
#include "core/tensor.h"

namespace tilescope::property {

enum class Kind {
  Number,       ///< a Python number, or a constexpr of that `name`: `number` (and `is_float`)
  Variable,     ///< `name`
  ProgramId,    ///< ints {axis}
  NumPrograms,  ///< ints {axis}
  Arange,       ///< ints {start, end}
  Full,         ///< tl.full(shape, args[0], dtype)
  Unary,        ///< name "-", "~" or "tl.abs"
  Binary,       ///< name: the operator
  Extremum,     ///< name "minimum" or "maximum", ints {propagate_nan}
  Where,        ///< args condition, x, y
  Fma,          ///< args of one float type
  Math,         ///< name of a tl.* function of one float
  Cast,         ///< to type.elem
  Bitcast,      ///< to type.elem
  ExpandDims,   ///< ints {axis}
  BroadcastTo,  ///< to type.shape
  Reshape,      ///< to type.shape
  Trans,        ///< ints: the order
  Join,
  Cat,
  Interleave,
  Flip,        ///< ints {axis}
  Gather,      ///< args source, index; ints {axis}
  Split,       ///< two results
  Reduce,      ///< name sum, max, min, xor_sum, reduce_or; ints {axis or -1 for None, keep_dims}
  ArgReduce,   ///< name max or min, ints {axis, tie_break_left, keep_dims}: two results, values and indices
  UserReduce,  ///< name of a combine function; ints {axis, keep_dims}
  Scan,        ///< name cumsum or cumprod; ints {axis, reverse}
  UserScan,    ///< name of a combine function; ints {axis, reverse}
  Sort,        ///< ints {descending}; along the last axis
  Dot,         ///< args a, b, acc?; name: input_precision or ""
  Load,        ///< args pointer, mask?, other?
  PairReduce,  ///< of a tuple of two, by keep_larger; ints {axis}: two results
  PairScan,    ///< the same as a scan; ints {axis, reverse}
  BlockLoad,   ///< through a block pointer: args base, stride, stride, offset, offset; ints {rows, columns, pad with
               ///< NaN}
  Ternary,     ///< x if condition else y: args x, condition, y; only one side is evaluated
  Call,        ///< of the helper `name` with two args; helpers are in Program::helpers
};

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

struct Expr {
  Kind kind = Kind::Number;
  Type type;  ///< of the (first) result, by the generator's own typing rules
  std::string name;
  std::vector<ExprPtr> args;
  std::vector<int64_t> ints;
  double number = 0;
  bool is_float = false;

  bool is_number() const { return kind == Kind::Number; }
};

struct Stmt;
using Block = std::vector<std::shared_ptr<const Stmt>>;

struct Stmt {
  enum class Kind { Assign, AugmentedAssign, AssignTwo, Store, BlockStore, Atomic, For, While, If } kind = Kind::Assign;
  std::vector<std::string> names;  ///< assigned variables; For: the loop variable
  std::string op;  ///< AugmentedAssign: "+" for `+=`; For: range, tl.range or tl.static_range; Atomic: add, max ...
  std::vector<ExprPtr> exprs;  ///< Assign: value; Store, Atomic: pointer, value, mask?; BlockStore: a
                               ///< BlockLoad as the place, value; For: bounds; While, If: condition
  Block body, orelse;
};

/// A combine function of tl.reduce and tl.associative_scan. None commutes, and most do not associate, so that the tree
/// and its sides show.
struct Combine {
  const char* name;
  const char* body;  ///< an expression of a and b
  bool integers_only;
  uint64_t (*apply)(DType t, uint64_t a, uint64_t b);
};
const std::vector<Combine>& combines();

struct TensorArg {
  std::string name;
  DType dtype = DType::Float32;
  TensorLayout layout;
  uint64_t fill_seed = 0;
  int special = 0;  ///< out of 16: share of NaN, infinities, -0, subnormals, extremes
  bool output = false;
  bool uninitialised = false;  ///< holds nothing before the kernel stores it
};

/// A function of two values: `return` its body, an expression of variables a and b.
struct Helper {
  std::string name;
  ExprPtr body;
};

struct Program {
  uint64_t seed = 0;
  std::vector<TensorArg> tensors;
  std::vector<std::pair<std::string, int64_t>> integers;  ///< run-time int arguments
  std::vector<std::pair<std::string, int64_t>> constexprs;
  std::vector<std::pair<std::string, double>> floats;  ///< run-time fp32 arguments
  std::vector<Helper> helpers;
  Block body;
  std::array<int64_t, 3> grid{1, 1, 1};
  int num_warps = 4;
};

/// The program of a seed, always the same.
Program generate(uint64_t seed);

/// The kernel file.
std::string kernel_text(const Program& p);

/// Fresh tensors with their first values.
std::vector<Tensor> make_tensors(const Program& p);

/// Runs the grid, program by program, lane by lane; changes the tensors. Returns what is wrong with the program itself
/// (an address outside its tensor), or "".
std::string evaluate(const Program& p, std::vector<Tensor>& tensors);

/// Leaves out what the failure does not need. `fails` may throw std::out_of_range for programs that make no sense.
Program shrink(Program p, const std::function<bool(const Program&)>& fails);

// ---- typing rules of the language, as the generator and the reference need them
// --------------------------------------

/// Type of the result of an operator, before what is special about it (comparisons, division of integers).
DType common_type(DType a, bool a_is_number, DType b, bool b_is_number, bool division);
bool is_comparison(const std::string& op);
bool is_fp8(DType t);
/// The type that a Python number has by itself.
DType number_type(const Expr& e);
/// Element type in which both sides of this operator meet.
DType operator_type(const std::string& op, const Expr& a, const Expr& b);

}  // namespace tilescope::property
