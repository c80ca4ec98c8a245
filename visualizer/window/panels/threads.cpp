// The Threads panel: which warp and lane holds which element of the current access, and what one warp asks of memory.
#include <algorithm>
#include <cmath>

#include "visualizer/model/grid_view.h"
#include "visualizer/model/provenance.h"
#include "visualizer/window/panels/threads_parts.h"

namespace tilescope::window {
namespace {

using model::AccessThreads;
using model::WidthReason;

ThreadsChoice& choice() {
  static ThreadsChoice kept;
  return kept;
}

std::string comma(const Ui& ui) { return ui.language() == model::Language::Chinese ? "，" : ", "; }
std::string colon(const Ui& ui) { return ui.language() == model::Language::Chinese ? "：" : ": "; }

bool writes(const AccessThreads& a) { return a.op->code != OpCode::Load; }

// ---- words

std::string why_text(const Ui& ui, const AccessThreads& a) {
  using Limit = WidthReason::Limit;
  const WidthReason& w = a.why;
  switch (w.limit) {
    case Limit::Scalar: return std::string(ui.t(Text::ThreadsWhyScalar));
    case Limit::Atomic: return std::string(ui.t(Text::ThreadsWhyAtomic));
    case Limit::Widest: return std::string(ui.t(Text::ThreadsWhyWidest));
    case Limit::Share: return std::string(ui.t(Text::ThreadsWhyShare));
    case Limit::Divisibility: return w.divisibility > 1 ? said(ui, Text::ThreadsWhyDivisibility, w.axis, w.divisibility) : said(ui, Text::ThreadsWhyDivisibilityOne, w.axis);
    case Limit::Mask: return w.mask == 1 ? said(ui, Text::ThreadsWhyMaskOne, a.layout.contiguous) : said(ui, Text::ThreadsWhyMask, w.mask);
    case Limit::Contiguity: break;
  }
  if (w.contiguity > 1) return said(ui, Text::ThreadsWhyContiguity, w.axis, w.contiguity);
  const std::optional<int64_t> stride = w.strides[static_cast<size_t>(w.axis)];
  if (!stride) return std::string(ui.t(Text::ThreadsWhyScattered));
  return *stride == 0 ? said(ui, Text::ThreadsWhySame, w.axis) : said(ui, Text::ThreadsWhyStride, w.axis, model::typographic(std::to_string(*stride)));
}

std::string width_text(const Ui& ui, const AccessThreads& a) {
  const int n = a.layout.vector_width, bytes = n * a.layout.elem_bytes;
  const std::string what = n > 1 ? said(ui, Text::ThreadsElements, n, bytes) : bytes == 1 ? std::string(ui.t(Text::ThreadsOneByte)) : said(ui, Text::ThreadsOneElement, bytes);
  return said(ui, Text::ThreadsWidth, what) + colon(ui) + why_text(ui, a);
}

std::string share_text(const Ui& ui, const AccessThreads& a) {
  const int threads = a.layout.num_warps * kLanesPerWarp;
  if (a.copies() > 1)
    return (a.elements() == 1 ? said(ui, Text::ThreadsOneForAll, threads) : said(ui, Text::ThreadsCopies, a.elements(), threads, a.copies())) + comma(ui) + std::string(ui.t(writes(a) ? Text::ThreadsCopyStores : Text::ThreadsCopyLoads));
  if (a.layout.num_warps == 1) return said(ui, Text::ThreadsShareOneWarp, a.elements(), threads, a.layout.registers());
  return said(ui, Text::ThreadsShare, a.elements(), threads, a.layout.num_warps, a.layout.registers());
}

std::string percent(uint64_t used, uint64_t moved) {
  if (moved == 0) return {};
  return fmt::format("{:.3g}%", 100.0 * static_cast<double>(used) / static_cast<double>(moved));
}

// ---- nothing to show

void draw_step_button(PanelContext& c, Rect& row, const char* name, Text text, int64_t step) {
  if (step < 0) return;
  Ui& ui = c.ui;
  const Op& op = *c.scene.run.recorded->recording->ops()[static_cast<size_t>(c.scene.trace->steps[static_cast<size_t>(step)].op)];
  const std::string label = said(ui, text, op.loc == nullptr ? 0 : op.loc->statement.line);
  const float w = std::min(ui.width(label, TextSize::Title) + ui.px(24), row.w);
  if (ui.button(name, row.take_left(w), label, {})) c.control.go_to_step(static_cast<uint64_t>(step));
  row.take_left(ui.px(10));
}

void draw_nothing(PanelContext& c, Rect r) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  r.w = std::min(r.w, ui.px(560));
  if (!c.scene.ready) {
    ui.paragraph(r, ui.t(Text::ThreadsWill), TextSize::Body, t.text2);
    return;
  }
  const model::NearbyAccesses near = model::nearby_accesses(c.scene);
  const bool none = near.last < 0 && near.next < 0;
  r.take_top(ui.paragraph(r, ui.t(none ? Text::ThreadsNone : Text::ThreadsNotNow), TextSize::Body, t.text1) + ui.px(8));
  if (none) return;
  r.take_top(ui.paragraph(r, ui.t(Text::ThreadsOnlyAccesses), TextSize::Code, t.text2, ui.px(20)) + ui.px(14));
  Rect row = r.take_top(ui.px(28));
  draw_step_button(c, row, "threads.last", Text::ThreadsLast, near.last);
  draw_step_button(c, row, "threads.next", Text::ThreadsNext, near.next);
}

// ---- the heading

void draw_accesses(PanelContext& c, const std::vector<AccessThreads>& all, int shown, Rect& r) {
  if (all.size() < 2) return;
  Ui& ui = c.ui;
  Rect row = r.take_top(ui.px(26));
  r.take_top(ui.px(8));
  for (size_t i = 0; i < all.size(); ++i) {
    const int tensor = all[i].lanes->tensor;
    std::string label(ui.t(all[i].op->code == OpCode::Load ? Text::ThreadsLoad : all[i].op->code == OpCode::Store ? Text::ThreadsStore : Text::ThreadsAtomic));
    if (tensor >= 0) label += " " + c.scene.tensors[static_cast<size_t>(tensor)].name;
    const float w = ui.width(label, TextSize::Title) + ui.px(18);
    if (w > row.w) break;
    if (ui.button(fmt::format("threads.access.{}", i), row.take_left(w), label, {.active = static_cast<int>(i) == shown})) choice().access = static_cast<int>(i);
    row.take_left(ui.px(6));
  }
}

/// What was accessed on the left; requests, sectors and bytes used on the right.
void draw_heading(const ThreadsView& v, Rect& r) {
  Ui& ui = v.ui();
  const Theme& t = v.theme();
  const AccessThreads& a = v.a;
  Rect top = r.take_top(ui.px(22)), below = r.take_top(ui.px(20));
  const bool load = a.op->code == OpCode::Load, store = a.op->code == OpCode::Store;
  const ImU32 ink = load ? t.load_text : store ? t.store_text : t.reduce_text;
  if (a.counted) {
    const std::string totals = counted(ui, a.requests, Text::ThreadsRequest, Text::ThreadsRequests) + comma(ui) + counted(ui, a.sectors, Text::ThreadsSector, Text::ThreadsSectors);
    const float w = ui.width(totals, TextSize::Title);
    ui.text_in(top.take_right(w + 1), totals, TextSize::Title, t.text1, false, Align::Right);
    ui.place("threads.totals", top);
    if (a.sectors > 0) {
      const std::string used = said(ui, Text::ThreadsUsed, a.bytes_used, a.bytes_moved()) + comma(ui) + percent(a.bytes_used, a.bytes_moved());
      ui.text_in(below.take_right(ui.width(used, TextSize::Caption) + 1), used, TextSize::Caption, t.text1, false, Align::Right);
    } else {
      ui.text_in(below.take_right(ui.px(160)), ui.t(Text::ThreadsNothingIssued), TextSize::Caption, t.text1, false, Align::Right);
    }
  } else {
    ui.text_in(top.take_right(ui.width(ui.t(Text::ThreadsFaultShort), TextSize::Title) + 1), ui.t(Text::ThreadsFaultShort), TextSize::Title, t.fault_text);
  }
  top.take_right(ui.px(16));
  below.take_right(ui.px(16));
  const float w = ui.text({top.x, top.y + (top.h - ui.line_height(TextSize::Title)) / 2}, ui.t(load ? Text::ThreadsLoad : store ? Text::ThreadsStore : Text::ThreadsAtomic), TextSize::Title, ink);
  std::string box(ui.t(Text::ThreadsSeveral));
  if (a.lanes->tensor >= 0) {
    const std::string& name = v.c.scene.tensors[static_cast<size_t>(a.lanes->tensor)].name;
    box = a.summary->box.empty() ? name : model::box_name(name, a.summary->box);
  }
  ui.text_in({top.x + w + ui.px(8), top.y, top.w - w - ui.px(8), top.h}, box, TextSize::Code, t.text1, true);
  ui.text_in(below, share_text(ui, a), TextSize::Caption, t.text2);
  r.take_top(ui.paragraph(r, width_text(ui, a), TextSize::Caption, t.text2, ui.px(20)));
  r.take_top(ui.px(10));
}

// ---- the chosen warp and instruction

void draw_warps(const ThreadsView& v, Rect row) {
  Ui& ui = v.ui();
  const Theme& t = v.theme();
  const int n = v.a.layout.num_warps;
  const std::string label(ui.t(Text::ThreadsWarps));
  ui.text_in(row.take_left(std::min(v.margin, row.w)), label, TextSize::Caption, t.text2);
  const float gap = n > 8 ? ui.px(1) : ui.px(4), w = std::min(ui.px(n > 8 ? 26 : 40), (row.w - gap * static_cast<float>(n - 1)) / static_cast<float>(n));
  if (w < 4) return;
  for (int i = 0; i < n; ++i) {
    const Rect b = row.take_left(std::floor(w));
    row.take_left(gap);
    const Hit h = ui.hit(fmt::format("threads.warp.{}", i), b);
    const bool on = i == v.warp;
    const ImU32 ground = on ? warp_colour(i) : mix(t.panel, warp_colour(i), h.hovered ? 0.6f : 0.34f);
    ui.fill(b, ground, ui.px(3));
    const std::string number = std::to_string(i);
    if (ui.width(number, TextSize::Code, true) <= b.w) ui.text_in(b, number, TextSize::Code, ink_on(ground), true, Align::Centre);
    if (on) ui.outline({b.x - 1, b.y - 1, b.w + 2, b.h + 2}, t.hover, ui.px(2), ui.px(3));
    if (h.clicked) v.choice = {v.choice.access, i, v.instruction};
  }
}

/// Warps on the left, the stepper through the instructions on the right; below each other where there is no room.
void draw_choosers(const ThreadsView& v, Rect& r) {
  Ui& ui = v.ui();
  const int n = v.a.instructions();
  Rect row = r.take_top(ui.px(26));
  r.take_top(ui.px(8));
  const std::string label = said(ui, Text::ThreadsInstruction, v.instruction + 1, n);
  const float button = ui.px(26), w = ui.width(said(ui, Text::ThreadsInstruction, n, n), TextSize::Title) + ui.px(20) + 2 * button;
  Rect stepper = row.take_right(std::min(w, row.w));
  row.take_right(ui.px(12));
  ui.place("threads.instruction", stepper);
  const std::string_view tip = ui.t(Text::ThreadsInstructionTip);
  if (ui.button("threads.instruction.less", stepper.take_left(button), "\u2212", {false, false, v.instruction > 0}, tip)) v.choice = {v.choice.access, v.warp, v.instruction - 1};
  if (ui.button("threads.instruction.more", stepper.take_right(button), "+", {false, false, v.instruction + 1 < n}, tip)) v.choice = {v.choice.access, v.warp, v.instruction + 1};
  ui.text_in(stepper, label, TextSize::Title, v.theme().text1, false, Align::Centre);
  draw_warps(v, row);
}

/// "20 lanes on, 12 off, 5 sectors, 80 of 160 bytes used, 50%".
std::string request_text(const ThreadsView& v) {
  const Ui& ui = v.ui();
  if (!v.a.counted) return std::string(ui.t(Text::ThreadsFault));
  if (v.request.copy) return said(ui, Text::ThreadsCopyWarp, v.a.holder(v.a.element(v.warp, 0, 0, 0)).warp);
  if (!v.request.issued()) return std::string(ui.t(Text::ThreadsAllOff));
  std::string out = counted(ui, static_cast<uint64_t>(v.request.lanes_on), Text::ThreadsLaneOn, Text::ThreadsLanesOn);
  if (const int off = kLanesPerWarp - v.request.lanes_on; off > 0) out += comma(ui) + counted(ui, static_cast<uint64_t>(off), Text::ThreadsLaneOff, Text::ThreadsLanesOff);
  out += comma(ui) + counted(ui, v.request.sectors.size(), Text::ThreadsSector, Text::ThreadsSectors);
  const auto used = static_cast<uint64_t>(v.request.bytes_used()), moved = static_cast<uint64_t>(v.request.bytes_moved());
  return out + comma(ui) + said(ui, Text::ThreadsUsed, used, moved) + comma(ui) + percent(used, moved);
}

void draw_legend(PanelContext& c, Rect header) {
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const float w = ui.width(ui.t(Text::ThreadsLegendMasked), TextSize::Caption) + ui.px(22);
  if (header.w < w + ui.px(14)) return;
  const Rect r = header.take_right(w), swatch{r.x, r.y + (r.h - ui.px(12)) / 2, ui.px(16), ui.px(12)};
  ui.hatch(swatch, t.hatch, 4);
  ui.outline(swatch, t.hatch, 1);
  ui.text_in({r.x + ui.px(22), r.y, r.w - ui.px(20), r.h}, ui.t(Text::ThreadsLegendMasked), TextSize::Caption, t.text2);
}

}  // namespace

