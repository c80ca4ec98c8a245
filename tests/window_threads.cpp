// Warps, lanes and requests of the accesses that a recorded program makes.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>

#include "core/layout.h"
#include "tests/window_session.h"
#include "visualizer/model/threads.h"

namespace tilescope::model {
namespace {

std::vector<std::string> launches() {
  std::vector<std::string> out;
  for (const char* folder : {"/tests/conformance", "/lessons/kernels"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(TILESCOPE_SOURCE_DIR) + folder))
      if (entry.path().filename() == "launch.json") out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

/// Every element has a first holder that holds it, and the layout's own count agrees with the requests one by one.
void check_access(const AccessThreads& a) {
  std::vector<uint8_t> mask;
  for (int64_t e = 0; e < a.elements(); ++e) {
    mask.push_back(a.on(e));
    const Thread t = a.holder(e);
    REQUIRE(a.layout.element_of(t.reg, t.lane, t.warp) == e);
    REQUIRE(a.layout.is_first_copy(t.lane, t.warp));
    REQUIRE(a.holder_in(t.warp, e) == t);
  }
  if (!a.counted) return;
  CHECK(a.requests == a.summary->requests);
  CHECK(a.sectors == a.summary->sectors);
  CHECK(count_requests(a.layout, a.addresses.data(), mask.data()) == RequestCount{a.requests, a.sectors});
  CHECK(a.bytes_used <= a.bytes_moved());
}

std::shared_ptr<const Scene> scene_at(Controller& c, const std::string& label, int occurrence = 0) {
  const Timeline& t = *c.scene()->timeline;
  for (size_t i = 0; i < t.lines.size(); ++i)
    if (t.lines[i].label == label && occurrence-- == 0) {
      c.go_to_line_step(i);
      return c.scene();
    }
  FAIL("no step " << label);
  return nullptr;
}

const AccessThreads& only(const Scene& s) {
  REQUIRE(current_threads(s).size() == 1);
  return current_threads(s).front();
}

}  // namespace

TEST_CASE("requests and sectors shown are those of the counters, for every access of every conformance and lesson kernel") {
  size_t accesses = 0, kernels = 0;
  for (const std::string& path : launches()) {
    CAPTURE(path);
    auto spec = load_launch_file(path);
    REQUIRE(spec.ok());
    if (spec->expect_error) continue;
    auto kernel = compile_for_recording(*spec);
    auto tensors = make_tensors(*spec);
    REQUIRE(kernel.ok());
    REQUIRE(tensors.ok());
    auto launch = bind_launch(*spec, std::move(*kernel), std::move(*tensors));
    REQUIRE(launch.ok());
    auto shared = std::make_shared<Launch>(std::move(*launch));
    auto recording = ProgramRecording::make(*shared, std::make_shared<const std::vector<Tensor>>(shared->tensors), {}, careful_options());
    REQUIRE(recording.ok());
    const ProgramValues values(shared, std::shared_ptr<ProgramRecording>(std::move(*recording)));
    const AxisAnalysis axes(shared->kernel.function);
    ++kernels;
    for (const AccessSummary& s : values.trace().accesses) {
      CAPTURE(s.step);
      const auto a = access_threads(values, axes, s.step);
      REQUIRE(a.has_value());
      check_access(*a);
      ++accesses;
    }
  }
  CHECK(kernels > 100);
  CHECK(accesses > 500);
}

TEST_CASE("the mask of a vector add whose length is no multiple of 16 cuts the width to one element, and half of the bytes moved are used") {
  auto c = opened_lesson("vector_add");
  const AccessThreads& a = only(*scene_at(*c, "load x"));
  CHECK(a.layout.num_warps == 4);
  CHECK(a.layout.contiguous == 2);
  CHECK(a.layout.vector_width == 1);
  CHECK(a.why.limit == WidthReason::Limit::Mask);
  CHECK(a.why.mask == 1);
  CHECK(a.why.share == 2);
  REQUIRE(a.why.strides.size() == 1);
  CHECK(a.why.strides[0] == 1);
  CHECK(a.requests == 8);
  CHECK(a.sectors == 64);
  CHECK(a.bytes_used * 2 == a.bytes_moved());
  const WarpRequest r = a.request(1, 1);
  CHECK(r.lanes_on == 32);
  REQUIRE(r.sectors.size() == 8);
  // Every second element: 4 of 8 bytes.
  CHECK(r.sectors[0].bytes == 0xf0f0f0f0u);
  CHECK(a.holder(64 + 2 * 5 + 1) == Thread{1, 5, 1});
}

TEST_CASE("a warp whose lanes are all masked off issues nothing, and a warp that is partly on asks for fewer sectors") {
  auto c = opened_lesson("vector_add");
  c->select_program({3, 0, 0});
  settle(*c);
  const AccessThreads& a = only(*scene_at(*c, "store"));
  CHECK(a.summary->on == 232);
  const WarpRequest last = a.request(3, 0);  // elements 192..255: 40 of them are on
  CHECK(last.lanes_on == 20);
  CHECK(last.sectors.size() == 5);
  auto k = opened_kernel(R"({"kernel": "k", "grid": [1], "args": {"x": {"tensor": "float32", "shape": [64], "init": "zeros"}}})",
                         "@triton.jit\ndef k(x):\n    i = tl.arange(0, 128)\n    tl.store(x + i, i.to(tl.float32), mask=i < 40)\n");
  k->go_to_end();
  const AccessThreads& b = only(*k->scene());
  CHECK(b.requests == 2);
  CHECK(b.request(1, 0).lanes_on == 8);
  CHECK_FALSE(b.request(2, 0).issued());
  CHECK_FALSE(b.request(2, 0).copy);
  CHECK(b.first_issued() == Thread{0, 0, 0});
}

TEST_CASE("a tile smaller than the thread block: every thread loads its copy, only the first one stores") {
  auto c = opened_kernel(R"({"kernel": "k", "grid": [1], "args": {"x": {"tensor": "float32", "shape": [16], "init": "zeros"}}})",
                         "@triton.jit\ndef k(x):\n    i = tl.arange(0, 16)\n    v = tl.load(x + i)\n    tl.store(x + i, v + 1.0)\n");
  const AccessThreads& load = only(*scene_at(*c, "load v"));
  CHECK(load.copies() == 8);
  CHECK(load.requests == 4);
  CHECK(load.request(2, 0).lanes_on == 32);
  const AccessThreads store = only(*scene_at(*c, "store"));
  CHECK(store.requests == 1);
  CHECK(store.request(0, 0).lanes_on == 16);
  CHECK(store.request(2, 0).copy);
  CHECK_FALSE(store.takes_part(0, 16));
  CHECK(store.holder_in(3, 5) == Thread{3, 5, 0});
}

TEST_CASE("a transposed tile says how far apart its neighbours lie, and a stride that is not known to be one leaves one element") {
  auto c = opened_kernel(R"({"kernel": "k", "grid": [1], "args": {"x": {"tensor": "float32", "shape": [64, 64], "init": "zeros"}, "stride": 64}})",
                         "@triton.jit\ndef k(x, stride):\n    i = tl.arange(0, 32)\n    v = tl.load(x + i[None, :] * stride + i[:, None] * stride * 2)\n");
  const AccessThreads& a = only(*scene_at(*c, "load v"));
  CHECK(a.why.limit == WidthReason::Limit::Contiguity);
  CHECK(a.why.strides[1] == 64);
  CHECK(a.why.strides[0] == 128);
  CHECK(a.request(0, 0).sectors.size() == 32);
  CHECK(a.request(0, 0).bytes_used() == 128);
}

TEST_CASE("an access out of bounds issues nothing; a step without access names the ones before and after it") {
  auto c = opened_kernel(R"({"kernel": "k", "grid": [1], "args": {"x": {"tensor": "float32", "shape": [40], "init": "zeros"}}})",
                         "@triton.jit\ndef k(x):\n    i = tl.arange(0, 64)\n    v = tl.load(x + i)\n    tl.store(x + i, v)\n");
  auto s = c->scene();
  CHECK(current_threads(*s).empty());
  CHECK(nearby_accesses(*s).last == -1);
  CHECK(nearby_accesses(*s).next > 0);
  c->go_to_end();
  s = c->scene();
  const AccessThreads& a = only(*s);
  CHECK_FALSE(a.counted);
  CHECK(a.requests == 0);
  CHECK_FALSE(a.on(63));
}

TEST_CASE("an element that another panel lights is found in the tile of the access") {
  auto c = opened_lesson("matmul");
  c->select_program({2, 0, 0});
  settle(*c);
  auto s = scene_at(*c, "load a", 1);
  const CurrentAccess& a = s->accesses.front();
  CHECK(elements_at(*s, a, {Element::Of::Tensor, "a_ptr", {65, 33}}) == std::vector<int64_t>{1 * 32 + 1});
  CHECK(elements_at(*s, a, {Element::Of::Variable, "a", {3, 4}}) == std::vector<int64_t>{3 * 32 + 4});
  CHECK(elements_at(*s, a, {Element::Of::Variable, "a", {3, 40}}).empty());
  CHECK(elements_at(*s, a, {Element::Of::Tensor, "b_ptr", {1, 1}}).empty());
}

TEST_CASE("the threads of a tile of 2^18 elements are found in a few milliseconds") {
  auto c = opened_kernel(R"({"kernel": "k", "grid": [1], "args": {"x": {"tensor": "float32", "shape": [512, 512], "init": "zeros"}}})",
                         "@triton.jit\ndef k(x):\n    i = tl.arange(0, 512)\n    v = tl.load(x + i[None, :] * 512 + i[:, None])\n");
  auto s = scene_at(*c, "load v");
  const ProgramValues& values = *program_values(*s);
  const auto start = std::chrono::steady_clock::now();
  const auto a = access_threads(values, AxisAnalysis(*s->function), s->accesses.front().step);
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  REQUIRE(a.has_value());
  CHECK(a->layout.vector_width == 4);  // along axis 0, which is the fast one in memory
  CHECK(a->why.axis == 0);
  MESSAGE("threads of 2^18 elements: " << ms << " ms");
  CHECK(ms < 500);
}

}  // namespace tilescope::model
