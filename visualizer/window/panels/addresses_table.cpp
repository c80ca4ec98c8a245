// The picture of one access's addresses: terms, table, dots for what is left out.
#include "visualizer/window/panels/addresses_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "visualizer/model/provenance.h"
#include "visualizer/window/panels/tile_cells.h"

namespace tilescope::window {
namespace {

using model::AddressTable;
using model::AddressTerm;
using Kind = model::AddressTable::Kind;

template <class... Args>
std::string filled(const Ui& ui, Text id, Args&&... args) {
  return fmt::format(fmt::runtime(ui.t(id)), args...);
}

std::string number(int64_t x) { return model::typographic(std::to_string(x)); }

/// Which indices of an axis are shown: the first ones, those on both sides of `border` (where lanes go off; -1: nowhere),
/// and the last. -1 stands for what is left out between.
struct Shown {
  std::vector<int64_t> at;
  Shown(int64_t n, size_t room, int64_t border) {
    room = std::max<size_t>(room, 3);
    if (static_cast<size_t>(n) <= room) {
      for (int64_t i = 0; i < n; ++i) at.push_back(i);
      return;
    }
    const auto first = static_cast<int64_t>(room) - 2;
    if (border < first || border >= n - 1 || room < 6) {
      add(0, first);
      at.push_back(-1);
    } else {
      add(0, first - 3);
      at.push_back(-1);
      add(border - 1, border + 1);
      if (border + 1 < n - 1) at.push_back(-1);
    }
    at.push_back(n - 1);
  }

 private:
  void add(int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) at.push_back(i);
  }
};

/// The panel drawn for one table.
class AddressDrawer {
 public:
  AddressDrawer(PanelContext& c, const AddressTable& t, const model::ProgramValues& values, float progress)
      : c_(c), ui_(c.ui), theme_(c.ui.theme()), t_(t), values_(values), progress_(progress) {
    tensor_ = t.tensor >= 0 && static_cast<size_t>(t.tensor) < c.scene.tensors.size() ? c.scene.tensors[static_cast<size_t>(t.tensor)].name : std::string();
    int64_t largest = 9;
    for (const int64_t x : t.total) largest = std::max(largest, x < 0 ? -(x + 1) * 10 : x);
    for (const AddressTerm& a : t.terms)
      for (const int64_t x : a.values) largest = std::max(largest, x < 0 ? -(x + 1) * 10 : x);
    cell_w_ = std::max(ui_.px(54), ui_.code_advance(TextSize::Code) * static_cast<float>(std::to_string(largest).size()) + ui_.px(16));
  }

  void draw(Rect r) {
    draw_expression(r);
    switch (t_.kind) {
      case Kind::Sum: draw_sum(r); break;
      case Kind::Line: draw_line(r); break;
      case Kind::Scalar: draw_scalar(r); break;
      default: draw_gather(r);
    }
  }

 private:
  float cell_h() const { return ui_.px(26); }

  void draw_expression(Rect& r) {
    Rect row = r.take_top(ui_.px(26));
    ui_.text_in(row, t_.expression, TextSize::Body, theme_.text1, true);
    const std::string unit = t_.base.empty() ? std::string() : filled(ui_, Text::AddressesElements, t_.base);
    Rect note = r.take_top(ui_.px(22));
    const Text how = t_.kind == Kind::Sum ? Text::AddressesSum : t_.kind == Kind::Line ? Text::AddressesLine : t_.kind == Kind::Scalar ? Text::AddressesOnTwoRows : t_.shape.rank > 2 ? Text::AddressesManyAxes : t_.separable ? Text::AddressesNotApart : Text::AddressesGather;
    std::string text(ui_.t(how));
    if (!unit.empty()) text += (ui_.language() == model::Language::Chinese ? "；" : ", ") + unit;
    ui_.text_in(note, text, TextSize::Caption, theme_.text3);
    r.take_top(ui_.px(8));
  }

  std::vector<const AddressTerm*> terms_along(int axis) const {
    std::vector<const AddressTerm*> out;
    for (const AddressTerm& a : t_.terms)
      if (a.axis == axis) out.push_back(&a);
    return out;
  }

