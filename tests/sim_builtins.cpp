// What the builtins compute, beyond the conformance cases: run in the simulator against plain C++.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/compile.h"
#include "core/tensor.h"
#include "sim/run.h"

using namespace tilescope;

namespace {

constexpr int kLanes = 32;
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Tensor tensor_of(const std::string& name, DType dtype, const std::vector<double>& values) {
  Expected<Tensor> t = allocate_tensor(name, dtype, TensorLayout::contiguous({kLanes}));
  REQUIRE(t.ok());
  for (int i = 0; i < kLanes; ++i) {
    double v = static_cast<size_t>(i) < values.size() ? values[static_cast<size_t>(i)] : 0;
    if (is_float(dtype))
      write_double(dtype, t->element(i), v);
    else
      write_int64(dtype, t->element(i), static_cast<int64_t>(v));
  }
  return std::move(*t);
}

struct Inputs {
  std::vector<double> x, y, i;
};

/// Runs `body` in a kernel where r is 0 .. 31 and x, y (f32) and i (i32) are loaded from 32 elements each; it stores to
/// o_ptr (f64, 32 elements, zero before).
std::vector<double> result_of(const std::string& body, const Inputs& in = {}) {
  std::string text =
      "import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n\n\n"
      "@triton.jit\ndef welford(m, s, n, m2, s2, n2):\n    d = m2 - m\n    t = n + n2\n"
      "    return m + d * n2 / t, s + s2 + d * d * n * n2 / t, t\n\n\n"
      "@triton.jit\ndef first(a, b):\n    return a\n\n\n"
      "@triton.jit\ndef unrolled(a, b):\n    s = a * 0\n    for k in tl.static_range(2):\n        s += a if k == 0 else b\n    return s\n\n\n"
      "@triton.jit\ndef early(a, b):\n    if a > b:\n        return a\n    return b\n\n\n"
      "@triton.jit\ndef farther(a, b):\n    if tl.abs(a) == tl.abs(b):\n        return tl.maximum(a, b)\n"
      "    if tl.abs(a) > tl.abs(b):\n        r = a\n    else:\n        r = b if b != 0 else 0.0\n    return r\n\n\n"
      "@triton.jit\ndef kernel(x_ptr, y_ptr, i_ptr, o_ptr):\n    r = tl.arange(0, 32)\n    x = tl.load(x_ptr + r)\n"
      "    y = tl.load(y_ptr + r)\n    i = tl.load(i_ptr + r)\n";
  for (size_t from = 0; from < body.size();) {
    size_t end = std::min(body.find('\n', from), body.size());
    text += "    " + body.substr(from, end - from) + "\n";
    from = end + 1;
  }
  CompileRequest request;
  request.source = std::make_shared<SourceFile>(SourceFile{"kernel.py", text});
  request.kernel = "kernel";
  request.args = {{"x_ptr", PointerArg{DType::Float32}},
                  {"y_ptr", PointerArg{DType::Float32}},
                  {"i_ptr", PointerArg{DType::Int32}},
                  {"o_ptr", PointerArg{DType::Float64}}};
  Expected<CompiledKernel> k = compile_kernel(request);
  if (!k.ok()) FAIL(render(k.errors()));
  std::vector<Tensor> tensors;
  tensors.push_back(tensor_of("x_ptr", DType::Float32, in.x));
  tensors.push_back(tensor_of("y_ptr", DType::Float32, in.y));
  tensors.push_back(tensor_of("i_ptr", DType::Int32, in.i));
  tensors.push_back(tensor_of("o_ptr", DType::Float64, {}));
  std::vector<Argument> arguments;
  for (const Param& p : k->function.params)
    for (Tensor& t : tensors)
      if (t.name == p.name) arguments.push_back({&t, 0});
  RunOptions options;
  options.threads = 1;
  options.check.uninitialised = true;
  RunTrace trace = run(k->function, arguments, {1, 1, 1}, options);
  for (const Fault& f : trace.faults) FAIL(render(to_diagnostic(f)));
  std::vector<double> out;
  for (int i = 0; i < kLanes; ++i) out.push_back(read_double(DType::Float64, tensors[3].element(i)));
  return out;
}

/// The same for one expression of 32 lanes.
std::vector<double> lanes_of(const std::string& expression, const Inputs& in) {
  return result_of("tl.store(o_ptr + r, (" + expression + ").to(tl.float64))", in);
}

void check_close(const std::vector<double>& got, const std::vector<double>& want, double tolerance) {
  for (size_t i = 0; i < want.size(); ++i) {
    if (std::isnan(want[i]))
      CHECK(std::isnan(got[i]));
    else if (std::isinf(want[i]))
      CHECK(got[i] == want[i]);
    else
      CHECK_MESSAGE(std::abs(got[i] - want[i]) <= tolerance * std::max(1e-30, std::abs(want[i])),
                    i << ": " << got[i] << " " << want[i]);
  }
}

template <class Fn>
std::vector<double> mapped(const std::vector<double>& x, Fn fn) {
  std::vector<double> out;
  for (double v : x) out.push_back(fn(v));
  return out;
}

}  // namespace

