#include <doctest/doctest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/npy.h"

using namespace tilescope;
namespace fs = std::filesystem;

namespace {

std::string npy(const std::string& dict, const std::string& data, char major = 1) {
  std::string out = "\x93NUMPY";
  out += major;
  out += '\0';
  out += static_cast<char>(dict.size() & 0xff);
  out += static_cast<char>(dict.size() >> 8);
  if (major > 1) out += std::string(2, '\0');
  return out + dict + data;
}

std::string error_of(const std::string& bytes) {
  auto a = parse_npy(bytes, "x.npy");
  return a ? "no error" : a.errors()[0].message;
}

template <class T>
std::string bytes_of(std::initializer_list<T> values) {
  std::string out(values.size() * sizeof(T), '\0');
  std::memcpy(out.data(), std::data(values), out.size());
  return out;
}

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

struct TemporaryFolder {
  fs::path path = fs::temp_directory_path() / ("tilescope_npy_" + std::to_string(reinterpret_cast<uintptr_t>(this)));
  TemporaryFolder() { fs::create_directories(path); }
  ~TemporaryFolder() { fs::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
};

Tensor tensor_of(DType dtype, std::vector<int64_t> shape, std::vector<int64_t> strides) {
  auto layout = make_layout("shape", dtype, std::move(shape), std::move(strides));
  REQUIRE(layout.ok());
  auto t = allocate_tensor("t", dtype, *layout);
  REQUIRE(t.ok());
  return std::move(*t);
}

}  // namespace

TEST_CASE("a file in C order gives its values in order") {
  auto a = parse_npy(
      npy("{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }", bytes_of<int32_t>({1, 2, 3, 4, 5, 6})), "x");
  REQUIRE(a.ok());
  CHECK(a->dtype == DType::Int32);
  CHECK(a->shape == std::vector<int64_t>{2, 3});
  CHECK(read_int64(DType::Int32, a->data.data() + 16) == 5);
}

TEST_CASE("a file in Fortran order is converted to row major") {
  auto a = parse_npy(
      npy("{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3)}", bytes_of<int16_t>({1, 4, 2, 5, 3, 6})), "x");
  REQUIRE(a.ok());
  for (int i = 0; i < 6; ++i) CHECK(read_int64(DType::Int16, a->data.data() + 2 * i) == i + 1);
}

TEST_CASE("versions 1.0 to 3.0 are read and others are refused by number") {
  std::string dict = "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }";
  for (char v : {1, 2, 3}) CHECK(error_of(npy(dict, "a", v)) == "no error");
  CHECK(mentions(error_of(npy(dict, "a", 4)), "x.npy has format version 4.0; expected 1.0, 2.0 or 3.0"));
}

TEST_CASE("a scalar and an empty array are arrays too") {
  auto scalar = parse_npy(npy("{'descr': '<f8', 'fortran_order': False, 'shape': ()}", bytes_of<double>({2.5})), "x");
  REQUIRE(scalar.ok());
  CHECK(scalar->elements() == 1);
  CHECK(read_double(DType::Float64, scalar->data.data()) == 2.5);
  auto none = parse_npy(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 0)}", ""), "x");
  REQUIRE(none.ok());
  CHECK(none->elements() == 0);
}

TEST_CASE("bytes other than 0 and 1 in a bool file become true") {
  auto a =
      parse_npy(npy("{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", std::string("\x00\x01\x07", 3)), "x");
  REQUIRE(a.ok());
  CHECK(a->data.data()[2] == std::byte{1});
}

