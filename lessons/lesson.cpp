#include "lessons/lesson.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "core/launch_file.h"
#include "core/trimmed.h"
#include "lessons/json_reader.h"

namespace tilescope::lessons {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr size_t kMostPages = 100;

std::string text_path(const std::string& folder, size_t language) {
  return (fs::path(folder) / (std::string("lesson.") + kLanguages[language] + ".md")).string();
}

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
      if (!j.contains(kLanguages[l])) return fail(place, "expected choices in both languages");
      else if (!texts(j[kLanguages[l]], place + "." + kLanguages[l], 2, 6, out[l])) return false;
    return out[0].size() == out[1].size() || fail(place, "the languages have different numbers of choices");
  }
  bool page(const Json& j, const std::string& place, Page& out) {
    if (!only(j, place, {"program", "line", "iteration", "panel", "choices", "answer", "launch", "sliders", "exercise", "withhold_diagnosis"})) return false;
    if (j.contains("launch") && !text(j["launch"], place + ".launch", out.launch_path)) return false;
    if (j.contains("sliders") && !texts(j["sliders"], place + ".sliders", 1, 8, out.sliders)) return false;
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
    if (j.contains("withhold_diagnosis") && !flag(j["withhold_diagnosis"], place + ".withhold_diagnosis", out.withholds_diagnosis)) return false;
    if (out.withholds_diagnosis && !j.contains("choices")) return fail(place + ".withhold_diagnosis", "there is no question whose answer could end it");
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

/// A page's own launch loads, and its sliders are numbers of its launch. Other launches are read where they are run.
bool read_launch(JsonReader& r, const std::string& place, const Lesson& lesson, Page& page) {
  const bool own = !page.launch_path.empty();
  if (own) page.launch_path = (fs::path(lesson.folder) / page.launch_path).string();
  if (!own && page.sliders.empty()) return true;
  const Expected<LaunchSpec> spec = load_launch_file(own ? page.launch_path : lesson.launch_path);
  if (!spec) return r.fail(place + (own ? ".launch" : ".sliders"), spec.errors());
  std::vector<std::string> scalars;
  for (const LaunchArg& a : spec->args)
    if (std::holds_alternative<int64_t>(a.value) || std::holds_alternative<double>(a.value)) scalars.push_back(a.name);
  std::string hint = "numbers of the launch:";
  for (const std::string& s : scalars) hint += " " + s;
  for (const std::string& name : page.sliders) {
    if (spec->find(name) == nullptr) return r.fail(place + ".sliders", "\"" + name + "\" is not an argument of the launch", hint);
    if (std::find(scalars.begin(), scalars.end(), name) == scalars.end()) return r.fail(place + ".sliders", "\"" + name + "\" is not a number", hint);
  }
  return true;
}

/// The first of these errors of formulas, with its place in the text file.
std::optional<Diagnostic> first_in_file(const std::vector<Diagnostic>& formulas, const std::string& file) {
  if (formulas.empty()) return std::nullopt;
  const Expected<std::string> body = read_lesson_file(file);
  return placed_in_file(formulas.front(), file, body ? *body : "");
}

/// Text and explanation of one page in one language.
std::optional<Diagnostic> read_text(const std::string& file, size_t number, const std::string& text, size_t language, Page& out) {
  std::vector<Diagnostic> formulas;
  const std::string place = file + ": page " + std::to_string(number + 1);
  std::vector<std::string> parts(1);
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.substr(0, line.find_last_not_of(" \t") + 1) == "@answer") parts.emplace_back();
    else parts.back() += line + "\n";
  }
  if (parts.size() > 2) return plain_error(place + ": has two lines \"@answer\"", "pages are separated by lines \"---\"");
  out.text[language] = parse_markdown(text_for(parts[0], "window"), &formulas);
  out.terminal_text[language] = parse_markdown(text_for(parts[0], "terminal"), &formulas);
  if (out.text[language].empty() || out.terminal_text[language].empty()) return plain_error(place + ": is empty");
  const bool asks = !out.choices[language].empty();
  if (parts.size() == 1 && asks) return plain_error(place + ": asks a question, but explains no answer", "write why it is so behind a line \"@answer\"");
  if (parts.size() == 1) return first_in_file(formulas, file);
  if (!asks)
    return plain_error(place + ": explains an answer, but lesson.json asks nothing on this page", "give the page \"choices\" and \"answer\", or take the line \"@answer\" away");
  out.why[language] = parse_markdown(text_for(parts[1], "window"), &formulas);
  out.terminal_why[language] = parse_markdown(text_for(parts[1], "terminal"), &formulas);
  if (out.why[language].empty() || out.terminal_why[language].empty()) return plain_error(place + ": nothing stands behind \"@answer\"");
  return first_in_file(formulas, file);
}

