#include <algorithm>

#include "visualizer/window/window.h"

namespace tilescope::window {

void draw_help(PanelContext& c) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const std::vector<KeyBinding>& keys = key_bindings();
  const float row = ui.px(26), margin = ui.px(24), key_column = ui.px(132);
  float text_column = 0;
  for (const KeyBinding& k : keys) text_column = std::max(text_column, ui.width(ui.t(k.text), TextSize::Title));
  const float column = key_column + text_column + ui.px(32);
  const size_t columns = 2, rows = (keys.size() + columns - 1) / columns;
  const float w = column * static_cast<float>(columns) + margin * 2 - ui.px(32), h = row * static_cast<float>(rows) + margin * 2 + ui.px(36);
  const Rect screen{0, 0, ui.size().x, ui.size().y};
  ui.fill(screen, with_alpha(t.window, 0.7f));
  const Hit away = ui.hit("help.close", screen);
  const Rect r{(screen.w - w) / 2, (screen.h - h) / 2, w, h};
  ui.fill(r, t.panel, ui.px(4));
  ui.outline(r, t.line, 1, ui.px(4));
  ui.text({r.x + margin, r.y + margin - ui.px(4)}, ui.t(Text::HelpTitle), TextSize::Result, t.text1);
  for (size_t i = 0; i < keys.size(); ++i) {
    const float x = r.x + margin + column * static_cast<float>(i / rows), y = r.y + margin + ui.px(36) + row * static_cast<float>(i % rows);
    std::string key = keys[i].mods[0] != 0 ? std::string(keys[i].mods) + " + " + keys[i].key : keys[i].key;
    ui.chip({x, y + ui.px(3)}, key);
    ui.text_in({x + key_column, y, text_column + ui.px(8), row}, ui.t(keys[i].text), TextSize::Title, t.text1);
  }
  if (away.clicked) c.state.help = false;
}

}  // namespace tilescope::window
