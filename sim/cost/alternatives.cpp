// "What if the programs came in another order?": a constexpr that changes nothing else, such as GROUP_M, and orders in
// which the programs of a plain two-dimensional grid could be dealt.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sim/cost/model.h"

namespace tilescope::cost {
namespace {

constexpr size_t kManySteps = size_t{1} << 21;  // beyond, other orders are run for two seeds: the launch is slow to replay, and even

/// The ops that work on tiles or touch memory, with their types: equal for two kernels whose programs do the same work.
std::vector<std::string> tile_ops(const Function& f) {
  std::vector<std::string> out;
  walk(f.body, [&](const Op& op) {
    std::string text(op.info().name);
    bool tile = op.info().group == OpGroup::Memory;
    for (const auto* values : {&op.operands, &op.results})
      for (ValueId v : *values) {
        tile |= f.type(v).is_tile();
        text += ' ' + to_string(f.type(v));
      }
    if (tile && op.code != OpCode::Yield && op.code != OpCode::For && op.code != OpCode::While && op.code != OpCode::If)
      out.push_back(std::move(text));
  });
  return out;
}

LaunchSpec with_value(const LaunchSpec& spec, const std::string& name, int64_t value) {
  LaunchSpec out = spec;
  for (LaunchArg& a : out.args)
    if (a.name == name) a.value = value;
  return out;
}

/// Tiles in the order in which the first programs come to them, as one number.
uint64_t order_hash(const LaunchSteps& s) {
  uint64_t h = 0;
  uint64_t last = s.begin[std::min<int64_t>(s.recorded(), 4096)];
  for (uint64_t i = 0; i < last; ++i) {
    const StepTile& t = s.tiles[s.steps[i].tile];
    h = mix_bits(h ^ t.start ^ (uint64_t{static_cast<uint32_t>(t.op)} << 48));
  }
  return h;
}

class Search {
 public:
  Search(TrafficSource& source, const LaunchSteps& steps, const SeedSpread& present, const LaunchFacts& facts,
         const ModelInput& input, const std::function<bool(double)>& progress)
      : source_(source), steps_(steps), present_(present), facts_(facts), input_(input), options_(*input.options), progress_(progress) {
    if (steps.steps.size() > kManySteps) facts_.seeds = std::min(facts_.seeds, 2);
    int64_t columns = tile_columns(steps, source.tensors());
    first_ = columns > 1 ? columns : facts.occupancy.at_once;
  }

  std::optional<std::vector<Alternative>> run() {
    std::vector<std::string> names = order_constexprs();
    for (size_t i = 0; i < names.size() && !stopped_; ++i) {
      std::vector<Alternative> found = try_values(names[i], static_cast<double>(i) / static_cast<double>(names.size()),
                                                  0.8 / static_cast<double>(names.size()));
      if (found.size() > 1) {
        out_ = std::move(found);
        break;
      }
    }
    if (!stopped_ && facts_.grid[0] > 1 && facts_.grid[1] > 1) try_dealt_orders();
    if (stopped_) return std::nullopt;
    return std::move(out_);
  }

 private:
  /// Integer constexprs of the launch whose change leaves the grid and the tiles as they are.
  std::vector<std::string> order_constexprs() const {
    std::vector<std::string> out;
    if (!input_.spec || !input_.open || options_.order.kind != DealOrder::Kind::Kernel) return out;
    const Function& f = source_.kernel().function;
    auto own = tile_ops(f);
    for (const auto& [name, text] : f.constexprs) {
      const LaunchArg* arg = input_.spec->find(name);
      const int64_t* value = arg ? std::get_if<int64_t>(&arg->value) : nullptr;
      if (!value || *value < 1 || *value > (int64_t{1} << 30)) continue;
      LaunchSpec other = with_value(*input_.spec, name, *value * 2);
      auto grid = evaluate_grid(other);
      if (!grid || *grid != facts_.grid) continue;
      auto kernel = compile_kernel(compile_request(other, f.source));
      if (kernel && tile_ops(kernel->function) == own) out.push_back(name);
    }
    return out;
  }

  std::vector<int64_t> values(int64_t present) const {
    std::set<int64_t> v(options_.order_values.begin(), options_.order_values.end());
    if (v.empty()) v = {1, 2, 4, 8, 16};
    v.insert(present);
    return {v.begin(), v.end()};
  }

