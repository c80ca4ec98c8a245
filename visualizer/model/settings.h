// What the window keeps between starts: its size, the arrangement of its panels, theme, language and zoom. One small JSON
// file.
#pragma once

#include <optional>
#include <string>

#include "visualizer/model/state.h"

namespace tilescope::model {

struct Settings {
  int width = 0, height = 0;  ///< of the window; 0: not known
  float zoom = 1;
  ThemeChoice theme = ThemeChoice::Dark;
  Language language = Language::English;
  bool reduce_motion = false;
  std::string gpu;            ///< whose cost is estimated; empty: the usual one
  std::map<std::string, bool> hidden;
  std::map<std::string, std::string> front_tab;
  std::map<std::string, float> splits;
  friend bool operator==(const Settings&, const Settings&) = default;
};

/// Those parts of the state.
Settings settings_of(const ViewState& state, int width, int height, float zoom);
void apply(const Settings& settings, ViewState& state);

/// tilescope/window.json under XDG_CONFIG_HOME or ~/.config; empty when there is no home.
std::string default_settings_path();

/// Values out of range are brought into range; what is unknown is left out. No value: no such file (`problem` stays
/// empty), or a broken one, which is then kept beside it as FILE.broken, and `problem` says so.
std::optional<Settings> load_settings(const std::string& path, std::string& problem);
/// Makes the folder when it is missing. Returns the reason when the file could not be written.
std::optional<std::string> save_settings(const std::string& path, const Settings& settings);

}  // namespace tilescope::model