TEST_CASE("conversions towards zero never leave the larger magnitude") {
  const std::vector<double> x = {1.0009, -1.0009, 65519, 1e30, -1e30, kInf, -kInf, kNan, 1e-8, 0.0, 3.0, 1.99999};
  CHECK(lanes_of("x.to(tl.float16, fp_downcast_rounding='rtz')", {x, {}, {}})[0] == 1.0);
  check_close(lanes_of("x.to(tl.float16, fp_downcast_rounding='rtz')", {x, {}, {}}),
              {1.0, -1.0, 65504, 65504, -65504, kInf, -kInf, kNan, 0.0, 0.0, 3.0, 1.9990234375}, 0);
  const std::vector<double> bf16 = lanes_of("x.to(tl.bfloat16, fp_downcast_rounding='rtz')", {x, {}, {}});
  for (size_t i : {0u, 1u, 2u, 3u, 4u, 8u, 10u, 11u}) {
    float value = static_cast<float>(x[i]);
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    bits &= 0xffff0000u;
    std::memcpy(&value, &bits, 4);
    CHECK(bf16[i] == value);
  }
}

TEST_CASE("functions that the prelude writes agree with C++") {
  const std::vector<double> x = {0.0, 0.5, -0.5, 1e-4, -3.0, 25.0, 1e10, -1e30, kInf, kNan};
  check_close(lanes_of("libdevice.asinh(x)", {x, {}, {}}), mapped(x, [](double v) { return std::asinh(v); }), 1e-6);
  const std::vector<double> above = {1.0, 1.5, 2.0, 1e3, 1e12, 3e38, kInf};
  check_close(lanes_of("libdevice.acosh(x)", {above, {}, {}}), mapped(above, [](double v) { return std::acosh(v); }),
              1e-6);
  const std::vector<double> inside = {0.0, 0.25, -0.75, 0.99, 1e-6};
  check_close(lanes_of("libdevice.atanh(x)", {inside, {}, {}}),
              mapped(inside, [](double v) { return std::atanh(static_cast<float>(v)); }), 1e-6);
  const std::vector<double> a = {3.0, 3e30, 1e-30, 0.0, kInf, kNan, -5.0}, b = {4.0, 4e30, 0.0, 0.0, kNan, 1.0, 12.0};
  check_close(lanes_of("libdevice.hypot(x, y)", {a, b, {}}), {5.0, 5e30, 1e-30, 0.0, kInf, kNan, 13.0}, 1e-6);
  check_close(lanes_of("libdevice.fdim(x, y)", {{5.0, 1.0, kInf, kNan}, {3.0, 2.0, kInf, 0.0}, {}}),
              {2.0, 0.0, 0.0, kNan}, 0);
  check_close(lanes_of("libdevice.saturatef(x)", {{-1.0, 0.25, 7.0, kNan}, {}, {}}), {0.0, 0.25, 1.0, 0.0}, 0);
}

