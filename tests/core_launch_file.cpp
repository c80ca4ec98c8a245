#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>

#include "core/arg_spec.h"
#include "core/device_math.h"
#include "core/launch_file.h"
#include "core/npy.h"

using namespace tilescope;
namespace fs = std::filesystem;

namespace {

bool mentions(const std::string& text, const std::string& part) {
  bool found = text.find(part) != std::string::npos;
  if (!found) MESSAGE("looked for: ", part, "\nin: ", text);
  return found;
}

/// A launch whose only tensor argument is `arg`.
std::string launch_with(const std::string& arg, const std::string& more = "") {
  return R"({"kernel": "k", "grid": [1], "args": {"x_ptr": )" + arg + "}" + more + "}";
}

std::string error_of(const std::string& text) {
  auto spec = parse_launch_text(text, "folder/launch.json");
  return spec ? "no error" : render(spec.errors());
}

std::string grid_error(const std::string& entry) {
  auto spec = parse_launch_text(R"({"grid": [)" + entry + R"(], "args": {"N": 1000, "BLOCK": 256, "z": 0}})", "l.json");
  if (!spec) return render(spec.errors());
  auto grid = evaluate_grid(*spec);
  return grid ? "no error" : render(grid.errors());
}

int64_t grid_value(const std::string& text) {
  LaunchSpec spec;
  spec.args = {{"N", int64_t{1000}}, {"BLOCK", int64_t{256}}, {"neg", int64_t{-7}}};
  auto entries = parse_grid(text);
  REQUIRE(entries.ok());
  spec.grid = *entries;
  auto grid = evaluate_grid(spec);
  REQUIRE(grid.ok());
  return (*grid)[0];
}

Tensor one_tensor(const std::string& arg) {
  auto spec = parse_launch_text(launch_with(arg), std::string(TILESCOPE_SOURCE_DIR) + "/launch.json");
  if (!spec) FAIL(render(spec.errors()));
  auto tensors = make_tensors(*spec);
  if (!tensors) FAIL(render(tensors.errors()));
  REQUIRE(tensors->size() == 1);
  return std::move((*tensors)[0]);
}

std::vector<double> values_of(const Tensor& t) {
  std::vector<std::byte> raw(t.elements() * dtype_bytes(t.dtype));
  gather_contiguous(t, raw.data());
  std::vector<double> out;
  for (int64_t i = 0; i < t.elements(); ++i) out.push_back(read_double(t.dtype, raw.data() + i * dtype_bytes(t.dtype)));
  return out;
}

std::string arg_error(const std::string& text) {
  auto arg = parse_arg(text);
  return arg ? "no error" : render(arg.errors());
}

}  // namespace

TEST_CASE("the example of the design is read") {
  auto spec = parse_launch_text(R"({"kernel": "softmax_kernel", "file": "kernel.py", "grid": [16],
     "args": {"x_ptr": {"tensor": "float32", "shape": [16,1000], "strides": [1000,1], "init": {"randn": 1}},
              "y_ptr": {"tensor": "float32", "shape": [16,1000], "init": "empty"},
              "N": 1000, "BLOCK_SIZE": 1024},
     "num_warps": 4, "outputs": {"y_ptr": {"npy": "y.expected.npy", "rtol": 1e-6, "atol": 1e-7}}})",
                                "some/where/launch.json");
  REQUIRE(spec.ok());
  CHECK(spec->kernel_path == "some/where/kernel.py");
  REQUIRE(spec->args.size() == 4);
  CHECK(spec->args[0].name == "x_ptr");
  CHECK(spec->args[3].name == "BLOCK_SIZE");
  CHECK(std::get<int64_t>(spec->args[3].value) == 1024);
  CHECK(std::get<TensorSpec>(spec->args[1].value).init.kind == Init::Kind::Empty);
  CHECK(spec->num_warps == 4);
  CHECK(spec->num_stages == 3);
  CHECK(spec->outputs[0].rtol == 1e-6);
  CHECK(spec->outputs[0].expected->npy_path == "some/where/y.expected.npy");
}

