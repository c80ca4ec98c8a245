// The Memory panel: each tensor in its logical shape and as the line of memory that it is, with the lanes of the current
// access; or how often its elements were used by the whole launch.
#include <algorithm>
#include <cmath>
#include <string>

#include "visualizer/model/grid_view.h"
#include "visualizer/window/panels/memory_parts.h"

namespace tilescope::window {
namespace {

/// What was chosen in this panel; kept as long as the program runs.
struct Choices {
  MemoryColour colour = MemoryColour::Values;
  MemoryShape shape = MemoryShape::Both;
  std::map<std::string, MatrixZoom> matrices;  ///< by tensor and shape
  std::map<std::string, LineZoom> lines;
  std::map<std::string, std::vector<int64_t>> slices;  ///< of tensors with three axes or more; absent: where the access is
};
Choices& choices() {
  static Choices kept;
  return kept;
}

std::string key_of(const MemoryTensor& m) {
  std::string key = m.now->name;
  for (const int64_t n : m.tensor->layout.shape) key += "," + std::to_string(n);
  for (const int64_t n : m.tensor->layout.strides) key += ";" + std::to_string(n);
  return key;
}

void draw_legend(PanelContext& c, Rect header) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  struct Entry { Text text; int kind; };
  for (const Entry e : {Entry{Text::MemoryLegendMasked, 2}, Entry{Text::MemoryLegendStore, 1}, Entry{Text::MemoryLegendLoad, 0}}) {
    const float w = ui.width(ui.t(e.text), TextSize::Caption) + ui.px(22);
    if (header.w < w + ui.px(14)) return;
    const Rect r = header.take_right(w);
    header.take_right(ui.px(14));
    const Rect swatch{r.x, r.y + (r.h - ui.px(12)) / 2, ui.px(16), ui.px(12)};
    if (e.kind == 2) ui.hatch(swatch, t.hatch, 4), ui.outline(swatch, t.hatch, 1);
    else ui.outline(swatch, e.kind == 1 ? t.store : t.load, ui.px(2));
    ui.text_in({r.x + ui.px(22), r.y, r.w - ui.px(20), r.h}, ui.t(e.text), TextSize::Caption, t.text2);
  }
}

/// Tabs for the tensors; the first follows the step. Returns the height that they took.
float draw_tabs(PanelContext& c, const MemoryTensors& tensors, Rect r, int shown, float right_room) {
  Ui& ui = c.ui;
  const float height = ui.px(26), gap = ui.px(6);
  float x = r.x, y = r.y;
  const auto tab = [&](const std::string& name, std::string_view label, bool active, std::string_view tip) {
    const float w = std::min(ui.width(label, TextSize::Title) + ui.px(20), r.w);
    const float edge = y == r.y ? r.right() - right_room : r.right();
    if (x > r.x && x + w > edge) x = r.x, y += height + gap;
    const bool clicked = ui.button(name, {x, y, w, height}, label, {false, active, true}, tip);
    x += w + gap;
    return clicked;
  };
  if (tab("memory.follow", ui.t(Text::MemoryFollow), c.state.shown_tensor.empty(), ui.t(Text::MemoryFollowTip))) c.state.shown_tensor.clear();
  for (const auto& m : tensors.all)
    if (tab("memory.tensor." + m->now->name, m->now->name, !c.state.shown_tensor.empty() && m->index == shown, "")) c.state.shown_tensor = m->now->name;
  return y + height - r.y;
}

void draw_scale(PanelContext& c, const CellPainter& paint, MemoryColour mode, Rect r) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const MemoryTensor& m = paint.tensor();
  if (is_bool(m.tensor->dtype) && !paint.counts()) return;
  const Rect bar{r.x, r.y + ui.px(3), r.w, ui.px(10)};
  const int steps = 32;
  const bool counts = paint.counts();
  const double most = counts ? static_cast<double>(mode == MemoryColour::Loads ? m.most_loads : m.most_stores) : m.reach;
  const bool from_zero = counts || is_unsigned_int(m.tensor->dtype);
  for (int i = 0; i < steps; ++i) {
    const double f = (i + 0.5) / steps, value = counts ? 1 + f * std::max(most - 1, 0.0) : from_zero ? f * most : (2 * f - 1) * most;
    const float x0 = std::round(bar.x + bar.w * static_cast<float>(i) / steps), x1 = std::round(bar.x + bar.w * static_cast<float>(i + 1) / steps);
    ui.fill({x0, bar.y, x1 - x0, bar.h}, paint.colour(model::CellKind::Value, value));
  }
  const float y = bar.bottom() + ui.px(1);
  const std::string high = model::short_number(most);
  ui.text({bar.x, y}, counts ? "1" : from_zero ? "0" : model::typographic("-" + high), TextSize::Caption, t.text3, true);
  ui.text({bar.right(), y}, high, TextSize::Caption, t.text3, true, Align::Right);
  if (counts) ui.text({bar.x + bar.w / 2, y}, ui.t(mode == MemoryColour::Loads ? Text::MemoryTimesLoaded : Text::MemoryTimesStored), TextSize::Caption, t.text3, false, Align::Centre);
  else if (!from_zero) ui.text({bar.x + bar.w / 2, y}, "0", TextSize::Caption, t.text3, true, Align::Centre);
}

