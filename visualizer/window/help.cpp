#include <algorithm>
#include <cmath>

#include "visualizer/window/window.h"

namespace tilescope::window {

void draw_help(PanelContext& c, Chrome& chrome) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const std::vector<KeyBinding>& keys = key_bindings();
  const float row = ui.px(26), margin = ui.px(24), key_column = ui.px(132);
  float text_column = 0;
  for (const KeyBinding& k : keys) text_column = std::max(text_column, ui.width(ui.t(k.text), TextSize::Title));
  const float column = key_column + text_column + ui.px(32);
  const Rect screen{0, 0, ui.size().x, ui.size().y};
  // A small window has one column, and the wheel moves what does not fit.
  const size_t columns = column * 2 + margin * 2 <= screen.w ? 2 : 1, rows = (keys.size() + columns - 1) / columns;
  const float w = std::min(column * static_cast<float>(columns) + margin * 2 - ui.px(32), screen.w - ui.px(16));
  const float title = ui.px(36), whole = row * static_cast<float>(rows), h = std::min(whole + margin * 2 + title, screen.h - ui.px(16));
  ui.fill(screen, with_alpha(t.window, 0.7f));
  const Hit away = ui.hit("help.close", screen);
  const Rect r{std::round((screen.w - w) / 2), std::round((screen.h - h) / 2), w, h};
  ui.fill(r, t.panel, ui.px(4));
  ui.outline(r, t.line, 1, ui.px(4));
  ui.text({r.x + margin, r.y + margin - ui.px(4)}, ui.t(Text::HelpTitle), TextSize::Result, t.text1);
  const Rect body{r.x, r.y + margin + title, r.w, r.h - 2 * margin - title};
  chrome.help_scroll = std::clamp(chrome.help_scroll - ImGui::GetIO().MouseWheel * row * 2, 0.0f, std::max(0.0f, whole - body.h));
  ui.clip(body);
  for (size_t i = 0; i < keys.size(); ++i) {
    const float x = r.x + margin + column * static_cast<float>(i / rows), y = body.y + row * static_cast<float>(i % rows) - chrome.help_scroll;
    std::string key = keys[i].mods[0] != 0 ? std::string(keys[i].mods) + " + " + keys[i].key : keys[i].key;
    ui.chip({x, y + ui.px(3)}, key);
    ui.text_in({x + key_column, y, text_column + ui.px(8), row}, ui.t(keys[i].text), TextSize::Title, t.text1);
  }
  ui.unclip();
  if (whole > body.h + 1) {
    const float high = body.h * body.h / whole;
    ui.fill({r.right() - ui.px(8), body.y + chrome.help_scroll * body.h / whole, ui.px(4), high}, t.line, ui.px(2));
  }
  if (away.clicked) c.state.help = false;
}

}  // namespace tilescope::window
