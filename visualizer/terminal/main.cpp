#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>

#include "visualizer/terminal/command.h"

namespace {

/// Memory may end anywhere, on any thread: that is the user's sizes against this machine, not a bug.
void say_why_and_end() {
  try {
    if (const std::exception_ptr e = std::current_exception()) std::rethrow_exception(e);
  } catch (const std::bad_alloc&) {
    std::fputs("error: not enough memory\n   hint: use smaller tensors, or fewer threads (--threads)\n", stderr);
    std::_Exit(tilescope::terminal::kUsage);
  } catch (...) {
  }
  std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  std::set_terminate(say_why_and_end);
#ifdef SIGXFSZ
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error to report, not a way to die
#endif
  const int status =
      tilescope::terminal::tilescope_main(std::vector<std::string>(argv + 1, argv + argc), std::cout, std::cerr);
  if (std::cout.flush()) return status;
  std::cerr << "error: the report could not be written to standard output\n";
  return status == 0 ? tilescope::terminal::kUsage : status;
}
