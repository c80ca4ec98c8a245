#include "visualizer/model/kloop_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilescope::model {
namespace {

constexpr float kLeastTile = 6;    // pixels: smaller tiles cannot be followed by eye
constexpr float kWindowShare = 0.55f;
constexpr float kRoundTile = 1.2f;   // a port that shows a part is at least so many tiles long
constexpr KAxis kAxes[] = {KAxis::M, KAxis::N, KAxis::K};

double extent_of(const KLoop& loop, KAxis a) { return static_cast<double>(std::max<int64_t>(loop.axis(a).extent, 1)); }

double centre_of(const KLoop& loop, KAxis a) {
  const KAxisView& v = loop.axis(a);
  const auto i = static_cast<size_t>(std::max<int64_t>(loop.iteration, 0));
  if (i >= v.tiles.size()) return extent_of(loop, a) / 2;
  return static_cast<double>(v.tiles[i].lo + v.tiles[i].hi) / 2;
}

float whole_lane(float lane) { return lane >= 2 ? std::floor(lane) : lane; }

float least_tile(const KLoop& loop) {
  float least = std::numeric_limits<float>::max();
  for (KAxis a : kAxes) least = std::min(least, static_cast<float>(std::max<int64_t>(loop.axis(a).block, 1)));
  return least;
}

/// Lane size when the axes of `windowed` (bits) show a part only.
float lane_for(const KLoop& loop, const KRoom& r, unsigned windowed) {
  auto room = [&](float pixels, KAxis x, KAxis y) {
    const bool wx = windowed >> static_cast<int>(x) & 1, wy = windowed >> static_cast<int>(y) & 1;
    if (wx && wy) return std::numeric_limits<float>::max();
    const double lanes = (wx ? 0 : extent_of(loop, x)) + (wy ? 0 : extent_of(loop, y));
    return static_cast<float>((wx || wy ? kWindowShare : 1.0) * pixels / lanes);
  };
  return std::min(room(r.w - r.gap, KAxis::K, KAxis::N), room(r.h - r.gap, KAxis::K, KAxis::M));
}

/// Lengths of the ports: whole axes first, windowed ones (bits) get what is left.
void set_ports(const KLoop& loop, const KRoom& r, unsigned windowed, KLayout& out) {
  const float w = std::max(1.0f, r.w - r.gap), h = std::max(1.0f, r.h - r.gap);
  auto length = [&](KAxis a) { return static_cast<float>(extent_of(loop, a) * out.lane); };
  KPort &m = out.port(KAxis::M), &n = out.port(KAxis::N), &k = out.port(KAxis::K);
  const bool wm = windowed & 1, wn = windowed >> 1 & 1, wk = windowed >> 2 & 1;
  m.pixels = wm ? std::min(length(KAxis::M), h * kWindowShare) : length(KAxis::M);
  n.pixels = wn ? std::min(length(KAxis::N), w * kWindowShare) : length(KAxis::N);
  k.pixels = std::min(length(KAxis::K), std::max(1.0f, std::min(w - n.pixels, h - m.pixels)));
  if (!wk && wm) m.pixels = std::min(length(KAxis::M), std::max(1.0f, h - k.pixels));
  if (!wk && wn) n.pixels = std::min(length(KAxis::N), std::max(1.0f, w - k.pixels));
}

/// Keeps a port on its axis; an axis shorter than its port starts at 0.
void keep_inside(const KLoop& loop, KAxis a, KPort& p, float lane) {
  const double seen = p.pixels / lane;
  p.first = std::clamp(p.first, 0.0, std::max(0.0, extent_of(loop, a) - seen));
  // Whole pixels, so that lanes lie on them.
  if (lane >= 2) p.first = std::round(p.first * lane) / lane;
}

}  // namespace

