#include "visualizer/window/panels/source_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tilescope::window {

using model::LineFacts;

namespace {

template <class... Args>
std::string words(Ui& ui, Text id, Args&&... args) {
  return fmt::format(fmt::runtime(ui.t(id)), args...);
}

std::string tip(Ui& ui, const LineFacts& facts) {
  std::string out = words(ui, Text::SourceTipLine, facts.line);
  const auto add = [&](const std::string& line) { out += "\n" + line; };
  if (facts.times_in_all > 0) add(words(ui, Text::SourceTipRan, grouped(facts.times), grouped(facts.times_in_all)));
  if (!facts.accesses.empty()) {
    const AccessSummary lanes = facts.lanes();
    add(words(ui, Text::SourceTipLatest, grouped(lanes.on), grouped(lanes.masked)));
    if (lanes.out_of_bounds > 0) add("  " + words(ui, Text::SourceTipBeyond, grouped(lanes.out_of_bounds)));
    if (lanes.duplicates > 0) add("  " + words(ui, Text::SourceTipDuplicates, grouped(lanes.duplicates)));
  }
  for (const LineReport& r : facts.launch) {
    const AccessCounters& n = r.counters;
    add(words(ui, Text::SourceTipLaunch, r.op, r.tensor, grouped(n.times)));
    add(words(ui, Text::SourceTipLanes, grouped(n.lanes_active), grouped(n.lanes_masked), grouped(n.bytes)));
    add(words(ui, Text::SourceTipRequests, grouped(n.requests), grouped(n.sectors)));
  }
  if (facts.times_in_all > 0) add(std::string(ui.t(Text::SourceTipGo)));
  return out;
}

}  // namespace

std::string grouped(uint64_t n) {
  std::string digits = std::to_string(n);
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<size_t>(at), ",");
  return digits;
}

bool touches_memory(const LineFacts& f) { return f.kind == model::StepKind::Load || f.kind == model::StepKind::Store || !f.accesses.empty(); }

void draw_line_counters(PanelContext& c, const TextEditor& editor, size_t line, const LineFacts& facts, const SourceColumns& col, float alpha) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const float top = editor.top(line), h = editor.row_height();
  const float from = touches_memory(facts) ? col.lanes_left : col.times_left;
  const Hit hit = ui.hit("source.count." + std::to_string(line + 1), {from, top, col.times_right - from, h});
  if (facts.times_in_all > 0) {
    const ImU32 ink = facts.times == 0 ? t.text3 : facts.current ? t.text1 : t.text2;
    ui.text({col.times_right, top + (h - ui.line_height(TextSize::Caption)) / 2}, "×" + grouped(facts.times), TextSize::Caption, with_alpha(ink, alpha), true,
            Align::Right);
  }
  const AccessSummary lanes = facts.lanes();
  const auto all = static_cast<float>(lanes.on + lanes.masked + lanes.out_of_bounds);
  if (all > 0) {
    const Rect bar{col.lanes_left, std::round(top + (h - ui.px(10)) / 2), col.lanes_width, ui.px(10)};
    float on = std::round(bar.w * static_cast<float>(lanes.on) / all), beyond = std::round(bar.w * static_cast<float>(lanes.out_of_bounds) / all);
    // However few lanes are on, off or beyond the end, they are seen.
    if (lanes.out_of_bounds > 0) beyond = std::max(beyond, ui.px(4));
    if (lanes.on > 0) on = std::max(on, ui.px(3));
    on = std::min(on, bar.w - beyond - (lanes.masked > 0 ? ui.px(5) : 0));
    ui.hatch({bar.x + on, bar.y, bar.w - on - beyond, bar.h}, with_alpha(t.hatch, alpha), ui.px(4));
    ui.fill({bar.x, bar.y, on, bar.h}, with_alpha(lanes.writes ? t.store : t.load, alpha));
    if (beyond > 0) ui.fill({bar.right() - beyond, bar.y, beyond, bar.h}, with_alpha(t.fault, alpha));
    ui.outline(bar, with_alpha(t.text3, alpha), 1);
  }
  if (hit.hovered) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    ui.tooltip(tip(ui, facts));
  }
  if (hit.clicked) c.control.go_to_line(facts.line);
}

}  // namespace tilescope::window