TEST_CASE("bits and conversions of libdevice") {
  const std::vector<double> i = {1, -1, 2147483647, -2147483648.0, 123456789, 0};
  std::vector<double> high, counts;
  for (double v : i) {
    high.push_back(static_cast<double>((static_cast<int64_t>(v) * 1000003) >> 32));
    counts.push_back(__builtin_popcount(static_cast<uint32_t>(static_cast<int64_t>(v))));
  }
  check_close(lanes_of("libdevice.mulhi(i, 1000003)", {{}, {}, i}), high, 0);
  check_close(lanes_of("libdevice.popc(i)", {{}, {}, i}), counts, 0);
  const std::vector<double> x = {1.5, -1.5, 2.5, -0.5, -0.0};
  check_close(lanes_of("libdevice.float2int_rn(x)", {x, {}, {}}), {2, -2, 2, 0, 0}, 0);
  check_close(lanes_of("libdevice.float2int_rd(x)", {x, {}, {}}), {1, -2, 2, -1, 0}, 0);
  check_close(lanes_of("libdevice.float2int_ru(x)", {x, {}, {}}), {2, -1, 3, 0, 0}, 0);
  check_close(lanes_of("libdevice.llround(x)", {x, {}, {}}), {2, -2, 3, -1, 0}, 0);
  check_close(lanes_of("libdevice.signbit(x)", {x, {}, {}}), {0, 1, 0, 1, 1}, 0);
  check_close(lanes_of("libdevice.pow(x, 2)", {x, {}, {}}), {2.25, 2.25, 6.25, 0.25, 0}, 1e-6);
}

TEST_CASE("Philox with another number of rounds, and with 64-bit words") {
  auto philox32 = [](uint32_t c0, uint32_t k0, uint32_t k1, int rounds) {
    std::array<uint32_t, 4> c = {c0, 0, 0, 0};
    for (int n = 0; n < rounds; ++n) {
      const uint64_t a = uint64_t{0xD2511F53} * c[0], b = uint64_t{0xCD9E8D57} * c[2];
      c = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(b),
           static_cast<uint32_t>(a >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(a)};
      k0 += 0x9E3779B9;
      k1 += 0xBB67AE85;
    }
    return c[0];
  };
  for (int rounds : {0, 3, 7, 10}) {
    const std::vector<double> got = lanes_of("tl.randint(12345, r, n_rounds=" + std::to_string(rounds) + ")", {});
    for (uint32_t lane = 0; lane < kLanes; ++lane) CHECK(got[lane] == philox32(lane, 12345, 0, rounds));
  }
  // The halves of one 64-bit word, so that a double holds each exactly.
  auto word64 = [](uint64_t c0, uint64_t k0, int rounds) {
    uint64_t c[4] = {c0, 7, 0, 1}, k1 = 0;
    for (int n = 0; n < rounds; ++n) {
      const auto a = static_cast<unsigned __int128>(0xD2E7470EE14C6C93u) * c[0];
      const auto b = static_cast<unsigned __int128>(0xCA5A826395121157u) * c[2];
      const uint64_t n0 = static_cast<uint64_t>(b >> 64) ^ c[1] ^ k0, n2 = static_cast<uint64_t>(a >> 64) ^ c[3] ^ k1;
      c[0] = n0, c[1] = static_cast<uint64_t>(b), c[2] = n2, c[3] = static_cast<uint64_t>(a);
      k0 += 0x9E3779B97F4A7C15u;
      k1 += 0xBB67AE8584CAA73Bu;
    }
    return c[0];
  };
  for (int rounds : {4, 10}) {
    const std::vector<double> got = lanes_of(
        "tl.philox(99, r.to(tl.int64), tl.full((), 7, tl.int64), tl.full((), 0, tl.int64), "
        "tl.full((), 1, tl.int64), n_rounds=" +
            std::to_string(rounds) + ")[0] >> 32",
        {});
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      CHECK(got[lane] == static_cast<double>(word64(lane, 99, rounds) >> 32));
  }
}

