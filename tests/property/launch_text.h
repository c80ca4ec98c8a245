// A launch from the text of a kernel and the text of a launch file, without files that stay.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "sim/launch.h"

namespace tilescope::testing {

/// A kernel file that lives as long as this object.
class KernelFile {
 public:
  explicit KernelFile(const std::string& body) {
    static int number = 0;
    folder_ = std::filesystem::temp_directory_path() /
              ("tilescope_kernel_" + std::to_string(::getpid()) + "_" + std::to_string(number++));
    std::filesystem::create_directories(folder_);
    std::ofstream(path()) << "import triton\nimport triton.language as tl\n\n\n@triton.jit\n" << body;
  }
  KernelFile(const KernelFile&) = delete;
  KernelFile& operator=(const KernelFile&) = delete;
  ~KernelFile() { std::filesystem::remove_all(folder_); }

  std::string path() const { return (folder_ / "kernel.py").string(); }
  std::string launch_path() const { return (folder_ / "launch.json").string(); }

 private:
  std::filesystem::path folder_;
};

/// What went wrong on the way from the launch text to the comparison of its outputs, or "". All checkers are on.
inline std::string run_launch(const std::string& kernel, const std::string& launch_text, Launch* kept = nullptr) {
  const KernelFile file(kernel);
  Expected<LaunchSpec> spec = parse_launch_text(launch_text, file.launch_path());
  if (!spec) return render(spec.errors());
  Expected<Launch> launch = prepare_launch(*spec);
  if (!launch) return render(launch.errors());
  const std::vector<Tensor> before = copy_reference_inputs(*launch);
  RunOptions options;
  options.check.uninitialised = true;
  const RunTrace trace = execute(*launch, options);
  if (!trace.faults.empty()) return render(to_diagnostic(trace.faults.front()));
  Expected<std::vector<OutputCheck>> checks = check_outputs(*launch, before);
  if (!checks) return render(checks.errors());
  for (const OutputCheck& c : *checks)
    if (!c.equal) return c.tensor + ": got " + c.first_got + ", expected " + c.first_expected;
  if (kept != nullptr) *kept = std::move(*launch);
  return {};
}

}  // namespace tilescope::testing