// ---- shared with the parts

ImU32 warp_colour(int warp) {
  static constexpr ImU32 kColours[] = {IM_COL32(0x77, 0xAA, 0xDD, 255), IM_COL32(0xEE, 0x88, 0x66, 255), IM_COL32(0xEE, 0xDD, 0x88, 255), IM_COL32(0x44, 0xBB, 0x99, 255),
                                       IM_COL32(0xFF, 0xAA, 0xBB, 255), IM_COL32(0x99, 0xDD, 0xFF, 255), IM_COL32(0xAA, 0xAA, 0x00, 255), IM_COL32(0xDD, 0xDD, 0xDD, 255)};
  return kColours[static_cast<size_t>(warp) % std::size(kColours)];
}

std::string counted(const Ui& ui, uint64_t n, Text one, Text many) { return n == 1 ? std::string(ui.t(one)) : said(ui, many, n); }

bool ThreadsView::is_lit(int64_t element) const { return std::find(lit.begin(), lit.end(), element) != lit.end(); }

void ThreadsView::choose(int64_t element) const {
  const model::Thread t = a.holder_in(warp, element).value_or(a.holder(element));
  choice.warp = t.warp, choice.instruction = t.reg / a.layout.vector_width;
}

void ThreadsView::hover(int64_t element) const {
  const Shape& shape = a.layout.shape;
  const std::vector<int64_t> index = model::index_of_lane(shape, element);
  const model::Thread t = a.holder_in(warp, element).value_or(a.holder(element));
  const int64_t offset = a.lanes->offsets[static_cast<size_t>(element)];
  const model::TensorPlace place = a.lanes->tensor >= 0 ? values.place(a.lanes->tensor, offset) : model::TensorPlace{};
  const std::string name = (access.variable.empty() ? std::string("tile") : access.variable) + model::index_text(index);
  std::string text = said(ui(), Text::ThreadsHeld, name, t.warp, t.lane, t.reg);
  if (a.copies() > 1) text += "\n" + said(ui(), Text::ThreadsHeldToo, a.copies() - 1);
  if (place.tensor >= 0) text += "\n" + values.place_text(place);
  if (state(element) == LaneState::Masked) text += "\n" + std::string(ui().t(Text::ThreadsMaskedLane));
  if (state(element) == LaneState::OutOfBounds) text += "\n" + std::string(ui().t(Text::ThreadsOutLane));
  ui().tooltip(text);
  if (place.inside && a.on(element)) c.state.hover = {model::Element::Of::Tensor, c.scene.tensors[static_cast<size_t>(place.tensor)].name, place.index};
  else if (!access.variable.empty()) c.state.hover = {model::Element::Of::Variable, access.variable, index};
}

