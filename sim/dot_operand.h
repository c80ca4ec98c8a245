// A matrix operand of a dot, as a view of memory.
#pragma once

#include <cstdint>

#include "core/types.h"

namespace tilescope {

/// A matrix that is only read, wherever it lies: element (i, j) is at data + i * row_stride + j * column_stride,
/// strides in elements; they may be 0 or negative. `data` need not be aligned.
struct DotOperand {
  const void* data;
  DType dtype;
  int64_t row_stride;
  int64_t column_stride;
};

}  // namespace tilescope
