#include "visualizer/terminal/lesson_loop_drawing.h"

#include <fmt/format.h>

#include <algorithm>

#include "visualizer/model/kloop.h"
#include "visualizer/model/threads.h"

namespace tilescope::terminal {
namespace {

using model::KAxis;
using model::KAxisView;
using model::KLoop;

constexpr int64_t kMostCells = 8;  ///< along each axis

class LoopPicture {
 public:
  LoopPicture(const KLoop& loop, bool chinese) : k_(loop), chinese_(chinese) {
    for (const KAxisView& a : k_.axes)
      while (a.extent > each_ * kMostCells) each_ *= 2;
  }

  std::string text() {
    if (std::any_of(k_.axes.begin(), k_.axes.end(), [](const KAxisView& a) { return a.extent <= 0 || a.tiles.empty(); })) return {};
    caption();
    const std::string indent(static_cast<size_t>(5 + 2 * cells(KAxis::K) + 4), ' ');
    out_ += indent + "B\n";
    for (int64_t r = 0; r < cells(KAxis::K); ++r) out_ += indent.substr(1) + "|" + row(r, KAxis::K, KAxis::N, 'B') + "|\n";
    out_ += "    A" + indent.substr(5) + "C\n";
    for (int64_t r = 0; r < cells(KAxis::M); ++r)
      out_ += "    |" + row(r, KAxis::M, KAxis::K, 'A') + "|  |" + row(r, KAxis::M, KAxis::N, 'C') + "|\n";
    legend();
    return out_;
  }

 private:
  int64_t cells(KAxis a) const { return (k_.axis(a).extent + each_ - 1) / each_; }

  /// The axis' part in this round.
  model::Span now(KAxis a) const {
    const std::vector<model::Span>& tiles = k_.axis(a).tiles;
    return tiles[static_cast<size_t>(std::clamp<int64_t>(k_.iteration, 0, static_cast<int64_t>(tiles.size()) - 1))];
  }

  bool meets(KAxis a, int64_t cell) const {
    const model::Span t = now(a);
    return t.lo < (cell + 1) * each_ && cell * each_ < t.hi;
  }

  std::string row(int64_t r, KAxis rows, KAxis cols, char letter) const {
    std::string out;
    for (int64_t c = 0; c < cells(cols); ++c) {
      const bool here = meets(rows, r) && meets(cols, c);
      // The rest of the program's band: what other rounds take.
      const bool band = letter == 'A' ? meets(rows, r) : letter == 'B' && meets(cols, c);
      out += here ? "##" : band ? "::" : "..";
    }
    return out;
  }

  static std::string part(const std::string& name, model::Span rows, model::Span cols) {
    return fmt::format("{}[{}..{}, {}..{}]", name, rows.lo, rows.hi - 1, cols.lo, cols.hi - 1);
  }

  void caption() {
    const std::string parts = part("A", now(KAxis::M), now(KAxis::K)) + " x " + part("B", now(KAxis::K), now(KAxis::N)) + " -> " + part("C", now(KAxis::M), now(KAxis::N));
    if (!k_.in_loop) out_ += "  " + parts + "\n";
    else out_ += (chinese_ ? fmt::format("  第 {} 轮，共 {} 轮：", k_.iteration + 1, k_.iterations) : fmt::format("  round {} of {}: ", k_.iteration + 1, k_.iterations)) + parts + "\n";
  }

  void legend() {
    out_ += chinese_ ? fmt::format("  ## 这一轮   :: 这个 program 的其他轮   每格 {} x {} 个元素\n", each_, each_)
                     : fmt::format("  ## this round   :: this program's other rounds   a cell is {} x {} elements\n", each_, each_);
    std::string masked;
    for (const model::KMatrix* m : {&k_.a, &k_.b, &k_.c}) {
      if (m->masked == 0) continue;
      masked += masked.empty() ? "" : chinese_ ? "，" : ", ";
      masked += chinese_ ? fmt::format("{} {} 个", m->letter, m->masked) : fmt::format("{} in {}", m->masked, m->letter);
    }
    if (!masked.empty()) out_ += (chinese_ ? "  关着的 lane：" : "  lanes that are off: ") + masked + "\n";
  }

  const KLoop& k_;
  bool chinese_;
  int64_t each_ = 1;
  std::string out_;
};

}  // namespace

std::string draw_kloop(const model::Scene& scene, bool chinese) {
  const KLoop loop = model::make_kloop(scene);
  return loop.kind == KLoop::Kind::Product ? LoopPicture(loop, chinese).text() : std::string();
}

std::string draw_threads(const model::Scene& scene, bool chinese) {
  const std::vector<model::AccessThreads>& all = model::current_threads(scene);
  if (all.empty() || all[0].lanes == nullptr || all[0].layout.shape.rank == 0) return {};
  const model::AccessThreads& a = all[0];
  constexpr int kThreads = 3, kHeld = 8;
  const int held = a.layout.registers(), warps = a.layout.num_warps;
  std::string out = chinese ? fmt::format("  {} 个线程，每个拿着 {} 个元素，一条指令读写 {} 个\n", 32 * warps, held, a.layout.vector_width)
                            : fmt::format("  {} threads hold {} elements each, {} to an instruction\n", 32 * warps, held, a.layout.vector_width);
  const auto line = [&](int thread) {
    std::string elements;
    for (int r = 0; r < std::min(held, kHeld); ++r) elements += fmt::format(" {}", a.layout.element_of(r, thread % 32, thread / 32));
    out += (chinese ? fmt::format("  warp {}，线程 {:>3}：元素", thread / 32, thread) : fmt::format("  warp {}, thread {:>3}: elements", thread / 32, thread)) + elements + (held > kHeld ? " ..." : "") + "\n";
  };
  for (int t = 0; t < kThreads; ++t) line(t);
  out += "  ...\n";
  line(32 * warps - 1);
  out += chinese ? fmt::format("  开着的 lane：{}，关着的：{}\n", a.summary->on, a.summary->masked) : fmt::format("  lanes on: {}, off: {}\n", a.summary->on, a.summary->masked);
  if (a.counted)
    out += chinese ? fmt::format("  这个 program 在这里一共 {} 个请求，{} 个 32 字节的 sector\n", a.requests, a.sectors)
                   : fmt::format("  requests of this program here: {}, sectors of 32 bytes: {}\n", a.requests, a.sectors);
  return out;
}

}  // namespace tilescope::terminal
