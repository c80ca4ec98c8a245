// The parts of the Cost panel. Each draws one section into a rectangle.
#pragma once

#include <fmt/format.h>

#include <string>

#include "visualizer/model/cost_view.h"
#include "visualizer/window/panel.h"

namespace tilescope::window {

/// What the sections share.
struct CostPanel {
  PanelContext& c;
  const model::CostView& view;

  Ui& ui() const { return c.ui; }
  const Theme& theme() const { return c.ui.theme(); }
  template <class... Args>
  std::string say(Text id, const Args&... args) const {
    return fmt::format(fmt::runtime(c.ui.t(id)), args...);
  }
  /// "5.79 GB to 5.91 GB over 5 runs"; one of the two where they read alike.
  std::string over_seeds(const std::string& low, const std::string& high) const {
    const int runs = view.report->seeds;
    return low == high ? say(Text::CostOverSeedsSame, low, runs) : say(Text::CostOverSeeds, low, high, runs);
  }
  /// "GROUP_M = 8"; dealt orders in the language of the window.
  std::string name(const model::OtherOrder& order) const;
};

/// Tiles that the first programs load: the launch's order and another one beside it.
void draw_cost_order(const CostPanel& p, Rect r);
/// Bytes read from DRAM, a bar an order; all of them have room in cost_bars_height().
void draw_cost_bars(const CostPanel& p, Rect r);
float cost_bars_height(const CostPanel& p);
void draw_cost_roofline(const CostPanel& p, Rect r);
/// Time, what it is made of, programs at once, hit rate; all of their words have room in cost_summary_height().
void draw_cost_summary(const CostPanel& p, Rect r);
float cost_summary_height(const CostPanel& p, float width);

/// A section's title with a caption beside it; takes the row off `r`.
void draw_cost_heading(const CostPanel& p, Rect& r, std::string_view title, std::string_view caption);

}  // namespace tilescope::window
