#include "sim/try_extents.h"

#include <algorithm>

#include "core/guess_first.h"
#include "core/guess_names.h"
#include "core/letters.h"

namespace tilescope {
namespace {

constexpr int kMostFactors = 3;

/// "x_ptr", "XPtr", "x" are all "x".
std::string plain_tensor_name(const std::string& name) {
  std::string s = lower_case(name);
  for (std::string_view part : {"_pointer", "pointer", "_ptrs", "ptrs", "_ptr", "ptr_", "ptr"})
    if (const size_t at = s.find(part); at != std::string::npos && s.size() > part.size()) s.erase(at, part.size());
  while (!s.empty() && s.back() == '_') s.pop_back();
  return s;
}

/// An argument that extents may be made of: its value in the launch and in the full one.
struct Factor {
  int64_t now, full;
  bool size;  ///< a run-time argument
};

std::vector<Factor> factors_of(const GuessedLaunch& g, const GuessedLaunch& full) {
  std::vector<Factor> out;
  for (size_t i = 0; i < g.args.size(); ++i) {
    const auto* now = std::get_if<int64_t>(&g.args[i].value);
    const auto* most = std::get_if<int64_t>(&full.args[i].value);
    if (now == nullptr || most == nullptr || *most < 2 || g.args[i].leave_out || is_stride(g.args[i])) continue;
    out.push_back({*now, *most, !g.args[i].constexpr_parameter});
  }
  return out;
}

struct Products {
  int64_t largest = 0;    ///< of those with a size in them
  bool fixed = false;     ///< there is one that no size has a part in
};

/// Products of at most three factors, each once, that are `elements` in the full launch.
void find_products(const std::vector<Factor>& factors, size_t from, int64_t elements, int64_t now, bool size, int left, Products& out) {
  if (elements == 1) {
    if (size) out.largest = std::max(out.largest, now);
    else out.fixed = true;
    return;
  }
  if (left == 0) return;
  for (size_t i = from; i < factors.size(); ++i)
    if (elements % factors[i].full == 0) find_products(factors, i + 1, elements / factors[i].full, now * factors[i].now, size || factors[i].size, left - 1, out);
}

std::optional<TensorLayout> product_layout(const std::vector<Factor>& factors, const Touched& t, int64_t programs) {
  const int64_t elements = t.high + 1;
  Products found;
  find_products(factors, 0, elements, 1, false, kMostFactors, found);
  if (found.largest == 0) return std::nullopt;
  // Whole blocks, one for each program?
  if (t.stored && programs > 1 && elements % programs == 0) find_products(factors, 0, elements / programs, 1, false, kMostFactors, found);
  if (found.fixed) return std::nullopt;
  return TensorLayout::contiguous({found.largest});
}

}  // namespace

std::vector<StridedAxis> axes_of(const GuessedLaunch& g, const std::string& tensor) {
  const std::string plain = plain_tensor_name(tensor);
  std::vector<StridedAxis> out;
  for (const GuessedArg& a : g.args) {
    const auto* n = std::get_if<int64_t>(&a.value);
    if (n == nullptr || *n <= 0 || !is_stride(a)) continue;
    if (!a.stride_of.empty()) {
      if (std::find(a.stride_of.begin(), a.stride_of.end(), tensor) == a.stride_of.end()) continue;
      std::optional<int64_t> size;
      for (const GuessedArg& s : g.args)
        if (const auto* extent = std::get_if<int64_t>(&s.value); extent != nullptr && s.name == a.stride_axis) size = *extent;
      out.push_back({*n, size});
      continue;
    }
    const StrideName parts = parts_of_stride(a.name);
    if (parts.tensor.empty() || parts.axis.empty() || plain_tensor_name(parts.tensor) != plain) continue;
    out.push_back({*n, size_of_axis(g, parts.axis)});
  }
  std::stable_sort(out.begin(), out.end(), [](const StridedAxis& x, const StridedAxis& y) { return x.stride > y.stride; });
  return out;
}

std::optional<TensorLayout> named_layout(const GuessedLaunch& g, const std::string& tensor) {
  const std::vector<StridedAxis> axes = axes_of(g, tensor);
  if (axes.empty() || axes.size() > static_cast<size_t>(kMaxRank)) return std::nullopt;
  TensorLayout out;
  int64_t below = 1;  // elements that the axes behind reach over
  for (size_t i = axes.size(); i-- > 0;) {
    if (!axes[i].size || *axes[i].size < 1 || axes[i].stride < below) return std::nullopt;
    if (__builtin_mul_overflow(axes[i].stride, *axes[i].size - 1, &below) || __builtin_add_overflow(below, axes[i].stride, &below)) return std::nullopt;
    out.shape.insert(out.shape.begin(), *axes[i].size);
    out.strides.insert(out.strides.begin(), axes[i].stride);
  }
  return out;
}

std::map<std::string, TensorLayout> meant_layouts(const GuessedLaunch& g, const GuessedLaunch& full, const Reach& reach, const Reach& full_reach) {
  std::map<std::string, TensorLayout> out;
  if (!full_reach.errors.empty() || full_reach.stopped_programs > 0 || full_reach.cut_off) return out;
  const std::vector<Factor> factors = factors_of(g, full);
  for (const Touched& t : full_reach.tensors) {
    if (t.empty() || t.low < 0) continue;
    if (!axes_of(g, t.tensor).empty()) {
      const std::optional<TensorLayout> named = named_layout(g, t.tensor), all = named_layout(full, t.tensor);
      if (named && all && all->highest() == t.high) out.emplace(t.tensor, *named);
    } else if (const auto now = std::find_if(reach.tensors.begin(), reach.tensors.end(), [&](const Touched& x) { return x.tensor == t.tensor; });
               now == reach.tensors.end() || now->high != t.high) {
      continue;  // some mask heeds an end, and knows it better
    } else if (auto product = product_layout(factors, t, full_reach.programs)) {
      out.emplace(t.tensor, std::move(*product));
    }
  }
  return out;
}

}  // namespace tilescope
