#include "visualizer/model/reduction.h"

#include <algorithm>
#include <cmath>

#include "core/fold.h"
#include "visualizer/model/masked_lanes.h"
#include "visualizer/model/value_flow.h"
#include "visualizer/model/values.h"

namespace tilescope::model {
namespace {

constexpr int64_t kMostLanes = 1 << 14;

/// Executions of the program's reductions.
struct Found {
  const Op* op = nullptr;
  std::vector<uint64_t> steps;
  ReduceSite shown;
};

struct Held {
  std::shared_ptr<const StepData> data;
  const ValueRecord* record = nullptr;
  int64_t step = -1;
};

Held value_at(ProgramRecording& recording, ValueId v, uint64_t step) {
  Held h;
  h.step = recording.last_definition(v, step);
  if (h.step < 0) return h;
  h.data = recording.step(static_cast<uint64_t>(h.step));
  for (const ValueRecord& r : h.data->results)
    if (r.value == v) h.record = &r;
  return h;
}

uint64_t lane_bits(const ValueRecord& r, int64_t lane) {
  uint64_t bits = 0;
  const int bytes = r.type.storage_bytes();
  std::copy_n(r.data.data() + lane * bytes, bytes, reinterpret_cast<std::byte*>(&bits));
  return canonical_bits(r.type.elem, bits);
}

std::string combine_name(const Op& op) {
  const std::string_view c = op.str_attr("combine");
  if (c == "user") return "reduce";
  return std::string(c);
}

/// Product of the axes before, along and after the one that is reduced.
struct Extents {
  int64_t outer = 1, axis = 1, inner = 1;
};
Extents extents_of(const Shape& s, int axis) {
  Extents e;
  for (int a = 0; a < s.rank; ++a) (a < axis ? e.outer : a == axis ? e.axis : e.inner) *= s[a];
  return e;
}

/// What does not change from step to step. Kept while scenes show the same recording.
struct Plan {
  std::weak_ptr<const Recorded> owner;
  ValueFlow flow;
  std::vector<Found> sites;

  explicit Plan(const Scene& scene) : owner(scene.run.recorded), flow(*scene.function) {
    const std::vector<const Op*>& ops = scene.run.recorded->recording->ops();
    std::vector<int> site_of(ops.size(), -1);
    for (size_t i = 0; i < ops.size(); ++i) {
      const Op& op = *ops[i];
      if (op.code != OpCode::Reduce && op.code != OpCode::Scan) continue;
      Found f;
      f.op = &op;
      f.shown.line = op.loc == nullptr ? 0 : op.loc->range.line;
      for (const CallFrame* c = op.loc == nullptr ? nullptr : op.loc->calls.get(); c != nullptr; c = c->outer.get()) f.shown.line = c->call.line;
      const std::string of = flow.source_of(op.operands[0]).variable;
      f.shown.label = (op.code == OpCode::Scan ? "scan " : "") + combine_name(op) + (of.empty() ? "" : "(" + of + ")");
      site_of[i] = static_cast<int>(sites.size());
      sites.push_back(std::move(f));
    }
    const std::vector<Step>& steps = scene.trace->steps;
    for (uint64_t s = 0; s < steps.size(); ++s) {
      const Step& step = steps[s];
      if (step.phase != StepPhase::Op || step.op < 0 || static_cast<size_t>(step.op) >= ops.size()) continue;
      const int at = site_of[static_cast<size_t>(step.op)];
      if (at >= 0) sites[static_cast<size_t>(at)].steps.push_back(s);
    }
  }
};

const Plan& plan_of(const Scene& scene) {
  static thread_local std::unique_ptr<Plan> kept;
  if (kept == nullptr || kept->owner.lock() != scene.run.recorded) kept = std::make_unique<Plan>(scene);
  return *kept;
}

int64_t last_run(const Found& f, uint64_t step) {
  const auto after = std::upper_bound(f.steps.begin(), f.steps.end(), step);
  return after == f.steps.begin() ? -1 : static_cast<int64_t>(*std::prev(after));
}

/// The reduction that the current line holds (the last that ran, of several), else the one that ran last, else the next.
size_t choose_site(const Plan& plan, const Scene& scene) {
  size_t best = 0;
  int64_t best_step = -1;
  const LineStep& line = scene.timeline->lines[scene.line_step];
  for (size_t i = 0; i < plan.sites.size(); ++i) {
    const auto& steps = plan.sites[i].steps;
    const auto at = std::lower_bound(steps.begin(), steps.end(), line.first);
    if (at != steps.end() && *at <= line.last && (best_step < 0 || *at <= scene.step)) best = i, best_step = static_cast<int64_t>(*at);
  }
  if (best_step >= 0) return best;
  for (size_t i = 0; i < plan.sites.size(); ++i) {
    const int64_t ran = last_run(plan.sites[i], scene.step);
    if (ran > best_step) best = i, best_step = ran;
  }
  if (best_step >= 0) return best;
  for (size_t i = 0; i < plan.sites.size(); ++i)
    if (!plan.sites[i].steps.empty()) return i;
  return 0;
}

class Maker {
 public:
  Maker(const Scene& scene, const Plan& plan, const Found& found, Reduction& out)
      : scene_(scene), plan_(plan), op_(*found.op), out_(out), recording_(*scene.run.recorded->recording) {}

