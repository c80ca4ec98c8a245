// Vectors as lines of memory, one above the other: all of them, this program's part, and the elements around the edge.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "visualizer/model/grid_view.h"
#include "visualizer/window/panels/memory_parts.h"

namespace tilescope::window {
namespace {

/// What a program's nearest access to a vector addresses, in element offsets; half open.
struct Part {
  const AccessSummary* summary = nullptr;
  int64_t on_from = 0, on_to = 0, from = 0, to = 0;
};

std::optional<Part> part_of(const model::Scene& scene, const MemoryTensor& m) {
  const int access = model::nearest_access(scene, m.index);
  if (access < 0) return std::nullopt;
  const AccessSummary& s = scene.trace->accesses[static_cast<size_t>(access)];
  if (s.whole.lo.size() != 1) return std::nullopt;
  const int64_t stride = m.tensor->layout.strides[0];
  const auto range = [stride](const IndexBox& b, int64_t& from, int64_t& to) {
    if (b.lo.size() != 1) return;
    const int64_t x = b.lo[0] * stride, y = (b.hi[0] - 1) * stride;
    from = std::min(x, y), to = std::max(x, y) + 1;
  };
  Part p{&s};
  range(s.whole, p.from, p.to);
  p.on_from = p.on_to = p.from;
  range(s.box, p.on_from, p.on_to);
  // Lanes that miss the tensor are on, too.
  p.on_from = std::clamp(p.on_from, std::min(p.on_to, m.map.lowest()), std::max(p.on_from, m.map.highest() + 1));
  p.on_to = std::clamp(p.on_to, p.on_from, std::max(p.on_from, m.map.highest() + 1));
  return p;
}

std::vector<const MemoryAccess*> pointers(const std::vector<MemoryAccess>& accesses) {
  std::vector<const MemoryAccess*> out;
  for (const MemoryAccess& a : accesses) out.push_back(&a);
  return out;
}

class Vectors {
 public:
  Vectors(PanelContext& c, const std::vector<const MemoryTensor*>& tensors, MemoryColour mode, LineZoom& zoom, Rect r)
      : c_(c), ui_(c.ui), t_(c.ui.theme()), tensors_(tensors), zoom_(zoom), r_(r) {
    for (const MemoryTensor* m : tensors_) {
      painters_.emplace_back(t_, mode, *m);
      parts_.push_back(part_of(c.scene, *m));
    }
  }

  void draw() {
    measure();
    const float n = static_cast<float>(tensors_.size());
    foot_ = ui_.px(28);
    for (const std::optional<Part>& p : parts_)
      if (p && p->summary->duplicates > 0) foot_ = ui_.px(46);
    const float fixed = ui_.px(24) + n * ui_.px(12) + ui_.px(26) + ui_.px(20) + foot_;
    const float head = ui_.px(28) + ui_.px(46) + ui_.px(8);  // of the single elements
    const bool detail = r_.h >= fixed + head + n * ui_.px(32 + 32);
    // The rows share what is left; the single elements get a third of it.
    const float left = r_.h - fixed - (detail ? head : 0);
    const float row = std::clamp(left * (detail ? 0.58f : 1) / n, ui_.px(16), std::max(ui_.px(n > 1 ? 72 : 110), r_.h * 0.11f));
    close_row_ = std::clamp(left / n - row, ui_.px(30), std::max(ui_.px(52), r_.h * 0.07f));
    labels_ = std::clamp(ui_.width(say(c_, Text::MemoryProgram, {model::program_name(c_.scene.run.launch->grid, c_.scene.program)}), TextSize::Caption) + ui_.px(12),
                         ui_.px(84), ui_.px(128));
    overview(r_.take_top(ui_.px(24) + n * ui_.px(12)));
    const Rect wedge = r_.take_top(ui_.px(26));
    middle(wedge, r_.take_top(ui_.px(20) + n * row + foot_), row);
    if (detail) closer(r_.take_top(ui_.px(28)), r_);
    brackets({middle_.x, middle_.bottom(), middle_.w, foot_});
  }

