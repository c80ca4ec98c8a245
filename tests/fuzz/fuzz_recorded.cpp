// Any text as a recorded GPU run: a run that can be written and compared with, or an error.
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "gpu/recorded.h"

using namespace tilescope;

namespace {

Tensor small_tensor() {
  const auto layout = make_layout("x_ptr", DType::Float32, {3, 4}, {});
  auto t = layout ? allocate_tensor("x_ptr", DType::Float32, *layout) : Expected<Tensor>(layout.errors());
  if (!t) std::abort();
  return std::move(*t);
}

Expected<gpu::RecordedRun> parse(const std::string& text) {
  return gpu::parse_recording(std::make_shared<SourceFile>(SourceFile{"fuzz.gpu.json", text}));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Tensor tensor = small_tensor();
  const auto run = parse(std::string(reinterpret_cast<const char*>(data), size));
  if (!run) {
    if (render(run.errors()).empty()) std::abort();
    return 0;
  }
  for (const gpu::RecordedTensor& t : run->tensors) gpu::recording_difference(t, tensor);
  const std::string text = gpu::recording_text(*run);
  const auto again = parse(text);
  if (!again || gpu::recording_text(*again) != text) std::abort();
  return 0;
}
