// What a child process breaks does not break this one.
#include <doctest/doctest.h>
#include <unistd.h>

#include <csignal>
#include <ostream>

#include "gpu/child_process.h"

namespace tilescope::gpu {
namespace {

TEST_CASE("a child's output and status come back, also more than a pipe holds") {
  const std::string much(1 << 20, 'x');
  const ChildEnd end = run_in_child(
      [&](std::ostream& out, std::ostream& err) {
        out << much;
        err << much << "!";
        return 7;
      },
      30);
  CHECK(end.kind == ChildEnd::Kind::Finished);
  CHECK(end.status == 7);
  CHECK(end.out == much);
  CHECK(end.err == much + "!");
}

TEST_CASE("a child that dies of a signal is told from one that ends") {
  const ChildEnd end = run_in_child(
      [](std::ostream&, std::ostream&) {
        raise(SIGKILL);
        return 0;
      },
      30);
  CHECK(end.kind == ChildEnd::Kind::Killed);
  CHECK(end.signal == SIGKILL);
}

TEST_CASE("a child that does not come to an end is killed when its time is over") {
  const ChildEnd end = run_in_child(
      [](std::ostream&, std::ostream&) {
        for (;;) pause();
        return 0;
      },
      0.1);
  CHECK(end.kind == ChildEnd::Kind::TimedOut);
}

}  // namespace
}  // namespace tilescope::gpu
