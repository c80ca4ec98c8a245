#include <doctest/doctest.h>

#include <chrono>

#include "core/builder.h"
#include "core/passes.h"
#include "core/print.h"
#include "core/read.h"
#include "core/verify.h"

using namespace tilescope;

namespace {

constexpr const char* kHeader =
    "kernel k(%x: ptr<f32>, %n: i32, %m: i32, %s: f32, %c: i1) num_warps=4 num_stages=3";

Function read_body(const std::string& body) {
  const auto text = std::make_shared<SourceFile>(SourceFile{"k.ir", std::string(kHeader) + " {\n" + body + "}\n"});
  Expected<Function> f = read_ir(text);
  if (!f.ok()) FAIL(render(f.errors()));
  return std::move(*f);
}

std::string body_text(const Function& f) {
  const std::string text = print(f);
  const size_t begin = text.find("{\n") + 2;
  return text.substr(begin, text.size() - begin - 2);
}

/// The body after the passes; checks that the result is well formed and that a second run changes nothing.
std::string after(const std::vector<std::string>& names, const std::string& body) {
  Function f = read_body(body);
  run_passes(f, names);
  const std::vector<Diagnostic> errors = verify(f);
  if (!errors.empty()) FAIL(render(errors) << print(f));
  const std::string once = body_text(f);
  run_passes(f, names);
  CHECK(body_text(f) == once);
  return once;
}

std::string cleaned(const std::string& body) { return after({"canonicalise", "dce"}, body); }

/// A body whose last value %r is kept by printing it.
std::string kept(const std::string& ops) { return ops + "  print %r {text=\"r\"}\n"; }

}  // namespace

TEST_CASE("identities that keep every bit are applied, others are not") {
  CHECK(cleaned(kept("  %z: i32 = constant 0\n  %r: i32 = add %z, %n\n")) == "  print %n {text=\"r\"}\n");
  CHECK(cleaned(kept("  %z: i32 = constant 1\n  %r: i32 = div %n, %z\n")) == "  print %n {text=\"r\"}\n");
  CHECK(cleaned(kept("  %z: f32 = constant 1.0\n  %r: f32 = mul %z, %s\n")) == "  print %s {text=\"r\"}\n");
  CHECK(cleaned(kept("  %z: f32 = constant -0.0\n  %r: f32 = add %s, %z\n")) == "  print %s {text=\"r\"}\n");
  for (const char* op : {"  %z: f32 = constant 0.0\n  %r: f32 = add %s, %z\n",   // -0 + 0 is +0
                         "  %z: f32 = constant 0.0\n  %r: f32 = mul %s, %z\n",   // infinity * 0 is NaN
                         "  %z: f32 = neg %s\n  %r: f32 = neg %z\n",             // -(-(-0)) is +0
                         "  %z: i32 = constant 0\n  %r: i32 = mul %n, %z\n",     // a poisoned lane stays poisoned
                         "  %r: i1 = eq %s, %s\n"})                              // a NaN differs from itself
    CHECK(cleaned(kept(op)) == kept(op));
}

TEST_CASE("integer constants gather on the right and merge") {
  CHECK(cleaned(kept("  %a: i32 = constant 3\n  %b: i32 = add %a, %n\n  %c2: i32 = constant 4\n  %r: i32 = add %b, %c2\n")) ==
        "  %0: i32 = constant 7\n  %r: i32 = add %n, %0\n  print %r {text=\"r\"}\n");
  CHECK(cleaned(kept("  %a: i32 = constant 3\n  %r: i1 = lt %a, %n\n")) ==
        "  %a: i32 = constant 3\n  %r: i1 = gt %n, %a\n  print %r {text=\"r\"}\n");
}

TEST_CASE("constants fold by the shared scalar meanings") {
  CHECK(after({"fold", "dce"}, kept("  %a: i32 = constant -7\n  %b: i32 = constant 2\n  %r: i32 = div %a, %b\n")) ==
        "  %r: i32 = constant -3\n  print %r {text=\"r\"}\n");
  CHECK(after({"fold", "dce"}, kept("  %a: tile<16xf32> = constant 0.5\n  %b: tile<16xf16> = cast %a\n  %r: tile<16x1xf16> = expand_dims %b {axis=1}\n")) ==
        "  %r: tile<16x1xf16> = constant 0.5\n  print %r {text=\"r\"}\n");
}

