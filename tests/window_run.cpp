#include "window_run.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace window_run {

Folder::Folder() {
  static int count = 0;
  path_ = fs::temp_directory_path() / ("tilescope_window_" + std::to_string(getpid()) + "_" + std::to_string(++count));
  fs::create_directories(path_);
}
Folder::~Folder() {
  std::error_code ec;
  fs::remove_all(path_, ec);
}

std::string kernel(const std::string& name) { return std::string(TILESCOPE_SOURCE_DIR) + "/lessons/kernels/" + name + "/launch.json"; }

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Result run(const Folder& folder, const std::string& arguments, int seconds) {
  const std::string command = "cd " + quoted(folder.path().string()) + " && timeout " + std::to_string(seconds) + " " + quoted(TILESCOPE_BINARY) + " " + arguments + " 2>&1";
  Result r;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return r;
  char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) r.output.append(buffer, n);
  const int status = pclose(pipe);
  r.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return r;
}

Result play(const Folder& folder, const std::string& launch, const std::string& script, const std::string& options, int seconds) {
  const std::string script_file = folder.file("script.txt"), state_file = folder.file("state.json");
  fs::remove(state_file);
  write(script_file, script);
  Result r = run(folder, "view " + quoted(launch) + " --script script.txt --state state.json " + options, seconds);
  const Json state = Json::parse(read(state_file), nullptr, false);
  if (!state.is_discarded()) r.state = state;
  return r;
}

std::string missing(const Json& expected, const Json& got, const std::string& place) {
  if (!expected.is_object()) return expected == got ? "" : place + ": expected " + expected.dump() + ", got " + got.dump();
  if (!got.is_object()) return place + ": expected an object, got " + got.dump();
  for (const auto& [key, value] : expected.items()) {
    const auto it = got.find(key);
    if (it == got.end()) return place + "/" + key + ": missing";
    if (std::string why = missing(value, *it, place + "/" + key); !why.empty()) return why;
  }
  return "";
}

bool can_draw() {
#ifdef TILESCOPE_NO_WINDOW
  static const bool can = false;
  static const std::string why = "tilescope was built without the window";
#else
  static std::string why;
  static const bool can = [] {
    const Folder folder;
    const Result r = run(folder, "view " + quoted(kernel("vector_add")) + " --shot probe.png --size 640x400");
    why = r.output;
    return r.status == 0;
  }();
#endif
  if (can) return true;
  static const bool said = [] {
    std::printf("NOT RUN: tests of the window's frames: %s\n", why.c_str());
    return true;
  }();
  (void)said;
  if (std::getenv("CI") != nullptr) FAIL("CI must be able to draw frames: " << why);
  return false;
}

}  // namespace window_run