/// The access in words: "load a_ptr[64..69, 0..31]  192 lanes on, 832 masked off".
void draw_sentence(PanelContext& c, const MemoryTensor& m, const std::vector<MemoryAccess>& accesses, MemoryColour mode, Rect r) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  Rect top = r.take_top(ui.px(20));
  if (mode != MemoryColour::Values) {
    if (m.counts == nullptr) return ui.text_in(top, ui.t(Text::MemoryNoCounts), TextSize::Caption, t.text2);
    const ReuseCounts& reuse = c.scene.run.totals->trace.tensors[static_cast<size_t>(m.index)].reuse;
    ui.text_in(top, say(c, Text::MemoryWholeLaunch, {std::to_string(c.scene.run.totals->trace.programs)}), TextSize::Code, t.text1);
    if (mode == MemoryColour::Loads && reuse.max > 0)
      ui.text_in(r, say(c, Text::MemoryReuse, {model::short_number(reuse.mean), std::to_string(reuse.max)}), TextSize::Caption, t.text2);
    return;
  }
  if (accesses.empty()) {
    const int nearest = model::nearest_access(c.scene, m.index);
    if (nearest < 0) return ui.text_in(top, say(c, Text::MemoryUntouched, {m.now->name}), TextSize::Code, t.text2);
    const AccessSummary& s = c.scene.trace->accesses[static_cast<size_t>(nearest)];
    ui.text_in(top, say(c, Text::MemoryNotNow, {m.now->name}), TextSize::Code, t.text2);
    const Op& op = *c.scene.run.recorded->recording->ops()[static_cast<size_t>(c.scene.trace->steps[s.step].op)];
    const bool later = s.step > c.scene.step;
    const Text text = s.writes ? (later ? Text::MemoryNextStore : Text::MemoryLastStore) : (later ? Text::MemoryNextLoad : Text::MemoryLastLoad);
    ui.text_in(r, say(c, text, {std::to_string(op.loc == nullptr ? 0 : op.loc->range.line), s.box.empty() ? m.now->name : model::box_name(m.now->name, s.box)}),
               TextSize::Caption, t.text2);
    return;
  }
  const MemoryAccess& a = accesses.front();
  const AccessSummary& s = *a.access->summary;
  const std::string verb(ui.t(a.writes ? (s.reads ? Text::MemoryAtomic : Text::MemoryStore) : Text::MemoryLoad));
  const std::string box = s.box.empty() ? m.now->name : model::box_name(m.now->name, a.lanes.solid && !a.lanes.live.empty() && m.tensor->layout.rank() <= 2
      ? (m.tensor->layout.rank() == 2 ? IndexBox{{a.lanes.live.row, a.lanes.live.col}, {a.lanes.live.bottom(), a.lanes.live.right()}} : IndexBox{{a.lanes.live.col}, {a.lanes.live.right()}})
      : s.box);
  const float w = ui.text({top.x, top.y + ui.px(2)}, verb, TextSize::Code, access_text(t, a));
  ui.text_in({top.x + w + ui.px(8), top.y, top.w - w - ui.px(8), top.h}, box, TextSize::Code, t.text1, true);
  std::string counts = lanes_on_text(c, a.lanes.on);
  if (s.masked > 0) counts += "  " + say(c, Text::MemoryLanesOff, {std::to_string(s.masked)});
  if (s.duplicates > 0) counts += "  " + say(c, Text::MemoryDuplicates, {std::to_string(s.duplicates)});
  if (s.requests == 1 && s.sectors == 1) counts += "  " + std::string(c.ui.t(Text::MemoryOneRequestOneSector));
  else if (s.requests == 1) counts += "  " + say(c, Text::MemoryOneRequest, {std::to_string(s.sectors)});
  else if (s.requests > 0) counts += "  " + say(c, Text::MemoryRequests, {std::to_string(s.requests), std::to_string(s.sectors)});
  float x = r.x;
  if (const std::optional<FailedElement> f = failed_element(c, m)) x += ui.text({x, r.y + ui.px(1)}, f->words, TextSize::Caption, t.fault_text) + ui.px(10);
  if (s.out_of_bounds > 0) x += ui.text({x, r.y + ui.px(1)}, say(c, Text::MemoryLanesOut, {std::to_string(s.out_of_bounds)}), TextSize::Caption, t.fault_text) + ui.px(10);
  if (s.uninitialised > 0) x += ui.text({x, r.y + ui.px(1)}, say(c, Text::MemoryLanesUninitialised, {std::to_string(s.uninitialised)}), TextSize::Caption, t.fault_text) + ui.px(10);
  ui.text_in({x, r.y, r.right() - x, ui.px(18)}, counts, TextSize::Caption, t.text2);
}