TEST_CASE("a few instructions of assembly compute what they name") {
  const Inputs in{{1.5, -2, 0.25}, {3, 0.5, -8}, {1, -1, 12}};
  const auto floats = result_of(
      "v = tl.inline_asm_elementwise('{ .reg .f32 t; mul.f32 t, $1, 0f40000000; fma.rn.f32 $0, t, $2, 1.0; }',"
      " '=r,r,r', [x, y], tl.float32, True, 1)\ntl.store(o_ptr + r, v.to(tl.float64))",
      in);
  CHECK(floats[0] == 10);
  CHECK(floats[1] == -1);
  CHECK(floats[2] == -3);
  const auto ints = result_of(
      "v, w = tl.inline_asm_elementwise('shl.b32 $0, $2, 4; // times 16\\n or.b32 $0, $0, 3; shr.s32 $1, $2, 1;',"
      " '=r,=r,r', [i], (tl.int32, tl.int32), True, 1)\ntl.store(o_ptr + r, (v * 1000 + w).to(tl.float64))",
      in);
  CHECK(ints[0] == 19 * 1000);
  CHECK(ints[1] == -13 * 1000 - 1);
  CHECK(ints[2] == 195 * 1000 + 6);
}

TEST_CASE("assembly under a predicate changes a register only where it holds, and NaN answers no comparison") {
  const Inputs in{{1, 30, -2, kNan, 20}, {}, {}};
  const std::vector<double> capped = lanes_of(
      "tl.inline_asm_elementwise('{ .reg .pred p; setp.gt.f32 p, $1, 20.; @p mov.f32 $0, 0f41A00000; @!p mul.f32 $0, $1, 2.; }', '=f,f', [x], "
      "tl.float32, True, 1)", in);
  CHECK(capped[0] == 2);
  CHECK(capped[1] == 20);
  CHECK(capped[2] == -4);
  CHECK(std::isnan(capped[3]));
  CHECK(capped[4] == 40);
  const std::vector<double> chosen = lanes_of(
      "tl.inline_asm_elementwise('{ .reg .pred p; setp.ne.f32 p, $1, 1.0; selp.s32 $0, 7, 9, p; }', '=r,f', [x], tl.int32, True, 1)", in);
  CHECK(chosen[0] == 9);
  CHECK(chosen[1] == 7);
  CHECK(chosen[3] == 9);
}

TEST_CASE("prmt picks bytes and copies signs, lop3 looks bits up, and pairs of e4m3 lie upper half first") {
  Inputs in;
  for (int i = 0; i < kLanes; ++i) {
    in.i.push_back(i * 40503001 - 700000000);
    in.x.push_back(std::ldexp(1 + i / 37.0, i % 23 - 12) * (i % 3 == 0 ? -1 : 1));
    in.y.push_back(i * 20.0 - 300);
  }
  const auto word = [&](int i) { return static_cast<uint32_t>(static_cast<int32_t>(in.i[static_cast<size_t>(i)])); };
  // Selector 0x9274: the bytes 4 and 7, byte 2, and eight copies of the sign of byte 1.
  const std::vector<double> bytes = lanes_of(
      "tl.inline_asm_elementwise('prmt.b32 $0, $1, $2, 0x9274;', '=r,r,r', [i, i ^ 0x5A5A5A5A], tl.uint32, True, 1)", in);
  const std::vector<double> bits = lanes_of(
      "tl.inline_asm_elementwise('lop3.b32 $0, $1, $2, $3, 0xEA;', '=r,r,r,r', [i, i >> 3, r * 77777], tl.uint32, True, 1)", in);
  for (int i = 0; i < kLanes; ++i) {
    const uint32_t a = word(i), b = a ^ 0x5A5A5A5A;
    const uint64_t both = static_cast<uint64_t>(b) << 32 | a;
    const auto byte = [&](int k) { return static_cast<uint32_t>(both >> (8 * k) & 0xff); };
    const uint32_t want = byte(4) | byte(7) << 8 | byte(2) << 16 | ((byte(1) >> 7) != 0 ? 0xffu : 0u) << 24;
    CHECK(bytes[static_cast<size_t>(i)] == want);
    const uint32_t third = static_cast<uint32_t>(i * 77777), shifted = static_cast<uint32_t>(static_cast<int32_t>(a) >> 3);
    CHECK(bits[static_cast<size_t>(i)] == ((a & shifted) | third));
  }
  const std::vector<double> pairs = lanes_of(
      "tl.inline_asm_elementwise('{ .reg .b16 two; cvt.rn.satfinite.e4m3x2.f32 two, $1, $2; cvt.u32.u16 $0, two; }', '=r,f,f', [x, y], tl.int32, "
      "True, 1)", in);
  const std::vector<double> upper = lanes_of("x.to(tl.float8e4nv).to(tl.uint8, bitcast=True)", in), lower = lanes_of("y.to(tl.float8e4nv).to(tl.uint8, bitcast=True)", in);
  for (size_t i = 0; i < kLanes; ++i) CHECK(pairs[i] == upper[i] * 256 + lower[i]);
  CHECK(lower[0] == 0xF9);  // -300 lies between -288 and -320 (0xfa)
}