KLayout fit_layout(const KLoop& loop, const KRoom& r) {
  std::array<KAxis, 3> longest{KAxis::M, KAxis::N, KAxis::K};
  std::stable_sort(longest.begin(), longest.end(), [&](KAxis x, KAxis y) { return loop.axis(x).extent > loop.axis(y).extent; });
  unsigned windowed = 0;
  KLayout out;
  const float tile = least_tile(loop);
  for (int k = 0; k <= 3; ++k) {
    out.lane = k == 3 ? kLeastTile / tile : lane_for(loop, r, windowed);
    if (out.lane * tile >= kLeastTile) break;
    if (k < 3) windowed |= 1u << static_cast<int>(longest[static_cast<size_t>(k)]);
  }
  out.lane = std::max(whole_lane(std::min(out.lane, r.most_lane)), 1e-4f);
  set_ports(loop, r, windowed, out);
  // A part that is shown holds a tile and something round it.
  auto too_small = [&] {
    return std::any_of(std::begin(kAxes), std::end(kAxes), [&](KAxis a) {
      return (windowed >> static_cast<int>(a) & 1) != 0 && out.port(a).pixels < kRoundTile * out.lane * static_cast<float>(loop.axis(a).block);
    });
  };
  for (int k = 0; k < 64 && out.lane * tile > kLeastTile && too_small(); ++k) {
    out.lane = out.lane >= 3 ? out.lane - 1 : out.lane * 0.85f;
    set_ports(loop, r, windowed, out);
  }
  auto length = [&](KAxis a) { return static_cast<float>(extent_of(loop, a) * out.lane); };
  for (KAxis a : kAxes) {
    KPort& p = out.port(a);
    p.pixels = std::max(1.0f, std::round(p.pixels));
    p.first = centre_of(loop, a) - p.pixels / out.lane / 2;
    if (p.pixels + 1 >= length(a)) p.first = 0;
    else out.whole = false;
    keep_inside(loop, a, p, out.lane);
  }
  const KPort &m = out.port(KAxis::M), &n = out.port(KAxis::N), &k = out.port(KAxis::K);
  const float used_w = k.pixels + r.gap + n.pixels, used_h = k.pixels + r.gap + m.pixels;
  const float x = std::round(r.x + std::max(0.0f, (r.w - used_w) / 2)), y = std::round(r.y + std::max(0.0f, (r.h - used_h) / 2));
  out.a = {x, y + k.pixels + r.gap, k.pixels, m.pixels};
  out.b = {x + k.pixels + r.gap, y, n.pixels, k.pixels};
  out.c = {out.b.x, out.a.y, n.pixels, m.pixels};
  return out;
}

KLayout apply_view(const KLoop& loop, const KLayout& fit, const KView& view) {
  if (view.fitted) return fit;
  KLayout out = fit;
  out.lane = view.lane;
  out.whole = false;
  for (KAxis a : kAxes) {
    out.port(a).first = view.first[static_cast<size_t>(a)];
    keep_inside(loop, a, out.port(a), out.lane);
  }
  return out;
}

void zoom(KView& view, const KLoop& loop, const KLayout& now, const KLayout& fit, float notches, const std::array<double, 3>& at, float most_lane) {
  if (notches == 0) return;
  float lane = now.lane * std::pow(1.3f, notches);
  // Whole pixels: at least one pixel a notch.
  if (lane >= 2 && now.lane >= 2) lane = notches > 0 ? std::max(std::round(lane), now.lane + 1) : std::min(std::round(lane), now.lane - 1);
  lane = std::min(whole_lane(lane), most_lane);
  if (lane <= fit.lane) {
    view = {};
    return;
  }
  view.fitted = false;
  view.lane = lane;
  for (KAxis a : kAxes) {
    const auto i = static_cast<size_t>(a);
    const KPort& p = now.ports[i];
    const float pixel = p.at(at[i], now.lane);  // stays where it is
    KPort moved = p;
    moved.first = at[i] - pixel / lane;
    keep_inside(loop, a, moved, lane);
    view.first[i] = moved.first;
  }
}

void pan(KView& view, const KLoop& loop, const KLayout& now, KAxis down, float dy, KAxis across, float dx) {
  if (dx == 0 && dy == 0) return;
  if (view.fitted && now.whole) return;
  if (view.fitted) view = {false, now.lane, {now.ports[0].first, now.ports[1].first, now.ports[2].first}};
  auto move = [&](KAxis a, float pixels) {
    KPort p = now.port(a);
    p.first -= pixels / now.lane;
    keep_inside(loop, a, p, now.lane);
    view.first[static_cast<size_t>(a)] = p.first;
  };
  move(down, dy);
  move(across, dx);
}

void zoom_to_tiles(KView& view, const KLoop& loop, const KLayout& fit) {
  float lane = std::numeric_limits<float>::max();
  for (KAxis a : kAxes) lane = std::min(lane, 0.6f * fit.port(a).pixels / static_cast<float>(std::max<int64_t>(loop.axis(a).block, 1)));
  lane = std::max(whole_lane(lane), fit.lane);
  view.fitted = false;
  view.lane = lane;
  for (KAxis a : kAxes) {
    KPort p = fit.port(a);
    p.first = centre_of(loop, a) - p.pixels / lane / 2;
    keep_inside(loop, a, p, lane);
    view.first[static_cast<size_t>(a)] = p.first;
  }
}

void follow(KView& view, const KLoop& loop, const KLayout& now, const std::array<int64_t, 3>& moved) {
  if (view.fitted) return;
  for (KAxis a : kAxes) {
    const auto i = static_cast<size_t>(a);
    if (moved[i] == 0) continue;
    KPort p = now.ports[i];
    p.first = view.first[i] + static_cast<double>(moved[i]);
    keep_inside(loop, a, p, now.lane);
    view.first[i] = p.first;
  }
}

}  // namespace tilescope::model
