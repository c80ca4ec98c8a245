#include "visualizer/model/follow_sizes.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <optional>

#include "core/compile.h"
#include "core/syntax/parser.h"
#include "visualizer/model/words.h"

namespace tilescope::model {
namespace {

std::optional<int64_t> integer(const ArgValue& value) {
  if (const auto* i = std::get_if<int64_t>(&value)) return *i;
  return std::nullopt;
}

bool is_stride(const std::string& name) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower.find("stride") != std::string::npos;
}

/// Integers that may be the size of something, with that value.
std::vector<std::string> sizes_of(const LaunchSpec& spec, int64_t value, const std::set<std::string>& constexprs) {
  std::vector<std::string> out;
  for (const LaunchArg& arg : spec.args)
    if (integer(arg.value) == value && constexprs.count(arg.name) == 0 && !is_stride(arg.name)) out.push_back(arg.name);
  return out;
}

/// No two indices share an element: sorted by stride, each axis steps over all that is below it.
bool is_injective(const TensorLayout& layout) {
  std::vector<size_t> axes(layout.shape.size());
  std::iota(axes.begin(), axes.end(), size_t{0});
  std::sort(axes.begin(), axes.end(),
            [&](size_t a, size_t b) { return std::abs(layout.strides[a]) < std::abs(layout.strides[b]); });
  __int128 below = 1;
  for (size_t a : axes) {
    if (layout.shape[a] <= 1) continue;
    if (std::abs(layout.strides[a]) < below) return false;
    below = static_cast<__int128>(std::abs(layout.strides[a])) * layout.shape[a];
  }
  return true;
}

/// Old stride -> new strides of the tensors that had it.
using StrideChanges = std::map<int64_t, std::set<int64_t>>;

/// Axes of a tensor that an argument sizes; all when nothing tells them apart.
using Axes = std::optional<std::set<size_t>>;

/// What M, N and K mean for tensor `tensor` of a matmul; nothing when the launch has none or the name is another.
Axes matmul_axes(const LaunchSpec& spec, const std::string& name, const std::string& tensor, size_t rank) {
  const char size = name.size() == 1 ? static_cast<char>(std::toupper(static_cast<unsigned char>(name[0]))) : ' ';
  if (size != 'M' && size != 'N' && size != 'K') return std::nullopt;
  for (const OutputSpec& output : spec.outputs) {
    if (output.reference != "matmul" || output.inputs.size() < 2) continue;
    std::set<size_t> axes;
    const auto add = [&](const std::string& of, char row, char column) {
      if (of != tensor || rank < 2) return;
      if (size == row) axes.insert(rank - 2);
      if (size == column) axes.insert(rank - 1);
    };
    add(output.inputs[0], 'M', 'K');
    add(output.inputs[1], 'K', 'N');
    add(output.tensor, 'M', 'N');
    return axes;
  }
  return std::nullopt;
}

/// Row major, with rows that start at multiples of 16 bytes: what a tensor descriptor needs.
std::vector<int64_t> descriptor_strides(DType dtype, const std::vector<int64_t>& shape) {
  const int64_t unit = std::max(16 / dtype_bytes(dtype), 1);
  std::vector<int64_t> rows = shape;
  if (rows.size() > 1 && rows.back() <= INT64_MAX - unit) rows.back() = (rows.back() + unit - 1) / unit * unit;
  return TensorLayout::contiguous(rows).strides;
}

std::string keeps(const std::string& tensor, const Words& why) { return remember(say(ModelWords::KeepsShape, {{"tensor", tensor}, {"why", why}})); }

/// Empty when the tensor followed, else why it stays.
std::string resize(TensorSpec& tensor, const std::string& name, const Axes& axes, int64_t from, int64_t to) {
  std::vector<int64_t> shape = tensor.layout.shape;
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] == from && (!axes || axes->count(d) > 0)) shape[d] = to;
  if (shape == tensor.layout.shape) return {};
  if (tensor.init.kind == Init::Kind::Npy || tensor.init.kind == Init::Kind::Values)
    return keeps(name, say(ModelWords::ValuesGiven));
  const bool contiguous = tensor.layout.is_contiguous();
  if (auto fits = make_layout("args." + name, tensor.dtype, shape, {}); !fits)
    return keeps(name, words_of(fits.errors().front().message));
  std::vector<int64_t> strides = contiguous ? std::vector<int64_t>{} : tensor.layout.strides;
  if (!tensor.block.empty() && !tensor.layout.strides.empty() && tensor.layout.strides.back() == 1)
    strides = descriptor_strides(tensor.dtype, shape);
  Expected<TensorLayout> layout = make_layout("args." + name, tensor.dtype, shape, strides);
  if (!layout) return keeps(name, words_of(layout.errors().front().message));
  if (!contiguous && !is_injective(*layout)) return keeps(name, say(ModelWords::NoRoom));
  tensor.layout = *layout;
  return {};
}

