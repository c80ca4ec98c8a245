// Any text as a launch file, and any line as an argument and as a grid: a value or an error; small tensors are made.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/arg_spec.h"

using namespace tilescope;

namespace {

constexpr int64_t kSmall = 1 << 20;

/// Big tensors cost time and teach nothing; .npy inits would read files of this machine.
bool worth_making(const LaunchSpec& spec) {
  int64_t bytes = 0;
  for (const LaunchArg& a : spec.args) {
    const auto* t = std::get_if<TensorSpec>(&a.value);
    if (t == nullptr) continue;
    if (t->init.kind == Init::Kind::Npy) return false;
    int64_t span = t->layout.elements() == 0 ? 0 : t->layout.highest() - t->layout.lowest() + 1;
    if (span > kSmall || t->layout.elements() > kSmall) return false;
    bytes += (span + t->layout.elements()) * dtype_bytes(t->dtype);
  }
  return bytes <= kSmall;
}

void use(const LaunchSpec& spec) {
  auto grid = evaluate_grid(spec);
  if (grid && ((*grid)[0] < 1 || (*grid)[0] * (*grid)[1] * (*grid)[2] > INT32_MAX)) std::abort();
  if (!worth_making(spec)) return;
  auto tensors = make_tensors(spec);
  if (!tensors) return;
  for (const Tensor& t : *tensors) {
    for (int64_t i = 0; i < std::min<int64_t>(t.storage_elements(), 64); ++i) {
      auto index = t.layout.index_of(i - t.origin);
      if (index && t.layout.offset_of(*index) != i - t.origin) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  auto spec = parse_launch_text(text, "fuzz.json");
  if (spec)
    use(*spec);
  else if (render(spec.errors()).empty())
    std::abort();
  // The same bytes as lines of a command line.
  LaunchSpec from_lines;
  for (size_t begin = 0, lines = 0; begin < text.size() && lines < 16; ++lines) {
    size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    if (auto arg = parse_arg(line)) set_arg(from_lines, std::move(*arg));
    if (auto grid = parse_grid(line)) from_lines.grid = std::move(*grid);
    begin = end + 1;
  }
  use(from_lines);
  return 0;
}
