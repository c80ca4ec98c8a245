// KernelLaunch, the library's way to run a kernel: tensors with strides, and tensor descriptors.
#include "visualizer/library/kernel_launch.h"

#include <doctest/doctest.h>

#include <numeric>

#include "core/dsl.h"

namespace tl = tilescope::dsl;
using namespace tilescope;

namespace {

/// y = 2 x, by blocks of ROWS x 16 through descriptors that the host makes.
std::shared_ptr<const HostKernel> doubled() {
  return tl::kernel("doubled", [](tl::Kernel& k) {
    auto x_desc = k.descriptor("x_desc"), y_desc = k.descriptor("y_desc");
    const int64_t ROWS = k.constant("ROWS");
    auto row = tl::program_id(0) * ROWS, column = tl::program_id(1) * 16;
    tl::store_tensor_descriptor(y_desc, {row, column}, tl::load_tensor_descriptor(x_desc, {row, column}) * 2);
  });
}

std::vector<float> counted(int64_t n) {
  std::vector<float> x(static_cast<size_t>(n));
  std::iota(x.begin(), x.end(), 0.0f);
  return x;
}

}  // namespace

TEST_CASE("a kernel of C++ takes tensor descriptors from KernelLaunch, with blocks that reach beyond the tensor") {
  const std::vector<float> x = counted(20 * 40);
  std::vector<float> twice;
  for (float v : x) twice.push_back(2 * v);
  KernelLaunch launch(doubled(), "cdiv(20, ROWS),cdiv(40, 16)");
  launch.in("x_desc", x, {20, 40}).descriptor("x_desc", "ROWS, 16").out("y_desc", DType::Float32, {20, 40}).descriptor("y_desc", "ROWS,16");
  launch.set("ROWS", 8).expect("y_desc", twice);
  const KernelReport report = launch.run();
  CHECK_MESSAGE(report.ok(), report.text());
  CHECK(report.values<float>("y_desc") == twice);
}

TEST_CASE("strides of a tensor make rows that a descriptor takes") {
  const std::vector<float> x = counted(6 * 5);
  KernelLaunch launch(doubled(), "1,1");
  launch.in("x_desc", x, {6, 5}).descriptor("x_desc", "8,16").out("y_desc", DType::Float32, {6, 5}).descriptor("y_desc", "8,16").set("ROWS", 8);
  const KernelReport refused = launch.run();
  CHECK(!refused.ran());
  CHECK(refused.text().find("give it the strides (8, 1)") != std::string::npos);
  CHECK(refused.text().find("terminal_kernel_launch.cpp:") != std::string::npos);
  launch.strides("x_desc", {8, 1}).strides("y_desc", {8, 1});
  const KernelReport report = launch.run();
  REQUIRE_MESSAGE(report.ok(), report.text());
  CHECK(report.values<float>("y_desc")[29] == 58);
}

TEST_CASE("mistakes in descriptor() and strides() are reported by run()") {
  const auto said = [](const std::function<void(KernelLaunch&)>& mistake) {
    KernelLaunch launch(doubled(), "1,1");
    launch.in("x_desc", counted(64), {4, 16}).out("y_desc", DType::Float32, {4, 16}).set("ROWS", 4);
    launch.descriptor("x_desc", "4,16").descriptor("y_desc", "4,16");
    mistake(launch);
    const KernelReport report = launch.run();
    CHECK(!report.ran());
    return report.text();
  };
  const auto has = [](const std::string& text, const std::string& part) {
    CHECK_MESSAGE(text.find(part) != std::string::npos, text);
  };
  has(said([](KernelLaunch& l) { l.descriptor("z", "4,16"); }), "descriptor(\"z\"): the launch has no tensor of that name");
  has(said([](KernelLaunch& l) { l.strides("ROWS", {1}); }), "strides(\"ROWS\"): the launch has no tensor of that name");
  has(said([](KernelLaunch& l) { l.descriptor("x_desc", "4,"); }), "args.x_desc.descriptor");
  has(said([](KernelLaunch& l) { l.descriptor("x_desc", ""); }), "args.x_desc.descriptor");
  has(said([](KernelLaunch& l) { l.descriptor("x_desc", "16"); }), "the block of the descriptor `x_desc` has 1 axes, but its tensor has 2");
  has(said([](KernelLaunch& l) { l.descriptor("x_desc", "nothing,16"); }), "nothing");
  has(said([](KernelLaunch& l) { l.strides("x_desc", {16, 1, 1}); }), "args.x_desc.strides");
}