TEST_CASE("scalar arguments keep their kind: int64, uint64 beyond 2^63 - 1, float, bool, None and string") {
  auto spec = parse_launch_text(
      R"({"grid": 1, "args": {"a": 9223372036854775807, "b": 9223372036854775808, "c": -5, "d": 1.0, "e": true,
          "f": null, "g": "relu", "h": {"float": "-inf"}, "i": 1e300}})",
      "l.json");
  REQUIRE(spec.ok());
  CHECK(std::get<int64_t>(spec->find("a")->value) == INT64_MAX);
  CHECK(std::get<uint64_t>(spec->find("b")->value) == uint64_t{1} << 63);
  CHECK(std::get<int64_t>(spec->find("c")->value) == -5);
  CHECK(std::get<double>(spec->find("d")->value) == 1.0);
  CHECK(std::get<bool>(spec->find("e")->value));
  CHECK(std::holds_alternative<std::monostate>(spec->find("f")->value));
  CHECK(std::get<std::string>(spec->find("g")->value) == "relu");
  CHECK(std::get<double>(spec->find("h")->value) == -HUGE_VAL);
  CHECK(std::get<double>(spec->find("i")->value) == 1e300);
}

TEST_CASE("a JSON mistake is told with line, column and caret") {
  std::string text = error_of("{\"kernel\": \"k\",\n  \"grid\": [1,, 2]}");
  CHECK(mentions(text, "folder/launch.json:2:14: error: not valid JSON"));
  CHECK(mentions(text, "\"grid\": [1,, 2]}"));
  CHECK(mentions(error_of(""), "not valid JSON"));
  CHECK(mentions(error_of("\xff\xfe"), "not valid JSON"));
  CHECK(mentions(error_of("{\"args\": {\"n\": 1, \"n\": 2}}"), "\"n\" appears twice"));
  CHECK(mentions(error_of(std::string(100000, '[')), "not valid JSON"));
  CHECK(mentions(error_of(std::string(100, '[') + std::string(100, ']')), "nested deeper than 32 levels"));
}

TEST_CASE("an unknown key is named, underlined and answered with the nearest one") {
  std::string text = error_of(R"({"kernel": "k", "gird": [1], "args": {}})");
  CHECK(mentions(text, "folder/launch.json:1:17: error: gird: unknown key \"gird\""));
  CHECK(mentions(text, "did you mean \"grid\"?"));
  CHECK(mentions(error_of(launch_with(R"({"tensor": "f32", "shap": [3]})")), "did you mean \"shape\"?"));
  CHECK(mentions(error_of(R"({"zzzzzz": 1})"), "known keys: kernel, file, grid"));
}

TEST_CASE("errors name the place of the value and point at it") {
  std::string text = error_of(launch_with("{\"tensor\": \"float32\",\n \"shape\": [4, \"x\"]}"));
  CHECK(mentions(text, "folder/launch.json:2:15: error: args.x_ptr.shape[1]: expected an integer, found a string"));
  CHECK(mentions(error_of(launch_with(R"({"tensor": "float33", "shape": [4]})")), "did you mean \"float32\"?"));
  CHECK(mentions(error_of(launch_with(R"({"shape": [4]})")), "args.x_ptr: there is no \"tensor\""));
  CHECK(mentions(error_of(launch_with(R"({"tensor": "f32"})")), "args.x_ptr: there is no \"shape\""));
  CHECK(mentions(error_of(launch_with("[[[[[[[[[1]]]]]]]]]")), "tuples are nested more than 8 deep"));
  CHECK(mentions(error_of(launch_with("{\"function\": \"\"}")), "args.x_ptr.function: a function without a name"));
  CHECK(mentions(error_of(R"({"args": {}})"), "there is no \"grid\""));
  CHECK(mentions(error_of(R"({"grid": [1]})"), "there is no \"args\""));
  CHECK(mentions(error_of("[]"), "expected an object, found a list"));
}

