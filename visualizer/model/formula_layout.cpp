#include "visualizer/model/formula_layout.h"

#include <algorithm>

#include "visualizer/model/text_wrap.h"

namespace tilescope::model {
namespace {

using lessons::FormulaGap;
using lessons::FormulaNode;
using NodeKind = FormulaNode::Kind;
using Mark = FormulaMark;

/// Marks around an origin on the baseline, at the left: y grows downwards.
struct Box {
  float w = 0, up = 0, down = 0;
  std::vector<Mark> marks;

  float h() const { return up + down; }
  void add(const Box& other, float x, float y) {
    for (Mark m : other.marks) {
      m.x += x, m.y += y;
      marks.push_back(std::move(m));
    }
    up = std::max(up, other.up - y);
    down = std::max(down, other.down + y);
    w = std::max(w, x + other.w);
  }
  void add(Mark m) {
    up = std::max(up, -m.y);
    down = std::max(down, m.y + m.h);
    w = std::max(w, m.x + m.w);
    marks.push_back(std::move(m));
  }
};

class Setter {
 public:
  Setter(const FormulaFill& fill, const FormulaType& type) : fill_(fill), type_(type) {}

  /// `display`: limits above and below, fractions in full size.
  Box set(const FormulaNode& n, bool small, bool display) const {
    switch (n.kind) {
      case NodeKind::Row: return row(n.children, 0, n.children.size(), small, display);
      case NodeKind::Symbol:
      case NodeKind::Function:
      case NodeKind::Operator:
      case NodeKind::Comma: return text(n.text, small);
      case NodeKind::Live: return text(fill_(n.text), small);
      case NodeKind::Fraction: return fraction(n, small, display);
      case NodeKind::Root: return root(n, small, display);
      case NodeKind::Scripts: return with_scripts(set(n.children[0], small, display), n.children[1], n.children[2], small);
      case NodeKind::Limits: return display && !small ? limits(n) : with_scripts(text(n.text, small), n.children[0], n.children[1], small);
      case NodeKind::Fence: return fence(set(n.children[0], small, display), n.text, n.close, small);
      case NodeKind::Matrix: return matrix(n, small);
    }
    return {};
  }

  Box row(const std::vector<FormulaNode>& children, size_t begin, size_t end, bool small, bool display) const {
    Box out = empty(small);
    float x = 0;
    for (size_t i = begin; i < end; ++i) {
      if (i > begin) x += gap(children[i - 1], children[i], small);
      const Box one = set(children[i], small, display);
      out.add(one, x, 0);
      x += one.w;
    }
    return out;
  }

  float gap(const FormulaNode& left, const FormulaNode& right, bool small) const {
    const FormulaGap g = lessons::gap_between(left, right);
    if (small && left.kind == NodeKind::Comma) return px(1);  // x_{i,j}
    return g == FormulaGap::None ? 0 : g == FormulaGap::Word ? px(small ? 4 : 5) : px(small ? 4 : 6);
  }

  Box text(const std::string& s, bool small) const {
    Box out = empty(small);
    out.add(Mark{Mark::Kind::Text, 0, -out.up, type_.width(s, small), out.h(), s, small});
    return out;
  }

  float px(float length) const { return length * type_.unit; }
  float line(bool small) const { return type_.height[small]; }

 private:
  Box empty(bool small) const { return {0, type_.baseline[small], type_.height[small] - type_.baseline[small], {}}; }
  /// Bars of fractions and the middle of tall things lie this far above the baseline.
  float axis(bool small) const { return 0.3f * line(small); }

  Box fraction(const FormulaNode& n, bool small, bool display) const {
    const bool inner = small || !display;
    const Box top = set(n.children[0], inner, display), bottom = set(n.children[1], inner, display);
    const float width = std::max(top.w, bottom.w) + px(8), bar = -axis(small);
    Box out;
    out.add(top, (width - top.w) / 2, bar - px(2) - top.down);
    out.add(bottom, (width - bottom.w) / 2, bar + px(3) + bottom.up);
    out.add(Mark{Mark::Kind::Rule, px(1), bar, width - px(2), px(1), {}, false});
    out.w = width;
    return out;
  }

  Box root(const FormulaNode& n, bool small, bool display) const {
    const Box inner = set(n.children[0], small, display);
    const float sign = 0.65f * line(small);
    Box out;
    out.add(inner, sign + px(2), 0);
    // The sign lies left of what it holds and its bar above: the mark's box is the sign's, its bar has another.
    const float top = -inner.up - px(3);
    out.add(Mark{Mark::Kind::Root, 0, top, sign, inner.h() + px(3), {}, false});
    out.add(Mark{Mark::Kind::Rule, sign, top, inner.w + px(4), px(1), {}, false});
    return out;
  }