void draw_threads(PanelContext& c, Rect header, Rect body) {
  Ui& ui = c.ui;
  Rect r{body.x + ui.px(16), body.y + ui.px(10), body.w - ui.px(32), body.h - ui.px(20)};
  const model::ProgramValues* values = model::program_values(c.scene);
  const std::vector<AccessThreads>* all = c.scene.ready && values != nullptr ? &model::current_threads(c.scene) : nullptr;
  if (all == nullptr || all->empty()) return draw_nothing(c, {r.x, r.y + ui.px(4), r.w, r.h});
  draw_legend(c, header);
  const int last = static_cast<int>(all->size()) - 1, shown = choice().access < 0 ? last : std::min(choice().access, last);
  const AccessThreads& a = (*all)[static_cast<size_t>(shown)];
  const auto access = std::find_if(c.scene.accesses.begin(), c.scene.accesses.end(), [&](const model::CurrentAccess& x) { return x.step == a.step; });
  if (access == c.scene.accesses.end()) return;
  draw_accesses(c, *all, shown, r);
  ThreadsView v{c, *access, a, *values, choice(), 0, 0, {}, model::elements_at(c.scene, *access, c.hover), 0};
  const model::Thread first = choice().warp < 0 ? a.first_issued() : model::Thread{choice().warp, 0, choice().instruction};
  v.warp = std::clamp(first.warp, 0, a.layout.num_warps - 1);
  v.instruction = std::clamp(first.reg, 0, a.instructions() - 1);
  v.request = a.request(v.warp, v.instruction);
  v.margin = std::max({ui.width(said(ui, Text::ThreadsWarp, a.layout.num_warps > 9 ? "00..00" : "0..0"), TextSize::Caption) + ui.px(2), ui.width(ui.t(Text::ThreadsMemory), TextSize::Caption), ui.width(ui.t(Text::ThreadsLane), TextSize::Caption)}) + ui.px(10);
  draw_heading(v, r);
  // The tile takes what it needs of the room that the request leaves; the request grows into the rest.
  const float request = std::min(ui.px(26 + 8 + 24) + threads_request_height(ui), r.h * 0.7f), gap = ui.px(14);
  Rect bottom = r;
  const float tile = r.h - request - gap;
  if (tile > ui.px(40)) bottom.take_top(std::min(draw_threads_tile(v, {r.x, r.y, r.w, tile}), tile) + gap);
  draw_choosers(v, bottom);
  const Rect sentence = bottom.take_top(ui.px(24));
  ui.place("threads.request", sentence);
  ui.text_in(sentence, request_text(v), TextSize::Code, a.counted ? ui.theme().text1 : ui.theme().fault_text);
  if (bottom.h > ui.px(60)) draw_threads_request(v, bottom);
}

}  // namespace tilescope::window