  void run(uint64_t step, int64_t row) {
    const Type& type = scene_.function->type(op_.operands[0]);
    out_.step = static_cast<int64_t>(step);
    out_.scan = op_.code == OpCode::Scan;
    out_.reverse = op_.int_attr("reverse") != 0;
    out_.combine = std::string(op_.str_attr("combine"));
    out_.operand = plan_.flow.source_of(op_.operands[0]).variable;
    for (ValueId v : op_.results)  // of an argmax the index has the name
      if (out_.result.empty()) out_.result = scene_.function->values[v].name;
    out_.dtype = type.elem;
    out_.axis = static_cast<int>(op_.int_attr("axis"));
    out_.shape = type.shape;
    const Extents e = extents_of(type.shape, out_.axis);
    out_.length = e.axis;
    out_.rows = e.outer * e.inner;
    out_.row = std::clamp<int64_t>(row, 0, out_.rows - 1);
    inner_ = e.inner;
    int64_t rest = out_.row;
    out_.row_index.assign(static_cast<size_t>(type.shape.rank), 0);
    for (int a = type.shape.rank - 1; a >= 0; --a)
      if (a != out_.axis) out_.row_index[static_cast<size_t>(a)] = rest % type.shape[a], rest /= type.shape[a];
    out_.done = step <= scene_.step;
    const LineStep& line = scene_.timeline->lines[scene_.line_step];
    out_.now = step >= line.first && step <= line.last;
    out_.kind = Reduction::Kind::TooLong;
    if (out_.length > kMostLanes) return;
    fill(step);
  }

 private:
  int64_t lane_at(int64_t i) const { return (out_.row / inner_ * out_.length + i) * inner_ + out_.row % inner_; }

  void fill(uint64_t step) {
    std::vector<LaneBits> lanes(static_cast<size_t>(out_.length));
    out_.known = true;
    out_.kind = Reduction::Kind::Opaque;
    for (ValueId v : op_.operands) {
      const Held h = value_at(recording_, v, step);
      if (h.record == nullptr) return;
      out_.known = out_.known && static_cast<uint64_t>(h.step) <= scene_.step;
      for (int64_t i = 0; i < out_.length; ++i) lanes[static_cast<size_t>(i)].push_back(lane_bits(*h.record, lane_at(i)));
    }
    if (out_.scan && out_.reverse) std::reverse(lanes.begin(), lanes.end());
    const Combine combine(*scene_.function, op_, [&](ValueId v) -> std::optional<uint64_t> {
      const ProgramValues* values = program_values(scene_);
      if (values == nullptr) return std::nullopt;
      const ProgramValues::Found f = values->at(v, step);
      if (!f || f.record->data.empty()) return std::nullopt;
      return lane_bits(*f.record, 0);
    });
    out_.levels = out_.scan ? scan_levels(combine, lanes) : reduce_levels(combine, lanes);
    if (out_.levels.empty()) return;
    out_.kind = Reduction::Kind::Shown;
    compare(step);
    find_masked(step, combine);
    find_winner();
    for (const ReduceLevel& level : out_.levels) {
      double reach = 0;
      for (const LaneBits& b : level.lanes) {
        const double x = std::fabs(element_to_double(out_.dtype, b[0]));
        if (std::isfinite(x)) reach = std::max(reach, x);
      }
      out_.reach.push_back(std::max(reach, 1e-30));
    }
  }

  /// The recorded result against the last level, NaNs by class.
  void compare(uint64_t step) {
    out_.equal = true;
    const std::vector<LaneBits>& last = out_.levels.back().lanes;
    for (size_t k = 0; k < op_.results.size(); ++k) {
      const Held h = value_at(recording_, op_.results[k], step);
      if (h.record == nullptr || h.step != static_cast<int64_t>(step)) {
        out_.equal = false;
        return;
      }
      for (size_t i = 0; i < last.size(); ++i) {
        const int64_t lane = out_.scan ? lane_at(out_.reverse ? out_.length - 1 - static_cast<int64_t>(i) : static_cast<int64_t>(i)) : out_.row;
        out_.equal = out_.equal && lane_bits(*h.record, lane) == last[i][k];
      }
    }
  }

