// Single elements: reading, writing and printing. Loops over many elements belong elsewhere.
#include <charconv>
#include <cmath>
#include <cstring>

#include "core/element.h"
#include "core/tensor.h"

namespace tilescope {
namespace {

namespace m = TILESCOPE_MATH_NS;

/// A bool in memory is any byte that is not 0; reading it as bool directly would be undefined for 2 to 255.
template <class T>
T load(const std::byte* element) {
  if constexpr (std::is_same_v<T, bool>) {
    return *element != std::byte{0};
  } else {
    T value;
    std::memcpy(&value, element, sizeof value);
    return value;
  }
}

template <class T>
void store(std::byte* element, T value) {
  std::memcpy(element, &value, sizeof value);
}

template <class Number>
std::string shortest(Number value) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

}  // namespace

double read_double(DType dtype, const std::byte* element) {
  return with_element_type(dtype,
                           [&](auto tag) { return m::convert<double>(load<typename decltype(tag)::type>(element)); });
}

int64_t read_int64(DType dtype, const std::byte* element) {
  return with_element_type(dtype,
                           [&](auto tag) { return m::convert<int64_t>(load<typename decltype(tag)::type>(element)); });
}

void write_double(DType dtype, std::byte* element, double value) {
  // The conversion of the language saturates; a host that writes an infinity means it.
  if (dtype == DType::Float8E5 && std::isinf(value))
    return store(element, static_cast<uint8_t>(value > 0 ? 0x7c : 0xfc));
  with_element_type(dtype, [&](auto tag) { store(element, m::convert<typename decltype(tag)::type>(value)); });
}

void write_int64(DType dtype, std::byte* element, int64_t value) {
  with_element_type(dtype, [&](auto tag) { store(element, m::convert<typename decltype(tag)::type>(value)); });
}

std::string format_element(DType dtype, const std::byte* element) {
  if (is_bool(dtype)) return read_int64(dtype, element) ? "true" : "false";
  if (dtype == DType::UInt64) return std::to_string(static_cast<uint64_t>(read_int64(dtype, element)));
  if (is_int(dtype)) return std::to_string(read_int64(dtype, element));
  double value = read_double(dtype, element);
  if (std::isnan(value)) return "nan";
  // Small floats are exact in float, where the shortest text is shorter.
  return dtype == DType::Float64 ? shortest(value) : shortest(static_cast<float>(value));
}

}  // namespace tilescope
