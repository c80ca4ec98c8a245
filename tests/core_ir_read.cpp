#include <doctest/doctest.h>

#include <random>

#include "core/print.h"
#include "core/read.h"

using namespace tilescope;

namespace {

SourcePtr ir_text(std::string text) { return std::make_shared<SourceFile>(SourceFile{"kernel.ir", std::move(text)}); }

constexpr const char* kEverything = R"(kernel everything(%x: ptr<f32> {div=16}, %n: i32, %s: f32) num_warps=8 num_stages=2 source="kernel.py" {BLOCK=16, MODE="a \"b\"", T=fp16} {
  %pid: i32 = program_id {axis=0} loc(2:9-2:20)
  %np: i32 = num_programs {axis=2} loc(2:9-2:20 in 2:3-2:24)
  %0: i32 = constant 16
  %zero: i32 = constant 0
  %one: i32 = constant 1
  %r: tile<16xi32> = make_range {start=0, end=16}
  %rs: tile<16x1xi32> = expand_dims %r {axis=1}
  %rb: tile<16x16xi32> = broadcast %rs
  %c: tile<16x16xf32> = constant 0.0
  %h: tile<16x16xf16> = constant 1.5
  %nan: f32 = constant 0x7fc00000 loc("prelude":1:1-1:9 in 2:3-2:24 from "helper" at 20:3-20:10 from "outer" at 31:1-32:4)
  %d: tile<16x16xf32> = dot %h, %h, %c {contract="tc.f16.k16.f25.trunc"}
  %sum: tile<16xf32> = reduce %d {axis=1, combine="sum"}
  %mx: tile<16xf32>, %at: tile<16xi32> = reduce %d, %rb {axis=1, combine="user"} (%a: f32, %i: i32, %b: f32, %j: i32) {
    %gt: i1 = gt %a, %b
    %v: f32 = select %gt, %a, %b
    %k: i32 = select %gt, %i, %j
    yield %v, %k
  }
  %cs: tile<16xf32> = scan %sum {axis=0, reverse=1, combine="sum"}
  %t: tile<16x16xf32> = trans %d {order=[1, 0]}
  %re: tile<256xf32> = reshape %t
  %jo: tile<16x2xf32> = join %sum, %mx
  %l: tile<16xf32>, %m: tile<16xf32> = split %jo
  %ca: tile<32xf32> = cat %l, %m
  %fl: tile<32xf32> = flip %ca {axis=0}
  %ga: tile<16xf32> = gather %fl, %at {axis=0}
  %hi: tile<16xi32> = histogram %at
  %so: tile<16xf32> = sort %ga {descending=1}
  %tk: tile<4xf32> = topk %so {k=4}
  %ns: tile<16xi32> = splat %n
  %mask: tile<16xi1> = lt %r, %ns
  %ps: tile<16xptr<f32>> = splat %x
  %p: tile<16xptr<f32>> = addptr %ps, %r
  %other: tile<16xf32> = splat %s
  %ld: tile<16xf32> = load %p, %mask, %other
  %acc: tile<16xf32>, %last: i32 = for %zero, %n, %one, %ld, %zero (%it: i32, %cur: tile<16xf32>, %prev: i32) {
    %next: tile<16xf32> = add %cur, %ld loc(7:9-7:20)
    yield %next, %it
  } loc(6:3-8:1)
  %w: i32 = while %n (%x0: i32) {
    %go: i1 = lt %x0, %0
    condition %go, %x0
  } do (%x1: i32) {
    %x2: i32 = add %x1, %one
    yield %x2
  }
  %yes: i1 = constant true
  %ph: u32 = constant 4294967295
  %q0: u32, %q1: u32, %q2: u32, %q3: u32 = philox %ph, %ph, %ph, %ph, %ph, %ph
  %res: f32 = if %yes {
    yield %s
  } else {
    yield %nan
  }
  %old: tile<16xf32> = atomic_rmw %p, %acc, %mask {kind="add", sem="relaxed", scope="gpu"}
  print %old {text="old\n"}
  assert %mask {text="in bounds"}
  store %p, %acc, %mask
  return
}
)";

}  // namespace

