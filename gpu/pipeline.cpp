#include "gpu/pipeline.h"

#include <algorithm>

#include "core/dot_contract.h"

namespace tilescope::gpu {
namespace {

class Finder {
 public:
  Finder(const Function& f, const Assignment& a, const AxisAnalysis& axes, const Hazards& hazards)
      : f_(f), a_(a), axes_(axes), hazards_(hazards) {
    walk(f.body, [&](const Op& op) {
      for (ValueId v : op.operands) ++uses_[v];
    });
  }

  std::map<const Op*, Pipeline> run() {
    std::map<const Op*, Pipeline> out;
    walk(f_.body, [&](const Op& op) {
      if (op.code != OpCode::For) return;
      Pipeline p = of_loop(op);
      if (!p.dots.empty()) out.emplace(&op, std::move(p));
    });
    return out;
  }

 private:
  Pipeline of_loop(const Op& loop) {
    const Block& body = loop.regions[0];
    producers_.clear();
    for (const auto& op : body.ops)
      for (ValueId r : op->results) producers_[r] = op.get();
    Pipeline p;
    std::set<const Op*> slice;
    std::set<size_t> carried;
    for (const auto& op : body.ops) {
      if (op->code != OpCode::Dot) continue;
      std::set<const Op*> more = slice;
      std::set<size_t> more_carried = carried;
      const Op* loads[2] = {};
      bool fits = f_.type(op->results[0]).shape.rank == 2 && f_.type(op->results[0]).shape[1] >= 8 &&
                  a_.is_wanted(op->results[0]);
      for (int i = 0; i < 2 && fits; ++i) {
        const auto at = producers_.find(op->operands[static_cast<size_t>(i)]);
        loads[i] = at == producers_.end() ? nullptr : at->second;
        fits = loads[i] != nullptr && can_be_copied(*loads[i], *op) &&
               gather(loop, loads[i]->operands, more, more_carried);
      }
      if (!fits || loads[0] == loads[1]) continue;
      p.dots.push_back(op.get());
      p.loads.insert(p.loads.end(), {loads[0], loads[1]});
      slice = more;
      carried = more_carried;
    }
    for (const auto& op : body.ops)
      if (slice.contains(op.get())) p.slice.push_back(op.get());
    p.carried.assign(carried.begin(), carried.end());
    return p;
  }

  bool can_be_copied(const Op& load, const Op& dot) const {
    if (load.code != OpCode::Load || !a_.access.contains(&load) || uses_.at(load.results[0]) != 1) return false;
    const AccessLayout& access = a_.access.at(&load);
    const Type& t = f_.type(load.results[0]);
    const auto contract = parse_dot_contract(dot.str_attr("contract"));
    // What lies in memory must be what lies in shared memory: float8 is converted on the way.
    if (!contract || dtype_bits(t.elem) == 1 ||
        (dtype_bits(t.elem) == 8 && contract->unit != DotContract::Unit::Integer))
      return false;
    const int bytes = access.vector_width * access.elem_bytes;
    if (access.order[0] != t.shape.rank - 1 || (bytes != 4 && bytes != 8 && bytes != 16)) return false;
    if (access.vector_width > 1 && axes_.of(load.operands[0]).assumes_non_negative) return false;
    if (hazards_.may_be_written(load.operands[0])) return false;
    return load.operands.size() < 3 || is_zero(load.operands[2]);
  }

  bool is_zero(ValueId v) const {
    bool zero = false;
    walk(f_.body, [&](const Op& op) {
      if (op.code == OpCode::Constant && op.results[0] == v) zero = op.int_attr("bits") == 0;
      if (op.code == OpCode::Splat && op.results[0] == v) zero = is_zero(op.operands[0]);
    });
    return zero;
  }

  /// Adds what the values are computed by; false when it is more than arithmetic.
  bool gather(const Op& loop, const std::vector<ValueId>& values, std::set<const Op*>& slice,
              std::set<size_t>& carried) const {
    const Block& body = loop.regions[0];
    for (ValueId v : values) {
      const auto arg = std::find(body.args.begin(), body.args.end(), v);
      if (arg != body.args.end() && arg != body.args.begin()) {
        const auto i = static_cast<size_t>(arg - body.args.begin()) - 1;
        if (carried.insert(i).second && !gather(loop, {body.ops.back()->operands[i]}, slice, carried)) return false;
      }
      const auto at = producers_.find(v);
      if (at == producers_.end() || slice.contains(at->second)) continue;
      const Op& op = *at->second;
      const bool arithmetic = op.info().group == OpGroup::Elementwise ||
                              (op.info().group == OpGroup::Shape && op.code != OpCode::Gather) ||
                              op.info().group == OpGroup::Program;
      if (!arithmetic) return false;
      slice.insert(&op);
      if (!gather(loop, op.operands, slice, carried)) return false;
    }
    return true;
  }

  const Function& f_;
  const Assignment& a_;
  const AxisAnalysis& axes_;
  const Hazards& hazards_;
  std::map<ValueId, int> uses_;
  std::map<ValueId, const Op*> producers_;  ///< of the values of the loop at hand
};

}  // namespace

std::map<const Op*, Pipeline> find_pipelines(const Function& f, const Assignment& a, const AxisAnalysis& axes,
                                             const Hazards& hazards) {
  return Finder(f, a, axes, hazards).run();
}

}  // namespace tilescope::gpu