 private:
  const MemoryTensor& first() const { return *tensors_.front(); }
  float x(const Rect& r, double e, double from, double to) const {
    return std::clamp(r.x + static_cast<float>((e - from) / (to - from)) * r.w, r.x - 20000, r.x + 20000);
  }
  Rect without_labels(Rect r) const {
    r.take_left(labels_);
    return r;
  }

  // The whole line, with room for what this program addresses past its end; and the program's part of it.
  void measure() {
    low_ = static_cast<double>(first().map.lowest()), high_ = std::max(static_cast<double>(first().map.highest()) + 1, low_ + 1);
    size_end_ = high_;
    const double most = std::max(high_ - low_, 256.0);
    bool any = false;
    for (const std::optional<Part>& p : parts_) {
      if (!p || p->from >= p->to) continue;
      const double from = std::clamp(static_cast<double>(p->from), low_ - most, high_ + most), to = std::clamp(static_cast<double>(p->to), low_ - most, high_ + most);
      // Parts of different tensors are shown together when they are about the same place.
      if (any && (from > part_to_ + (part_to_ - part_from_) || to < part_from_ - (part_to_ - part_from_))) continue;
      part_from_ = any ? std::min(part_from_, from) : from, part_to_ = any ? std::max(part_to_, to) : to;
      any = true;
    }
    if (!any) part_from_ = low_, part_to_ = std::min(high_, low_ + 1024);
    has_part_ = any;
    low_ = std::min(low_, part_from_), high_ = std::max(high_, part_to_);
    if (zoom_.fitted) zoom_.from = part_from_, zoom_.to = std::max(part_to_, part_from_ + 1);
  }

  void overview(Rect r) {
    const Rect names = without_labels(r.take_top(ui_.px(20)));
    const Rect strips = without_labels(r);
    ui_.text_in({r.x, strips.y, labels_ - ui_.px(8), std::min(strips.h, ui_.px(24))}, say(c_, Text::MemoryAll, {std::to_string(first().tensor->elements())}),
                TextSize::Caption, t_.text2);
    const float step = ui_.px(12);
    const Hit hit = ui_.hit("memory.overview", {strips.x, strips.y, strips.w, step * static_cast<float>(tensors_.size())});
    if ((hit.held || hit.clicked) && strips.w > 0) {
      const double at = low_ + (hit.mouse.x - strips.x) / strips.w * (high_ - low_), span = zoom_.to - zoom_.from;
      zoom_.from = at - span / 2, zoom_.to = at + span / 2, zoom_.fitted = false;
    }
    for (size_t i = 0; i < tensors_.size(); ++i) {
      const Rect strip{strips.x, strips.y + step * static_cast<float>(i), strips.w, step - ui_.px(2)};
      LineMarks marks{{}, true, has_part_ ? part_from_ : 0, has_part_ ? part_to_ : 0, 1};
      draw_line_cells(c_, *tensors_[i], painters_[i], "memory.all." + tensors_[i]->now->name, strip, low_, high_, marks);
      if (parts_[i]) beyond(*parts_[i], strip, low_, high_);
      hover_line(c_, *tensors_[i], hit.mouse.y >= strip.y && hit.mouse.y < strip.bottom() ? hit : Hit{}, strip, low_, high_);
    }
    const float bottom = strips.y + step * static_cast<float>(tensors_.size());
    programs(names, bottom);
    const float a = std::clamp(x(strips, zoom_.from, low_, high_), strips.x, strips.right()), b = std::clamp(x(strips, zoom_.to, low_, high_), a, strips.right());
    part_box_ = {std::min(a, strips.right() - ui_.px(3)), strips.y, std::max(b - a, ui_.px(3)), bottom - strips.y};
    ui_.outline(part_box_.inset(-ui_.px(2)), t_.selected_text, ui_.px(2));
  }

