// Misuse of core/dsl.h: each is an exception with the C++ line, and an error value from compile_kernel; the next kernel
// builds as if nothing had happened.
#include <filesystem>
#include <optional>

#include "core/dsl.h"
#include "tests/core_dsl_compare.h"

using namespace tilescope;
using namespace tilescope::test;
namespace tl = tilescope::dsl;

namespace {

constexpr const char* kArgs = "x_ptr=*f32 n=100 BLOCK=64";

struct Parts {
  tl::Value x_ptr, n;
  int64_t BLOCK;
};

/// Builds a kernel whose function goes on with `misuse`, in both ways; both must give an error at that line of this file
/// whose message has `message` in it.
void check_error(const std::function<void(Parts&)>& misuse, unsigned line, const std::string& message) {
  auto host = tl::kernel("k", [&](tl::Kernel& k) {
    Parts p{k.pointer("x_ptr"), k.scalar("n"), k.constant("BLOCK")};
    misuse(p);
  });
  CompileRequest request = host_request(kArgs, host);
  CAPTURE(message);
  bool thrown = false;
  try {
    tl::build(*host, request);
  } catch (const tl::Error& e) {
    thrown = true;
    CHECK_MESSAGE(e.diagnostic().message.find(message) != std::string::npos, e.what());
    CHECK_MESSAGE(e.diagnostic().range.line == static_cast<int>(line), e.what());
    CHECK(std::filesystem::path(e.diagnostic().range.file->path).filename() == "core_dsl_errors.cpp");
    CHECK(std::string(e.what()).find(message) != std::string::npos);
  }
  CHECK(thrown);
  Expected<CompiledKernel> compiled = compile_kernel(request);
  REQUIRE(!compiled.ok());
  CHECK(compiled.errors().front().message.find(message) != std::string::npos);
  CHECK(compiled.errors().front().range.line == static_cast<int>(line));

  auto good = tl::kernel("good", [](tl::Kernel& k) { tl::store(k.pointer("x_ptr"), 1.0); });
  CHECK(compile_kernel(host_request("x_ptr=*f32", good)).ok());
}

}  // namespace

TEST_CASE("shapes that do not broadcast are refused at their C++ line") {
  const unsigned line = __LINE__ + 2;
  check_error([](Parts& p) {
    tl::load(p.x_ptr + (tl::arange(0, 32) + tl::arange(0, p.BLOCK)));
  }, line, "cannot broadcast [32] with [64]");
}

TEST_CASE("an operator's error names its operands, for both stand at one place, and its hint is C++") {
  auto host = tl::kernel("k", [](tl::Kernel& k) {
    auto x_ptr = k.pointer("x_ptr");
    auto x = tl::load(x_ptr + tl::arange(0, 64));
    auto j = tl::arange(0, 32);
    tl::store(x_ptr, x * j);
  });
  const Expected<CompiledKernel> compiled = compile_kernel(host_request("x_ptr=*f32", host));
  REQUIRE(!compiled.ok());
  const Diagnostic& d = compiled.errors().front();
  CHECK(d.range_label == "left `x`: shape [64]; right `j`: shape [32]");
  CHECK(d.labels.empty());
  CHECK(d.hint == "to combine every element of one with every element of the other, write tl::column(x) and tl::row(y)");
}

TEST_CASE("a pointer that moves by a float is refused at its C++ line") {
  const unsigned line = __LINE__ + 2;
  check_error([](Parts& p) {
    auto q = p.x_ptr + p.n / 2;
  }, line, "a pointer moves by integers, not by float32");
}

TEST_CASE("bounds of arange that span no power of two are refused at their C++ line") {
  const unsigned line = __LINE__ + 2;
  check_error([](Parts&) {
    auto i = tl::arange(0, 100);
  }, line, "the length of tl.arange must be a power of two, not 100");
}

TEST_CASE("a variable that changes its type or shape in a loop is refused where it is assigned") {
  unsigned line = __LINE__ + 4;
  check_error([](Parts& p) {
    tl::Value acc = 0;
    for (auto i : tl::range(p.n))
      acc = acc + 1.5;
  }, line, "`acc` changes its type in the loop: it starts as a run-time int32 scalar");
  line = __LINE__ + 4;
  check_error([](Parts& p) {
    tl::Value acc = 0.0;
    for (auto i : tl::range(p.n))
      acc += tl::zeros({p.BLOCK}, tl::float32);
  }, line, "`acc` changes its shape in the loop");
}

TEST_CASE("branches that leave different types in a variable are refused") {
  const unsigned line = __LINE__ + 4;
  check_error([](Parts& p) {
    tl::Value y = 0;
    tl::if_(p.n > 3, [&] {
      y = tl::load(p.x_ptr);
    });
  }, line, "`y` gets different types in the two branches");
}

