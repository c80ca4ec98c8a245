// The functions of core/dsl.h: thin wrappers over the language's one table of functions. What each does, its shapes and
// its types are those of the Triton function of the same name.
#pragma once

#include "core/dsl.h"

namespace tilescope::dsl {

namespace detail {
/// The arguments in order; trailing ones that are not given are left out.
Value call_positional(const char* function, std::initializer_list<Operand> arguments, Site at);
/// A pair of results of one call.
std::pair<Value, Value> call_pair(const char* function, std::vector<Argument> arguments, Site at);
}  // namespace detail

// ---- the launch, and tiles made from nothing

inline Value program_id(int axis, Site at = Site::current()) {
  return detail::call_positional("tl.program_id", {axis}, at);
}
inline Value num_programs(int axis, Site at = Site::current()) {
  return detail::call_positional("tl.num_programs", {axis}, at);
}
/// int32 tile start, start + 1, ... end - 1; its length is a power of two.
inline Value arange(int64_t start, int64_t end, Site at = Site::current()) {
  return detail::call_positional("tl.arange", {start, end}, at);
}
inline Value zeros(Extents shape, DType type, Site at = Site::current()) {
  return detail::call_positional("tl.zeros", {shape, type}, at);
}
inline Value full(Extents shape, Operand value, DType type, Site at = Site::current()) {
  return detail::call_positional("tl.full", {shape, std::move(value), type}, at);
}
inline Value zeros_like(Operand x, Site at = Site::current()) {
  return detail::call_positional("tl.zeros_like", {std::move(x)}, at);
}

// ---- memory

struct MemoryOptions {
  Operand mask = {};
  Operand other = {};  ///< what masked-off lanes of a load give
  const char* cache_modifier = "";
  const char* eviction_policy = "";
};
/// Values at the addresses. Masked-off lanes touch no memory.
inline Value load(Operand pointer, Operand mask = {}, Operand other = {}, Site at = Site::current()) {
  return detail::call_positional("tl.load", {std::move(pointer), std::move(mask), std::move(other)}, at);
}
Value load(Operand pointer, MemoryOptions options, Site at = Site::current());
inline void store(Operand pointer, Operand value, Operand mask = {}, Site at = Site::current()) {
  detail::call_positional("tl.store", {std::move(pointer), std::move(value), std::move(mask)}, at);
}
void store(Operand pointer, Operand value, MemoryOptions options, Site at = Site::current());

inline Value atomic_add(Operand pointer, Operand value, Operand mask = {}, Site at = Site::current()) {
  return detail::call_positional("tl.atomic_add", {std::move(pointer), std::move(value), std::move(mask)}, at);
}
inline Value atomic_max(Operand pointer, Operand value, Operand mask = {}, Site at = Site::current()) {
  return detail::call_positional("tl.atomic_max", {std::move(pointer), std::move(value), std::move(mask)}, at);
}
inline Value atomic_min(Operand pointer, Operand value, Operand mask = {}, Site at = Site::current()) {
  return detail::call_positional("tl.atomic_min", {std::move(pointer), std::move(value), std::move(mask)}, at);
}
inline Value atomic_xchg(Operand pointer, Operand value, Operand mask = {}, Site at = Site::current()) {
  return detail::call_positional("tl.atomic_xchg", {std::move(pointer), std::move(value), std::move(mask)}, at);
}
inline Value atomic_cas(Operand pointer, Operand expected, Operand desired, Site at = Site::current()) {
  return detail::call_positional("tl.atomic_cas", {std::move(pointer), std::move(expected), std::move(desired)}, at);
}

// ---- blocks of a tensor, with its bounds (TMA on a GPU)

/// Sizes or offsets, one for each axis: {row, 0}.
using List = std::vector<Operand>;

/// A descriptor of the tensor at `base`, a scalar pointer: `shape` and `strides` are integer scalars in elements, the
/// last stride is the constant 1, `block` is what one load or store moves (1 to 5 axes, the last of at least 16 bytes).
/// Blocks may reach beyond the tensor: loads give zeros there (padding "nan": NaN), stores leave that part out.
inline Value make_tensor_descriptor(Operand base, List shape, List strides, Extents block, Operand padding = {},
                                    Site at = Site::current()) {
  return detail::call_positional("tl.make_tensor_descriptor",
                                 {std::move(base), {std::move(shape), at}, {std::move(strides), at}, {block, at}, std::move(padding)}, at);
}
/// The block that begins at these int32 offsets, one for each axis of the descriptor.
inline Value load_tensor_descriptor(Operand descriptor, List offsets, Site at = Site::current()) {
  return detail::call_positional("tl.load_tensor_descriptor", {std::move(descriptor), {std::move(offsets), at}}, at);
}
/// `value` has the block's shape and is converted to the tensor's element type.
inline void store_tensor_descriptor(Operand descriptor, List offsets, Operand value, Site at = Site::current()) {
  detail::call_positional("tl.store_tensor_descriptor", {std::move(descriptor), {std::move(offsets), at}, std::move(value)}, at);
}
/// The tensor's extents as int32 scalars, one for each axis: desc.shape of Triton.
std::vector<Value> descriptor_shape(Operand descriptor, Site at = Site::current());

// ---- shapes

/// x[:, None]: a tile [n] as the column [n, 1].
inline Value column(Operand x, Site at = Site::current()) {
  return detail::call_positional("tl.expand_dims", {std::move(x), 1}, at);
}
/// x[None, :]: a tile [n] as the row [1, n].
inline Value row(Operand x, Site at = Site::current()) {
  return detail::call_positional("tl.expand_dims", {std::move(x), 0}, at);
}
inline Value expand_dims(Operand x, int axis, Site at = Site::current()) {
  return detail::call_positional("tl.expand_dims", {std::move(x), axis}, at);
}
inline Value broadcast_to(Operand x, Extents shape, Site at = Site::current()) {
  return detail::call_positional("tl.broadcast_to", {std::move(x), shape}, at);
}
inline Value reshape(Operand x, Extents shape, Site at = Site::current()) {
  return detail::call_positional("tl.reshape", {std::move(x), shape}, at);
}
inline Value trans(Operand x, Site at = Site::current()) {
  return detail::call_positional("tl.trans", {std::move(x)}, at);
}
inline Value permute(Operand x, Extents order, Site at = Site::current()) {
  return detail::call_positional("tl.permute", {std::move(x), order}, at);
}
inline Value join(Operand a, Operand b, Site at = Site::current()) {
  return detail::call_positional("tl.join", {std::move(a), std::move(b)}, at);
}
inline std::pair<Value, Value> split(Operand x, Site at = Site::current()) {
  return detail::call_pair("tl.split", {{std::move(x), at}}, at);
}
inline Value flip(Operand x, int axis, Site at = Site::current()) {
  return detail::call_positional("tl.flip", {std::move(x), axis}, at);
}
inline Value gather(Operand source, Operand index, int axis, Site at = Site::current()) {
  return detail::call_positional("tl.gather", {std::move(source), std::move(index), axis}, at);
}

// ---- types and choices

inline Value cast(Operand x, DType type, Site at = Site::current()) {
  return detail::call_positional("tl.cast", {std::move(x), type}, at);
}
/// tl::cast<tl::float16>(x).
template <DType type>
Value cast(Operand x, Site at = Site::current()) {
  return cast(std::move(x), type, at);
}
/// x where the condition holds, else y; both are evaluated.
inline Value where(Operand condition, Operand x, Operand y, Site at = Site::current()) {
  return detail::call_positional("tl.where", {std::move(condition), std::move(x), std::move(y)}, at);
}

// ---- arithmetic

/// a // b of integers, truncating towards zero.
inline Value floordiv(Operand a, Operand b) { return Value::binary("//", a, b); }

// TILESCOPE_UNARY(name): lane by lane on floats (abs, on numbers of any kind).
#define TILESCOPE_UNARY(name)                                        \
  inline Value name(Operand x, Site at = Site::current()) {          \
    return detail::call_positional("tl." #name, {std::move(x)}, at); \
  }
TILESCOPE_UNARY(abs)
TILESCOPE_UNARY(ceil)
TILESCOPE_UNARY(cos)
TILESCOPE_UNARY(erf)
TILESCOPE_UNARY(exp)
TILESCOPE_UNARY(exp2)
TILESCOPE_UNARY(floor)
TILESCOPE_UNARY(log)
TILESCOPE_UNARY(log2)
TILESCOPE_UNARY(rsqrt)
TILESCOPE_UNARY(sigmoid)
TILESCOPE_UNARY(sin)
TILESCOPE_UNARY(sqrt)
#undef TILESCOPE_UNARY

// TILESCOPE_TWO_OPERANDS(name): lane by lane with promotion and broadcasting.
#define TILESCOPE_TWO_OPERANDS(name)                                               \
  inline Value name(Operand a, Operand b, Site at = Site::current()) {             \
    return detail::call_positional("tl." #name, {std::move(a), std::move(b)}, at); \
  }
TILESCOPE_TWO_OPERANDS(cdiv)
TILESCOPE_TWO_OPERANDS(maximum)
TILESCOPE_TWO_OPERANDS(minimum)
#undef TILESCOPE_TWO_OPERANDS

inline Value clamp(Operand x, Operand low, Operand high, Site at = Site::current()) {
  return detail::call_positional("tl.clamp", {std::move(x), std::move(low), std::move(high)}, at);
}
inline Value fma(Operand x, Operand y, Operand z, Site at = Site::current()) {
  return detail::call_positional("tl.fma", {std::move(x), std::move(y), std::move(z)}, at);
}

/// a x b, added to `acc` when that is given. a: [M, K], b: [K, N], with a batch axis in front or without.
inline Value dot(Operand a, Operand b, Operand acc = {}, Operand input_precision = {}, Site at = Site::current()) {
  return detail::call_positional("tl.dot", {std::move(a), std::move(b), std::move(acc), std::move(input_precision)},
                                 at);
}

// ---- along an axis; without one, over all elements

// TILESCOPE_REDUCTION(name): removes the axis, or keeps it with length 1.
#define TILESCOPE_REDUCTION(name)                                                                      \
  inline Value name(Operand x, Operand axis = {}, bool keep_dims = false, Site at = Site::current()) { \
    std::vector<Argument> arguments;                                                                   \
    arguments.emplace_back(std::move(x), at);                                                          \
    if (axis.given()) arguments.emplace_back("axis", std::move(axis), at);                             \
    if (keep_dims) arguments.emplace_back("keep_dims", true, at);                                      \
    return call("tl." #name, std::move(arguments), at);                                                \
  }
TILESCOPE_REDUCTION(sum)
TILESCOPE_REDUCTION(max)
TILESCOPE_REDUCTION(min)
TILESCOPE_REDUCTION(xor_sum)
TILESCOPE_REDUCTION(argmax)
TILESCOPE_REDUCTION(argmin)
#undef TILESCOPE_REDUCTION

/// The largest along the axis and its index.
inline std::pair<Value, Value> max_with_index(Operand x, int axis, Site at = Site::current()) {
  return detail::call_pair("tl.max", {{std::move(x), at}, {axis, at}, {"return_indices", true, at}}, at);
}
inline std::pair<Value, Value> min_with_index(Operand x, int axis, Site at = Site::current()) {
  return detail::call_pair("tl.min", {{std::move(x), at}, {axis, at}, {"return_indices", true, at}}, at);
}
inline Value softmax(Operand x, Site at = Site::current()) {
  return detail::call_positional("tl.softmax", {std::move(x)}, at);
}
inline Value cumsum(Operand x, int axis = 0, bool reverse = false, Site at = Site::current()) {
  return detail::call_positional("tl.cumsum", {std::move(x), axis, reverse}, at);
}
inline Value cumprod(Operand x, int axis = 0, bool reverse = false, Site at = Site::current()) {
  return detail::call_positional("tl.cumprod", {std::move(x), axis, reverse}, at);
}
using Combine = std::function<Value(Value, Value)>;
/// Reduces or scans with a function of two scalars.
Value reduce(Operand x, int axis, const Combine& combine, bool keep_dims = false, Site at = Site::current());
Value associative_scan(Operand x, int axis, const Combine& combine, bool reverse = false, Site at = Site::current());
inline Value sort(Operand x, bool descending = false, Site at = Site::current()) {
  return detail::call_positional("tl.sort", {std::move(x), nullptr, descending}, at);
}
inline Value histogram(Operand x, int64_t bins, Operand mask = {}, Site at = Site::current()) {
  return detail::call_positional("tl.histogram", {std::move(x), bins, std::move(mask)}, at);
}

// ---- random numbers, and what helps to find faults

inline Value rand(Operand seed, Operand offsets, Site at = Site::current()) {
  return detail::call_positional("tl.rand", {std::move(seed), std::move(offsets)}, at);
}
inline Value randn(Operand seed, Operand offsets, Site at = Site::current()) {
  return detail::call_positional("tl.randn", {std::move(seed), std::move(offsets)}, at);
}
void device_print(const std::string& prefix, std::vector<Argument> values = {}, Site at = Site::current());
inline void device_assert(Operand condition, const std::string& message = "", Operand mask = {},
                          Site at = Site::current()) {
  detail::call_positional("tl.device_assert", {std::move(condition), message, std::move(mask)}, at);
}
/// Fails the compilation unless the condition holds.
void static_assert_(bool condition, const std::string& message = "", Site at = Site::current());

}  // namespace tilescope::dsl
