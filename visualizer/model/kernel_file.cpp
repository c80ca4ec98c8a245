#include "visualizer/model/kernel_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "core/compile.h"
#include "visualizer/model/text_file.h"

namespace tilescope::model {
namespace {

namespace fs = std::filesystem;

/// Empty, or why the file cannot be written. Neither makes nor empties it.
std::string why_not_writable(const std::string& path) {
  errno = 0;
  const std::fstream probe(path, std::ios::binary | std::ios::in | std::ios::out);
  if (probe) return {};
  return errno != 0 ? std::strerror(errno) : "cannot be written";
}

}  // namespace

std::string source_path(const LaunchSpec& spec) { return spec.host != nullptr ? spec.host->source->path : spec.kernel_path; }

KernelFile KernelFile::not_yet(std::string path, std::string text) {
  KernelFile file(std::move(path), std::move(text));
  file.missing_ = true;
  return file;
}

KernelFile::Result KernelFile::save(const std::string& text) {
  if (path_.empty()) return {Outcome::NoFile, {}};
  std::error_code ec;
  const bool exists = fs::exists(path_, ec);
  if (exists && !fs::is_regular_file(path_, ec)) return {Outcome::Failed, "not a regular file"};
  const std::optional<std::string> found = exists ? read_text_file(path_) : std::nullopt;
  if (exists && !found) return {Outcome::Failed, "cannot be read"};
  const bool as_read = missing_ ? !exists : found && *found == on_disk_;
  const bool as_refused = found ? found == refused_ : removed_refused_;
  if (!as_read && !as_refused) {
    refused_ = found;
    removed_refused_ = !found;
    return {Outcome::ChangedOnDisk, {}};
  }
  if (exists)  // renaming over a file that is write-protected would succeed
    if (std::string why = why_not_writable(path_); !why.empty()) return {Outcome::Failed, why};
  if (const std::optional<std::string> problem = write_text_file(path_, text)) return {Outcome::Failed, *problem};
  on_disk_ = text;
  missing_ = false;
  ++saves_;
  refused_.reset();
  removed_refused_ = false;
  return {Outcome::Saved, {}};
}

}  // namespace tilescope::model
