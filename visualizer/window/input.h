// Keys by name, the same for every release of Dear ImGui (1.87 changed how it counts them) and for scripts.
#pragma once

#include <string>
#include <string_view>

namespace tilescope::window {

/// A key: GLFW's codes, which are those of the US layout ('A'..'Z', '0'..'9', punctuation; 256 and up for others).
using Key = int;

/// The key of a name ("A", "Right", "Space", "F5", "?"), or 0.
Key key_by_name(std::string_view name);
std::string key_name(Key key);

/// Went down in this frame, or repeats when `repeat`.
bool key_pressed(Key key, bool repeat = false);
bool ctrl_down();
bool shift_down();
bool alt_down();
/// What was typed in this frame, as UTF-8, without control characters.
std::string typed_text();

/// For platforms without a keyboard (scripts): key and modifiers are down from the next frame on.
void feed_key(Key key, bool down);
void feed_mods(bool ctrl, bool shift, bool alt);

}  // namespace tilescope::window
