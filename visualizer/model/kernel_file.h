// The kernel's file on disk: saving what was edited without losing what somebody else wrote.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/launch_file.h"

namespace tilescope::model {

/// The file that the launch's kernel comes from: its kernel file, or the C++ file that builds it.
std::string source_path(const LaunchSpec& spec);

class KernelFile {
 public:
  KernelFile() = default;
  /// `text` is what was read from `path`.
  KernelFile(std::string path, std::string text) : path_(std::move(path)), on_disk_(std::move(text)) {}
  /// There is no file at `path` yet; `text` is not worth saving.
  static KernelFile not_yet(std::string path, std::string text);

  const std::string& path() const { return path_; }
  bool differs(std::string_view text) const { return text != on_disk_; }

  uint64_t saves() const { return saves_; }  ///< how often it was saved

  enum class Outcome : uint8_t {
    Saved,
    NoFile,         ///< the text came from no file
    ChangedOnDisk,  ///< nothing was written: the file is not what was read. Saving again overwrites it
    Failed,         ///< nothing was lost: the file is as it was; `reason` says why
  };
  struct Result {
    Outcome outcome = Outcome::Failed;
    std::string reason;
  };
  /// Writes a new file and puts it in the old one's place, so that no half-written file is ever seen. Follows links; keeps
  /// the file's permissions.
  Result save(const std::string& text);

 private:
  std::string path_, on_disk_;
  bool missing_ = false;  ///< there was no file when it was looked for
  /// What was on disk when the last save was refused: it may be overwritten, what somebody writes after that may not.
  std::optional<std::string> refused_;
  bool removed_refused_ = false;
  uint64_t saves_ = 0;
};

}  // namespace tilescope::model
