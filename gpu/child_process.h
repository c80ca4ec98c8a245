// Work in a process of its own: what it breaks (a GPU's context, its own memory) does not break this one.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace tilescope::gpu {

/// How a child process ended.
struct ChildEnd {
  enum class Kind { Finished, Killed, TimedOut, NotStarted };
  Kind kind = Kind::NotStarted;
  int status = 0;        ///< Finished: what the work returned
  int signal = 0;        ///< Killed: by this signal
  std::string out, err;  ///< what it wrote until then
};

/// Forks, and has the child do `work`. It must not have used the GPU before: a driver does not survive a fork. A child
/// that takes longer than `seconds` is killed. Errors: NotStarted, when the system has no process or pipe left.
ChildEnd run_in_child(const std::function<int(std::ostream& out, std::ostream& err)>& work, double seconds);

}  // namespace tilescope::gpu
