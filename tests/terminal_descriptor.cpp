// Tensor descriptors as arguments, on the command line.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "tests/terminal_calls.h"

using namespace tilescope;
using namespace tilescope::terminal_calls;
namespace fs = std::filesystem;

namespace {

struct KernelFile {
  fs::path path = fs::temp_directory_path() / ("tilescope_descriptor_" + std::to_string(reinterpret_cast<uintptr_t>(this)) + ".py");
  KernelFile() {
    std::ofstream(path) << "import triton\nimport triton.language as tl\n\n@triton.jit\n"
                           "def double(x_desc, y_desc, ROWS: tl.constexpr, COLUMNS: tl.constexpr):\n"
                           "    row = tl.program_id(0) * ROWS\n"
                           "    column = tl.program_id(1) * COLUMNS\n"
                           "    y_desc.store([row, column], x_desc.load([row, column]) * 2)\n";
  }
  ~KernelFile() { fs::remove(path); }
};

std::vector<std::string> call(const std::string& command, const KernelFile& f, const std::string& strides) {
  const std::string block = strides + ":block(ROWS,COLUMNS)";
  return {command,   f.path.string(),
          "--grid",  "cdiv(70, ROWS),cdiv(45, COLUMNS)",
          "--arg",   "x_desc=f16[70,45]" + block + "=randn(1)",
          "--arg",   "y_desc=f16[70,45]" + block,
          "--arg",   "ROWS=32",
          "--arg",   "COLUMNS=32"};
}

}  // namespace

TEST_CASE("run, check and cost take descriptors from --arg") {
  const KernelFile f;
  for (const char* command : {"run", "check", "cost"}) {
    CAPTURE(command);
    const Result r = tilescope_command(call(command, f, ":strides(48,1)"));
    CHECK(r.status == 0);
    CHECK(r.err == "");
  }
}

TEST_CASE("rows that are not at multiples of 16 bytes are refused with strides that would do") {
  const KernelFile f;
  const Result r = tilescope_command(call("run", f, ""));
  CHECK(r.status != 0);
  CHECK(mentions(r.err, "give it the strides (48, 1)"));
}

TEST_CASE("sandbox runs a kernel of descriptors without being told anything") {
  const KernelFile f;
  const Result r = tilescope_command({"sandbox", "--no-window", "--yes", f.path.string()});
  CHECK(r.status == 0);
  CHECK(mentions(r.out, ":block(ROWS,COLUMNS)"));
  CHECK(mentions(r.out, "No fault found"));
}

TEST_CASE("lint says that a kernel of descriptors is fine") {
  const KernelFile f;
  CHECK(tilescope_command({"lint", f.path.string()}).status == 0);
}
