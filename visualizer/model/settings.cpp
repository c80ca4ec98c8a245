#include "visualizer/model/settings.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "visualizer/model/text_file.h"

namespace tilescope::model {
namespace {

using Json = nlohmann::json;
constexpr size_t kMostBytes = size_t{1} << 20;
constexpr size_t kMostEntries = 100;  ///< there are some ten panels and splitters

int whole(const Json& j, const char* key, int least, int most) {
  const auto it = j.find(key);
  if (it == j.end() || !it->is_number_integer()) return 0;
  const auto v = it->get<int64_t>();
  return v < least || v > most ? 0 : static_cast<int>(v);
}

template <class Read>
void each_entry(const Json& j, const char* key, Read read) {
  const auto it = j.find(key);
  if (it == j.end() || !it->is_object() || it->size() > kMostEntries) return;
  for (const auto& [name, value] : it->items()) read(name, value);
}

Settings from_json(const Json& j) {
  Settings s;
  s.width = whole(j, "width", 640, 16384);
  s.height = whole(j, "height", 400, 16384);
  if (s.width == 0 || s.height == 0) s.width = s.height = 0;
  if (const auto it = j.find("zoom"); it != j.end() && it->is_number() && std::isfinite(it->get<double>()))
    s.zoom = std::clamp(it->get<float>(), 0.75f, 2.0f);
  if (j.value("theme", Json()) == "light") s.theme = ThemeChoice::Light;
  if (j.value("language", Json()) == "zh") s.language = Language::Chinese;
  s.reduce_motion = j.value("reduce_motion", Json()) == true;
  if (const auto it = j.find("gpu"); it != j.end() && it->is_string() && it->get<std::string>().size() <= 64) s.gpu = it->get<std::string>();
  each_entry(j, "hidden", [&](const std::string& name, const Json& v) {
    if (v.is_boolean() && v.get<bool>()) s.hidden[name] = true;
  });
  each_entry(j, "front_tab", [&](const std::string& name, const Json& v) {
    if (v.is_string()) s.front_tab[name] = v.get<std::string>();
  });
  each_entry(j, "splits", [&](const std::string& name, const Json& v) {
    if (v.is_number() && std::isfinite(v.get<double>())) s.splits[name] = std::clamp(v.get<float>(), 0.05f, 0.9f);
  });
  return s;
}

}  // namespace

Settings settings_of(const ViewState& state, int width, int height, float zoom) {
  Settings s{width, height, zoom, state.theme, state.language, state.reduce_motion, state.cost.gpu, {}, state.front_tab, state.splits};
  // Whether there is a lesson depends on what is opened.
  for (const auto& [name, hidden] : state.hidden)
    if (hidden && name != "lesson") s.hidden[name] = true;
  return s;
}

void apply(const Settings& settings, ViewState& state) {
  state.theme = settings.theme;
  state.language = settings.language;
  state.reduce_motion = settings.reduce_motion;
  if (!settings.gpu.empty()) state.cost.gpu = settings.gpu;
  state.hidden = settings.hidden;
  state.front_tab = settings.front_tab;
  state.splits = settings.splits;
}

std::string default_settings_path() {
  const auto folder = [](const char* variable) {
    const char* value = std::getenv(variable);
    return std::string(value != nullptr ? value : "");
  };
  std::string base = folder("XDG_CONFIG_HOME");
  if (base.empty()) {
    base = folder("HOME");
    if (base.empty()) return {};
    base += "/.config";
  }
  return base + "/tilescope/window.json";
}

std::optional<Settings> load_settings(const std::string& path, std::string& problem) {
  problem.clear();
  std::error_code ec;
  if (!std::filesystem::exists(path, ec)) return std::nullopt;
  const std::optional<std::string> text = read_text_file(path, kMostBytes);
  if (!text) {
    problem = path + ": cannot be read; the window opens as it comes";
    return std::nullopt;
  }
  const Json j = Json::parse(*text, nullptr, false);
  if (j.is_object()) return from_json(j);
  const std::string kept = unused_path(path + ".broken");
  std::filesystem::rename(path, kept, ec);
  problem = path + ": not a JSON object; the window opens as it comes" + (ec ? "" : ", and the file is kept as " + kept);
  return std::nullopt;
}

std::optional<std::string> save_settings(const std::string& path, const Settings& s) {
  std::error_code ec;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, ec);
  if (ec) return ec.message();
  Json j = {{"zoom", s.zoom},
            {"theme", s.theme == ThemeChoice::Light ? "light" : "dark"},
            {"language", s.language == Language::Chinese ? "zh" : "en"},
            {"reduce_motion", s.reduce_motion},
            {"gpu", s.gpu},
            {"hidden", s.hidden},
            {"front_tab", s.front_tab},
            {"splits", s.splits}};
  if (s.width > 0 && s.height > 0) j["width"] = s.width, j["height"] = s.height;
  return write_text_file(path, j.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace tilescope::model
