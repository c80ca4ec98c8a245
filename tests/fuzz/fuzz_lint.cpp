// Any text as a kernel file to lint: arguments are guessed, and each kernel compiles or is judged.
#include <cstdint>
#include <cstdlib>

#include "core/diagnostic.h"
#include "core/guess.h"
#include "core/lint_verdict.h"
#include "core/syntax/parser.h"

using namespace tilescope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto source = std::make_shared<SourceFile>();
  source->path = "fuzz.py";
  source->text.assign(reinterpret_cast<const char*>(data), size);
  auto module = parse_module(source);
  if (!module) return 0;
  int kernels = 0;
  for (const auto& f : module->functions) {
    if (!f->is_jit || kernels++ >= 2) continue;
    const GuessTrial trial = try_guesses(*module, *f, {6, 0.05});
    if (trial.launch.kernel != f->name) std::abort();
    if (trial.errors.empty() && !trial.no_such_argument) {
      if (trial.launch.args.size() != f->params.size()) std::abort();
      if (launch_of(trial.launch, "fuzz.py").grid.empty()) std::abort();
    } else if (judge(trial).feature.empty()) {
      std::abort();
    }
  }
  return 0;
}
