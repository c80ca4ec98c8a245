#include "visualizer/terminal/lesson_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/trimmed.h"
#include "lessons/language.h"
#include "visualizer/model/grid_view.h"
#include "visualizer/model/lanes.h"
#include "visualizer/model/reduction.h"
#include "visualizer/model/tile_view.h"
#include "visualizer/terminal/lesson_loop_drawing.h"
#include "visualizer/terminal/lesson_text.h"

namespace tilescope::terminal {
namespace {

using model::Scene;

constexpr size_t kMostRows = 8;
constexpr int64_t kMostCells = 8;  ///< programs or values that are written out side by side

/// The line without its comment.
std::string_view code_of(std::string_view line) {
  const size_t hash = line.find('#');
  return trimmed(line.substr(0, hash));
}

class Drawing {
 public:
  Drawing(const Scene& scene, size_t language, size_t width) : s_(scene), chinese_(language == lessons::kChinese), width_(width) {}

  std::string text(const std::string& panel) {
    place(title(panel));
    if (panel == "grid") grid();
    if (panel == "tile") tile();
    if (panel == "memory" || panel == "addresses") accesses(panel == "addresses");
    if (panel == "kloop") add_or_accesses(draw_kloop(s_, chinese_));
    if (panel == "threads") add_or_accesses(draw_threads(s_, chinese_));
    if (panel == "reduction") reduction();
    return out_;
  }

 private:
  /// The panel's name, as the texts use it.
  std::string title(const std::string& panel) const {
    struct Title {
      std::string_view panel;
      const char *english, *chinese;
    };
    for (const Title& t : {Title{"grid", "Grid", "Grid"}, {"tile", "Tile", "Tile"}, {"memory", "Memory", "内存"}, {"addresses", "Addresses", "地址"}, {"kloop", "K loop", "K 循环"}, {"threads", "Threads", "线程"}, {"reduction", "Reduction", "归约"}})
      if (t.panel == panel) return std::string(chinese_ ? t.chinese : t.english) + (chinese_ ? "：" : ": ");
    return {};
  }

  void add_or_accesses(const std::string& drawing) {
    if (drawing.empty()) return accesses(false);
    out_ += drawing;
  }

  /// "Memory: program 3, line 9: x = tl.load(...)"
  void place(const std::string& title) {
    const std::string name = title + "program " + model::program_name(s_.run.launch->grid, s_.program);
    if (s_.line == 0) return add(name);
    std::string code(code_of(s_.run.text->line(s_.line)));
    // A line that does not fit stands in full above.
    const size_t room = width_ - std::min(width_, display_width(name) + 16);
    if (code.size() > room) code = code.substr(0, room) + " ...";
    add(chinese_ ? fmt::format("{}，第 {} 行：{}", name, s_.line, code) : fmt::format("{}, line {}: {}", name, s_.line, code));
  }

  /// One box a program with the elements of the output that it owns.
  void grid() {
    if (s_.run.totals == nullptr) return;
    const RunTrace& t = s_.run.totals->trace;
    const int64_t programs = t.programs;
    const model::Ownership owner = model::find_ownership(t);
    const int64_t selected = model::program_number(t.grid, s_.program);
    const int64_t shown = std::min(programs, kMostCells);
    // The selected program is among those shown.
    const int64_t first = std::clamp<int64_t>(selected - shown / 2, 0, programs - shown);
    std::vector<std::string> names, parts;
    size_t cell = 0;
    for (int64_t p = first; p < first + shown; ++p) {
      names.push_back((p == selected ? ">" : " ") + model::program_name(t.grid, model::program_index(t.grid, p)) + (p == selected ? "<" : " "));
      const std::optional<model::OwnedTile> tile = owner.tensor < 0 ? std::nullopt : model::owned_tile(t, owner, p);
      parts.push_back(tile && !tile->box.empty() ? " " + ranges(tile->box) + " " : "");
      cell = std::max({cell, names.back().size(), parts.back().size()});
    }
    const size_t in_row = std::max<size_t>(1, (width_ - 12) / (cell + 1));
    add(chinese_ ? fmt::format("grid：{} 个 program，> < 是现在看的这个", programs) : fmt::format("grid: {} program{}; > < is the one shown", programs, programs == 1 ? "" : "s"));
    for (size_t from = 0; from < names.size(); from += in_row) {
      const size_t to = std::min(from + in_row, names.size());
      add(row("program", names, from, to, cell));
      if (owner.tensor >= 0) add(row(owner.name, parts, from, to, cell));
    }
    if (shown < programs) add(chinese_ ? fmt::format("  ……还有 {} 个", programs - shown) : fmt::format("  ... and {} more", programs - shown));
  }