TEST_CASE("a value is refused outside of the loop or branch that made it") {
  unsigned line = __LINE__ + 4;
  check_error([](Parts& p) {
    std::optional<tl::Value> kept;
    for (auto i : tl::range(p.n)) kept.emplace(i + 1);
    tl::store(p.x_ptr + *kept, 1.0);
  }, line, "was made inside a loop or branch that has ended");
  line = __LINE__ + 4;
  check_error([](Parts& p) {
    tl::Value y;
    tl::if_(p.n > 3, [&] { y = p.n + 1; });
    tl::store(p.x_ptr + y, 1.0);
  }, line, "`y` has no value here");
}

TEST_CASE("a value of another kernel, and of a kernel that is finished, is refused") {
  std::optional<tl::Value> kept;
  auto other = tl::kernel("other", [&](tl::Kernel& k) {
    auto x_ptr = k.pointer("x_ptr");
    auto x = tl::load(x_ptr);
    kept.emplace(x);
  });
  REQUIRE(compile_kernel(host_request("x_ptr=*f32", other)).ok());
  const unsigned line = __LINE__ + 2;
  check_error([&](Parts& p) {
    tl::store(p.x_ptr, *kept);
  }, line, "this value belongs to another kernel");
  CHECK_THROWS_AS(*kept + 1, tl::Error);
  CHECK_THROWS_AS(*kept = 1, tl::Error);
  CHECK_THROWS_AS(kept->shape(), tl::Error);
}

TEST_CASE("a kernel inside the function of another is refused") {
  const unsigned line = __LINE__ + 2;
  check_error([](Parts& p) {
    auto inner = tl::kernel("inner", [](tl::Kernel&) {});
    tl::store(p.x_ptr, 1.0);
  }, line, "a kernel cannot be made inside the function of another");
}

TEST_CASE("operations without a kernel being built are refused, with their line") {
  const unsigned line = __LINE__ + 2;
  try {
    tl::arange(0, 64);
    FAIL("nothing was thrown");
  } catch (const tl::Error& e) {
    CHECK(e.diagnostic().message == "no kernel is being built here");
    CHECK(e.diagnostic().range.line == static_cast<int>(line));
  }
  CHECK_THROWS_AS(tl::Value(3), tl::Error);
  CHECK_THROWS_AS(tl::range(3), tl::Error);
  CHECK_THROWS_AS(tl::if_(true, [] {}), tl::Error);
}

TEST_CASE("break and return out of a tl::range are refused at the loop") {
  unsigned line = __LINE__ + 2;
  check_error([](Parts& p) {
    for (auto i : tl::range(p.n)) {
      tl::store(p.x_ptr + i, 1.0);
      if (p.BLOCK == 64) break;
    }
  }, line, "cannot be left by `break` or `return`");
  line = __LINE__ + 2;
  check_error([](Parts& p) {
    for (auto i : tl::range(p.n)) {
      tl::store(p.x_ptr + i, 1.0);
      if (p.BLOCK == 64) return;
    }
    tl::store(p.x_ptr, 1.0);
  }, line, "cannot be left by `break` or `return`");
}

TEST_CASE("a tl::range that is begun by hand and never ended is refused") {
  std::unique_ptr<tl::Range> kept;
  auto host = tl::kernel("k", [&](tl::Kernel& k) {
    auto x_ptr = k.pointer("x_ptr");
    kept.reset(new tl::Range(tl::range(0, 5)));
    (void)kept->begin();
    tl::store(x_ptr, 1.0);
  });
  CHECK(ir_or_error(host_request("x_ptr=*f32", host)) ==
        "error: a loop over a tl::range of this kernel was begun and not ended");
}

TEST_CASE("bounds and conditions of the wrong kind are refused") {
  unsigned line = __LINE__ + 2;
  check_error([](Parts& p) {
    for (auto i : tl::range(p.n / 2)) tl::store(p.x_ptr + i, 1.0);
  }, line, "the end of a range must be an integer scalar");
  line = __LINE__ + 2;
  check_error([](Parts& p) {
    tl::if_(tl::arange(0, 64) < p.n, [] {});
  }, line, "`if` needs one truth value");
  line = __LINE__ + 2;
  check_error([](Parts& p) {
    tl::store(p.x_ptr, tl::call("tl.sofmax", {p.n}));
  }, line, "there is no function tl.sofmax");
}