  // What this part has past the end of the tensor: hatched, or faults.
  void beyond(const Part& p, const Rect& strip, double from, double to) {
    const auto piece = [&](double a, double b) {
      const float x0 = std::clamp(x(strip, a, from, to), strip.x, strip.right()), x1 = std::clamp(x(strip, b, from, to), strip.x, strip.right());
      if (x1 - x0 < 1) return;
      const Rect r{std::round(x0), strip.y, std::round(x1) - std::round(x0), strip.h};
      if (p.summary->out_of_bounds > 0) return draw_out_of_bounds(ui_, r, 0);
      ui_.fill(r, t_.panel);
      ui_.hatch(r, t_.hatch, strip.h < ui_.px(16) ? 4 : 6);
      ui_.outline(r, t_.hatch, 1);
    };
    if (static_cast<double>(p.to) > size_end_) piece(std::max(static_cast<double>(p.from), size_end_), static_cast<double>(p.to));
    const double begin = static_cast<double>(first().map.lowest());
    if (static_cast<double>(p.from) < begin) piece(static_cast<double>(p.from), std::min(begin, static_cast<double>(p.to)));
  }

  // The part of the program that is shown: which elements it touches, and how far the lanes go that its mask turns off.
  std::string range_now(const model::ProgramRange& p, float room) const {
    const std::string whole = std::to_string(p.first) + ".." + std::to_string(p.end - 1);
    int64_t from = INT64_MAX, to = INT64_MIN;
    for (const std::optional<Part>& part : parts_)  // lanes that miss the tensor are on
      if (part && part->summary->out_of_bounds > 0) return whole;
    for (const std::optional<Part>& part : parts_)
      if (part && part->on_from < part->on_to) from = std::min(from, part->on_from), to = std::max(to, part->on_to);
    if (from >= to || (from <= p.first && to >= p.end)) return whole;
    const std::string first = std::to_string(from), last = std::to_string(to - 1);
    const std::string both = say(c_, Text::MemoryRangeOnOff, {first, last, std::to_string(p.end - 1)});
    return from == p.first && to < p.end && ui_.width(both, TextSize::Caption, true) <= room ? both : say(c_, Text::MemoryRangeOn, {first, last});
  }

  // Which program has which part.
  void programs(const Rect& names, float bottom) {
    std::vector<model::ProgramRange> ranges;
    const model::Totals* totals = c_.scene.run.totals.get();
    if (totals != nullptr) ranges = model::program_ranges(totals->trace, first().index, first().tensor->layout);
    const std::array<int64_t, 3> grid = c_.scene.run.launch->grid;
    const int64_t mine = model::program_number(grid, c_.scene.program);
    const bool listed = std::any_of(ranges.begin(), ranges.end(), [mine](const model::ProgramRange& p) { return p.program == mine; });
    if (!listed && has_part_) ranges.push_back({mine, static_cast<int64_t>(part_from_), static_cast<int64_t>(part_to_)});
    for (model::ProgramRange& p : ranges) {
      const bool current = p.program == mine;
      if (current && has_part_) p.first = static_cast<int64_t>(part_from_), p.end = static_cast<int64_t>(part_to_);
      const float a = x(names, static_cast<double>(p.first), low_, high_), b = x(names, static_cast<double>(p.end), low_, high_);
      if (a > names.x + 1) ui_.fill({std::round(a), names.y + ui_.px(3), 1, bottom - names.y - ui_.px(3)}, t_.text3);
      const std::string number = model::program_name(grid, model::program_index(grid, p.program));
      const std::string name = say(c_, Text::MemoryProgram, {number});
      const float for_range = b - a - ui_.px(18) - ui_.width(name, TextSize::Caption);
      const std::string range = current ? range_now(p, for_range) : std::to_string(p.first) + ".." + std::to_string(p.end - 1);
      const ImU32 ink = current ? t_.text1 : t_.text2;
      const float y = names.y + ui_.px(2), room = b - a - ui_.px(12);
      const float wide = ui_.width(name, TextSize::Caption), wr = ui_.width(range, TextSize::Caption, true);
      if (room >= wide + wr + ui_.px(6)) {
        ui_.text({a + ui_.px(6), y}, name, TextSize::Caption, ink);
        ui_.text({b - ui_.px(6), y}, range, TextSize::Caption, ink, true, Align::Right);
      } else if (room >= wide) {
        ui_.text({a + ui_.px(6), y}, name, TextSize::Caption, ink);
      } else if (room + ui_.px(8) >= ui_.width(number, TextSize::Caption, true)) {
        ui_.text({(a + b) / 2, y}, number, TextSize::Caption, ink, true, Align::Centre);
      } else if (current) {
        centred_label(ui_, names, a, b, y, name, ink, false);
      }
    }
  }

