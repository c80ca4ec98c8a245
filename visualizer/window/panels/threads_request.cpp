// One instruction of one warp: its 32 lanes, the sectors of memory that they touch, and who asks for what.
#include <algorithm>
#include <cmath>

#include "visualizer/window/panels/threads_parts.h"
#include "visualizer/window/panels/tile_cells.h"

namespace tilescope::window {
namespace {

using model::SectorUse;

constexpr float kMostHeight = 320;  // longer lines between lanes and memory say no more
constexpr uint64_t kSectorsPerLine = 4;  // 128 bytes

/// A sector as it is drawn. Where there is room, the whole lines of 128 bytes that a request touches are; else only the
/// sectors that it touches.
struct SectorBox {
  uint64_t sector = 0;
  const SectorUse* use = nullptr;  ///< null: not touched
  Rect r;
};

class RequestPicture {
 public:
  RequestPicture(ThreadsView& v, Rect r) : v_(v), ui_(v.ui()), t_(v.theme()), a_(v.a) {
    r.h = std::min(r.h, ui_.px(kMostHeight));
    Rect lanes = r.take_top(ui_.px(26));
    lane_label_ = lanes.take_left(v.margin);
    lanes_ = lanes;
    r.take_left(v.margin);
    labels_ = r.take_bottom(ui_.px(20));
    counts_ = r.take_bottom(ui_.px(18));
    sectors_ = r.take_bottom(std::min(ui_.px(26), r.h * 0.4f));
    wires_ = r;
    colour_ = warp_colour(v.warp);
  }

  void draw() {
    lane_w_ = lanes_.w / kLanesPerWarp;
    place_boxes();
    mouse();
    if (v_.a.counted) {
      for (int pass = 0; pass < 2; ++pass)
        for (int lane = 0; lane < kLanesPerWarp; ++lane)
          if (is_hovered(lane) == (pass == 1)) wire(lane);
      draw_sectors();
    }
    ui_.text_in(lane_label_, ui_.t(Text::ThreadsLane), TextSize::Caption, t_.text2);
    for (int lane = 0; lane < kLanesPerWarp; ++lane) draw_lane(lane);
  }

 private:
  Rect lane_rect(int lane) const {
    const float x0 = std::round(lanes_.x + lane_w_ * static_cast<float>(lane)), x1 = std::round(lanes_.x + lane_w_ * static_cast<float>(lane + 1));
    return {x0, lanes_.y, x1 - x0 - 1, lanes_.h};
  }
  int64_t element(int lane, int i) const { return a_.element(v_.warp, lane, v_.instruction, i); }
  bool is_hovered(int lane) const {
    if (lane == hovered_lane_) return true;
    for (int i = 0; i < a_.layout.vector_width; ++i)
      if (v_.is_lit(lane, i)) return true;
    return hovered_sector_ != ~uint64_t{0} && touches(lane, hovered_sector_);
  }
  bool touches(int lane, uint64_t sector) const {
    if (!a_.takes_part(v_.warp, lane) || v_.request.copy) return false;
    for (int i = 0; i < a_.layout.vector_width; ++i) {
      const int64_t e = element(lane, i);
      const uint64_t first = a_.addresses[static_cast<size_t>(e)];
      if (a_.on(e) && first / kSectorBytes <= sector && (first + static_cast<uint64_t>(a_.layout.elem_bytes) - 1) / kSectorBytes >= sector) return true;
    }
    return false;
  }

