// A tensor descriptor as an argument of the kernel (on the host: TensorDescriptor.from_tensor(x, block_shape)), with
// the checks that Triton makes on the host. Shape and strides are constants here: a launch knows them, and on a GPU they
// are part of the descriptor, whose bounds the hardware checks, so no kernel arithmetic on them is lost. A kernel is
// therefore compiled anew when the shape changes.
#include <algorithm>

#include "core/lower/builtins.h"
#include "core/lower/builtins_memory.h"
#include "core/lower/lowering.h"

namespace tilescope::lower {
namespace {

std::string listed(const std::vector<int64_t>& values) {
  std::string out;
  for (int64_t v : values) out += (out.empty() ? "" : ", ") + std::to_string(v);
  return out;
}

/// Row-major strides whose rows start at multiples of 16 bytes.
std::vector<int64_t> padded_strides(const std::vector<int64_t>& shape, int64_t elem_bytes) {
  const int64_t unit = std::max<int64_t>(16 / elem_bytes, 1);
  std::vector<int64_t> out(shape.size(), 1);
  for (size_t i = shape.size() - 1; i > 0; --i) {
    const int64_t step = shape[i] * out[i];  // both are limited by the size of a tensor
    out[i - 1] = i + 1 == shape.size() ? (step + unit - 1) / unit * unit : step;
  }
  return out;
}

}  // namespace

void require_descriptor_block(Context& c, const Shape& block, DType elem, const SourceRange& range) {
  if (block.rank < 1 || block.rank > 5)
    c.fail(range, "a descriptor has 1 to 5 axes, not " + std::to_string(block.rank));
  const int64_t bytes = block[block.rank - 1] * dtype_bytes(elem);
  if (bytes < 16)
    c.fail(range, "the last axis of a descriptor's block must span at least 16 bytes, not " + std::to_string(bytes),
           "make the block at least " + std::to_string(16 / dtype_bytes(elem)) + " elements wide");
}

Value Lowering::host_descriptor(const FunctionDef& kernel, const FunctionParam& p, const PointerArg& arg,
                                const CompileRequest& request) {
  const std::string of = " of the descriptor `" + p.name + "`";
  const size_t rank = arg.shape.size();
  if (arg.block.size() != rank || arg.strides.size() != rank)
    fail(p.range, "the block" + of + " has " + std::to_string(arg.block.size()) + " axes, but its tensor has " +
                      std::to_string(rank));

  const auto lookup = [&](const std::string& name) -> std::optional<int64_t> {
    for (const CompileArg& a : request.args)
      if (a.name == name) {
        const auto* n = std::get_if<IntArg>(&a.value);
        return n != nullptr && !n->is_u64 ? std::optional(n->value) : std::nullopt;
      }
    for (const FunctionParam& q : kernel.params) {
      if (q.name != name || q.default_value == nullptr) continue;
      const Value v = default_value(user_module_, kernel.scope, *q.default_value);
      if (v.is<ConstInt>() && v.as<ConstInt>() >= INT64_MIN && v.as<ConstInt>() <= INT64_MAX)
        return static_cast<int64_t>(v.as<ConstInt>());
    }
    return std::nullopt;
  };
  TupleValue extents;
  for (size_t i = 0; i < rank; ++i) {
    const auto n = evaluate(arg.block[i], lookup, "the block" + of);
    if (!n) {
      Diagnostic d = n.errors()[0];
      d.range = p.range;
      d.hint = "a block's extents are numbers, or integer arguments of the launch by name";
      fail(std::move(d));
    }
    extents.items.push_back({ConstInt{*n}, p.range});
  }

  DescriptorValue d;
  d.block = require_shape(*this, {std::move(extents), p.range}, "the block" + of);
  require_descriptor_block(*this, d.block, arg.elem, p.range);
  for (int64_t n : arg.shape)
    if (n < 1 || n > INT32_MAX)
      fail(p.range, "the shape" + of + " has the extent " + std::to_string(n) + "; extents are 1 to 2147483647");
  if (arg.strides.back() != 1)
    fail(p.range, "the last stride" + of + " is " + std::to_string(arg.strides.back()) + "; it must be 1",
         "make the tensor contiguous along its last axis, or describe its transpose");
  const int64_t elem_bytes = dtype_bytes(arg.elem), unit = 16 / elem_bytes;
  for (size_t i = 0; i + 1 < rank; ++i) {
    if (arg.strides[i] < 0)
      fail(p.range, "the stride " + std::to_string(arg.strides[i]) + of + " is negative; a descriptor's strides are 0 or more",
           "reverse the tensor on the host: a GPU takes no other tensor");
    if (arg.strides[i] % unit == 0) continue;
    fail(p.range,
         "the strides" + of + " are (" + listed(arg.strides) + "); all but the last must be multiples of 16 bytes (" +
             std::to_string(unit) + " elements)",
         "give it the strides (" + listed(padded_strides(arg.shape, elem_bytes)) + "): a GPU takes no other tensor");
  }
  if (arg.divisible_by % 16 != 0) fail(p.range, "the first element" + of + " must lie at a multiple of 16 bytes");

  d.base = builder_->param(p.name, Type::pointer_to(arg.elem), 16);
  return {std::move(d), p.range};
}

}  // namespace tilescope::lower
