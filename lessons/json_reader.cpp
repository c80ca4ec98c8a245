#include "lessons/json_reader.h"

#include "core/user_file.h"

namespace tilescope::lessons {
namespace {

constexpr uint64_t kMostBytes = 1 << 20;

std::string joined(std::initializer_list<const char*> names) {
  std::string out;
  for (const char* n : names) out += (out.empty() ? "" : ", ") + std::string(n);
  return out;
}

}  // namespace

bool JsonReader::fail(const std::string& place, const std::string& what, const std::string& hint) {
  problems_.push_back(plain_error(file_ + ": " + place + ": " + what, hint));
  return false;
}

bool JsonReader::fail(const std::string& place, const std::vector<Diagnostic>& errors) {
  return fail(place, errors.empty() ? "cannot be read" : errors[0].message, errors.empty() ? "" : errors[0].hint);
}

bool JsonReader::only(const Json& j, const std::string& place, std::initializer_list<const char*> names) {
  if (!j.is_object()) return fail(place, "expected an object");
  for (const auto& [key, value] : j.items()) {
    bool known = false;
    for (const char* n : names) known |= key == n;
    if (!known) return fail(place, "\"" + key + "\" is not an entry of it", "entries: " + joined(names));
  }
  return true;
}

bool JsonReader::needs(const Json& j, const std::string& place, std::initializer_list<const char*> names) {
  for (const char* n : names)
    if (!j.contains(n)) return fail(place, std::string("\"") + n + "\" is missing");
  return true;
}

bool JsonReader::text(const Json& j, const std::string& place, std::string& out) {
  if (!j.is_string()) return fail(place, "expected a text");
  out = j.get<std::string>();
  return true;
}

bool JsonReader::flag(const Json& j, const std::string& place, bool& out) {
  if (!j.is_boolean()) return fail(place, "expected true or false");
  out = j.get<bool>();
  return true;
}

bool JsonReader::whole(const Json& j, const std::string& place, int64_t least, int64_t most, int64_t& out) {
  // Numbers beyond int64 are kept as unsigned ones and would come out negative.
  const bool fits = j.is_number_integer() && !(j.is_number_unsigned() && j.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX));
  if (!fits || j.get<int64_t>() < least || j.get<int64_t>() > most)
    return fail(place, "expected a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  out = j.get<int64_t>();
  return true;
}

bool JsonReader::both(const Json& j, const std::string& place, PerLanguage<std::string>& out) {
  if (!only(j, place, {"en", "zh"}) || !needs(j, place, {"en", "zh"})) return false;
  for (size_t l = 0; l < kLanguages.size(); ++l)
    if (!text(j[kLanguages[l]], place + "." + kLanguages[l], out[l])) return false;
  return true;
}

bool JsonReader::texts(const Json& j, const std::string& place, size_t least, size_t most, std::vector<std::string>& out) {
  if (!j.is_array() || j.size() < least || j.size() > most)
    return fail(place, "expected " + std::to_string(least) + " to " + std::to_string(most) + " texts");
  for (size_t i = 0; i < j.size(); ++i) {
    out.emplace_back();
    if (!text(j[i], place + "[" + std::to_string(i) + "]", out.back())) return false;
  }
  return true;
}

Expected<std::string> read_lesson_file(const std::string& path) { return read_user_file(path, kMostBytes, "a lesson is text"); }

}  // namespace tilescope::lessons