TEST_CASE("with pack the assembly sees neighbouring elements at once") {
  Inputs in;
  for (int i = 0; i < kLanes; ++i) in.x.push_back(i * i - 5);
  const std::vector<double> swapped = lanes_of(
      "tl.inline_asm_elementwise('mov.b32 $0, $3; mov.b32 $1, $2;', '=r,=r,r,r', [x], tl.float32, True, 2)", in);
  const std::vector<double> turned = lanes_of(
      "tl.reshape(tl.inline_asm_elementwise('mov.b32 $0, $5; mov.b32 $1, $6; mov.b32 $2, $7; mov.b32 $3, $4;', '=r,=r,=r,=r,r,r,r,r', "
      "[tl.reshape(x, (4, 8))], tl.float32, True, 4), (32,))", in);
  for (size_t i = 0; i < kLanes; ++i) {
    CHECK(swapped[i] == in.x[i ^ 1]);
    CHECK(turned[i] == in.x[i / 4 * 4 + (i + 1) % 4]);
  }
}

TEST_CASE("inputs that the assembly does not read count for the shape of its result, and so do numbers") {
  const Inputs in{{1.5, -2, 0.25}, {}, {}};
  const auto outer = result_of(
      "s = tl.inline_asm_elementwise('mov.f32 $0, $2;', '=r,r,r', [x, tl.sum(x)], tl.float32, True, 1)\n"
      "tl.static_assert(s.shape[0] == x.shape[0])\n"
      "m = tl.inline_asm_elementwise('mov.b32 $0, $2;', '=r,r,r,r', [tl.reshape(i, (32, 1)), 7, tl.arange(0, 2)[None, :]], tl.int32, True, 1)\n"
      "tl.static_assert(m.shape[0] == 32 and m.shape[1] == 2)\n"
      "tl.store(o_ptr + r, (s + tl.sum(m, 1)).to(tl.float64))",
      in);
  for (const double v : outer) CHECK(v == -0.25 + 14);
  const auto one = result_of("tl.store(o_ptr + r, tl.inline_asm_elementwise('add.s32 $0, $1, $2;', '=r,r,r', [2, 3], tl.int32, True, 1).to(tl.float64))");
  CHECK(one[31] == 5);
}

TEST_CASE("waiting for other launches computes nothing") {
  const std::vector<double> got = result_of(
      "tl.inline_asm_elementwise('griddepcontrol.wait; // dummy $0', '=r', [], dtype=tl.int32, is_pure=False, pack=1)\ntl.store(o_ptr + r, r.to(tl.float64))");
  CHECK(got[31] == 31);
}

