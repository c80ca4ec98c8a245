// Where elements come out of tl.view: as Triton leaves them in a GPU's threads (core/view_order.h).
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/launch.h"

using namespace tilescope;
using Json = nlohmann::json;

namespace {

const std::string kFolder = std::string(TILESCOPE_SOURCE_DIR) + "/tests/data/views/";

Json read_cases(const char* file) {
  std::ifstream in(kFolder + file);
  return Json::parse(in);
}

template <class T>
void fill(Tensor& t, int64_t (*value)(int64_t)) {
  T* data = reinterpret_cast<T*>(t.storage.data());
  for (int64_t i = 0; i < t.layout.elements(); ++i) data[i] = static_cast<T>(value(i));
}

int64_t small_value(int64_t i) { return (37 * i + 11) % 201 - 100; }
int64_t large_value(int64_t i) { return (7919 * i + 13) % 2001 - 1000; }

Launch prepare(const std::string& kernel_file, const std::string& kernel, int num_warps, size_t results) {
  Json args;
  for (const char* t : {"int8", "int16", "int32", "int64"}) args["x_" + std::string(t)] = {{"tensor", t}, {"shape", {4096}}, {"init", "zeros"}};
  args["y"] = {{"tensor", "int32"}, {"shape", {4096}}, {"init", "zeros"}};
  args["o"] = {{"tensor", "int64"}, {"shape", {results}}, {"init", "zeros"}};
  const Json text = {{"file", kernel_file}, {"kernel", kernel}, {"grid", {1}}, {"num_warps", num_warps}, {"args", args}};
  auto spec = parse_launch_text(text.dump(), kFolder + "launch.json");
  REQUIRE_MESSAGE(spec.ok(), render(spec.errors()));
  auto launch = prepare_launch(*spec);
  REQUIRE_MESSAGE(launch.ok(), kernel << ": " << render(launch.errors()));
  fill<int8_t>(*launch->find_tensor("x_int8"), small_value);
  fill<int16_t>(*launch->find_tensor("x_int16"), small_value);
  fill<int32_t>(*launch->find_tensor("x_int32"), small_value);
  fill<int64_t>(*launch->find_tensor("x_int64"), small_value);
  fill<int32_t>(*launch->find_tensor("y"), large_value);
  return std::move(*launch);
}

std::vector<int64_t> run(Launch& launch) {
  const RunTrace trace = execute(launch, {});
  REQUIRE(trace.faults.empty());
  const Tensor& o = *launch.find_tensor("o");
  std::vector<int64_t> out(static_cast<size_t>(o.layout.elements()));
  std::memcpy(out.data(), o.storage.data(), out.size() * sizeof(int64_t));
  return out;
}

bool is_not_known(const Launch& launch) {
  return std::any_of(launch.kernel.notes.begin(), launch.kernel.notes.end(),
                     [](const Diagnostic& d) { return d.message.find("is not known here") != std::string::npos; });
}

}  // namespace

TEST_CASE("random views come in the order in which Triton left them on an H200, or are called not known") {
  int decided = 0, not_known = 0;
  for (const Json& c : read_cases("cases.json")) {
    const std::string kernel = c["kernel"];
    const std::vector<int64_t> expected = c["out"];
    Launch launch = prepare("kernels.py", kernel, c["num_warps"], expected.size());
    if (is_not_known(launch)) {
      ++not_known;
      continue;
    }
    ++decided;
    CHECK_MESSAGE(run(launch) == expected, kernel);
  }
  CHECK(decided == 145);
  CHECK(not_known == 5);
}

TEST_CASE("random tl.cat with can_reorder=True come in the order in which Triton left them on an H200") {
  const Json cases = read_cases("cat_cases.json");
  CHECK(cases.size() == 60);
  for (const Json& c : cases) {
    const std::vector<int64_t> expected = c["out"];
    Launch launch = prepare("cat_kernels.py", c["kernel"], c["num_warps"], expected.size());
    CHECK(!is_not_known(launch));
    CHECK_MESSAGE(run(launch) == expected, c["kernel"]);
  }
}

TEST_CASE("a view that is reduced changes its order with the warps and the shape, a reshape does not") {
  const auto notes = [](int warps, const char* kernel) {
    Launch launch = prepare("orders.py", kernel, warps, 256);
    std::string out;
    for (const Diagnostic& d : launch.kernel.notes) out += d.message + "\n";
    return out;
  };
  CHECK(notes(1, "rows") == "this view reorders the elements: with 1 warp [0, 4] is [8, 0] of its operand, as Triton 3.6 leaves them in a GPU's threads\n");
  CHECK(notes(4, "stored") == "this view may reorder the elements; with 4 warps Triton keeps them in row-major order here\n");
  CHECK(notes(4, "softmax") ==
        "this view may reorder the elements on a GPU, in a way that is not known here; they keep their row-major order\n");
  CHECK(notes(4, "plain").empty());
  const auto results = [](int warps, const char* kernel) {
    Launch launch = prepare("orders.py", kernel, warps, 256);
    return run(launch);
  };
  CHECK(results(1, "rows") != results(4, "rows"));
  CHECK(results(1, "plain") == results(4, "plain"));
  CHECK(results(1, "rows") != results(1, "plain"));
}

TEST_CASE("a view that is reduced and stored is one value with two orders, as the compiler makes two of it") {
  Launch launch = prepare("orders.py", "both", 4, 256 + 32);
  const std::vector<int64_t> out = run(launch);
  int64_t total = 0, sum = 0;
  for (size_t i = 0; i < 32; ++i) sum += out[i];
  for (size_t i = 32; i < out.size(); ++i) total += out[i];
  CHECK(sum == total);  // the same elements
  std::vector<int64_t> of_rows(32);
  for (size_t i = 0; i < 256; ++i) of_rows[i / 8] += out[32 + i];
  CHECK(of_rows != std::vector<int64_t>(out.begin(), out.begin() + 32));
}

TEST_CASE("equal views are one, a dead use and a factor of 1 do not count, and a view of a view is one view") {
  const auto first_results = [](const char* kernel) {
    Launch launch = prepare("orders.py", kernel, 4, 512);
    std::vector<int64_t> out = run(launch);
    out.resize(32);
    return out;
  };
  CHECK(first_results("two_equal") == first_results("two_axes"));
  CHECK(first_results("two_axes") != first_results("rows"));
  CHECK(first_results("dead_use") == first_results("rows"));
  CHECK(first_results("chain") == first_results("rows"));
  CHECK(first_results("folded") == first_results("rows"));  // x * 1 is x when the compiler looks
}

TEST_CASE("the order of a view is the same with and without the optimising passes") {
  for (const char* kernel : {"rows", "stored", "softmax", "both", "two_equal", "dead_use", "chain", "folded"}) {
    auto spec = prepare("orders.py", kernel, 2, 512).spec;
    std::vector<std::vector<int64_t>> results;
    for (bool optimise : {false, true}) {
      auto compiled = compile_launch(spec, optimise);
      REQUIRE(compiled.ok());
      Launch filled = prepare("orders.py", kernel, 2, 512);
      auto launch = bind_launch(spec, std::move(*compiled), std::move(filled.tensors));
      REQUIRE(launch.ok());
      results.push_back(run(*launch));
    }
    CHECK_MESSAGE(results[0] == results[1], kernel);
  }
}
