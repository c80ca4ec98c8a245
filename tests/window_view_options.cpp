// What `tilescope view` refuses before it draws anything.
#include <doctest/doctest.h>
#ifndef TILESCOPE_NO_WINDOW

#include "window_run.h"

using namespace window_run;

namespace {

bool refused(const Folder& folder, const std::string& options, const std::string& message) {
  const Result r = run(folder, "view " + quoted(kernel("vector_add")) + " " + options);
  INFO(options << ": " << r.output);
  CHECK(r.status == 2);
  CHECK(r.output.find(message) != std::string::npos);
  return r.status == 2;
}

}  // namespace

TEST_CASE("a panel, a step or a picture's place that cannot be is refused, and no picture is left") {
  if (!can_draw()) return;
  const Folder folder;
  CHECK(refused(folder, "--panel nope --shot a.png", "--panel nope: there is no such panel"));
  CHECK(refused(folder, "--panel nope --shot a.png", "memory"));
  CHECK(refused(folder, "--step 99 --shot a.png", "--step 99: the last step of this program is 6"));
  CHECK(refused(folder, "--shot nothing/here/a.png", "nothing/here/a.png"));
  CHECK(refused(folder, "--shot .", "."));
  CHECK_FALSE(fs::exists(folder.path() / "a.png"));
}
#endif