  bool is_masked(int64_t lane) const {
    return static_cast<size_t>(lane) < t_.states.size() && t_.states[static_cast<size_t>(lane)] == LaneState::Masked;
  }

  /// A number of a term: raised ground, with the hover's outline when its row or column is hovered.
  void term_cell(const Rect& r, int64_t value, bool lit, ImU32 ground) {
    const Rect inside{r.x, r.y, r.w - 2, r.h - 2};
    ui_.fill(inside, ground);
    if (lit) ui_.outline(inside, theme_.text2, 1);
    ui_.text_in({inside.x, inside.y, inside.w - ui_.px(6), inside.h}, number(value), TextSize::Code, theme_.text1, true, Align::Right);
  }

  /// Three dots for what is left out: downwards, across, or both.
  void gap_cell(const Rect& r, bool down, bool across) {
    const float step = ui_.px(5), size = ui_.px(2), x = r.x + r.w / 2, y = r.y + r.h / 2;
    for (int i = -1; i <= 1; ++i)
      ui_.fill({std::round(x + (across ? step * static_cast<float>(i) : 0)), std::round(y + (down ? step * static_cast<float>(i) : 0)), size, size}, theme_.text3);
  }

  /// The first lane along `axis` that is off, in line with lane 0; -1: none.
  int64_t border(int axis) const {
    const int64_t n = t_.shape[axis], stride = axis == t_.shape.rank - 1 ? 1 : t_.shape[t_.shape.rank - 1];
    for (int64_t i = 1; i < n; ++i)
      if (is_masked(i * stride) != is_masked(0)) return i;
    return -1;
  }

  std::string lane_words(int64_t lane) const {
    const std::vector<int64_t> index = model::index_of_lane(t_.shape, lane);
    std::string out;
    const int64_t columns = t_.row.empty() ? 1 : static_cast<int64_t>(t_.row.size());
    const std::string offset = number(t_.total[static_cast<size_t>(lane)]);
    std::string sum;
    if (!t_.column.empty()) sum = number(t_.column[static_cast<size_t>(lane / columns)]);
    if (!t_.row.empty()) sum += (sum.empty() ? "" : " + ") + number(t_.row[static_cast<size_t>(lane % columns)]);
    if (t_.scalar != 0 && !sum.empty()) sum = number(t_.scalar) + " + " + sum;
    out = model::index_text(index) + "  " + (sum.empty() ? offset : sum + " = " + offset);
    if (t_.tensor >= 0) {
      const model::TensorPlace p = values_.place(t_.tensor, t_.total[static_cast<size_t>(lane)]);
      out += "\n" + values_.place_text(p);
      if (is_masked(lane)) out += "  " + std::string(ui_.t(Text::AddressesMasked));
      else if (!p.inside) out += "  " + std::string(ui_.t(Text::AddressesOutside));
    }
    return out;
  }

  /// Variable of the access, for hover: what is loaded into or stored from.
  model::Element element(int64_t lane) const {
    const model::TensorPlace p = t_.tensor >= 0 ? values_.place(t_.tensor, t_.total[static_cast<size_t>(lane)]) : model::TensorPlace{};
    if (p.inside && !is_masked(lane)) return {model::Element::Of::Tensor, tensor_, p.index};
    if (!t_.variable.empty()) return {model::Element::Of::Variable, t_.variable, model::index_of_lane(t_.shape, lane)};
    return {};
  }

  bool lit(int64_t lane) const {
    const model::Element& h = c_.hover;
    if (!h) return false;
    if (h.of == model::Element::Of::Variable && h.name == t_.variable) return h.index == model::index_of_lane(t_.shape, lane);
    if (h.of != model::Element::Of::Tensor || h.name != tensor_ || tensor_.empty() || is_masked(lane)) return false;
    const Tensor* tensor = c_.scene.tensors[static_cast<size_t>(t_.tensor)].tensor;
    return tensor != nullptr && h.index.size() == tensor->layout.shape.size() && tensor->layout.offset_of(h.index) == t_.total[static_cast<size_t>(lane)];
  }

