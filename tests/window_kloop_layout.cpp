// Where A, B and C lie in the panel: whole pixels a lane, linked zoom, windows on long axes.
#include <cmath>

#include "visualizer/model/kloop_layout.h"
#include "window_session.h"

namespace tilescope::model {
namespace {

/// A product without anything recorded: sizes, tiles of 32, n iterations along K.
KLoop product(int64_t m, int64_t n, int64_t k, int64_t block = 32) {
  KLoop l;
  l.kind = KLoop::Kind::Product;
  const int64_t sizes[] = {m, n, k};
  l.iterations = (k + block - 1) / block;
  for (size_t a = 0; a < 3; ++a) {
    KAxisView& v = l.axes[a];
    v.size = sizes[a];
    v.block = block;
    v.extent = (sizes[a] + block - 1) / block * block;
    for (int64_t i = 0; i < l.iterations; ++i) {
      const int64_t at = a == static_cast<size_t>(KAxis::K) ? i * block : 0;
      v.tiles.push_back({at, at + block});
    }
    v.moves = a == static_cast<size_t>(KAxis::K);
  }
  return l;
}

}  // namespace

TEST_CASE("the matmul of 70 x 45 x 50 has lanes of 4 pixels in a window 900 high, 3 in one 720 high") {
  const KLoop l = product(70, 45, 50);
  const KLayout at900 = fit_layout(l, {580, 122, 556, 674, 30, 32}), at720 = fit_layout(l, {500, 122, 756, 526, 30, 32});
  CHECK(at900.lane == 4);
  CHECK(at720.lane == 3);
  CHECK(at900.whole);
  // B stands over C with the same columns, A left of it with the same rows.
  CHECK(at900.b.x == at900.c.x);
  CHECK(at900.b.w == at900.c.w);
  CHECK(at900.a.y == at900.c.y);
  CHECK(at900.a.h == at900.c.h);
  CHECK(at900.a.x + at900.a.w + 30 == at900.c.x);
  CHECK(at900.b.y + at900.b.h + 30 == at900.c.y);
}

TEST_CASE("a picture stays inside its room, whatever the sizes") {
  for (int64_t m : {1, 64, 4096})
    for (int64_t n : {16, 4096})
      for (int64_t k : {16, 1000, 65536}) {
        CAPTURE(m);
        CAPTURE(n);
        CAPTURE(k);
        const KRoom room{100, 100, 540, 660, 30, 32};
        const KLayout out = fit_layout(product(m, n, k, 16), room);
        CHECK(out.a.x >= room.x);
        CHECK(out.b.y >= room.y);
        CHECK(out.c.x + out.c.w <= room.x + room.w + 2);
        CHECK(out.c.y + out.c.h <= room.y + room.h + 2);
        CHECK(out.lane * 16 >= 5.99f);
        CHECK((out.lane < 2 || out.lane == std::floor(out.lane)));
      }
}

TEST_CASE("a long K is shown around its tile, and follows it") {
  KLoop l = product(64, 48, 16384, 64);
  l.iteration = 100;
  const KRoom room{100, 100, 540, 660, 30, 32};
  const KLayout out = fit_layout(l, room);
  CHECK_FALSE(out.whole);
  const KPort& k = out.port(KAxis::K);
  CHECK(k.first <= 6400);
  CHECK(k.first + k.pixels / out.lane >= 6464);
  l.iteration = 255;
  const KLayout at_end = fit_layout(l, room);
  const KPort& last = at_end.port(KAxis::K);
  CHECK(last.first + last.pixels / at_end.lane <= 16384.001);
}

TEST_CASE("zooming keeps the lane under the cursor, and out again fits everything") {
  const KLoop l = product(250, 190, 130);
  const KRoom room{100, 100, 540, 660, 30, 64};
  const KLayout fit = fit_layout(l, room);
  KView view;
  const std::array<double, 3> at{100, 50, 65};
  const float before = fit.port(KAxis::M).at(at[0], fit.lane);
  zoom(view, l, fit, fit, 6, at, 64);
  CHECK_FALSE(view.fitted);
  const KLayout in = apply_view(l, fit, view);
  CHECK(in.lane > 2 * fit.lane);
  CHECK(in.lane == std::floor(in.lane));
  CHECK(std::fabs(in.port(KAxis::M).at(at[0], in.lane) - before) <= 1);
  CHECK(in.c.w == fit.c.w);
  zoom(view, l, in, fit, -40, at, 64);
  CHECK(view.fitted);
  zoom(view, l, fit, fit, 1000, at, 64);
  CHECK(view.lane == 64);
}

TEST_CASE("dragging stops at the ends of the matrices, and does nothing when all is seen") {
  const KLoop l = product(250, 190, 130);
  const KLayout fit = fit_layout(l, {100, 100, 540, 660, 30, 64});
  KView view;
  pan(view, l, fit, KAxis::M, 50, KAxis::N, 50);
  CHECK(view.fitted);
  zoom_to_tiles(view, l, fit);
  pan(view, l, apply_view(l, fit, view), KAxis::M, -1e6f, KAxis::N, 1e6f);
  const KLayout out = apply_view(l, fit, view);
  CHECK(out.port(KAxis::N).first == 0);
  CHECK(out.port(KAxis::M).first + out.port(KAxis::M).pixels / out.lane == doctest::Approx(256).epsilon(0.01));
}

TEST_CASE("a zoomed picture moves on with the loop") {
  KLoop l = product(250, 190, 130);
  const KLayout fit = fit_layout(l, {100, 100, 540, 660, 30, 64});
  KView view;
  zoom_to_tiles(view, l, fit);
  l.iteration = 1;
  const KLayout before = apply_view(l, fit, view);
  follow(view, l, before, {0, 0, 32});
  const KLayout after = apply_view(l, fit, view);
  CHECK(after.port(KAxis::K).first > before.port(KAxis::K).first);
  CHECK(after.port(KAxis::M).first == before.port(KAxis::M).first);
}

}  // namespace tilescope::model
