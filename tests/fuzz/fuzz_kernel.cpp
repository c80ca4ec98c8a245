// Any text as a kernel file: it compiles or is refused. What compiles is printed, read back and printed the same.
#include <cstdint>
#include <cstdlib>

#include "core/compile.h"
#include "core/print.h"
#include "core/read.h"
#include "core/syntax/parser.h"

using namespace tilescope;

namespace {

/// Arguments that fit the parameters' names and annotations: pointers for names that end in ptr, small powers of two
/// for constexprs, then integers, floats and bools in turn.
std::vector<CompileArg> arguments_for(const FunctionDef& f) {
  constexpr DType kElements[] = {DType::Float32, DType::Float16, DType::Int32, DType::BFloat16, DType::Int1};
  std::vector<CompileArg> out;
  for (size_t i = 0; i < f.params.size() && i < 32; ++i) {
    const std::string& name = f.params[i].name;
    CompileArg::Kind value = IntArg{1000};
    if (name.ends_with("ptr") || name.ends_with("Ptr"))
      value = PointerArg{kElements[i % std::size(kElements)]};
    else if (f.params[i].annotation != nullptr)
      value = IntArg{16};
    else if (i % 5 == 3)
      value = FloatArg{0.5};
    else if (i % 5 == 4)
      value = BoolArg{true};
    out.push_back({name, value});
  }
  return out;
}

void compile(const SourcePtr& source, const FunctionDef& f) {
  CompileRequest request;
  request.source = source;
  request.kernel = f.name;
  request.args = arguments_for(f);
  auto kernel = compile_kernel(request);
  if (!kernel) {
    if (render(kernel.errors()).empty()) std::abort();
    return;
  }
  std::string text = print(kernel->function);
  auto file = std::make_shared<SourceFile>(SourceFile{"fuzz.ir", text});
  auto again = read_ir(file);
  if (!again || print(*again) != text) std::abort();
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
    if (f->is_jit && kernels++ < 3) compile(source, *f);
  return 0;
}