  /// Lanes that loads' masks turned off and nothing else was added to: padding up to the power of two.
  void find_masked(uint64_t step, const Combine& combine) {
    const ProgramValues* values = program_values(scene_);
    if (values == nullptr) return;
    std::vector<int64_t> all;
    for (int64_t i = 0; i < out_.length; ++i) all.push_back(lane_at(i));
    const std::vector<LaneData> data = lane_data(*values, op_.operands[0], step, all);
    if (std::none_of(data.begin(), data.end(), [](LaneData d) { return d == LaneData::Masked; })) return;
    out_.masked.assign(static_cast<size_t>(out_.length), 0);
    std::vector<size_t> lanes;
    for (int64_t i = 0; i < out_.length; ++i) {
      if (data[static_cast<size_t>(i)] != LaneData::Masked) continue;
      const int64_t at = out_.scan && out_.reverse ? out_.length - 1 - i : i;
      out_.masked[static_cast<size_t>(at)] = 1;
      lanes.push_back(static_cast<size_t>(at));
    }
    out_.masked_lanes = static_cast<int64_t>(lanes.size());
    const std::vector<LaneBits>& leaves = out_.levels.front().lanes;
    const LaneBits& held = leaves[lanes[0]];
    const bool one = std::all_of(lanes.begin(), lanes.end(), [&](size_t i) { return leaves[i][0] == held[0]; });
    if (!one) return;
    out_.masked_value = short_number(element_to_double(out_.dtype, held[0]));
    if (op_.operands.size() != 1) return;
    // Neutral: it leaves every other lane as it was, from both sides.
    out_.masked_neutral = true;
    for (size_t i = 0; i < leaves.size() && out_.masked_neutral; ++i) {
      if (out_.masked[i]) continue;
      const auto l = combine(held, leaves[i]), r = combine(leaves[i], held);
      out_.masked_neutral = l && r && *l == leaves[i] && *r == leaves[i];
    }
  }

  /// Where a largest or smallest value came from, level by level.
  void find_winner() {
    const bool picks = out_.combine.find("max") != std::string::npos || out_.combine.find("min") != std::string::npos;
    if (!picks || out_.scan) return;
    out_.winner.assign(out_.levels.size(), -1);
    int64_t at = 0;
    for (size_t l = out_.levels.size(); l-- > 0;) {
      out_.winner[l] = at;
      if (l == 0) break;
      const std::vector<LaneBits>& below = out_.levels[l - 1].lanes;
      at = 2 * at + (below[static_cast<size_t>(2 * at)] == out_.levels[l].lanes[static_cast<size_t>(at)] ? 0 : 1);
    }
  }

  const Scene& scene_;
  const Plan& plan_;
  const Op& op_;
  Reduction& out_;
  ProgramRecording& recording_;
  int64_t inner_ = 1;
};

}  // namespace

double Reduction::value(size_t level, int64_t lane) const { return element_to_double(dtype, levels[level].lanes[static_cast<size_t>(lane)][0]); }

int64_t Reduction::index(size_t level, int64_t lane) const {
  const LaneBits& b = levels[level].lanes[static_cast<size_t>(lane)];
  return b.size() == 2 && combine.starts_with("arg") ? static_cast<int32_t>(b[1]) : -1;
}

std::vector<int64_t> operand_index(const Reduction& r, int64_t lane) {
  std::vector<int64_t> out = r.row_index;
  if (r.axis >= 0 && static_cast<size_t>(r.axis) < out.size()) out[static_cast<size_t>(r.axis)] = r.scan && r.reverse ? r.length - 1 - lane : lane;
  return out;
}

Reduction make_reduction(const Scene& scene, int site, int64_t row) {
  Reduction out;
  if (!scene.ready || scene.run.recorded == nullptr || scene.trace == nullptr || scene.timeline == nullptr || scene.function == nullptr) return out;
  if (scene.line_step >= scene.timeline->lines.size()) return out;
  const Plan& plan = plan_of(scene);
  for (const Found& f : plan.sites) out.sites.push_back(f.shown);
  out.kind = Reduction::Kind::Nothing;
  if (plan.sites.empty()) return out;
  out.site = site >= 0 && static_cast<size_t>(site) < plan.sites.size() ? static_cast<size_t>(site) : choose_site(plan, scene);
  const Found& f = plan.sites[out.site];
  out.kind = Reduction::Kind::NeverRan;
  if (f.steps.empty()) return out;
  // The execution of the current line, else the last one, else the first to come.
  const LineStep& line = scene.timeline->lines[scene.line_step];
  const auto here = std::lower_bound(f.steps.begin(), f.steps.end(), line.first);
  const int64_t last = last_run(f, scene.step);
  const uint64_t step = here != f.steps.end() && *here <= line.last ? *here : last >= 0 ? static_cast<uint64_t>(last) : f.steps.front();
  Maker(scene, plan, f, out).run(step, row);
  return out;
}

}  // namespace tilescope::model