/// Slices of a tensor with three axes or more: a stepper an axis. Returns the plane to show.
model::Plane choose_slice(PanelContext& c, const MemoryTensor& m, Rect& r) {
  Ui& ui = c.ui;
  const TensorLayout& l = m.tensor->layout;
  std::vector<int64_t> at;
  const auto chosen = choices().slices.find(key_of(m));
  if (chosen != choices().slices.end()) {
    at = chosen->second;
  } else {
    // Where the access is.
    for (const MemoryAccess& a : m.accesses(c.scene, {})) {
      std::vector<int64_t> index;
      if (a.lanes.first <= a.lanes.last && m.map.find(a.lanes.first, index)) at = index;
    }
    if (at.empty())
      if (const MemoryAccess* last = m.last(c.scene, {}); last != nullptr && last->lanes.first <= last->lanes.last) m.map.find(last->lanes.first, at);
  }
  model::Plane plane = model::make_plane(l, at);
  if (l.rank() < 3) return plane;
  Rect row = r.take_top(ui.px(28));
  for (int axis = 0; axis + 2 < l.rank(); ++axis) {
    const size_t i = static_cast<size_t>(axis);
    const std::string name = "memory.slice." + std::to_string(axis), label = say(c, Text::MemorySlice, {std::to_string(axis), std::to_string(plane.at[i]), std::to_string(l.shape[i] - 1)});
    const float w = ui.width(label, TextSize::Title) + ui.px(16);
    if (row.w < w + ui.px(70)) break;
    const bool less = ui.button(name + ".less", row.take_left(ui.px(24)).inset(1), "−", {false, false, plane.at[i] > 0});
    ui.text_in(row.take_left(w), label, TextSize::Title, ui.theme().text1, false, Align::Centre);
    const bool more = ui.button(name + ".more", row.take_left(ui.px(24)).inset(1), "+", {false, false, plane.at[i] + 1 < l.shape[i]});
    row.take_left(ui.px(16));
    if (less || more) {
      plane.at[i] += more ? 1 : -1;
      choices().slices[key_of(m)] = plane.at;
    }
  }
  if (chosen != choices().slices.end() && row.w > ui.px(90) && ui.button("memory.slice.follow", row.take_left(ui.px(84)).inset(1), ui.t(Text::MemoryFollow), {})) choices().slices.erase(key_of(m));
  r.take_top(ui.px(4));
  return model::make_plane(l, plane.at);
}

/// Vectors of the same size and stride as this one: they are shown together.
std::vector<const MemoryTensor*> vectors_like(const PanelContext& c, const MemoryTensors& tensors, const MemoryTensor& m) {
  std::vector<const MemoryTensor*> out;
  for (const auto& other : tensors.all) {
    const bool same = other->tensor->layout.shape == m.tensor->layout.shape && other->tensor->layout.strides == m.tensor->layout.strides;
    const bool alone = !c.state.shown_tensor.empty();
    if (other.get() == &m || (!alone && same)) out.push_back(other.get());
  }
  if (out.size() > 6) {
    out.resize(6);
    if (std::find(out.begin(), out.end(), &m) == out.end()) out.back() = &m;
  }
  return out;
}

}  // namespace