  // Sectors lie apart, lines more so, and most where memory is left out between them.
  void place_boxes() {
    for (const SectorUse& s : v_.request.sectors) {
      const uint64_t line = s.sector / kSectorsPerLine;
      if (boxes_.empty() || boxes_.back().sector / kSectorsPerLine != line)
        for (uint64_t i = 0; i < kSectorsPerLine; ++i) boxes_.push_back({line * kSectorsPerLine + i, nullptr, {}});
      boxes_[boxes_.size() - kSectorsPerLine + s.sector % kSectorsPerLine].use = &s;
    }
    if (boxes_.empty()) return;
    const auto fits = [&] { return sectors_.w >= static_cast<float>(boxes_.size()) * ui_.px(11); };
    if (!fits()) std::erase_if(boxes_, [](const SectorBox& b) { return b.use == nullptr; });
    const float n = static_cast<float>(boxes_.size()), narrow = sectors_.w / n;
    const float between = narrow < ui_.px(6) ? 0 : narrow < ui_.px(14) ? 1 : ui_.px(2), lines = 2 * between;
    int left_out = 0;
    for (size_t i = 1; i < boxes_.size(); ++i) left_out += boxes_[i].sector != boxes_[i - 1].sector + 1;
    gap_ = left_out == 0 ? 0 : std::clamp(sectors_.w * 0.2f / static_cast<float>(left_out), lines, ui_.px(14));
    const auto space = [&](size_t i) {
      if (boxes_[i].sector != boxes_[i - 1].sector + 1) return gap_;
      return boxes_[i].sector % kSectorsPerLine == 0 ? lines : between;
    };
    float spaces = 0;
    for (size_t i = 1; i < boxes_.size(); ++i) spaces += space(i);
    const float width = (sectors_.w - spaces) / n;
    float x = sectors_.x;
    for (size_t i = 0; i < boxes_.size(); ++i) {
      if (i > 0) x += space(i);
      const float x0 = std::round(x), x1 = std::round(x + width);
      boxes_[i].r = {x0, sectors_.y, std::max(1.0f, x1 - x0), sectors_.h};
      x += width;
    }
  }

  const SectorBox* box_of(uint64_t sector) const {
    const auto i = std::lower_bound(boxes_.begin(), boxes_.end(), sector, [](const SectorBox& b, uint64_t n) { return b.sector < n; });
    return i != boxes_.end() && i->sector == sector ? &*i : nullptr;
  }
  /// Left edge of a byte, or right edge.
  float x_of(uint64_t address, int edge) const {
    const SectorBox* b = box_of(address / kSectorBytes);
    if (b == nullptr) return sectors_.x;
    return b->r.x + b->r.w * static_cast<float>(address % kSectorBytes + static_cast<uint64_t>(edge)) / static_cast<float>(kSectorBytes);
  }

  /// From a lane to the bytes of each of its elements; neighbouring elements are one piece.
  void wire(int lane) {
    if (!a_.takes_part(v_.warp, lane) || v_.request.copy) return;
    const Rect from = lane_rect(lane);
    const int width = a_.layout.vector_width;
    const bool strong = is_hovered(lane);
    const float part = from.w / static_cast<float>(width);
    for (int i = 0; i < width;) {
      const int64_t e = element(lane, i);
      if (!a_.on(e)) {
        ++i;
        continue;
      }
      const uint64_t first = a_.addresses[static_cast<size_t>(e)];
      uint64_t end = first + static_cast<uint64_t>(a_.layout.elem_bytes);
      int j = i + 1;
      for (; j < width && a_.on(element(lane, j)) && a_.addresses[static_cast<size_t>(element(lane, j))] == end; ++j) end += static_cast<uint64_t>(a_.layout.elem_bytes);
      const float x0 = from.x + part * static_cast<float>(i), x1 = from.x + part * static_cast<float>(j), y0 = wires_.y + ui_.px(2), y1 = wires_.bottom();
      const float to0 = x_of(first, 0), to1 = std::max(to0 + 1, x_of(end - 1, 1));
      ui_.draw().AddQuadFilled({x0, y0}, {x1, y0}, {to1, y1}, {to0, y1}, with_alpha(strong ? mix(colour_, t_.hover, 0.35f) : colour_, strong ? 0.75f : 0.28f));
      ui_.draw().AddLine({(x0 + x1) / 2, y0}, {(to0 + to1) / 2, y1}, with_alpha(strong ? t_.hover : colour_, strong ? 1.0f : 0.8f), strong ? ui_.px(2) : 1);
      i = j;
    }
  }

