// Races between programs, duplicate lanes of a store, dependence on order: what is found, and what must not be.
#include <doctest/doctest.h>

#include <filesystem>

#include "core/launch_file.h"
#include "sim/order_check.h"
#include "tests/sim_exec_data.h"

namespace tilescope {
namespace {

using testing::Bench;

RunOptions all_checks() {
  RunOptions o;
  o.check = Checkers::all();
  return o;
}

bool mentions(const std::string& text, const std::string& part) {
  if (text.find(part) == std::string::npos) MESSAGE("looked for: ", part, "\nin: ", text);
  return text.find(part) != std::string::npos;
}

/// A launch of `n` programs on x and out of 1000 elements (out alone may be shorter).
RunTrace on_vectors(const std::string& kernel, int64_t programs, RunOptions options = all_checks()) {
  Bench b;
  b.range("x_ptr", DType::Float32, {1000});
  b.range("out_ptr", DType::Float32, {1000});
  b.integer("n", 1000);
  b.integer("BLOCK", 256);
  return b.run(kernel, {programs, 1, 1}, options);
}

constexpr const char* kSameTile = R"(
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n, other=0.0)
    tl.store(out_ptr + offs, x + tl.program_id(0), mask=offs < n)
)";

TEST_CASE("two programs that write one tile are a race, with both programs, the element and the cause") {
  const RunTrace t = on_vectors(kSameTile, 4);
  REQUIRE(t.faults.size() == 1);
  const Fault& f = t.faults[0];
  CHECK(f.kind == FaultKind::Race);
  CHECK_FALSE(f.same_value);
  CHECK(f.range.line == 9);
  CHECK(f.program == ProgramIndex{1, 0, 0});
  CHECK(f.tensor == "out_ptr");
  CHECK(f.element == std::vector<int64_t>{0});
  REQUIRE(f.other.has_value());
  CHECK(f.other->program == ProgramIndex{0, 0, 0});
  CHECK(f.other->writes);
  CHECK(mentions(f.message, "race on `out_ptr`: program 1 writes element 0, which program 0 writes too"));
  CHECK(mentions(f.hint, "both programs store the same tile"));
  CHECK(has_failed(t));
}

TEST_CASE("tiles that reach into each other are told from tiles that lie apart") {
  const std::string kernel = R"(
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * STEP + tl.arange(0, BLOCK)
    tl.store(out_ptr + offs, tl.program_id(0), mask=offs < n)
)";
  const auto with_step = [&](const char* step) {
    std::string text = kernel;
    return on_vectors(text.replace(text.find("STEP"), 4, step), 4);
  };
  const RunTrace apart = with_step("BLOCK");
  CHECK(apart.faults.empty());
  const RunTrace meet = with_step("128");
  REQUIRE(meet.faults.size() == 1);
  CHECK(meet.faults[0].element == std::vector<int64_t>{128});
  CHECK(meet.faults[0].lane == 0);
  CHECK(meet.faults[0].other->lane == 128);
  CHECK(mentions(meet.faults[0].hint, "start 128 elements apart along axis 0 of a tile that is 256 long there"));
}

constexpr const char* kShift = R"(
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs + 1, mask=offs + 1 < n, other=0.0)
    tl.store(x_ptr + offs, x, mask=offs < n)
)";

TEST_CASE("a program that reads what another writes is a race with both lines") {
  const RunTrace t = on_vectors(kShift, 4);
  REQUIRE(t.faults.size() == 1);
  const Fault& f = t.faults[0];
  CHECK(f.kind == FaultKind::Race);
  CHECK(f.range.line == 9);
  CHECK(f.program == ProgramIndex{1, 0, 0});
  CHECK(f.lane == 0);
  CHECK(f.element == std::vector<int64_t>{256});
  CHECK(f.other->range.line == 8);
  CHECK(f.other->lane == 255);
  CHECK_FALSE(f.other->writes);
  CHECK(f.count == 3);
  CHECK(mentions(render(to_diagnostic(f)), "program [0, 0, 0] reads it here"));
}

TEST_CASE("a kernel that works in place is no race") {
  const RunTrace t = on_vectors(R"(
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    for step in range(3):
        x = tl.load(x_ptr + offs, mask=offs < n, other=0.0)
        tl.store(x_ptr + offs, x * 2 + step, mask=offs < n)
)",
                                4);
  CHECK(testing::faults(t) == "");
}

