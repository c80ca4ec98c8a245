#include "core/user_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilescope {
namespace {

Diagnostic cannot(const std::string& path, const std::string& why, const std::string& hint = {}) {
  return plain_error("cannot read " + path + ": " + why, hint);
}

Diagnostic system_problem(const std::string& path, int error) {
  switch (error) {
    case ENOENT: return cannot(path, "no such file", "check the path");
    case ENOTDIR: return cannot(path, "no such file", "a part of the path is a file, not a folder");
    case EACCES:
    case EPERM: return cannot(path, "no permission");
    case ELOOP: return cannot(path, "its links lead in a circle");
    case ENAMETOOLONG: return cannot(path.substr(0, 60) + "...", "the name is too long");
    case EAGAIN: return cannot(path, "nothing can be read without waiting");
    default: return cannot(path, std::strerror(error));
  }
}

/// What it is when it is no regular file.
const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "it is a folder";
  if (S_ISFIFO(mode)) return "it is a pipe";
  if (S_ISSOCK(mode)) return "it is a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "it is a device";
  return "it is not a regular file";
}

}  // namespace

Expected<UserFile> UserFile::open(const std::string& path) {
  if (path.find('\0') != std::string::npos) return cannot(std::string(path.c_str()), "the path has a zero byte");
  struct stat found {};
  // Looked at first: opening some devices does something.
  if (::stat(path.c_str(), &found) != 0) return system_problem(path, errno);
  const auto refuse = [&] {
    return cannot(path, kind_of(found.st_mode), S_ISDIR(found.st_mode) ? "name a file in it" : "save what it gives into a file, and name that");
  };
  if (!S_ISREG(found.st_mode)) return refuse();
  const int handle = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (handle < 0) return system_problem(path, errno);
  UserFile file(path, handle, 0);
  if (::fstat(handle, &found) != 0) return system_problem(path, errno);
  if (!S_ISREG(found.st_mode)) return refuse();
  file.size_ = static_cast<uint64_t>(std::max<off_t>(found.st_size, 0));
  return file;
}

UserFile::UserFile(UserFile&& other) noexcept : path_(std::move(other.path_)), handle_(std::exchange(other.handle_, -1)), size_(other.size_) {}

UserFile& UserFile::operator=(UserFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(handle_, other.handle_);
  std::swap(size_, other.size_);
  return *this;
}

UserFile::~UserFile() {
  if (handle_ >= 0) ::close(handle_);
}

Expected<size_t> UserFile::read(char* to, size_t count) {
  size_t done = 0;
  while (done < count) {
    const ssize_t n = ::read(handle_, to + done, std::min<size_t>(count - done, size_t{1} << 30));
    if (n == 0) break;
    if (n > 0) done += static_cast<size_t>(n);
    else if (errno != EINTR) return system_problem(path_, errno);
  }
  return done;
}

std::string bytes_in_words(uint64_t bytes) {
  if (bytes >= uint64_t{1} << 20) return std::to_string(bytes >> 20) + " MiB";
  return std::to_string(bytes) + " bytes";
}

Expected<std::string> read_user_file(const std::string& path, uint64_t most, const std::string& hint) {
  Expected<UserFile> file = UserFile::open(path);
  if (!file) return file.errors();
  const auto too_large = [&] { return plain_error(path + " is larger than " + bytes_in_words(most), hint); };
  if (file->size() > most) return too_large();
  std::string text;
  // The size is a promise that a file still being written does not keep.
  for (size_t step = std::max<size_t>(file->size() + 1, 1 << 12);; step = size_t{1} << 16) {
    const size_t before = text.size();
    text.resize(before + step);
    const Expected<size_t> n = file->read(text.data() + before, step);
    if (!n) return n.errors();
    text.resize(before + *n);
    if (text.size() > most) return too_large();
    if (*n < step) return text;
  }
}

}  // namespace tilescope
