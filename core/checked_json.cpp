#include "core/checked_json.h"

#include <algorithm>
#include <cmath>

#include "core/launch_file.h"

namespace tilescope {
namespace {

/// A bound as a person writes it.
std::string plain(double x) {
  return Json(x == std::floor(x) && std::fabs(x) < 1e6 ? Json(static_cast<int64_t>(x)) : Json(x)).dump();
}

}  // namespace

void CheckedJson::fail(const JsonPlace& place, const std::string& message, const std::string& hint, bool at_key) {
  if (error_) return;
  Diagnostic d;
  d.message = (place.text() == JsonPlace().text() ? root_ : place.text()) + ": " + message;
  d.range = place.find(source_, at_key);
  d.hint = hint;
  error_ = d;
}

void CheckedJson::check_keys(const Json& object, const JsonPlace& place, const std::vector<std::string>& known) {
  if (!object.is_object()) return fail(place, "expected an object { }");
  for (auto it = object.begin(); it != object.end(); ++it) {
    if (std::find(known.begin(), known.end(), it.key()) != known.end()) continue;
    const std::string near = nearest_name(it.key(), known);
    std::string list;
    for (const auto& k : known) list += (list.empty() ? "" : ", ") + k;
    return fail(place / it.key(), "unknown key", near.empty() ? "known keys: " + list : "did you mean \"" + near + "\"?", true);
  }
}

const Json* CheckedJson::member(const Json& object, const JsonPlace& place, const std::string& key, bool required) {
  if (error_) return nullptr;
  if (!object.is_object()) return fail(place, "expected an object { }"), nullptr;
  const auto it = object.find(key);
  if (it != object.end()) return &*it;
  if (required) fail(place, "\"" + key + "\" is missing");
  return nullptr;
}

std::string CheckedJson::text(const Json& object, const JsonPlace& place, const std::string& key, size_t least, size_t most) {
  const Json* v = member(object, place, key, true);
  if (!v) return {};
  if (!v->is_string()) return fail(place / key, "expected a string in quotes"), std::string();
  auto s = v->get<std::string>();
  if (s.size() < least || s.size() > most)
    return fail(place / key, "expected " + std::to_string(least) + " to " + std::to_string(most) + " characters"), std::string();
  return s;
}

double CheckedJson::number_value(const Json& value, const JsonPlace& place, double low, double high) {
  if (!value.is_number()) return fail(place, "expected a number"), low;
  const double x = value.get<double>();
  if (!std::isfinite(x) || x < low || x > high)
    return fail(place, "expected a number from " + plain(low) + " to " + plain(high) + ", found " + value.dump()), low;
  return x;
}

double CheckedJson::number(const Json& object, const JsonPlace& place, const std::string& key, double low, double high,
                           bool required, double fallback) {
  const Json* v = member(object, place, key, required);
  return v ? number_value(*v, place / key, low, high) : fallback;
}

int64_t CheckedJson::whole_value(const Json& value, const JsonPlace& place, double low, double high) {
  const double x = number_value(value, place, low, high);
  if (x != std::floor(x)) fail(place, "expected a whole number");
  return static_cast<int64_t>(x);
}

int64_t CheckedJson::whole(const Json& object, const JsonPlace& place, const std::string& key, double low, double high,
                           bool required, int64_t fallback) {
  const Json* v = member(object, place, key, required);
  return v ? whole_value(*v, place / key, low, high) : fallback;
}

}  // namespace tilescope
