// Dots: operands go to shared memory, the warps' accumulators stay in registers (gpu/device/dot.h).
#include <fmt/format.h>

#include "gpu/emitter.h"

namespace tilescope::gpu {
namespace {

using Input = DotContract::Input;
using Unit = DotContract::Unit;

/// How operands lie in shared memory, and what multiplies them there.
struct DotUnit {
  const char* element;  ///< C++ type
  int bytes, step, pad_a, pad_b;
  const char* call;  ///< of gpu/device/dot.h; "" when the unit is none the GPU has
};

DotUnit unit_of(const DotContract& c) {
  const bool f16_sums = c.output == DotContract::Output::NearestF16;
  switch (c.input) {
    case Input::F16:
      return {"ts::uint16_t", 2, 16, 0, 0, f16_sums ? "ts::dot<ts::F16Sums, " : "ts::dot<ts::F16, "};
    case Input::BF16:
      return {"ts::uint16_t", 2, 16, 0, 0, "ts::dot<ts::BF16, "};
    case Input::TF32:
      return {"float", 4, 8, 4, 8, "ts::dot<ts::TF32, "};
    case Input::TF32x3:
      return {"float", 4, 8, 4, 8, "ts::dot_tf32x3<"};
    case Input::BF16x3:
      return {"float", 4, 16, 4, 8, "ts::dot_bf16x3<"};
    case Input::BF16x6:
      return {"float", 4, 16, 4, 8, "ts::dot_bf16x6<"};
    case Input::F32:
      return {"float", 4, 1, 4, 8, "ts::dot_fma<"};
    case Input::F64:
      return {"double", 8, 1, 2, 4, "ts::dot_fma<"};
    case Input::I8:
      return {"ts::int8_t", 1, 32, 16, 16, "ts::dot<ts::I8, "};
  }
  internal_error("a dot contract without a unit");
}

/// The matrix units of mma.sync sum as the measured model says, and no other way.
bool is_measured(const DotContract& c) {
  if (c.unit != Unit::TensorCore) return true;
  const bool tf32 = c.input == Input::TF32 || c.input == Input::TF32x3;
  return c.k_group == (tf32 ? 8 : 16) && c.fraction_bits == 25;
}

std::string staged(const DotContract& c, DType t, const std::string& x) {
  if (c.input == Input::BF16 || (c.input == Input::F16 && t == DType::Float16)) return x + ".bits";
  if (c.input == Input::F16) return fmt::format("ts::convert<ts::f16>({}).bits", x);  // from float8: exact
  return x;
}

}  // namespace

Emitter::DotStage Emitter::dot_stage(const Op& op) {
  const std::optional<DotContract> contract = parse_dot_contract(op.str_attr("contract"));
  if (!contract || !is_measured(*contract))
    refuse(op, fmt::format("no unit of the GPU computes a dot as {}", op.str_attr("contract")));
  const DotUnit unit = unit_of(*contract);
  const Shape& shape = type(op.results[0]).shape;
  DotStage s;
  s.element = unit.element;
  s.element_bytes = unit.bytes;
  s.M = shape[shape.rank - 2];
  s.N = shape[shape.rank - 1];
  s.K = type(op.operands[0]).shape[shape.rank - 1];
  s.batch = shape.elements() / (s.M * s.N);
  if (s.K % unit.step != 0)
    refuse(op, fmt::format("this dot sums {} products at once; K = {} is no multiple of that", unit.step, s.K));
  s.stride_a = s.K + unit.pad_a;
  s.stride_b = std::max<int64_t>(s.N, 8) + unit.pad_b;
  s.swizzled = unit.bytes == 2;
  s.wgmma = a_.wgmma.contains(&op);
  const int64_t line = std::max<int64_t>(128, line_bytes());
  s.a_bytes = (s.batch * s.M * s.stride_a * unit.bytes + line - 1) / line * line;
  s.b_bytes = (s.batch * s.K * s.stride_b * unit.bytes + line - 1) / line * line;
  if (s.wgmma) s.stride_b = 64;
  return s;
}

std::string Emitter::staged_element(const TileLayout& l, const std::string& reg, const DotStage::Matrix& m) {
  const auto place = [&](int64_t bit) {
    if (bit >= m.row) return bit / m.row * m.stride;
    return bit < m.stride ? bit : bit / m.stride * m.rows * m.stride;  // another panel
  };
  if (!m.swizzled || m.stride < 16) return element(l, reg, place);
  const auto swizzled = [&](const std::string& e) {
    return fmt::format("ts::swizzled<{}, {}>({})", m.stride, m.rows, e);
  };
  if (l.flip != 0) return swizzled(element(l, reg, place));
  // The exchange is linear in the bits of the index: the thread's part once, the register's as constants.
  const auto image = [&](int64_t bit) {
    const int64_t at = place(bit), r = at / m.stride % m.rows;
    const int64_t phase = m.stride >= 64 ? r % 8 * 8 : m.stride == 32 ? r / 2 % 4 * 8 : r / 4 % 2 * 8;
    return bit == 0 ? 0 : at ^ phase;
  };
  int64_t thread = 0, own = 0;
  bool apart = true;
  for (int64_t b : l.lane_bits) thread |= image(b);
  for (int64_t b : l.warp_bits) thread |= image(b);
  std::vector<int64_t> weights;
  for (int64_t b : l.register_bits) {
    weights.push_back(image(b));
    apart = apart && (own & image(b)) == 0;
    own |= image(b);
  }
  if (!apart) return swizzled(element(l, reg, place));
  TileLayout threads = l;
  threads.register_bits.clear();
  const std::string part = element(threads, "0", place), registers = weighted_bits(reg, weights);
  if (part == "0") return registers;
  const std::string first = thread_part(swizzled(part));
  if (registers == "0") return first;
  return (thread & own) == 0 ? first + " + " + registers : fmt::format("({} ^ ({}))", first, registers);
}

void Emitter::emit_dot(const Op& op) {
  const DotStage s = dot_stage(op);
  const auto ahead = copied_.find(&op);
  if (ahead != copied_.end()) return multiply(op, s, ahead->second.first, ahead->second.second);
  const DotContract contract = *parse_dot_contract(op.str_attr("contract"));
  const Buffer buffer = exchange(&op, s.a_bytes + s.b_bytes);
  const std::string A = typed(buffer, s.element), B = typed(buffer, s.element, s.a_bytes);
  const auto stage = [&](ValueId v, const std::string& to, const DotStage::Matrix& m, int64_t copies) {
    const int from = home(v) == kUniform ? a_.intern(default_layout(type(v), f_.num_warps)) : any_layout(v);
    const std::string once = first_copy(layout(from));
    for (int64_t copy = 0; copy < copies; ++copy)
      each(layout(from).registers(), [&](const std::string& r) {
        return fmt::format("{}{}[{}{}] = {};", once.empty() ? "" : "if (" + once + ") ", to,
                           staged_element(layout(from), r, m), copy > 0 ? fmt::format(" + {}", copy * m.row) : "",
                           staged(contract, type(v).elem, at(v, from, r)));
      });
  };
  stage(op.operands[0], A, s.a(), 1);
  stage(op.operands[1], B, s.b(),
        std::max<int64_t>(s.N, 8) / s.N);  // narrow ones are repeated: the unit reads 8 columns
  if (s.wgmma) line("ts::show_to_wgmma();");
  publish(buffer);
  multiply(op, s, A, B);
}

/// multiply() by groups of four warps.
void Emitter::multiply_by_groups(const Op& op, const DotStage& s, const std::string& acc, const std::string& A,
                                 const std::string& B) {
  const TileLayout& l = layout(home(op.results[0]));
  const bool bf16 = parse_dot_contract(op.str_attr("contract"))->input == Input::BF16;
  const auto [along_m, along_n] = wgmma_groups(type(op.results[0]).shape, f_.num_warps);
  std::vector<int64_t> row, column;
  for (int64_t bit : l.warp_bits) {
    row.push_back(bit >= 64 * s.N ? bit / s.N : 0);
    column.push_back(bit < s.N ? bit : 0);
  }
  line(fmt::format("ts::start_dot<{}, {}, {}, {}, {}>({}, {}, {}, {}, {});", bf16 ? "ts::BF16" : "ts::F16", s.K,
                   s.M / 64 / along_m, 64 * along_m, s.N / along_n, acc, A, B, weighted_bits("warp", row),
                   weighted_bits("warp", column)));
  if (!meanwhile_.empty()) line(meanwhile_);
  meanwhile_.clear();
  line(fmt::format("ts::finish_dot<{}>({});", l.registers(), acc));
}

/// result = c + A x B, with A and B in shared memory.
void Emitter::multiply(const Op& op, const DotStage& s, const std::string& A, const std::string& B) {
  const DotUnit unit = unit_of(*parse_dot_contract(op.str_attr("contract")));
  const ValueId c = op.operands[2], result = op.results[0];
  const int id = home(result);
  const TileLayout l = layout(id);
  const int64_t M = s.M, N = s.N, batch = s.batch;
  const std::string acc = declare(result, id);
  each(l.registers(), [&](const std::string& r) { return fmt::format("{}[{}] = {};", acc, r, at(c, id, r)); });
  if (s.wgmma) {
    multiply_by_groups(op, s, acc, A, B);
    return convert_others(result);
  }
  std::vector<int64_t> row_weights, column_weights;
  int64_t warp_m = M, warp_n = N;
  for (int64_t bit : l.warp_bits) {
    row_weights.push_back(bit >= N ? bit / N : 0);
    column_weights.push_back(bit < N ? bit : 0);
    if (bit >= N)
      warp_m /= 2;
    else if (bit != 0)
      warp_n /= 2;
  }
  const std::string row = f_.num_warps > 1 ? weighted_bits("warp", row_weights) : "0",
                    column = f_.num_warps > 1 ? weighted_bits("warp", column_weights) : "0";
  const std::string part =
      fmt::format("ts::DotShape<{}, {}, {}, {}, {}, {}, {}>", M, N, s.K, warp_m, warp_n, s.stride_a, s.stride_b);
  const int64_t registers = l.registers() / batch;
  for (int64_t g = 0; g < batch; ++g) {
    const auto offset = [&](int64_t step) { return g > 0 ? fmt::format(" + {}", g * step) : ""; };
    line(fmt::format("{}{}>({}{}, {}{}, {}{}, {}, {});", unit.call, part, acc, offset(registers), A,
                     offset(M * s.stride_a), B, offset(s.K * s.stride_b), row, column));
  }
  convert_others(result);
}

}  // namespace tilescope::gpu
