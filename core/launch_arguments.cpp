#include "core/launch_arguments.h"

namespace tilescope {
namespace {

int64_t pointer_alignment(const TensorSpec& spec) {
  const int64_t origin = -spec.layout.lowest();
  return origin * dtype_bytes(spec.dtype) % 16 == 0 ? 16 : 1;
}

struct ToCompileArg {
  CompileArg::Kind operator()(const TensorSpec& t) const {
    PointerArg out{t.dtype, pointer_alignment(t)};
    if (!t.block.empty()) out.block = t.block, out.shape = t.layout.shape, out.strides = t.layout.strides;
    return out;
  }
  CompileArg::Kind operator()(int64_t v) const { return IntArg{v, false}; }
  CompileArg::Kind operator()(uint64_t v) const { return IntArg{static_cast<int64_t>(v), true}; }
  CompileArg::Kind operator()(double v) const { return FloatArg{v}; }
  CompileArg::Kind operator()(bool v) const { return BoolArg{v}; }
  CompileArg::Kind operator()(const std::string& v) const { return StringArg{v}; }
  CompileArg::Kind operator()(std::monostate) const { return NoneArg{}; }
};

}  // namespace

CompileArg compile_argument(const LaunchArg& arg) { return {arg.name, std::visit(ToCompileArg{}, arg.value)}; }

}  // namespace tilescope