TEST_CASE("malformed files give one error that names the file and what is wrong") {
  auto header = [](const std::string& descr, const std::string& shape) {
    return npy("{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + "}", "");
  };
  CHECK(mentions(error_of(""), "x.npy is not a .npy file"));
  CHECK(mentions(error_of("hello, this is text"), "is not a .npy file"));
  CHECK(mentions(error_of("\x93NUMPY\x01"), "cut off inside its header"));
  CHECK(mentions(error_of(npy("{'descr': '<f4'", "")), "malformed header at byte 15"));
  CHECK(mentions(error_of(header("'>f4'", "(1,)")), "'>f4' is big-endian"));
  CHECK(mentions(error_of(header("'<c8'", "(1,)")), "'<c8' is not supported"));
  CHECK(mentions(error_of(header("'|O'", "(1,)")), "'|O' is not supported"));
  CHECK(mentions(error_of(header("[('a', '<f4')]", "(1,)")), "structured"));
  CHECK(mentions(error_of(header("'<f4'", "(-1,)")), "a dimension"));
  CHECK(mentions(error_of(header("'<f4'", "(99999999999999999999,)")), "does not fit 64 bits"));
  CHECK(mentions(error_of(header("'<f4'", "(9223372036854775807, 2)")), "more elements than 64 bits"));
  CHECK(mentions(error_of(header("'<f4'", "(4611686018427387904,)")), "more bytes than 64 bits"));
  CHECK(mentions(error_of(header("'<f4'", "(1,1,1,1,1,1,1,1,1)")), "more than 8 axes"));
  CHECK(mentions(error_of(npy("{'descr': '<f4', 'shape': (1,)}", "")), "no 'fortran_order'"));
  CHECK(mentions(error_of(npy("{'descr': '<f4', 'descr': '<f4'}", "")), "appears twice"));
  CHECK(mentions(error_of(npy("{'colour': 1}", "")), "unknown header key 'colour'"));
}

TEST_CASE("missing and surplus data are told in bytes") {
  std::string dict = "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }";
  CHECK(mentions(error_of(npy(dict, std::string(15, 'x'))), "takes 16 bytes, but holds 15 bytes of data"));
  CHECK(mentions(error_of(npy(dict, std::string(17, 'x'))), "takes 16 bytes, but holds 17 bytes of data"));
}

TEST_CASE("every prefix of a good file is refused and never read past its end") {
  std::string good = npy("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 2), }", bytes_of<int32_t>({1, 2, 3, 4}));
  for (size_t n = 0; n < good.size(); ++n) CHECK_FALSE(parse_npy(std::string_view(good).substr(0, n), "x").ok());
}

TEST_CASE("a missing file and a folder are refused by name") {
  TemporaryFolder folder;
  auto missing = load_npy(folder.file("none.npy"));
  REQUIRE_FALSE(missing.ok());
  CHECK(mentions(missing.errors()[0].message, "none.npy: no such file"));
  auto dir = load_npy(folder.path.string());
  REQUIRE_FALSE(dir.ok());
  CHECK(mentions(dir.errors()[0].message, "it is a folder"));
}

TEST_CASE("a saved tensor is read back, also through negative strides and a transposed view") {
  TemporaryFolder folder;
  struct View {
    std::vector<int64_t> shape, strides;
  };
  for (const View& v : {View{{2, 3}, {3, 1}}, View{{2, 3}, {-3, -1}}, View{{2, 3}, {1, 2}}, View{{2, 3}, {8, 2}}}) {
    Tensor t = tensor_of(DType::Float32, v.shape, v.strides);
    for (int64_t i = 0; i < 6; ++i)
      write_double(t.dtype, t.element(t.origin + t.layout.offset_of({i / 3, i % 3})), 1.5 * static_cast<double>(i));
    REQUIRE_FALSE(save_npy(folder.file("t.npy"), t).has_value());
    auto back = load_npy(folder.file("t.npy"));
    REQUIRE(back.ok());
    CHECK(back->shape == v.shape);
    for (int i = 0; i < 6; ++i) CHECK(read_double(DType::Float32, back->data.data() + 4 * i) == 1.5 * i);
  }
}

