// The first values of tensors.
#include <algorithm>
#include <cstring>

#include "core/device_math_random.h"
#include "core/element.h"
#include "core/launch_file.h"
#include "core/npy.h"
#include "core/stop.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

// The random fills are compiled for several instruction sets (fma in hardware makes them ten times faster); the
// operations are the same, so the bits are too.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define TILESCOPE_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TILESCOPE_CLONES
#endif

namespace tilescope {
namespace {

namespace m = TILESCOPE_MATH_NS;

/// Elements made at a time: they stay in the first-level cache until they are converted.
constexpr int64_t kBlock = 2048;

TILESCOPE_CLONES void uniform_block(float* out, uint64_t seed, uint64_t first, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = m::rand(seed, first + static_cast<uint64_t>(i));
}

/// m::randn in two loops, each of which vectorises: the words, then the distribution. n <= kBlock.
TILESCOPE_CLONES void normal_block(float* __restrict out, uint64_t seed, uint64_t first, int64_t n) {
  float u1[kBlock], u2[kBlock];
  for (int64_t i = 0; i < n; ++i) {
    m::PhiloxWords<uint32_t> w = m::randint4x(seed, first + static_cast<uint64_t>(i));
    u1[i] = m::uniform_float(w.c0);
    u2[i] = m::uniform_float(w.c1);
  }
  for (int64_t i = 0; i < n; ++i) out[i] = m::normal_near(u1[i], u2[i]);
}

TILESCOPE_CLONES void integer_block(int64_t* out, uint64_t seed, uint64_t first, int64_t n, int64_t lo,
                                    uint64_t range) {
  for (int64_t i = 0; i < n; ++i) {
    m::PhiloxWords<uint32_t> w = m::randint4x(seed, first + static_cast<uint64_t>(i));
    uint64_t draw = range <= UINT32_MAX ? w.c0 : static_cast<uint64_t>(w.c1) << 32 | w.c0;
    out[i] = static_cast<int64_t>(static_cast<uint64_t>(lo) + draw % range);
  }
}

/// Writes `make(buffer, first, n)` block by block as elements of the tensor's dtype. `out` is row major.
template <class Source, class Make>
void fill_blocks(DType dtype, std::byte* out, int64_t n, Make make) {
  with_element_type(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    Source block[kBlock];
    for (int64_t first = 0; first < n; first += kBlock) {
      if (first % (kBlock << 9) == 0) stop_if_asked();
      int64_t count = std::min(kBlock, n - first);
      T* to = reinterpret_cast<T*>(out) + first;
      if constexpr (std::is_same_v<T, Source>) {
        make(to, first, count);
      } else {
        make(block, first, count);
        for (int64_t i = 0; i < count; ++i) to[i] = m::convert<T>(block[i]);
      }
    }
  });
}

void write_number(DType dtype, std::byte* element, const Init::Number& number) {
  if (const auto* d = std::get_if<double>(&number)) return write_double(dtype, element, *d);
  if (const auto* u = std::get_if<uint64_t>(&number)) {
    // As int64 the bits are right for uint64; floats need the value.
    if (is_float(dtype))
      return with_element_type(dtype, [&](auto tag) {
        auto value = m::convert<typename decltype(tag)::type>(*u);
        std::memcpy(element, &value, sizeof value);
      });
    return write_int64(dtype, element, static_cast<int64_t>(*u));
  }
  write_int64(dtype, element,
              std::holds_alternative<bool>(number) ? std::get<bool>(number) : std::get<int64_t>(number));
}

/// Tensors of gigabytes get their zeros from the system page by page as they are touched: most kernels under test touch
/// a small part of them, and writing all of it takes seconds. Smaller ones are written here, outside the timed run.
void fill_zeros(std::byte* out, size_t bytes) {
#if defined(__linux__)
  constexpr size_t kLazyFrom = size_t{1} << 30, kPage = size_t{2} << 20;
  if (bytes >= kLazyFrom) {
    const auto at = reinterpret_cast<uintptr_t>(out);
    const uintptr_t begin = (at + kPage - 1) & ~(kPage - 1), end = (at + bytes) & ~(kPage - 1);
    // Private anonymous memory (what operator new gives for such sizes) reads as zeros after this.
    if (madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED) == 0) {
      std::memset(out, 0, begin - at);
      std::memset(reinterpret_cast<void*>(end), 0, at + bytes - end);
      return;
    }
  }
#endif
  std::memset(out, 0, bytes);
}

void fill_pattern(DType dtype, std::byte* out, int64_t n, const std::byte* element) {
  int64_t size = dtype_bytes(dtype), total = n * size;
  if (total == 0) return;
  std::memcpy(out, element, size);
  // Doubling: each copy repeats all that stands so far.
  for (int64_t done = size; done < total;) {
    int64_t count = std::min(done, total - done);
    std::memcpy(out + done, out, count);
    done += count;
  }
}

