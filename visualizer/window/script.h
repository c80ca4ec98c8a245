// Scripted input: what a person would do with mouse and keyboard, for tests and screenshots. One command a line:
//
//   move PLACE [fx fy]        the mouse goes to a named place (fx, fy: share of its width and height, 0.5 0.5)
//   click PLACE [fx fy]       and presses
//   double PLACE [fx fy]
//   drag PLACE dx dy          presses in the middle of the place, moves by dx, dy pixels, releases
//   wheel PLACE notches
//   key NAME                  "Right", "Shift+Right", "Ctrl+S", "A", "?"
//   type TEXT                 characters, to the end of the line
//   paste FILE                what Ctrl+V puts there when the file's text was copied
//   wait                      until the simulator has nothing left to do and no exercise is being checked
//   frames N                  draws N frames
//   resize WIDTHxHEIGHT
//   shot FILE.png             saves the frame
//   state FILE.json           saves the state
//   places PREFIX             prints the names of places that start so
//   monkey SEED N             N random clicks, drags, turns of the wheel and keys on whatever there is
//   times                     prints how long frames took since the last "times" (with TILESCOPE_FRAME_TIMES)
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "core/diagnostic.h"

namespace tilescope::window {

struct ScriptLine {
  int number = 0;
  std::string verb;
  std::vector<std::string> words;  ///< after the verb
  std::string rest;                ///< the same as one string
};
Expected<std::vector<ScriptLine>> parse_script(const SourcePtr& text);

}  // namespace tilescope::window
