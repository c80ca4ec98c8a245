// Reading and writing .npy files (NumPy's array format, versions 1.0 to 3.0, little endian).
#pragma once

#include <string>
#include <vector>

#include "core/tensor.h"

namespace tilescope {

/// Types that occur in files. bfloat16 travels as uint16 and fp8 as uint8, the raw bits.
struct NpyArray {
  DType dtype = DType::Float32;  ///< never BFloat16 or fp8
  std::vector<int64_t> shape;
  Buffer data;  ///< row major, whatever order the file has
  int64_t elements() const;
};

/// Reads a file; it is untrusted, and every error names it. Fails on other byte orders, structured or object types,
/// truncated or surplus data.
Expected<NpyArray> load_npy(const std::string& path);
/// The same from bytes in memory; `name` stands for the path in messages.
Expected<NpyArray> parse_npy(std::string_view bytes, const std::string& name);

/// True when a file of this type can fill a tensor of that dtype: the same type, or its raw bits.
bool npy_holds(DType file, DType tensor);
/// The type in which a tensor of that dtype is written.
DType npy_dtype(DType tensor);

/// Writes the logical elements in row-major order. The file appears whole or not at all: a temporary file in the same
/// folder is renamed. Returns the error, if any.
std::optional<Diagnostic> save_npy(const std::string& path, const Tensor& tensor);
/// What keeps a file of that path from being written, as far as can be seen beforehand: a folder, a device or pipe, a
/// folder that is missing.
std::optional<Diagnostic> check_save_path(const std::string& path);
std::optional<Diagnostic> save_npy(const std::string& path, DType dtype, const std::vector<int64_t>& shape,
                                   const std::byte* data);

}  // namespace tilescope