  void total_cell(const Rect& r, int64_t lane, float alpha, bool with_element) {
    const Rect inside{r.x, r.y, r.w - 2, r.h - 2};
    const bool off = is_masked(lane);
    const int64_t offset = t_.total[static_cast<size_t>(lane)];
    const model::TensorPlace p = t_.tensor >= 0 ? values_.place(t_.tensor, offset) : model::TensorPlace{};
    const bool outside = t_.tensor >= 0 && !p.inside && !off && !t_.states.empty();
    if (off) ui_.hatch(inside, theme_.hatch);
    else ui_.fill(inside, outside ? mix(theme_.panel, theme_.fault, 0.15f) : with_alpha(mix(theme_.panel, accent(), 0.28f), alpha));
    if (off) ui_.outline(inside, theme_.line);
    if (outside) ui_.outline(inside, theme_.fault, 2);
    const ImU32 ink = with_alpha(off ? theme_.text2 : theme_.text1, alpha);
    Rect upper{inside.x + ui_.px(4), inside.y, inside.w - ui_.px(10), with_element ? inside.h * 0.54f : inside.h};
    if (off && alpha > 0.5f) plate_text(ui_, upper, number(offset), TextSize::Code, ink, true, Align::Right);
    else if (!off) ui_.text_in(upper, number(offset), TextSize::Code, ink, true, Align::Right);
    if (with_element) {
      const std::string name = p.inside ? model::index_text(p.index) : std::string("\u2013");
      const Rect lower{upper.x, upper.y + inside.h * 0.48f, upper.w, inside.h * 0.5f};
      if (off) plate_text(ui_, lower, name, TextSize::Caption, with_alpha(theme_.text3, alpha), true, Align::Right);
      else ui_.text_in(lower, name, TextSize::Caption, with_alpha(theme_.text2, alpha), true, Align::Right);
    }
    const Hit h = ui_.hit(fmt::format("addresses.cell.{}", lane), inside);
    if (h.hovered) {
      hovered_ = lane;
      c_.state.hover = element(lane);
      ui_.tooltip(lane_words(lane));
    }
    if (h.hovered || lit(lane)) light(ui_, inside);
  }

  ImU32 accent() const {
    if (t_.access == nullptr) return theme_.text3;
    return t_.access->code == OpCode::Store ? theme_.store : t_.access->code == OpCode::Load ? theme_.load : theme_.reduce;
  }

  /// How many lanes each hovered row or column is: the last frame's, so that terms can light up too.
  int64_t lane_of_last_hover() const {
    for (size_t i = 0; i < t_.total.size() && i < 4096; ++i)
      if (lit(static_cast<int64_t>(i))) return static_cast<int64_t>(i);
    return -1;
  }

  std::string scalar_text() const {
    std::string out;
    for (const AddressTerm* a : terms_along(-1)) {
      if (a->values[0] == 0) continue;
      out += (out.empty() ? "" : "  +  ") + a->text + " = ";
      if (!a->index.empty() && a->factor != 1) out += number(a->index[0]) + " \u00d7 " + number(a->factor) + " = ";
      out += number(a->values[0]);
    }
    return out;
  }

  /// Headline of a group of terms: the source's words.
  static std::string words(const std::vector<const AddressTerm*>& terms) {
    std::string out;
    for (const AddressTerm* a : terms) out += (out.empty() ? "" : " + ") + a->text;
    return out.empty() ? "0" : out;
  }

  // ---- two axes: column + row -> table

