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

TEST_CASE("a picture of a patient says that something is wrong, and not what, in the picture's language") {
  if (!can_draw()) return;
  const Folder folder;
  const std::string clinic = "view " + quoted(std::string(TILESCOPE_SOURCE_DIR) + "/lessons/14_clinic") + " --shot x.png --size 1280x720 --page ";
  Result r = run(folder, clinic + "3");
  CHECK(r.status == 3);
  CHECK(r.output.find("Something is wrong with this kernel.") != std::string::npos);
  CHECK(r.output.find("swapped") == std::string::npos);
  CHECK(r.output.find("error") == std::string::npos);
  r = run(folder, clinic + "3 --lang zh");
  CHECK(r.output.find("这个 kernel 有问题。") != std::string::npos);
  // The compiler's message is the symptom; what it advises is the answer.
  r = run(folder, clinic + "6 --lang zh");
  CHECK(r.status == 2);
  CHECK(r.output.find("错误：这些形状不能广播到一起") != std::string::npos);
  CHECK(r.output.find("编译器的建议要等你作答之后才显示。") != std::string::npos);
  CHECK(r.output.find("[:, None] 和 [None, :]") == std::string::npos);
}

TEST_CASE("a fault that a picture shows is told in the picture's language") {
  if (!can_draw()) return;
  const Folder folder;
  const std::string view = "view " + quoted(std::string(TILESCOPE_SOURCE_DIR) + "/lessons/14_clinic/patients/patient_1/launch.json") + " --shot x.png --size 1280x720";
  CHECK(run(folder, view).output.find("error: load out of bounds of `y_ptr`") != std::string::npos);
  const Result r = run(folder, view + " --lang zh");
  CHECK(r.status == 3);
  CHECK(r.output.find("错误：") != std::string::npos);
  CHECK(r.output.find("out of bounds") == std::string::npos);
}
#endif