  static std::string ranges(const IndexBox& box) {
    std::string out;
    for (size_t d = 0; d < box.lo.size(); ++d) {
      out += d ? ", " : "";
      out += box.hi[d] - box.lo[d] == 1 ? fmt::format("{}", box.lo[d]) : fmt::format("{}..{}", box.lo[d], box.hi[d] - 1);
    }
    return out;
  }

  static std::string row(const std::string& title, const std::vector<std::string>& cells, size_t from, size_t to, size_t width) {
    std::string out = fmt::format("  {:<8}|", title.substr(0, 8));
    for (size_t i = from; i < to; ++i) out += fmt::format("{:^{}}|", cells[i], width);
    return out;
  }

  /// The variable that the line computed: booleans lane by lane, numbers by their first and last lanes.
  void tile() {
    const model::Variable* v = model::current_item(s_);
    const model::ProgramValues* values = model::program_values(s_);
    if (v == nullptr || values == nullptr || v->record == nullptr) return;
    const int64_t n = v->record->type.shape.elements();
    const std::string name = v->name.empty() ? "value" : v->name;
    if (v->record->type.shape.rank == 0) return add("  " + name + " = " + values->lane_text(*v->record, 0));
    const model::VariableLanes lanes = model::variable_lanes(*values, *v);
    const bool yes_no = !v->record->type.pointer && is_bool(v->record->type.elem);
    add(chinese_ ? fmt::format("  {}：{} 个 lane 的 tile", name, shape(v->record->type.shape)) : fmt::format("  {}: a tile of {} lanes", name, shape(v->record->type.shape)));
    if (yes_no) {
      uint64_t on = 0;
      for (int64_t i = 0; i < n; ++i) on += model::lane_integer(*v->record, i) != 0;
      lane_map(n, [&](int64_t i) { return model::lane_integer(*v->record, i) != 0 ? '#' : '.'; });
      legend(on, static_cast<uint64_t>(n) - on, 0);
      return;
    }
    numbers(*v, *values, lanes, n);
  }

  static std::string shape(const Shape& s) {
    std::string out;
    for (int d = 0; d < s.rank; ++d) out += (d ? " x " : "") + std::to_string(s[d]);
    return out;
  }

  /// The lanes at both ends of the last row, with blanks where the lane does not count.
  void numbers(const model::Variable& v, const model::ProgramValues& values, const model::VariableLanes& lanes, int64_t n) {
    std::vector<int64_t> at;
    for (int64_t i = 0; i < n; ++i)
      if (n <= kMostCells || i < kMostCells / 2 || i >= n - kMostCells / 2) at.push_back(i);
    std::vector<std::string> top, bottom;
    size_t cell = 0;
    for (int64_t i : at) {
      top.push_back(std::to_string(i));
      bottom.push_back(lanes.is_on(i) ? values.lane_text(*v.record, i) : "(" + values.lane_text(*v.record, i) + ")");
      cell = std::max({cell, display_width(top.back()), display_width(bottom.back())});
    }
    const size_t in_row = std::max<size_t>(1, (width_ - 12) / (cell + 2));
    for (size_t from = 0; from < at.size(); from += in_row) {
      std::string lane = "  lane  ", value = "        ";
      for (size_t i = from; i < std::min(from + in_row, at.size()); ++i) {
        const bool gap = i > 0 && at[i] != at[i - 1] + 1;
        lane += gap ? " .." : "";
        value += gap ? "   " : "";
        lane += std::string(cell + 2 - display_width(top[i]), ' ') + top[i];
        value += std::string(cell + 2 - display_width(bottom[i]), ' ') + bottom[i];
      }
      add(lane);
      add(value);
    }
    if (lanes.off + lanes.out_of_bounds > 0)
      add(chinese_ ? fmt::format("  括号里的 lane 关着：{} 个，开着 {} 个", lanes.off + lanes.out_of_bounds, lanes.on)
                   : fmt::format("  lanes in brackets are off: {}, on: {}", lanes.off + lanes.out_of_bounds, lanes.on));
  }