TEST_CASE("impossible shapes and strides are refused") {
  auto shape = [](const std::string& s) { return error_of(launch_with(R"({"tensor": "f32", "shape": )" + s + "}")); };
  CHECK(mentions(shape("[4, -1]"), "args.x_ptr.shape[1]: a dimension cannot be negative (-1)"));
  CHECK(mentions(shape("[4294967296, 4294967296]"), "more elements than 64 bits can count"));
  CHECK(mentions(shape("[1099511627776]"), "takes more memory than the limit"));
  CHECK(mentions(shape("[1,1,1,1,1,1,1,1,1]"), "rank 9 is too large"));
  CHECK(mentions(shape("[2.5]"), "expected an integer, found the number 2.5"));
  CHECK(mentions(shape("[18446744073709551615]"), "too large"));
  CHECK(mentions(shape("[4], \"strides\": [1, 1]"), "expected 1 strides, one for each axis of shape, found 2"));
  CHECK(mentions(shape("[4], \"strides\": [9223372036854775807]"), "reach beyond 64 bits"));
  CHECK(mentions(shape("[4], \"strides\": [-9223372036854775808]"), "reach beyond 64 bits"));
  CHECK(mentions(shape("[4], \"strides\": [1099511627776]"), "takes more memory than the limit"));
  CHECK(mentions(shape("[1099511627776], \"strides\": [0]"), "takes more memory than the limit"));
}

TEST_CASE("inits that do not fit are refused by place") {
  auto init = [](const std::string& dtype, const std::string& s) {
    return error_of(launch_with(R"({"tensor": ")" + dtype + R"(", "shape": [2], "init": )" + s + "}"));
  };
  CHECK(mentions(init("f32", "\"zeroes\""), "unknown init \"zeroes\""));
  CHECK(mentions(init("f32", "\"randn\""), "{\"randn\": ...}"));
  CHECK(mentions(init("f32", "{\"randm\": 1}"), "did you mean"));
  CHECK(mentions(init("f32", "{\"rand\": 1, \"full\": 2}"), "one key"));
  CHECK(mentions(init("i32", "{\"rand\": 1}"), "random floats cannot fill a tensor of int32"));
  CHECK(mentions(init("i8", "{\"full\": 128}"), "args.x_ptr.init.full: 128 does not fit int8 (-128 to 127)"));
  CHECK(mentions(init("u16", "{\"full\": -1}"), "-1 does not fit uint16 (0 to 65535)"));
  CHECK(mentions(init("i32", "{\"full\": 1.5}"), "1.5 is not an integer, as int32 needs"));
  CHECK(mentions(init("i32", "{\"full\": \"nan\"}"), "nan is not an integer"));
  CHECK(mentions(init("i1", "{\"full\": 2}"), "2 does not fit int1 (0 or 1)"));
  CHECK(mentions(init("e4m3", "{\"full\": \"inf\"}"), "float8e4nv has no infinity"));
  CHECK(mentions(init("f32", "{\"values\": [1]}"), "the shape needs 2 values, found 1"));
  CHECK(mentions(init("i8", "{\"values\": [1, [999]]}"), "args.x_ptr.init.values[1][0]: 999 does not fit int8"));
  CHECK(mentions(init("f32", "{\"values\": [1, null]}"), "args.x_ptr.init.values[1]: expected a number, found null"));
  CHECK(mentions(init("u64", "{\"values\": [1, 18446744073709551616]}"), "an integer that does not fit 64 bits"));
  CHECK(mentions(init("i32", "{\"randint\": [5, 5, 1]}"), "the range is empty"));
  CHECK(mentions(init("i8", "{\"randint\": [0, 300, 1]}"), "299 does not fit int8"));
  CHECK(mentions(init("i32", "{\"randint\": [5]}"), "expected [lo, hi, seed]"));
}

TEST_CASE("num_warps, outputs and expect_error are checked") {
  std::string x = R"({"tensor": "f32", "shape": [2]})";
  CHECK(mentions(error_of(launch_with(x, R"(, "num_warps": 3)")), "num_warps: expected 1, 2, 4, 8, 16 or 32, found 3"));
  CHECK(mentions(error_of(launch_with(x, R"(, "num_stages": 0)")), "num_stages: expected 1 to 16, found 0"));
  CHECK(mentions(error_of(launch_with(x, R"(, "outputs": {"x_prt": {"full": 0}})")), "did you mean \"x_ptr\"?"));
  CHECK(mentions(error_of(launch_with(x, R"(, "outputs": {"x_ptr": {}})")), "nothing to compare with"));
  CHECK(mentions(error_of(launch_with(x, R"(, "outputs": {"x_ptr": {"full": 0, "exact": true, "rtol": 1}})")),
                 "exclude"));
  CHECK(mentions(error_of(launch_with(x, R"(, "outputs": {"x_ptr": {"full": 0, "atol": -1}})")), "not negative"));
  CHECK(mentions(error_of(launch_with(x, R"(, "outputs": {"x_ptr": {"reference": "add", "inputs": ["q"]}})")),
                 "outputs.x_ptr.inputs[0]: there is no argument \"q\""));
  auto at = parse_launch_text(launch_with(x, R"(, "expect_error": "refused", "expect_error_at": [3, 9])"), "l.json");
  REQUIRE(at.ok());
  CHECK(at->expect_error);
  CHECK(at->expect_error_at->second == 9);
}