TEST_CASE("arithmetic on splats stays scalar, on broadcasts stays narrow") {
  CHECK(cleaned(kept("  %a: tile<64xi32> = splat %n\n  %b: tile<64xi32> = splat %m\n  %r: tile<64xi32> = mul %a, %b\n")) ==
        "  %0: i32 = mul %n, %m\n  %r: tile<64xi32> = splat %0\n  print %r {text=\"r\"}\n");
  CHECK(cleaned(kept("  %i: tile<32xi32> = make_range {start=0, end=32}\n"
                     "  %e: tile<32x1xi32> = expand_dims %i {axis=1}\n"
                     "  %b: tile<32x64xi32> = broadcast %e\n"
                     "  %w: tile<32x64xi32> = splat %n\n"
                     "  %r: tile<32x64xi32> = mul %b, %w\n")) ==
        "  %i: tile<32xi32> = make_range {start=0, end=32}\n"
        "  %e: tile<32x1xi32> = expand_dims %i {axis=1}\n"
        "  %0: tile<32x1xi32> = splat %n\n"
        "  %1: tile<32x1xi32> = mul %e, %0\n"
        "  %r: tile<32x64xi32> = broadcast %1\n"
        "  print %r {text=\"r\"}\n");
}

TEST_CASE("casts collapse only where no bit can change") {
  const auto chain = [](const char* from, const char* mid, const char* to) {
    const std::string v = from == std::string("i32") ? "%n" : "%s";
    return cleaned(kept("  %a: " + std::string(mid) + " = cast " + v + "\n  %r: " + to + " = cast %a\n"));
  };
  CHECK(chain("i32", "i64", "i32") == "  print %n {text=\"r\"}\n");
  CHECK(chain("i32", "i64", "i16") == "  %r: i16 = cast %n\n  print %r {text=\"r\"}\n");
  CHECK(chain("f32", "f64", "f16") == "  %r: f16 = cast %s\n  print %r {text=\"r\"}\n");
  CHECK(chain("i32", "f64", "f32") == "  %r: f32 = cast %n\n  print %r {text=\"r\"}\n");
  for (auto [mid, to] : {std::pair{"i16", "i32"}, {"f32", "f64"}, {"f64", "i16"}, {"u32", "i64"}, {"i1", "i32"}}) {
    CAPTURE(mid);
    CHECK(chain("i32", mid, to).find("cast %a") != std::string::npos);
  }
}

TEST_CASE("a branch with a known condition is taken and a loop without trips disappears") {
  CHECK(cleaned(kept("  %t: i1 = constant false\n  %r: i32 = if %t {\n    yield %n\n  } else {\n    %q: i32 = add %n, %m\n    yield %q\n  }\n")) ==
        "  %q: i32 = add %n, %m\n  print %q {text=\"r\"}\n");
  CHECK(cleaned(kept("  %a: i32 = constant 5\n  %b: i32 = constant 1\n  %r: i32 = for %a, %a, %b, %n (%i: i32, %v: i32) {\n"
                     "    %w: i32 = add %v, %i\n    yield %w\n  }\n")) == "  print %n {text=\"r\"}\n");
}

TEST_CASE("a carried value that no iteration changes is the initial value, also when that shows only inside") {
  const std::string loop = cleaned(kept(
      "  %z: i32 = constant 0\n  %b: i32 = constant 1\n"
      "  %q: i32, %r: i32 = for %z, %n, %b, %m, %z (%i: i32, %v: i32, %acc: i32) {\n"
      "    %w: i32 = add %v, %z\n    %t: i32 = add %acc, %w\n    yield %w, %t\n  }\n"));
  CHECK(loop ==
        "  %z: i32 = constant 0\n  %b: i32 = constant 1\n"
        "  %r: i32 = for %z, %n, %b, %z (%i: i32, %acc: i32) {\n"
        "    %t: i32 = add %acc, %m\n    yield %t\n  }\n"
        "  print %r {text=\"r\"}\n");
}

TEST_CASE("a reduction by a region of one op gets its name") {
  const auto reduce = [](const char* op) {
    return cleaned(kept("  %v: tile<64xf32> = splat %s\n  %w: tile<64xf32> = exp %v\n  %r: f32 = reduce %w {axis=0, combine=\"user\"} (%a: f32, %b: f32) {\n    %q: f32 = " +
                        std::string(op) + "\n    yield %q\n  }\n"));
  };
  CHECK(reduce("maximum %a, %b").find("{axis=0, combine=\"max\"}\n") != std::string::npos);
  CHECK(reduce("add %b, %a").find("combine=\"sum\"}\n") != std::string::npos);
  CHECK(reduce("sub %a, %b").find("combine=\"user\"") != std::string::npos);
  CHECK(reduce("add %a, %a").find("combine=\"user\"") != std::string::npos);
}

TEST_CASE("masks that are always on disappear, and stores that are always off") {
  CHECK(cleaned("  %t: i1 = constant true\n  %v: f32 = load %x, %t, %s\n  store %x, %v, %t\n") ==
        "  %v: f32 = load %x\n  store %x, %v\n");
  CHECK(cleaned("  %t: i1 = constant false\n  store %x, %s, %t\n  assert %c, %t {text=\"\"}\n") == "");
}