  /// Each access of the line: which lanes touch memory, and which elements.
  void accesses(bool offsets) {
    if (s_.accesses.empty()) return tile();
    for (const model::CurrentAccess& a : s_.accesses) {
      if (a.lanes == nullptr || a.lanes->tensor < 0 || a.lanes->states.empty()) continue;
      const std::string& tensor = s_.run.launch->tensors[static_cast<size_t>(a.lanes->tensor)].name;
      if ((offsets && table(a)) || matrix(a)) continue;
      const std::vector<LaneState>& states = a.lanes->states;
      const auto n = static_cast<int64_t>(states.size());
      add(chinese_ ? fmt::format("  {} {}：{} 个 lane（左边是 lane，右边是元素）", a.summary->writes ? "写回到" : "加载自", tensor, n)
                   : fmt::format("  {} lanes {} {} (left: lanes, right: elements)", n, a.summary->writes ? "store to" : "load from", tensor));
      uint64_t on = 0, off = 0, outside = 0;
      for (LaneState state : states) (state == LaneState::Masked ? off : state == LaneState::OutOfBounds ? outside : on) += 1;
      lane_map(n, [&](int64_t i) {
        switch (states[static_cast<size_t>(i)]) {
          case LaneState::Masked: return '.';
          case LaneState::OutOfBounds: return '!';
          default: return '#';
        }
      }, [&](int64_t from, int64_t to) {
        const int64_t lo = a.lanes->offsets[static_cast<size_t>(from)], hi = a.lanes->offsets[static_cast<size_t>(to - 1)];
        return hi - lo == to - 1 - from ? fmt::format("{}..{}", lo, hi) : std::string();
      });
      legend(on, off, outside);
    }
  }

  /// The offsets of a small tile of two axes.
  bool table(const model::CurrentAccess& a) {
    if (a.type.shape.rank != 2 || a.type.shape[0] > kMostCells || a.type.shape[1] > kMostCells) return false;
    const std::string& tensor = s_.run.launch->tensors[static_cast<size_t>(a.lanes->tensor)].name;
    add(chinese_ ? fmt::format("  {} 里的偏移", tensor) : fmt::format("  offsets in {}", tensor));
    for (int64_t r = 0; r < a.type.shape[0]; ++r) {
      std::string line = "   ";
      for (int64_t c = 0; c < a.type.shape[1]; ++c) {
        const auto lane = static_cast<size_t>(r * a.type.shape[1] + c);
        const std::string text = std::to_string(a.lanes->offsets[lane]);
        line += fmt::format("{:>8}", a.lanes->states[lane] == LaneState::Masked ? "(" + text + ")" : text);
      }
      add(line);
    }
    return true;
  }

  /// A tile of two axes in a matrix: the matrix in small, with the part that the access touches.
  bool matrix(const model::CurrentAccess& a) {
    const Tensor& t = s_.run.launch->tensors[static_cast<size_t>(a.lanes->tensor)];
    const IndexBox& box = a.summary->box;
    if (t.layout.rank() != 2 || a.type.shape.rank != 2 || box.lo.size() != 2) return false;
    const int64_t rows = t.layout.shape[0], cols = t.layout.shape[1];
    add(fmt::format("  {} {}[{}]", a.summary->writes ? (chinese_ ? "写回到" : "store to") : (chinese_ ? "加载自" : "load from"), t.name, ranges(box)));
    // A character is about twice as high as wide.
    constexpr int64_t kMostRowsDrawn = 12, kMostColsDrawn = 32;
    // A power of two, as tiles are, so that cells do not straddle their borders.
    int64_t each = 1;
    while (rows > each * kMostRowsDrawn || cols > each * kMostColsDrawn) each *= 2;
    for (int64_t r = 0; r < rows; r += each) {
      std::string line = fmt::format("  {:>5} |", r);
      for (int64_t c = 0; c < cols; c += each) {
        const bool in = box.lo[0] < std::min(r + each, rows) && r < box.hi[0] && box.lo[1] < std::min(c + each, cols) && c < box.hi[1];
        line += in ? "##" : "..";
      }
      add(line + "|");
    }
    if (each > 1) add(chinese_ ? fmt::format("  每格代表 {} x {} 个元素", each, each) : fmt::format("  a cell stands for {} x {} elements", each, each));
    legend(a.summary->on, a.summary->masked, a.summary->out_of_bounds);
    return true;
  }

