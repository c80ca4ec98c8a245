// Guesses of a kernel's arguments: by use, by name, by decorators, and by what the compiler says.
#include <doctest/doctest.h>

#include <ctime>

#include "core/guess.h"

using namespace tilescope;

namespace {

SourcePtr source_of(const std::string& body) {
  auto file = std::make_shared<SourceFile>();
  file->path = "guess.py";
  file->text = "import triton\nimport triton.language as tl\n\n\n" + body;
  return file;
}

GuessedLaunch guess(const std::string& body) {
  auto g = guess_launch(source_of(body), "");
  if (!g) {
    FAIL(render(g.errors()));
    return {};
  }
  return *g;
}

const GuessedArg& arg(const GuessedLaunch& g, const std::string& name) {
  for (const GuessedArg& a : g.args)
    if (a.name == name) return a;
  FAIL("no argument " << name);
  return g.args[0];
}

std::string shown(const GuessedLaunch& g, const std::string& name) {
  const ArgValue& v = arg(g, name).value;
  if (auto* t = std::get_if<TensorSpec>(&v)) return std::string(dtype_name(t->dtype));
  if (auto* n = std::get_if<int64_t>(&v)) return std::to_string(*n);
  if (std::holds_alternative<double>(v)) return "float";
  if (auto* b = std::get_if<bool>(&v)) return *b ? "True" : "False";
  if (auto* s = std::get_if<std::string>(&v)) return '"' + *s + '"';
  return "None";
}

}  // namespace

TEST_CASE("a parameter that is loaded through is a tensor whatever its name, and what bounds it is an integer") {
  const GuessedLaunch g = guess(R"(
@triton.jit
def scale(src, dst, count, factor, PIECE: tl.constexpr):
    at = tl.program_id(0) * PIECE + tl.arange(0, PIECE)
    inside = at < count
    v = tl.load(src + at, mask=inside, other=0.0)
    tl.store(dst + at, tl.exp(v) * factor, mask=inside)
)");
  CHECK(shown(g, "src") == "float32");
  CHECK(shown(g, "dst") == "float32");
  CHECK(shown(g, "count") == "1000");
  CHECK(shown(g, "factor") == "float");
  CHECK(shown(g, "PIECE") == "32");
  CHECK(g.grid == std::vector<std::string>{"cdiv(count, PIECE)"});
}

TEST_CASE("elements that become offsets are integers") {
  const GuessedLaunch g = guess(R"(
@triton.jit
def pick(table, rows, out, width, W: tl.constexpr):
    row = tl.load(rows + tl.program_id(0))
    at = tl.arange(0, W)
    v = tl.load(table + row * width + at, mask=at < width)
    tl.store(out + tl.program_id(0) * width + at, v, mask=at < width)
)");
  CHECK(shown(g, "rows") == "int32");
  CHECK(shown(g, "table") == "float32");
}

TEST_CASE("an element type, a text and a flag are told apart among constexprs") {
  const GuessedLaunch g = guess(R"(
@triton.jit
def act(x, y, b, KIND: tl.constexpr, WIDE: tl.constexpr, BIASED: tl.constexpr, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, N)).to(WIDE)
    if BIASED:
        v += tl.load(b + tl.arange(0, N))
    if KIND == "relu":
        v = tl.maximum(v, 0.0)
    tl.store(y + tl.arange(0, N), v)
)");
  CHECK(shown(g, "KIND") == "\"relu\"");
  CHECK(shown(g, "WIDE") == "\"tl.float32\"");
  CHECK(shown(g, "BIASED") == "True");
  CHECK(shown(g, "b") == "float32");
}

