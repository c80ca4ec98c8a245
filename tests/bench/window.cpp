// bench_window: opens a 4096 x 4096 x 4096 matmul in the window without a screen and steps through it, and prints the worst
// frame against 50 ms with the parts of it, so that the panel at fault is named. Software rendering; a machine that has other
// work to do makes every number worse.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

int main() {
  const std::string folder = std::string(TILESCOPE_BUILD_DIR), script = folder + "/bench_window.txt";
  std::string steps;
  for (const char* panel : {"kloop", "memory", "addresses"}) {
    steps += std::string("click tab.") + panel + "\nframes 5\n";
    for (int i = 0; i < 12; ++i) steps += "key Right\n";
    steps += "key Shift+Right\nkey End\nkey Home\n";
  }
  std::ofstream(script) << "times\n" << steps << "times\nclick scrubber.track 0.3 0.5\ndrag scrubber.track 200 0\ntimes\n";
  const std::string command = "TILESCOPE_FRAME_TIMES=1 '" + std::string(TILESCOPE_BINARY) + "' view '" + TILESCOPE_SOURCE_DIR + "/tests/bench/matmul_4096.json' --script '" + script + "'";
  std::printf("4096 x 4096 x 4096 matmul, fp16, 1600x900: opening, stepping, scrubbing (target: no frame above 50 ms)\n");
  std::fflush(stdout);
  return std::system(command.c_str()) == 0 ? 0 : 1;
}
