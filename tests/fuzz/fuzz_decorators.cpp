// Any text as a kernel file whose decorators are evaluated: configs, heuristics and module-level names, or an error.
#include <cstdint>
#include <cstdlib>

#include "core/decorators.h"
#include "core/syntax/parser.h"

using namespace tilescope;

namespace {

void decorate(const SourcePtr& source, const FunctionDef& f) {
  LaunchSpec spec;
  spec.kernel = f.name;
  spec.kernel_path = source->path;
  // Half of the parameters are given; the decorators may give the others.
  for (size_t i = 0; i < f.params.size() && i < 32; i += 2) spec.args.push_back({f.params[i].name, int64_t{1000}});
  const auto configs = read_configs(source, f.name);
  if (!configs && render(configs.errors()).empty()) std::abort();
  const size_t known = configs ? configs->size() : 1;
  for (size_t i = 0; i < std::min<size_t>(known, 3) + 1; ++i) {
    if (i < known) {
      if (configs) config_text((*configs)[i]);
      spec.config = static_cast<int64_t>(i);
    } else {
      spec.config = std::nullopt;
    }
    std::vector<Diagnostic> notes;
    const auto once = apply_decorators(spec, source, &notes);
    if (!once) {
      if (render(once.errors()).empty()) std::abort();
      continue;
    }
    const auto twice = apply_decorators(*once, source);
    if (!twice || twice->args.size() != once->args.size() || twice->num_warps != once->num_warps) std::abort();
    for (const LaunchArg& a : once->args) argument_text(a.value);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto source = std::make_shared<SourceFile>();
  source->path = "fuzz.py";
  source->text.assign(reinterpret_cast<const char*>(data), size);
  auto module = parse_module(source);
  if (!module) return 0;
  int kernels = 0;
  for (const auto& f : module->functions)
    if (f->is_jit && kernels++ < 3) decorate(source, *f);
  return 0;
}