TEST_CASE("a guess that the compiler refuses is changed") {
  // The dot takes the type of its constant operand.
  const GuessedLaunch g = guess(R"(
@triton.jit
def product(a, b, c, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    w = tl.load(a + at).to(tl.float16)
    acc = tl.dot(w, tl.load(b + at))
    tl.store(c + at, acc)
)");
  CHECK(shown(g, "b") == "float16");
}

TEST_CASE("the first autotune config gives constexprs and warps") {
  const GuessedLaunch g = guess(R"(
@triton.autotune(configs=[triton.Config({"B": 64}, num_warps=8), triton.Config({"B": 128})], key=["n"])
@triton.jit
def copy(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)
)");
  CHECK(shown(g, "B") == "64");
  CHECK(g.num_warps == 8);
}

TEST_CASE("an address that a branch chooses makes tensors of all it may be") {
  const GuessedLaunch g = guess(R"(
@triton.jit
def join(first, second, out, middle, B: tl.constexpr):
    pid = tl.program_id(0)
    if pid < middle:
        source = first + pid * B
    else:
        source = second + (pid - middle) * B
    tl.store(out + pid * B + tl.arange(0, B), tl.load(source + tl.arange(0, B)))
)");
  CHECK(shown(g, "first") == "float32");
  CHECK(shown(g, "second") == "float32");
  CHECK(shown(g, "middle") == "64");
}

TEST_CASE("a constexpr that is given to an option gets a text that the option takes") {
  const GuessedLaunch g = guess(R"(
@triton.jit
def product(a, c, PRECISION: tl.constexpr, KEEP: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    w = tl.load(a + at, cache_modifier=KEEP)
    tl.store(c + at, tl.dot(w, w, input_precision=PRECISION))
)");
  CHECK(shown(g, "PRECISION") == "\"ieee\"");
  CHECK(shown(g, "KEEP") == "\"\"");
}

TEST_CASE("what is loaded and used as an address is read as 64-bit integers, and what is added to it counts elements") {
  const GuessedLaunch g = guess(R"(
@triton.jit
def through(tables, out, skip, B: tl.constexpr):
    p = tl.load(tables + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    tl.store(out + tl.arange(0, B), tl.load(p + skip + tl.arange(0, B)))
)");
  CHECK(shown(g, "tables") == "int64");
  CHECK(shown(g, "skip") == "64");
}

TEST_CASE("where the largest element lies is an index, whatever the elements are; what masked lanes get tells their type") {
  const GuessedLaunch g = guess(R"(
@triton.jit
def best(values, table, other, out, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(values + i)
    w = tl.load(other + i, mask=i < 4, other=float("-inf"))
    place = tl.argmax(v, axis=0)
    tl.store(out + i, tl.load(table + place) + w + tl.argmin(w, axis=0))
)");
  CHECK(shown(g, "values") == "float32");
  CHECK(shown(g, "other") == "float32");
}

TEST_CASE("a default that only host code knows is guessed like an argument without one; others stay") {
  const GuessedLaunch g = guess(R"(import torch
from my_platform import platform
info = torch.finfo(platform.fp8_type())
limits = torch.finfo(torch.float16)
@triton.jit
def kernel(x, LOW: tl.constexpr = info.min, HIGH: tl.constexpr = limits.max):
    v = tl.load(x)
    v = tl.where(v < LOW, LOW, v)
    tl.store(x, tl.where(v > HIGH, HIGH, v))
)");
  CHECK_FALSE(arg(g, "LOW").leave_out);
  CHECK(arg(g, "LOW").why == "its default is known to host code only");
  CHECK(arg(g, "HIGH").leave_out);
}

TEST_CASE("a name that only one branch assigns, and an error in a branch, make the branch's condition change") {
  const GuessedLaunch flag = guess(R"(
@triton.jit
def choose(src, dst, PLAIN: tl.constexpr):
    at = tl.arange(0, 16)
    if not PLAIN:
        v = tl.load(src + at)
    tl.store(dst + at, v)
)");
  CHECK(shown(flag, "PLAIN") == "False");
  const GuessedLaunch mode = guess(R"(
@triton.jit
def piece(start, MODE: tl.constexpr):
    if MODE == 5:
        low = start
    elif MODE == 7:
        low = start * 2
    return low

@triton.jit
def moded(dst, start, STEP: tl.constexpr):
    tl.store(dst + piece(start, 9 - STEP), 1.0)
)");
  const std::string step = shown(mode, "STEP");
  CHECK((step == "4" || step == "2"));  // 9 - STEP is 5 or 7
}

TEST_CASE("operands and scales of dot_scaled get the types of their formats") {
  const GuessedLaunch g = guess(R"(
@triton.jit
def scaled(a, a_scale, b, b_scale, out):
    m = tl.arange(0, 32)
    k = tl.arange(0, 64)
    s = tl.arange(0, 2)
    x = tl.load(a + m[:, None] * 64 + k[None, :])
    xs = tl.load(a_scale + m[:, None] * 2 + s[None, :])
    y = tl.load(b + k[:, None] * 32 + m[None, :])
    ys = tl.load(b_scale + m[:, None] * 2 + s[None, :])
    tl.store(out + m[:, None] * 32 + m[None, :], tl.dot_scaled(x, xs, "e4m3", y, ys, "e5m2"))
)");
  CHECK(shown(g, "a") == "float8e4nv");
  CHECK(shown(g, "b") == "float8e5");
  CHECK(shown(g, "a_scale") == "uint8");
  CHECK(shown(g, "b_scale") == "uint8");
}

TEST_CASE("tuples of tuples and many branches over many names are guessed in no time") {
  const std::string head = "@triton.jit\ndef k(x, n, B: tl.constexpr):\n    i = tl.arange(0, B)\n    tl.store(x + i, i, mask=i < n)\n    t = n\n";
  std::string doubled = head, chain = head, many = head;
  for (int i = 0; i < 60; ++i) doubled += "    t = (t, t)\n";
  for (int i = 0; i < 19'000; ++i) chain += "    t = (t,)\n";
  for (int i = 0; i < 4'000; ++i) many += "    a" + std::to_string(i) + " = n\n";
  for (int i = 0; i < 10'000; ++i) many += "    if B:\n        pass\n";
  const std::clock_t start = std::clock();
  const auto error = [](const std::string& text) {
    const auto g = guess_launch(source_of(text + "    a = tl.zeros(t, tl.float32)\n"), "");
    return g ? "" : g.errors()[0].message;
  };
  CHECK(error(doubled) == "this tuple has more than 1024 items");
  CHECK(error(chain) == "these tuples are nested more than 32 deep");
  CHECK(shown(guess(many), "x") == "float32");
  CHECK(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < 5);
}

TEST_CASE("behind branches and loops a name may be what any of them made of it") {
  const GuessedLaunch g = guess(R"(
@triton.jit
def k(x, y, z, w, n, flag, B: tl.constexpr):
    i = tl.arange(0, B)
    p = x
    q = y
    if flag > 0:
        p = y
        fresh = z
    else:
        fresh = w
        if flag < 0:
            q = w
    for j in range(0, n):
        p = p + B
    tl.store(p + i, tl.load(q + i) + tl.load(fresh + i))
)");
  for (const char* name : {"x", "y", "z", "w"}) CHECK(shown(g, name) == "float32");
}
