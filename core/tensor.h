// Host tensors: the memory that a kernel's pointer arguments point into, with the logical shape that people think in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "core/types.h"

namespace tilescope {

/// Bytes aligned to 64; a copy has bytes of its own. Fresh bytes are not initialised: a tensor of 2^26 floats is written once, by its init.
class Buffer {
 public:
  Buffer() = default;
  /// Nothing when the machine has not that much memory.
  static std::optional<Buffer> allocate(size_t bytes);
  Buffer(const Buffer& other);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer other) noexcept;

  /// The same bytes once more, not a copy: neither may be written to while both are in use.
  Buffer share() const;

  std::byte* data() { return data_.get(); }
  const std::byte* data() const { return data_.get(); }
  size_t size() const { return size_; }

 private:
  std::shared_ptr<std::byte> data_;
  size_t size_ = 0;
};

/// The logical shape and the strides, in elements, that map it to memory. A stride may be negative or 0.
struct TensorLayout {
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;

  /// Row major: the last axis has stride 1.
  static TensorLayout contiguous(std::vector<int64_t> shape);
  int rank() const { return static_cast<int>(shape.size()); }
  /// Number of logical elements (0 when an axis is 0).
  int64_t elements() const;
  bool is_contiguous() const;
  /// Smallest and largest element offset that an index reaches, relative to index 0; both 0 when there are no elements.
  int64_t lowest() const;
  int64_t highest() const;
  /// Every offset from lowest() to highest() belongs to some index.
  bool is_dense() const;
  /// Element offset of a logical index, relative to index 0.
  int64_t offset_of(const std::vector<int64_t>& index) const;
  /// A logical index whose offset is this one; nothing when no index reaches it (a gap of a strided view, or outside).
  std::optional<std::vector<int64_t>> index_of(int64_t offset) const;
};

/// Checks rank, dimensions, element count, reach of the strides and bytes (at most 1 TiB, allocated or not).
/// `place` starts each message ("args.x_ptr.shape"). Strides may be empty: row major.
Expected<TensorLayout> make_layout(const std::string& place, DType dtype, std::vector<int64_t> shape,
                                   std::vector<int64_t> strides);

/// Most bytes that the tensors of one launch may take: 16 GiB, or three quarters of this machine's memory if less.
int64_t tensor_bytes_limit();

/// A tensor argument in host memory.
struct Tensor {
  std::string name;
  DType dtype = DType::Float32;
  TensorLayout layout;
  Buffer storage;
  /// Element offset of logical index 0 inside storage: not 0 with negative strides. The kernel's pointer points there.
  int64_t origin = 0;
  /// The launch gave it no values (init "empty"): reading an element before it is stored is a fault.
  bool uninitialised = false;
  /// Of an uninitialised tensor, between programs of a launch: the elements that have been stored all the same, one flag
  /// for each in storage. Null: none.
  std::shared_ptr<const std::vector<uint8_t>> written;

  int64_t elements() const { return layout.elements(); }
  /// A tensor in the same memory (Buffer::share).
  Tensor share() const;
  /// Elements in storage, gaps of a strided view included.
  int64_t storage_elements() const { return static_cast<int64_t>(storage.size()) / dtype_bytes(dtype); }
  std::byte* element(int64_t storage_index) { return storage.data() + storage_index * dtype_bytes(dtype); }
  const std::byte* element(int64_t storage_index) const { return storage.data() + storage_index * dtype_bytes(dtype); }
};

/// Allocates storage for exactly the reachable range, tensor_bytes_limit() at most. Bytes are not written.
Expected<Tensor> allocate_tensor(std::string name, DType dtype, TensorLayout layout);

/// Value of one element in memory; exact for every dtype but int64 and uint64 beyond 2^53.
double read_double(DType dtype, const std::byte* element);
/// Value of one integer element; uint64 keeps its bits.
int64_t read_int64(DType dtype, const std::byte* element);
/// Writes a number, rounded once to nearest even (floats; fp8e4nv saturates at 448 as Triton does). The caller has
/// checked that integers fit.
void write_double(DType dtype, std::byte* element, double value);
void write_int64(DType dtype, std::byte* element, int64_t value);
/// The element as messages print it: shortest text that reads back, "nan", "inf", "true".
std::string format_element(DType dtype, const std::byte* element);

/// Copies between storage and a row-major array of all logical elements (dtype_bytes each).
void gather_contiguous(const Tensor& tensor, std::byte* out);
void scatter_contiguous(const std::byte* in, Tensor& tensor);

/// "row 3, column 50" for rank 2, "element 7" for rank 1, "index [1, 2, 3]" for others.
std::string index_in_words(const std::vector<int64_t>& index);

}  // namespace tilescope
