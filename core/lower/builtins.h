// The language's table of functions and what its entries share. Adding a builtin is one row in the builtins_*.cpp file
// of its topic, plus its function.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/lower/context.h"

namespace tilescope::lower {

/// One row. `names` holds every path of the function, separated by spaces: "tl.sum tl.tensor.sum" is a function and a
/// method; the method's object is then the first argument.
struct BuiltinRow {
  const char* names;
  const char* signature;
  BuiltinFn fn;
  const char* doc;
};

const std::vector<BuiltinRow>& program_rows();        // builtins_program.cpp
const std::vector<BuiltinRow>& memory_rows();         // builtins_memory.cpp
const std::vector<BuiltinRow>& atomic_rows();         // builtins_atomic.cpp
const std::vector<BuiltinRow>& block_pointer_rows();  // builtins_block_pointer.cpp
const std::vector<BuiltinRow>& shape_rows();          // builtins_shape.cpp
const std::vector<BuiltinRow>& math_rows();           // builtins_math.cpp
const std::vector<BuiltinRow>& libdevice_rows();      // builtins_libdevice.cpp
const std::vector<BuiltinRow>& reduce_rows();         // builtins_reduce.cpp
const std::vector<BuiltinRow>& dot_rows();            // builtins_dot.cpp
const std::vector<BuiltinRow>& random_rows();         // builtins_random.cpp
const std::vector<BuiltinRow>& python_rows();         // builtins_python.cpp
const std::vector<BuiltinRow>& assembly_rows();       // builtins_assembly.cpp
const std::vector<BuiltinRow>& debug_rows();          // builtins_debug.cpp
const std::vector<BuiltinRow>& unsupported_rows();    // builtins_unsupported.cpp

/// Every entry, sorted by path: for the language reference and tests.
const std::vector<const Builtin*>& all_builtins();
/// One entry for each row, in the order of the tables: under its first name.
const std::vector<const Builtin*>& builtin_rows();
/// What the lowering answers itself (core/lower/special_forms.cpp), by path.
const std::vector<const Builtin*>& special_form_rows();  // without those that only conditions of host code ask
/// Refused by name, whatever the arguments.
bool is_refused(const Builtin& builtin);

/// True when some builtin lies under that path: "tl.math", "libdevice".
bool is_builtin_namespace(const std::string& path);

/// The candidate that resembles `name` most, or "" when none does.
std::string closest_name(std::string_view name, const std::vector<std::string>& candidates);

/// How messages name a builtin: "tl.load()", ".sum()" for methods, "min()" for Python's own.
std::string shown_name(const Builtin& builtin);

/// The arguments of one call, bound to the names of the builtin's signature. The constructor fails for arguments that
/// are missing, unknown or given twice.
class Args {
 public:
  Args(Context& c, const Call& call);

  /// The argument, or the default that the signature states.
  const Value& operator[](std::string_view name) const;
  /// Given by the caller and not None.
  bool has(std::string_view name) const;
  /// Items of the signature's *name.
  const std::vector<Value>& rest() const { return rest_; }

 private:
  struct Slot {
    std::string name;
    Value value;
    bool given = false;
  };
  const Slot& slot(std::string_view name) const;
  std::vector<Slot> slots_;
  std::vector<Value> rest_;
};

// ---- helpers of the builtins, core/lower/builtins_common.cpp
// -----------------------------------------------------------

Value make_value(ValueId id, const SourceRange& range);
Value make_none(const SourceRange& range);
Value make_int(ConstInt v, const SourceRange& range);
Value make_bool(bool v, const SourceRange& range);
Value make_tuple_value(std::vector<Value> items, const SourceRange& range);

/// Context::fail for a message with labels of its own; a plain function, which the compiler knows not to return.
[[noreturn]] void fail_with(Context& c, Diagnostic d);

/// The value as a run-time value, with a message that names the argument when it is None, a string or the like.
ValueId require_tensor(Context& c, const Value& v, const std::string& what);
/// As above, and a tile.
ValueId require_tile(Context& c, const Value& v, const std::string& what);

/// A value that takes part in broadcasting, with the range that a message underlines.
struct Operand {
  ValueId id = kNoValue;
  SourceRange range;
};
/// The shape that all operands broadcast to: missing leading axes count as 1. Fails with every shape underlined.
Shape common_shape(Context& c, const std::vector<Operand>& operands, const SourceRange& range);
/// Repeats the value to `shape`, which common_shape() gave for it.
ValueId expand_to(Context& c, ValueId v, const Shape& shape);

/// An axis as a constexpr in [-rank, rank), made non-negative.
int require_axis(Context& c, const Value& v, int rank, const std::string& what);
/// A constexpr int, or a tuple of them.
std::vector<int64_t> require_ints(Context& c, const Value& v, const std::string& what);
/// `f(x, 2, 3)` and `f(x, (2, 3))` alike: the items.
std::vector<Value> spread(const std::vector<Value>& rest);
/// The same as one tuple value.
Value as_tuple(const std::vector<Value>& rest, const SourceRange& range);

/// bfloat16 becomes float32, as tl.maximum, tl.max and the scans do.
ValueId promote_bfloat16(Context& c, ValueId v);
/// The mask as int1; other types are refused.
ValueId require_mask(Context& c, const Value& v, const std::string& what);
/// "float32", "pointer to float32".
std::string type_name(const Type& t);
bool is_constexpr_like(const Value& v);

/// Refuses a function that the simulator does not have; the row's doc is the hint.
Value refuse_unsupported(Context& c, Call& call);

/// Binds the arguments and calls the prelude's function of the same name.
Value call_prelude_function(Context& c, Call& call);

}  // namespace tilescope::lower