/// The pages of both languages; nothing for a language that cannot be read.
PerLanguage<std::optional<std::vector<std::string>>> read_bodies(JsonReader& r, const std::string& folder, size_t pages) {
  PerLanguage<std::optional<std::vector<std::string>>> out;
  for (size_t l = 0; l < kLanguages.size(); ++l) {
    const std::string path = text_path(folder, l);
    const Expected<std::string> body = read_lesson_file(path);
    if (!body) {
      r.add(body.errors()[0]);
      continue;
    }
    out[l] = split_pages(*body);
    if (out[l]->size() != pages)
      r.add(plain_error(path + ": has " + std::to_string(out[l]->size()) + " pages, lesson.json has " + std::to_string(pages), "pages are separated by lines \"---\""));
  }
  return out;
}

/// Problems of one page do not keep the others from being read.
void read_lesson(Reader& r, const Json& j, Lesson& out) {
  if (!r.only(j, "lesson", {"title", "launch", "pages", "exercise"}) || !r.needs(j, "lesson", {"title", "launch", "pages"})) return;
  std::string launch;
  if (!r.both(j["title"], "title", out.title) || !r.text(j["launch"], "launch", launch)) return;
  out.launch_path = (fs::path(out.folder) / launch).string();
  const Json& pages = j["pages"];
  if (!pages.is_array() || pages.empty() || pages.size() > kMostPages) return void(r.fail("pages", "expected 1 to 100 pages"));
  const auto bodies = read_bodies(r, out.folder, pages.size());
  for (size_t i = 0; i < pages.size(); ++i) {
    const std::string place = "pages[" + std::to_string(i) + "]";
    Page& page = out.pages.emplace_back();
    if (!r.page(pages[i], place, page) || !read_launch(r, place, out, page)) continue;
    for (size_t l = 0; l < kLanguages.size(); ++l)
      if (bodies[l] && i < bodies[l]->size())
        if (auto problem = read_text(text_path(out.folder, l), i, (*bodies[l])[i], l, page)) r.add(*problem);
    if (pages[i].contains("exercise")) read_exercise(r, place + ".exercise", pages[i]["exercise"], out.folder, page.exercise.emplace());
  }
  if (j.contains("exercise")) read_exercise(r, "exercise", j["exercise"], out.folder, out.exercise.emplace());
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

int find_line(const SourceFile& file, const std::string& start) {
  const std::string_view text = file.text;
  int number = 1;
  // SourceFile::line() walks from the beginning each time.
  for (size_t begin = 0; begin <= text.size(); ++number) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (trimmed(text.substr(begin, end - begin)).starts_with(start)) return number;
    begin = end + 1;
  }
  return 0;
}

std::vector<std::string> launches_of(const Lesson& lesson) {
  std::vector<std::string> out{lesson.launch_path};
  for (const Page& p : lesson.pages)
    if (!p.launch_path.empty() && std::find(out.begin(), out.end(), p.launch_path) == out.end()) out.push_back(p.launch_path);
  return out;
}

const Exercise* exercise_of(const Lesson& lesson, size_t page) {
  if (page >= lesson.pages.size()) return nullptr;
  if (lesson.pages[page].exercise) return &*lesson.pages[page].exercise;
  return lesson.exercise && page + 1 == lesson.pages.size() ? &*lesson.exercise : nullptr;
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
  read_lesson(r, j, out);
  if (!r.problems().empty()) return r.problems();
  return out;
}

}  // namespace tilescope::lessons