void draw_memory(PanelContext& c, Rect header, Rect body) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  Rect r = body.inset(ui.px(16));
  r.y -= ui.px(4), r.h += ui.px(8);
  if (!c.scene.ready || c.scene.tensors.empty()) {
    ui.paragraph(r, ui.t(c.scene.ready ? Text::MemoryNoTensors : Text::MemoryWillShow), TextSize::Body, t.text2);
    return;
  }
  draw_legend(c, header);
  Choices& k = choices();
  const MemoryTensors& tensors = memory_tensors(c.scene);
  int shown = model::tensor_in_focus(c.scene);
  for (const auto& m : tensors.all)
    if (m->now->name == c.state.shown_tensor) shown = m->index;
  const MemoryTensor& m = *tensors.all[static_cast<size_t>(std::clamp<int>(shown, 0, static_cast<int>(tensors.all.size()) - 1))];
  const bool vector = m.tensor->layout.rank() <= 1 && m.tensor->elements() > 0;

  // The row of choices.
  const std::vector<std::string> colours{std::string(ui.t(Text::MemoryValues)), std::string(ui.t(Text::MemoryLoads)), std::string(ui.t(Text::MemoryStores))};
  const std::vector<std::string> shapes{std::string(ui.t(Text::MemoryBoth)), std::string(ui.t(Text::MemoryMatrix)), std::string(ui.t(Text::MemoryLine))};
  const auto width_of = [&](const std::vector<std::string>& labels) {
    float w = 0;
    for (const std::string& l : labels) w += ui.width(l, TextSize::Title) + ui.px(16);
    return w;
  };
  const float w_colours = width_of(colours), w_shapes = vector ? 0 : width_of(shapes) + ui.px(10);
  // Beside the tabs, or below them in a narrow panel.
  const bool narrow = w_colours + w_shapes + ui.px(200) > r.w;
  const float tabs = draw_tabs(c, tensors, r, m.index, narrow ? 0 : w_colours + w_shapes + ui.px(8));
  Rect row = narrow ? Rect{r.x, r.y + tabs + ui.px(6), r.w, ui.px(26)} : Rect{r.x, r.y, r.w, ui.px(26)};
  const Rect choice = row.take_right(std::min(w_colours, narrow && !vector ? row.w * 0.5f : row.w));
  const int colour = ui.segmented("memory.colour", choice, colours, static_cast<int>(k.colour));
  if (colour >= 0) k.colour = static_cast<MemoryColour>(colour);
  if (!vector) {
    row.take_right(ui.px(10));
    const int shape = ui.segmented("memory.shape", row.take_right(std::min(w_shapes - ui.px(10), row.w)), shapes, static_cast<int>(k.shape));
    if (shape >= 0) k.shape = static_cast<MemoryShape>(shape);
  }
  r.take_top(tabs + ui.px(8) + (narrow ? ui.px(32) : 0));

  const CellPainter paint(t, k.colour, m);
  Rect sentence = r.take_top(ui.px(40));
  if (sentence.w > ui.px(360)) {
    draw_scale(c, paint, k.colour, sentence.take_right(std::min(ui.px(160), sentence.w * 0.3f)));
    sentence.take_right(ui.px(16));
  }
  draw_sentence(c, m, m.accesses(c.scene, {}), k.colour, sentence);
  r.take_top(ui.px(6));
  if (m.tensor->elements() == 0) return ui.text_in(r.take_top(ui.px(24)), ui.t(Text::MemoryEmptyTensor), TextSize::Code, t.text2);

  if (vector) {
    const std::vector<const MemoryTensor*> group = vectors_like(c, tensors, m);
    draw_memory_vectors(c, group, k.colour, k.lines[key_of(*group.front())], r);
    return;
  }
  const model::Plane plane = choose_slice(c, m, r);
  const bool line = k.shape == MemoryShape::Line || (k.shape == MemoryShape::Both && r.h > ui.px(300));
  if (line) {
    Rect part = k.shape == MemoryShape::Line ? r : r.take_bottom(ui.px(150));
    draw_memory_line(c, m, plane, paint, k.lines[key_of(m)], part);
    r.take_bottom(ui.px(10));
  }
  if (k.shape != MemoryShape::Line) draw_memory_matrix(c, m, plane, paint, k.matrices[key_of(m)], r);
}

}  // namespace tilescope::window