TEST_CASE("without a tolerance integers must be exact and floats as near as their precision") {
  auto spec = [](const std::string& dtype) {
    auto s = parse_launch_text(
        launch_with(R"({"tensor": ")" + dtype + R"(", "shape": [2]})", R"(, "outputs": {"x_ptr": {"full": 0}})"),
        "l.json");
    REQUIRE(s.ok());
    return s->outputs[0];
  };
  CHECK(spec("int32").exact);
  CHECK_FALSE(spec("float16").exact);
  CHECK(spec("float16").rtol > spec("float32").rtol);
  CHECK(spec("bfloat16").rtol > spec("float16").rtol);
}

TEST_CASE("grid expressions follow Python: floor division, precedence, functions") {
  CHECK(grid_value("cdiv(N, BLOCK)") == 4);
  CHECK(grid_value("triton.cdiv(N, BLOCK) * 2 + 1") == 9);
  CHECK(grid_value("-(neg // 2)") == 4);
  CHECK(grid_value("neg % 4") == 1);
  CHECK(grid_value("2 - 3 * -4 - 1") == 13);
  CHECK(grid_value("next_power_of_2(N)") == 1024);
  CHECK(grid_value("min(N, BLOCK, 7) + max(1, 2)") == 9);
  CHECK(grid_value("cdiv(-7, -2)") == 4);
}

TEST_CASE("a grid of 0, below 0 or beyond 2^31 - 1 is refused by entry") {
  CHECK(mentions(grid_error("0"), "grid[0]: a grid axis has 1 to 2147483647 programs, found 0"));
  CHECK(mentions(grid_error("1, -3"), "grid[1]: a grid axis has 1 to 2147483647 programs, found -3"));
  CHECK(mentions(grid_error("2147483648"), "found 2147483648"));
  CHECK(mentions(grid_error("\"N - 1000\""), "found N - 1000 = 0"));
  CHECK(mentions(grid_error("65536, 65536"), "more than 2147483647 programs in all"));
  CHECK(mentions(grid_error("1, 1, 1, 1"), "a grid has 1 to 3 entries, found 4"));
  CHECK(mentions(grid_error(""), "a grid has 1 to 3 entries, found 0"));
  CHECK(mentions(grid_error("1.5"), "grid[0]: expected an integer or an expression"));
}

TEST_CASE("mistakes in a grid expression are named with their column") {
  CHECK(mentions(grid_error("\"cdiv(N, BLOK)\""), "`BLOK` is not an integer argument of this launch at column 9"));
  CHECK(mentions(grid_error("\"N / 2\""), "use // to divide"));
  CHECK(mentions(grid_error("\"N // z\""), "division by zero at column 3"));
  CHECK(mentions(grid_error("\"N % z\""), "division by zero"));
  CHECK(mentions(grid_error("\"cdiv(N)\""), "`cdiv` takes 2 arguments, found 1"));
  CHECK(mentions(grid_error("\"ceil(N)\""), "unknown function `ceil`"));
  CHECK(mentions(grid_error("\"N +\""), "expected a number, a name or '(', found the end"));
  CHECK(mentions(grid_error("\"(N\""), "expected ')'"));
  CHECK(mentions(grid_error("\"N N\""), "unexpected 'N'"));
  CHECK(mentions(grid_error("\"9223372036854775807 + 1\""), "does not fit 64 bits"));
  CHECK(mentions(grid_error("\"99999999999999999999\""), "does not fit 64 bits"));
  CHECK(mentions(grid_error("\"(-9223372036854775807 - 1) // -1\""), "does not fit 64 bits"));
  CHECK(mentions(grid_error("\"next_power_of_2(9223372036854775807)\""), "does not fit 64 bits"));
  CHECK(mentions(grid_error("\"" + std::string(3000, '(') + "\""), "nesting deeper than 100 levels"));
}