  void draw_sum(Rect r) {
    const std::vector<const AddressTerm*> down = terms_along(0), across = terms_along(1);
    const std::string scalars = scalar_text();
    if (!scalars.empty()) {
      Rect row = r.take_top(ui_.px(26));
      const float w = ui_.width("+ ", TextSize::Code, true);
      ui_.text_in(row.take_left(w), "+ ", TextSize::Code, theme_.text3, true);
      const float text = std::min(row.w, ui_.width(scalars, TextSize::Code, true) + ui_.px(12));
      ui_.text_in(row.take_left(text), scalars, TextSize::Code, theme_.text1, true);
      ui_.text_in(row, ui_.t(Text::AddressesSameEverywhere), TextSize::Caption, theme_.text3);
      r.take_top(ui_.px(4));
    }
    const bool factor_down = down.size() == 1 && !down[0]->index.empty() && down[0]->factor != 1;
    const bool factor_across = across.size() == 1 && !across[0]->index.empty() && across[0]->factor != 1;
    const float label = ui_.px(20), gap = ui_.px(22);
    const float index_w = ui_.px(44);
    const float column_w = cell_w_ + (factor_down ? cell_w_ + ui_.px(34) : 0);
    const float headline = std::min(r.w * 0.4f, ui_.width(words(down), TextSize::Code, true) + ui_.px(8));
    const float left = std::max(index_w + column_w, headline) + gap;
    const float top = label * 2 + cell_h() * (factor_across ? 2.2f : 1) + gap;
    const bool elements = t_.tensor >= 0 && r.h > ui_.px(360);
    const float h = elements ? ui_.px(40) : cell_h();
    const float table_cell = std::max(cell_w_, elements ? ui_.code_advance(TextSize::Caption) * static_cast<float>(longest_index()) + ui_.px(14) : 0.0f);
    const Shown rows(t_.shape[0], static_cast<size_t>(std::max(3.0f, std::min(10.0f, (r.h - top - ui_.px(26)) / h))), border(0));
    const Shown columns(t_.shape[1], static_cast<size_t>(std::max(3.0f, std::min(10.0f, (r.w - left - (factor_across ? ui_.px(120) : 0.0f)) / table_cell))), border(1));
    const Rect table{r.x + left, r.y + top, table_cell * static_cast<float>(columns.at.size()), h * static_cast<float>(rows.at.size())};
    const int64_t hover = lane_of_last_hover();
    const int64_t n = t_.shape[1];

    const float row_y = table.y - gap - cell_h();

    // The column, with its index and factor in front.
    const Rect column{table.x - gap - cell_w_, table.y, cell_w_, table.h};
    ui_.text_in({r.x, row_y, left - gap - ui_.px(4), cell_h()}, words(down), TextSize::Code, theme_.text1, true, Align::Right);
    if (factor_down) {
      ui_.text_in({column.x - cell_w_ - ui_.px(34), table.y - label, cell_w_ - ui_.px(8), label}, down[0]->index_name, TextSize::Caption, theme_.text3, true, Align::Right);
      // May reach over the table: nothing else stands between it and the row above.
      const std::string factor = "\u00d7 " + down[0]->factor_name + " = " + number(down[0]->factor);
      const float start = column.x - ui_.px(34), room = cell_w_ + ui_.px(26);
      const bool fits = ui_.width(factor, TextSize::Caption, true) <= room;
      ui_.text_in({start, table.y - label, fits ? room : r.right() - start, label}, factor, TextSize::Caption, theme_.text3, true, fits ? Align::Right : Align::Left);
    }
    for (size_t i = 0; i < rows.at.size(); ++i) {
      const float y = table.y + h * static_cast<float>(i);
      const Rect at{column.x, y, cell_w_, h};
      if (rows.at[i] < 0) {
        gap_cell(at, true, false);
        continue;
      }
      const auto row = static_cast<size_t>(rows.at[i]);
      ui_.text_in({column.x - (factor_down ? cell_w_ + ui_.px(34) : 0) - index_w, y, index_w - ui_.px(14), h - 2}, std::to_string(row), TextSize::Caption, theme_.text3, true, Align::Right);
      const bool on = hover >= 0 && hover / n == rows.at[i];
      if (factor_down) {
        term_cell({column.x - cell_w_ - ui_.px(34), y, cell_w_, h}, down[0]->index[row], on, theme_.raised);
        ui_.text_in({column.x - ui_.px(34), y, ui_.px(32), h - 2}, "\u2192", TextSize::Code, theme_.text3, true, Align::Centre);
      }
      term_cell(at, t_.column[row], on, theme_.raised);
    }
    // The row above.
    ui_.text_in({table.x, row_y - label * (factor_across ? 1 : 1) - (factor_across ? cell_h() * 1.2f : 0), std::max(table.w, r.right() - table.x), label}, words(across), TextSize::Code, theme_.text1, true);
    for (size_t j = 0; j < columns.at.size(); ++j) {
      const float x = table.x + table_cell * static_cast<float>(j);
      if (columns.at[j] < 0) {
        gap_cell({x, row_y, table_cell, cell_h()}, false, true);
        continue;
      }
      const auto k = static_cast<size_t>(columns.at[j]);
      const bool on = hover >= 0 && hover % n == columns.at[j];
      if (factor_across) term_cell({x, row_y - cell_h() * 1.2f, table_cell, cell_h()}, across[0]->index[k], on, theme_.raised);
      term_cell({x, row_y, table_cell, cell_h()}, t_.row[k], on, theme_.raised);
    }
    // Its index and factor stand behind it, where they are not in the way of the column's words.
    if (factor_across) {
      const float x = table.right() + ui_.px(4);
      ui_.text_in({x, row_y - cell_h() * 1.2f, r.right() - x, cell_h()}, across[0]->index_name, TextSize::Caption, theme_.text3, true);
      ui_.text_in({x, row_y, r.right() - x, cell_h()}, "\u00d7 " + across[0]->factor_name + " = " + number(across[0]->factor), TextSize::Caption, theme_.text3, true);
    }
    // Signs between: column + row = table.
    ui_.text_in({table.x - gap, row_y, gap, cell_h() - 2}, "+", TextSize::Question, theme_.text2, false, Align::Centre);
    draw_table_cells(table, rows, columns, n, table_cell, h, elements);
    draw_key({table.x, table.bottom() + ui_.px(4), r.right() - table.x, ui_.px(20)});
  }

