#include "visualizer/window/ui.h"

#include <algorithm>
#include <cmath>

#include "visualizer/model/text_wrap.h"

namespace tilescope::window {

Rect Rect::take_top(float height) {
  const Rect out{x, y, w, std::min(height, h)};
  y += out.h;
  h -= out.h;
  return out;
}
Rect Rect::take_bottom(float height) {
  height = std::min(height, h);
  h -= height;
  return {x, y + h, w, height};
}
Rect Rect::take_left(float width) {
  const Rect out{x, y, std::min(width, w), h};
  x += out.w;
  w -= out.w;
  return out;
}
Rect Rect::take_right(float width) {
  width = std::min(width, w);
  w -= width;
  return {x + w, y, width, h};
}

void Ui::begin(model::ThemeChoice theme, model::Language language, float scale, ImVec2 size) {
  theme_ = &theme_of(theme);
  language_ = language;
  scale_ = scale;
  size_ = size;
  draw_ = ImGui::GetBackgroundDrawList();
  top_ = ImGui::GetForegroundDrawList();
  clips_.clear();
  places_.clear();
  tooltip_.clear();
  hovered_.clear();
  if (!ImGui::GetIO().MouseDown[0] && !ImGui::IsMouseReleased(0)) held_.clear();
}

float Ui::px(float length) const { return std::round(length * scale_); }

void Ui::clip(const Rect& r) {
  draw_->PushClipRect(r.min(), r.max(), true);
  Rect cut = r;
  if (!clips_.empty()) {
    const Rect& c = clips_.back();
    const float x0 = std::max(r.x, c.x), y0 = std::max(r.y, c.y), x1 = std::min(r.right(), c.right()), y1 = std::min(r.bottom(), c.bottom());
    cut = {x0, y0, std::max(0.0f, x1 - x0), std::max(0.0f, y1 - y0)};
  }
  clips_.push_back(cut);
}

void Ui::unclip() {
  draw_->PopClipRect();
  clips_.pop_back();
}

// ---- places

void Ui::place(std::string_view name, const Rect& r) { places_.insert_or_assign(std::string(name), r); }

Hit Ui::hit(std::string_view name, const Rect& r) {
  place(name, r);
  const ImGuiIO& io = ImGui::GetIO();
  Hit h;
  h.mouse = io.MousePos;
  const bool inside = r.contains(io.MousePos) && (clips_.empty() || clips_.back().contains(io.MousePos));
  if (inside) hovered_ = name;
  // The topmost place is known at the end of a frame, so the one of the last frame counts.
  const bool mine = held_.empty() ? inside && last_hovered_ == name : held_ == name;
  h.hovered = mine && inside;
  if (h.hovered && held_.empty() && ImGui::IsMouseClicked(0)) {
    held_ = name;
    h.clicked = true;
    h.double_clicked = ImGui::IsMouseDoubleClicked(0);
  }
  if (held_ == name) {
    h.held = io.MouseDown[0];
    h.released = ImGui::IsMouseReleased(0);
    if (h.held && !h.clicked) h.drag = io.MouseDelta;
  }
  if (h.hovered) h.wheel = io.MouseWheel;
  return h;
}

void Ui::tooltip(std::string_view text) { tooltip_ = text; }

void Ui::end() {
  last_hovered_ = hovered_;
  last_places_ = places_;
  if (tooltip_.empty()) return;
  std::vector<std::string_view> lines;
  for (std::string_view rest = tooltip_; !rest.empty();) {
    const size_t cut = std::min(rest.find('\n'), rest.size());
    lines.push_back(rest.substr(0, cut));
    rest.remove_prefix(std::min(cut + 1, rest.size()));
  }
  const float line = px(20), margin = px(10);
  float widest = 0;
  for (std::string_view l : lines) widest = std::max(widest, width(l, TextSize::Code));
  Rect r{ImGui::GetIO().MousePos.x + px(16), ImGui::GetIO().MousePos.y + px(16), widest + 2 * margin,
         line * static_cast<float>(lines.size()) + 2 * px(6)};
  if (r.right() > size_.x - px(4)) r.x = std::max(px(4), size_.x - px(4) - r.w);
  if (r.bottom() > size_.y - px(4)) r.y = std::max(px(4), ImGui::GetIO().MousePos.y - px(8) - r.h);
  std::swap(draw_, top_);
  fill(r, theme_->raised, px(4));
  outline(r, theme_->text3, 1, px(4));
  float y = r.y + px(6);
  for (std::string_view l : lines) {
    text({r.x + margin, y + (line - line_height(TextSize::Code)) / 2}, l, TextSize::Code, theme_->text1);
    y += line;
  }
  std::swap(draw_, top_);
}

// ---- text

float Ui::width(std::string_view s, TextSize size, bool code) {
  ImFont* f = font(size, code);
  return std::ceil(f->CalcTextSizeA(f->FontSize, FLT_MAX, 0, s.data(), s.data() + s.size()).x);
}

float Ui::line_height(TextSize size) const { return font(size, false)->FontSize; }

float Ui::baseline(TextSize size, bool code) const { return std::round(font(size, code)->Ascent); }

float Ui::code_advance(TextSize size) { return font(size, true)->GetCharAdvance('0'); }

float Ui::text(ImVec2 at, std::string_view s, TextSize size, ImU32 colour, bool code, Align align) {
  ImFont* f = font(size, code);
  const float w = width(s, size, code);
  if (align == Align::Centre) at.x -= w / 2;
  if (align == Align::Right) at.x -= w;
  draw_->AddText(f, f->FontSize, {std::round(at.x), std::round(at.y)}, colour, s.data(), s.data() + s.size());
  return w;
}

void Ui::text_in(const Rect& r, std::string_view s, TextSize size, ImU32 colour, bool code, Align align) {
  const float y = r.y + (r.h - font(size, code)->FontSize) / 2;
  const float w = width(s, size, code);
  if (w <= r.w) {
    const float x = align == Align::Left ? r.x : align == Align::Centre ? r.x + (r.w - w) / 2 : r.right() - w;
    text({x, y}, s, size, colour, code);
    return;
  }
  place("cut." + std::string(s), r);
  const float dots = width("…", size, code);
  if (r.w < dots) return;  // not even that has room
  size_t end = 0;
  float used = 0;
  while (end < s.size()) {
    const size_t n = model::character_bytes(s, end);
    const float step = width(s.substr(end, n), size, code);
    if (used + step + dots > r.w) break;
    used += step;
    end += n;
  }
  std::string cut(s.substr(0, end));
  cut += "…";
  text({r.x, y}, cut, size, colour, code);
  if (r.contains(ImGui::GetIO().MousePos)) tooltip(s);
}

namespace {

/// Characters that must not start a line.
bool closes(std::string_view c) {
  constexpr std::string_view kClosing = "，。；：！？、）》」』”’…％,.;:!?)%";
  return kClosing.find(c) != std::string_view::npos;
}

}  // namespace

float Ui::paragraph(const Rect& r, std::string_view s, TextSize size, ImU32 colour, float line) {
  ImFont* f = font(size, false);
  if (line == 0) line = std::round(f->FontSize * 1.5f);
  float y = r.y;
  const auto put = [&](std::string_view row) {
    text({r.x, y + (line - f->FontSize) / 2}, row, size, colour);
    y += line;
  };
  size_t start = 0, last_break = 0;
  float used = 0;
  for (size_t i = 0; i < s.size();) {
    const size_t n = model::character_bytes(s, i);
    const std::string_view c = s.substr(i, n);
    if (c == "\n") {
      put(s.substr(start, i - start));
      start = last_break = i + 1;
      used = 0;
      i += n;
      continue;
    }
    // A line may break before a word or a Chinese character.
    const bool wide = n >= 3;
    if (i > start && ((s[i - 1] == ' ' && c != " ") || (wide && !closes(c)))) last_break = i;
    const float step = width(c, size);
    if (used + step > r.w && i > start) {
      size_t cut = last_break > start ? last_break : i;
      std::string_view row = s.substr(start, cut - start);
      while (!row.empty() && row.back() == ' ') row.remove_suffix(1);
      put(row);
      start = last_break = cut;
      used = width(s.substr(start, i - start), size);
    }
    used += step;
    i += n;
  }
  if (start < s.size()) put(s.substr(start));
  return y - r.y;
}

}  // namespace tilescope::window