  void legend(uint64_t on, uint64_t off, uint64_t outside) {
    std::string text = chinese_ ? fmt::format("  # 开：{}   . 关：{}", on, off) : fmt::format("  # on: {}   . off: {}", on, off);
    if (outside > 0) text += chinese_ ? fmt::format("   ! 越界：{}", outside) : fmt::format("   ! outside: {}", outside);
    add(text);
  }

  /// Rows of one character a lane; of several lanes ("+" when they differ) where there are too many.
  void lane_map(int64_t n, const std::function<char(int64_t)>& mark, const std::function<std::string(int64_t, int64_t)>& note = {}) {
    constexpr size_t kWideEnough = 88;  // for 64 lanes with what stands before and behind them
    const int64_t lanes_in_row = width_ >= kWideEnough ? 64 : 32;
    const int64_t room = lanes_in_row * static_cast<int64_t>(kMostRows), each = (n + room - 1) / room;
    const int64_t in_row = lanes_in_row * each;
    for (int64_t from = 0; from < n; from += in_row) {
      const int64_t to = std::min(from + in_row, n);
      std::string line = fmt::format("  {:>5} |", from);
      for (int64_t i = from; i < to; i += each) {
        char c = mark(i);
        for (int64_t k = i + 1; k < std::min(i + each, to); ++k)
          if (mark(k) != c) c = '+';
        line += c;
      }
      line += '|';
      const std::string behind = note ? note(from, to) : "";
      if (!behind.empty() && line.size() + 2 + behind.size() <= width_) line += "  " + behind;
      add(line);
    }
    if (each > 1) add(chinese_ ? fmt::format("  每个字符代表 {} 个 lane", each) : fmt::format("  each character stands for {} lanes", each));
  }

  /// Short rows with their values, long ones by their lengths.
  void reduction() {
    const model::Reduction r = model::make_reduction(s_);
    if (r.kind != model::Reduction::Kind::Shown || r.scan || r.levels.size() < 2) return tile();
    const size_t rounds = r.levels.size() - 1;
    add(chinese_ ? fmt::format("  {} 个 lane 求 {}：{} 轮，每轮合并相邻的两个", r.length, r.combine, rounds)
                 : fmt::format("  {} of {} lanes in {} rounds, neighbours first", r.combine, r.length, rounds));
    for (size_t l = 0; l < r.levels.size(); ++l) {
      const auto n = static_cast<int64_t>(r.levels[l].lanes.size());
      std::string line = fmt::format("  {:>6} |", n);
      const int64_t shown = std::min<int64_t>(n, 2 * kMostCells);
      for (int64_t i = 0; i < shown; ++i) {
        const std::string value = " " + model::short_number(r.value(l, i));
        if (display_width(line) + display_width(value) + 4 > width_) break;
        line += value;
        if (i + 1 == n) line += " |";
      }
      if (!line.ends_with('|')) line += " ...";
      add(line);
    }
    if (r.masked_lanes > 0 && !r.masked_value.empty())
      add(chinese_ ? fmt::format("  其中 {} 个 lane 关着，里面是 {}", r.masked_lanes, r.masked_value)
                   : fmt::format("  {} of the lanes are off and hold {}", r.masked_lanes, r.masked_value));
  }

  void add(const std::string& line) { out_ += line + "\n"; }

  const Scene& s_;
  bool chinese_;
  size_t width_;
  std::string out_;
};

}  // namespace

std::string draw_scene(const Scene& scene, const std::string& panel, size_t language, size_t width) {
  if (!scene.ready || scene.run.launch == nullptr || scene.run.text == nullptr) return {};
  return Drawing(scene, language, width).text(panel);
}

}  // namespace tilescope::terminal