  size_t longest_index() const {
    std::vector<int64_t> last = values_.launch().tensors[static_cast<size_t>(t_.tensor)].layout.shape;
    for (int64_t& n : last) --n;
    return std::max<size_t>(4, model::index_text(last).size());
  }

  // While it moves, the column slides to the right and the row down, until they lie over each other as the table.
  void draw_table_cells(const Rect& table, const Shown& rows, const Shown& columns, int64_t n, float w, float h, bool elements) {
    if (progress_ < 1) {
      const float slide_x = table.w * progress_, slide_y = table.h * progress_;
      ui_.fill({table.x, table.y, slide_x, table.h}, with_alpha(theme_.raised, 0.9f));
      ui_.fill({table.x, table.y, table.w, slide_y}, with_alpha(accent(), 0.25f));
    }
    for (size_t i = 0; i < rows.at.size(); ++i)
      for (size_t j = 0; j < columns.at.size(); ++j) {
        const Rect at{table.x + w * static_cast<float>(j), table.y + h * static_cast<float>(i), w, h};
        if (rows.at[i] < 0 || columns.at[j] < 0) {
          gap_cell(at, rows.at[i] < 0, columns.at[j] < 0);
          continue;
        }
        // A cell is there when both of its terms have arrived.
        const float reached = std::min(progress_ * static_cast<float>(columns.at.size()) - static_cast<float>(j), progress_ * static_cast<float>(rows.at.size()) - static_cast<float>(i));
        if (progress_ < 1 && reached <= 0) continue;
        total_cell(at, rows.at[i] * n + columns.at[j], progress_ < 1 ? std::clamp(reached, 0.0f, 1.0f) : 1, elements);
      }
  }

  void draw_key(Rect r) {
    const bool any = std::any_of(t_.states.begin(), t_.states.end(), [](LaneState s) { return s == LaneState::Masked; });
    if (!any || r.bottom() > bottom_) return;
    const Rect swatch{r.x, r.y + ui_.px(4), ui_.px(16), ui_.px(12)};
    ui_.hatch(swatch, theme_.hatch, 4);
    ui_.outline(swatch, theme_.hatch);
    ui_.text_in({r.x + ui_.px(22), r.y, r.w - ui_.px(22), r.h}, ui_.t(Text::AddressesMaskedKey), TextSize::Caption, theme_.text2);
  }

  // ---- one axis: start + index

