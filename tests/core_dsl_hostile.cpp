// Programs that use core/dsl.h in ways that nobody should: each gets an exception with the C++ line, or an error value;
// none may crash, and the next kernel builds as if nothing had happened.
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/dsl.h"
#include "tests/core_dsl_compare.h"

using namespace tilescope;
using namespace tilescope::test;
namespace tl = tilescope::dsl;

namespace {

std::string built(const tl::Body& body) { return ir_or_error(host_request("x_ptr=*f32 n=100", tl::kernel("k", body))); }

/// A kernel that has nothing wrong with it, and what it must look like.
std::string built_good() {
  return built([](tl::Kernel& k) {
    auto x_ptr = k.pointer("x_ptr");
    auto n = k.scalar("n");
    auto acc = tl::zeros({16}, tl::float32);
    for (auto i : tl::range(0, n, 16)) acc += tl::load(x_ptr + i + tl::arange(0, 16));
    tl::store(x_ptr, tl::sum(acc, 0));
  });
}

struct Parts {
  tl::Value x_ptr, n;
  explicit Parts(tl::Kernel& k) : x_ptr(k.pointer("x_ptr")), n(k.scalar("n")) {}
};

}  // namespace

TEST_CASE("a variable that only an ended loop has assigned is no value for the other branch of an if") {
  const std::string said = built([](tl::Kernel& k) {
    Parts p(k);
    tl::Value t;
    for (auto i : tl::range(p.n)) t = i + 7;
    tl::if_(p.n > 3, [&] { t = p.n + 1; });
    tl::store(p.x_ptr, t);
  });
  CHECK(said.find("error: ") == 0);
  CHECK(said.find("internal") == std::string::npos);
}

TEST_CASE("a condition of while that assigns is refused") {
  const std::string said = built([](tl::Kernel& k) {
    Parts p(k);
    tl::Value i = p.n + 0;
    tl::while_(
        [&] {
          i += 1;
          return i < p.n;
        },
        [&] { tl::store(p.x_ptr + i, 1.0); });
  });
  CHECK(said.starts_with("error: the condition of tl::while_ assigns `i`"));
}

TEST_CASE("a function that throws something that is no exception before its parameters are known gives an error") {
  CHECK(built([](tl::Kernel&) { throw 3; }) == "error: the function of the kernel `k` threw something that is no std::exception");
}

TEST_CASE("an exception of any kind in the middle of a loop, branch, condition or combine function leaves nothing behind") {
  const std::string good = built_good();
  REQUIRE(good.find("error") == std::string::npos);
  const auto after = [&](const tl::Body& body) {
    const std::string said = built(body);
    CHECK(built_good() == good);
    return said;
  };
  CHECK(after([](tl::Kernel& k) {
          Parts p(k);
          for (auto i : tl::range(p.n)) {
            tl::store(p.x_ptr + i, 1.0);
            throw std::runtime_error("in a loop");
          }
        }) == "error: the function of the kernel `k` threw an exception: in a loop");
  CHECK(after([](tl::Kernel& k) {
          Parts p(k);
          for (auto i : tl::range(p.n)) tl::if_(i > 3, [&] { throw 42; });
        }) == "error: the function of the kernel `k` threw something that is no std::exception");
  CHECK(after([](tl::Kernel& k) {
          Parts p(k);
          tl::while_([]() -> tl::Value { throw std::bad_alloc(); }, [] {});
        }).starts_with("error: the function of the kernel `k` threw an exception: "));
  CHECK(after([](tl::Kernel& k) {
          Parts p(k);
          tl::reduce(tl::arange(0, 16), 0, [](tl::Value, tl::Value) -> tl::Value { throw std::logic_error("in a combine"); });
        }) == "error: the function of the kernel `k` threw an exception: in a combine");
}

TEST_CASE("an exception in a loop's body that the function itself catches takes the loop back, and the kernel goes on") {
  const std::string said = built([](tl::Kernel& k) {
    Parts p(k);
    try {
      for (auto i : tl::range(p.n)) {
        tl::store(p.x_ptr + i, 1.0);
        throw std::runtime_error("given up");
      }
    } catch (const std::runtime_error&) {
    }
    tl::store(p.x_ptr, 2.0);
  });
  // Either is right; an IR with half a loop in it is not.
  CHECK((said.starts_with("error: ") || said.find("for") == std::string::npos));
}