std::optional<Diagnostic> fill_from_npy(DType dtype, const std::vector<int64_t>& shape, const std::string& path,
                                        std::byte* out, const std::string& place) {
  auto array = load_npy(path);
  if (!array) {
    Diagnostic d = array.errors()[0];
    d.message = place + ": " + d.message;
    return d;
  }
  std::string stored(dtype_name(npy_dtype(dtype)));
  if (!npy_holds(array->dtype, dtype))
    return plain_error(place + ": " + path + " holds " + std::string(dtype_name(array->dtype)) +
                           ", but the tensor is " + std::string(dtype_name(dtype)) +
                           (stored == dtype_name(dtype) ? "" : ", which travels as raw " + stored),
                       "save the array with that type, or change the tensor's");
  if (array->shape != shape) {
    auto text = [](const std::vector<int64_t>& v) {
      std::string s = "[";
      for (size_t i = 0; i < v.size(); ++i) s += (i ? ", " : "") + std::to_string(v[i]);
      return s + "]";
    };
    return plain_error(place + ": " + path + " has shape " + text(array->shape) + ", but the tensor has shape " +
                       text(shape));
  }
  std::memcpy(out, array->data.data(), array->data.size());
  return std::nullopt;
}

std::optional<Diagnostic> arange_problem(DType dtype, int64_t n, const std::string& place) {
  if (n == 0) return std::nullopt;
  auto problem = number_problem(Init::Number(n - 1), dtype);
  if (!problem) return std::nullopt;
  return plain_error(place + ": arange over " + std::to_string(n) + " elements: " + *problem);
}

/// Fills n row-major elements.
std::optional<Diagnostic> fill_row_major(DType dtype, const std::vector<int64_t>& shape, std::byte* out, int64_t n,
                                         const Init& init, const std::string& place) {
  using K = Init::Kind;
  int64_t size = dtype_bytes(dtype);
  switch (init.kind) {
    case K::Zeros:
      fill_zeros(out, static_cast<size_t>(n * size));
      return std::nullopt;
    case K::Empty:
      std::memset(out, is_bool(dtype) ? 1 : 0xff, n * size);
      return std::nullopt;
    case K::Ones:
    case K::Full: {
      std::byte element[8];
      write_number(dtype, element, init.kind == K::Ones ? Init::Number(int64_t{1}) : init.values.at(0));
      fill_pattern(dtype, out, n, element);
      return std::nullopt;
    }
    case K::Arange:
      if (auto d = arange_problem(dtype, n, place)) return d;
      fill_blocks<int64_t>(dtype, out, n, [](int64_t* to, int64_t first, int64_t count) {
        for (int64_t i = 0; i < count; ++i) to[i] = first + i;
      });
      return std::nullopt;
    case K::Rand:
      fill_blocks<float>(dtype, out, n, [&](float* to, int64_t first, int64_t count) {
        uniform_block(to, init.seed, static_cast<uint64_t>(first), count);
      });
      return std::nullopt;
    case K::Randn:
      fill_blocks<float>(dtype, out, n, [&](float* to, int64_t first, int64_t count) {
        normal_block(to, init.seed, static_cast<uint64_t>(first), count);
      });
      return std::nullopt;
    case K::RandInt: {
      uint64_t range = static_cast<uint64_t>(init.hi) - static_cast<uint64_t>(init.lo);
      fill_blocks<int64_t>(dtype, out, n, [&](int64_t* to, int64_t first, int64_t count) {
        integer_block(to, init.seed, static_cast<uint64_t>(first), count, init.lo, range);
      });
      return std::nullopt;
    }
    case K::Values:
      if (static_cast<int64_t>(init.values.size()) != n)
        return plain_error(place + ": the shape needs " + std::to_string(n) + " values, found " +
                           std::to_string(init.values.size()));
      for (int64_t i = 0; i < n; ++i) write_number(dtype, out + i * size, init.values[i]);
      return std::nullopt;
    case K::Npy:
      return fill_from_npy(dtype, shape, init.npy_path, out, place);
  }
  internal_error("fill_row_major: unknown init");
}

}  // namespace

std::optional<Diagnostic> fill_tensor(Tensor& tensor, const Init& init, const std::string& place) {
  const TensorLayout& l = tensor.layout;
  tensor.uninitialised = init.kind == Init::Kind::Empty;
  int64_t n = tensor.elements();
  if (l.is_contiguous()) return fill_row_major(tensor.dtype, l.shape, tensor.storage.data(), n, init, place);
  // Gaps between the elements of a strided view hold the pattern of uninitialised memory.
  std::memset(tensor.storage.data(), is_bool(tensor.dtype) ? 1 : 0xff, tensor.storage.size());
  if (tensor.uninitialised) return std::nullopt;
  auto values = Buffer::allocate(static_cast<size_t>(n) * dtype_bytes(tensor.dtype));
  if (!values) return plain_error(place + ": not enough memory");
  if (auto d = fill_row_major(tensor.dtype, l.shape, values->data(), n, init, place)) return d;
  scatter_contiguous(values->data(), tensor);
  return std::nullopt;
}

Expected<std::vector<Tensor>> make_tensors(const LaunchSpec& spec) {
  std::vector<Tensor> out;
  int64_t total = 0;
  for (const LaunchArg& arg : spec.args) {
    const auto* t = std::get_if<TensorSpec>(&arg.value);
    if (t == nullptr) continue;
    std::string place = "args." + arg.name;
    auto tensor = allocate_tensor(arg.name, t->dtype, t->layout);
    if (!tensor) return tensor.errors();
    // Before the bytes are touched: allocating alone costs nothing.
    total += static_cast<int64_t>(tensor->storage.size());
    if (total > tensor_bytes_limit())
      return plain_error(place + ": the tensors of this launch take more than the limit of " +
                         std::to_string(tensor_bytes_limit() >> 20) + " MiB in all");
    if (auto d = fill_tensor(*tensor, t->init, place)) return *d;
    out.push_back(std::move(*tensor));
  }
  return out;
}

}  // namespace tilescope
