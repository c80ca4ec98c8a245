// Elementwise operations in grids of several programs with data of their own, and the check that no op of ops.def is
// left out.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/builder.h"
#include "tests/property/grids.h"

namespace tilescope::testing {

Tensor& GridLaunch::tensor(const std::string& name, DType dtype, std::vector<int64_t> shape, const Numbers& values) {
  Expected<TensorLayout> layout = make_layout(name, dtype, std::move(shape), {});
  Expected<Tensor> t = allocate_tensor(name, dtype, *layout);
  tensors_.push_back(std::make_unique<Tensor>(std::move(*t)));
  Tensor& out = *tensors_.back();
  std::memset(out.storage.data(), 0, out.storage.size());
  for (size_t i = 0; i < values.size(); ++i) write_double(dtype, out.element(static_cast<int64_t>(i)), values[i]);
  args_.push_back({name, PointerArg{dtype}});
  return out;
}

RunTrace GridLaunch::run(const std::string& text, std::array<int64_t, 3> grid, RunOptions options) {
  auto source = std::make_shared<SourceFile>();
  source->path = "kernel.py";
  source->text =
      "import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n\n\n@triton.jit\n" +
      text;
  CompileRequest request;
  request.source = source;
  request.kernel = "kernel";
  request.args = args_;
  Expected<CompiledKernel> kernel = compile_kernel(request);
  if (!kernel) {
    RunTrace trace;
    trace.faults.emplace_back();
    trace.faults.back().message = render(kernel.errors()) + source->text;
    return trace;
  }
  const Function& f = kernel->function;
  walk(f.body, [&](const Op& op) { ops_.insert(op.code); });
  std::vector<Argument> arguments;
  for (const Param& p : f.params) {
    Argument a;
    for (auto& t : tensors_)
      if (t->name == p.name) a.tensor = t.get();
    for (const CompileArg& c : args_)
      if (const auto* v = std::get_if<IntArg>(&c.value); v != nullptr && c.name == p.name)
        a.bits = element_bits(p.type.elem, v->value);
    arguments.push_back(a);
  }
  return tilescope::run(f, arguments, grid, options);
}

Numbers values_of(const Tensor& t) {
  Numbers out;
  for (int64_t i = 0; i < t.storage_elements(); ++i) out.push_back(read_double(t.dtype, t.element(i)));
  return out;
}

std::string fault_text(const RunTrace& t) {
  std::string out;
  for (const Fault& f : t.faults) out += f.message + "\n";
  return out;
}

double sample(DType t, bool is_y, int64_t program, int64_t lane) {
  const int64_t k = program * 17 + lane;
  const auto v = static_cast<double>(is_y ? k * 23 % 19 - 9 : k * 37 % 101 - 50);
  if (is_bool(t)) return std::abs(static_cast<int>(v)) % 2;
  if (is_float(t)) return v / 8;
  return is_unsigned_int(t) ? std::fabs(v) : v;
}

void check_tile_case(const TileCase& c, OpSet& ops) {
  Numbers x, y, expected;
  for (int64_t p = 0; p < kPrograms; ++p) {
    Numbers own_x, own_y;
    for (int64_t l = 0; l < c.lanes; ++l) {
      own_x.push_back(sample(c.in, false, p, l));
      own_y.push_back(sample(c.in, true, p, l));
    }
    const Numbers z = c.expected(own_x, own_y);
    REQUIRE(z.size() == static_cast<size_t>(c.results));
    x.insert(x.end(), own_x.begin(), own_x.end());
    y.insert(y.end(), own_y.begin(), own_y.end());
    expected.insert(expected.end(), z.begin(), z.end());
  }
  GridLaunch launch(ops);
  launch.tensor("x_ptr", c.in, {kPrograms, c.lanes}, x);
  launch.tensor("y_ptr", c.in, {kPrograms, c.lanes}, y);
  Tensor& z = launch.tensor("z_ptr", c.out, {kPrograms, c.results});
  const std::string n = std::to_string(c.lanes), r = std::to_string(c.results);
  std::string text = c.helpers.empty() ? "" : c.helpers + "\n\n@triton.jit\n";
  text +=
      "def kernel(x_ptr, y_ptr, z_ptr):\n    pid = tl.program_id(0) + tl.num_programs(0) * tl.program_id(1)\n    i = "
      "tl.arange(0, " +
      n + ")\n    x = tl.load(x_ptr + pid * " + n + " + i)\n    y = tl.load(y_ptr + pid * " + n + " + i)\n    " +
      c.body + "\n    tl.store(z_ptr + pid * " + r + (c.results > 1 ? " + tl.arange(0, " + r + ")" : "") + ", z)\n";
  RunOptions options;
  options.order = ProgramOrder::Shuffled;
  options.check.uninitialised = true;
  const std::string problem = fault_text(launch.run(text, {3, 2, 1}, options));
  CAPTURE(c.body);
  CAPTURE(std::string(dtype_name(c.in)));
  CHECK(problem == "");
  const Numbers got = values_of(z);
  for (size_t i = 0; i < got.size(); ++i) {
    const bool equal = got[i] == expected[i] || (std::isnan(got[i]) && std::isnan(expected[i])) ||
                       std::fabs(got[i] - expected[i]) <= c.tolerance * std::fabs(expected[i]);
    CHECK_MESSAGE(equal, "program " << i / static_cast<size_t>(c.results) << ", element "
                                    << i % static_cast<size_t>(c.results) << ": got " << got[i] << ", expected "
                                    << expected[i]);
  }
}

namespace {

struct LaneCase {
  const char* text;
  std::function<double(double, double)> expected;
};

/// A function of one lane of x and y.
void check_lane_case(const LaneCase& c, DType in, DType out, double tolerance, OpSet& ops) {
  TileCase t;
  t.body = std::string("z = ") + c.text;
  t.in = in;
  t.out = out;
  t.tolerance = tolerance;
  t.expected = [&](const Numbers& x, const Numbers& y) {
    Numbers z;
    for (size_t l = 0; l < x.size(); ++l) z.push_back(c.expected(x[l], y[l]));
    return z;
  };
  check_tile_case(t, ops);
}

int32_t i32(double x) { return static_cast<int32_t>(x); }
uint32_t u32(double x) { return static_cast<uint32_t>(i32(x)); }

const std::vector<LaneCase>& integer_cases() {
  static const std::vector<LaneCase> cases = {
      {"x + y", [](double a, double b) { return a + b; }},
      {"x - y", [](double a, double b) { return a - b; }},
      {"x * y", [](double a, double b) { return a * b; }},
      {"x // y", [](double a, double b) { return b == 0 ? -1 : std::trunc(a / b); }},
      {"x % y", [](double a, double b) { return b == 0 ? -1 : std::fmod(a, b); }},
      {"-x", [](double a, double) { return 0 - a; }},
      {"tl.abs(x)", [](double a, double) { return std::fabs(a); }},
      {"tl.minimum(x, y)", [](double a, double b) { return std::min(a, b); }},
      {"tl.maximum(x, y)", [](double a, double b) { return std::max(a, b); }},
      {"tl.umulhi(x, y)",
       [](double a, double b) { return static_cast<double>(static_cast<int32_t>((uint64_t{u32(a)} * u32(b)) >> 32)); }},
      {"x & y", [](double a, double b) { return i32(a) & i32(b); }},
      {"x | y", [](double a, double b) { return i32(a) | i32(b); }},
      {"x ^ y", [](double a, double b) { return i32(a) ^ i32(b); }},
      {"~x", [](double a, double) { return -a - 1; }},
      {"x << (y & 7)", [](double a, double b) { return a * (1 << (i32(b) & 7)); }},
      {"x >> (y & 7)", [](double a, double b) { return std::floor(a / (1 << (i32(b) & 7))); }},
      {"(x == y).to(tl.int32)", [](double a, double b) { return a == b; }},
      {"(x != y).to(tl.int32)", [](double a, double b) { return a != b; }},
      {"(x < y).to(tl.int32)", [](double a, double b) { return a < b; }},
      {"(x <= y).to(tl.int32)", [](double a, double b) { return a <= b; }},
      {"(x > y).to(tl.int32)", [](double a, double b) { return a > b; }},
      {"(x >= y).to(tl.int32)", [](double a, double b) { return a >= b; }},
      {"tl.where(x < y, x, y * 2)", [](double a, double b) { return a < b ? a : b * 2; }},
      {"libdevice.popc(x)", [](double a, double) { return std::popcount(u32(a)); }},
      {"libdevice.clz(x)", [](double a, double) { return std::countl_zero(u32(a)); }},
      {"libdevice.ffs(x)", [](double a, double) { return a == 0 ? 0 : std::countr_zero(u32(a)) + 1; }},
      {"libdevice.brev(libdevice.brev(x) >> 3)",
       [](double a, double) {
         return static_cast<double>((u32(a) << 3) | ((u32(a) & 1) != 0 ? 7u : 0u)) -
                ((u32(a) << 3 >> 31) != 0 ? 0x1p32 : 0);
       }},
      {"x.to(tl.int8)", [](double a, double) { return static_cast<int8_t>(i32(a)); }},
      {"(x * 1000).to(tl.int8)", [](double a, double) { return static_cast<int8_t>(i32(a) * 1000); }},
      {"x.to(tl.float32, bitcast=True).to(tl.int32, bitcast=True)",
       [](double a, double) { return a < 0 ? 2147483647 : a; }},
  };
  return cases;
}

const std::vector<LaneCase>& float_cases() {
  static const std::vector<LaneCase> cases = {
      {"x + y", [](double a, double b) { return a + b; }},
      {"x - y", [](double a, double b) { return a - b; }},
      {"x * y", [](double a, double b) { return a * b; }},
      {"x / y", [](double a, double b) { return a / b; }},
      {"x % y", [](double a, double b) { return std::fmod(a, b); }},
      {"tl.fma(x, y, x)", [](double a, double b) { return a * b + a; }},
      {"tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL)", [](double a, double b) { return std::min(a, b); }},
      {"tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)", [](double a, double b) { return std::max(a, b); }},
      {"tl.sqrt(tl.abs(x))", [](double a, double) { return std::sqrt(std::fabs(a)); }},
      {"tl.rsqrt(tl.abs(x))", [](double a, double) { return 1 / std::sqrt(std::fabs(a)); }},
      {"tl.exp(x)", [](double a, double) { return std::exp(a); }},
      {"tl.exp2(x)", [](double a, double) { return std::exp2(a); }},
      {"libdevice.expm1(x)", [](double a, double) { return std::expm1(a); }},
      {"tl.log(tl.abs(x))", [](double a, double) { return std::log(std::fabs(a)); }},
      {"tl.log2(tl.abs(x))", [](double a, double) { return std::log2(std::fabs(a)); }},
      {"libdevice.log10(tl.abs(x))", [](double a, double) { return std::log10(std::fabs(a)); }},
      {"libdevice.log1p(tl.abs(x))", [](double a, double) { return std::log1p(std::fabs(a)); }},
      {"tl.sin(x)", [](double a, double) { return std::sin(a); }},
      {"tl.cos(x)", [](double a, double) { return std::cos(a); }},
      {"libdevice.tan(x)", [](double a, double) { return std::tan(a); }},
      {"libdevice.asin(x / 8)", [](double a, double) { return std::asin(a / 8); }},
      {"libdevice.acos(x / 8)", [](double a, double) { return std::acos(a / 8); }},
      {"libdevice.atan(x)", [](double a, double) { return std::atan(a); }},
      {"libdevice.atan2(x, y)", [](double a, double b) { return std::atan2(a, b); }},
      {"libdevice.sinh(x)", [](double a, double) { return std::sinh(a); }},
      {"libdevice.cosh(x)", [](double a, double) { return std::cosh(a); }},
      {"libdevice.tanh(x)", [](double a, double) { return std::tanh(a); }},
      {"tl.erf(x)", [](double a, double) { return std::erf(a); }},
      {"libdevice.pow(tl.abs(x), y)", [](double a, double b) { return std::pow(std::fabs(a), b); }},
      {"tl.floor(x)", [](double a, double) { return std::floor(a); }},
      {"tl.ceil(x)", [](double a, double) { return std::ceil(a); }},
      {"libdevice.trunc(x)", [](double a, double) { return std::trunc(a); }},
      {"libdevice.rint(x)", [](double a, double) { return std::nearbyint(a); }},
      {"libdevice.round(x)", [](double a, double) { return std::round(a); }},
      {"libdevice.copysign(x, y)", [](double a, double b) { return std::copysign(a, b); }},
      {"libdevice.isnan(x / y).to(tl.int32) + 2 * libdevice.isinf(x / y).to(tl.int32) + 4 * libdevice.isfinited(x / "
       "y).to(tl.int32)",
       [](double a, double b) { return std::isnan(a / b) + 2 * std::isinf(a / b) + 4 * std::isfinite(a / b); }},
      {"x.to(tl.int32)", [](double a, double) { return std::trunc(a); }},
  };
  return cases;
}

/// Philox 4x32-10 as its authors write it.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> c, uint32_t k0, uint32_t k1) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * c[0], b = uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(a)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return c;
}

void random_grids(OpSet& ops) {
  check_lane_case({"tl.randint(1234, tl.abs(x) * 100 + tl.abs(y))",
                   [](double a, double b) {
                     return philox({u32(std::fabs(a) * 100 + std::fabs(b)), 0, 0, 0}, 1234, 0)[0];
                   }},
                  DType::Int32, DType::UInt32, 0, ops);
  check_lane_case({"tl.rand(5, tl.abs(x))",
                   [](double a, double) {
                     const auto word = static_cast<int32_t>(philox({u32(std::fabs(a)), 0, 0, 0}, 5, 0)[0]);
                     return static_cast<float>(word < 0 ? -word - 1 : word) * 4.6566127342e-10f;
                   }},
                  DType::Int32, DType::Float32, 0, ops);
}

}  // namespace