  Box with_scripts(const Box& base, const FormulaNode& below, const FormulaNode& above, bool small) const {
    const float h = line(small);
    const Box sub = set(below, true, false), sup = set(above, true, false);
    float down = std::max(0.22f * h, base.down - 0.1f * h), up = std::max(0.4f * h, base.up - 0.7f * sup.up);
    if (!below.empty() && !above.empty()) {
      const float overlap = (sup.down - up) - (down - sub.up);
      if (overlap > 0) up += overlap / 2, down += overlap / 2;
    }
    Box out;
    out.add(base, 0, 0);
    const float x = base.w + px(1);
    if (!below.empty()) out.add(sub, x, down);
    if (!above.empty()) out.add(sup, x, -up);
    out.w += px(1);
    return out;
  }

  Box limits(const FormulaNode& n) const {
    const Box below = set(n.children[0], true, false), above = set(n.children[1], true, false);
    Box sign;
    const bool sum = n.text == "Σ", product = n.text == "Π";
    const float h = line(false);
    if (sum || product) {
      const float tall = 1.5f * h;
      sign.add(Mark{sum ? Mark::Kind::Sum : Mark::Kind::Product, 0, -axis(false) - tall / 2, 1.1f * h, tall, {}, false});
    } else {
      sign = text(n.text, false);
    }
    const float width = std::max({sign.w, n.children[0].empty() ? 0 : below.w, n.children[1].empty() ? 0 : above.w});
    Box out;
    out.add(sign, (width - sign.w) / 2, 0);
    const float room = px(sum || product ? 3 : 0);
    if (!n.children[0].empty()) out.add(below, (width - below.w) / 2, sign.down + room + below.up);
    if (!n.children[1].empty()) out.add(above, (width - above.w) / 2, -sign.up - room - above.down);
    return out;
  }

  Box fence(const Box& inner, const std::string& open, const std::string& close, bool small) const {
    const float h = line(small);
    // What is no taller than letters with indices has brackets of the type face.
    const bool plain = inner.up < 1.35f * type_.baseline[small] && inner.down < h - type_.baseline[small] + 0.35f * h;
    Box out;
    float x = 0;
    const auto bracket = [&](const std::string& sign) {
      if (plain && (sign == "(" || sign == ")" || sign == "[" || sign == "]" || sign == "{" || sign == "}")) {
        const Box one = text(sign, small);
        out.add(one, x, 0);
        x += one.w;
        return;
      }
      const float w = 0.42f * h;
      const float up = plain ? type_.baseline[small] : inner.up, down = plain ? h - type_.baseline[small] : inner.down;
      out.add(Mark{Mark::Kind::Bracket, x + px(1), -up - px(1), w - px(2), up + down + px(2), sign, small});
      x += w;
    };
    bracket(open);
    out.add(inner, x, 0);
    x += inner.w;
    bracket(close);
    out.w = x;
    return out;
  }

  Box matrix(const FormulaNode& n, bool small) const {
    const size_t columns = static_cast<size_t>(std::max(1, n.columns)), rows = n.children.size() / columns;
    std::vector<Box> cells;
    for (const FormulaNode& c : n.children) cells.push_back(set(c, small, false));
    std::vector<float> widths(columns, 0);
    for (size_t i = 0; i < cells.size(); ++i) widths[i % columns] = std::max(widths[i % columns], cells[i].w);
    Box grid;
    float y = 0;
    for (size_t r = 0; r < rows; ++r) {
      float up = 0, down = 0, x = 0;
      for (size_t c = 0; c < columns; ++c) up = std::max(up, cells[r * columns + c].up), down = std::max(down, cells[r * columns + c].down);
      for (size_t c = 0; c < columns; ++c) {
        const Box& cell = cells[r * columns + c];
        grid.add(cell, x + (widths[c] - cell.w) / 2, y + up);
        x += widths[c] + px(small ? 10 : 14);
      }
      y += up + down + px(3);
    }
    const float height = y - px(3);
    Box inner;
    inner.add(grid, px(4), -height / 2 - axis(small));
    inner.up = height / 2 + axis(small);
    inner.down = height / 2 - axis(small);
    inner.w += px(4);
    return rows == 1 ? fence(inner, n.text, n.close, small) : tall_fence(inner, n, small);
  }
  Box tall_fence(const Box& inner, const FormulaNode& n, bool small) const {
    const float w = 0.42f * line(small);
    Box out;
    out.add(Mark{Mark::Kind::Bracket, px(1), -inner.up - px(1), w - px(2), inner.h() + px(2), n.text, small});
    out.add(inner, w, 0);
    out.add(Mark{Mark::Kind::Bracket, w + inner.w + px(1), -inner.up - px(1), w - px(2), inner.h() + px(2), n.close, small});
    out.w = 2 * w + inner.w;
    return out;
  }

