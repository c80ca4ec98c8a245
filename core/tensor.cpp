#include "core/tensor.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace tilescope {
namespace {

constexpr std::align_val_t kAlign{64};

/// Large tensors are asked for in large pages: tiles that are one small page apart would else miss the address cache at
/// each step. Only a wish; nothing depends on it.
void wish_for_large_pages([[maybe_unused]] void* p, [[maybe_unused]] size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr uintptr_t kLargePage = uintptr_t{2} << 20;
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(p) + kLargePage - 1) & ~(kLargePage - 1);
  const uintptr_t end = (reinterpret_cast<uintptr_t>(p) + bytes) & ~(kLargePage - 1);
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

void release(std::byte* p) { ::operator delete(p, kAlign); }

std::string text_of(const std::vector<int64_t>& v) {
  std::string out = "[";
  for (size_t i = 0; i < v.size(); ++i) out += (i ? ", " : "") + std::to_string(v[i]);
  return out + "]";
}

std::string in_bytes(int64_t bytes) {
  constexpr int64_t kGiB = int64_t{1} << 30;
  if (bytes < kGiB) return std::to_string(bytes) + " bytes";
  return std::to_string(bytes / kGiB) + " GiB";
}

/// Axes that can move the offset, from the largest |stride| down.
std::vector<int> moving_axes(const TensorLayout& l) {
  std::vector<int> axes;
  for (int i = 0; i < l.rank(); ++i)
    if (l.strides[i] != 0 && l.shape[i] > 1) axes.push_back(i);
  std::stable_sort(axes.begin(), axes.end(),
                   [&](int a, int b) { return std::abs(l.strides[a]) > std::abs(l.strides[b]); });
  return axes;
}

/// Splits `rest` (an offset above the lowest element) over the axes from `level` on. Views that do not overlap need no
/// backtracking; others are searched with a bound on the effort.
bool split_offset(const TensorLayout& l, const std::vector<int>& axes, const std::vector<int64_t>& reach_below,
                  size_t level, int64_t rest, std::vector<int64_t>& steps, int& effort) {
  if (level == axes.size()) return rest == 0;
  if (--effort < 0) return false;
  int64_t stride = std::abs(l.strides[axes[level]]);
  int64_t most = std::min(rest / stride, l.shape[axes[level]] - 1);
  for (int64_t k = most; k >= 0 && rest - k * stride <= reach_below[level]; --k) {
    steps[level] = k;
    if (split_offset(l, axes, reach_below, level + 1, rest - k * stride, steps, effort)) return true;
    if (effort < 0) return false;
  }
  return false;
}

}  // namespace

std::optional<Buffer> Buffer::allocate(size_t bytes) {
  Buffer b;
  // One spare line keeps an empty tensor's pointer valid.
  void* p = ::operator new(bytes + 64, kAlign, std::nothrow);
  if (p == nullptr) return std::nullopt;
  wish_for_large_pages(p, bytes);
  b.data_.reset(static_cast<std::byte*>(p), release);
  b.size_ = bytes;
  return b;
}

Buffer::Buffer(const Buffer& other) {
  if (other.data_ == nullptr) return;
  data_.reset(static_cast<std::byte*>(::operator new(other.size_ + 64, kAlign)), release);
  size_ = other.size_;
  std::memcpy(data(), other.data(), size_);
}

Buffer::Buffer(Buffer&& other) noexcept : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}

