#include "visualizer/model/lesson_progress.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "visualizer/model/settings.h"
#include "visualizer/model/text_file.h"

namespace tilescope::model {
namespace {

using Json = nlohmann::json;
constexpr size_t kMostBytes = size_t{1} << 20;
constexpr size_t kMostLessons = 1000, kMostPages = 1000;

/// True when `into` changed.
bool merge(LessonProgress& into, const LessonProgress& from) {
  const LessonProgress before = into;
  into.page = std::max(into.page, from.page);
  into.passed |= from.passed;
  return into != before;
}

}  // namespace

std::string default_progress_path() {
  const std::string settings = default_settings_path();
  return settings.empty() ? settings : progress_path_beside(settings);
}

std::string progress_path_beside(const std::string& settings) { return (std::filesystem::path(settings).parent_path() / "lessons.json").string(); }

Progress load_progress(const std::string& path) {
  Progress out;
  const std::optional<std::string> text = read_text_file(path, kMostBytes);
  if (!text) return out;
  const Json j = Json::parse(*text, nullptr, false);
  if (!j.is_object() || j.size() > kMostLessons) return out;
  for (const auto& [name, entry] : j.items()) {
    if (!entry.is_object()) continue;
    LessonProgress p;
    if (const auto it = entry.find("page"); it != entry.end() && it->is_number_unsigned()) p.page = std::min<size_t>(it->get<uint64_t>(), kMostPages);
    p.passed = entry.value("passed", Json()) == true;
    out[name] = p;
  }
  return out;
}

std::optional<std::string> save_progress(const std::string& path, const Progress& progress) {
  std::error_code ec;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, ec);
  if (ec) return ec.message();
  // What cannot be read is kept: somebody may still mend it.
  if (const std::optional<std::string> old = read_text_file(path, kMostBytes); old && !Json::parse(*old, nullptr, false).is_object()) {
    std::filesystem::rename(path, path + ".broken", ec);
    if (ec) return ec.message();
  }
  Json j = Json::object();
  for (const auto& [name, p] : progress) j[name] = {{"page", p.page}, {"passed", p.passed}};
  return write_text_file(path, j.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::optional<std::string> keep_progress(const std::string& path, Progress& known, const std::string& lesson, const LessonProgress& now) {
  merge(known[lesson], now);
  if (path.empty()) return std::nullopt;
  Progress kept = load_progress(path);
  for (const auto& [name, p] : kept) merge(known[name], p);
  return merge(kept[lesson], known[lesson]) ? save_progress(path, kept) : std::nullopt;
}

}  // namespace tilescope::model