TEST_CASE("each init gives its values in every dtype that can hold them") {
  for (int i = 0; i < kDTypeCount; ++i) {
    std::string name(dtype_name(static_cast<DType>(i)));
    CAPTURE(name);
    auto make = [&](const std::string& init) {
      return values_of(one_tensor(R"({"tensor": ")" + name + R"(", "shape": [2], "init": )" + init + "}"));
    };
    CHECK(make("\"zeros\"") == std::vector<double>{0, 0});
    CHECK(make("\"ones\"") == std::vector<double>{1, 1});
    CHECK(make("\"arange\"") == std::vector<double>{0, 1});
    CHECK(make("{\"full\": true}") == std::vector<double>{1, 1});
    CHECK(make("{\"values\": [[1], [0]]}") == std::vector<double>{1, 0});
    for (double v : make("{\"randint\": [0, 2, 7]}")) CHECK((v == 0 || v == 1));
  }
}

TEST_CASE("an empty tensor is marked and holds a pattern that cannot be mistaken for a result") {
  Tensor f = one_tensor(R"({"tensor": "float16", "shape": [3], "init": "empty"})");
  CHECK(f.uninitialised);
  CHECK(std::isnan(values_of(f)[2]));
  Tensor i = one_tensor(R"({"tensor": "int32", "shape": [3]})");
  CHECK(i.uninitialised);
  CHECK(values_of(i)[0] == -1);
  CHECK_FALSE(one_tensor(R"({"tensor": "int32", "shape": [3], "init": "zeros"})").uninitialised);
}

TEST_CASE("rand is uniform, randn is normal, and a seed gives the same values in every dtype and shape") {
  Tensor u = one_tensor(R"({"tensor": "f32", "shape": [100, 100], "init": {"rand": 5}})");
  Tensor n = one_tensor(R"({"tensor": "f64", "shape": [10000], "init": {"randn": 5}})");
  Tensor h = one_tensor(R"({"tensor": "f16", "shape": [10000], "init": {"randn": 5}})");
  double mean_u = 0, mean_n = 0, variance = 0;
  std::vector<double> vu = values_of(u), vn = values_of(n), vh = values_of(h);
  for (int i = 0; i < 10000; ++i) {
    CHECK((vu[i] >= 0 && vu[i] < 1));
    mean_u += vu[i] / 10000, mean_n += vn[i] / 10000, variance += vn[i] * vn[i] / 10000;
    CHECK(std::abs(vh[i] - vn[i]) <= std::abs(vn[i]) / 2048 + 1e-7);
  }
  CHECK(mean_u == doctest::Approx(0.5).epsilon(0.02));
  CHECK(std::abs(mean_n) < 0.03);
  CHECK(variance == doctest::Approx(1).epsilon(0.05));
  CHECK(values_of(one_tensor(R"({"tensor": "f32", "shape": [10000], "init": {"rand": 5}})")) == vu);
  CHECK(values_of(one_tensor(R"({"tensor": "f32", "shape": [10000], "init": {"rand": 6}})")) != vu);
}

TEST_CASE("randint covers its range, up to the whole of int64") {
  Tensor t = one_tensor(R"({"tensor": "i8", "shape": [1000], "init": {"randint": [-3, 4, 1]}})");
  std::map<double, int> seen;
  for (double v : values_of(t)) ++seen[v];
  CHECK(seen.size() == 7);
  CHECK(seen.begin()->first == -3);
  Tensor wide = one_tensor(
      R"({"tensor": "i64", "shape": [64], "init": {"randint": [-9223372036854775808, 9223372036854775807, 1]}})");
  int negative = 0;
  for (double v : values_of(wide)) negative += v < 0;
  CHECK((negative > 10 && negative < 54));
}

TEST_CASE("values are laid out through negative, zero and transposed strides") {
  Tensor t =
      one_tensor(R"({"tensor": "i32", "shape": [2, 3], "strides": [1, -2], "init": {"values": [1, 2, 3, 4, 5, 6]}})");
  CHECK(t.origin == 4);
  CHECK(t.storage_elements() == 6);
  CHECK(values_of(t) == std::vector<double>{1, 2, 3, 4, 5, 6});
  CHECK(read_int64(t.dtype, t.element(0)) == 3);
  Tensor b =
      one_tensor(R"({"tensor": "i32", "shape": [2, 3], "strides": [0, 1], "init": {"values": [7, 8, 9, 7, 8, 9]}})");
  CHECK(b.storage_elements() == 3);
  CHECK(values_of(b) == std::vector<double>{7, 8, 9, 7, 8, 9});
  Tensor none = one_tensor(R"({"tensor": "i32", "shape": [0, 3], "init": "arange"})");
  CHECK(none.elements() == 0);
}

