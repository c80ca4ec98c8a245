// Any bytes as a .npy file: a value or an error, and what is read can be saved and read again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto array = tilescope::parse_npy({reinterpret_cast<const char*>(data), size}, "fuzz.npy");
  if (!array) return tilescope::render(array.errors()).empty() ? std::abort(), 1 : 0;
  int64_t bytes = array->elements() * tilescope::dtype_bytes(array->dtype);
  if (bytes != static_cast<int64_t>(array->data.size())) std::abort();
  for (int64_t at = 0; at < bytes; at += tilescope::dtype_bytes(array->dtype))
    tilescope::format_element(array->dtype, array->data.data() + at);
  return 0;
}
