#include "visualizer/window/input.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui.h>

#include <cctype>
#include <utility>

#include "core/syntax/lexer.h"

namespace tilescope::window {
namespace {

constexpr std::pair<std::string_view, Key> kNamed[] = {
    {"Space", GLFW_KEY_SPACE}, {"Right", GLFW_KEY_RIGHT}, {"Left", GLFW_KEY_LEFT}, {"Up", GLFW_KEY_UP}, {"Down", GLFW_KEY_DOWN},
    {"Home", GLFW_KEY_HOME}, {"End", GLFW_KEY_END}, {"PageUp", GLFW_KEY_PAGE_UP}, {"PageDown", GLFW_KEY_PAGE_DOWN},
    {"Enter", GLFW_KEY_ENTER}, {"Escape", GLFW_KEY_ESCAPE}, {"Tab", GLFW_KEY_TAB}, {"Backspace", GLFW_KEY_BACKSPACE},
    {"Delete", GLFW_KEY_DELETE}, {"Insert", GLFW_KEY_INSERT}, {"F1", GLFW_KEY_F1}, {"F2", GLFW_KEY_F2}, {"F3", GLFW_KEY_F3},
    {"F4", GLFW_KEY_F4}, {"F5", GLFW_KEY_F5}, {"F6", GLFW_KEY_F6}, {"F7", GLFW_KEY_F7}, {"F8", GLFW_KEY_F8}, {"F9", GLFW_KEY_F9},
    {"F10", GLFW_KEY_F10}, {"F11", GLFW_KEY_F11}, {"F12", GLFW_KEY_F12}, {"?", GLFW_KEY_SLASH}};

#if IMGUI_VERSION_NUM >= 18700
ImGuiKey imgui_key(Key key) {
  if (key >= 'A' && key <= 'Z') return static_cast<ImGuiKey>(ImGuiKey_A + (key - 'A'));
  if (key >= '0' && key <= '9') return static_cast<ImGuiKey>(ImGuiKey_0 + (key - '0'));
  if (key >= GLFW_KEY_F1 && key <= GLFW_KEY_F12) return static_cast<ImGuiKey>(ImGuiKey_F1 + (key - GLFW_KEY_F1));
  switch (key) {
    case GLFW_KEY_SPACE: return ImGuiKey_Space;
    case GLFW_KEY_RIGHT: return ImGuiKey_RightArrow;
    case GLFW_KEY_LEFT: return ImGuiKey_LeftArrow;
    case GLFW_KEY_UP: return ImGuiKey_UpArrow;
    case GLFW_KEY_DOWN: return ImGuiKey_DownArrow;
    case GLFW_KEY_HOME: return ImGuiKey_Home;
    case GLFW_KEY_END: return ImGuiKey_End;
    case GLFW_KEY_PAGE_UP: return ImGuiKey_PageUp;
    case GLFW_KEY_PAGE_DOWN: return ImGuiKey_PageDown;
    case GLFW_KEY_ENTER: return ImGuiKey_Enter;
    case GLFW_KEY_ESCAPE: return ImGuiKey_Escape;
    case GLFW_KEY_TAB: return ImGuiKey_Tab;
    case GLFW_KEY_BACKSPACE: return ImGuiKey_Backspace;
    case GLFW_KEY_DELETE: return ImGuiKey_Delete;
    case GLFW_KEY_INSERT: return ImGuiKey_Insert;
    case GLFW_KEY_SLASH: return ImGuiKey_Slash;
    case GLFW_KEY_COMMA: return ImGuiKey_Comma;
    case GLFW_KEY_PERIOD: return ImGuiKey_Period;
    case GLFW_KEY_MINUS: return ImGuiKey_Minus;
    case GLFW_KEY_EQUAL: return ImGuiKey_Equal;
    case GLFW_KEY_LEFT_BRACKET: return ImGuiKey_LeftBracket;
    case GLFW_KEY_RIGHT_BRACKET: return ImGuiKey_RightBracket;
    default: return ImGuiKey_None;
  }
}
#endif

}  // namespace

Key key_by_name(std::string_view name) {
  for (const auto& [known, key] : kNamed)
    if (known == name) return key;
  if (name.size() == 1 && name[0] > ' ' && name[0] < 127) return std::toupper(static_cast<unsigned char>(name[0]));
  return 0;
}

std::string key_name(Key key) {
  for (const auto& [known, k] : kNamed)
    if (k == key) return std::string(known);
  return key > ' ' && key < 127 ? std::string(1, static_cast<char>(key)) : "?";
}

#if IMGUI_VERSION_NUM >= 18700
bool key_pressed(Key key, bool repeat) {
  const ImGuiKey k = imgui_key(key);
  return k != ImGuiKey_None && ImGui::IsKeyPressed(k, repeat);
}
void feed_key(Key key, bool down) {
  const ImGuiKey k = imgui_key(key);
  if (k != ImGuiKey_None) ImGui::GetIO().AddKeyEvent(k, down);
}
void feed_mods(bool ctrl, bool shift, bool alt) {
#if IMGUI_VERSION_NUM >= 18900
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, ctrl);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, shift);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Alt, alt);
#else
  ImGui::GetIO().AddKeyEvent(ImGuiKey_ModCtrl, ctrl);
  ImGui::GetIO().AddKeyEvent(ImGuiKey_ModShift, shift);
  ImGui::GetIO().AddKeyEvent(ImGuiKey_ModAlt, alt);
#endif
}
#else
bool key_pressed(Key key, bool repeat) { return key > 0 && key < 512 && ImGui::IsKeyPressed(key, repeat); }
void feed_key(Key key, bool down) {
  if (key > 0 && key < 512) ImGui::GetIO().KeysDown[key] = down;
}
void feed_mods(bool ctrl, bool shift, bool alt) {
  ImGuiIO& io = ImGui::GetIO();
  io.KeyCtrl = ctrl;
  io.KeyShift = shift;
  io.KeyAlt = alt;
}
#endif

std::string typed_text() {
  std::string text;
  for (const ImWchar c : ImGui::GetIO().InputQueueCharacters)
    if (c >= 0x20 && c != 0x7F && (c < 0xD800 || c > 0xDFFF)) append_utf8(text, static_cast<uint32_t>(c));
  return text;
}

bool ctrl_down() { return ImGui::GetIO().KeyCtrl; }
bool shift_down() { return ImGui::GetIO().KeyShift; }
bool alt_down() { return ImGui::GetIO().KeyAlt; }

}  // namespace tilescope::window
