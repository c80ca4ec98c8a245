#include "core/npy.h"

#include <atomic>
#include <bit>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/user_file.h"

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

namespace tilescope {
namespace {

static_assert(std::endian::native == std::endian::little, ".npy data is copied as it is");

constexpr std::string_view kMagic = "\x93NUMPY";
/// NumPy itself refuses to parse longer headers by default.
constexpr size_t kMaxHeader = 10000;

struct Descr {
  std::string_view text;
  DType dtype;
};
constexpr Descr kDescrs[] = {
    {"|b1", DType::Int1},   {"|i1", DType::Int8},    {"<i2", DType::Int16},   {"<i4", DType::Int32},
    {"<i8", DType::Int64},  {"|u1", DType::UInt8},   {"<u2", DType::UInt16},  {"<u4", DType::UInt32},
    {"<u8", DType::UInt64}, {"<f2", DType::Float16}, {"<f4", DType::Float32}, {"<f8", DType::Float64},
};

std::string_view descr_of(DType t) {
  for (const Descr& d : kDescrs)
    if (d.dtype == t) return d.text;
  internal_error("descr_of: not a file type");
}

struct Header {
  DType dtype = DType::Float32;
  bool fortran = false;
  std::vector<int64_t> shape;
};

/// Reads the Python dictionary of the header: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  /// Empty when the header is fine; else what is wrong with it.
  std::string parse(Header& out) {
    if (!take('{')) return expected("'{'");
    bool descr = false, order = false, shape = false;
    while (!take('}')) {
      std::string key;
      if (!string(key)) return expected("a quoted key");
      if (!take(':')) return expected("':'");
      std::string problem;
      bool* seen = key == "descr" ? &descr : key == "fortran_order" ? &order : key == "shape" ? &shape : nullptr;
      if (seen == nullptr) return "unknown header key '" + key + "'";
      if (*seen) return "header key '" + key + "' appears twice";
      *seen = true;
      if (seen == &descr) problem = parse_descr(out);
      if (seen == &order) problem = parse_order(out);
      if (seen == &shape) problem = parse_shape(out);
      if (!problem.empty()) return problem;
      if (!take(',') && !peek('}')) return expected("',' or '}'");
    }
    skip_space();
    if (at_ != text_.size()) return expected("nothing more after '}'");
    if (!descr) return "the header has no 'descr'";
    if (!order) return "the header has no 'fortran_order'";
    if (!shape) return "the header has no 'shape'";
    return {};
  }

 private:
  std::string expected(const std::string& what) const {
    return "malformed header at byte " + std::to_string(at_) + ": expected " + what;
  }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool peek(char c) {
    skip_space();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool take(char c) {
    if (!peek(c)) return false;
    ++at_;
    return true;
  }
  bool take_word(std::string_view word) {
    skip_space();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  bool string(std::string& out) {
    skip_space();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return false;
    size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) return false;
    for (char c : text_.substr(at_ + 1, end - at_ - 1)) out += std::isprint(static_cast<unsigned char>(c)) ? c : '?';
    at_ = end + 1;
    return true;
  }

  std::string parse_descr(Header& out) {
    std::string descr;
    if (peek('[')) return "structured element types are not supported";
    if (!string(descr)) return expected("the element type as a string");
    for (const Descr& d : kDescrs) {
      bool same = d.text == descr;
      if (d.text[0] == '|' && descr.size() == 3) same = d.text.substr(1) == std::string_view(descr).substr(1);
      if (same) return out.dtype = d.dtype, std::string{};
    }
    if (!descr.empty() && descr[0] == '>')
      return "element type '" + descr + "' is big-endian; only little-endian files are supported";
    return "element type '" + descr +
           "' is not supported; expected one of |b1 |i1 <i2 <i4 <i8 |u1 <u2 <u4 <u8 <f2 <f4 <f8";
  }

  std::string parse_order(Header& out) {
    if (take_word("True")) return out.fortran = true, std::string{};
    if (take_word("False")) return out.fortran = false, std::string{};
    return expected("True or False");
  }

  std::string parse_shape(Header& out) {
    if (!take('(')) return expected("'(' of the shape");
    while (!take(')')) {
      if (out.shape.size() == static_cast<size_t>(kMaxRank))
        return "the shape has more than " + std::to_string(kMaxRank) + " axes";
      skip_space();
      size_t begin = at_;
      int64_t value = 0;
      for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])); ++at_)
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, text_[at_] - '0', &value))
          return "a dimension of the shape does not fit 64 bits";
      if (at_ == begin) return expected("a dimension (a number that is not negative)");
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // written by Python 2
      out.shape.push_back(value);
      if (!take(',') && !peek(')')) return expected("',' or ')'");
    }
    return {};
  }

  std::string_view text_;
  size_t at_ = 0;
};

