#include "visualizer/model/reduce_tree.h"

#include <unordered_map>

#include "core/fold.h"
#include "core/verify_ops.h"

namespace tilescope::model {
namespace {

std::optional<OpCode> code_of(std::string_view combine) {
  for (OpCode op : {OpCode::Add, OpCode::Mul, OpCode::Maximum, OpCode::Minimum, OpCode::MaximumNan, OpCode::MinimumNan, OpCode::BitAnd, OpCode::BitOr,
                    OpCode::BitXor})
    if (combine_of(op) == combine) return op;
  return std::nullopt;
}

/// Of (value, index) pairs: the left one stays when it is better, or equal with the lower index and ties go left.
std::optional<LaneBits> arg_best(std::string_view name, DType t, const LaneBits& left, const LaneBits& right) {
  const bool largest = name.starts_with("argmax"), ties_left = !name.ends_with("_right");
  const uint64_t values[] = {left[0], right[0]};
  const auto better = evaluate(largest ? OpCode::CmpGt : OpCode::CmpLt, t, DType::Int1, values);
  const auto equal = evaluate(OpCode::CmpEq, t, DType::Int1, values);
  if (!better || !equal) return std::nullopt;
  const bool lower = static_cast<int32_t>(left[1]) < static_cast<int32_t>(right[1]);
  return *better != 0 || (ties_left && *equal != 0 && lower) ? left : right;
}

}  // namespace

Combine::Combine(const Function& f, const Op& op, std::function<std::optional<uint64_t>(ValueId)> outer)
    : f_(f), op_(op), name_(op.str_attr("combine")), code_(code_of(name_)), outer_(std::move(outer)) {
  for (ValueId v : op.operands) types_.push_back(f.type(v).elem);
}

std::optional<LaneBits> Combine::operator()(const LaneBits& left, const LaneBits& right) const {
  return name_ == "user" ? region(left, right) : built_in(left, right);
}

std::optional<LaneBits> Combine::built_in(const LaneBits& left, const LaneBits& right) const {
  if (!code_) return left.size() == 2 && right.size() == 2 ? arg_best(name_, types_[0], left, right) : std::nullopt;
  const uint64_t values[] = {left[0], right[0]};
  const auto bits = evaluate(*code_, types_[0], types_[0], values);
  return bits ? std::optional<LaneBits>(LaneBits{*bits}) : std::nullopt;
}

std::optional<LaneBits> Combine::region(const LaneBits& left, const LaneBits& right) const {
  if (op_.regions.size() != 1 || op_.regions[0].args.size() != left.size() + right.size()) return std::nullopt;
  const Block& body = op_.regions[0];
  std::unordered_map<ValueId, uint64_t> known;
  for (size_t k = 0; k < body.args.size(); ++k) known[body.args[k]] = k < left.size() ? left[k] : right[k - left.size()];
  auto value = [&](ValueId v) -> std::optional<uint64_t> {
    const auto found = known.find(v);
    return found != known.end() ? std::optional<uint64_t>(found->second) : outer_(v);
  };
  for (const auto& op : body.ops) {
    std::vector<uint64_t> in;
    for (ValueId v : op->operands) {
      const auto bits = value(v);
      if (!bits) return std::nullopt;
      in.push_back(*bits);
    }
    if (op->code == OpCode::Yield) return in;
    if (op->results.size() != 1) return std::nullopt;
    const DType to = f_.type(op->results[0]).elem;
    if (op->code == OpCode::Constant) {
      known[op->results[0]] = canonical_bits(to, static_cast<uint64_t>(op->int_attr("bits")));
      continue;
    }
    const DType from = op->code == OpCode::Select ? to : op->operands.empty() ? to : f_.type(op->operands[0]).elem;
    const auto bits = op->info().group == OpGroup::Elementwise ? evaluate(op->code, from, to, in.data()) : std::nullopt;
    if (!bits) return std::nullopt;
    known[op->results[0]] = *bits;
  }
  return std::nullopt;
}

std::vector<ReduceLevel> reduce_levels(const Combine& combine, std::vector<LaneBits> lanes) {
  std::vector<ReduceLevel> out{{std::move(lanes), {}}};
  while (out.back().lanes.size() > 1) {
    ReduceLevel next;
    const std::vector<LaneBits>& from = out.back().lanes;
    for (size_t i = 0; i + 1 < from.size(); i += 2) {
      auto both = combine(from[i], from[i + 1]);
      if (!both) return {};
      next.lanes.push_back(std::move(*both));
    }
    out.push_back(std::move(next));
  }
  return out;
}

std::vector<ReduceLevel> scan_levels(const Combine& combine, std::vector<LaneBits> lanes) {
  const size_t n = lanes.size();
  std::vector<ReduceLevel> out{{std::move(lanes), std::vector<uint8_t>(n, 0)}};
  for (size_t half = 1; half < n; half *= 2) {
    ReduceLevel next{out.back().lanes, std::vector<uint8_t>(n, 0)};
    for (size_t block = half; block < n; block += 2 * half)
      for (size_t r = 0; r < half && block + r < n; ++r) {
        auto both = combine(out.back().lanes[block - 1], out.back().lanes[block + r]);
        if (!both) return {};
        next.lanes[block + r] = std::move(*both);
        next.changed[block + r] = 1;
      }
    out.push_back(std::move(next));
  }
  return out;
}

}  // namespace tilescope::model
