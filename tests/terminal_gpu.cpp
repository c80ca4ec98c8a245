// `tilescope cuda` and `tilescope compare` on a machine with or without a GPU.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "gpu/recorded.h"
#include "tests/temporary_folder.h"
#include "tests/terminal_calls.h"

namespace tilescope::terminal {
using terminal_calls::Result;
using terminal_calls::tilescope_command;

namespace {

const std::string kLessons = std::string(TILESCOPE_SOURCE_DIR) + "/lessons/kernels/";

TEST_CASE("cuda prints the kernel with its source lines, without a GPU") {
  const Result r = tilescope_command({"cuda", kLessons + "softmax/launch.json"});
  CHECK(r.status == kFine);
  CHECK(r.out.find("__global__") != std::string::npos);
  CHECK(r.out.find("// 14 | tl.store(") != std::string::npos);
}

TEST_CASE("cuda refuses a kernel that does not compile") {
  const Result r =
      tilescope_command({"cuda", std::string(TILESCOPE_SOURCE_DIR) + "/tests/conformance/add_shape_mismatch_error/launch.json"});
  CHECK(r.status == kUsage);
  CHECK(r.out.empty());
  CHECK(r.err.find("error") != std::string::npos);
}

TEST_CASE("compare finds equal bits, on a GPU or against a recorded run, or says that it has neither") {
  const Result r = tilescope_command({"compare", kLessons + "vector_add/launch.json"});
  CAPTURE(r.err);
  const bool compared = r.status == kFine;
  CHECK((compared || r.status == kNoGpu));
  CHECK((compared ? r.out.find("equal, bit for bit") : r.err.find("--record")) != std::string::npos);
}

TEST_CASE("the lessons' recorded runs are of today's GPU code, and what ncu counted is what the simulator predicts") {
  for (const char* lesson : {"vector_add", "softmax", "matmul", "grouped_matmul"}) {
    const Result r = tilescope_command({"compare", kLessons + lesson + "/launch.json"});
    if (r.out.find("recorded on") == std::string::npos) continue;  // there is a GPU
    CAPTURE(r.out);
    CHECK(r.status == kFine);
    CHECK(r.out.find("not that of the recording") == std::string::npos);
    std::istringstream lines(r.out);
    int rows = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.find(" requests ") == std::string::npos && line.find(" sectors ") == std::string::npos) continue;
      std::istringstream row(line);
      std::string what, kind;
      uint64_t counted = 0, predicted = 1;
      row >> what >> kind >> counted >> predicted;
      CHECK(counted == predicted);
      ++rows;
    }
    CHECK(rows == 4);
  }
}

TEST_CASE("a hit rate above 100% is not printed as one") {
  const Result r = tilescope_command({"compare", kLessons + "vector_add/launch.json"});
  if (r.out.find("recorded on") == std::string::npos) return;  // there is a GPU
  CHECK(r.out.find("L2 hit rate not meaningful") != std::string::npos);
  const Result softmax = tilescope_command({"compare", kLessons + "softmax/launch.json"});
  CHECK(softmax.out.find("; L2 hit rate ") != std::string::npos);
}

TEST_CASE("compare without a GPU and without a recording says how to make one, and takes a lesson's number") {
  setenv("TILESCOPE_LESSONS", (std::string(TILESCOPE_SOURCE_DIR) + "/lessons").c_str(), 1);
  const Result r = tilescope_command({"compare", "7"}), record = tilescope_command({"compare", "7", "--record", "--arg", "BLOCK_SIZE=-1"});
  const Result run = tilescope_command({"run", "3"}), none = tilescope_command({"run", "99"});
  unsetenv("TILESCOPE_LESSONS");
  CAPTURE(r.err);
  CHECK((r.status == kNoGpu || r.status == kFine));
  if (r.status == kNoGpu) {
    CHECK(r.err.find("`tilescope compare --record` on a machine with a GPU") != std::string::npos);
    CHECK(r.err.find("--backend") == std::string::npos);
  }
  CHECK(record.status == kUsage);
  CHECK(run.status == kFine);
  CHECK(run.out.find("grid 4 programs") != std::string::npos);
  CHECK(none.status == kUsage);
  CHECK(none.err.find("there is no lesson \"99\"") != std::string::npos);
}

TEST_CASE("compare tells another result from the recorded one") {
  const Result r = tilescope_command({"compare", kLessons + "softmax/launch.json", "--arg", "x_ptr=f32[128,1000]=randn(2)"});
  if (r.out.find("recorded on") == std::string::npos) return;  // there is a GPU: both runs had the other input
  CHECK(r.status == kDifferent);
  CHECK(r.out.find("not those of the recorded run") != std::string::npos);
  CHECK(r.out.find("in the recording") != std::string::npos);
}

TEST_CASE("a recorded run that leaves out a tensor of the launch is not taken for an equal one") {
  const TemporaryFolder folder;
  std::filesystem::copy(kLessons + "vector_add", folder.path, std::filesystem::copy_options::recursive);
  const std::string launch = folder.file("launch.json"), path = folder.file("launch.gpu.json");
  if (tilescope_command({"compare", launch}).out.find("recorded on") == std::string::npos) return;  // there is a GPU
  auto run = gpu::load_recording(path);
  REQUIRE(run.ok());
  run->tensors.pop_back();
  REQUIRE(!gpu::save_recording(path, *run));
  const Result r = tilescope_command({"compare", launch});
  CHECK(r.status == kUsage);
  CHECK(r.err.find("is not in it") != std::string::npos);
}

TEST_CASE("a launch that is forced past a fault does not take this process down") {
  const Result r = tilescope_command({"run", kLessons + "vector_add/launch.json", "--arg", "n=100000", "--backend", "gpu",
                            "--force", "--quiet"});
  CAPTURE(r.err);
  CHECK(r.err.find("launched on the GPU all the same (--force)") != std::string::npos);
  // Without a GPU it says so; with one the kernel ends, or its fault is told with the kernel's name.
  CHECK((r.status == kNoGpu || r.status == kFine || r.status == kFault));
  if (r.status == kFault) CHECK(r.err.find("kernel add_kernel") != std::string::npos);
}

TEST_CASE("a launch with a fault is refused before any GPU sees it") {
  const Result r = tilescope_command({"compare", kLessons + "vector_add/launch.json", "--arg", "n=100000"});
  CHECK(r.status == kFault);
  CHECK(r.err.find("--force") != std::string::npos);
}

}  // namespace
}  // namespace tilescope::terminal