  void middle(const Rect& wedge, Rect r, float row) {
    const Rect axis_row = r.take_top(ui_.px(20));
    const Rect lines = without_labels({r.x, r.y, r.w, row * static_cast<float>(tensors_.size())});
    const std::array<int64_t, 3> grid = c_.scene.run.launch->grid;
    if (has_part_) ui_.text_in({axis_row.x, axis_row.y, labels_ - ui_.px(8), axis_row.h}, say(c_, Text::MemoryProgram, {model::program_name(grid, c_.scene.program)}), TextSize::Caption, t_.text2);
    const Hit hit = ui_.hit("memory.lines", lines);
    zoom_line(hit, lines, zoom_, low_, high_, ui_.px(56));
    draw_wedge(ui_, part_box_.x, part_box_.right(), part_box_.bottom() + ui_.px(2), lines.x, lines.right(), wedge.bottom());
    axis(without_labels(axis_row));
    for (size_t i = 0; i < tensors_.size(); ++i) {
      const Rect cells{lines.x, lines.y + row * static_cast<float>(i) + ui_.px(3), lines.w, row - ui_.px(9)};
      const std::vector<MemoryAccess>& accesses = tensors_[i]->accesses(c_.scene, {});
      name(i, {r.x, cells.y, labels_ - ui_.px(8), cells.h}, !accesses.empty());
      draw_line_cells(c_, *tensors_[i], painters_[i], "memory.part." + tensors_[i]->now->name, cells, zoom_.from, zoom_.to, {pointers(accesses), true, 0, 0, 3});
      if (accesses.empty() && parts_[i]) quiet(i, cells);
      blank(i, cells);
      hover_line(c_, *tensors_[i], hit.mouse.y >= cells.y && hit.mouse.y < cells.bottom() ? hit : Hit{}, cells, zoom_.from, zoom_.to);
    }
    middle_ = lines;
  }

  void name(size_t i, const Rect& r, bool current) {
    ui_.text_in(r, tensors_[i]->now->name, TextSize::Code, current ? t_.text1 : t_.text2, true);
  }

  // A vector that this line does not touch: where the program's nearest access is, thin.
  void quiet(size_t i, const Rect& cells) {
    const Part& p = *parts_[i];
    beyond(p, cells, zoom_.from, zoom_.to);
    const float a = std::max(x(cells, static_cast<double>(p.on_from), zoom_.from, zoom_.to), cells.x), b = std::min(x(cells, static_cast<double>(p.on_to), zoom_.from, zoom_.to), cells.right());
    if (b > a) ui_.outline(Rect{a, cells.y, b - a, cells.h}.inset(-ui_.px(1)), p.summary->writes ? t_.store : t_.load, ui_.px(1));
  }

  void blank(size_t i, const Rect& cells) {
    const Tensor& t = *tensors_[i]->tensor;
    if (!t.uninitialised || !parts_[i] || painters_[i].counts()) return;
    const double a = std::max(zoom_.from, static_cast<double>(parts_[i]->on_from)), b = std::min(zoom_.to, static_cast<double>(parts_[i]->on_to));
    for (const double e : {a, (a + b) / 2, b - 1}) {
      const int64_t offset = static_cast<int64_t>(e);
      if (!tensors_[i]->map.holds(offset) || !tensors_[i]->never(t, t.origin + offset)) return;
    }
    const std::string_view text = ui_.t(Text::MemoryNotWritten);
    const float w = ui_.width(text, TextSize::Caption) + ui_.px(12), x0 = x(cells, a, zoom_.from, zoom_.to), x1 = x(cells, b, zoom_.from, zoom_.to);
    if (x1 - x0 < w) return;
    const Rect label{(x0 + x1 - w) / 2, cells.y + (cells.h - ui_.px(18)) / 2, w, ui_.px(18)};
    ui_.fill(label, t_.panel);
    ui_.text_in(label, text, TextSize::Caption, t_.text2, false, Align::Centre);
  }

