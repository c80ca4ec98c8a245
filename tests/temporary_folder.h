// A folder of a test's own, taken away with all that is in it.
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>

namespace tilescope {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    static std::atomic<int> number{0};
    path = std::filesystem::temp_directory_path() / ("tilescope_test_" + std::to_string(::getpid()) + "_" + std::to_string(number++));
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
  }
  ~TemporaryFolder() {
    std::error_code ec;
    std::filesystem::remove_all(path, ec);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  /// The path of a file in it, which need not be there.
  std::string file(const std::string& name) const { return (path / name).string(); }
  /// Makes a file in it, with the folders above it, and returns its path.
  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path / name).parent_path());
    std::ofstream(path / name, std::ios::binary) << text;
    return file(name);
  }

  std::filesystem::path path;
};

}  // namespace tilescope