TEST_CASE("dot_scaled unpacks 4-bit floats and multiplies the power of two of each 32 in") {
  const std::string product =
      "m = tl.arange(0, 16)[:, None]\nk = tl.arange(0, 32)[None, :]\ng = tl.arange(0, 2)[None, :]\n"
      "a = (m * 17 + k * 0).to(tl.uint8)\nb = tl.full((64, 16), 1.0, tl.bfloat16)\n"
      "s = tl.where(m == 3, 255, 127 + g).to(tl.uint8)\n"
      "v = tl.max(tl.dot_scaled(a, s, 'e2m1', b, None, 'bf16'), 1, return_indices=False)\n";
  const auto got = result_of(product + "tl.store(o_ptr + tl.arange(0, 16), v.to(tl.float64))");
  const double table[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (size_t code = 0; code < 16; ++code) {
    CAPTURE(code);
    if (code != 3) CHECK(got[code] == (code < 8 ? 1 : -1) * table[code % 8] * 96);
  }
  CHECK(std::isnan(result_of("a = tl.full((16, 32), 1.0, tl.float8e5)\nb = tl.full((32, 16), 2.0, tl.float8e4nv)\n"
                             "s = tl.full((16, 1), 255, tl.uint8)\nt = tl.full((16, 1), 126, tl.uint8)\n"
                             "v = tl.sum(tl.dot_scaled(a, s, 'e5m2', b, t, 'e4m3'))\ntl.store(o_ptr, v.to(tl.float64))")[0]));
  CHECK(result_of("a = tl.full((16, 32), 1.0, tl.float8e5)\nb = tl.full((32, 16), 2.0, tl.float8e4nv)\n"
                  "t = tl.full((16, 1), 126, tl.uint8)\nacc = tl.full((16, 16), 0.5, tl.float32)\n"
                  "v = tl.sum(tl.dot_scaled(a, None, 'e5m2', b, t, 'e4m3', acc))\ntl.store(o_ptr, v.to(tl.float64))")[0] ==
        256 * 32.5);
}

TEST_CASE("swizzle2d renumbers a 4 x 4 grid in groups of two rows") {
  const std::vector<double> got = result_of(
      "a, b = tl.swizzle2d(r // 4, r % 4, 4, 4, 2)\ntl.store(o_ptr + r, (a * 4 + b).to(tl.float64), mask=r < 16)");
  // Program p works on tile got[p]: columns first within two rows.
  const double want[16] = {0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15};
  for (int p = 0; p < 16; ++p) CHECK(got[static_cast<size_t>(p)] == want[p]);
}

TEST_CASE("blocks beyond the tensor's edge are padded when loaded and left out when stored") {
  Inputs in;
  for (int k = 0; k < kLanes; ++k) in.x.push_back(k + 1);
  // A 3 x 5 view; the block of 4 x 8 starts at row 1.
  std::vector<double> got = result_of(
      "p = tl.make_block_ptr(x_ptr, (3, 5), (5, 1), (0, 0), (4, 8), (1, 0))\np = tl.advance(p, (1, 0))\n"
      "v = tl.load(p, boundary_check=(0, 1))\ntl.store(o_ptr + r, tl.ravel(v).to(tl.float64))",
      in);
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 8; ++column)
      CHECK(got[static_cast<size_t>(row * 8 + column)] == (row < 2 && column < 5 ? (row + 1) * 5 + column + 1 : 0));
  got = result_of(
      "d = tl.make_tensor_descriptor(x_ptr, [3, 5], [5, 1], [4, 8], padding_option='nan')\nv = d.load([-1, 2])\n"
      "tl.store(o_ptr + r, tl.ravel(v).to(tl.float64))",
      in);
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 8; ++column) {
      const double v = got[static_cast<size_t>(row * 8 + column)];
      if (row >= 1 && column < 3)
        CHECK(v == (row - 1) * 5 + column + 3);
      else
        CHECK(std::isnan(v));
    }
  got = result_of(
      "d = tl.make_tensor_descriptor(o_ptr, [3, 5], [5, 1], [4, 8])\n"
      "d.store([1, 1], tl.reshape(x, (4, 8)).to(tl.float64))",
      in);
  for (int k = 0; k < kLanes; ++k) {
    const int row = k / 5 - 1, column = k % 5 - 1;
    CHECK(got[static_cast<size_t>(k)] == (k < 15 && row >= 0 && column >= 0 ? row * 8 + column + 1 : 0));
  }
  got = result_of(
      "d = tl.make_tensor_descriptor(x_ptr, [4, 8], [8, 1], [1, 4])\nv = d.gather(tl.arange(0, 8) % 5, 4)\n"
      "tl.store(o_ptr + r, tl.ravel(v).to(tl.float64))",
      in);
  for (int k = 0; k < kLanes; ++k) {
    const int row = (k / 4) % 5;
    CHECK(got[static_cast<size_t>(k)] == (row < 4 ? row * 8 + 4 + k % 4 + 1 : 0));
  }
}

