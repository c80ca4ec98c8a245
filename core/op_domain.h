// Which element types an elementwise op takes. Verifier, folder and kernel tables ask the same question here.
#pragma once

#include "core/ir.h"

namespace tilescope {

/// True when the op's meaning is defined for operands of that element type (for Select: the chosen values).
constexpr bool op_takes(OpCode op, DType t) {
  const bool is_bool = t == DType::Int1;
  const bool is_float = t >= DType::Float8E4NV;
  const bool is_integer = !is_bool && !is_float;
  switch (op) {
    case OpCode::UintToUniform:
      return t == DType::UInt32 || t == DType::UInt64;
    case OpCode::Umulhi:
      return t == DType::Int32 || t == DType::Int64 || t == DType::UInt32 || t == DType::UInt64;
    case OpCode::BitAnd: case OpCode::BitOr: case OpCode::BitXor: case OpCode::BitNot:
      return is_integer || is_bool;
    case OpCode::Shl: case OpCode::Shr: case OpCode::Popc: case OpCode::Clz: case OpCode::Ffs: case OpCode::Brev:
      return is_integer;
    case OpCode::Div: case OpCode::Rem: case OpCode::Neg: case OpCode::Abs:
      return !is_bool;
    case OpCode::MinimumNan: case OpCode::MaximumNan:
      return is_float;
    case OpCode::Fma: case OpCode::Sqrt: case OpCode::Rsqrt: case OpCode::Exp: case OpCode::Exp2: case OpCode::Expm1:
    case OpCode::Log: case OpCode::Log2: case OpCode::Log10: case OpCode::Log1p: case OpCode::Sin: case OpCode::Cos:
    case OpCode::Tan: case OpCode::Asin: case OpCode::Acos: case OpCode::Atan: case OpCode::Atan2: case OpCode::Sinh:
    case OpCode::Cosh: case OpCode::Tanh: case OpCode::Erf: case OpCode::Pow: case OpCode::Floor: case OpCode::Ceil:
    case OpCode::Trunc: case OpCode::Rint: case OpCode::Round: case OpCode::CopySign: case OpCode::IsNan:
    case OpCode::IsInf: case OpCode::IsFinite:
      return is_float;
    default:
      return true;
  }
}

}  // namespace tilescope
