#include "visualizer/terminal/standard_streams.h"

#include <algorithm>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/ioctl.h>
#include <unistd.h>
#endif

namespace tilescope::terminal {

bool is_terminal([[maybe_unused]] Stream stream) {
#if defined(__unix__) || defined(__APPLE__)
  return isatty(static_cast<int>(stream)) == 1;
#else
  return false;
#endif
}

int terminal_columns([[maybe_unused]] int least, [[maybe_unused]] int most, int otherwise) {
#if defined(__unix__) || defined(__APPLE__)
  winsize size{};
  if (is_terminal(Stream::Output) && ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return std::clamp<int>(size.ws_col, least, most);
#endif
  return otherwise;
}

}  // namespace tilescope::terminal