TEST_CASE("an atomic maximum of floats keeps a NaN, a minimum drops it, as bits compare on the GPU") {
  const std::vector<double> x = {kNan, -2.0, 3.0, -0.0};
  const std::vector<double> greatest = result_of("tl.atomic_max(o_ptr + r, x.to(tl.float64), mask=r < 4)", {x, {}, {}});
  CHECK(std::isnan(greatest[0]));
  CHECK(greatest[1] == 0);
  CHECK(greatest[2] == 3);
  CHECK_FALSE(std::signbit(greatest[3]));
  const std::vector<double> least = result_of("tl.atomic_min(o_ptr + r, x.to(tl.float64), mask=r < 4)", {x, {}, {}});
  CHECK(least[0] == 0);
  CHECK(least[1] == -2);
  CHECK(std::signbit(least[3]));
}

TEST_CASE("tuples are reduced and scanned by a user's function") {
  Inputs in;
  double mean = 0, squares = 0;
  for (int k = 0; k < kLanes; ++k) in.x.push_back(k * k % 13);
  for (double v : in.x) mean += v / kLanes;
  for (double v : in.x) squares += (v - mean) * (v - mean);
  const std::vector<double> got = result_of(
      "m, s, n = tl.reduce((x, tl.zeros_like(x), tl.full((32,), 1.0, tl.float32)), 0, welford)\n"
      "tl.store(o_ptr, m.to(tl.float64))\ntl.store(o_ptr + 1, s.to(tl.float64))\ntl.store(o_ptr + 2, "
      "n.to(tl.float64))\n"
      "a, b, c = tl.associative_scan((x, tl.zeros_like(x), tl.full((32,), 1.0, tl.float32)), 0, welford)\n"
      "tl.store(o_ptr + 3 + r, a.to(tl.float64), mask=r < 2)\n"
      "tl.store(o_ptr + 5, tl.reduce(x, 0, first).to(tl.float64))",
      in);
  CHECK(got[0] == doctest::Approx(mean));
  CHECK(got[1] == doctest::Approx(squares));
  CHECK(got[2] == kLanes);
  CHECK(got[3] == in.x[0]);
  CHECK(got[4] == (in.x[0] + in.x[1]) / 2);
  CHECK(got[5] == in.x[0]);
}

TEST_CASE("a combine function may branch: every lane goes its own way") {
  const Inputs in{{1, -5, 3, 4, 5, -2}, {}, {}};
  const auto got = result_of(
      "tl.store(o_ptr + r, tl.associative_scan(x, 0, farther).to(tl.float64))\n"
      "tl.store(o_ptr + 31, tl.reduce(-x, 0, farther).to(tl.float64) + 100)",
      in);
  const double running[] = {1, -5, -5, -5, 5, 5};
  for (size_t i = 0; i < 6; ++i) CHECK(got[i] == running[i]);
  CHECK(got[31] == 105);
}