  void draw_line(Rect r) {
    if (t_.tensor >= 0) cell_w_ = std::max(cell_w_, ui_.code_advance(TextSize::Caption) * static_cast<float>(longest_index()) + ui_.px(10));
    const float name = std::min(r.w * 0.36f, line_label_width());
    const Shown lanes(t_.shape[0], static_cast<size_t>(std::max(3.0f, std::min(16.0f, (r.w - name) / cell_w_))), border(0));
    const float h = cell_h(), x0 = r.x + name;
    const auto row = [&](const std::string& label, const std::string& note, bool strong) {
      Rect line = r.take_top(h + ui_.px(6));
      line.h = h;
      ui_.text_in({line.x, line.y, name - ui_.px(12), h - 2}, label, TextSize::Code, strong ? theme_.text1 : theme_.text2, true);
      if (!note.empty()) ui_.text_in({line.x, line.y, name - ui_.px(12), h - 2}, note, TextSize::Caption, theme_.text3, false, Align::Right);
      return line.y;
    };
    const int64_t hover = lane_of_last_hover();
    const auto cells = [&](float y, const std::function<int64_t(int64_t)>& value) {
      for (size_t j = 0; j < lanes.at.size(); ++j) {
        const Rect at{x0 + cell_w_ * static_cast<float>(j), y, cell_w_, h};
        if (lanes.at[j] < 0) gap_cell(at, false, true);
        else term_cell(at, value(lanes.at[j]), hover == lanes.at[j], theme_.raised);
      }
    };
    const float heads = row(std::string(ui_.t(Text::TileLane)), "", false);
    for (size_t j = 0; j < lanes.at.size(); ++j)
      if (lanes.at[j] >= 0) ui_.text_in({x0 + cell_w_ * static_cast<float>(j), heads, cell_w_ - ui_.px(8), h}, std::to_string(lanes.at[j]), TextSize::Caption, theme_.text3, true, Align::Right);
    bool first = true;
    const auto sign = [&](float y) {
      if (!first) ui_.text_in({x0 - ui_.px(16), y, ui_.px(14), h - 2}, "+", TextSize::Code, theme_.text2, true);
      first = false;
    };
    for (const AddressTerm* a : terms_along(-1)) {
      if (a->values[0] == 0 && t_.terms.size() > 1) continue;
      std::string text = a->text;
      if (!a->index.empty() && a->factor != 1) text += " = " + number(a->index[0]) + " \u00d7 " + number(a->factor);
      const float y = row(text, "", true);
      sign(y);
      // Broadcasting: one number becomes as many as there are lanes.
      for (size_t j = 0; j < lanes.at.size(); ++j) {
        const Rect at{x0 + cell_w_ * static_cast<float>(j), y, cell_w_, h};
        if (progress_ < 1 && static_cast<float>(j) > progress_ * static_cast<float>(lanes.at.size())) break;
        if (lanes.at[j] < 0) gap_cell(at, false, true);
        else term_cell(at, a->values[0], hover == lanes.at[j], theme_.raised);
      }
    }
    for (const AddressTerm* a : terms_along(0)) {
      const float y = row(a->text, "", true);
      sign(y);
      cells(y, [&](int64_t lane) { return a->values[static_cast<size_t>(lane)]; });
    }
    ui_.fill({x0, r.y, cell_w_ * static_cast<float>(lanes.at.size()), 1}, theme_.text3);
    r.take_top(ui_.px(6));
    const bool elements = t_.tensor >= 0;
    const float y = row("= " + (t_.base.empty() ? t_.variable : std::string(ui_.t(Text::AddressesOffset))), "", true);
    for (size_t j = 0; j < lanes.at.size(); ++j) {
      const Rect at{x0 + cell_w_ * static_cast<float>(j), y, cell_w_, h};
      if (lanes.at[j] < 0) gap_cell(at, false, true);
      else total_cell(at, lanes.at[j], progress_, false);
    }
    if (!elements) return;
    const float names = row(tensor_, "", false);
    for (size_t j = 0; j < lanes.at.size(); ++j) {
      const Rect at{x0 + cell_w_ * static_cast<float>(j), names, cell_w_ - ui_.px(4), h};
      if (lanes.at[j] < 0) continue;
      const model::TensorPlace p = values_.place(t_.tensor, t_.total[static_cast<size_t>(lanes.at[j])]);
      ui_.text_in(at, p.inside ? model::index_text(p.index) : std::string("\u2013"), TextSize::Caption, is_masked(lanes.at[j]) ? theme_.text3 : theme_.text2, true, Align::Right);
    }
    draw_key({x0, r.y, r.right() - x0, ui_.px(20)});
  }

