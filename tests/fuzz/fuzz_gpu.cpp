// Any text as the description of a GPU: a description or an error.
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "sim/cost/gpu_description.h"

namespace tilescope::cost {

/// The descriptions that travel inside the program: the fuzzer asks for none of them.
const std::vector<std::pair<std::string, std::string>>& gpu_texts() {
  static const std::vector<std::pair<std::string, std::string>> none;
  return none;
}

}  // namespace tilescope::cost

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto gpu = tilescope::cost::parse_gpu_description(text, "fuzz.json");
  if (!gpu && render(gpu.errors()).empty()) std::abort();
  return 0;
}