TEST_CASE("programs that write the same value are labelled so, and do not fail the launch") {
  const RunTrace whole = on_vectors(R"(
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.store(out_ptr + offs, tl.load(x_ptr + offs), mask=offs < n)
)",
                                    4);
  REQUIRE(whole.faults.size() == 1);
  CHECK(whole.faults[0].same_value);
  CHECK_FALSE(has_failed(whole));
  CHECK(mentions(whole.faults[0].message, "same-value race"));
  CHECK(mentions(whole.faults[0].hint, "never asks for tl.program_id(0)"));
  CHECK(mentions(render(to_diagnostic(whole.faults[0])), "warning:"));
  // A flag that every program sets, and tiles of zeros that overlap.
  const RunTrace flag = on_vectors(R"(
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    tl.store(out_ptr, 1.0)
    tl.store(x_ptr + tl.program_id(0) * 100 + tl.arange(0, BLOCK), tl.zeros((BLOCK,), tl.float32))
)",
                                   4);
  REQUIRE(flag.faults.size() == 2);
  CHECK(flag.faults[0].same_value);
  CHECK(flag.faults[1].same_value);
}

TEST_CASE("scattered stores are followed element by element") {
  const std::string kernel = R"(
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    to = tl.load(x_ptr + offs, mask=offs < n, other=0.0).to(tl.int32)
    tl.store(out_ptr + to, offs, mask=offs < n)
)";
  CHECK(testing::faults(on_vectors(kernel, 4)) == "");
  std::string meet = kernel;
  meet.replace(meet.find("+ to,"), 5, "+ (999 - to) % 700,");
  const RunTrace t = on_vectors(meet, 4);
  REQUIRE(t.faults.size() == 1);
  CHECK(t.faults[0].kind == FaultKind::Race);
  CHECK(t.faults[0].count == 300);
}

TEST_CASE("programs that add to one element race in that one element, and the hint names tl.atomic_add") {
  const RunTrace t = on_vectors(R"(
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n, other=0.0)
    tl.store(out_ptr, tl.load(out_ptr) + tl.sum(x))
)",
                                4);
  REQUIRE(t.faults.size() == 1);
  CHECK(t.faults[0].kind == FaultKind::Race);
  CHECK(t.faults[0].count == 1);
  CHECK(mentions(t.faults[0].hint, "perhaps `tl.atomic_add` is meant"));
}

TEST_CASE("a program's later store counts, not only its first") {
  const RunTrace value = on_vectors(R"(
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    tl.store(out_ptr, 0.0)
    if tl.program_id(0) == 0:
        tl.store(out_ptr, 1.0)
)",
                                    4);
  CHECK(has_failed(value));
  CHECK_FALSE(value.faults.at(0).message.starts_with("same-value"));
  const RunTrace released = on_vectors(R"(
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    if tl.program_id(0) == 0:
        tl.store(x_ptr, 1.0)
        tl.atomic_xchg(out_ptr, 1.0)
        tl.store(x_ptr, 2.0)
    else:
        if tl.atomic_add(out_ptr, 0.0) == 1.0:
            tl.store(out_ptr + 1 + tl.program_id(0), tl.load(x_ptr))
)",
                                       4);
  int on_x = 0;
  for (const Fault& f : released.faults) on_x += f.kind == FaultKind::Race && f.tensor == "x_ptr";
  CHECK(on_x == 1);
}

TEST_CASE("an element that many programs write counts once") {
  const RunTrace t = on_vectors(kSameTile, 16);
  REQUIRE(t.faults.size() == 1);
  CHECK(t.faults[0].count == 256);
}

TEST_CASE("rows that reach into the next row by a forgotten mask are told so first") {
  const std::string kernel = R"(
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    row = tl.program_id(0) * 200
    x = tl.load(IN + row + cols, mask=cols < 200, other=0.0)
    tl.store(out_ptr + row + cols, x * 2)
)";
  const auto with_input = [&](const char* in) {
    std::string text = kernel;
    return on_vectors(text.replace(text.find("IN"), 2, in), 4);
  };
  const RunTrace apart = with_input("x_ptr");
  REQUIRE(apart.faults.size() == 1);
  CHECK(apart.faults[0].count == 3 * 56);
  CHECK(mentions(apart.faults[0].hint, "start 200 elements apart along axis 0 of a tile that is 256 long there: perhaps the mask is missing, which keeps this store below 200"));
  const RunTrace in_place = with_input("out_ptr");
  REQUIRE(in_place.faults.size() == 1);
  CHECK(in_place.faults[0].count == 3 * 56);
  CHECK(mentions(in_place.faults[0].hint, "this store has no mask, the load at line 9 has one: perhaps the mask is missing here"));
}

