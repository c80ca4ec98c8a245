// Reads the JSON of lesson folders. Problems are kept, with the file and the place in it; every step returns whether it went
// well, so that a caller stops there, or goes on with the next page.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "lessons/language.h"

namespace tilescope::lessons {

class JsonReader {
 public:
  using Json = nlohmann::json;
  explicit JsonReader(std::string file) : file_(std::move(file)) {}

  bool fail(const std::string& place, const std::string& what, const std::string& hint = {});
  /// The same for a problem that another reader found; its message is put behind the place.
  bool fail(const std::string& place, const std::vector<Diagnostic>& errors);
  void add(Diagnostic problem) { problems_.push_back(std::move(problem)); }
  const std::vector<Diagnostic>& problems() const { return problems_; }

  /// An object with entries of these names only.
  bool only(const Json& j, const std::string& place, std::initializer_list<const char*> names);
  /// All of these entries are there.
  bool needs(const Json& j, const std::string& place, std::initializer_list<const char*> names);
  bool text(const Json& j, const std::string& place, std::string& out);
  bool flag(const Json& j, const std::string& place, bool& out);
  bool whole(const Json& j, const std::string& place, int64_t least, int64_t most, int64_t& out);
  /// {"en": "...", "zh": "..."}
  bool both(const Json& j, const std::string& place, PerLanguage<std::string>& out);
  bool texts(const Json& j, const std::string& place, size_t least, size_t most, std::vector<std::string>& out);

 private:
  std::string file_;
  std::vector<Diagnostic> problems_;
};

/// A file of a lesson, at most 1 MiB; errors name it.
Expected<std::string> read_lesson_file(const std::string& path);

}  // namespace tilescope::lessons