TEST_CASE("values that outlive their kernel can be copied, assigned and destroyed, but not used") {
  std::optional<tl::Value> kept, copy;
  std::vector<tl::Value> many;
  const std::string first = built([&](tl::Kernel& k) {
    Parts p(k);
    kept.emplace(p.n);
    for (int i = 0; i < 10; ++i) many.push_back(p.n + i);
  });
  CHECK(first.find("error") == std::string::npos);
  copy.emplace(*kept);
  many.clear();
  CHECK_THROWS_AS(*kept + 1, tl::Error);
  CHECK_THROWS_AS(*kept = *copy, tl::Error);
  CHECK_THROWS_AS(*kept += 1, tl::Error);
  CHECK_THROWS_AS(kept->dtype(), tl::Error);
  CHECK_THROWS_AS(kept->items(), tl::Error);
  CHECK(built([&](tl::Kernel& k) { Parts p(k); tl::store(p.x_ptr, *kept); }) == "error: this value belongs to another kernel");
  CHECK(built([&](tl::Kernel& k) { Parts p(k); tl::store(p.x_ptr, *copy); }) == "error: this value belongs to another kernel");
  CHECK(built([&](tl::Kernel& k) { Parts p(k); *kept = p.n; }) == "error: this value belongs to another kernel");
  CHECK(built([&](tl::Kernel& k) { Parts p(k); for (auto i : tl::range(p.n)) *kept += i; }) == "error: this value belongs to another kernel");
}

TEST_CASE("a kernel that is built inside the function of another is refused, and text may be compiled there") {
  const auto other = tl::kernel("other", [](tl::Kernel& k) { tl::store(k.pointer("x_ptr"), 1.0); });
  std::string inner, text;
  const std::string outer = built([&](tl::Kernel& k) {
    Parts p(k);
    tl::store(p.x_ptr, 1.0);
    inner = ir_or_error(host_request("x_ptr=*f32", other));
    text = text_ir("x_ptr=*f32\n@triton.jit\ndef k(x_ptr):\n    tl.store(x_ptr, 1.0)\n");
    tl::store(p.x_ptr + 1, 2.0);
  });
  CHECK(inner.starts_with("error: "));
  CHECK(text.find("store") != std::string::npos);
  CHECK(outer == built([](tl::Kernel& k) {
    Parts p(k);
    tl::store(p.x_ptr, 1.0);
    tl::store(p.x_ptr + 1, 2.0);
  }));
  CHECK(ir_or_error(host_request("x_ptr=*f32", other)).find("error") == std::string::npos);
}

TEST_CASE("threads build kernels at the same time, and one kernel at the same time") {
  const std::string good = built_good();
  const auto shared = tl::kernel("k", [](tl::Kernel& k) {
    Parts p(k);
    for (auto i : tl::range(p.n)) tl::store(p.x_ptr + i, 1.0);
  });
  const std::string right = ir_or_error(host_request("x_ptr=*f32 n=100", shared));
  std::vector<std::string> said(8);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < said.size(); ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5; ++i) said[t] = t % 2 == 0 ? built_good() : ir_or_error(host_request("x_ptr=*f32 n=100", shared));
    });
  for (std::thread& t : threads) t.join();
  for (size_t t = 0; t < said.size(); ++t) CHECK(said[t] == (t % 2 == 0 ? good : right));
}

TEST_CASE("a value that another thread uses while its kernel is being built is refused there") {
  std::string message;
  const std::string said = built([&](tl::Kernel& k) {
    Parts p(k);
    auto x = tl::load(p.x_ptr);
    std::thread([&] {
      try {
        tl::Value y = x + 1;
      } catch (const tl::Error& e) {
        message = e.diagnostic().message;
      }
    }).join();
    tl::store(p.x_ptr, x);
  });
  CHECK(message == "no kernel is being built here");
  CHECK(said.find("error") == std::string::npos);
}

TEST_CASE("two loops by hand that end in the wrong order, and a value of the inner one, are refused") {
  CHECK(built([](tl::Kernel& k) {
          Parts p(k);
          auto outer = std::make_unique<tl::Range>(tl::Operand(0), tl::Operand(p.n), tl::Operand(1), tl::RangeOptions{}, tl::Site::current());
          auto inner = std::make_unique<tl::Range>(tl::Operand(0), tl::Operand(p.n), tl::Operand(1), tl::RangeOptions{}, tl::Site::current());
          auto i = outer->begin(), j = inner->begin();
          ++i;
          tl::store(p.x_ptr, *j);
        }).starts_with("error: "));
  CHECK(built_good().find("error") == std::string::npos);
}
