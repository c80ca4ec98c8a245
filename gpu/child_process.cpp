#include "gpu/child_process.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <sstream>

namespace tilescope::gpu {
namespace {

using Clock = std::chrono::steady_clock;

/// Writes all of it; a reader that is gone ends the child.
void write_all(int fd, const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const ssize_t n = write(fd, text.data() + at, text.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(1);
    at += static_cast<size_t>(n);
  }
}

/// The child's side: what it prints goes through the pipes when it is done.
[[noreturn]] void child(const std::function<int(std::ostream&, std::ostream&)>& work, int out_fd, int err_fd) {
  std::ostringstream out, err;
  const int status = work(out, err);
  write_all(err_fd, err.str());
  write_all(out_fd, out.str());
  _exit(status);  // no destructors: they are the parent's
}

/// Reads what there is; false at the end.
bool read_some(int fd, std::string& text) {
  char buffer[4096];
  const ssize_t n = read(fd, buffer, sizeof buffer);
  if (n > 0) text.append(buffer, static_cast<size_t>(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

/// Reads both pipes until the child has closed them; false when the time is over first.
bool read_until_closed(int out_fd, int err_fd, ChildEnd& end, Clock::time_point deadline) {
  pollfd fds[2] = {{out_fd, POLLIN, 0}, {err_fd, POLLIN, 0}};
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    const int ready = poll(fds, 2, static_cast<int>(std::min<long long>(left, 1000)));
    if (ready < 0 && errno != EINTR) return true;
    for (int i = 0; i < 2 && ready > 0; ++i)
      if (fds[i].fd >= 0 && fds[i].revents != 0 && !read_some(fds[i].fd, i == 0 ? end.out : end.err)) fds[i].fd = -1;
  }
  return true;
}

}  // namespace

ChildEnd run_in_child(const std::function<int(std::ostream&, std::ostream&)>& work, double seconds) {
  ChildEnd end;
  int out[2], err[2];
  if (pipe(out) != 0) return end;
  if (pipe(err) != 0) {
    close(out[0]), close(out[1]);
    return end;
  }
  const pid_t pid = fork();
  if (pid == 0) {
    close(out[0]), close(err[0]);
    child(work, out[1], err[1]);
  }
  close(out[1]), close(err[1]);
  if (pid > 0) {
    const auto limit = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    const bool closed = read_until_closed(out[0], err[0], end, Clock::now() + limit);
    if (!closed) kill(pid, SIGKILL);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    end.kind = !closed               ? ChildEnd::Kind::TimedOut
               : WIFSIGNALED(status) ? ChildEnd::Kind::Killed
                                     : ChildEnd::Kind::Finished;
    end.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }
  close(out[0]), close(err[0]);
  return end;
}

}  // namespace tilescope::gpu
