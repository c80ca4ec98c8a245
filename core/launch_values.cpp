// Values of a launch file: strings, integers, numbers; what is wrong with them and where.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/launch_reader.h"

namespace tilescope {

std::string LaunchReader::kind_of(const Json& v) {
  if (v.is_null()) return "null";
  if (v.is_boolean()) return "true or false";
  if (v.is_number_integer()) return "the integer " + v.dump();
  if (v.is_number()) return "the number " + v.dump();
  if (v.is_string()) return "a string";
  return v.is_array() ? "a list" : "an object";
}

bool LaunchReader::fail(const JsonPlace& place, const std::string& message, std::string hint, bool at_key) {
  error_.message = place.text() + ": " + message;
  error_.hint = std::move(hint);
  error_.range = place.find(source_, at_key);
  return false;
}

bool LaunchReader::fail_with(const JsonPlace& place, Diagnostic d) {
  error_ = std::move(d);
  error_.range = place.find(source_);
  return false;
}

bool LaunchReader::known_keys(const Json& object, const JsonPlace& place, const std::vector<std::string>& known) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    std::string near = nearest_name(key, known), list;
    for (const std::string& k : known) list += (list.empty() ? "" : ", ") + k;
    return fail(place / key, "unknown key \"" + key + "\"",
                near.empty() ? "known keys: " + list : "did you mean \"" + near + "\"?", true);
  }
  return true;
}

bool LaunchReader::string(const Json& v, const JsonPlace& place, std::string& out) {
  if (!v.is_string()) return fail(place, "expected a string, found " + kind_of(v));
  out = v.get<std::string>();
  if (out.find('\0') != std::string::npos) return fail(place, "a string with a zero byte");
  return true;
}

std::string LaunchReader::resolve(const std::string& path) const {
  std::filesystem::path p(path);
  if (p.is_absolute()) return path;
  return (std::filesystem::path(source_->path).parent_path() / p).string();
}

bool LaunchReader::integer(const Json& v, const JsonPlace& place, int64_t& out) {
  if (v.is_number_unsigned() && v.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
    return fail(place, v.dump() + " is too large");
  if (!v.is_number_integer()) return fail(place, "expected an integer, found " + kind_of(v));
  out = v.get<int64_t>();
  return true;
}

bool LaunchReader::integers(const Json& v, const JsonPlace& place, std::vector<int64_t>& out) {
  if (!v.is_array()) return fail(place, "expected a list of integers, found " + kind_of(v));
  if (v.size() > static_cast<size_t>(kMaxRank))
    return fail(place, "rank " + std::to_string(v.size()) + " is too large; at most " + std::to_string(kMaxRank) +
                           " axes are supported");
  out.resize(v.size());
  for (size_t i = 0; i < v.size(); ++i)
    if (!integer(v[i], place / i, out[i])) return false;
  return true;
}

bool LaunchReader::number(const Json& v, const JsonPlace& place, Init::Number& out) {
  if (v.is_boolean()) return out = v.get<bool>(), true;
  if (v.is_number_unsigned() && v.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
    return out = v.get<uint64_t>(), true;
  if (v.is_number_integer()) return out = v.get<int64_t>(), true;
  if (v.is_number()) {
    // The library turns integers beyond 64 bits into floats; as a value they would be silently wrong.
    double d = v.get<double>();
    if (std::abs(d) >= 9.2e18 && written_as_integer(place))
      return fail(place, "an integer that does not fit 64 bits", "write it with a decimal point if a float is meant");
    return out = d, true;
  }
  if (v.is_string()) {
    std::string s = v.get<std::string>();
    if (s == "nan") return out = std::nan(""), true;
    if (s == "inf") return out = HUGE_VAL, true;
    if (s == "-inf") return out = -HUGE_VAL, true;
    return fail(place, "expected a number, found a string", "the strings \"nan\", \"inf\" and \"-inf\" are numbers");
  }
  return fail(place, "expected a number, found " + kind_of(v));
}

bool LaunchReader::written_as_integer(const JsonPlace& place) const {
  SourceRange r = place.find(source_);
  std::string_view token = source_->line(r.line).substr(r.column - 1, r.end_column - r.column);
  return token.find_first_of(".eE") == std::string_view::npos;
}

}  // namespace tilescope
