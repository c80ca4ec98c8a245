#include "visualizer/model/pasted_kernel.h"

#include "core/compile.h"

namespace tilescope::model {

Expected<PastedKernel> open_pasted(const std::string& text, const std::string& path) {
  constexpr size_t kMost = size_t{1} << 20;
  if (text.size() > kMost) return plain_error("what was pasted is too long for a kernel");
  auto file = std::make_shared<SourceFile>();
  file->path = path;
  file->text = text;
  const SourcePtr source = std::move(file);
  Expected<std::vector<std::string>> kernels = list_kernels(source);
  if (!kernels) return kernels.errors();
  if (kernels->empty()) return plain_error("there is no kernel in what was pasted", "a kernel is a function with @triton.jit");
  // The only one that no other calls, else whichever works first.
  std::vector<std::string> names{""};
  names.insert(names.end(), kernels->begin(), kernels->end());
  std::vector<Diagnostic> errors;
  for (const std::string& name : names) {
    Expected<TriedLaunch> tried = try_kernel(source, name, path, {});
    if (tried) return PastedKernel{std::move(*tried), source};
    if (errors.empty()) errors = tried.errors();
  }
  return errors;
}

}  // namespace tilescope::model
