#include "visualizer/model/masked_lanes.h"

#include <algorithm>
#include <map>
#include <utility>

#include "visualizer/model/provenance.h"

namespace tilescope::model {
namespace {

constexpr int kMaxDepth = 400;  // ops on one path; kernels are far shorter, and the stack is finite

using Lanes = std::vector<int64_t>;

class Finder {
 public:
  Finder(const ProgramValues& values, uint64_t step) : values_(values), step_(step), f_(values.flow().function()) {}

  std::vector<LaneData> of(ValueId v, const Lanes& lanes, int depth) {
    if (uniform(lanes) || !f_.type(v).is_tile()) return {lanes.size(), LaneData::None};
    const auto known = known_.find({v, lanes});
    if (known != known_.end()) return known->second;
    std::vector<LaneData> out = find(v, lanes, depth);
    known_.emplace(std::pair{v, lanes}, out);
    return out;
  }

 private:
  // One element repeated by a broadcast: a row's mean says nothing about single lanes.
  static bool uniform(const Lanes& lanes) {
    return lanes.size() > 1 && std::all_of(lanes.begin(), lanes.end(), [&](int64_t l) { return l == lanes.front(); });
  }

  std::vector<LaneData> find(ValueId v, const Lanes& lanes, int depth) {
    const Definition& d = values_.flow().definition(v);
    const std::vector<LaneData> loaded(lanes.size(), LaneData::Loaded);
    if (d.by != Definition::By::Result || depth > kMaxDepth) return loaded;
    const Op& op = *d.op;
    if (op.code == OpCode::Load) return of_load(v, lanes);
    if (op.operands.empty()) return {lanes.size(), LaneData::None};
    const OpGroup group = op.info().group;
    if (group != OpGroup::Elementwise && group != OpGroup::Shape) return loaded;
    return of_operands(op, d.index, lanes, depth);
  }

  std::vector<LaneData> of_load(ValueId v, const Lanes& lanes) const {
    std::vector<LaneData> out(lanes.size(), LaneData::Loaded);
    const ProgramValues::Found found = values_.at(v, step_);
    const auto data = found && found.step >= 0 ? values_.data(static_cast<uint64_t>(found.step)) : nullptr;
    if (data == nullptr || !data->access) return out;
    const std::vector<LaneState>& states = data->access->states;
    for (size_t i = 0; i < lanes.size(); ++i)
      if (static_cast<size_t>(lanes[i]) < states.size() && states[static_cast<size_t>(lanes[i])] == LaneState::Masked) out[i] = LaneData::Masked;
    return out;
  }

  std::vector<LaneData> of_operands(const Op& op, int result, const Lanes& lanes, int depth) {
    std::map<int, std::pair<Lanes, std::vector<size_t>>> asked;  // by operand: its lanes, and whose they are
    for (size_t i = 0; i < lanes.size(); ++i)
      for (const OperandLanes& from : source_lanes(f_, op, result, lanes[i]))
        for (int64_t l : from.lanes) {
          asked[from.operand].first.push_back(l);
          asked[from.operand].second.push_back(i);
        }
    std::vector<LaneData> out(lanes.size(), LaneData::None);
    for (const auto& [operand, of_it] : asked) {
      const std::vector<LaneData> part = of(op.operands[static_cast<size_t>(operand)], of_it.first, depth + 1);
      for (size_t i = 0; i < part.size(); ++i) out[of_it.second[i]] = std::max(out[of_it.second[i]], part[i]);
    }
    return out;
  }

  const ProgramValues& values_;
  uint64_t step_;
  const Function& f_;
  std::map<std::pair<ValueId, Lanes>, std::vector<LaneData>> known_;
};

}  // namespace

std::vector<LaneData> lane_data(const ProgramValues& values, ValueId value, uint64_t step, const std::vector<int64_t>& lanes) {
  return Finder(values, step).of(value, lanes, 0);
}

}  // namespace tilescope::model
