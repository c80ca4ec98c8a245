#include "visualizer/model/lesson_progress.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "visualizer/model/settings.h"
#include "visualizer/model/text_file.h"

namespace tilescope::model {
namespace {

using Json = nlohmann::json;
constexpr size_t kMostBytes = size_t{1} << 20;
constexpr size_t kMostLessons = 1000, kMostPages = 1000;

}  // namespace

std::string default_progress_path() {
  const std::string settings = default_settings_path();
  return settings.empty() ? settings : (std::filesystem::path(settings).parent_path() / "lessons.json").string();
}

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
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ec);
  if (ec) return ec.message();
  Json j = Json::object();
  for (const auto& [name, p] : progress) j[name] = {{"page", p.page}, {"passed", p.passed}};
  return write_text_file(path, j.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace tilescope::model
