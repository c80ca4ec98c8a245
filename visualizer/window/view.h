// `tilescope view`: opens the window, or draws frames into files without a screen.
#pragma once

#include <array>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "core/launch_file.h"
#include "visualizer/model/state.h"

namespace tilescope::window {

struct ViewOptions {
  int width = 0, height = 0;        ///< 0: as it was when it was closed, else 1600x900
  float scale = 0;                  ///< 0: the display's
  std::string shot;                 ///< PNG to write; empty: none
  std::string script;               ///< file with scripted input
  std::string state;                ///< JSON to write at the end (with a screen: after every change)
  std::string record;               ///< folder for pictures of the loop
  std::string settings;             ///< file of the settings; empty: the usual one, or none without a screen
  std::optional<size_t> step;       ///< line step, from 1
  ProgramIndex program{};
  std::optional<model::ThemeChoice> theme;
  std::optional<model::Language> language;
  std::string panel;                ///< panel to bring to the front
  std::string lesson;               ///< folder of the lesson to lead through; empty: none
  std::vector<std::string> notes;   ///< what is said of the launch until something in it changes
  size_t page = 0;                  ///< of the lesson, from 1; 0: where one was
};

/// Returns the command's exit status: 0, 2 for bad input and files that cannot be written, 3 for a picture (`shot`) of a
/// launch that faults.
int view(const LaunchSpec& spec, const ViewOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tilescope::window