TEST_CASE("special values arrive as they are written") {
  auto make = [](const std::string& dtype) {
    return values_of(one_tensor(R"({"tensor": ")" + dtype +
                                R"(", "shape": [5], "init": {"values": ["nan", "inf", "-inf", -0.0, 1e-30]}})"));
  };
  for (std::string dtype : {"f64", "f32", "bf16", "f16", "e5m2"}) {
    CAPTURE(dtype);
    std::vector<double> v = make(dtype);
    CHECK(std::isnan(v[0]));
    CHECK(v[1] == HUGE_VAL);
    CHECK(v[2] == -HUGE_VAL);
    CHECK((v[3] == 0 && std::signbit(v[3])));
    CHECK((v[4] == 0) == (dtype == "f16" || dtype == "e5m2"));
  }
  Tensor u = one_tensor(R"({"tensor": "u64", "shape": [1], "init": {"full": 18446744073709551615}})");
  CHECK(format_element(u.dtype, u.element(0)) == "18446744073709551615");
  Tensor f = one_tensor(R"({"tensor": "f32", "shape": [1], "init": {"full": 18446744073709551615}})");
  CHECK(values_of(f)[0] == 18446744073709551616.0);
}

TEST_CASE("a number is rounded once: no double rounding on the way to a small float") {
  // 1 + 2^-11 + 2^-40 is just above the midpoint of two fp16 numbers; rounded to fp32 first it would be the midpoint.
  Tensor t = one_tensor(R"({"tensor": "f16", "shape": [1], "init": {"full": 1.00048828125090949}})");
  CHECK(values_of(t)[0] == 1 + std::ldexp(1, -10));
}

TEST_CASE("a .npy of another shape or type is refused with both") {
  fs::path folder = fs::temp_directory_path() / "tilescope_launch_npy";
  fs::create_directories(folder);
  Tensor t = one_tensor(R"({"tensor": "f32", "shape": [2, 3], "init": "arange"})");
  REQUIRE(fs::exists(folder));
  REQUIRE_FALSE(save_npy((folder / "x.npy").string(), t).has_value());
  auto error = [&](const std::string& arg) -> std::string {
    auto spec = parse_launch_text(launch_with(arg), (folder / "launch.json").string());
    REQUIRE(spec.ok());
    auto tensors = make_tensors(*spec);
    return tensors ? "no error" : render(tensors.errors());
  };
  std::string init = R"("init": {"npy": "x.npy"}})";
  CHECK(error(R"({"tensor": "f32", "shape": [2, 3], )" + init) == "no error");
  CHECK(mentions(error(R"({"tensor": "f32", "shape": [3, 2], )" + init),
                 "has shape [2, 3], but the tensor has shape [3, 2]"));
  CHECK(mentions(error(R"({"tensor": "i32", "shape": [2, 3], )" + init), "holds float32, but the tensor is int32"));
  CHECK(mentions(error(R"({"tensor": "bf16", "shape": [2, 3], )" + init), "bfloat16, which travels as raw uint16"));
  CHECK(mentions(error(R"({"tensor": "f32", "shape": [2], "init": {"npy": "y.npy"}})"), "args.x_ptr: cannot read"));
  fs::remove_all(folder);
}

