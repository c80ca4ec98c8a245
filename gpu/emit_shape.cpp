// Ops that move elements. In the right layout of the operand they only rename registers.
#include <fmt/format.h>

#include "gpu/emitter.h"

namespace tilescope::gpu {

void Emitter::emit_shape(const Op& op) {
  const ValueId result = op.results[0];
  if (op.code == OpCode::Constant) {
    places_[{result, kScalar}] = c_constant(type(result), static_cast<uint64_t>(op.int_attr("bits")));
    return;
  }
  if (home(result) == kScalar || home(result) == kUniform) {
    // Every result has the one value of the operand; a tile of one element lies in every thread.
    const ValueId x = op.operands[0];
    const bool one = home(x) == kScalar || home(x) == kUniform;
    const int l = one ? kScalar : op.code == OpCode::Split ? a_.intern(pair_everywhere(f_.num_warps)) : any_layout(x);
    for (size_t i = 0; i < op.results.size(); ++i) places_[{op.results[i], kScalar}] = at(x, l, std::to_string(i));
    return;
  }
  if (op.code == OpCode::Gather) {
    if (a_.is_wanted(result)) emit_gather(op);
    return;
  }
  std::vector<int> ids;
  for (ValueId r : op.results)
    for (int l : home(r) >= 0 && a_.is_wanted(r) ? std::vector<int>{home(r)} : a_.wanted[r])
      if (std::find(ids.begin(), ids.end(), l) == ids.end()) ids.push_back(l);
  for (int id : ids) emit_moved(op, id);
  for (ValueId r : op.results)
    if (home(r) >= 0 && a_.is_wanted(r)) convert_others(r);
}

void Emitter::emit_moved(const Op& op, int id) {
  const TileLayout l = layout(id);
  const ValueId result = op.results[0];
  const int registers = l.registers();
  const auto rename = [&](const Implied& operand) {
    const std::string to = declare(result, id);
    const int from = a_.intern(operand.layout);
    each(registers, [&](const std::string& r) {
      return fmt::format("{}[{}] = {};", to, r, at(op.operands[0], from, weighted_bits(r, operand.map)));
    });
  };
  switch (op.code) {
    case OpCode::MakeRange: {
      const std::string name = declare(result, id);
      const int64_t start = op.int_attr("start");
      return each(registers, [&](const std::string& r) {
        return fmt::format("{}[{}] = {}{};", name, r, start != 0 ? fmt::format("{} + ", start) : "", element(id, r));
      });
    }
    case OpCode::ExpandDims:
    case OpCode::Reshape: {
      const std::string name = declare(result, id);
      return each(registers, [&](const std::string& r) {
        return fmt::format("{}[{}] = {};", name, r, at(op.operands[0], id, r));
      });
    }
    case OpCode::Broadcast:
      return rename(before_broadcast(l, type(op.operands[0]).shape, type(result).shape));
    case OpCode::Trans:
      return rename(before_trans(l, type(result).shape, op.ints_attr("order")));
    case OpCode::Flip: {
      Implied same;
      same.layout = flipped(l, type(result).shape, static_cast<int>(op.int_attr("axis")));
      for (size_t i = 0; i < l.register_bits.size(); ++i) same.map.push_back(int64_t{1} << i);
      return rename(same);
    }
    case OpCode::Join:
    case OpCode::Cat: {
      const int64_t half = type(op.operands[0]).elements(), bit = op.code == OpCode::Join ? 1 : half;
      const Implied part = op.code == OpCode::Join ? before_join(l) : before_cat(l, half);
      const int from = a_.intern(part.layout);
      const std::string name = declare(result, id);
      return each(registers, [&](const std::string& r) {
        const std::string second = element(l, r, [&](int64_t b) { return b == bit ? int64_t{1} : int64_t{0}; }),
                          reg = weighted_bits(r, part.map);
        return fmt::format("{}[{}] = ({}) != 0 ? {} : {};", name, r, second, at(op.operands[1], from, reg),
                           at(op.operands[0], from, reg));
      });
    }
    case OpCode::Split: {
      const int from = a_.intern(before_split(l));
      for (size_t i = 0; i < 2; ++i) {
        const std::string name = declare(op.results[i], id);
        each(registers, [&](const std::string& r) {
          return fmt::format("{}[{}] = {};", name, r, at(op.operands[0], from, fmt::format("{} * 2 + {}", r, i)));
        });
      }
      return;
    }
    default:
      refuse(op, fmt::format("the GPU backend has no `{}`", op.info().name));
  }
}

void Emitter::emit_gather(const Op& op) {
  const ValueId source = op.operands[0], index = op.operands[1], result = op.results[0];
  const int from = any_layout(source), id = home(result);
  const std::string t = c_type(type(result));
  const Shape &s = type(source).shape, &to = type(result).shape;
  const int axis = static_cast<int>(op.int_attr("axis"));
  const auto strides = row_major_strides(s), result_strides = row_major_strides(to);
  std::string stage;
  Buffer buffer;
  if (home(source) != kUniform) {
    buffer = exchange(&op, type(source).elements() * type(source).storage_bytes());
    stage = typed(buffer, t);
    const std::string on = first_copy(layout(from));
    each(layout(from).registers(), [&](const std::string& r) {
      return fmt::format("{}{}[{}] = {};", on.empty() ? "" : "if (" + on + ") ", stage, element(from, r),
                         at(source, from, r));
    });
    publish(buffer);
  }
  const std::string name = declare(result, id);
  // The place of lane (.., k, ..) with k taken out; an index outside the axis (a fault in the simulator) reads nothing.
  const auto rest = [&](int64_t b) {
    for (int d = 0; d < to.rank; ++d)
      if (b >= result_strides[d] && b < result_strides[d] * to[d])
        return d == axis ? int64_t{0} : b / result_strides[d] * strides[d];
    return int64_t{0};
  };
  each(layout(id).registers(), [&](const std::string& r) {
    const std::string k = at(index, id, r);
    const std::string value =
        stage.empty() ? at(source, from, r)
                      : fmt::format("{}[{} + (int)({}) * {}]", stage, element(layout(id), r, rest), k, strides[axis]);
    return fmt::format("{}[{}] = (ts::uint64_t)(ts::int64_t)({}) < {} ? {} : {}();", name, r, k, s[axis], value, t);
  });
  convert_others(result);
}

}  // namespace tilescope::gpu
