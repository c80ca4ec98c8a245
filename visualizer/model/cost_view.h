// What the Cost panel draws, as plain data: tiles loaded by the first programs, DRAM traffic by order, the roofline, and a
// summary of occupancy, caches and time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "visualizer/model/cost_findings.h"
#include "visualizer/model/session.h"
#include "visualizer/model/state.h"

namespace tilescope::model {

/// One order of the programs with the tiles that its first programs load.
struct OrderFigure {
  OtherOrder order;        ///< empty label: the launch's own order, and nothing to call it by
  bool current = false;
  std::shared_ptr<const TileMap> map;
  std::vector<TileCount> counts;  ///< by map->loads
  int64_t loads = 0;              ///< sum of their tiles
  bool fewer = false;             ///< than the figure beside it
};

struct TrafficBar {
  OtherOrder order;
  bool current = false;
  bool settable = false;  ///< a click sets the constexpr
  cost::Spread bytes;     ///< read from DRAM
  cost::Spread hit_rate;  ///< of the L2, 0 to 1
  double total_ms = 0;
  double against_current = 1;  ///< bytes / those of the current order
  bool least = false;          ///< of all bars, when they differ by more than 2%
};

struct Axis {
  double low = 0, high = 1;
  std::vector<double> ticks;
};

struct RooflinePoint {
  OtherOrder order;
  bool current = false;
  double intensity = 0, flops = 0;  ///< flop per byte of DRAM traffic; flop/s
};
struct RooflineView {
  std::string unit;        ///< "fp16 tensor cores"
  double peak = 0, bandwidth = 0;
  std::vector<RooflinePoint> points;  ///< the current one last, so that it is drawn on top
  double naive = 0, tiled = 0, ideal = 0;  ///< intensities
  Axis x, y;               ///< decades
};

/// One part of the estimated time.
struct TimePart {
  enum class Of : uint8_t { Dram, L2, Compute, Latency } of = Of::Dram;
  double ms = 0;
  bool bound = false;
};

struct CostView {
  enum class Stage : uint8_t {
    Nothing,   ///< no launch that compiles was ever there
    Waiting,   ///< at work, nothing to show yet
    Cancelled,
    Failed,    ///< errors say why
    Partial,   ///< tiles only, the rest is at work
    Ready,
  };
  Stage stage = Stage::Nothing;
  bool stale = false;     ///< of the launch before the last change
  std::string kernel, gpu_id, gpu;
  int64_t programs = 0;       ///< that the figures show
  int64_t most_programs = 0;  ///< that they could
  int64_t all_programs = 0;   ///< of the launch
  std::vector<OrderFigure> figures;  ///< the launch's own order first, at most one other
  std::vector<OtherOrder> others;    ///< that the second figure can show
  size_t other = 0;                  ///< index of the one it shows (or will)
  std::vector<TrafficBar> bars;
  double ideal_bytes = 0;     ///< each loaded byte once
  Axis bytes;                 ///< of the bars
  std::optional<RooflineView> roofline;
  std::shared_ptr<const cost::CostReport> report;
  std::vector<TimePart> parts;
  std::vector<Diagnostic> errors;
};

/// Cheap except for counting tiles; keep it as long as `findings` and the choices stay.
CostView make_cost_view(const std::shared_ptr<const CostFindings>& findings, const CostChoices& choices, bool busy, bool stale);

/// What is drawn, for tests and `view --state`.
std::string to_json(const CostView& view);

/// "5.50 GB", "268 MB", "12 kB", "320 B": three digits, whole numbers as they are; powers of 1000.
std::string bytes_text(double bytes);
/// "989 TFLOP/s" with `unit` "FLOP/s"; "4.80 TB/s" with "B/s". Powers of 1000.
std::string quantity_text(double value, const std::string& unit);
/// "1.73 ms", "85.3 µs".
std::string time_text(double ms);
/// The estimate's words, written for terminals, with "µs" for "us".
std::string with_window_units(std::string text);
/// "667", "0.5", "2 731": a number in three digits or whole.
std::string number_text(double x);

}  // namespace tilescope::model