  const FormulaFill& fill_;
  const FormulaType& type_;
};

FormulaLayout placed(const Box& box) {
  FormulaLayout out;
  out.width = box.w;
  out.height = box.h();
  out.baseline = box.up;
  out.marks = box.marks;
  for (Mark& m : out.marks) m.y += box.up;
  return out;
}

/// Children [begin, end) of the formula's row that stay together.
struct Segment {
  size_t begin = 0, end = 0;
};

std::vector<Segment> segments_of(const std::vector<FormulaNode>& children) {
  std::vector<Segment> out;
  for (size_t i = 0; i < children.size(); ++i) {
    const bool starts = i == 0 || children[i].kind == NodeKind::Operator || (children[i - 1].kind == NodeKind::Comma);
    if (starts) out.push_back({i, i + 1});
    else out.back().end = i + 1;
  }
  return out;
}

/// Rows of at most `width`, or nothing when a segment alone is wider.
bool set_rows(const Setter& s, const std::vector<FormulaNode>& children, bool small, float width, Box& out) {
  const float indent = s.px(20);
  float y = 0;
  bool first = true;
  const std::vector<Segment> segments = segments_of(children);
  for (size_t i = 0; i < segments.size();) {
    const float x = first ? 0 : indent;
    Box row = s.row(children, segments[i].begin, segments[i].end, small, true);
    if (x + row.w > width) return false;
    size_t k = i + 1;
    for (; k < segments.size(); ++k) {
      Box longer = s.row(children, segments[i].begin, segments[k].end, small, true);
      if (x + longer.w > width) break;
      row = std::move(longer);
    }
    // The first row's baseline is the formula's.
    if (!first) y += row.up;
    out.add(row, x, y);
    y += row.down + s.px(4);
    first = false;
    i = k;
  }
  return true;
}

/// Plain text in rows, broken at blanks where there are any.
Box set_text(const Setter& s, const std::string& text, float width) {
  Box out;
  float y = 0;
  for (size_t at = 0; at < text.size();) {
    size_t end = at, blank = 0;
    while (end < text.size()) {
      const size_t n = character_bytes(text, end);
      if (end > at && s.text(text.substr(at, end + n - at), true).w > width) break;
      end += n;
      if (text[end - 1] == ' ') blank = end;
    }
    if (end < text.size() && blank > at) end = blank;
    const Box row = s.text(text.substr(at, end - at), true);
    if (at > 0) y += row.up;
    out.add(row, 0, y);
    y += row.down;
    at = end;
  }
  return out;
}

}  // namespace

FormulaLayout layout_formula(const FormulaNode& node, const FormulaFill& fill, const FormulaType& type, float width) {
  const Setter s(fill, type);
  const std::vector<FormulaNode> one = {node};
  const std::vector<FormulaNode>& children = node.kind == NodeKind::Row ? node.children : one;
  for (bool small : {false, true}) {
    Box box;
    if (set_rows(s, children, small, width, box)) return placed(box);
  }
  return placed(set_text(s, lessons::formula_line(node, fill), width));
}

std::vector<FormulaLayout> layout_formula_parts(const FormulaNode& node, const FormulaFill& fill, const FormulaType& type, float width) {
  const Setter s(fill, type);
  const std::vector<FormulaNode> one = {node};
  const std::vector<FormulaNode>& children = node.kind == NodeKind::Row ? node.children : one;
  std::vector<FormulaLayout> out;
  for (const Segment& segment : segments_of(children)) {
    const Box box = s.row(children, segment.begin, segment.end, false, false);
    if (box.w <= width) {
      out.push_back(placed(box));
    } else {
      FormulaNode part;
      part.children.assign(children.begin() + static_cast<std::ptrdiff_t>(segment.begin), children.begin() + static_cast<std::ptrdiff_t>(segment.end));
      out.push_back(placed(set_text(s, lessons::formula_line(part, fill), width)));
    }
    if (segment.begin > 0) out.back().space_before = s.gap(children[segment.begin - 1], children[segment.begin], false);
  }
  return out;
}

}  // namespace tilescope::model
