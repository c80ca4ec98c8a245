#include "sim/kernels/elementwise.h"

namespace tilescope::TILESCOPE_ISA {

ElementwiseFn elementwise_integer(OpCode op, DType t) {
  switch (t) {
    case DType::Int1: return find_lanes<DType::Int1>(op);
    case DType::Int8: return find_lanes<DType::Int8>(op);
    case DType::Int16: return find_lanes<DType::Int16>(op);
    case DType::Int32: return find_lanes<DType::Int32>(op);
    case DType::Int64: return find_lanes<DType::Int64>(op);
    case DType::UInt8: return find_lanes<DType::UInt8>(op);
    case DType::UInt16: return find_lanes<DType::UInt16>(op);
    case DType::UInt32: return find_lanes<DType::UInt32>(op);
    case DType::UInt64: return find_lanes<DType::UInt64>(op);
    default: return nullptr;
  }
}

}  // namespace tilescope::TILESCOPE_ISA
