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
    case Input::F16: return {"ts::uint16_t", 2, 16, 8, 8, f16_sums ? "ts::dot<ts::F16Sums, " : "ts::dot<ts::F16, "};
    case Input::BF16: return {"ts::uint16_t", 2, 16, 8, 8, "ts::dot<ts::BF16, "};
    case Input::TF32: return {"float", 4, 8, 4, 8, "ts::dot<ts::TF32, "};
    case Input::TF32x3: return {"float", 4, 8, 4, 8, "ts::dot_tf32x3<"};
    case Input::BF16x3: return {"float", 4, 16, 4, 8, "ts::dot_bf16x3<"};
    case Input::BF16x6: return {"float", 4, 16, 4, 8, "ts::dot_bf16x6<"};
    case Input::F32: return {"float", 4, 1, 4, 8, "ts::dot_fma<"};
    case Input::F64: return {"double", 8, 1, 2, 4, "ts::dot_fma<"};
    case Input::I8: return {"ts::int8_t", 1, 32, 16, 16, "ts::dot<ts::I8, "};
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

void Emitter::emit_dot(const Op& op) {
  const std::optional<DotContract> parsed = parse_dot_contract(op.str_attr("contract"));
  if (!parsed || !is_measured(*parsed)) refuse(op, fmt::format("no unit of the GPU computes a dot as {}", op.str_attr("contract")));
  const DotContract contract = *parsed;
  const DotUnit unit = unit_of(contract);
  const ValueId a = op.operands[0], b = op.operands[1], c = op.operands[2], result = op.results[0];
  const int id = home(result);
  const TileLayout l = layout(id);
  const Shape& shape = type(result).shape;
  const int64_t M = shape[shape.rank - 2], N = shape[shape.rank - 1], K = type(a).shape[shape.rank - 1], batch = shape.elements() / (M * N);
  if (K % unit.step != 0) refuse(op, fmt::format("this dot sums {} products at once; K = {} is no multiple of that", unit.step, K));
  const int64_t stride_a = K + unit.pad_a, columns = std::max<int64_t>(N, 8), stride_b = columns + unit.pad_b;
  const int64_t a_bytes = (batch * M * stride_a * unit.bytes + 15) / 16 * 16, b_bytes = batch * K * stride_b * unit.bytes;

  const Buffer buffer = exchange(&op, a_bytes + b_bytes);
  const std::string A = typed(buffer, unit.element), B = typed(buffer, unit.element, a_bytes);
  const auto stage = [&](ValueId v, const std::string& to, int64_t row, int64_t stride, int64_t copies) {
    const int from = home(v) == kUniform ? a_.intern(default_layout(type(v), f_.num_warps)) : any_layout(v);
    const std::string once = first_copy(layout(from));
    const auto place = [&](int64_t bit) { return bit < row ? bit : bit / row * stride; };
    for (int64_t copy = 0; copy < copies; ++copy)
      each(layout(from).registers(), [&](const std::string& r) {
        return fmt::format("{}{}[{}{}] = {};", once.empty() ? "" : "if (" + once + ") ", to, element(layout(from), r, place),
                           copy > 0 ? fmt::format(" + {}", copy * row) : "", staged(contract, type(v).elem, at(v, from, r)));
      });
  };
  stage(a, A, K, stride_a, 1);
  stage(b, B, N, stride_b, columns / N);  // narrow ones are repeated: the unit reads 8 columns
  publish(buffer);

  const std::string acc = declare(result, id);
  each(l.registers(), [&](const std::string& r) { return fmt::format("{}[{}] = {};", acc, r, at(c, id, r)); });
  std::vector<int64_t> row_weights, column_weights;
  int64_t warp_m = M, warp_n = N;
  for (int64_t bit : l.warp_bits) {
    row_weights.push_back(bit >= N ? bit / N : 0);
    column_weights.push_back(bit < N ? bit : 0);
    if (bit >= N) warp_m /= 2;
    else if (bit != 0) warp_n /= 2;
  }
  const std::string row = f_.num_warps > 1 ? weighted_bits("warp", row_weights) : "0", column = f_.num_warps > 1 ? weighted_bits("warp", column_weights) : "0";
  const std::string part = fmt::format("ts::DotShape<{}, {}, {}, {}, {}, {}, {}>", M, N, K, warp_m, warp_n, stride_a, stride_b);
  const int64_t registers = l.registers() / batch;
  for (int64_t g = 0; g < batch; ++g) {
    const auto offset = [&](int64_t step) { return g > 0 ? fmt::format(" + {}", g * step) : ""; };
    line(fmt::format("{}{}>({}{}, {}{}, {}{}, {}, {});", unit.call, part, acc, offset(registers), A, offset(M * stride_a), B, offset(K * stride_b), row, column));
  }
  convert_others(result);
}

}  // namespace tilescope::gpu
