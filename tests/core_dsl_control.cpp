// Loops, branches, assignment and names in kernels written in C++, against the same Triton text.
#include "core/dsl.h"
#include "tests/core_dsl_compare.h"

using namespace tilescope;
using namespace tilescope::test;
namespace tl = tilescope::dsl;

TEST_CASE("nested loops in C++ carry the variables that the Triton text carries") {
  check_same_ir(R"(x_ptr=*f32 n=7
@triton.jit
def k(x_ptr, n):
    a = 0
    b = 1.5
    c = tl.program_id(0)
    for i in range(0, n):
        b = b * 2.0
        for j in tl.range(i, n, 2, num_stages=3):
            a += j
            t = c + a
            b = b + t
    tl.store(x_ptr + a, b + c)
)",
                tl::kernel("k", [](tl::Kernel& k) {
                  auto x_ptr = k.pointer("x_ptr");
                  auto n = k.scalar("n");
                  tl::Value a = 0;
                  tl::Value b = 1.5;
                  auto c = tl::program_id(0);
                  for (auto i : tl::range(0, n)) {
                    b = b * 2.0;
                    for (auto j : tl::range(i, n, 2, {.num_stages = 3})) {
                      a += j;
                      auto t = c + a;
                      b = b + t;
                    }
                  }
                  tl::store(x_ptr + a, b + c);
                }));
}

TEST_CASE("branches in C++ join as in the Triton text, also nested and with variables that only they assign") {
  check_same_ir(R"(x_ptr=*f32 n=7 m=1
@triton.jit
def k(x_ptr, n, m):
    z = 1
    a = 2.0
    if n > 3:
        z = z + n
        y = 5
        if n > 9:
            a = a * 3.0
    else:
        y = 6 + n
    if m == 1:
        a = a + 1.0
    tl.store(x_ptr + z + y, a)
)",
                tl::kernel("k", [](tl::Kernel& k) {
                  auto x_ptr = k.pointer("x_ptr");
                  auto n = k.scalar("n"), m = k.scalar("m");
                  tl::Value z = 1;
                  tl::Value a = 2.0;
                  tl::Value y;
                  tl::if_(
                      n > 3,
                      [&] {
                        z = z + n;
                        y = 5;
                        tl::if_(n > 9, [&] { a = a * 3.0; });
                      },
                      [&] { y = 6 + n; });
                  tl::if_(m == 1, [&] { a = a + 1.0; });
                  tl::store(x_ptr + z + y, a);
                }));
}

TEST_CASE("a while loop and an exchange of two variables in C++ are those of the Triton text") {
  check_same_ir(R"(x_ptr=*i32 n=7
@triton.jit
def k(x_ptr, n):
    a = tl.load(x_ptr)
    b = tl.load(x_ptr + 1)
    while a < n:
        t = a + b
        a = b
        b = t
    tl.store(x_ptr, a)
)",
                tl::kernel("k", [](tl::Kernel& k) {
                  auto x_ptr = k.pointer("x_ptr");
                  auto n = k.scalar("n");
                  auto a = tl::load(x_ptr);
                  auto b = tl::load(x_ptr + 1);
                  tl::while_([&] { return a < n; },
                             [&] {
                               auto t = a + b;
                               a = b;
                               b = t;
                             });
                  tl::store(x_ptr, a);
                }));
}

TEST_CASE("std::swap of two variables in a loop exchanges them from one iteration to the next") {
  auto host = tl::kernel("k", [](tl::Kernel& k) {
    auto x_ptr = k.pointer("x_ptr");
    auto n = k.scalar("n");
    auto a = tl::load(x_ptr);
    auto b = tl::load(x_ptr + 1);
    for (auto i : tl::range(n)) std::swap(a, b);
    tl::store(x_ptr, a);
  });
  Expected<CompiledKernel> built = compile_kernel(host_request("x_ptr=*i32 n=7", host));
  REQUIRE(built.ok());
  const std::string ir = print(built->function);
  CHECK(ir.find("(%i: i32, %a_2: i32, %b_2: i32) {\n    yield %b_2, %a_2\n  }\n  store %x_ptr, %a_1") !=
        std::string::npos);
}

TEST_CASE("a C++ loop unrolls, and C++ conditions choose while the kernel is built") {
  check_same_ir(R"(x_ptr=*f32 n=100 BLOCK=64 FLAG=True MODE="relu" bias=None
@triton.jit
def k(x_ptr, n, bias, BLOCK: tl.constexpr, FLAG: tl.constexpr, MODE: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.float32)
    for i in tl.static_range(3):
        acc += tl.load(x_ptr + offsets + i, offsets < n, other=0)
    acc = tl.where(acc > 0, acc, 0)
    tl.store(x_ptr + offsets, -acc)
)",
                tl::kernel("k", [](tl::Kernel& k) {
                  auto x_ptr = k.pointer("x_ptr");
                  auto n = k.scalar("n");
                  auto bias = k.pointer("bias");
                  const int64_t BLOCK = k.constant("BLOCK");
                  const bool FLAG = k.flag("FLAG");
                  const std::string MODE = k.text("MODE");
                  auto offsets = tl::arange(0, BLOCK);
                  auto acc = tl::zeros({BLOCK}, tl::float32);
                  for (int i = 0; i < 3; ++i) acc += tl::load(x_ptr + offsets + i, offsets < n, 0);
                  if (MODE == "relu") acc = tl::where(acc > 0, acc, 0);
                  if (!bias.is_none()) acc += tl::load(bias);
                  tl::store(x_ptr + offsets, FLAG ? -acc : acc);
                }));
}

