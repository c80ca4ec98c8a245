#include "lessons/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <tuple>

#include "core/launch_file.h"
#include "lessons/lesson.h"

namespace tilescope::lessons {
namespace {

namespace fs = std::filesystem;

/// Number at the beginning of "03_masks"; nothing when the name is not made like that.
std::optional<int> number_of(const std::string& name) {
  int n = 0;
  const auto [end, ec] = std::from_chars(name.data(), name.data() + name.size(), n);
  const bool good = ec == std::errc() && end != name.data() && end != name.data() + name.size() && *end == '_' && n >= 0;
  return good ? std::optional(n) : std::nullopt;
}

/// Beside the program, wherever it was moved to: PREFIX/bin/tilescope, PREFIX/share/tilescope/lessons.
std::string installed_lessons() {
  std::error_code ec;
  const fs::path program = fs::read_symlink("/proc/self/exe", ec);
  return ec ? "" : (program.parent_path().parent_path() / TILESCOPE_INSTALLED_LESSONS).string();
}

bool is_number(const std::string& s) { return !s.empty() && s.size() <= 4 && s.find_first_not_of("0123456789") == std::string::npos; }

}  // namespace

std::string lessons_folder() {
  if (const char* asked = std::getenv("TILESCOPE_LESSONS"); asked != nullptr && *asked != '\0') return asked;
  if (!list_lessons("lessons").empty()) return "lessons";
  const std::string installed = installed_lessons();
  return list_lessons(installed).empty() ? TILESCOPE_LESSONS_DIR : installed;
}

std::string kept_name(const std::string& folder) {
  std::error_code ec;
  fs::path path = fs::absolute(folder, ec).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // "lessons/01_programs/" too
  const std::string name = path.filename().string();
  for (const std::string& shipped : {std::string(TILESCOPE_LESSONS_DIR), installed_lessons()})
    if (!shipped.empty() && fs::equivalent(path.parent_path(), shipped, ec) && !ec) return name;
  const fs::path whole = fs::weakly_canonical(path, ec);
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a: the same with every compiler, since it is kept between starts
  for (const unsigned char c : (ec ? path : whole).string()) hash = (hash ^ c) * 0x100000001b3;
  return fmt::format("{}_{:016x}", name, hash);
}

std::vector<CatalogueEntry> list_lessons(const std::string& folder) {
  std::vector<CatalogueEntry> out;
  std::error_code ec;
  for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec)) {
    const std::string name = it->path().filename().string();
    const std::optional<int> number = number_of(name);
    if (number && is_lesson(it->path().string())) out.push_back({*number, name, it->path().string()});
  }
  std::sort(out.begin(), out.end(), [](const CatalogueEntry& a, const CatalogueEntry& b) { return std::tie(a.number, a.name) < std::tie(b.number, b.name); });
  return out;
}

Expected<CatalogueEntry> find_lesson(const std::string& wanted, const std::string& folder) {
  const std::vector<CatalogueEntry> all = list_lessons(folder);
  std::vector<std::string> names;
  for (const CatalogueEntry& e : all) {
    const std::string short_name = e.name.substr(e.name.find('_') + 1);
    if (is_number(wanted) ? std::stoi(wanted) == e.number : wanted == e.name || wanted == short_name) return e;
    names.push_back(short_name);
  }
  if (!is_number(wanted) && is_lesson(wanted)) {
    const std::string name = fs::path(wanted).lexically_normal().filename().string();
    return CatalogueEntry{number_of(name).value_or(0), name.empty() ? wanted : name, wanted};
  }
  if (all.empty()) return plain_error("there are no lessons in " + folder, "TILESCOPE_LESSONS=FOLDER names another folder");
  const std::string near = nearest_name(wanted, names);
  return plain_error("there is no lesson \"" + wanted + "\"", near.empty() ? "`tilescope lesson` lists them" : "did you mean " + near + "?");
}

}  // namespace tilescope::lessons