  std::vector<Alternative> try_values(const std::string& name, double from, double share) {
    std::vector<Alternative> found;
    int64_t present = std::get<int64_t>(input_.spec->find(name)->value);
    std::vector<int64_t> all = values(present);
    bool differs = false;
    for (size_t i = 0; i < all.size() && !stopped_; ++i) {
      double at = from + share * static_cast<double>(i) / static_cast<double>(all.size());
      if (!go_on(at)) return {};
      Alternative a;
      a.parameter = name;
      a.value = all[i];
      a.label = fmt::format("{} = {}", name, all[i]);
      a.current = all[i] == present;
      if (a.current) {
        fill(a, steps_, Dealer({}, facts_.grid), present_);
        found.push_back(a);
        continue;
      }
      auto other = input_.open(with_value(*input_.spec, name, all[i]));
      if (!other) continue;
      Dealer dealer({}, facts_.grid);
      auto steps = record_steps(**other, dealer, facts_.gpu, [&](double) { return go_on(at); });
      if (!steps) return {};
      if (!only_reordered(*steps)) continue;
      differs |= order_hash(*steps) != order_hash(steps_);
      if (!differs && i >= 2) return {};  // it changes something else than the order
      auto spread = replay_seeds(*steps, dealer, facts_, 0, [&](double) { return go_on(at); });
      if (!spread) return stopped_ = true, std::vector<Alternative>{};
      fill(a, *steps, dealer, *spread);
      found.push_back(a);
    }
    return differs ? found : std::vector<Alternative>{};
  }

  /// The same tiles as the launch's, as often.
  bool only_reordered(const LaunchSteps& s) const {
    if (s.stopped != steps_.stopped) return false;
    if (!s.whole || !steps_.whole) return s.whole == steps_.whole;  // cannot be told: the compiler's word must do
    return s.steps.size() == steps_.steps.size() && tiles_hash(s) == tiles_hash(steps_);
  }

  void try_dealt_orders() {
    using Kind = DealOrder::Kind;
    std::vector<std::pair<DealOrder, std::string>> orders = {{{Kind::Kernel, 1, 0}, "as numbered, axis 0 first"},
                                                             {{Kind::OtherAxisFirst, 1, 0}, "other axis first"}};
    for (int64_t g : values(1))
      if (g > 1 && g < facts_.grid[0]) orders.push_back({{Kind::Grouped, g, 0}, fmt::format("groups of {} along axis 0", g)});
    orders.push_back({{Kind::Shuffled, 1, options_.order.seed}, "shuffled"});
    const DealOrder& own = options_.order;
    for (size_t i = 0; i < orders.size(); ++i) {
      double at = 0.8 + 0.2 * static_cast<double>(i) / static_cast<double>(orders.size());
      if (!go_on(at)) return;
      auto& [order, label] = orders[i];
      Alternative a;
      a.parameter = "order";
      a.label = label;
      a.order = order;
      a.value = order.kind == Kind::Grouped ? order.group : order.kind == Kind::OtherAxisFirst ? 1 : 0;
      a.current = order.kind == own.kind && (order.kind != Kind::Grouped || order.group == own.group);
      Dealer dealer(order, facts_.grid);
      if (a.current) {
        fill(a, steps_, dealer, present_);
        out_.push_back(a);
        continue;
      }
      std::optional<LaunchSteps> again;  // what was recorded of a large launch depends on the order
      if (!steps_.whole && !(again = record_steps(source_, dealer, facts_.gpu, [&](double) { return go_on(at); }))) return;
      const LaunchSteps& steps = again ? *again : steps_;
      auto spread = replay_seeds(steps, dealer, facts_, 0, [&](double) { return go_on(at); });
      if (!spread) {
        stopped_ = true;
        return;
      }
      fill(a, steps, dealer, *spread);
      out_.push_back(a);
    }
  }

  void fill(Alternative& a, const LaunchSteps& steps, const Dealer& dealer, const SeedSpread& spread) const {
    a.dram_read = spread.dram_read;
    a.l2_hit_rate = spread.hit_rate;
    a.total_ms = estimate_order(steps, spread, facts_, source_.ops()).total_ms;
    a.tile_loads_first = tiles_loaded(steps, dealer, first_);
  }

  bool go_on(double at) {
    if (progress_ && !progress_(std::min(1.0, at))) stopped_ = true;
    return !stopped_;
  }

  TrafficSource& source_;
  const LaunchSteps& steps_;
  const SeedSpread& present_;
  LaunchFacts facts_;
  const ModelInput& input_;
  const CostOptions& options_;
  const std::function<bool(double)>& progress_;
  int64_t first_ = 1;
  bool stopped_ = false;
  std::vector<Alternative> out_;
};

}  // namespace

std::optional<std::vector<Alternative>> find_alternatives(TrafficSource& source, const LaunchSteps& steps,
                                                          const SeedSpread& present, const LaunchFacts& facts,
                                                          const ModelInput& input, const std::function<bool(double)>& progress) {
  return Search(source, steps, present, facts, input, progress).run();
}

}  // namespace tilescope::cost
