// Time that budgets are counted in: other work on the machine changes no result.
#pragma once

#include <ctime>

namespace tilescope {

/// Seconds of the processor that this thread has used.
inline double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace tilescope