TEST_CASE("acc + dot(a, b, 0) becomes one chain, in both operand orders, and only where the language says so") {
  const auto with = [](const char* acc, const char* sum, const char* rest) {
    return "  %h: tile<16x16xf16> = constant 1.0\n  %z: tile<16x16xf32> = constant " + std::string(acc) +
           "\n  %g: tile<16x16xf32> = splat %s\n"
           "  %d: tile<16x16xf32> = dot %h, %h, %z {contract=\"tc.f16.k16.f25.trunc\"}\n  %r: tile<16x16xf32> = " +
           sum + "\n" + rest + "  print %r {text=\"r\"}\n";
  };
  const std::vector<std::string> fold = {"fold-dot-acc", "dce"};
  for (const char* sum : {"add %g, %d", "add %d, %g"}) {
    const std::string text = after(fold, with("0.0", sum, ""));
    CHECK(text.find("%r: tile<16x16xf32> = dot %h, %h, %g {contract=\"tc.f16.k16.f25.trunc\"}") != std::string::npos);
    CHECK(text.find("add") == std::string::npos);
  }
  CHECK(after(fold, with("1.0", "add %d, %g", "")) == with("1.0", "add %d, %g", ""));
  CHECK(after(fold, with("-0.0", "add %d, %g", "")) == with("-0.0", "add %d, %g", ""));
  CHECK(after(fold, with("0.0", "add %d, %g", "  print %d {text=\"\"}\n")) == with("0.0", "add %d, %g", "  print %d {text=\"\"}\n"));
  CHECK(after(fold, with("0.0", "add %d, %d", "")).find("add %d, %d") != std::string::npos);
}

TEST_CASE("the accumulator may come after the dot") {
  const std::string text = after({"fold-dot-acc", "dce"},
                                 "  %h: tile<16x16xf16> = constant 1.0\n  %z: tile<16x16xf32> = constant 0.0\n"
                                 "  %d: tile<16x16xf32> = dot %h, %h, %z {contract=\"tc.f16.k16.f25.trunc\"}\n"
                                 "  %g: tile<16x16xf32> = splat %s\n  %r: tile<16x16xf32> = add %d, %g\n  print %r {text=\"\"}\n");
  CHECK(text.find("%g: tile<16x16xf32> = splat %s\n  %r: tile<16x16xf32> = dot %h, %h, %g") != std::string::npos);
}

TEST_CASE("equal pure ops are computed once, in nested regions too, but loads are not merged") {
  CHECK(after({"cse"}, "  %a: i32 = add %n, %m\n  if %c {\n    %b: i32 = add %n, %m\n    print %b {text=\"\"}\n    yield\n  } else {\n    yield\n  }\n"
                       "  %l: f32 = load %x\n  %k: f32 = load %x\n  print %l, %k {text=\"\"}\n") ==
        "  %a: i32 = add %n, %m\n  if %c {\n    print %a {text=\"\"}\n    yield\n  } else {\n    yield\n  }\n"
        "  %l: f32 = load %x\n  %k: f32 = load %x\n  print %l, %k {text=\"\"}\n");
  const std::string two_branches = "  if %c {\n    %a: i32 = add %n, %m\n    print %a {text=\"\"}\n    yield\n  } else {\n    %b: i32 = add %n, %m\n    print %b {text=\"\"}\n    yield\n  }\n";
  CHECK(after({"cse"}, two_branches) == two_branches);
  CHECK(after({"cse"}, "  %a: i64 = cast %n\n  %b: i16 = cast %n\n  print %a, %b {text=\"\"}\n").find("%b") != std::string::npos);
}

TEST_CASE("invariant ops leave all loops that do not change them; loads stay") {
  CHECK(after({"licm"},
              "  %z: i32 = constant 0\n  %b: i32 = constant 1\n"
              "  for %z, %n, %b (%i: i32) {\n"
              "    for %z, %n, %b (%j: i32) {\n"
              "      %p: i32 = add %n, %m\n      %q: i32 = add %p, %i\n      %r: i32 = add %q, %j\n      %l: f32 = load %x\n"
              "      print %r, %l {text=\"\"}\n      yield\n    }\n    yield\n  }\n") ==
        "  %z: i32 = constant 0\n  %b: i32 = constant 1\n"
        "  %p: i32 = add %n, %m\n"
        "  for %z, %n, %b (%i: i32) {\n"
        "    %q: i32 = add %p, %i\n"
        "    for %z, %n, %b (%j: i32) {\n"
        "      %r: i32 = add %q, %j\n      %l: f32 = load %x\n"
        "      print %r, %l {text=\"\"}\n      yield\n    }\n    yield\n  }\n");
}

