// What the names of parameters tell by custom: addresses, strides, sizes, flags, floats, and element types.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/types.h"

namespace tilescope {

enum class NameKind { Unknown, Address, Stride, Block, Size, Flag, Real, ElementType, Seed };

/// By custom: "x_ptr" is an address, "stride_xm" a stride, "BLOCK_M" a block, "n_elements" a size, "HAS_BIAS" a flag, "eps"
/// a float, "OUT_DTYPE" an element type.
NameKind kind_of_name(const std::string& name);

/// "x_ptr", "Xptrs": sure to be an address.
bool names_an_address(const std::string& name);

/// The element type that a tensor's name suggests: integers for indices and lengths; nothing for other names.
std::optional<DType> dtype_of_name(const std::string& name);

/// A sensible value of an integer parameter of that name that is no block: 2 for top_k, 4 for heads, 8 for GROUP_M.
std::optional<int64_t> integer_of_name(const std::string& name);

/// "stride_xm" gives {"x", "m"}: what steps, and along which axis; the first is "" when the name does not say.
struct StrideName {
  std::string tensor, axis;
};
StrideName parts_of_stride(const std::string& name);

}  // namespace tilescope
