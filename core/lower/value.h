// What a Python expression in a kernel evaluates to while it is lowered: a compile-time value or a handle on IR values.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/ir.h"

namespace tilescope {
struct FunctionDef;  // core/syntax/ast.h
struct Module;
struct ModuleClass;
}

namespace tilescope::lower {

struct Value;
struct Builtin;  // one entry of the language's table of functions, core/lower/builtins.h

/// Compile-time Python scalars ("constexpr"). Integers are exact up to 127 bits; more is an error.
struct NoneValue {};
using ConstInt = __int128;

/// tl.float32, or tl.pointer_type(tl.float32) when `pointer`. Also what `.dtype`, `.type.element_ty` give.
struct DTypeValue {
  DType dtype = DType::Float32;
  bool pointer = false;
  Shape shape = {};  ///< rank 0 except for `.type` of a tile
};

/// A run-time value: scalar or tile. Its type is in the Function.
struct TensorValue {
  ValueId id = kNoValue;
};

/// A tuple or list; `fields` names the items of a NamedTuple.
struct TupleValue {
  std::vector<Value> items;
  std::vector<std::string> fields;
  std::string type_name;
};

/// tl.make_block_ptr: scalars that are carried through loops like any tuple. shape and strides are int64 scalars,
/// offsets int32 scalars (as Triton); they turn into addresses and masks at a load or store.
struct BlockPointerValue {
  ValueId base = kNoValue;
  std::vector<ValueId> shape, strides, offsets;
  Shape block;
  std::vector<int64_t> order;
};

/// tl.make_tensor_descriptor: as a block pointer without offsets.
struct DescriptorValue {
  ValueId base = kNoValue;
  std::vector<ValueId> shape, strides;
  Shape block;
  std::string padding = "zero";
};

/// A jit function of the file or of the embedded prelude, with the module whose globals it sees.
struct FunctionValue {
  const FunctionDef* def = nullptr;
  const Module* module = nullptr;
  bool compile_time = false;  ///< made by triton.constexpr_function(f)
};
/// tl.load, tl.math.exp, libdevice.tanh, min, float, range ... and bound methods (x.to, x.sum): `self` is then set.
struct BuiltinValue {
  const Builtin* builtin = nullptr;
  std::shared_ptr<const Value> self;
};
/// tl, tl.math, triton, libdevice ...: attribute access looks names up in the builtin table under this prefix.
struct ModuleValue {
  std::string path;
  const Module* file = nullptr;  ///< a file beside the kernel's, in place of the table
};
/// A NamedTuple of the file: calling it makes a tuple with named items.
struct ClassValue {
  const ModuleClass* def = nullptr;
  const Module* module = nullptr;
};
/// tl.PropagateNan.ALL and other enumeration members, by their dotted name.
struct EnumValue {
  std::string name;
};

struct Value {
  std::variant<NoneValue, bool, ConstInt, double, std::string, DTypeValue, TensorValue, TupleValue, BlockPointerValue,
               DescriptorValue, FunctionValue, BuiltinValue, ModuleValue, EnumValue, ClassValue>
      v;
  SourceRange range;  ///< the expression it came from, for labels in messages

  template <class T>
  bool is() const { return std::holds_alternative<T>(v); }
  template <class T>
  const T& as() const { return std::get<T>(v); }
  template <class T>
  T& as() { return std::get<T>(v); }
  /// None, bool, int, float or str known at compile time.
  bool is_const_scalar() const { return v.index() <= 4; }
  bool is_const_number() const { return v.index() >= 1 && v.index() <= 3; }
  bool is_tensor() const { return is<TensorValue>(); }
};

/// "int32 tile of shape [32, 64]", "constexpr 5", "None", "block pointer of shape [32, 32]": for messages.
std::string describe(const Value& v, const Function& f);

}  // namespace tilescope::lower
