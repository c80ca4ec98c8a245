// slice-addresses: what of a kernel decides where it goes in memory.
#include <doctest/doctest.h>

#include "core/passes.h"
#include "core/print.h"
#include "core/read.h"
#include "core/verify.h"

using namespace tilescope;

namespace {

constexpr const char* kHeader =
    "kernel k(%x: ptr<f32>, %y: ptr<f32>, %i: ptr<i32>, %n: i32, %c: i1) num_warps=4 num_stages=3";

/// The body after the pass; the result is well formed, reads back, and a second run changes nothing.
std::string sliced(const std::string& body) {
  const auto text = std::make_shared<SourceFile>(SourceFile{"k.ir", std::string(kHeader) + " {\n" + body + "}\n"});
  Expected<Function> f = read_ir(text);
  if (!f.ok()) FAIL(render(f.errors()));
  run_passes(*f, {"slice-addresses"});
  if (const auto errors = verify(*f); !errors.empty()) FAIL(render(errors) << print(*f));
  const std::string once = print(*f);
  run_passes(*f, {"slice-addresses"});
  CHECK(print(*f) == once);
  Expected<Function> again = read_ir(std::make_shared<SourceFile>(SourceFile{"k.ir", once}));
  if (!again.ok()) FAIL(render(again.errors()));
  CHECK(print(*again) == once);
  return once.substr(once.find("{\n") + 2, once.size() - once.find("{\n") - 4);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("slice: arithmetic on values goes, accesses, addresses and masks stay") {
  CHECK(sliced("  %r: tile<16xi32> = make_range {start=0, end=16}\n  %s: tile<16xi32> = splat %n\n"
               "  %m: tile<16xi1> = lt %r, %s\n  %p: tile<16xptr<f32>> = splat %x\n  %q: tile<16xptr<f32>> = addptr %p, %r\n"
               "  %o: tile<16xf32> = constant 1.0\n  %v: tile<16xf32> = load %q, %m, %o\n  %w: tile<16xf32> = exp %v\n"
               "  print %w {text=\"w\"}\n  store %q, %w, %m\n") ==
        "  %0: tile<16xf32> = constant 0.0\n  %r: tile<16xi32> = make_range {start=0, end=16}\n  %s: tile<16xi32> = splat %n\n"
        "  %m: tile<16xi1> = lt %r, %s\n  %p: tile<16xptr<f32>> = splat %x\n  %q: tile<16xptr<f32>> = addptr %p, %r\n"
        "  %v: tile<16xf32> = load %q, %m {address_only=1}\n  store %q, %0, %m {address_only=1}\n");
}

TEST_CASE("slice: an accumulator leaves its loop, a pointer that walks stays") {
  const std::string out = sliced(
      "  %zero: i32 = constant 0\n  %one: i32 = constant 1\n  %acc: f32 = constant 0.0\n"
      "  %a: f32, %p: ptr<f32> = for %zero, %n, %one, %acc, %x (%k: i32, %a1: f32, %p1: ptr<f32>) {\n"
      "    %v: f32 = load %p1\n    %a2: f32 = add %a1, %v\n    %p2: ptr<f32> = addptr %p1, %one\n    yield %a2, %p2\n  }\n"
      "  store %y, %a\n");
  CHECK(has(out, "%p: ptr<f32> = for %zero, %n, %one, %x (%k: i32, %p1: ptr<f32>) {\n"));
  CHECK(has(out, "    yield %p2\n"));
  CHECK(!has(out, "%a"));
}

TEST_CASE("slice: carried and passed values that nothing needs leave a while loop") {
  const std::string out = sliced(
      "  %one: i32 = constant 1\n  %acc: f32 = constant 0.0\n"
      "  %j: i32, %a: f32 = while %n, %acc (%j1: i32, %a1: f32) {\n    %zero: i32 = constant 0\n    %go: i1 = gt %j1, %zero\n"
      "    condition %go, %j1, %a1\n  } do (%j2: i32, %a2: f32) {\n    %p: ptr<f32> = addptr %x, %j2\n    %v: f32 = load %p\n"
      "    %a3: f32 = add %a2, %v\n    %j3: i32 = sub %j2, %one\n    yield %j3, %a3\n  }\n  store %y, %a\n");
  CHECK(has(out, "%j: i32 = while %n (%j1: i32) {"));
  CHECK(has(out, "condition %go, %j1\n"));
  CHECK(has(out, "yield %j3\n"));
  CHECK(!has(out, "%a"));
}

TEST_CASE("slice: a load whose value is an address is read, and keeps `other`") {
  const std::string out = sliced(
      "  %r: tile<16xi32> = make_range {start=0, end=16}\n  %s: tile<16xi32> = splat %n\n  %m: tile<16xi1> = lt %r, %s\n"
      "  %ip: tile<16xptr<i32>> = splat %i\n  %iq: tile<16xptr<i32>> = addptr %ip, %r\n  %o: tile<16xi32> = constant 5\n"
      "  %at: tile<16xi32> = load %iq, %m, %o\n  %p: tile<16xptr<f32>> = splat %x\n  %q: tile<16xptr<f32>> = addptr %p, %at\n"
      "  %v: tile<16xf32> = load %q\n  store %q, %v\n");
  CHECK(has(out, "%at: tile<16xi32> = load %iq, %m, %o\n"));
  CHECK(has(out, "%v: tile<16xf32> = load %q {address_only=1}\n"));
}

TEST_CASE("slice: a store keeps its value when a load that is read may see it, and only then") {
  const auto body = [](const char* stored_to) {
    return std::string("  %one: i32 = constant 1\n  %j: i32 = add %n, %one\n  store ") + stored_to +
           ", %j\n  %at: i32 = load %i\n  %p: ptr<f32> = addptr %x, %at\n  %v: f32 = load %p\n  store %y, %v\n";
  };
  CHECK(has(sliced(body("%i")), "store %i, %j\n"));
  // A pointer that may come from anywhere.
  CHECK(has(sliced("  %b: i64 = ptr_to_int %y\n  %q: ptr<i32> = int_to_ptr %b\n" + body("%q")), "store %q, %j\n"));
  const std::string other = sliced("  %q: ptr<i32> = bitcast %y\n" + body("%q"));
  CHECK(has(other, "store %q, %0 {address_only=1}\n"));
  CHECK(!has(other, "%j"));
}

TEST_CASE("slice: an atomic is done when its old value is an address, else it only accesses") {
  const std::string ticket = sliced(
      "  %one: i32 = constant 1\n  %t: i32 = atomic_rmw %i, %one {kind=\"add\", sem=\"acq_rel\", scope=\"gpu\"}\n"
      "  %p: ptr<f32> = addptr %x, %t\n  %v: f32 = load %p\n  store %y, %v\n");
  CHECK(has(ticket, "%t: i32 = atomic_rmw %i, %one {kind=\"add\", sem=\"acq_rel\", scope=\"gpu\"}\n"));
  const std::string sum = sliced(
      "  %v: f32 = load %x\n  %w: f32 = exp %v\n  %t: f32 = atomic_rmw %y, %w {kind=\"add\", sem=\"acq_rel\", scope=\"gpu\"}\n");
  CHECK(has(sum, "atomic_rmw %y, %0 {kind=\"add\", sem=\"acq_rel\", scope=\"gpu\", address_only=1}\n"));
  CHECK(!has(sum, "exp"));
}

TEST_CASE("slice: a branch without an access goes unless its result is needed, and its condition with it") {
  const std::string gone = sliced(
      "  %v: f32 = load %x\n  %z: f32 = constant 0.0\n  %d: i1 = gt %v, %z\n"
      "  %w: f32 = if %d {\n    %e: f32 = exp %v\n    yield %e\n  } else {\n    yield %z\n  }\n  store %y, %w\n");
  CHECK(!has(gone, "if"));
  CHECK(has(gone, "load %x {address_only=1}\n"));
  const std::string stays = sliced(
      "  %v: f32 = load %x\n  %z: f32 = constant 0.0\n  %d: i1 = gt %v, %z\n"
      "  %e: f32 = if %d {\n    store %y, %v\n    yield %v\n  } else {\n    yield %z\n  }\n");
  CHECK(has(stays, "%v: f32 = load %x\n"));
  CHECK(has(stays, "if %d {\n    store %y, %0 {address_only=1}\n    yield\n  } else {\n    yield\n  }\n"));
}