  void draw_lane(int lane) {
    const Rect r = lane_rect(lane);
    int on = 0, out = 0;
    const int width = a_.layout.vector_width;
    for (int i = 0; i < width; ++i) {
      const int64_t e = element(lane, i);
      on += a_.on(e);
      out += v_.state(e) == LaneState::OutOfBounds;
    }
    const bool copy = !a_.takes_part(v_.warp, lane) || v_.request.copy;
    const std::string number = std::to_string(lane);
    const bool fits = r.w + 2 >= ui_.width(number, TextSize::Caption, true);
    ImU32 ink = t_.text2;
    if (copy) {
      ui_.dashed_outline(r, t_.text3);
    } else if (out > 0) {
      ui_.fill(r, mix(t_.panel, t_.fault, 0.15f));
      ui_.outline(r, t_.fault, 2);
      ui_.cross(r.inset(ui_.px(4)), t_.fault);
    } else if (on == 0) {
      ui_.hatch(r, t_.hatch, 4);
      ui_.outline(r, t_.line);
      if (fits) ui_.fill({r.x, r.y + ui_.px(5), r.w, r.h - ui_.px(10)}, t_.panel);
    } else {
      for (int i = 0; i < width; ++i) {
        const float x0 = std::round(r.x + r.w * static_cast<float>(i) / static_cast<float>(width)), x1 = std::round(r.x + r.w * static_cast<float>(i + 1) / static_cast<float>(width));
        const Rect part{x0, r.y, x1 - x0, r.h};
        if (a_.on(element(lane, i))) ui_.fill(part, colour_);
        else ui_.hatch(part, t_.hatch, 4);
      }
      ink = ink_on(colour_);
    }
    if (fits && out == 0) ui_.text_in({r.x - 2, r.y, r.w + 4, r.h}, number, TextSize::Caption, ink, true, Align::Centre);
    if (is_hovered(lane)) light(ui_, r);
  }

  void draw_sectors() {
    ui_.text_in({sectors_.x - v_.margin, sectors_.y, v_.margin, sectors_.h}, ui_.t(Text::ThreadsMemory), TextSize::Caption, t_.text2);
    if (boxes_.empty()) {
      ui_.dashed_outline(sectors_, t_.text3);
      ui_.text_in(sectors_, ui_.t(Text::ThreadsNothingIssued), TextSize::Caption, t_.text2, false, Align::Centre);
      return;
    }
    for (const SectorBox& b : boxes_) draw_sector(b);
    for (size_t i = 1; i < boxes_.size(); ++i)
      if (gap_ >= ui_.px(10) && boxes_[i].sector != boxes_[i - 1].sector + 1)
        ui_.text_in({boxes_[i].r.x - gap_ - ui_.px(4), sectors_.y, gap_ + ui_.px(8), sectors_.h}, "…", TextSize::Caption, t_.text3, false, Align::Centre);
    place_labels();
  }

  void draw_sector(const SectorBox& box) {
    const Rect& r = box.r;
    const SectorUse* use = box.use;
    const uint64_t sector = box.sector;
    if (use == nullptr) {
      if (r.w > 4) ui_.outline(r, t_.line);
      return;
    }
    ui_.fill(r, mix(t_.panel, colour_, 0.25f));
    for (int b = 0; b < kSectorBytes;) {
      if ((use->bytes >> b & 1) == 0) {
        ++b;
        continue;
      }
      int end = b;
      while (end < kSectorBytes && (use->bytes >> end & 1) != 0) ++end;
      const float x0 = r.x + r.w * static_cast<float>(b) / kSectorBytes, x1 = r.x + r.w * static_cast<float>(end) / kSectorBytes;
      ui_.fill({x0, r.y, std::max(1.0f, x1 - x0), r.h}, colour_);
      b = end;
    }
    ui_.outline(r, sector == hovered_sector_ ? t_.hover : t_.text3, sector == hovered_sector_ ? ui_.px(2) : r.w > 6 ? 1 : 0);
    const std::string full = fmt::format("{} B", use->used()), brief = std::to_string(use->used());
    const float room = r.w + 1;
    const std::string& text = ui_.width(full, TextSize::Caption, true) <= room ? full : brief;
    if (ui_.width(text, TextSize::Caption, true) <= room) ui_.text_in({r.x, counts_.y, r.w + 1, counts_.h}, text, TextSize::Caption, use->used() == kSectorBytes ? t_.text2 : t_.text1, true, Align::Centre);
  }

