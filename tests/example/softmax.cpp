// A row-wise softmax written in C++: run on the simulator, compared with the GPU when there is one, shown in the window.
//   softmax                  opens the window
//   softmax --shot FILE.png  draws it into a file
#include <tilescope/tilescope.h>

#include <cmath>
#include <iostream>
#include <numeric>

namespace tl = tilescope::dsl;

int main(int argc, char** argv) {
  auto softmax = tl::kernel("softmax_rows", [](tl::Kernel& k) {
    auto x_ptr = k.pointer("x_ptr"), y_ptr = k.pointer("y_ptr");
    auto columns = k.scalar("columns");
    const int64_t BLOCK = k.constant("BLOCK");
    auto row = tl::program_id(0);
    auto i = tl::arange(0, BLOCK);
    auto x = tl::load(x_ptr + row * columns + i, i < columns, -INFINITY);
    auto e = tl::exp(x - tl::max(x, 0));
    tl::store(y_ptr + row * columns + i, e / tl::sum(e, 0), i < columns);
  });

  const int64_t rows = 8, columns = 100;
  std::vector<float> x;
  for (int64_t i = 0; i < rows * columns; ++i) x.push_back(std::sin(0.1f * static_cast<float>(i)));
  tilescope::KernelLaunch launch(softmax, "8");
  launch.in("x_ptr", x, {rows, columns}).out("y_ptr", tilescope::DType::Float32, {rows, columns});
  launch.set("columns", columns).set("BLOCK", 128);

  const tilescope::KernelReport report = launch.run();
  std::cout << report.text() << launch.compare_with_gpu().text();
  if (!report.ok()) return 1;
  const std::vector<float> y = report.values<float>("y_ptr");
  std::cout << "row 0 begins " << y[0] << " " << y[1] << " and sums to " << std::accumulate(y.begin(), y.begin() + columns, 0.0) << "\n";
  tilescope::window::ViewOptions options;
  if (argc == 3 && std::string(argv[1]) == "--shot") options.shot = argv[2];
  return launch.view(options);
}