Buffer& Buffer::operator=(Buffer other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Buffer Buffer::share() const {
  Buffer b;
  b.data_ = data_;
  b.size_ = size_;
  return b;
}

Tensor Tensor::share() const {
  Tensor t;
  t.name = name;
  t.dtype = dtype;
  t.layout = layout;
  t.storage = storage.share();
  t.origin = origin;
  t.uninitialised = uninitialised;
  t.written = written;
  return t;
}

TensorLayout TensorLayout::contiguous(std::vector<int64_t> shape) {
  TensorLayout l;
  l.strides.assign(shape.size(), 1);
  for (int i = static_cast<int>(shape.size()) - 2; i >= 0; --i)
    l.strides[i] = l.strides[i + 1] * std::max<int64_t>(shape[i + 1], 1);
  l.shape = std::move(shape);
  return l;
}

int64_t TensorLayout::elements() const {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

bool TensorLayout::is_contiguous() const {
  int64_t expected = 1;
  for (int i = rank() - 1; i >= 0; --i) {
    if (shape[i] > 1 && strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

int64_t TensorLayout::lowest() const {
  if (elements() == 0) return 0;
  int64_t sum = 0;
  for (int i = 0; i < rank(); ++i) sum += std::min<int64_t>(0, strides[i] * (shape[i] - 1));
  return sum;
}

int64_t TensorLayout::highest() const {
  if (elements() == 0) return 0;
  int64_t sum = 0;
  for (int i = 0; i < rank(); ++i) sum += std::max<int64_t>(0, strides[i] * (shape[i] - 1));
  return sum;
}

bool TensorLayout::is_dense() const {
  if (elements() == 0) return true;
  // From the smallest stride up, each axis must start no later than right behind what the axes below it cover.
  std::vector<int> axes = moving_axes(*this);
  int64_t covered = 1;
  for (size_t i = axes.size(); i-- > 0;) {
    int64_t stride = std::abs(strides[axes[i]]);
    if (stride > covered) return false;
    covered += stride * (shape[axes[i]] - 1);
  }
  return true;
}

int64_t TensorLayout::offset_of(const std::vector<int64_t>& index) const {
  int64_t sum = 0;
  for (int i = 0; i < rank(); ++i) sum += index[i] * strides[i];
  return sum;
}

std::optional<std::vector<int64_t>> TensorLayout::index_of(int64_t offset) const {
  if (elements() == 0 || offset < lowest() || offset > highest()) return std::nullopt;
  std::vector<int> axes = moving_axes(*this);
  std::vector<int64_t> reach_below(axes.size(), 0), steps(axes.size(), 0);
  for (size_t i = axes.size(); i-- > 1;)
    reach_below[i - 1] = reach_below[i] + std::abs(strides[axes[i]]) * (shape[axes[i]] - 1);
  int effort = 4096;
  if (!split_offset(*this, axes, reach_below, 0, offset - lowest(), steps, effort)) return std::nullopt;
  std::vector<int64_t> index(shape.size(), 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    int a = axes[i];
    index[a] = strides[a] > 0 ? steps[i] : shape[a] - 1 - steps[i];
  }
  return index;
}

int64_t tensor_bytes_limit() {
  int64_t limit = int64_t{16} << 30;
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
  int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0) limit = std::min(limit, pages / 4 * 3 * page);
#endif
  return limit;
}

namespace {

// Most bytes of one tensor, allocated or not: more than any GPU has.
constexpr int64_t kLargestTensor = int64_t{1} << 40;

Diagnostic too_large(const std::string& place, DType dtype, const std::vector<int64_t>& shape, const std::vector<int64_t>& strides,
                     int64_t limit) {
  return plain_error(place + ": shape " + text_of(shape) + " with strides " + text_of(strides) + " of " +
                         std::string(dtype_name(dtype)) + " takes more memory than the limit of " + in_bytes(limit),
                     "use a smaller shape: a kernel that is right for a small one shows the same access pattern");
}

}  // namespace

Expected<TensorLayout> make_layout(const std::string& place, DType dtype, std::vector<int64_t> shape,
                                   std::vector<int64_t> strides) {
  if (shape.size() > static_cast<size_t>(kMaxRank))
    return plain_error(place + ": rank " + std::to_string(shape.size()) + " is too large; at most " +
                       std::to_string(kMaxRank) + " axes are supported");
  int64_t elements = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 0)
      return plain_error(place + "[" + std::to_string(i) + "]: a dimension cannot be negative (" +
                         std::to_string(shape[i]) + ")");
    if (__builtin_mul_overflow(elements, std::max<int64_t>(shape[i], 1), &elements))
      return plain_error(place + ": shape " + text_of(shape) + " has more elements than 64 bits can count");
  }
  if (strides.empty() && !shape.empty()) strides = TensorLayout::contiguous(shape).strides;
  if (strides.size() != shape.size())
    return plain_error(place + ": shape " + text_of(shape) + " has " + std::to_string(shape.size()) +
                       " axes but strides " + text_of(strides) + " has " + std::to_string(strides.size()));
  int64_t reach = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t far;
    if (strides[i] == INT64_MIN ||
        __builtin_mul_overflow(std::abs(strides[i]), std::max<int64_t>(shape[i] - 1, 0), &far) ||
        __builtin_add_overflow(reach, far, &reach))
      return plain_error(place + ": strides " + text_of(strides) + " reach beyond 64 bits");
  }
  int64_t bytes, values_bytes;
  if (__builtin_mul_overflow(reach, int64_t{dtype_bytes(dtype)}, &bytes) ||
      __builtin_mul_overflow(elements, int64_t{dtype_bytes(dtype)}, &values_bytes) ||
      std::max(bytes, values_bytes) > kLargestTensor)
    return too_large(place, dtype, shape, strides, kLargestTensor);
  return TensorLayout{std::move(shape), std::move(strides)};
}

Expected<Tensor> allocate_tensor(std::string name, DType dtype, TensorLayout layout) {
  int64_t span = layout.elements() == 0 ? 0 : layout.highest() - layout.lowest() + 1;
  if (const int64_t limit = tensor_bytes_limit(); std::max(span, layout.elements()) > limit / dtype_bytes(dtype))
    return too_large("args." + name + ".shape", dtype, layout.shape, layout.strides, limit);
  auto storage = Buffer::allocate(static_cast<size_t>(span) * dtype_bytes(dtype));
  if (!storage)
    return plain_error("not enough memory for tensor `" + name + "`: " + in_bytes(span * dtype_bytes(dtype)));
  Tensor t;
  t.origin = -layout.lowest();
  t.name = std::move(name);
  t.dtype = dtype;
  t.layout = std::move(layout);
  t.storage = std::move(*storage);
  return t;
}

namespace {

/// Calls move(storage element, row-major element number, run length) over the logical elements; a run is contiguous
/// in both.
template <class Move>
void for_each_run(const TensorLayout& l, int64_t origin, Move move) {
  int64_t n = l.elements();
  if (n == 0) return;
  if (l.is_contiguous()) return move(origin, 0, n);
  int last = l.rank() - 1;
  int64_t inner = l.shape[last], stride = l.strides[last];
  std::vector<int64_t> index(l.shape.size(), 0);
  int64_t at = origin;
  for (int64_t done = 0; done < n; done += inner) {
    if (stride == 1)
      move(at, done, inner);
    else
      for (int64_t k = 0; k < inner; ++k) move(at + k * stride, done + k, int64_t{1});
    for (int axis = last - 1; axis >= 0; --axis) {
      at += l.strides[axis];
      if (++index[axis] < l.shape[axis]) break;
      at -= l.strides[axis] * l.shape[axis];
      index[axis] = 0;
    }
  }
}

}  // namespace

void gather_contiguous(const Tensor& tensor, std::byte* out) {
  int64_t size = dtype_bytes(tensor.dtype);
  for_each_run(tensor.layout, tensor.origin, [&](int64_t at, int64_t i, int64_t count) {
    std::memcpy(out + i * size, tensor.storage.data() + at * size, count * size);
  });
}

void scatter_contiguous(const std::byte* in, Tensor& tensor) {
  int64_t size = dtype_bytes(tensor.dtype);
  for_each_run(tensor.layout, tensor.origin, [&](int64_t at, int64_t i, int64_t count) {
    std::memcpy(tensor.storage.data() + at * size, in + i * size, count * size);
  });
}

}  // namespace tilescope
