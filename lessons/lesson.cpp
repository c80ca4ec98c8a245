#include "lessons/lesson.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "lessons/json_reader.h"

namespace tilescope::lessons {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr size_t kMostPages = 100;

class Reader : public JsonReader {
 public:
  using JsonReader::JsonReader;

  bool choices(const Json& j, const std::string& place, PerLanguage<std::vector<std::string>>& out) {
    if (j.is_array()) {
      if (!texts(j, place, 2, 6, out[0])) return false;
      out[1] = out[0];
      return true;
    }
    if (!only(j, place, {"en", "zh"})) return false;
    for (size_t l = 0; l < kLanguages.size(); ++l)
      if (!j.contains(kLanguages[l]) || !texts(j[kLanguages[l]], place + "." + kLanguages[l], 2, 6, out[l])) return fail(place, "expected choices in both languages");
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
    for (const std::vector<std::string>& language : out.choices)
      if (std::set<std::string>(language.begin(), language.end()).size() < language.size()) return fail(place + ".choices", "two choices are equal");
    if (!whole(j["answer"], place + ".answer", 0, static_cast<int64_t>(out.choices[0].size()) - 1, answer)) return false;
    out.answer = static_cast<int>(answer);
    return true;
  }
};

bool read_json(Reader& r, const Json& j, Lesson& out) {
  if (!r.only(j, "lesson", {"title", "launch", "pages", "exercise"}) || !r.needs(j, "lesson", {"title", "launch", "pages"})) return false;
  std::string launch;
  if (!r.both(j["title"], "title", out.title) || !r.text(j["launch"], "launch", launch)) return false;
  out.launch_path = (fs::path(out.folder) / launch).string();
  const Json& pages = j["pages"];
  if (!pages.is_array() || pages.empty() || pages.size() > kMostPages) return r.fail("pages", "expected 1 to 100 pages");
  for (size_t i = 0; i < pages.size(); ++i) {
    out.pages.emplace_back();
    if (!r.page(pages[i], "pages[" + std::to_string(i) + "]", out.pages.back())) return false;
  }
  if (!j.contains("exercise")) return true;
  out.exercise.emplace();
  return read_exercise(r, j["exercise"], out.folder, *out.exercise);
}

}  // namespace

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

std::string text_for(const std::string& page, std::string_view place) {
  std::string out;
  std::istringstream in(page);
  for (std::string line; std::getline(in, line);) {
    bool kept = true;
    for (const std::string_view one : {"window", "terminal"}) {
      const std::string mark = "@" + std::string(one) + " ";
      if (!line.starts_with(mark)) continue;
      kept = one == place;
      line.erase(0, mark.size());
      break;
    }
    if (kept) out += line + "\n";
  }
  return out;
}

int find_line(const SourceFile& text, const std::string& start) {
  const auto lines = std::count(text.text.begin(), text.text.end(), '\n') + 1;
  for (int n = 1; n <= lines; ++n) {
    std::string_view line = text.line(n);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.starts_with(start)) return n;
  }
  return 0;
}

bool is_lesson(const std::string& folder) {
  std::error_code ec;
  return fs::is_regular_file(fs::path(folder) / "lesson.json", ec);
}

Expected<Lesson> load_lesson(const std::string& folder) {
  Lesson out;
  out.folder = folder;
  const std::string file = (fs::path(folder) / "lesson.json").string();
  Expected<std::string> text = read_lesson_file(file);
  if (!text) return text.errors();
  const Json j = Json::parse(*text, nullptr, false, true);
  if (j.is_discarded()) return plain_error(file + ": not JSON");
  Reader r(file);
  if (!read_json(r, j, out)) return *r.problem();
  for (size_t l = 0; l < kLanguages.size(); ++l) {
    const std::string path = (fs::path(folder) / (std::string("lesson.") + kLanguages[l] + ".md")).string();
    Expected<std::string> body = read_lesson_file(path);
    if (!body) return body.errors();
    const std::vector<std::string> pages = split_pages(*body);
    if (pages.size() != out.pages.size())
      return plain_error(path + ": has " + std::to_string(pages.size()) + " pages, lesson.json has " + std::to_string(out.pages.size()), "pages are separated by lines \"---\"");
    for (size_t i = 0; i < pages.size(); ++i) {
      out.pages[i].text[l] = parse_markdown(text_for(pages[i], "window"));
      out.pages[i].terminal_text[l] = parse_markdown(text_for(pages[i], "terminal"));
    }
  }
  return out;
}

}  // namespace tilescope::lessons
