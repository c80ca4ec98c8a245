// The one way in which files that a person named are opened: kernels, launch files, .npy, lessons, recordings, settings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/diagnostic.h"

namespace tilescope {

/// A regular file, open for reading. Folders, pipes, sockets and devices are refused by name, and never waited for: a pipe
/// without a writer would block for ever, and a device has no end.
class UserFile {
 public:
  /// Errors: no such file, no permission, a loop of links, not a regular file; each names the path.
  static Expected<UserFile> open(const std::string& path);
  UserFile(UserFile&& other) noexcept;
  UserFile& operator=(UserFile&& other) noexcept;
  ~UserFile();

  /// Bytes that the file says to have; some files of the system say 0 and have more.
  uint64_t size() const { return size_; }
  /// Reads up to `count` bytes. Fewer: the file ends there. Errors: the device fails, or would have to be waited for.
  Expected<size_t> read(char* to, size_t count);

 private:
  UserFile(std::string path, int handle, uint64_t size) : path_(std::move(path)), handle_(handle), size_(size) {}
  std::string path_;
  int handle_ = -1;
  uint64_t size_ = 0;
};

/// The whole file. Errors: those of UserFile::open, and more than `most` bytes, with `hint`.
Expected<std::string> read_user_file(const std::string& path, uint64_t most, const std::string& hint = {});

/// "64 MiB", "100 bytes": a limit as messages name it.
std::string bytes_in_words(uint64_t bytes);

}  // namespace tilescope
