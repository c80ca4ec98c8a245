#include "visualizer/model/kernel_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>

namespace tilescope::model {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text((std::istreambuf_iterator<char>(in)), {});
  if (in.bad()) return std::nullopt;
  return text;
}

/// Empty, or why it could not be written.
std::string write_file(const fs::path& path, std::string_view text) {
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (out) return {};
  return errno != 0 ? std::strerror(errno) : "it cannot be written";
}

bool writable(const fs::path& path) {
  std::ofstream probe(path, std::ios::binary | std::ios::in | std::ios::out);  // neither makes nor empties the file
  return static_cast<bool>(probe);
}

}  // namespace

KernelFile::Result KernelFile::save(std::string_view text, bool overwrite) {
  if (path_.empty()) return {Outcome::NoFile, {}};
  std::error_code ec;
  fs::path target = fs::weakly_canonical(path_, ec);
  if (ec) target = path_;
  const bool exists = fs::exists(target, ec);
  if (exists && !fs::is_regular_file(target, ec)) return {Outcome::Failed, "it is no regular file"};
  const std::optional<std::string> found = exists ? read_file(target) : std::nullopt;
  if (exists && !found) return {Outcome::Failed, "it cannot be read"};
  if (!overwrite && (!found || *found != on_disk_)) return {Outcome::ChangedOnDisk, {}};
  if (exists && !writable(target)) return {Outcome::Failed, errno != 0 ? std::strerror(errno) : "it cannot be written"};

  fs::path fresh = target;
  fresh += ".tilescope-part";
  const bool taken = fs::exists(fresh, ec);  // not ours to overwrite
  std::string reason = taken ? "a file of that name exists" : write_file(fresh, text);
  if (reason.empty()) {
    if (exists) fs::permissions(fresh, fs::status(target, ec).permissions(), ec);
    fs::rename(fresh, target, ec);
    if (ec) reason = ec.message();
  }
  if (!reason.empty() && !taken) fs::remove(fresh, ec);
  if (!reason.empty() && exists) {  // no new file can be made in that folder: write into the old one
    reason = write_file(target, text);
    if (!reason.empty()) write_file(target, *found);
  }
  if (!reason.empty()) return {Outcome::Failed, reason};
  on_disk_ = text;
  return {Outcome::Saved, {}};
}

}  // namespace tilescope::model