TEST_CASE("atomics do not race with each other, but with plain accesses of other programs") {
  const RunTrace histogram = on_vectors(R"(
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    bins = tl.load(x_ptr + offs, mask=offs < n, other=0.0).to(tl.int32) % 10
    tl.atomic_add(out_ptr + bins, 1.0, mask=offs < n)
)",
                                        4);
  CHECK(testing::faults(histogram) == "");
  const RunTrace mixed = on_vectors(R"(
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    if tl.program_id(0) == 0:
        tl.store(out_ptr, 0.0)
    tl.atomic_add(out_ptr, 1.0)
)",
                                    4);
  REQUIRE(mixed.faults.size() == 1);
  CHECK(mixed.faults[0].kind == FaultKind::Race);
  CHECK(mentions(mixed.faults[0].hint, "an atomic protects an element only where every program that touches it uses atomics"));
}

TEST_CASE("accesses that a lock or a counter of finished programs puts in order do not race") {
  const RunTrace counter = on_vectors(R"(
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    tl.store(out_ptr + pid, tl.sum(tl.load(x_ptr + pid * 250 + tl.arange(0, 128)), axis=0))
    done = tl.atomic_add(out_ptr + 999, 1.0)
    if done == 999.0 + 3:
        total = tl.sum(tl.load(out_ptr + tl.arange(0, 4)), axis=0)
        tl.store(x_ptr, total)
)",
                                      4);
  for (const Fault& f : counter.faults) CHECK_MESSAGE(f.tensor != "out_ptr", f.message);
  const RunTrace lock = on_vectors(R"(
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    while tl.atomic_cas(out_ptr.to(tl.pointer_type(tl.int32)), 0, 1) == 1:
        pass
    tl.store(x_ptr + 5, tl.load(x_ptr + 5) + 1.0)
    tl.atomic_xchg(out_ptr.to(tl.pointer_type(tl.int32)), 0)
)",
                                   4);
  CHECK(testing::faults(lock) == "");
}

TEST_CASE("races are the same for any number of threads and any order of the programs") {
  for (const char* kernel : {kSameTile, kShift}) {
    RunOptions one = all_checks();
    one.threads = 1;
    const RunTrace expected = on_vectors(kernel, 4, one);
    for (const ProgramOrder order : {ProgramOrder::RowMajor, ProgramOrder::Reverse, ProgramOrder::Shuffled})
      for (int threads : {1, 2, 3}) {
        RunOptions o = all_checks();
        o.order = order;
        o.shuffle_seed = 5;
        o.threads = threads;
        const RunTrace t = on_vectors(kernel, 4, o);
        CHECK(testing::faults(t) == testing::faults(expected));
        REQUIRE(t.faults.size() == expected.faults.size());
        CHECK(t.faults[0].count == expected.faults[0].count);
        CHECK(t.faults[0].program == expected.faults[0].program);
      }
  }
}

TEST_CASE("two arguments that are one tensor, and views that run backwards, are the same memory") {
  Bench b;
  Tensor& x = b.tensor("x_ptr", DType::Float32, {8}, {-1});
  b.integer("n", 8);
  auto run_with = [&](const std::string& text) { return b.run(text, {2, 1, 1}, all_checks()); };
  const RunTrace apart = run_with(R"(
def kernel(x_ptr, n):
    offs = tl.program_id(0) * 4 + tl.arange(0, 4)
    tl.store(x_ptr - offs, offs)
)");
  CHECK(testing::faults(apart) == "");
  const RunTrace meet = run_with(R"(
def kernel(x_ptr, n):
    offs = tl.program_id(0) * 2 + tl.arange(0, 4)
    tl.store(x_ptr - offs, tl.arange(0, 4))
)");
  REQUIRE(meet.faults.size() == 1);
  CHECK(meet.faults[0].element == std::vector<int64_t>{3});
  CHECK(x.name == "x_ptr");
}

// ---- duplicate lanes ------------------------------------------------------------------------------------------------------

TEST_CASE("lanes of one store that write one element are reported with both lanes") {
  const RunTrace t = on_vectors(R"(
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offs // 2, offs, mask=offs < n)
)",
                                4);
  REQUIRE(t.faults.size() == 1);
  const Fault& f = t.faults[0];
  CHECK(f.kind == FaultKind::DuplicateLanes);
  CHECK(f.range.line == 8);
  CHECK(f.lane == 1);
  REQUIRE(f.other.has_value());
  CHECK(f.other->lane == 0);
  CHECK(f.count == 500);
  CHECK(mentions(f.message, "lanes 0 and 1 of one store write element 0 of `out_ptr`, with different values"));
}

