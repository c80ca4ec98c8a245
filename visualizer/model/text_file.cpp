#include "visualizer/model/text_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/user_file.h"

namespace tilescope::model {
namespace {

namespace fs = std::filesystem;

std::string last_error() { return errno != 0 ? std::strerror(errno) : "cannot be written"; }

}  // namespace

std::optional<std::string> write_text_file(const std::string& path, const std::string& text) {
  std::error_code ec;
  fs::path target = path;
  if (fs::is_symlink(target, ec)) {
    const fs::path real = fs::canonical(target, ec);
    if (!ec) target = real;
  }
  const fs::file_status old = fs::status(target, ec);
  if (fs::exists(old) && !fs::is_regular_file(old)) return "not a regular file";
  const fs::path fresh = unused_path(target.string() + ".part");
  errno = 0;
  {
    std::ofstream file(fresh, std::ios::binary);
    if (!file) return last_error();
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file) {
      std::string why = last_error();
      fs::remove(fresh, ec);
      return why;
    }
  }
  if (fs::exists(old)) fs::permissions(fresh, old.permissions(), ec);
  fs::rename(fresh, target, ec);
  if (!ec) return std::nullopt;
  const std::string why = ec.message();
  fs::remove(fresh, ec);
  return why;
}

std::optional<std::string> read_text_file(const std::string& path, size_t most) {
  Expected<std::string> text = read_user_file(path, most);
  return text ? std::optional(std::move(*text)) : std::nullopt;
}

std::string unused_path(const std::string& path) {
  std::error_code ec;
  const auto taken = [&](const fs::path& p) { return fs::symlink_status(p, ec).type() != fs::file_type::not_found; };
  if (!taken(path)) return path;
  const fs::path p = path;
  for (int n = 2;; ++n) {
    const fs::path next = p.parent_path() / (p.stem().string() + "-" + std::to_string(n) + p.extension().string());
    if (!taken(next)) return next.string();
  }
}

}  // namespace tilescope::model