uint32_t little_endian(std::string_view bytes) {
  uint32_t v = 0;
  for (size_t i = bytes.size(); i-- > 0;) v = v << 8 | static_cast<unsigned char>(bytes[i]);
  return v;
}

std::string text_of(const std::vector<int64_t>& shape) {
  std::string out = "(";
  for (size_t i = 0; i < shape.size(); ++i) out += std::to_string(shape[i]) + (i + 1 < shape.size() ? ", " : "");
  return out + (shape.size() == 1 ? ",)" : ")");
}

/// The header and where the data begins; or what is wrong.
std::string read_header(std::string_view bytes, Header& header, size_t& data_begin) {
  if (bytes.substr(0, kMagic.size()) != kMagic)
    return "is not a .npy file (it does not begin with the bytes \\x93NUMPY)";
  if (bytes.size() < 10) return "is cut off inside its header";
  int major = static_cast<unsigned char>(bytes[6]), minor = static_cast<unsigned char>(bytes[7]);
  if (major < 1 || major > 3)
    return "has format version " + std::to_string(major) + "." + std::to_string(minor) + "; expected 1.0, 2.0 or 3.0";
  size_t length_bytes = major == 1 ? 2 : 4, begin = 8 + length_bytes;
  if (bytes.size() < begin) return "is cut off inside its header";
  size_t length = little_endian(bytes.substr(8, length_bytes));
  if (length > kMaxHeader)
    return "has a header of " + std::to_string(length) + " bytes; at most " + std::to_string(kMaxHeader) + " are read";
  if (bytes.size() < begin + length) return "is cut off inside its header";
  data_begin = begin + length;
  return HeaderParser(bytes.substr(begin, length)).parse(header);
}

