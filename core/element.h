// From a DType at run time to the C++ type of its elements. For .cpp files that loop over elements.
#pragma once

#include "core/device_math_convert.h"
#include "core/diagnostic.h"
#include "core/types.h"

namespace tilescope {

template <class T>
struct TypeTag {
  using type = T;
};

/// Calls f(TypeTag<T>{}) with the type that holds one element in memory: bool, int8_t ... uint64_t, float, double, or
/// the storage types of core/device_math_bits.h (f16, bf16, e4m3, e5m2).
template <class F>
decltype(auto) with_element_type(DType dtype, F&& f) {
  namespace m = TILESCOPE_MATH_NS;
  switch (dtype) {
    case DType::Int1:
      return f(TypeTag<bool>{});
    case DType::Int8:
      return f(TypeTag<int8_t>{});
    case DType::Int16:
      return f(TypeTag<int16_t>{});
    case DType::Int32:
      return f(TypeTag<int32_t>{});
    case DType::Int64:
      return f(TypeTag<int64_t>{});
    case DType::UInt8:
      return f(TypeTag<uint8_t>{});
    case DType::UInt16:
      return f(TypeTag<uint16_t>{});
    case DType::UInt32:
      return f(TypeTag<uint32_t>{});
    case DType::UInt64:
      return f(TypeTag<uint64_t>{});
    case DType::Float8E4NV:
      return f(TypeTag<m::e4m3>{});
    case DType::Float8E5:
      return f(TypeTag<m::e5m2>{});
    case DType::Float16:
      return f(TypeTag<m::f16>{});
    case DType::BFloat16:
      return f(TypeTag<m::bf16>{});
    case DType::Float32:
      return f(TypeTag<float>{});
    case DType::Float64:
      return f(TypeTag<double>{});
  }
  internal_error("with_element_type: unknown dtype");
}

}  // namespace tilescope