TEST_CASE("arguments on the command line mean the same as in a launch file") {
  auto value = [](const std::string& text) {
    auto a = parse_arg(text);
    if (!a) FAIL(render(a.errors()));
    return a->value;
  };
  CHECK(std::get<int64_t>(value("n=1000")) == 1000);
  CHECK(std::get<int64_t>(value("n=-0x10")) == -16);
  CHECK(std::get<uint64_t>(value("n=9223372036854775808")) == uint64_t{1} << 63);
  CHECK(std::get<double>(value("eps=1e-5")) == 1e-5);
  CHECK(std::get<double>(value("eps=-inf")) == -HUGE_VAL);
  CHECK(std::get<bool>(value("flag=true")));
  CHECK(std::holds_alternative<std::monostate>(value("p=None")));
  CHECK(std::get<std::string>(value("s=\"text\"")) == "text");
  auto t = std::get<TensorSpec>(value("y=f16[16,32]:strides(1,16)=npy(a,b.npy)"));
  CHECK(t.dtype == DType::Float16);
  CHECK(t.layout.strides == std::vector<int64_t>{1, 16});
  CHECK(t.init.npy_path == "a,b.npy");
  CHECK(std::get<TensorSpec>(value("x=f32[1000]=randn(1)")).init.kind == Init::Kind::Randn);
  CHECK(std::get<TensorSpec>(value("x=f32[10]")).init.kind == Init::Kind::Empty);
  auto r = std::get<TensorSpec>(value("x=i8[4]=randint(-3, 4, 9)")).init;
  CHECK((r.lo == -3 && r.hi == 4 && r.seed == 9));
  CHECK(std::get<TensorSpec>(value("x=f32[2,2]=values(1,2,nan,-0.0)")).init.values.size() == 4);
  CHECK(std::get<TensorSpec>(value("x=i32[]=full(3)")).layout.rank() == 0);
}

TEST_CASE("mistakes on the command line are named") {
  CHECK(mentions(arg_error("n"), "--arg n: expected NAME=VALUE"));
  CHECK(mentions(arg_error("=3"), "expected NAME=VALUE"));
  CHECK(mentions(arg_error("n=12abc"), "--arg n: \"12abc\" is not a number"));
  CHECK(mentions(arg_error("n=18446744073709551616"), "does not fit 64 bits"));
  CHECK(mentions(arg_error("n=1e999"), "too large for a float"));
  CHECK(mentions(arg_error("x=f33[4]"), "unknown element type \"f33\""));
  CHECK(mentions(arg_error("x=f32[4"), "dtype[shape]=init"));
  CHECK(mentions(arg_error("x=f32[-4]"), "a dimension cannot be negative"));
  CHECK(mentions(arg_error("x=f32[4,q]"), "\"q\" is not an integer"));
  CHECK(mentions(arg_error("x=f32[4]=rnd(1)"), "unknown init \"rnd\""));
  CHECK(mentions(arg_error("x=f32[4]=randn()"), "needs one integer, the seed"));
  CHECK(mentions(arg_error("x=i8[1]=full(1000)"), "1000 does not fit int8"));
  CHECK(mentions(arg_error("x=f32[4]=values(1,2)"), "values needs 4 values, found 2"));
  CHECK(mentions(arg_error("x=f32[4]:stride(1)"), "expected ':strides(...)'"));
  CHECK(mentions(arg_error("x=f32[4]garbage"), "expected ':strides(...)', ':block(...)' or '=init'"));
  CHECK_FALSE(parse_grid("1,2,3,4").ok());
  CHECK_FALSE(parse_grid("").ok());
}

TEST_CASE("every conformance launch file is read and its tensors are made") {
  fs::path root = fs::path(TILESCOPE_SOURCE_DIR) / "tests" / "conformance";
  if (!fs::exists(root)) root = fs::path(TILESCOPE_SOURCE_DIR).parent_path() / "shared" / "conformance";
  REQUIRE(fs::exists(root));
  int read = 0;
  for (const auto& entry : fs::directory_iterator(root)) {
    fs::path file = entry.path() / "launch.json";
    if (!fs::exists(file)) continue;
    CAPTURE(file.string());
    auto spec = load_launch_file(file.string());
    if (!spec) FAIL(render(spec.errors()));
    CHECK(make_tensors(*spec).ok());
    CHECK(evaluate_grid(*spec).ok());
    ++read;
  }
  CHECK(read >= 181);
}

TEST_CASE("rand and randn fill with the very bits of the language's generators") {
  Tensor u = one_tensor(R"({"tensor": "f32", "shape": [5000], "init": {"rand": 42}})");
  Tensor n = one_tensor(R"({"tensor": "f32", "shape": [5000], "init": {"randn": 18446744073709551615}})");
  std::vector<double> vu = values_of(u), vn = values_of(n);
  for (int i = 0; i < 5000; ++i) {
    CHECK(vu[i] == TILESCOPE_MATH_NS::rand(42, i));
    CHECK(vn[i] == TILESCOPE_MATH_NS::randn(UINT64_MAX, i));
  }
}
