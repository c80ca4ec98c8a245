// Names that real kernels use and this simulator does not run: refused by name, with what to do instead.
#include "core/lower/builtins.h"

namespace tilescope::lower {
namespace {

Value not_in_kernels(Context& c, Call& call) {
  c.fail(call.range, shown_name(*call.builtin) + " cannot be called in a kernel: Triton does not compile it",
         call.builtin->doc);
}

}  // namespace

const std::vector<BuiltinRow>& unsupported_rows() {
  static constexpr const char* kAny = "(*args)";
  static const std::vector<BuiltinRow> rows = {
      {"tl.condition", kAny, refuse_unsupported, "write `while condition:`"},
      {"tl.extra.cuda.smid", kAny, refuse_unsupported,
       "the simulator has no multiprocessors to number; use tl.program_id"},
      {"tl.extra.cuda.globaltimer", kAny, refuse_unsupported, "the simulator keeps no clock"},
      {"tl.extra.cuda.experimental_device_tensormap_create1d tl.extra.cuda.experimental_device_tensormap_create2d "
       "tl.extra.cuda.experimental_tensormap_fenceproxy_acquire tl._experimental_descriptor_load "
       "tl._experimental_descriptor_store tl._experimental_reinterpret_tensor_descriptor",
       kAny, refuse_unsupported, "this is an interface of older releases; use tl.make_tensor_descriptor"},
      {"tl.target_info.current_target", kAny, refuse_unsupported, "use tl.target_info.is_cuda()"},
      {"tl.extract_slice tl.insert_slice tl.masked_select tl.empty tl.squeeze tl.unsqueeze tl.extra.cpu.vnni_decode",
       kAny, refuse_unsupported, "it is no function of Triton 3.6"},
      {"tl.block_type tl.tuple_type tl.constexpr_type tl.function_type tl.tensor_descriptor_type", kAny,
       refuse_unsupported, "types of tiles follow from how they are made"},
      {"triton.autotune triton.heuristics triton.jit triton.Config", kAny, not_in_kernels, "it belongs to host code"},
      {"py.round", kAny, not_in_kernels, "use libdevice.rint (ties to even) or libdevice.round (ties away from zero)"},
      {"py.abs", kAny, not_in_kernels, "use tl.abs"},
      {"py.sum", kAny, not_in_kernels, "use tl.sum"},
      {"py.pow", kAny, not_in_kernels, "use libdevice.pow, or x * x"},
      {"py.divmod", kAny, not_in_kernels, "use x // y and x % y"},
      {"py.all py.any", kAny, not_in_kernels, "use tl.min or tl.max of an int1 tile"},
      {"py.enumerate py.zip py.map py.filter py.sorted py.reversed py.list py.dict py.set", kAny, not_in_kernels,
       "loops in kernels run over range, tl.range and tl.static_range"},
      {"py.getattr py.hasattr py.setattr py.type py.id py.repr py.super py.open py.eval py.exec py.input py.vars", kAny,
       not_in_kernels, "kernels know types and names at compile time only"},
  };
  return rows;
}

}  // namespace tilescope::lower