TEST_CASE("bfloat16 and fp8 are saved as raw bits") {
  TemporaryFolder folder;
  for (DType t : {DType::BFloat16, DType::Float8E4NV, DType::Float8E5}) {
    Tensor one = tensor_of(t, {1}, {});
    write_double(t, one.element(0), 1.0);
    REQUIRE_FALSE(save_npy(folder.file("t.npy"), one).has_value());
    auto back = load_npy(folder.file("t.npy"));
    REQUIRE(back.ok());
    CHECK(back->dtype == npy_dtype(t));
    CHECK(npy_holds(back->dtype, t));
    CHECK(std::memcmp(back->data.data(), one.element(0), dtype_bytes(t)) == 0);
  }
}

TEST_CASE("a failed save leaves nothing behind and an old file as it was") {
  TemporaryFolder folder;
  Tensor t = tensor_of(DType::Int8, {1}, {});
  write_int64(t.dtype, t.element(0), 7);
  auto nowhere = save_npy(folder.file("no/such/t.npy"), t);
  REQUIRE(nowhere.has_value());
  CHECK(mentions(nowhere->message, "there is no folder"));
  fs::create_directories(folder.path / "taken.npy");
  auto taken = save_npy(folder.file("taken.npy"), t);
  REQUIRE(taken.has_value());
  CHECK(mentions(taken->message, "it is a folder"));
  REQUIRE_FALSE(save_npy(folder.file("good.npy"), t).has_value());
  std::vector<std::string> names;
  for (const auto& e : fs::directory_iterator(folder.path)) names.push_back(e.path().filename().string());
  CHECK(names.size() == 2);  // no temporary file is left
}

TEST_CASE("the data of a saved file begins at a multiple of 64 bytes, as NumPy writes it") {
  TemporaryFolder folder;
  REQUIRE_FALSE(save_npy(folder.file("t.npy"), tensor_of(DType::Int8, {5}, {})).has_value());
  CHECK(fs::file_size(folder.file("t.npy")) == 128 + 5);
}

TEST_CASE("offsets of a view map back to its logical index, and gaps to none") {
  auto l = make_layout("shape", DType::Float32, {3, 4}, {10, 2});
  REQUIRE(l.ok());
  CHECK(l->index_of(24) == std::vector<int64_t>{2, 2});
  CHECK_FALSE(l->index_of(25).has_value());
  CHECK_FALSE(l->index_of(27).has_value());
  CHECK_FALSE(l->is_dense());
  auto reversed = make_layout("shape", DType::Float32, {5}, {-1});
  REQUIRE(reversed.ok());
  CHECK(reversed->lowest() == -4);
  CHECK(reversed->index_of(-3) == std::vector<int64_t>{3});
  CHECK(reversed->is_dense());
}

TEST_CASE("an overlapping view needs the search: 4 = 0 * 3 + 2 * 2") {
  TensorLayout l{{3, 3}, {3, 2}};
  CHECK(l.index_of(4) == std::vector<int64_t>{0, 2});
  CHECK_FALSE(l.index_of(1).has_value());
  CHECK(l.index_of(10) == std::vector<int64_t>{2, 2});
}

TEST_CASE("indices are told in words that people use") {
  CHECK(index_in_words({7}) == "element 7");
  CHECK(index_in_words({3, 50}) == "row 3, column 50");
  CHECK(index_in_words({1, 2, 3}) == "index [1, 2, 3]");
}

TEST_CASE("a file is written through a link, and a device is refused") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("tilescope_link_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const int32_t one = 1;
  const auto* data = reinterpret_cast<const std::byte*>(&one);
  REQUIRE_FALSE(save_npy((folder / "real.npy").string(), DType::Int32, {1}, data));
  fs::create_symlink(folder / "real.npy", folder / "link.npy");
  const int32_t two = 2;
  REQUIRE_FALSE(save_npy((folder / "link.npy").string(), DType::Int32, {1}, reinterpret_cast<const std::byte*>(&two)));
  CHECK(fs::is_symlink(folder / "link.npy"));
  auto read = load_npy((folder / "real.npy").string());
  REQUIRE(read.ok());
  CHECK(read_int64(DType::Int32, read->data.data()) == 2);
  CHECK(check_save_path("/dev/null").has_value());
  fs::remove_all(folder);
}
