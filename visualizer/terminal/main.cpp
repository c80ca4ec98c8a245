#include <csignal>
#include <iostream>

#include "visualizer/terminal/command.h"

int main(int argc, char** argv) {
#ifdef SIGXFSZ
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error to report, not a way to die
#endif
  const int status =
      tilescope::terminal::tilescope_main(std::vector<std::string>(argv + 1, argv + argc), std::cout, std::cerr);
  if (std::cout.flush()) return status;
  std::cerr << "error: the report could not be written to standard output\n";
  return status == 0 ? tilescope::terminal::kUsage : status;
}