  // Round numbers along the part, its ends, and the end of the tensor.
  void axis(const Rect& r) {
    const double span = zoom_.to - zoom_.from;
    const float wide = ui_.width(std::to_string(static_cast<int64_t>(high_)), TextSize::Caption, true);
    const double wanted = span * (wide + ui_.px(40)) / std::max(r.w, 1.0f);
    double step = std::pow(10, std::floor(std::log10(std::max(wanted, 1.0))));
    for (const double f : {1.0, 2.0, 4.0, 5.0, 10.0})
      if (step * f >= wanted) {
        step *= f;
        break;
      }
    std::vector<std::pair<float, float>> taken;
    const auto mark = [&](double e, Align align, ImU32 ink) {
      const float at = x(r, e, zoom_.from, zoom_.to);
      const std::string text = model::typographic(std::to_string(static_cast<int64_t>(e)));
      const float w = ui_.width(text, TextSize::Caption, true);
      const float left = align == Align::Left ? at : align == Align::Right ? at - w : at - w / 2;
      if (left < r.x - 1 || left + w > r.right() + 1) return;
      for (const auto& [a, b] : taken)
        if (left < b + ui_.px(8) && left + w > a - ui_.px(8)) return;
      taken.emplace_back(left, left + w);
      ui_.text({left, r.y + ui_.px(1)}, text, TextSize::Caption, ink, true);
      if (align == Align::Centre) ui_.fill({std::round(at), r.bottom() - ui_.px(3), 1, ui_.px(3)}, t_.text3);
    };
    if (size_end_ > zoom_.from && size_end_ < zoom_.to) mark(size_end_, Align::Centre, t_.text1);
    mark(std::ceil(zoom_.from), Align::Left, t_.text1);
    // The last place's number stands at the right end.
    const double last = std::ceil(zoom_.to) - 1;
    const std::string text = model::typographic(std::to_string(static_cast<int64_t>(last)));
    const float w = ui_.width(text, TextSize::Caption, true);
    if (taken.empty() || taken.front().second < r.right() - w - ui_.px(8) || taken.size() > 1) {
      bool free = true;
      for (const auto& [a, b] : taken) free = free && !(r.right() - w < b + ui_.px(8));
      if (free) {
        ui_.text({r.right(), r.y + ui_.px(1)}, text, TextSize::Caption, t_.text1, true, Align::Right);
        taken.emplace_back(r.right() - w, r.right());
      }
    }
    for (double e = std::ceil(zoom_.from / step) * step; e < zoom_.to; e += step) mark(e, Align::Centre, t_.text2);
  }