  /// Which element a line of 128 bytes begins with, or a stretch of sectors, as far as there is room.
  void place_labels() {
    float free = labels_.x - v_.margin;
    for (size_t i = 0; i < boxes_.size(); ++i) {
      const bool begins = i == 0 || boxes_[i].sector != boxes_[i - 1].sector + 1 || boxes_[i].sector % kSectorsPerLine == 0;
      if (!begins) continue;
      const model::TensorPlace p = v_.values.place(boxes_[i].sector * kSectorBytes);
      if (!p.inside) continue;
      const std::string text = v_.values.place_text(p);
      const float w = ui_.width(text, TextSize::Caption, true);
      const float x = std::min(boxes_[i].r.x, labels_.right() - w);
      if (x < free) continue;
      ui_.fill({boxes_[i].r.x, counts_.bottom() - ui_.px(2), 1, ui_.px(4)}, t_.text3);
      ui_.text_in({x, labels_.y, w + 1, labels_.h}, text, TextSize::Caption, t_.text3, true);
      free = x + w + ui_.px(14);
    }
  }

  void mouse() {
    for (int lane = 0; lane < kLanesPerWarp; ++lane) {
      const Hit h = ui_.hit(fmt::format("threads.lane.{}", lane), lane_rect(lane));
      if (!h.hovered) continue;
      hovered_lane_ = lane;
      const Rect r = lane_rect(lane);
      const int i = std::clamp(static_cast<int>((h.mouse.x - r.x) / std::max(1.0f, r.w) * static_cast<float>(a_.layout.vector_width)), 0, a_.layout.vector_width - 1);
      if (!a_.takes_part(v_.warp, lane) && !v_.request.copy) ui_.tooltip(said(ui_, Text::ThreadsCopyLane, lane));
      else v_.hover(element(lane, i));
    }
    if (!a_.counted || boxes_.empty()) return;
    const Hit h = ui_.hit("threads.sectors", sectors_);
    if (!h.hovered) return;
    for (const SectorBox& b : boxes_)
      if (h.mouse.x >= b.r.x && h.mouse.x < b.r.right()) hovered_sector_ = b.sector;
    if (hovered_sector_ != ~uint64_t{0}) sector_tip();
  }

  void sector_tip() {
    const SectorUse* use = box_of(hovered_sector_)->use;
    if (use == nullptr) return ui_.tooltip(ui_.t(Text::ThreadsSectorIdle));
    std::string text = use->used() == kSectorBytes ? std::string(ui_.t(Text::ThreadsSectorFull)) : said(ui_, Text::ThreadsSectorTip, use->used());
    std::string lanes;
    int n = 0;
    for (int lane = 0; lane < kLanesPerWarp; ++lane)
      if (touches(lane, hovered_sector_) && ++n <= 16) lanes += (lanes.empty() ? "" : ", ") + std::to_string(lane);
    text += "\n" + said(ui_, Text::ThreadsLanesOfSector, lanes + (n > 16 ? " …" : ""));
    const model::TensorPlace p = v_.values.place(hovered_sector_ * kSectorBytes);
    if (p.inside) text += "\n" + v_.values.place_text(p) + " …";
    ui_.tooltip(text);
  }

  ThreadsView& v_;
  Ui& ui_;
  const Theme& t_;
  const model::AccessThreads& a_;
  Rect lane_label_, lanes_, wires_, sectors_, counts_, labels_;
  ImU32 colour_ = 0;
  float lane_w_ = 1, gap_ = 0;
  int hovered_lane_ = -1;
  uint64_t hovered_sector_ = ~uint64_t{0};
  std::vector<SectorBox> boxes_;
};

}  // namespace

float threads_request_height(const Ui& ui) { return ui.px(26 + 84 + 26 + 18 + 20); }

void draw_threads_request(ThreadsView& v, Rect r) { RequestPicture(v, r).draw(); }

}  // namespace tilescope::window
