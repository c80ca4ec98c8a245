// Runs the built command's window with scripted input and reads what it left behind.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace window_run {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// A folder of its own, gone afterwards. What a run writes lies there: it is the working folder of the command.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

struct Result {
  int status = -1;     ///< of the command; 128 + signal when it crashed, 124 when it hung
  std::string output;  ///< both streams
  Json state;          ///< null when none was written
};

std::string kernel(const std::string& name);  ///< launch file of a kernel in lessons/kernels
std::string quoted(const std::string& text);  ///< for the shell
void write(const std::string& path, const std::string& text);
std::string read(const std::string& path);

/// `tilescope view LAUNCH --script ... --state ...` with the script's lines. `options` follow.
Result play(const Folder& folder, const std::string& launch, const std::string& script, const std::string& options = "", int seconds = 60);
/// Any command line of tilescope, in the folder.
Result run(const Folder& folder, const std::string& arguments, int seconds = 60);

/// Every member of `expected` is in `got` with that value, objects within objects too. "" or the first difference.
std::string missing(const Json& expected, const Json& got, const std::string& place = "");

/// This program was built without the window, or the machine cannot draw without a screen; then says so once and tests of
/// frames pass unless CI is set.
bool can_draw();

}  // namespace window_run
