// Element types, tile types and shapes: the vocabulary of every other file.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilescope {

/// X(enumerator, canonical name, short name, bits, kind). `kind` is b(ool), i (signed), u (unsigned) or f (float).
/// The canonical names are those of launch files and of Triton's `tl.` namespace (float16, int32, float8e4nv ...).
#define TILESCOPE_DTYPES(X)              \
  X(Int1, "int1", "i1", 1, 'b')          \
  X(Int8, "int8", "i8", 8, 'i')          \
  X(Int16, "int16", "i16", 16, 'i')      \
  X(Int32, "int32", "i32", 32, 'i')      \
  X(Int64, "int64", "i64", 64, 'i')      \
  X(UInt8, "uint8", "u8", 8, 'u')        \
  X(UInt16, "uint16", "u16", 16, 'u')    \
  X(UInt32, "uint32", "u32", 32, 'u')    \
  X(UInt64, "uint64", "u64", 64, 'u')    \
  X(Float8E4NV, "float8e4nv", "e4m3", 8, 'f') \
  X(Float8E5, "float8e5", "e5m2", 8, 'f')     \
  X(Float16, "float16", "f16", 16, 'f')       \
  X(BFloat16, "bfloat16", "bf16", 16, 'f')    \
  X(Float32, "float32", "f32", 32, 'f')       \
  X(Float64, "float64", "f64", 64, 'f')

enum class DType : uint8_t {
#define X(name, canonical, shorthand, bits, kind) name,
  TILESCOPE_DTYPES(X)
#undef X
};
inline constexpr int kDTypeCount = 15;

/// Canonical name ("float32"), as launch files and messages print it.
std::string_view dtype_name(DType t);
/// Short name ("f32"), as the IR prints it.
std::string_view dtype_short_name(DType t);
/// Accepts canonical and short names, and the aliases bool, half, float, double, fp8e4nv, fp8e5, fp16, bf16, fp32, fp64.
std::optional<DType> parse_dtype(std::string_view name);

/// Width in bits as Triton's `primitive_bitwidth` reports it (int1: 1).
int dtype_bits(DType t);
/// Bytes of one element in memory (int1 takes one byte).
int dtype_bytes(DType t);
bool is_bool(DType t);
bool is_signed_int(DType t);
bool is_unsigned_int(DType t);
/// Any integer, int1 included.
bool is_int(DType t);
bool is_float(DType t);
/// Floats that are stored in 8 or 16 bits and computed in fp32.
bool is_small_float(DType t);
/// The integer of that width: `int_type(32, true)` is Int32.
DType int_type(int bits, bool is_signed);

inline constexpr int kMaxRank = 8;
/// Largest tile, as in Triton (2^20 elements).
inline constexpr int64_t kMaxTileElements = int64_t{1} << 20;

/// A static tile shape; rank 0 is a scalar.
struct Shape {
  std::array<int64_t, kMaxRank> dims{};
  int rank = 0;

  Shape() = default;
  Shape(std::initializer_list<int64_t> d) {
    for (int64_t x : d) dims[rank++] = x;
  }
  int64_t operator[](int i) const { return dims[i]; }
  int64_t& operator[](int i) { return dims[i]; }
  int64_t elements() const {
    int64_t n = 1;
    for (int i = 0; i < rank; ++i) n *= dims[i];
    return n;
  }
  void push_back(int64_t d) { dims[rank++] = d; }
  friend bool operator==(const Shape& a, const Shape& b) {
    if (a.rank != b.rank) return false;
    for (int i = 0; i < a.rank; ++i)
      if (a.dims[i] != b.dims[i]) return false;
    return true;
  }
};

/// "[32, 64]", "[]" for a scalar: the form used in messages.
std::string to_string(const Shape& s);

/// Type of an IR value: a scalar or a tile of elements, or of pointers to elements.
struct Type {
  DType elem = DType::Int32;  ///< element type; for pointers, the type pointed to
  bool pointer = false;       ///< addresses are 64-bit virtual byte addresses
  Shape shape;

  static Type scalar(DType t) { return {t, false, {}}; }
  static Type pointer_to(DType t) { return {t, true, {}}; }
  static Type tile(DType t, Shape s) { return {t, false, s}; }
  bool is_scalar() const { return shape.rank == 0; }
  bool is_tile() const { return shape.rank > 0; }
  int64_t elements() const { return shape.elements(); }
  /// Bytes one element takes in the simulator's tile storage (8 for a pointer, 1 for int1).
  int storage_bytes() const { return pointer ? 8 : dtype_bytes(elem); }
  Type with_shape(Shape s) const { return {elem, pointer, s}; }
  Type with_elem(DType t) const { return {t, false, shape}; }
  friend bool operator==(const Type& a, const Type& b) {
    return a.elem == b.elem && a.pointer == b.pointer && a.shape == b.shape;
  }
};

/// "f32", "ptr<f32>", "tile<32x64xf32>", "tile<32xptr<f32>>": the form of the IR text.
std::string to_string(const Type& t);

}  // namespace tilescope