/// Fortran order (first axis fastest) to row major.
void transpose_to_row_major(const std::byte* in, std::byte* out, const std::vector<int64_t>& shape, int64_t size) {
  std::vector<int64_t> strides(shape.size());
  int64_t step = 1;
  for (size_t i = 0; i < shape.size(); ++i) strides[i] = std::exchange(step, step * shape[i]);
  int64_t n = step;
  std::vector<int64_t> index(shape.size(), 0);
  int64_t at = 0;
  for (int64_t i = 0; i < n; ++i) {
    std::memcpy(out + i * size, in + at * size, size);
    for (size_t axis = shape.size(); axis-- > 0;) {
      at += strides[axis];
      if (++index[axis] < shape[axis]) break;
      at -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

/// Elements and bytes that the header announces; or what is wrong with it.
std::string announced_size(const Header& h, int64_t& elements, int64_t& bytes) {
  elements = 1;
  for (int64_t d : h.shape)
    if (__builtin_mul_overflow(elements, d, &elements)) {
      return "has shape " + text_of(h.shape) + ", more elements than 64 bits can count";
    }
  if (__builtin_mul_overflow(elements, int64_t{dtype_bytes(h.dtype)}, &bytes))
    return "has shape " + text_of(h.shape) + ", more bytes than 64 bits can count";
  return {};
}

Diagnostic about(const std::string& name, const std::string& problem) {
  // Problems found by the header parser are phrases of their own; the others go on from the name.
  for (std::string_view verb : {"is ", "has ", "cannot "})
    if (problem.starts_with(verb)) return plain_error(name + " " + problem);
  return plain_error(name + ": " + problem);
}

}  // namespace

int64_t NpyArray::elements() const {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  return n;
}

Expected<NpyArray> parse_npy(std::string_view bytes, const std::string& name) {
  Header h;
  size_t begin = 0;
  std::string problem = read_header(bytes, h, begin);
  int64_t elements = 0, size = 0;
  if (problem.empty()) problem = announced_size(h, elements, size);
  if (!problem.empty()) return about(name, problem);
  size_t found = bytes.size() - begin;
  if (found != static_cast<size_t>(size))
    return about(name, "has shape " + text_of(h.shape) + " of '" + std::string(descr_of(h.dtype)) + "', which takes " +
                           std::to_string(size) + " bytes, but holds " + std::to_string(found) + " bytes of data");
  auto data = Buffer::allocate(found);
  if (!data) return plain_error(name + ": not enough memory for " + std::to_string(found) + " bytes");
  NpyArray out{h.dtype, std::move(h.shape), std::move(*data)};
  const auto* in = reinterpret_cast<const std::byte*>(bytes.data() + begin);
  if (h.fortran && out.shape.size() > 1)
    transpose_to_row_major(in, out.data.data(), out.shape, dtype_bytes(out.dtype));
  else
    std::memcpy(out.data.data(), in, found);
  // A bool is 0 or 1 in our memory; files may hold any byte.
  if (out.dtype == DType::Int1)
    for (size_t i = 0; i < found; ++i) out.data.data()[i] = std::byte{out.data.data()[i] != std::byte{0}};
  return out;
}

Expected<NpyArray> load_npy(const std::string& path) {
  Expected<UserFile> file = UserFile::open(path);
  if (!file) return file.errors();
  const uint64_t size = file->size();
  if (size > static_cast<uint64_t>(tensor_bytes_limit()))
    return plain_error(path + " has " + std::to_string(size) + " bytes, more than the limit of " +
                       std::to_string(tensor_bytes_limit()));
  auto bytes = Buffer::allocate(size);
  if (!bytes) return plain_error(path + ": not enough memory for " + std::to_string(size) + " bytes");
  const Expected<size_t> found = file->read(reinterpret_cast<char*>(bytes->data()), size);
  if (!found) return found.errors();
  if (*found != size) return plain_error("cannot read " + path + " to its end");
  return parse_npy({reinterpret_cast<const char*>(bytes->data()), size}, path);
}

DType npy_dtype(DType tensor) {
  if (tensor == DType::BFloat16) return DType::UInt16;
  if (tensor == DType::Float8E4NV || tensor == DType::Float8E5) return DType::UInt8;
  return tensor;
}

bool npy_holds(DType file, DType tensor) { return file == npy_dtype(tensor); }

namespace {

std::string header_text(DType dtype, const std::vector<int64_t>& shape) {
  std::string dict =
      "{'descr': '" + std::string(descr_of(dtype)) + "', 'fortran_order': False, 'shape': " + text_of(shape) + ", }";
  // The data begins at a multiple of 64 bytes: 10 bytes of preamble, the dictionary, blanks, a newline.
  size_t total = (10 + dict.size() + 1 + 63) / 64 * 64;
  dict.append(total - 10 - dict.size() - 1, ' ');
  dict += '\n';
  std::string out(kMagic);
  out += '\x01';
  out += '\x00';
  out += static_cast<char>(dict.size() & 0xff);
  out += static_cast<char>(dict.size() >> 8);
  return out + dict;
}

/// A name that no other writer in this or another process uses at the same time.
std::string temporary_name(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  auto salt = reinterpret_cast<uintptr_t>(&path) ^ static_cast<uintptr_t>(std::hash<std::string>{}(path));
#if defined(__unix__) || defined(__APPLE__)
  salt ^= static_cast<uintptr_t>(getpid()) << 20;
#endif
  return path + ".part" + std::to_string(salt % 1000000007) + "." + std::to_string(counter++);
}

}  // namespace

std::optional<Diagnostic> check_save_path(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ec;
  if (fs::is_directory(path, ec)) return plain_error("cannot write " + path + ": it is a folder");
  if (fs::exists(path, ec) && !fs::is_regular_file(path, ec))
    return plain_error("cannot write " + path + ": it is a device or a pipe, and files are written whole");
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, ec))
    return plain_error("cannot write " + path + ": there is no folder " + folder.string());
  return std::nullopt;
}

std::optional<Diagnostic> save_npy(const std::string& given, DType dtype, const std::vector<int64_t>& shape,
                                   const std::byte* data) {
  namespace fs = std::filesystem;
  if (auto problem = check_save_path(given)) return problem;
  std::error_code ec;
  // A link stays a link: the file it leads to is replaced.
  const std::string path = fs::is_symlink(given, ec) && fs::exists(given, ec) ? fs::canonical(given, ec).string() : given;
  int64_t bytes = dtype_bytes(dtype);
  for (int64_t d : shape) bytes *= d;
  std::string temporary = temporary_name(path);
  std::string header = header_text(npy_dtype(dtype), shape);
  bool written;
  {
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    file.write(header.data(), static_cast<std::streamsize>(header.size()));
    file.write(reinterpret_cast<const char*>(data), bytes);
    file.close();
    written = static_cast<bool>(file);
  }
  if (written) fs::rename(temporary, path, ec);
  if (written && !ec) return std::nullopt;
  std::string why = ec ? ec.message() : "the folder is not writable or the disk is full";
  std::error_code ignored;
  fs::remove(temporary, ignored);
  return plain_error("cannot write " + path + ": " + why);
}

std::optional<Diagnostic> save_npy(const std::string& path, const Tensor& tensor) {
  auto data = Buffer::allocate(static_cast<size_t>(tensor.elements()) * dtype_bytes(tensor.dtype));
  if (!data) return plain_error("cannot write " + path + ": not enough memory to gather the elements");
  gather_contiguous(tensor, data->data());
  return save_npy(path, tensor.dtype, tensor.layout.shape, data->data());
}

}  // namespace tilescope
