#include "visualizer/model/kloop_plan.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tilescope::model {
namespace {

SourceRange place_of(const Op& op) { return op.loc == nullptr ? SourceRange{} : op.loc->range; }

std::string name_or(const std::string& name, const char* other) { return name.empty() ? other : name; }

/// "acc += a · b", or "qk = q · k" for a dot that adds to nothing that was there before.
std::string label_of(const KPlan::Dot& dot, const Function& f, const ValueFlow& flow) {
  const std::string result = name_or(f.values[dot.op->results[0]].name, "acc");
  const Op* from = flow.definition(dot.op->operands[2]);
  const bool adds = from == nullptr || from->code != OpCode::Constant;
  return result + (adds ? " += " : " = ") + name_or(dot.a.variable, "a") + " \u00b7 " + name_or(dot.b.variable, "b");
}

}  // namespace

std::shared_ptr<KPlan> KPlan::of(const Scene& scene) {
  static thread_local std::shared_ptr<KPlan> kept;
  if (kept == nullptr || kept->owner_.lock() != scene.run.recorded) kept = std::make_shared<KPlan>(scene);
  return kept;
}

KPlan::KPlan(const Scene& scene) : owner_(scene.run.recorded), flow_(*scene.function) {
  find_sites(scene);
  const std::vector<const Op*>& ops = scene.run.recorded->recording->ops();
  const std::vector<Step>& steps = scene.trace->steps;
  for (uint64_t s = 0; s < steps.size(); ++s) {
    const Step& step = steps[s];
    if (step.phase != StepPhase::Op || step.op < 0 || static_cast<size_t>(step.op) >= ops.size()) continue;
    const Op* op = ops[static_cast<size_t>(step.op)];
    if (op->code == OpCode::Dot || op->info().group == OpGroup::Memory) runs_[op].push_back(s);
  }
  find_instances(scene);
}

void KPlan::find_sites(const Scene& scene) {
  std::map<std::tuple<int, int, const CallFrame*>, size_t> known;
  for (const Op* op : scene.run.recorded->recording->ops()) {
    if (op->code != OpCode::Dot) continue;
    Dot dot;
    dot.op = op;
    dot.a = flow_.source_of(op->operands[0]);
    dot.b = flow_.source_of(op->operands[1]);
    dot.c = flow_.sink_of(op->results[0]);
    const SourceRange at = place_of(*op);
    const auto key = std::make_tuple(at.line, at.column, op->loc == nullptr ? nullptr : op->loc->calls.get());
    auto [found, fresh] = known.try_emplace(key, sites_.size());
    if (fresh) {
      Site site;
      // A helper's dot is shown at the line of the kernel that calls it.
      site.shown.line = at.line;
      for (const CallFrame* c = op->loc == nullptr ? nullptr : op->loc->calls.get(); c != nullptr; c = c->outer.get()) site.shown.line = c->call.line;
      site.shown.label = label_of(dot, *scene.function, flow_);
      site.column = at.column;
      sites_.push_back(std::move(site));
    }
    sites_[found->second].dots.push_back(std::move(dot));
  }
}

void KPlan::find_instances(const Scene& scene) {
  const ProgramTrace& trace = *scene.trace;
  const std::vector<const Op*>& ops = scene.run.recorded->recording->ops();
  auto loop_of = [&](int32_t frame) -> const Op* {
    const uint64_t first = trace.frames[static_cast<size_t>(frame)].first_step;
    return first < trace.steps.size() ? ops[static_cast<size_t>(trace.steps[first].op)] : nullptr;
  };
  for (const Site& site : sites_) {
    std::vector<Execution> all;
    for (size_t d = 0; d < site.dots.size(); ++d) {
      const auto runs = runs_.find(site.dots[d].op);
      if (runs == runs_.end()) continue;
      for (uint64_t s : runs->second) all.push_back({s, d, trace.steps[s].frame});
    }
    std::sort(all.begin(), all.end(), [](const Execution& x, const Execution& y) { return x.step < y.step; });
    if (const std::optional<Execution> last = unfinished(scene, site)) all.push_back(*last);
    std::vector<Instance> list;
    std::pair<int32_t, const Op*> last{-2, nullptr};
    for (const Execution& e : all) {
      const bool in_loop = e.frame >= 0;
      const std::pair<int32_t, const Op*> key =
          in_loop ? std::make_pair(trace.frames[static_cast<size_t>(e.frame)].parent, loop_of(e.frame)) : std::make_pair(-1, static_cast<const Op*>(nullptr));
      if (list.empty() || key != last) {
        list.emplace_back();
        list.back().in_loop = in_loop;
        list.back().first_step = in_loop ? trace.frames[static_cast<size_t>(e.frame)].first_step : e.step;
        list.back().line = in_loop ? trace.frames[static_cast<size_t>(e.frame)].position.line : site.shown.line;
      }
      last = key;
      list.back().runs.push_back(e);
      list.back().last_step = in_loop ? trace.frames[static_cast<size_t>(e.frame)].last_step : e.step + 1;
    }
    instances_.push_back(std::move(list));
  }
}

