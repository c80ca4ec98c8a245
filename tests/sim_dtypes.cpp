// Tensors of every element type: loaded, computed on, converted and stored, through strides of every kind.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "core/arg_spec.h"
#include "tests/property/launch_text.h"
#include "tests/sim_exec_data.h"

namespace tilescope {
namespace {

using testing::Bench;
using testing::faults;
using testing::KernelFile;
using testing::run_launch;
using testing::values;

std::vector<DType> all_types() {
  std::vector<DType> out;
  for (int k = 0; k < kDTypeCount; ++k) out.push_back(static_cast<DType>(k));
  return out;
}

std::string name(DType t) { return std::string(dtype_name(t)); }

/// Numbers that the type holds exactly: 0 .. 3, negative ones and fractions where there are any.
std::vector<double> samples(DType t) {
  if (is_bool(t)) return {0, 1, 1, 0};
  if (is_unsigned_int(t)) return {0, 1, 2, 3};
  if (is_int(t)) return {0, 1, -2, 3};
  return {0, 0.5, -2, 3};
}

std::string list(const std::vector<double>& v) {
  std::string out;
  for (double x : v) {
    std::string number = std::to_string(x);
    number.erase(number.find_last_not_of('0') + 1);
    if (number.back() == '.') number.pop_back();
    out += (out.empty() ? "" : ", ") + number;
  }
  return "[" + out + "]";
}

std::string tensor(DType t, const std::vector<double>& v, const std::string& more = "") {
  return "{\"tensor\": \"" + name(t) + "\", \"shape\": [" + std::to_string(v.size()) + "]" + more +
         ", \"init\": {\"values\": " + list(v) + "}}";
}

TEST_CASE("a launch file loads, adds and stores tensors of every element type") {
  for (DType t : all_types()) {
    CAPTURE(name(t));
    const std::vector<double> x = samples(t);
    std::vector<double> sum;
    for (double v : x) sum.push_back(is_bool(t) ? 0 : v + v);  // int1 adds modulo 2
    CHECK(run_launch("def kernel(x_ptr, y_ptr):\n    i = tl.arange(0, 4)\n    x = tl.load(x_ptr + i)\n    "
                     "tl.store(y_ptr + i, x + x)\n",
                     "{\"grid\": [1], \"args\": {\"x_ptr\": " + tensor(t, x) + ", \"y_ptr\": {\"tensor\": \"" +
                         name(t) + "\", \"shape\": [4], \"init\": \"empty\"}}, \"outputs\": {\"y_ptr\": {\"values\": " +
                         list(sum) + ", \"exact\": true}}}") == "");
  }
}

TEST_CASE("arguments of the command line make tensors of every element type, by long and by short names") {
  for (DType t : all_types())
    for (std::string_view type : {dtype_name(t), dtype_short_name(t)}) {
      CAPTURE(std::string(type));
      const KernelFile file(
          "def kernel(x_ptr, y_ptr):\n    i = tl.arange(0, 4)\n    tl.store(y_ptr + i, tl.load(x_ptr - i))\n");
      LaunchSpec spec;
      spec.kernel_path = file.path();
      spec.grid = *parse_grid("1");
      const std::string x = list(samples(t));
      Expected<LaunchArg> in =
          parse_arg("x_ptr=" + std::string(type) + "[4]:strides(-1)=values(" + x.substr(1, x.size() - 2) + ")");
      Expected<LaunchArg> out = parse_arg("y_ptr=" + std::string(type) + "[4]");
      REQUIRE(in.ok());
      REQUIRE(out.ok());
      set_arg(spec, *in);
      set_arg(spec, *out);
      Expected<Launch> launch = prepare_launch(spec);
      REQUIRE_MESSAGE(launch.ok(), render(launch.errors()));
      const RunTrace trace = execute(*launch, {});
      CHECK(faults(trace) == "");
      CHECK(values(*launch->find_tensor("y_ptr")) == samples(t));
    }
}

/// Bytes of the elements in logical order.
std::vector<std::byte> logical(const Tensor& t) {
  std::vector<std::byte> out(static_cast<size_t>(t.elements()) * static_cast<size_t>(dtype_bytes(t.dtype)));
  gather_contiguous(t, out.data());
  return out;
}

/// Distinct bytes in every element; NaNs are left out, and an int1 is 0 or 1.
void fill_distinct(Tensor& t) {
  for (int64_t i = 0; i < t.storage_elements(); ++i) {
    if (is_bool(t.dtype))
      write_int64(t.dtype, t.element(i), i * 5 % 3 & 1);
    else if (dtype_bytes(t.dtype) == 1)
      *t.element(i) = static_cast<std::byte>(i + 33);
    else
      write_double(t.dtype, t.element(i), static_cast<double>(i) + 3);
  }
}

const std::vector<std::vector<int64_t>> kViews = {{4, 1},  {1, 3},   {7, 1},  {2, 9}, {-4, 1},
                                                  {4, -1}, {-1, -3}, {-9, 2}, {8, 2}};

constexpr const char* kCopy = R"(
def copy(x_ptr, y_ptr, xr, xc, yr, yc, M, N, WIDE: tl.constexpr):
    rows = tl.program_id(0) * 2 + tl.arange(0, 2)
    cols = tl.program_id(1) * 2 + tl.arange(0, 2)
    inside = (rows < M)[:, None] & (cols < N)[None, :]
    if WIDE:
        rows = rows.to(tl.int64)
    x = tl.load(x_ptr + rows[:, None] * xr + cols[None, :] * xc, mask=inside)
    tl.store(y_ptr + rows[:, None] * yr + cols[None, :] * yc, x, mask=inside)
)";

TEST_CASE("strided, negative and transposed views are read and written where their elements are, in every type") {
  for (DType t : all_types())
    for (const auto& from : kViews)
      for (const auto& to : {kViews[0], kViews[1], kViews[7]})
        for (int64_t wide : {0, 1}) {
          Bench b;
          Tensor& x = b.tensor("x_ptr", t, {3, 4}, from);
          Tensor& y = b.tensor("y_ptr", t, {3, 4}, to);
          fill_distinct(x);
          const std::string kept = std::string(reinterpret_cast<const char*>(y.storage.data()), y.storage.size());
          const std::pair<const char*, int64_t> integers[] = {
              {"xr", from[0]}, {"xc", from[1]}, {"yr", to[0]}, {"yc", to[1]}, {"M", 3}, {"N", 4}, {"WIDE", wide}};
          for (const auto& [n, v] : integers) b.integer(n, v);
          RunOptions options;
          options.check.uninitialised = true;
          CAPTURE(name(t));
          CAPTURE(from[0]);
          CAPTURE(from[1]);
          CAPTURE(to[0]);
          CHECK(faults(b.run(kCopy, {2, 2, 1}, options)) == "");
          CHECK(logical(x) == logical(y));
          // What lies between the elements of a view stays as it was.
          for (int64_t i = 0; i < y.storage_elements(); ++i)
            if (!y.layout.index_of(i - y.origin))
              CHECK(std::memcmp(y.element(i), kept.data() + i * dtype_bytes(t), static_cast<size_t>(dtype_bytes(t))) ==
                    0);
        }
}

TEST_CASE("a stride of 0 repeats an element, in every type") {
  for (DType t : all_types()) {
    Bench b;
    Tensor& row = b.tensor("x_ptr", t, {3, 4}, {0, 1});
    Tensor& y = b.tensor("y_ptr", t, {3, 4});
    CHECK(row.storage_elements() == 4);
    fill_distinct(row);
    const std::pair<const char*, int64_t> integers[] = {{"xr", 0}, {"xc", 1}, {"yr", 4},  {"yc", 1},
                                                        {"M", 3},  {"N", 4},  {"WIDE", 0}};
    for (const auto& [n, v] : integers) b.integer(n, v);
    CAPTURE(name(t));
    CHECK(faults(b.run(kCopy, {2, 2, 1})) == "");
    CHECK(logical(row) == logical(y));
  }
}

TEST_CASE("every bit pattern of 8 and 16 bits survives a load and a store") {
  for (DType t : all_types()) {
    if (is_bool(t) || dtype_bytes(t) > 2) continue;
    Bench b;
    const int64_t n = int64_t{1} << dtype_bits(t);
    Tensor& x = b.tensor("x_ptr", t, {n});
    Tensor& y = b.tensor("y_ptr", t, {n});
    for (int64_t i = 0; i < n; ++i) std::memcpy(x.element(i), &i, static_cast<size_t>(dtype_bytes(t)));
    b.integer("n", n);
    CHECK(faults(b.run("def kernel(x_ptr, y_ptr, n: tl.constexpr):\n    i = tl.arange(0, n)\n    tl.store(y_ptr + i, "
                       "tl.load(x_ptr + i))\n")) == "");
    CAPTURE(name(t));
    CHECK(std::memcmp(x.storage.data(), y.storage.data(), x.storage.size()) == 0);
  }
}

/// What small whole numbers become: wrapped between integers, cut off at 0 from a float to an unsigned integer.
double converted(double v, DType from, DType to) {
  if (is_bool(to)) return v != 0;
  if (is_int(to)) v = std::trunc(v);
  if (v >= 0 || !is_unsigned_int(to)) return v;
  // 8 bits are cut out of 16 bits, which saturate at 0.
  return is_float(from) ? 0 : std::ldexp(1.0, dtype_bits(to)) + v;
}

TEST_CASE("small numbers are converted between every two element types, by .to and by a store") {
  for (DType from : all_types())
    for (DType to : all_types()) {
      const bool through_float = (is_float(from) && dtype_bits(from) == 8 && is_int(to)) ||
                                 (is_float(to) && dtype_bits(to) == 8 && is_int(from));
      if (is_signed_int(from) && to == DType::UInt64) continue;  // 2^64 - 2 is no double; see the next test
      Bench b;
      Tensor& x = b.tensor("x_ptr", from, {4});
      Tensor& y = b.tensor("y_ptr", to, {4});
      Tensor& z = b.tensor("z_ptr", to, {4});
      std::vector<double> expected;
      for (size_t i = 0; i < 4; ++i) {
        const double v = samples(from)[i];
        write_double(from, x.element(static_cast<int64_t>(i)), v);
        expected.push_back(converted(v, through_float && is_int(from) ? DType::Float32 : from, to));
      }
      const std::string value = through_float ? "x.to(tl.float32)" : "x";
      CAPTURE(name(from));
      CAPTURE(name(to));
      CHECK(faults(b.run("def kernel(x_ptr, y_ptr, z_ptr):\n    i = tl.arange(0, 4)\n    x = tl.load(x_ptr + i)\n    "
                         "tl.store(y_ptr + i, " +
                         value + ".to(tl." + name(to) + "))\n    tl.store(z_ptr + i, " + value + ")\n")) == "");
      CHECK(values(y) == expected);
      CHECK(values(z) == expected);
    }
}

TEST_CASE("64-bit integers keep all their bits, as elements and as arguments") {
  CHECK(run_launch(R"(
def kernel(x_ptr, u_ptr, y_ptr, v_ptr, big, bigger):
    i = tl.arange(0, 2)
    x = tl.load(x_ptr + i)
    u = tl.load(u_ptr + i)
    tl.store(y_ptr + i, x - 1)
    tl.store(y_ptr + 2 + i, u)
    tl.store(v_ptr + i, u - x.to(tl.uint64))
    tl.store(y_ptr + 4, big)
    tl.store(v_ptr + 2, bigger)
)",
                   R"({"grid": [1], "args": {
  "x_ptr": {"tensor": "int64", "shape": [2], "init": {"values": [9223372036854775807, -9223372036854775807]}},
  "u_ptr": {"tensor": "uint64", "shape": [2], "init": {"values": [18446744073709551615, 9007199254740993]}},
  "y_ptr": {"tensor": "int64", "shape": [5], "init": "zeros"}, "v_ptr": {"tensor": "uint64", "shape": [3], "init": "zeros"},
  "big": 1099511627777, "bigger": 18446744073709551557},
 "outputs": {"y_ptr": {"values": [9223372036854775806, -9223372036854775808, -1, 9007199254740993, 1099511627777], "exact": true},
             "v_ptr": {"values": [9223372036854775808, 9232379236109516800, 18446744073709551557], "exact": true}}})") ==
        "");
}

TEST_CASE("float64 is computed in 64 bits") {
  Bench b;
  Tensor& x = b.tensor("x_ptr", DType::Float64, {2});
  Tensor& y = b.tensor("y_ptr", DType::Float64, {2});
  write_double(DType::Float64, x.element(0), 1.0 + std::ldexp(1.0, -50));
  write_double(DType::Float64, x.element(1), 1e300);
  CHECK(faults(b.run("def kernel(x_ptr, y_ptr):\n    i = tl.arange(0, 2)\n    x = tl.load(x_ptr + i)\n    "
                     "tl.store(y_ptr + i, x * x / x - 1)\n")) == "");
  const double first = 1.0 + std::ldexp(1.0, -50);
  CHECK(values(y) == std::vector<double>{first * first / first - 1, INFINITY});
}

}  // namespace
}  // namespace tilescope