void elementwise_grids(OpSet& ops) {
  for (const LaneCase& c : integer_cases()) check_lane_case(c, DType::Int32, DType::Int32, 0, ops);
  for (const LaneCase& c : float_cases()) {
    check_lane_case(c, DType::Float32, DType::Float32, 1e-6, ops);
    if (std::strstr(c.text, "isfinited") == nullptr) check_lane_case(c, DType::Float64, DType::Float64, 1e-12, ops);
  }
  for (DType t : {DType::Float16, DType::BFloat16})
    check_lane_case({"x + y", [](double a, double b) { return a + b; }}, t, t, 1e-2, ops);
  random_grids(ops);
}

TEST_CASE("elementwise ops work in every program of a grid on that program's data") {
  OpSet ops;
  elementwise_grids(ops);
  CHECK(ops.size() > 60);
}

TEST_CASE("every op of the table is run in a grid of several programs") {
  OpSet ops;
  for (auto run : {elementwise_grids, shape_grids, collective_grids, memory_grids, control_grids, debug_grids})
    run(ops);
  std::string missing;
  for (int k = 0; k < op_count(); ++k)
    if (ops.count(static_cast<OpCode>(k)) == 0) missing += std::string(op_info(static_cast<OpCode>(k)).name) + " ";
  CHECK(missing == "");
}

}  // namespace tilescope::testing