TEST_CASE("parameters are checked against the launch, at their declaration") {
  const auto message = [](const char* args, const tl::Body& body) {
    return ir_or_error(host_request(args, tl::kernel("k", body)));
  };
  CHECK(message("x_ptr=*f32", [](tl::Kernel& k) { k.pointer("y_ptr"); }) ==
        "error: the argument `y_ptr` of `k` is missing");
  CHECK(message("x_ptr=*f32 m=3", [](tl::Kernel& k) { k.pointer("x_ptr"); }) ==
        "error: the kernel `k` has no parameter `m`");
  CHECK(message("x_ptr=3", [](tl::Kernel& k) { k.pointer("x_ptr"); }) ==
        "error: the argument `x_ptr` is a number, but the kernel needs a tensor");
  CHECK(message("n=*f32", [](tl::Kernel& k) { k.scalar("n"); }) ==
        "error: the argument `n` is a tensor, but the kernel needs a number");
  CHECK(message("B=*f32", [](tl::Kernel& k) { k.constant("B"); }) ==
        "error: the argument `B` is a tensor, but the kernel needs a constexpr");
  CHECK(message("B=1.5", [](tl::Kernel& k) { k.constant("B"); }) ==
        "error: the constant `B` is the constexpr 1.5, but an integer is needed here");
  CHECK(message("n=3", [](tl::Kernel& k) { k.scalar("n"), k.scalar("n"); }) ==
        "error: the parameter `n` is declared twice");
  CHECK(message("n=3 m=4", [](tl::Kernel& k) {
          auto n = k.scalar("n");
          auto two = n * 2;
          auto m = k.scalar("m");
        }) == "error: the parameter `m` is declared after an operation");
}

TEST_CASE("exceptions of other kinds become error values with their text") {
  auto host = tl::kernel("k", [](tl::Kernel& k) {
    tl::store(k.pointer("x_ptr"), 1.0);
    throw std::runtime_error("out of luck");
  });
  CHECK(ir_or_error(host_request("x_ptr=*f32", host)) ==
        "error: the function of the kernel `k` threw an exception: out of luck");
}

TEST_CASE("an error that the kernel's function catches leaves no trace") {
  auto host = tl::kernel("k", [](tl::Kernel& k) {
    auto x_ptr = k.pointer("x_ptr");
    auto acc = tl::load(x_ptr);
    try {
      for (auto i : tl::range(10)) {
        acc += 1.0;
        tl::if_(i > 3, [&] { acc = acc + tl::arange(0, 3); });
      }
    } catch (const tl::Error&) {
    }
    tl::store(x_ptr, acc);
  });
  CHECK(ir_or_error(host_request("x_ptr=*f32", host)) == text_ir(R"(x_ptr=*f32
@triton.jit
def k(x_ptr):
    acc = tl.load(x_ptr)
    tl.store(x_ptr, acc)
)"));
}

TEST_CASE("a kernel knows its parameters before it is built") {
  auto host = tl::kernel("k", [](tl::Kernel& k) {
    auto x_ptr = k.pointer("x_ptr");
    auto n = k.scalar("n");
    const int64_t BLOCK = k.constant("BLOCK"), STAGES = k.constant("STAGES", 3);
    tl::store(x_ptr + n + BLOCK + STAGES, 1.0);
  });
  CHECK(host->name == "k");
  CHECK(host->params == std::vector<std::string>{"x_ptr", "n", "BLOCK", "STAGES"});
  CHECK(host->constexprs == std::vector<std::string>{"BLOCK", "STAGES"});
  CHECK(std::filesystem::path(host->source->path).filename() == "core_dsl_errors.cpp");
  CHECK(host->source->text.find("a kernel knows its parameters before it is built") != std::string::npos);
}

TEST_CASE("every location in the IR is a valid place of the C++ text, on the line of the operation") {
  const int first = __LINE__ + 1;
  auto host = tl::kernel("k", [](tl::Kernel& k) {
    auto x_ptr = k.pointer("x_ptr");
    auto n = k.scalar("n");
    auto offsets = tl::program_id(0) * 64 + tl::arange(0, 64);
    auto x = tl::load(x_ptr + offsets,
                      offsets < n);
    tl::if_(n > 3, [&] {
      x = tl::exp(x) * 2.0;
    });
    tl::store(x_ptr + offsets, x);
  });
  CompiledKernel built = tl::build(*host, host_request("x_ptr=*f32 n=100", host));
  const auto lines_of = [&](OpCode code) {
    std::vector<int> lines;
    walk(built.function.body, [&](const Op& op) {
      if (op.code == code) lines.push_back(op.loc->range.line - first);
    });
    return lines;
  };
  CHECK(lines_of(OpCode::ProgramId) == std::vector<int>{3});
  CHECK(lines_of(OpCode::CmpLt) == std::vector<int>{5});
  CHECK(lines_of(OpCode::Load) == std::vector<int>{4});
  CHECK(lines_of(OpCode::If) == std::vector<int>{6});
  CHECK(lines_of(OpCode::Exp) == std::vector<int>{7});
  CHECK(lines_of(OpCode::Store) == std::vector<int>{9});
  walk(built.function.body, [&](const Op& op) {
    for (const SourceRange& r : {op.loc->range, op.loc->statement}) {
      CHECK(r.valid());
      CHECK(r.file->text == host->source->text);
      CHECK(r.column >= 1);
      CHECK(r.end_line >= r.line);
      CHECK((r.end_line > r.line || r.end_column > r.column));
      CHECK(r.end_column <= static_cast<int>(r.file->line(r.end_line).size()) + 1);
    }
  });
}
