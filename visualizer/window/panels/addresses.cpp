// The Addresses panel: a column of row terms and a row of column terms become the table of addresses of an access.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "visualizer/model/addresses.h"
#include "visualizer/window/panels/addresses_table.h"

namespace tilescope::window {
namespace {

using model::AddressTable;
using Kind = model::AddressTable::Kind;

constexpr double kMotion = 0.4;  // seconds that the broadcast takes

struct Memory {
  size_t choice = 0;
  uint64_t step = ~uint64_t{0};
  const void* recording = nullptr;
  double started = -1;  ///< time at which the animation began
};
Memory& memory() {
  static Memory m;
  return m;
}

template <class... Args>
std::string filled(const Ui& ui, Text id, Args&&... args) {
  return fmt::format(fmt::runtime(ui.t(id)), args...);
}

/// Ease-out; 1 when nothing moves.
float progress_of(PanelContext& c) {
  Memory& m = memory();
  const bool fresh = m.step != c.scene.step || m.recording != c.scene.run.recorded.get();
  if (fresh) {
    m.step = c.scene.step;
    m.recording = c.scene.run.recorded.get();
    m.choice = 0;
    m.started = c.time;
  }
  if (!c.motion || m.started < 0) return 1;
  const double x = std::clamp((c.time - m.started) / kMotion, 0.0, 1.0);
  return static_cast<float>(1 - std::pow(1 - x, 3));
}

void draw_choices(PanelContext& c, Rect& r) {
  Ui& ui = c.ui;
  const size_t n = model::address_choices(c.scene);
  if (n < 2) return;
  Rect row = r.take_top(ui.px(34));
  row.h = ui.px(26);
  for (size_t i = 0; i < n; ++i) {
    const std::string name = model::address_choice_name(c.scene, i);
    const float w = ui.width(name, TextSize::Title) + ui.px(18);
    if (w > row.w) break;
    const Rect at = row.take_left(w);
    row.take_left(ui.px(6));
    if (ui.button(fmt::format("addresses.choice.{}", i), at, name, {.active = i == memory().choice})) {
      memory().choice = i;
      memory().started = c.time;
    }
  }
}

}  // namespace

void draw_addresses(PanelContext& c, Rect header, Rect body) {
  Ui& ui = c.ui;
  const Rect inner{body.x + ui.px(16), body.y + ui.px(12), body.w - ui.px(32), body.h - ui.px(24)};
  const model::ProgramValues* values = model::program_values(c.scene);
  if (!c.scene.ready || values == nullptr) {
    ui.paragraph(inner, ui.t(Text::AddressesEmpty), TextSize::Code, ui.theme().text3);
    return;
  }
  const float progress = progress_of(c);
  struct Kept {
    size_t choice = 0;
    bool made = false;
    AddressTable table;
  };
  auto& kept = const_cast<Kept&>(c.scene.derived<Kept>([](const model::Scene&) { return Kept{}; }));
  if (!kept.made || kept.choice != memory().choice) kept = {memory().choice, true, model::address_table(*values, c.scene, memory().choice)};
  Rect r = inner;
  if (kept.table.kind == Kind::Nothing) {
    ui.paragraph(r, ui.t(Text::AddressesNoneHere), TextSize::Code, ui.theme().text3);
    return;
  }
  const float w = ui.width(ui.t(Text::AddressesReplay), TextSize::Title) + ui.px(20);
  if (header.w > w) {
    const Rect at{header.right() - w, header.y + ui.px(4), w, header.h - ui.px(8)};
    if (ui.button("addresses.replay", at, ui.t(Text::AddressesReplay), {})) memory().started = c.time;
    header.take_right(w + ui.px(12));
  }
  if (kept.table.elsewhere) ui.text_in(header, filled(ui, Text::AddressesElsewhere, c.scene.line, kept.table.line), TextSize::Caption, ui.theme().text3);
  draw_choices(c, r);
  draw_address_table(c, kept.table, *values, progress, r, body.bottom());
}

}  // namespace tilescope::window