  // "232 lanes on", "24 masked off" under the part.
  void brackets(Rect r) {
    const Part* p = nullptr;
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (!parts_[i]) continue;
      if (p == nullptr || !tensors_[i]->accesses(c_.scene, {}).empty()) p = &*parts_[i];
      if (!tensors_[i]->accesses(c_.scene, {}).empty()) break;
    }
    if (p == nullptr) return;
    r.take_top(ui_.px(2));
    const auto bracket = [&](double from, double to, const std::string& text, ImU32 ink) {
      const float a = std::max(x(r, from, zoom_.from, zoom_.to), r.x), b = std::min(x(r, to, zoom_.from, zoom_.to), r.right());
      if (b - a < 2) return;
      ui_.line({a + 0.5f, r.y}, {a + 0.5f, r.y + ui_.px(5)}, t_.text3);
      ui_.line({b - 0.5f, r.y}, {b - 0.5f, r.y + ui_.px(5)}, t_.text3);
      ui_.line({a, r.y + ui_.px(5)}, {b, r.y + ui_.px(5)}, t_.text3);
      // Over the lines that lead to the single elements.
      const float w = ui_.width(text, TextSize::Caption), x0 = std::clamp((a + b - w) / 2, r.x, std::max(r.x, r.right() - w));
      ui_.fill({x0 - ui_.px(2), r.y + ui_.px(7), w + ui_.px(4), ui_.px(18)}, t_.panel);
      centred_label(ui_, {std::max(taken_to_, r.x), r.y, r.right() - std::max(taken_to_, r.x), r.h}, a, b, r.y + ui_.px(8), text, ink, false);
      taken_to_ = std::max(taken_to_, (a + b) / 2 + ui_.width(text, TextSize::Caption) / 2 + ui_.px(10));
    };
    taken_to_ = 0;
    const AccessSummary& s = *p->summary;
    const Text off = s.out_of_bounds > 0 ? Text::MemoryLanesOut : Text::MemoryLanesOff;
    const uint64_t lanes = s.out_of_bounds > 0 ? s.out_of_bounds : s.masked;
    const ImU32 ink = s.out_of_bounds > 0 ? t_.fault_text : t_.text1;
    const model::OutsideLanes out = model::outside_lanes(p->from, p->to, p->on_from, p->on_to, lanes);
    if (out.before > 0) bracket(static_cast<double>(p->from), static_cast<double>(p->on_from), say(c_, off, {std::to_string(out.before)}), ink);
    const uint64_t inside = s.on - std::min(s.on, s.out_of_bounds);
    if (inside > 0) bracket(static_cast<double>(p->on_from), static_cast<double>(p->on_to), lanes_on_text(c_, inside), t_.text1);
    if (out.after > 0) bracket(std::max(static_cast<double>(p->on_to), static_cast<double>(p->from)), static_cast<double>(p->to), say(c_, off, {std::to_string(out.after)}), ink);
    if (s.duplicates > 0)
      ui_.text({r.x, r.y + ui_.px(26)}, say(c_, Text::MemoryDuplicates, {std::to_string(s.duplicates)}), TextSize::Caption, t_.text2);
  }