TEST_CASE("what nothing needs is removed: ops, loads, carried values, branch results, loops") {
  CHECK(after({"dce"}, "  %a: i32 = add %n, %m\n  %l: f32 = load %x\n  store %x, %s\n") == "  store %x, %s\n");
  CHECK(after({"dce"}, kept("  %z: i32 = constant 0\n  %b: i32 = constant 1\n"
                            "  %q: i32, %r: i32 = for %z, %n, %b, %m, %z (%i: i32, %v: i32, %acc: i32) {\n"
                            "    %w: i32 = add %v, %b\n    %t: i32 = add %acc, %i\n    yield %w, %t\n  }\n")) ==
        kept("  %z: i32 = constant 0\n  %b: i32 = constant 1\n"
             "  %r: i32 = for %z, %n, %b, %z (%i: i32, %acc: i32) {\n"
             "    %t: i32 = add %acc, %i\n    yield %t\n  }\n"));
  CHECK(after({"dce"}, kept("  %q: i32, %r: i32 = if %c {\n    yield %n, %m\n  } else {\n    yield %m, %n\n  }\n")) ==
        kept("  %r: i32 = if %c {\n    yield %m\n  } else {\n    yield %n\n  }\n"));
  CHECK(after({"dce"}, "  %z: i32 = constant 0\n  %b: i32 = constant 1\n  %q: i32 = for %z, %n, %b, %m (%i: i32, %v: i32) {\n    yield %i\n  }\n") == "");
}

TEST_CASE("loops that may not end and loops whose step may be 0 are kept") {
  const std::string endless = "  while {\n    condition %c\n  } do {\n    yield\n  }\n";
  CHECK(after({"dce"}, endless) == endless);
  const std::string stepped = "  for %n, %m, %n (%i: i32) {\n    yield\n  }\n";
  CHECK(after({"dce"}, stepped) == stepped);
}

TEST_CASE("the ops that remain keep their locations and values keep the source's names") {
  Expected<Function> read = read_ir(std::make_shared<SourceFile>(SourceFile{
      "k.ir", "kernel k(%n: i32) num_warps=4 num_stages=3 source=\"k.py\" {\n"
              "  %z: i32 = constant 0 loc(1:1-1:2)\n  %a: tile<16xi32> = splat %n loc(2:1-2:2)\n"
              "  %b: tile<16xi32> = splat %z loc(3:1-3:2)\n  %offsets: tile<16xi32> = sub %a, %b loc(4:5-4:9)\n"
              "  print %offsets {text=\"\"} loc(5:1-5:9)\n}\n"}));
  REQUIRE(read.ok());
  Function& f = *read;
  run_passes(f, default_pipeline());
  CHECK(print(f, {.locations = true}) ==
        "kernel k(%n: i32) num_warps=4 num_stages=3 source=\"k.py\" {\n"
        "  %a: tile<16xi32> = splat %n loc(2:1-2:2)\n  print %a {text=\"\"} loc(5:1-5:9)\n}\n");
}

TEST_CASE("a kernel of a hundred thousand ops is optimised in well under a second") {
  Function f;
  f.name = "unrolled";
  Builder b(f);
  const Type scalar = Type::scalar(DType::Int32);
  const ValueId p = b.param("p", Type::pointer_to(DType::Int32)), n = b.param("n", scalar);
  ValueId sum = b.splat(n, {64});
  const ValueId range = b.make_range(0, 64);
  for (int i = 0; i < 16000; ++i) {
    const ValueId step = b.elementwise(OpCode::Mul, {b.splat(n, {64}), b.constant_int(scalar.with_shape({64}), i % 100)});
    const ValueId at = b.elementwise(OpCode::Add, {range, step});
    sum = b.elementwise(OpCode::Add, {sum, b.elementwise(OpCode::BitXor, {at, sum})});
  }
  b.store(b.addptr(b.splat(p, {64}), range), sum);
  const auto start = std::chrono::steady_clock::now();
  run_passes(f, default_pipeline());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  MESSAGE("seconds for 96,000 ops: ", seconds);
  CHECK(seconds < 5.0);  // far above what is measured: machines under load and sanitizers pass too
  CHECK(verify(f).empty());
}

TEST_CASE("every pass of the table is found by its name and the pipeline names only passes") {
  for (const Pass& p : all_passes()) CHECK(find_pass(p.name) == &p);
  for (const std::string& name : default_pipeline()) CHECK(find_pass(name) != nullptr);
  CHECK(find_pass("make-faster") == nullptr);
}