  float line_label_width() {
    float w = ui_.px(90);
    for (const AddressTerm& a : t_.terms) {
      std::string text = a.text;
      if (a.axis < 0 && !a.index.empty() && a.factor != 1) text += " = " + number(a.index[0]) + " \u00d7 " + number(a.factor);
      w = std::max(w, ui_.width(text, TextSize::Code, true) + ui_.px(32));
    }
    return w;
  }

  void draw_scalar(Rect r) {
    const std::string scalars = scalar_text();
    if (!scalars.empty()) ui_.text_in(r.take_top(ui_.px(26)), scalars, TextSize::Code, theme_.text1, true);
    if (t_.total.empty()) return;
    Rect row = r.take_top(ui_.px(36));
    ui_.text_in(row.take_left(ui_.px(90)), ui_.t(Text::AddressesOffset), TextSize::Caption, theme_.text3);
    ui_.text_in(row, number(t_.total[0]), TextSize::Result, theme_.text1);
    if (t_.tensor < 0) return;
    row = r.take_top(ui_.px(24));
    ui_.text_in(row.take_left(ui_.px(90)), ui_.t(Text::AddressesElement), TextSize::Caption, theme_.text3);
    ui_.text_in(row, values_.place_text(values_.place(t_.tensor, t_.total[0])), TextSize::Code, theme_.text1, true);
  }

  // ---- no sum

  void draw_gather(Rect r) {
    if (t_.total.empty()) return;
    const int64_t columns = t_.shape.rank >= 1 ? t_.shape[t_.shape.rank - 1] : 1;
    const int64_t rows = t_.shape.rank >= 2 ? t_.shape[t_.shape.rank - 2] : 1;
    const bool elements = t_.tensor >= 0;
    const float h = elements ? ui_.px(40) : cell_h(), index_w = ui_.px(44), label = ui_.px(22);
    const float w = std::max(cell_w_, elements ? ui_.code_advance(TextSize::Caption) * static_cast<float>(longest_index()) + ui_.px(14) : 0.0f);
    const Shown down(rows, static_cast<size_t>(std::max(3.0f, std::min(10.0f, (r.h - label) / h))), -1), across(columns, static_cast<size_t>(std::max(3.0f, std::min(10.0f, (r.w - index_w) / w))), -1);
    for (size_t j = 0; j < across.at.size(); ++j)
      if (across.at[j] >= 0) ui_.text_in({r.x + index_w + w * static_cast<float>(j), r.y, w - ui_.px(8), label}, std::to_string(across.at[j]), TextSize::Caption, theme_.text3, true, Align::Right);
    for (size_t i = 0; i < down.at.size(); ++i) {
      const float y = r.y + label + h * static_cast<float>(i);
      if (down.at[i] >= 0 && rows > 1) ui_.text_in({r.x, y, index_w - ui_.px(10), h - 2}, std::to_string(down.at[i]), TextSize::Caption, theme_.text3, true, Align::Right);
      for (size_t j = 0; j < across.at.size(); ++j) {
        const Rect at{r.x + index_w + w * static_cast<float>(j), y, w, h};
        if (down.at[i] < 0 || across.at[j] < 0) gap_cell(at, down.at[i] < 0, across.at[j] < 0);
        else total_cell(at, down.at[i] * columns + across.at[j], 1, elements);
      }
    }
    draw_key({r.x + index_w, r.y + label + h * static_cast<float>(down.at.size()) + ui_.px(4), r.w - index_w, ui_.px(20)});
  }

 public:
  float bottom_ = 0;  ///< nothing is drawn below

 private:
  PanelContext& c_;
  Ui& ui_;
  const Theme& theme_;
  const AddressTable& t_;
  const model::ProgramValues& values_;
  float progress_;
  std::string tensor_;
  float cell_w_ = 0;
  int64_t hovered_ = -1;
};

}  // namespace

void draw_address_table(PanelContext& c, const model::AddressTable& table, const model::ProgramValues& values, float progress, const Rect& r, float bottom) {
  AddressDrawer drawer(c, table, values, progress);
  drawer.bottom_ = bottom;
  drawer.draw(r);
}

}  // namespace tilescope::window
