#include "lessons/lesson.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace tilescope::lessons {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr uintmax_t kMostBytes = 1 << 20;
constexpr size_t kMostPages = 100;

Expected<std::string> read_text(const std::string& path) {
  std::error_code ec;
  const uintmax_t size = fs::file_size(path, ec);
  if (ec) return plain_error(path + ": " + ec.message());
  if (size > kMostBytes) return plain_error(path + ": larger than a lesson may be (1 MiB)");
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return plain_error(path + ": cannot be read");
  return text.str();
}

/// Pages of a text: between lines that are just "---".
std::vector<std::string> split_pages(const std::string& text) {
  std::vector<std::string> pages(1);
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line == "---") pages.emplace_back();
    else pages.back() += line + "\n";
  }
  return pages;
}

/// Reads lesson.json; the first problem is kept with its place.
class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  bool fail(const std::string& place, const std::string& what, const std::string& hint = {}) {
    if (!problem_) problem_ = plain_error(file_ + ": " + place + ": " + what, hint);
    return false;
  }
  const std::optional<Diagnostic>& problem() const { return problem_; }

  bool only(const Json& j, const std::string& place, std::initializer_list<const char*> names) {
    if (!j.is_object()) return fail(place, "expected an object");
    for (const auto& [key, value] : j.items()) {
      bool known = false;
      std::string list;
      for (const char* n : names) known |= key == n, list += (list.empty() ? "" : ", ") + std::string(n);
      if (!known) return fail(place, "\"" + key + "\" is not an entry of it", "entries: " + list);
    }
    return true;
  }
  bool text(const Json& j, const std::string& place, std::string& out) {
    if (!j.is_string()) return fail(place, "expected a text");
    out = j.get<std::string>();
    return true;
  }
  bool both(const Json& j, const std::string& place, PerLanguage<std::string>& out) {
    if (!only(j, place, {"en", "zh"})) return false;
    for (size_t l = 0; l < kLanguages.size(); ++l) {
      if (!j.contains(kLanguages[l])) return fail(place, std::string("\"") + kLanguages[l] + "\" is missing");
      if (!text(j[kLanguages[l]], place + "." + kLanguages[l], out[l])) return false;
    }
    return true;
  }
  bool whole(const Json& j, const std::string& place, int64_t least, int64_t most, int64_t& out) {
    if (!j.is_number_integer() || j.get<int64_t>() < least || j.get<int64_t>() > most)
      return fail(place, "expected a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    out = j.get<int64_t>();
    return true;
  }
  bool texts(const Json& j, const std::string& place, std::vector<std::string>& out) {
    if (!j.is_array() || j.size() < 2 || j.size() > 6) return fail(place, "expected 2 to 6 choices");
    for (size_t i = 0; i < j.size(); ++i) {
      out.emplace_back();
      if (!text(j[i], place + "[" + std::to_string(i) + "]", out.back())) return false;
    }
    return true;
  }
  bool choices(const Json& j, const std::string& place, PerLanguage<std::vector<std::string>>& out) {
    if (j.is_array()) {
      if (!texts(j, place, out[0])) return false;
      out[1] = out[0];
      return true;
    }
    if (!only(j, place, {"en", "zh"})) return false;
    for (size_t l = 0; l < kLanguages.size(); ++l)
      if (!j.contains(kLanguages[l]) || !texts(j[kLanguages[l]], place + "." + kLanguages[l], out[l])) return fail(place, "expected choices in both languages");
    return out[0].size() == out[1].size() || fail(place, "the languages have different numbers of choices");
  }
  bool page(const Json& j, const std::string& place, Page& out) {
    if (!only(j, place, {"program", "line", "iteration", "panel", "choices", "answer"})) return false;
    if (j.contains("program")) {
      const Json& p = j["program"];
      if (!p.is_array() || p.empty() || p.size() > 3) return fail(place + ".program", "expected one to three numbers");
      out.program.emplace();
      for (size_t i = 0; i < p.size(); ++i)
        if (!whole(p[i], place + ".program", 0, INT32_MAX, (*out.program)[i])) return false;
    }
    if (j.contains("line") && !text(j["line"], place + ".line", out.line)) return false;
    if (j.contains("panel") && !text(j["panel"], place + ".panel", out.panel)) return false;
    if (j.contains("iteration")) {
      int64_t n = 0;
      if (!whole(j["iteration"], place + ".iteration", 1, INT32_MAX, n)) return false;
      out.iteration = n;
    }
    if (j.contains("choices") != j.contains("answer")) return fail(place, "a question has both \"choices\" and \"answer\"");
    if (!j.contains("choices")) return true;
    int64_t answer = 0;
    if (!choices(j["choices"], place + ".choices", out.choices)) return false;
    if (!whole(j["answer"], place + ".answer", 0, static_cast<int64_t>(out.choices[0].size()) - 1, answer)) return false;
    out.answer = static_cast<int>(answer);
    return true;
  }

 private:
  std::string file_;
  std::optional<Diagnostic> problem_;
};

bool read_json(Reader& r, const Json& j, Lesson& out) {
  if (!r.only(j, "lesson", {"title", "launch", "pages"})) return false;
  for (const char* needed : {"title", "launch", "pages"})
    if (!j.contains(needed)) return r.fail("lesson", std::string("\"") + needed + "\" is missing");
  std::string launch;
  if (!r.both(j["title"], "title", out.title) || !r.text(j["launch"], "launch", launch)) return false;
  out.launch_path = (fs::path(out.folder) / launch).string();
  const Json& pages = j["pages"];
  if (!pages.is_array() || pages.empty() || pages.size() > kMostPages) return r.fail("pages", "expected 1 to 100 pages");
  for (size_t i = 0; i < pages.size(); ++i) {
    out.pages.emplace_back();
    if (!r.page(pages[i], "pages[" + std::to_string(i) + "]", out.pages.back())) return false;
  }
  return true;
}

}  // namespace

bool is_lesson(const std::string& folder) {
  std::error_code ec;
  return fs::is_regular_file(fs::path(folder) / "lesson.json", ec);
}

Expected<Lesson> load_lesson(const std::string& folder) {
  Lesson out;
  out.folder = folder;
  const std::string file = (fs::path(folder) / "lesson.json").string();
  Expected<std::string> text = read_text(file);
  if (!text) return text.errors();
  const Json j = Json::parse(*text, nullptr, false, true);
  if (j.is_discarded()) return plain_error(file + ": not JSON");
  Reader r(file);
  if (!read_json(r, j, out)) return *r.problem();
  for (size_t l = 0; l < kLanguages.size(); ++l) {
    const std::string path = (fs::path(folder) / (std::string("lesson.") + kLanguages[l] + ".md")).string();
    Expected<std::string> body = read_text(path);
    if (!body) return body.errors();
    const std::vector<std::string> pages = split_pages(*body);
    if (pages.size() != out.pages.size())
      return plain_error(path + ": has " + std::to_string(pages.size()) + " pages, lesson.json has " + std::to_string(out.pages.size()), "pages are separated by lines \"---\"");
    for (size_t i = 0; i < pages.size(); ++i) out.pages[i].text[l] = parse_markdown(pages[i]);
  }
  return out;
}

}  // namespace tilescope::lessons