TEST_CASE("IR text of every kind of op reads back to the same text, with and without locations") {
  const Expected<Function> f = read_ir(ir_text(kEverything));
  if (!f.ok()) FAIL(render(f.errors()));
  CHECK(print(*f, {.locations = true}) == kEverything);
  const std::string plain = print(*f);
  CHECK(plain.find("loc(") == std::string::npos);
  const Expected<Function> again = read_ir(ir_text(plain));
  REQUIRE(again.ok());
  CHECK(print(*again) == plain);
}

TEST_CASE("locations read back as ranges of the kernel's source, with statement and calls") {
  const auto source = std::make_shared<SourceFile>(SourceFile{"kernel.py", "text"});
  const Expected<Function> f = read_ir(ir_text(kEverything), source);
  REQUIRE(f.ok());
  const Location& first = *f->body.ops[0]->loc;
  CHECK(first.range.file == source);
  CHECK(first.statement.column == 9);
  const Location& inlined = *f->body.ops[10]->loc;
  CHECK(inlined.range.file->path == "prelude");
  CHECK(inlined.calls->callee == "helper");
  CHECK(inlined.calls->outer->call.end_line == 32);
  CHECK(inlined.calls->outer->outer == nullptr);
}

TEST_CASE("broken IR text gives an error that points at the place") {
  struct Case {
    const char *line, *message;
    int column;
  };
  const Case cases[] = {
      {"%a: i32 = sum %n", "unknown op `sum`", 11},
      {"%a: i32 = add %n, %m", "%m is not defined above", 19},
      {"%n: i32 = constant 1", "%n is defined a second time", 1},
      {"%a: i8 = constant 300", "`300` is no constant of type i8", 19},
      {"%a: f32 = constant abc", "`abc` is no constant of type f32", 20},
      {"%a: q32 = constant 1", "unknown element type `q32`", 5},
      {"%a: tile<48xi32> = splat %n", "axis 0 is 48, not a power of two", 1},
      {"%a: i64 = add %n, %n", "the result has another type than the operands", 1},
      {"%a: i32 = program_id {axis=0, axis=1}", "attribute axis is given twice", 31},
      {"print {text=\"open}", "the quotes are not closed", 19},
      {"%a: i32 = program_id {axis=99999999999999999999}", "does not fit into 64 bits", 28},
      {"%a: i32 = neg %n loc(1:2-1:3)", "a location needs a file", 22},
  };
  for (const Case& c : cases) {
    CAPTURE(c.line);
    const auto f = read_ir(ir_text("kernel k(%n: i32) num_warps=4 num_stages=3 {\n" + std::string(c.line) + "\n}\n"));
    REQUIRE(!f.ok());
    CHECK(f.errors()[0].message.find(c.message) != std::string::npos);
    CHECK(f.errors()[0].range.line == 2);
    CHECK(f.errors()[0].range.column == c.column);
  }
}

TEST_CASE("deeply nested and endless IR text is refused") {
  std::string deep = "kernel k(%c: i1) num_warps=4 num_stages=3 {\n";
  for (int i = 0; i < 100000; ++i) deep += "if %c {\n";
  const auto f = read_ir(ir_text(deep));
  REQUIRE(!f.ok());
  CHECK(f.errors()[0].message == "regions are nested too deeply");
  CHECK(!read_ir(ir_text("")).ok());
  CHECK(!read_ir(ir_text("kernel k() num_warps=4 num_stages=3 {\n")).ok());
}

TEST_CASE("mutated IR text is read or refused, and what is read prints and reads back") {
  std::mt19937 random(1);
  const std::string seed = kEverything;
  int accepted = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string text = seed;
    for (int edits = 1 + static_cast<int>(random() % 3); edits > 0; --edits) {
      const size_t at = random() % text.size();
      switch (random() % 4) {
        case 0: text[at] = seed[random() % seed.size()]; break;
        case 1: text.erase(at, random() % 8); break;
        case 2: text.insert(at, seed.substr(random() % seed.size(), random() % 12)); break;
        default: text.insert(at, std::to_string(random() % 70)); break;
      }
    }
    const Expected<Function> f = read_ir(ir_text(text));
    if (!f.ok()) continue;
    ++accepted;
    const std::string once = print(*f, {.locations = true});
    const Expected<Function> again = read_ir(ir_text(once));
    if (!again.ok()) FAIL(render(again.errors()) << once);
    REQUIRE(print(*again, {.locations = true}) == once);
  }
  CHECK(accepted > 50);
}
