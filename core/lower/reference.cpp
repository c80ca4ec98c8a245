// Joins the builtin tables with core/lower/reference/*.json.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/diagnostic.h"
#include "core/language_reference.h"
#include "core/lower/builtins.h"
#include "core/lower/reference_texts.h"

namespace tilescope {
namespace {

using lower::Builtin;
using Json = nlohmann::ordered_json;

constexpr std::string_view kSectionsFile = "core/lower/reference/language.json";

/// The files are part of the program: one that is malformed is a bug, named by its path.
Json parse(std::string_view path, std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object()) internal_error(std::string(path) + " is no JSON object");
  return json;
}

std::string text_of(const Json& entry, const char* field) {
  auto it = entry.find(field);
  return it == entry.end() ? "" : it->get<std::string>();
}

/// Lines as an array, or one line as a string.
std::vector<std::string> lines_of(const Json& entry, const char* field) {
  auto it = entry.find(field);
  if (it == entry.end()) return {};
  if (it->is_string()) return {it->get<std::string>()};
  return it->get<std::vector<std::string>>();
}

LanguageExample example_of(const Json& entry) {
  LanguageExample e;
  e.lines = lines_of(entry, "example");
  e.before = lines_of(entry, "before");
  e.programs = entry.value("programs", 1);
  e.refused = entry.contains("refused");
  e.message = text_of(entry, e.refused ? "refused" : "faults");
  e.faults = entry.contains("faults");
  return e;
}

/// What was written about the functions, by name.
const std::map<std::string, Json>& written() {
  static const auto* all = [] {
    auto* out = new std::map<std::string, Json>;
    for (auto [path, text] : lower::reference_texts()) {
      if (path == kSectionsFile) continue;
      const Json json = parse(path, text);  // items() keeps a reference
      for (const auto& [name, entry] : json.items())
        if (!out->emplace(name, entry).second) internal_error("core/lower/reference describes " + name + " twice");
    }
    return out;
  }();
  return *all;
}

std::vector<std::string> split(std::string_view names) {
  std::vector<std::string> out;
  while (!names.empty()) {
    const size_t end = std::min(names.find(' '), names.size());
    out.emplace_back(names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return out;
}

void add(std::vector<LanguageFunction>& out, const Builtin& b) {
  LanguageFunction f;
  f.topic = b.topic;
  f.names = split(b.names);
  f.signature = b.signature;
  f.doc = b.doc;
  f.refused = lower::is_refused(b);
  if (auto it = written().find(b.path); it != written().end()) {
    f.types = text_of(it->second, "types");
    f.more = text_of(it->second, "more");
    f.differs = text_of(it->second, "differs");
    f.example = example_of(it->second);
  }
  out.push_back(std::move(f));
}

}  // namespace

const std::vector<LanguageFunction>& language_functions() {
  static const auto* all = [] {
    auto* out = new std::vector<LanguageFunction>;
    for (const Builtin* b : lower::builtin_rows())
      if (!lower::is_refused(*b)) add(*out, *b);
    for (const Builtin* b : lower::special_form_rows())
      if (lower::find_builtin(b->path) == nullptr) add(*out, *b);
    for (const Builtin* b : lower::builtin_rows())
      if (lower::is_refused(*b)) add(*out, *b);
    return out;
  }();
  return *all;
}

std::vector<std::string> unknown_reference_names() {
  std::vector<std::string> out;
  for (const auto& [name, entry] : written()) {
    const bool known = std::any_of(language_functions().begin(), language_functions().end(),
                                   [&](const LanguageFunction& f) { return f.names.front() == name && !f.refused; });
    if (!known) out.push_back(name);
  }
  return out;
}

const std::vector<LanguageSection>& language_sections() {
  static const auto* all = [] {
    auto* out = new std::vector<LanguageSection>;
    for (auto [path, text] : lower::reference_texts()) {
      if (path != kSectionsFile) continue;
      const Json json = parse(path, text);
      for (const auto& [title, entry] : json.items()) {
        LanguageSection s{title, text_of(entry, "text"), {}};
        for (const Json& example : entry.at("examples")) s.examples.push_back(example_of(example));
        out->push_back(std::move(s));
      }
    }
    return out;
  }();
  return *all;
}

}  // namespace tilescope