/// A fault in a load is what people want to see: the iteration counts although its dot never ran.
std::optional<KPlan::Execution> KPlan::unfinished(const Scene& scene, const Site& site) const {
  const ProgramTrace& trace = *scene.trace;
  if (trace.steps.empty() || (trace.faults.empty() && trace.truncated.empty())) return std::nullopt;
  const uint64_t end = trace.steps.size() - 1;
  const int32_t frame = trace.steps[end].frame;
  int64_t loaded = -1, ran = -1;
  for (const Dot& dot : site.dots) {
    for (const ValueFlow::Source* s : {&dot.a, &dot.b})
      if (s->op != nullptr && s->op->code == OpCode::Load) loaded = std::max(loaded, last_run(s->op, end));
    ran = std::max(ran, last_run(dot.op, end));
  }
  if (loaded < 0 || loaded <= ran || trace.steps[static_cast<size_t>(loaded)].frame != frame) return std::nullopt;
  const size_t done = static_cast<size_t>(std::count_if(site.dots.begin(), site.dots.end(), [&](const Dot& d) { return last_run(d.op, end) >= 0; }));
  return Execution{end, frame >= 0 ? 0 : std::min(done, site.dots.size() - 1), frame, false};
}

size_t KPlan::choose_site(const Scene& scene) const {
  if (sites_.size() < 2) return 0;
  if (scene.line_step < scene.timeline->lines.size()) {
    const LineStep& now = scene.timeline->lines[scene.line_step];
    for (size_t s = 0; s < sites_.size(); ++s)
      for (const Dot& dot : sites_[s].dots) {
        const int64_t ran = last_run(dot.op, now.last);
        if (ran >= static_cast<int64_t>(now.first)) return s;
      }
  }
  // The dot of the loop around the step that runs next, or ran last.
  size_t best = sites_.size();
  uint64_t best_step = 0;
  for (size_t s = 0; s < sites_.size(); ++s) {
    const Instance* in = instance(s, scene.step);
    if (in == nullptr || scene.step < in->first_step || scene.step >= in->last_step) continue;
    for (const Execution& e : in->runs)
      if (e.step >= scene.step && (best == sites_.size() || e.step < best_step)) {
        best = s;
        best_step = e.step;
        break;
      }
  }
  if (best < sites_.size()) return best;
  // Outside its loops: the product that reaches memory.
  for (size_t s = 0; s < sites_.size(); ++s)
    if (!instances_[s].empty() && sites_[s].dots[0].c.op != nullptr) return s;
  for (size_t s = 0; s < sites_.size(); ++s)
    if (!instances_[s].empty()) return s;
  return 0;
}

const KPlan::Instance* KPlan::instance(size_t site, uint64_t step) const {
  if (site >= instances_.size() || instances_[site].empty()) return nullptr;
  const std::vector<Instance>& list = instances_[site];
  for (const Instance& i : list)
    if (step < i.last_step) return &i;
  return &list.back();
}

int64_t KPlan::last_run(const Op* op, uint64_t step) const {
  const auto found = runs_.find(op);
  if (found == runs_.end()) return -1;
  const auto after = std::upper_bound(found->second.begin(), found->second.end(), step);
  return after == found->second.begin() ? -1 : static_cast<int64_t>(*std::prev(after));
}

int64_t KPlan::next_run(const Op* op, uint64_t step) const {
  const auto found = runs_.find(op);
  if (found == runs_.end()) return -1;
  const auto at = std::lower_bound(found->second.begin(), found->second.end(), step);
  return at == found->second.end() ? -1 : static_cast<int64_t>(*at);
}

}  // namespace tilescope::model