TEST_CASE("results of several values, reductions with a function, casts and functions of the prelude are the same") {
  check_same_ir(R"(x_ptr=*fp16 y_ptr=*i32 BLOCK=32
@triton.jit
def combine(a, b):
    return a * b + a

@triton.jit
def k(x_ptr, y_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    top, at = tl.max(x, 0, return_indices=True)
    p = tl.reduce(x.to(tl.float32), 0, combine)
    s = tl.softmax(x.to(tl.float32))
    q = tl.associative_scan(s, 0, combine)
    r = tl.rand(42, i)
    c = tl.sort(r, descending=True) + q + p
    tl.store(x_ptr + i, c.to(x_ptr.dtype.element_ty) + top)
    tl.atomic_add(y_ptr, at)
)",
                tl::kernel("k", [](tl::Kernel& k) {
                  auto x_ptr = k.pointer("x_ptr"), y_ptr = k.pointer("y_ptr");
                  const int64_t BLOCK = k.constant("BLOCK");
                  const auto combine = [](tl::Value a, tl::Value b) { return a * b + a; };
                  auto i = tl::arange(0, BLOCK);
                  auto x = tl::load(x_ptr + i);
                  auto [top, at] = tl::max_with_index(x, 0);
                  auto p = tl::reduce(x.to(tl::float32), 0, combine);
                  auto s = tl::softmax(tl::cast<tl::float32>(x));
                  auto q = tl::associative_scan(s, 0, combine);
                  auto r = tl::rand(42, i);
                  auto c = tl::call("tl.sort", {r, {"descending", true}}) + q + p;
                  tl::store(x_ptr + i, c.to(x_ptr.dtype()) + top);
                  tl::atomic_add(y_ptr, at);
                }));
}

TEST_CASE("operands happen from left to right, whatever order the C++ compiler takes") {
  check_same_ir(R"(x_ptr=*i32
@triton.jit
def k(x_ptr):
    r = (tl.atomic_add(x_ptr, 1) + tl.atomic_add(x_ptr, 2)) * tl.atomic_add(x_ptr, tl.program_id(0) - tl.program_id(1))
    tl.store(x_ptr + tl.program_id(2), tl.load(x_ptr + tl.num_programs(0)) + r)
)",
                tl::kernel("k", [](tl::Kernel& k) {
                  auto x_ptr = k.pointer("x_ptr");
                  auto r = (tl::atomic_add(x_ptr, 1) + tl::atomic_add(x_ptr, 2)) *
                           tl::atomic_add(x_ptr, tl::program_id(0) - tl::program_id(1));
                  tl::store(x_ptr + tl::program_id(2), tl::load(x_ptr + tl::num_programs(0)) + r);
                }));
}

TEST_CASE("a C++ function is a helper: its operations stand where it is called, and carry its lines") {
  const auto relu = [](const tl::Value& x) {
    const unsigned line = __LINE__;
    (void)line;
    return tl::where(x > 0, x, 0.0);
  };
  auto host = tl::kernel("k", [&](tl::Kernel& k) {
    auto x_ptr = k.pointer("x_ptr");
    auto y = relu(tl::load(x_ptr) * 2.0) + 1.0;
    tl::store(x_ptr, y);
  });
  CHECK(ir_or_error(host_request("x_ptr=*f32", host)) == text_ir(R"(x_ptr=*f32
@triton.jit
def relu(x):
    return tl.where(x > 0, x, 0.0)

@triton.jit
def k(x_ptr):
    y = relu(tl.load(x_ptr) * 2.0) + 1.0
    tl.store(x_ptr, y)
)"));
}

TEST_CASE("names are those of the C++ variables, or those given by tl::named") {
  auto host = tl::kernel("k", [](tl::Kernel& k) {
    auto x_ptr = k.pointer("x_ptr");
    const auto plain = tl::load(x_ptr);
    tl::Value typed = plain + 1, second = plain * 3;
    auto several = plain + typed;  // comments and "quotes" do not matter
    auto other = tl::named("given", several * second);
    auto acc = tl::named("sum", plain + 4);
    for (auto i : tl::range(3)) acc = acc + other;
    tl::store(x_ptr, acc + (plain - 1));
  });
  const std::string ir = ir_or_error(host_request("x_ptr=*f32", host));
  for (const char* expected : {"%plain: f32 = load", "%typed: f32 = add %plain", "%second: f32 = mul %plain",
                               "%several: f32 = add %plain, %typed", "%given: f32 = mul %several, %second",
                               "%sum_1: f32 = for", "%sum_3: f32 = add %sum_2, %given"}) {
    CAPTURE(expected);
    CHECK(ir.find(expected) != std::string::npos);
  }
}