TEST_CASE("a combine function may return early and unroll a loop; one that loops at run time is refused with its line") {
  Inputs in;
  for (int k = 0; k < kLanes; ++k) in.x.push_back((k * 7) % 32), in.i.push_back((k * 11) % 40 - 20);
  const auto got = result_of(
      "tl.store(o_ptr + r, tl.associative_scan(x, 0, unrolled).to(tl.float64))\n"
      "tl.store(o_ptr + 31, tl.reduce(i, 0, early).to(tl.float64))",
      in);
  double sum = 0, last = in.i[0];
  for (int k = 0; k < kLanes; ++k) {
    sum += in.x[static_cast<size_t>(k)];
    if (k < 31) CHECK(got[static_cast<size_t>(k)] == sum);
    last = std::max(last, in.i[static_cast<size_t>(k)]);
  }
  CHECK(got[31] == last);
  for (const std::string loop : {"for k in range(3):", "while r < b:"}) {
    CompileRequest request;
    request.source = std::make_shared<SourceFile>(SourceFile{
        "kernel.py", "import triton\nimport triton.language as tl\n@triton.jit\ndef loops(a, b):\n    r = a\n    " + loop +
                         "\n        r = tl.maximum(r, b)\n    return r\n@triton.jit\ndef kernel(p):\n"
                         "    tl.store(p, tl.reduce(tl.load(p + tl.arange(0, 8)), 0, loops))\n"});
    request.kernel = "kernel";
    request.args = {{"p", PointerArg{DType::Float32}}};
    const Expected<CompiledKernel> k = compile_kernel(request);
    REQUIRE_FALSE(k.ok());
    CHECK(k.errors()[0].message == "a run-time loop inside a combine function is not supported");
    REQUIRE(k.errors()[0].labels.size() == 1);
    CHECK(k.errors()[0].labels[0].range.line == 6);
  }
}

TEST_CASE("ties of argmax, sorting, counting and moving elements") {
  Inputs in;
  for (int k = 0; k < kLanes; ++k) in.x.push_back(k % 8), in.i.push_back(k % 5);
  std::vector<double> got = result_of(
      "tl.store(o_ptr, tl.argmax(x, 0).to(tl.float64))\n"
      "tl.store(o_ptr + 1, tl.argmax(x, 0, tie_break_left=False).to(tl.float64))\n"
      "tl.store(o_ptr + 2, tl.argmin(x, 0).to(tl.float64))\n"
      "tl.store(o_ptr + 8 + tl.arange(0, 8), tl.histogram(i, 8).to(tl.float64))\n"
      "tl.store(o_ptr + 16 + tl.arange(0, 8), tl.histogram(i, 8, mask=r < 3).to(tl.float64))\n"
      "tl.store(o_ptr + 24 + tl.arange(0, 4), tl.topk(x, 4).to(tl.float64))",
      in);
  CHECK(got[0] == 7);
  CHECK(got[1] == 31);
  CHECK(got[2] == 0);
  for (size_t bin = 0; bin < 8; ++bin) {
    CHECK(got[8 + bin] == (bin < 2 ? 7 : bin < 5 ? 6 : 0));
    CHECK(got[16 + bin] == (bin < 3 ? 1 : 0));
  }
  for (size_t k = 24; k < 28; ++k) CHECK(got[k] == 7);
  got = lanes_of("tl.flip(x.reshape(4, 8), 1).reshape(32)", in);
  for (int k = 0; k < kLanes; ++k) CHECK(got[static_cast<size_t>(k)] == 7 - k % 8);
  got = lanes_of("tl.join(x, y).permute(1, 0).reshape(64).reshape(2, 32).sum(0)", in);
  for (int k = 0; k < kLanes; ++k) CHECK(got[static_cast<size_t>(k)] == k % 8);
  got = lanes_of("tl.sort(x, descending=True)", in);
  for (int k = 0; k < kLanes; ++k) CHECK(got[static_cast<size_t>(k)] == 7 - k / 4);
}

TEST_CASE("a tile of two elements splits into scalars, and a tile of one is an item") {
  const std::vector<double> got = result_of(
      "a, b = tl.split(tl.sum(tl.reshape(x, (16, 2)), 0))\n"
      "c = tl.sum(tl.reshape(x, (1, 32)), 1).item()\n"
      "tl.store(o_ptr, a)\ntl.store(o_ptr + 1, b)\ntl.store(o_ptr + 2, c)",
      {{1, 2, 3, 4}, {}, {}});
  CHECK(got[0] == 4);
  CHECK(got[1] == 6);
  CHECK(got[2] == 10);
}
