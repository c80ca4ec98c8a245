// Calls of `tilescope lesson` from tests.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/terminal_calls.h"

namespace tilescope::terminal_calls {

namespace fs = std::filesystem;

inline const std::string kLessons = std::string(TILESCOPE_SOURCE_DIR) + "/lessons";

/// A home and a folder of its own, so that no test reads or writes what a person keeps.
struct Home {
  fs::path path = fs::temp_directory_path() / ("tilescope_home_" + std::to_string(reinterpret_cast<uintptr_t>(this)));
  Home() {
    fs::create_directories(path);
    setenv("XDG_CONFIG_HOME", path.c_str(), 1);
    setenv("TILESCOPE_LESSONS", kLessons.c_str(), 1);
  }
  ~Home() {
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("TILESCOPE_LESSONS");
    fs::remove_all(path);
  }
  std::string file(const std::string& name) const { return (path / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name, std::ios::binary) << text;
    return file(name);
  }
};

inline Result lesson(std::vector<std::string> args) {
  args.insert(args.begin(), "lesson");
  return tilescope_command(args);
}

inline std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace tilescope::terminal_calls
