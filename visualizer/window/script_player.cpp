#include "visualizer/window/script_player.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <random>

#include "core/diagnostic.h"
#include "core/user_file.h"
#include "visualizer/model/text_file.h"
#include "visualizer/window/input.h"

namespace tilescope::window {
namespace {

constexpr uint64_t kMostPastedBytes = uint64_t{64} << 20;
constexpr const char* kWhere = "its folder must exist and be writable";

bool number(const std::string& s, double& out) {
  char* end = nullptr;
  out = std::strtod(s.c_str(), &end);
  return end != s.c_str() && *end == 0;
}

}  // namespace

bool ScriptPlayer::refuse(const ScriptLine& line, const std::string& why) {
  err_ << "script line " << line.number << ": " << why << "\n";
  return false;
}

bool ScriptPlayer::move_to(const ScriptLine& line, float fx, float fy) {
  const auto it = window_.ui().places().find(line.words[0]);
  if (it == window_.ui().places().end()) return refuse(line, "there is no place \"" + line.words[0] + "\" in this frame");
  const Rect& r = it->second;
  ImGui::GetIO().MousePos = {std::floor(r.x + r.w * fx), std::floor(r.y + r.h * fy)};
  frames(2);  // the topmost place under the mouse is known one frame later
  return true;
}

void ScriptPlayer::press(int times) {
  for (int i = 0; i < times; ++i) {
    ImGui::GetIO().MouseDown[0] = true;
    frames(1);
    ImGui::GetIO().MouseDown[0] = false;
    frames(2);
  }
}

bool ScriptPlayer::drag(const ScriptLine& line) {
  double dx = 0, dy = 0;
  if (!number(line.words[1], dx) || !number(line.words[2], dy)) return refuse(line, "drag takes a place and two numbers");
  if (!move_to(line, 0.5f, 0.5f)) return false;
  ImGuiIO& io = ImGui::GetIO();
  const ImVec2 start = io.MousePos;
  io.MouseDown[0] = true;
  frames(1);
  constexpr int kSteps = 4;
  for (int i = 1; i <= kSteps; ++i) {
    io.MousePos = {start.x + static_cast<float>(dx) * static_cast<float>(i) / kSteps, start.y + static_cast<float>(dy) * static_cast<float>(i) / kSteps};
    frames(1);
  }
  io.MouseDown[0] = false;
  frames(2);
  return true;
}

bool ScriptPlayer::wheel(const ScriptLine& line) {
  double notches = 0;
  if (!number(line.words[1], notches)) return refuse(line, "wheel takes a place and a number");
  if (!move_to(line, 0.5f, 0.5f)) return false;
  ImGui::GetIO().MouseWheel = static_cast<float>(notches);
  frames(1);
  ImGui::GetIO().MouseWheel = 0;
  frames(1);
  return true;
}

bool ScriptPlayer::key(const ScriptLine& line) {
  std::string rest = line.words[0];
  bool ctrl = false, shift = false, alt = false;
  for (;;) {
    if (rest.starts_with("Ctrl+")) ctrl = true, rest.erase(0, 5);
    else if (rest.starts_with("Shift+")) shift = true, rest.erase(0, 6);
    else if (rest.starts_with("Alt+")) alt = true, rest.erase(0, 4);
    else break;
  }
  const Key k = key_by_name(rest);
  if (k == 0) return refuse(line, "there is no key \"" + rest + "\"");
  feed_mods(ctrl, shift, alt);
  feed_key(k, true);
  frames(1);
  feed_key(k, false);
  feed_mods(false, false, false);
  frames(2);
  return true;
}

bool ScriptPlayer::resize(const ScriptLine& line) {
  int w = 0, h = 0;
  if (std::sscanf(line.words[0].c_str(), "%dx%d", &w, &h) != 2 || w < 320 || h < 240 || w > 8192 || h > 8192)
    return refuse(line, "resize takes WIDTHxHEIGHT between 320x240 and 8192x8192");
  platform_.resize(w, h);
  frames(2);
  return true;
}

bool ScriptPlayer::shot(const std::string& path) {
  Picture picture;
  frame_(&picture);
  const std::optional<std::string> problem = write_png(path, picture);
  if (problem) err_ << render(plain_error(path + " cannot be written: " + *problem, kWhere));
  return !problem;
}

bool ScriptPlayer::state(const std::string& path) {
  // Written beside and renamed, so that whoever waits for it never reads half of it.
  const std::optional<std::string> problem = model::write_text_file(path, window_.state_json() + "\n");
  if (problem) err_ << render(plain_error(path + " cannot be written: " + *problem, kWhere));
  return !problem;
}

bool ScriptPlayer::monkey(const ScriptLine& line) {
  double seed = 0, count = 0;
  if (!number(line.words[0], seed) || !number(line.words[1], count) || count < 1 || count > 100000 || seed < 0 || seed > 1e9)
    return refuse(line, "monkey takes a seed and a number of actions");
  std::mt19937 random(static_cast<uint32_t>(seed));
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  // No key that writes pictures or over the kernel's file.
  constexpr const char* kKeys[] = {"Space", "Right", "Left", "Shift+Right", "Shift+Left", ".", ",", "Home", "End", "PageDown", "PageUp", "1", "2", "3", "4", "]", "[",
                                   "B", "F", "C", "Tab", "T", "L", "Ctrl+=", "Ctrl+-", "?", "Escape", "Enter", "Backspace", "Delete", "Up", "Down", "Ctrl+Z", "Ctrl+A", "Ctrl+V"};
  constexpr const char* kTyped[] = {"7", "-", "99999999999999999999", "x = (", "é", "for k in range(3):", "0"};
  for (int i = 0; i < static_cast<int>(count); ++i) {
    const auto& places = window_.ui().places();
    if (places.empty()) return refuse(line, "there is no place left");
    const std::string place = std::next(places.begin(), static_cast<std::ptrdiff_t>(below(places.size())))->first;
    const auto share = [&] { return std::to_string(static_cast<double>(below(1000)) / 1000); };
    const auto pixels = [&] { return std::to_string(static_cast<int>(below(800)) - 400); };
    ScriptLine action{line.number, {}, {place}, {}};
    switch (below(10)) {
      case 0: case 1: case 2: case 3: action.verb = "click", action.words = {place, share(), share()}; break;
      case 4: action.verb = "double", action.words = {place, share(), share()}; break;
      case 5: case 6: action.verb = "drag", action.words = {place, pixels(), pixels()}; break;
      case 7: action.verb = "wheel", action.words = {place, std::to_string(static_cast<int>(below(9)) - 4)}; break;
      case 8: action.verb = "key", action.words = {kKeys[below(std::size(kKeys))]}; break;
      default: action.verb = "type", action.rest = kTyped[below(std::size(kTyped))];
    }
    if (!play(action)) return false;
    if (i % 40 == 39) window_.controller().session().wait(10);
  }
  return true;
}

bool ScriptPlayer::play(const ScriptLine& line) {
  double fx = 0.5, fy = 0.5;
  if (line.verb == "move" || line.verb == "click" || line.verb == "double") {
    if (line.words.size() == 2 || (line.words.size() == 3 && (!number(line.words[1], fx) || !number(line.words[2], fy))))
      return refuse(line, line.verb + " takes a place and, if wanted, two numbers");
    if (!move_to(line, static_cast<float>(fx), static_cast<float>(fy))) return false;
    if (line.verb != "move") press(line.verb == "double" ? 2 : 1);
    return true;
  }
  if (line.verb == "drag") return drag(line);
  if (line.verb == "wheel") return wheel(line);
  if (line.verb == "key") return key(line);
  if (line.verb == "resize") return resize(line);
  if (line.verb == "shot") return shot(line.words[0]);
  if (line.verb == "state") return state(line.words[0]);
  if (line.verb == "type") {
    ImGui::GetIO().AddInputCharactersUTF8(line.rest.c_str());
    frames(2);
    return true;
  }
  if (line.verb == "paste") {
    const Expected<std::string> text = read_user_file(line.rest, kMostPastedBytes);
    if (!text) return refuse(line, text.errors()[0].message);
    ImGui::SetClipboardText(text->c_str());
    return key({line.number, "key", {"Ctrl+V"}, {}});
  }
  if (line.verb == "wait") {
    if (!window_.wait()) return refuse(line, "still at work after a minute");
    frames(3);
    return true;
  }
  if (line.verb == "frames") {
    double n = 0;
    if (!number(line.words[0], n) || n < 1 || n > 10000) return refuse(line, "frames takes a number from 1 to 10000");
    frames(static_cast<int>(n));
    return true;
  }
  if (line.verb == "monkey") return monkey(line);
  if (line.verb == "times") {
    window_.times().report(out_);
    window_.times().clear();
    return true;
  }
  const std::string prefix = line.words.empty() ? "" : line.words[0];
  for (const auto& [name, r] : window_.ui().places())
    if (name.starts_with(prefix)) out_ << name << " " << r.x << " " << r.y << " " << r.w << " " << r.h << "\n";
  return true;
}

}  // namespace tilescope::window