void follow_strides(LaunchSpec& spec, const StrideChanges& changes) {
  for (LaunchArg& arg : spec.args) {
    const std::optional<int64_t> value = integer(arg.value);
    if (!value || !is_stride(arg.name)) continue;
    const auto found = changes.find(*value);
    if (found != changes.end() && found->second.size() == 1) arg.value = *found->second.begin();
  }
}

}  // namespace

std::vector<std::string> change_argument(LaunchSpec& spec, const std::string& name, ArgValue value,
                                         const std::set<std::string>& constexprs) {
  LaunchArg* changed = nullptr;
  for (LaunchArg& arg : spec.args)
    if (arg.name == name) changed = &arg;
  const bool tensor = std::holds_alternative<TensorSpec>(value);
  if (changed == nullptr || tensor || std::holds_alternative<TensorSpec>(changed->value)) return {};
  const std::optional<int64_t> from = integer(changed->value), to = integer(value);
  const std::vector<std::string> same = from ? sizes_of(spec, *from, constexprs) : std::vector<std::string>{};
  changed->value = std::move(value);
  const bool sizes = from && to && *from != *to && *to >= 0 && std::count(same.begin(), same.end(), name) == 1;
  if (!sizes) return {};

  std::vector<std::string> notes;
  StrideChanges strides;
  for (LaunchArg& arg : spec.args) {
    auto* t = std::get_if<TensorSpec>(&arg.value);
    if (t == nullptr) continue;
    const std::vector<int64_t> before = t->layout.strides;
    const auto& shape = t->layout.shape;
    if (std::count(shape.begin(), shape.end(), *from) > 0) {
      std::string why;
      const Axes axes = same.size() > 1 ? matmul_axes(spec, name, arg.name, shape.size()) : std::nullopt;
      if (same.size() > 1 && !axes)
        why = keeps(arg.name, say(ModelWords::BothWere, {{"a", same[0]}, {"b", same[1]}, {"n", *from}}));
      else
        why = resize(*t, arg.name, axes, *from, *to);
      if (!why.empty()) notes.push_back(std::move(why));
    }
    for (size_t d = 0; d < before.size(); ++d) strides[before[d]].insert(t->layout.strides[d]);
  }
  follow_strides(spec, strides);
  return notes;
}

std::set<std::string> constexpr_parameters(const SourcePtr& text, const LaunchSpec& spec) {
  if (spec.host != nullptr) return {spec.host->constexprs.begin(), spec.host->constexprs.end()};
  const std::string& kernel = spec.kernel;
  std::set<std::string> out;
  if (text == nullptr) return out;
  const Expected<Module> module = parse_module(text);
  if (!module) return out;
  for (const auto& function : module->functions) {
    if (!function->is_jit || (!kernel.empty() && function->name != kernel)) continue;
    for (const FunctionParam& p : function->params) {
      const Expr* a = p.annotation;
      if (a != nullptr && (a->kind == Expr::Kind::Name || a->kind == Expr::Kind::Attribute) && a->text == "constexpr")
        out.insert(p.name);
    }
  }
  return out;
}

}  // namespace tilescope::model
