// The Cost panel: which tiles the programs load in which order, what comes from DRAM, the roofline, the time. The data are
// model/cost_view.h; the session estimates them while this panel is drawn.
#include <algorithm>
#include <cmath>

#include "visualizer/window/panels/cost_parts.h"
#include "visualizer/window/withheld.h"

namespace tilescope::window {
namespace {

constexpr double kPatience = 0.2;  ///< seconds before waiting is spoken of

/// What the panel remembers between frames.
struct Memory {
  std::shared_ptr<const model::CostFindings> findings;
  model::CostChoices choices;
  bool busy = false, stale = false, made = false;
  model::CostView view;
  float scroll = 0;
  bool gpus_open = false;
  double busy_since = -1;
};
Memory& memory() {
  static Memory m;
  return m;
}

const model::CostView& view_of(const PanelContext& c) {
  Memory& m = memory();
  const model::Published& run = c.scene.run;
  if (!m.made || m.findings != run.cost || m.choices != c.state.cost || m.busy != run.cost_busy || m.stale != run.cost_stale) {
    m.findings = run.cost, m.choices = c.state.cost, m.busy = run.cost_busy, m.stale = run.cost_stale, m.made = true;
    m.view = model::make_cost_view(m.findings, m.choices, m.busy, m.stale);
  }
  return m.view;
}

// ---- the header: GPU, cancel

Rect right_button(Ui& ui, Rect& header, float width) {
  const Rect cut = header.take_right(width);
  header.take_right(ui.px(8));
  return {cut.x, cut.y + ui.px(4), cut.w, cut.h - ui.px(8)};
}

/// Returns where the list of GPUs hangs.
Rect draw_gpu_button(const CostPanel& p, Rect& header) {
  Ui& ui = p.ui();
  Memory& m = memory();
  std::string name = p.view.gpu;
  for (const cost::GpuDescription& g : cost::gpu_descriptions())
    if (g.id == p.c.state.cost.gpu) name = g.name;
  const float w = std::min(ui.width(name, TextSize::Title) + ui.px(40), std::max(header.w, ui.px(110)));
  const Rect r = right_button(ui, header, w);
  if (ui.button("cost.gpu", r, "", {.active = m.gpus_open}, ui.t(Text::CostGpuTip))) m.gpus_open = !m.gpus_open;
  const ImU32 ink = m.gpus_open ? IM_COL32_WHITE : p.theme().text1;
  ui.text_in({r.x + ui.px(10), r.y, r.w - ui.px(32), r.h}, name, TextSize::Title, ink);
  ui.triangle({r.right() - ui.px(14), r.y + r.h / 2 - ui.px(1)}, ui.px(4), 90, ink);
  return r;
}

void draw_gpu_list(const CostPanel& p, const Rect& anchor) {
  Ui& ui = p.ui();
  Memory& m = memory();
  if (!m.gpus_open) return;
  const Theme& t = p.theme();
  const auto& gpus = cost::gpu_descriptions();
  float w = 0;
  for (const cost::GpuDescription& g : gpus) w = std::max(w, ui.width(g.name, TextSize::Title) + ui.px(40));
  const float row = ui.px(30);
  Rect list{anchor.right() - w, anchor.bottom() + ui.px(4), w, row * static_cast<float>(gpus.size()) + ui.px(8)};
  ui.hit("cost.gpus", list);
  ui.fill(list, t.raised, ui.px(4));
  ui.outline(list, t.text3, 1, ui.px(4));
  list = list.inset(ui.px(4));
  bool chosen = false;
  for (const cost::GpuDescription& g : gpus) {
    const Rect at = list.take_top(row);
    const Hit h = ui.hit("cost.gpu." + g.id, at);
    const bool active = g.id == p.c.state.cost.gpu;
    if (active) ui.fill(at, t.selected, ui.px(4));
    else if (h.hovered) ui.fill(at, mix(t.raised, t.text1, 0.12f), ui.px(4));
    ui.text_in({at.x + ui.px(12), at.y, at.w - ui.px(16), at.h}, g.name, TextSize::Title, active ? IM_COL32_WHITE : t.text1);
    if (h.clicked) p.c.state.cost.gpu = g.id, chosen = true;
  }
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool elsewhere = ImGui::IsMouseClicked(0) && !list.inset(-ui.px(4)).contains(mouse) && !anchor.contains(mouse);
  if (chosen || elsewhere) m.gpus_open = false;
}

/// Progress under the header, and Cancel, once it takes long enough to be noticed.
void draw_work(const CostPanel& p, Rect& header, const Rect& body) {
  Memory& m = memory();
  const model::Published& run = p.c.scene.run;
  if (!run.cost_busy) m.busy_since = -1;
  else if (m.busy_since < 0) m.busy_since = p.c.time;
  if (!run.cost_busy || p.c.time - m.busy_since < kPatience) return;
  Ui& ui = p.ui();
  if (run.cost_progress >= 0) ui.fill({body.x, body.y - ui.px(2), body.w * static_cast<float>(run.cost_progress), ui.px(2)}, p.theme().selected);
  const Rect cancel = right_button(ui, header, ui.width(ui.t(Text::Cancel), TextSize::Title) + ui.px(20));
  if (ui.button("cost.cancel", cancel, ui.t(Text::Cancel), {})) p.c.control.session().cancel_cost();
  if (run.cost_progress < 0) return;
  const std::string percent = fmt::format("{:.0f}%", run.cost_progress * 100);
  ui.text_in(header.take_right(ui.px(40)), percent, TextSize::Caption, p.theme().text2, true, Align::Right);
  header.take_right(ui.px(8));
}

// ---- the body

/// Errors, one below the other. Returns the height that they take.
float draw_errors(const CostPanel& p, Rect r) {
  Ui& ui = p.ui();
  const float top = r.y;
  for (const Diagnostic& d : p.view.errors) {
    const std::string where = d.range.line > 0 ? fmt::format("{}: ", d.range.line) : "";
    r.take_top(ui.paragraph(r, where + d.message, TextSize::Code, p.theme().fault_text));
    if (!d.hint.empty() && !is_withheld(p.c)) r.take_top(ui.paragraph(r, d.hint, TextSize::Caption, p.theme().text2));
    r.take_top(ui.px(6));
  }
  ui.place("cost.error", {r.x, top, r.w, r.y - top});
  return r.y - top;
}

void draw_message(const CostPanel& p, Rect r) {
  using Stage = model::CostView::Stage;
  Ui& ui = p.ui();
  const float patience = p.c.scene.run.cost_busy ? static_cast<float>(p.c.time - memory().busy_since) : 0;
  switch (p.view.stage) {
    case Stage::Waiting:
      if (patience >= kPatience) ui.paragraph(r, ui.t(Text::CostWaiting), TextSize::Code, p.theme().text2);
      else ui.paragraph(r, ui.t(Text::CostEmpty), TextSize::Code, p.theme().text3);
      return;
    case Stage::Cancelled: {
      r.take_top(ui.paragraph(r, ui.t(Text::CostCancelled), TextSize::Code, p.theme().text2) + ui.px(8));
      const Rect again{r.x, r.y, ui.width(ui.t(Text::CostAgain), TextSize::Title) + ui.px(24), ui.px(28)};
      if (ui.button("cost.again", again, ui.t(Text::CostAgain), {.primary = true}))
        p.c.control.session().want_cost({p.c.state.cost.gpu, p.c.state.cost.other}, true);
      return;
    }
    default:
      ui.paragraph(r, ui.t(Text::CostEmpty), TextSize::Code, p.theme().text3);
  }
}

void separator(const CostPanel& p, const Rect& r) { p.ui().fill({r.x, std::round(r.y + r.h / 2), r.w, 1}, p.theme().line); }

/// The sections side by side where there is room, else one below the other. Returns the bottom of the last one.
float draw_sections(const CostPanel& p, Rect r) {
  Ui& ui = p.ui();
  const bool report = p.view.report != nullptr;
  const float gap = ui.px(16), summary = report ? cost_summary_height(p, r.w) : 0, top = r.y;
  const float least_bars = report ? cost_bars_height(p) : 0;
  if (r.w >= ui.px(840)) {
    const float height = std::max(r.h, std::max(ui.px(360), least_bars + gap + ui.px(200)) + gap + summary);
    Rect all{r.x, r.y, r.w, height};
    const Rect bottom = all.take_bottom(summary);
    const Rect line = all.take_bottom(gap);
    Rect left = all.take_left(std::round(all.w * 0.56f));
    const Rect divider = all.take_left(gap + ui.px(12));
    draw_cost_order(p, left);
    if (!report) return top + height;
    ui.fill({divider.x + divider.w / 2, divider.y, 1, divider.h}, p.theme().line);
    const float bars = std::max(least_bars, std::min(std::round(all.h * 0.46f), ui.px(96) + ui.px(34) * static_cast<float>(p.view.bars.size())));
    draw_cost_bars(p, all.take_top(bars));
    all.take_top(gap);
    draw_cost_roofline(p, {all.x, all.y, all.w, std::min(all.h, all.w * 0.8f)});
    separator(p, line);
    draw_cost_summary(p, bottom);
    return top + height;
  }
  const bool beside = r.w >= ui.px(560);  // bars and roofline
  const float bars = std::max(ui.px(beside ? 198 : 190), least_bars), charts = beside ? bars : bars + gap + ui.px(230);
  const float order = std::max(ui.px(300), r.h - charts - summary - 2 * gap);
  r.h = std::max(r.h, order + charts + summary + 2 * gap);  // what has no room is scrolled to
  draw_cost_order(p, r.take_top(order));
  if (!report) return r.y;
  separator(p, r.take_top(gap));
  Rect row = r.take_top(charts);
  if (beside) {
    const Rect left = row.take_left(std::round(row.w * 0.48f));
    const Rect divider = row.take_left(gap);
    ui.fill({divider.x + divider.w / 2, divider.y, 1, divider.h}, p.theme().line);
    draw_cost_bars(p, left);
    draw_cost_roofline(p, row);
  } else {
    draw_cost_bars(p, row.take_top(bars));
    row.take_top(gap);
    draw_cost_roofline(p, row);
  }
  separator(p, r.take_top(gap));
  draw_cost_summary(p, r.take_top(summary));
  return r.y;
}

void scroll(Ui& ui, const Rect& body, float content) {
  Memory& m = memory();
  const float most = std::max(0.0f, std::ceil(content - body.h));
  if (!m.gpus_open && body.contains(ImGui::GetIO().MousePos)) m.scroll -= ImGui::GetIO().MouseWheel * ui.px(48);
  m.scroll = std::clamp(m.scroll, 0.0f, most);
  if (most <= 0) return;
  const float share = body.h / content, length = std::max(ui.px(24), body.h * share), at = (body.h - length) * m.scroll / most;
  ui.fill({body.right() - ui.px(5), body.y + at, ui.px(3), length}, ui.theme().text3, ui.px(1.5f));
}

}  // namespace

std::string CostPanel::name(const model::OtherOrder& o) const {
  using Kind = cost::DealOrder::Kind;
  if (o.parameter != "order") return o.label;
  switch (o.order.kind) {
    case Kind::Kernel: return std::string(ui().t(Text::CostByNumber));
    case Kind::OtherAxisFirst: return std::string(ui().t(Text::CostOtherAxis));
    case Kind::Grouped: return say(Text::CostGroups, o.order.group);
    case Kind::Shuffled: return std::string(ui().t(Text::CostShuffled));
  }
  return o.label;
}

void draw_cost_heading(const CostPanel& p, Rect& r, std::string_view title, std::string_view caption) {
  Ui& ui = p.ui();
  Rect row = r.take_top(ui.px(24));
  const float w = std::min(ui.width(title, TextSize::Title), row.w);
  ui.text_in(row.take_left(w), title, TextSize::Title, p.theme().text1);
  row.take_left(ui.px(12));
  ui.text_in(row, caption, TextSize::Caption, p.theme().text3);
}

void draw_cost(PanelContext& c, Rect header, Rect body) {
  Ui& ui = c.ui;
  c.control.session().want_cost({c.state.cost.gpu, c.state.cost.other});
  const CostPanel p{c, view_of(c)};
  const Rect anchor = draw_gpu_button(p, header);
  draw_work(p, header, body);
  const auto& notes = p.view.report != nullptr ? p.view.report->notes : std::vector<std::string>{};
  if (!notes.empty()) {
    const std::string text = notes.size() == 1 ? std::string(ui.t(Text::CostOneNote)) : p.say(Text::CostNotes, notes.size());
    const float w = ui.width(text, TextSize::Caption);
    if (w <= header.w) {
      const Rect r = header.take_right(w);
      const Hit h = ui.hit("cost.notes", r);
      ui.text_in(r, text, TextSize::Caption, h.hovered ? c.ui.theme().text1 : c.ui.theme().text3);
      std::string all;
      for (const std::string& n : notes) all += (all.empty() ? "" : "\n") + n;
      if (h.hovered) ui.tooltip(all);
    }
  }
  ui.clip(body);
  Rect r{body.x + ui.px(16), body.y + ui.px(8), body.w - ui.px(32), body.h - ui.px(16)};
  r.y -= memory().scroll;
  float bottom = r.bottom();
  if (!p.view.errors.empty()) {
    const float used = draw_errors(p, r);
    r.take_top(used);
  }
  const bool something = !p.view.figures.empty() || p.view.report != nullptr;
  if (something) {
    bottom = draw_sections(p, r);
    // From before the last change, or of another GPU: pale.
    if (p.view.stale) ui.fill({body.x, r.y, body.w, bottom - r.y}, with_alpha(ui.theme().panel, 0.5f));
  } else if (p.view.errors.empty()) {
    draw_message(p, r);
  }
  scroll(ui, body, bottom + ui.px(8) - (body.y - memory().scroll));
  ui.unclip();
  draw_gpu_list(p, anchor);
}

}  // namespace tilescope::window