TEST_CASE("lanes that write the same value are labelled so; a broadcast address is named") {
  const RunTrace same = on_vectors(R"(
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    tl.store(out_ptr + tl.zeros((16, 8), tl.int32) + tl.arange(0, 16)[:, None], tl.arange(0, 16)[:, None] + tl.zeros((16, 8), tl.int32))
)",
                                   1);
  REQUIRE(same.faults.size() == 1);
  CHECK(same.faults[0].kind == FaultKind::DuplicateLanes);
  CHECK(same.faults[0].same_value);
  CHECK_FALSE(has_failed(same));
  CHECK(same.faults[0].lane_index == std::vector<int64_t>{0, 1});
  CHECK(mentions(same.faults[0].hint, "the addresses do not move along axis 1 of the tile: its 8 lanes share one element"));
  const RunTrace differ = on_vectors(R"(
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, 16)[:, None] * 4 + tl.arange(0, 8)[None, :], tl.arange(0, 16)[:, None] + tl.arange(0, 8)[None, :])
)",
                                     1);
  REQUIRE(differ.faults.size() == 1);
  CHECK_FALSE(differ.faults[0].same_value);
  CHECK(has_failed(differ));
}

TEST_CASE("masked-off lanes, transposed tiles and tiles with a step are no duplicates") {
  const RunTrace t = on_vectors(R"(
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, 16)
    tl.store(out_ptr + i // 2, i, mask=i % 2 == 0)
    tl.store(out_ptr + 100 + i[None, :] * 16 + i[:, None], i[:, None] + i[None, :])
    tl.store(out_ptr + 400 + 3 * i, i)
    tl.store(out_ptr + 500 + (15 - i), i)
)",
                                1);
  CHECK(testing::faults(t) == "");
}

TEST_CASE("undefined values that are stored outside a tensor are reported as out of bounds") {
  const RunTrace t = on_vectors(R"(
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.store(out_ptr + offs, x)
)",
                                4);
  REQUIRE(t.faults.size() == 1);
  CHECK(t.faults[0].kind == FaultKind::OutOfBounds);
  CHECK(mentions(t.faults[0].hint, "this store has no mask for offsets >= 1000: an unmasked tail of 24 lanes"));
}

// ---- order ------------------------------------------------------------------------------------------------------------------

TEST_CASE("a result that is the same in reverse but not in shuffled order is found") {
  LaunchSpec spec;
  auto parsed = parse_launch_text(R"({"kernel": "k", "file": "k.py", "grid": [8], "args": {"x_ptr": {"tensor": "float32", "shape": [8], "init": "zeros"}}})",
                                  std::string(TILESCOPE_SOURCE_DIR) + "/tests/l.json");
  REQUIRE(parsed.ok());
  spec = *parsed;
  auto source = std::make_shared<SourceFile>();
  source->path = "k.py";
  // Program 3 sees whether program 2 or 4 came just before: in reverse order as in row order, exactly one of them has.
  source->text = R"(import triton
import triton.language as tl
@triton.jit
def k(x_ptr):
    pid = tl.program_id(0)
    a = tl.load(x_ptr + 2)
    b = tl.load(x_ptr + 4)
    tl.store(x_ptr + pid, tl.where(pid == 3, a + b, 1.0))
)";
  auto kernel = compile_kernel(compile_request(spec, source));
  REQUIRE(kernel.ok());
  auto tensors = make_tensors(spec);
  REQUIRE(tensors.ok());
  auto launch = bind_launch(spec, std::move(*kernel), std::move(*tensors));
  REQUIRE(launch.ok());
  execute(*launch, {});
  RunOptions options;
  options.shuffle_seed = 1;
  std::vector<Fault> faults;
  CHECK_FALSE(find_order_dependence(*launch, options, faults).has_value());
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].kind == FaultKind::OrderDependence);
  CHECK(mentions(faults[0].message, "in a shuffled order"));
}

TEST_CASE("the lessons' kernels raise nothing under every check") {
  int kernels = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(TILESCOPE_SOURCE_DIR) + "/lessons/kernels")) {
    const auto path = entry.path() / "launch.json";
    if (!std::filesystem::exists(path)) continue;
    auto spec = load_launch_file(path.string());
    REQUIRE(spec.ok());
    auto launch = prepare_launch(*spec);
    REQUIRE(launch.ok());
    const RunTrace t = execute(*launch, all_checks());
    CHECK_MESSAGE(t.faults.empty(), path.string() << ": " << testing::faults(t));
    CHECK(order_cannot_matter(*launch, t, Checkers::all()));
    CHECK_FALSE(order_cannot_matter(*launch, t, Checkers{}));
    std::vector<Fault> faults;
    CHECK_FALSE(find_order_dependence(*launch, {}, faults).has_value());
    CHECK(faults.empty());
    ++kernels;
  }
  CHECK(kernels == 4);
}

}  // namespace
}  // namespace tilescope
