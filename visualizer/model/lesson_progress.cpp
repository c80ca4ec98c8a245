#include "visualizer/model/lesson_progress.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "visualizer/model/settings.h"
#include "visualizer/model/text_file.h"

namespace tilescope::model {
namespace {

using Json = nlohmann::json;
constexpr size_t kMostBytes = size_t{1} << 20;
constexpr size_t kMostLessons = 1000, kMostPages = 1000;
constexpr int kMostChoices = 100;

/// Answers of `from` take the place of older ones.
void merge(LessonProgress& into, const LessonProgress& from) {
  into.page = std::max(into.page, from.page);
  into.passed |= from.passed;
  into.passed_pages.insert(from.passed_pages.begin(), from.passed_pages.end());
  into.told_pages.insert(from.told_pages.begin(), from.told_pages.end());
  for (const auto& [page, choice] : from.answers) into.answers[page] = choice;
}

/// Of the form {"2": 1}; what is not, is left out, and `lost` says so.
std::map<size_t, int> read_answers(const Json& j, bool& lost) {
  std::map<size_t, int> out;
  if (!j.is_object()) return lost = true, out;
  for (const auto& [key, choice] : j.items()) {
    size_t page = 0;
    const auto [end, ec] = std::from_chars(key.data(), key.data() + key.size(), page);
    const bool fine = ec == std::errc() && end == key.data() + key.size() && page > 0 && page <= kMostPages && choice.is_number_unsigned() && choice.get<uint64_t>() < kMostChoices;
    if (fine) out[page] = choice.get<int>();
    else lost = true;
  }
  return out;
}

/// Of the form [2, 4]; as above.
std::set<size_t> read_pages(const Json& j, bool& lost) {
  std::set<size_t> out;
  if (!j.is_array()) return lost = true, out;
  for (const Json& page : j) {
    const bool fine = page.is_number_unsigned() && page.get<uint64_t>() > 0 && page.get<uint64_t>() <= kMostPages;
    if (fine) out.insert(page.get<size_t>());
    else lost = true;
  }
  return out;
}

/// `lost`: writing this lesson would lose something of its entry.
LessonProgress read_entry(const Json& entry, bool& lost) {
  LessonProgress p;
  if (!entry.is_object()) return lost = true, p;
  for (const auto& [key, value] : entry.items()) {
    if (key == "page" && value.is_number_unsigned()) p.page = std::min<size_t>(value.get<uint64_t>(), kMostPages);
    else if (key == "passed" && value.is_boolean()) p.passed = value.get<bool>();
    else if (key == "answers") p.answers = read_answers(value, lost);
    else if (key == "passed_pages") p.passed_pages = read_pages(value, lost);
    else if (key == "told_pages") p.told_pages = read_pages(value, lost);
    else if (key == "page" || key == "passed") lost = true;
  }
  return p;
}

/// The file as it is; not an object when it cannot be read.
Json read_file(const std::string& path) {
  const std::optional<std::string> text = read_text_file(path, kMostBytes);
  if (!text) return {};
  Json j = Json::parse(*text, nullptr, false);
  return j.is_object() && j.size() <= kMostLessons ? j : Json();
}

/// What stands under names that mean nothing here stays.
void write_entry(Json& entry, const LessonProgress& p) {
  if (!entry.is_object()) entry = Json::object();
  entry["page"] = p.page;
  entry["passed"] = p.passed;
  for (const auto& [name, pages] : {std::pair("passed_pages", &p.passed_pages), std::pair("told_pages", &p.told_pages)}) {
    if (pages->empty()) entry.erase(name);
    else entry[name] = *pages;
  }
  if (p.answers.empty()) return void(entry.erase("answers"));
  Json answers = Json::object();
  for (const auto& [page, choice] : p.answers) answers[std::to_string(page)] = choice;
  entry["answers"] = std::move(answers);
}

}  // namespace

std::string default_progress_path() {
  const std::string settings = default_settings_path();
  return settings.empty() ? settings : progress_path_beside(settings);
}

std::string progress_path_beside(const std::string& settings) { return (std::filesystem::path(settings).parent_path() / "lessons.json").string(); }

Progress load_progress(const std::string& path) {
  Progress out;
  const Json j = read_file(path);
  if (!j.is_object()) return out;
  bool lost = false;
  for (const auto& [name, entry] : j.items())
    if (entry.is_object()) out[name] = read_entry(entry, lost);
  return out;
}

std::optional<std::string> save_progress(const std::string& path, const Progress& progress) {
  std::error_code ec;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, ec);
  if (ec) return ec.message();
  Json j = read_file(path);
  bool lost = !j.is_object() && std::filesystem::is_regular_file(path, ec);
  if (!j.is_object()) j = Json::object();
  for (const auto& [name, p] : progress) {
    Json& entry = j[name];
    if (!entry.is_null()) read_entry(entry, lost);
    write_entry(entry, p);
  }
  // What cannot be read is kept: somebody may still mend it.
  if (lost) std::filesystem::copy_file(path, unused_path(path + ".broken"), ec);
  if (lost && ec) return ec.message();
  return write_text_file(path, j.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::optional<std::string> keep_progress(const std::string& path, Progress& known, const std::string& lesson, const LessonProgress& now) {
  Progress kept = path.empty() ? Progress{} : load_progress(path);
  for (const auto& [name, p] : kept) merge(known[name], p);
  merge(known[lesson], now);
  if (path.empty() || kept[lesson] == known[lesson]) return std::nullopt;
  return save_progress(path, {{lesson, known[lesson]}});
}

}  // namespace tilescope::model
