#include "core/syntax/module_files.h"

#include <filesystem>
#include <map>
#include <mutex>
#include <vector>

#include "core/compile.h"
#include "core/syntax/parser.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

inline constexpr size_t kMaxFolders = 16;      ///< folders above a file that are looked into
inline constexpr size_t kMaxKeptModules = 64;  ///< parsed files kept for the next compilation

/// `folder/a/b.py` or `folder/a/b/__init__.py` for the module a.b; with an empty module the folder's __init__.py.
std::optional<std::string> file_in(const fs::path& folder, const std::string& module) {
  fs::path path = folder;
  for (size_t at = 0; at < module.size();) {
    size_t dot = module.find('.', at);
    if (dot == std::string::npos) dot = module.size();
    path /= module.substr(at, dot - at);
    at = dot + 1;
  }
  std::error_code error;
  if (!module.empty()) {
    fs::path file = path;
    file += ".py";
    if (fs::is_regular_file(file, error)) return file.string();
  }
  path /= "__init__.py";
  if (fs::is_regular_file(path, error)) return path.string();
  return std::nullopt;
}

/// The folders where a module that is no relative import may begin, best first.
std::vector<fs::path> roots(const fs::path& folder, const std::string& module) {
  const std::string first = module.substr(0, module.find('.'));
  std::vector<fs::path> out = {folder};
  std::error_code error;
  bool in_package = true;
  fs::path at = folder;
  for (size_t i = 0; i < kMaxFolders && at.has_relative_path(); ++i) {
    in_package = in_package && fs::exists(at / "__init__.py", error);
    const bool named = at.filename() == first;
    at = at.parent_path();
    if (in_package || named) out.push_back(at);
  }
  return out;
}

struct Kept {
  std::shared_ptr<const Module> module;
  fs::file_time_type time;
  uintmax_t size = 0;
};

}  // namespace

std::optional<std::string> find_module_file(const std::string& importing, const std::string& module) {
  std::error_code error;
  if (importing.empty() || module.size() > 400 || !fs::exists(importing, error)) return std::nullopt;
  fs::path folder = fs::absolute(importing, error).lexically_normal().parent_path();
  if (error) return std::nullopt;
  const size_t dots = std::min(module.find_first_not_of('.'), module.size());
  if (dots > 0) {
    for (size_t i = 1; i < dots; ++i) folder = folder.parent_path();
    return file_in(folder, module.substr(dots));
  }
  for (const fs::path& root : roots(folder, module))
    if (auto file = file_in(root, module)) return file;
  return std::nullopt;
}

std::shared_ptr<const Module> load_module(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, Kept> kept;
  std::error_code error;
  const fs::file_time_type time = fs::last_write_time(path, error);
  const uintmax_t size = fs::file_size(path, error);
  if (error) return nullptr;
  const std::lock_guard<std::mutex> lock(mutex);
  if (auto it = kept.find(path); it != kept.end() && it->second.time == time && it->second.size == size)
    return it->second.module;
  Expected<SourcePtr> source = read_source(path);
  if (!source) return nullptr;
  Expected<Module> parsed = parse_module(*source);
  if (!parsed) return nullptr;
  if (kept.size() >= kMaxKeptModules) kept.clear();
  auto module = std::make_shared<const Module>(std::move(*parsed));
  kept[path] = {module, time, size};
  return module;
}

}  // namespace tilescope