  // Single elements with their numbers: around what is hovered, else around the edge of what the mask lets through.
  void closer(const Rect& wedge, Rect r) {
    const Rect lane_row = r.take_top(ui_.px(22)), element_row = r.take_top(ui_.px(24));
    const Rect cells = without_labels({r.x, r.y, r.w, r.h});
    const float widest = ui_.width(std::to_string(static_cast<int64_t>(high_)), TextSize::Caption, true) + ui_.px(10);
    const double count = std::max(1.0, static_cast<double>(std::floor(cells.w / std::max(ui_.px(46), widest))));
    const Rect area{cells.x, lane_row.y, cells.w, r.bottom() - lane_row.y};
    static double held_from = 0;
    const Part* p = nullptr;
    for (const std::optional<Part>& part : parts_)
      if (part && p == nullptr) p = &*part;
    double centre = part_from_ + count / 2;
    if (p != nullptr && p->on_to < p->to) centre = static_cast<double>(p->on_to);
    if (p != nullptr && p->on_from > p->from) centre = static_cast<double>(p->on_from);
    std::optional<double> hovered;
    for (const MemoryTensor* m : tensors_)
      if (const std::optional<FailedElement> f = failed_element(c_, *m)) hovered = static_cast<double>(f->offset);
    for (const MemoryTensor* m : tensors_)
      for (const int64_t o : hovered_offsets(c_, *m)) hovered = static_cast<double>(o);
    double from = std::floor((hovered ? *hovered : centre) - std::floor(count / 2));
    from = std::clamp(from, low_, std::max(low_, high_ - count));
    if (area.contains(ImGui::GetIO().MousePos)) from = held_from;  // the elements stand still while the mouse is on them
    held_from = from;
    const double to = from + count;

    // Where they are in the part above.
    const float a = x(middle_, from, zoom_.from, zoom_.to), b = x(middle_, to, zoom_.from, zoom_.to);
    if (b > middle_.x && a < middle_.right()) {
      const Rect box{std::max(a, middle_.x - ui_.px(3)), middle_.y - ui_.px(2), std::min(b, middle_.right() + ui_.px(3)) - std::max(a, middle_.x - ui_.px(3)), middle_.h + ui_.px(2)};
      ui_.outline(box, t_.text1, ui_.px(2));
      ui_.line({box.x, box.bottom()}, {cells.x, wedge.bottom()}, with_alpha(t_.text1, 0.35f));
      ui_.line({box.right(), box.bottom()}, {cells.right(), wedge.bottom()}, with_alpha(t_.text1, 0.35f));
    }
    ui_.text_in({lane_row.x, lane_row.y, labels_ - ui_.px(8), lane_row.h}, ui_.t(Text::MemoryLane), TextSize::Caption, t_.text2);
    ui_.text_in({element_row.x, element_row.y, labels_ - ui_.px(8), element_row.h}, ui_.t(Text::MemoryElement), TextSize::Caption, t_.text2);
    const float step = cells.w / static_cast<float>(count);
    // The lanes of this line's access, else of the nearest one.
    const MemoryAccess* shown = nullptr;
    for (const MemoryTensor* m : tensors_)
      if (const std::vector<MemoryAccess>& now = m->accesses(c_.scene, {}); shown == nullptr && !now.empty()) shown = &now.front();
    for (const MemoryTensor* m : tensors_)
      if (shown == nullptr) shown = m->nearest(c_.scene, {});
    for (double e = from; e < to; ++e) {
      const Rect cell{cells.x + static_cast<float>(e - from) * step, element_row.y, step, element_row.h};
      const bool inside = e < size_end_ && e >= static_cast<double>(first().map.lowest());
      ui_.text_in(cell, model::typographic(std::to_string(static_cast<int64_t>(e))), TextSize::Caption, inside ? t_.text1 : t_.text3, true, Align::Centre);
      if (shown == nullptr) continue;
      const std::vector<int64_t> lanes = shown->lanes.lanes_at(static_cast<int64_t>(e), 2);
      if (!lanes.empty())
        ui_.text_in({cell.x, lane_row.y, cell.w, lane_row.h}, std::to_string(lanes[0]) + (lanes.size() > 1 ? "…" : ""), TextSize::Caption, t_.text2, true, Align::Centre);
    }
    const float row = close_row_;
    const Hit hit = ui_.hit("memory.elements", {cells.x, cells.y, cells.w, row * static_cast<float>(tensors_.size())});
    for (size_t i = 0; i < tensors_.size(); ++i) {
      const Rect line{cells.x, cells.y + row * static_cast<float>(i) + ui_.px(3), cells.w, row - ui_.px(8)};
      const std::vector<MemoryAccess>& accesses = tensors_[i]->accesses(c_.scene, {});
      name(i, {r.x, line.y, labels_ - ui_.px(8), line.h}, !accesses.empty());
      draw_line_cells(c_, *tensors_[i], painters_[i], "memory.close." + tensors_[i]->now->name, line, from, to, {pointers(accesses), true, 0, 0, 3});
      if (accesses.empty() && parts_[i]) beyond(*parts_[i], line, from, to);
      for (double e = from + 1; e < to; ++e) ui_.fill({std::round(x(line, e, from, to)), line.y, 1, line.h}, t_.panel);
      hover_line(c_, *tensors_[i], hit.mouse.y >= line.y && hit.mouse.y < line.bottom() ? hit : Hit{}, line, from, to);
    }
    if (size_end_ > from && size_end_ < to) {
      const float at = std::round(x(cells, size_end_, from, to));
      ui_.fill({at - ui_.px(1), element_row.y, ui_.px(2), element_row.h + row * static_cast<float>(tensors_.size())}, t_.text1);
    }
  }

  PanelContext& c_;
  Ui& ui_;
  const Theme& t_;
  const std::vector<const MemoryTensor*>& tensors_;
  LineZoom& zoom_;
  Rect r_;
  std::vector<CellPainter> painters_;
  std::vector<std::optional<Part>> parts_;
  float labels_ = 0, taken_to_ = 0, foot_ = 0, close_row_ = 0;
  double low_ = 0, high_ = 1, size_end_ = 1, part_from_ = 0, part_to_ = 1;
  bool has_part_ = false;
  Rect part_box_, middle_;
};

}  // namespace

void draw_memory_vectors(PanelContext& c, const std::vector<const MemoryTensor*>& tensors, MemoryColour mode, LineZoom& zoom, Rect r) {
  if (tensors.empty() || r.h < c.ui.px(100) || r.w < c.ui.px(160)) return;
  Vectors(c, tensors, mode, zoom, r).draw();
}

}  // namespace tilescope::window
