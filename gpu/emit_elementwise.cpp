// Elementwise ops: one call of core/device_math.h for each register, or the plain operator where it means the same.
#include <fmt/format.h>

#include "gpu/emitter.h"

namespace tilescope::gpu {
namespace {

/// The operator that C++ and the shared source agree on for float and double.
const char* float_operator(OpCode op) {
  switch (op) {
    case OpCode::Add:
      return "+";
    case OpCode::Sub:
      return "-";
    case OpCode::Mul:
      return "*";
    default:
      return nullptr;
  }
}
const char* comparison(OpCode op) {
  switch (op) {
    case OpCode::CmpEq:
      return "==";
    case OpCode::CmpNe:
      return "!=";
    case OpCode::CmpLt:
      return "<";
    case OpCode::CmpLe:
      return "<=";
    case OpCode::CmpGt:
      return ">";
    case OpCode::CmpGe:
      return ">=";
    default:
      return nullptr;
  }
}

/// Conversions that the GPU has as an instruction with the bits of the shared source.
const char* one_instruction(DType from, DType to) {
  if (from == DType::Float32 && to == DType::Float16) return "ts::round_to_f16";
  if (from == DType::Float32 && to == DType::BFloat16) return "ts::round_to_bf16";
  if (from == DType::Float16 && to == DType::Float32) return "ts::widen";
  return nullptr;
}

}  // namespace

std::string Emitter::elementwise_expression(const Op& op, const std::vector<std::string>& x) {
  const Type &from = type(op.operands[0]), &to = type(op.results[0]);
  const std::string result = c_type(to);
  const bool native = !from.pointer && (from.elem == DType::Float32 || from.elem == DType::Float64);
  switch (op.code) {
    case OpCode::Cast:
      if (const char* call = one_instruction(from.elem, to.elem)) return fmt::format("{}({})", call, x[0]);
      return from.elem == to.elem ? x[0] : fmt::format("ts::convert<{}>({})", result, x[0]);
    case OpCode::Bitcast:
      return from.pointer || from.elem == to.elem ? x[0] : fmt::format("ts::bitcast<{}>({})", result, x[0]);
    case OpCode::PtrToInt:
    case OpCode::IntToPtr:
      return fmt::format("({}){}", result, x[0]);
    case OpCode::AddPtr:
      return fmt::format("ts::advance<{}>({}, {})", c_type(Type::scalar(from.elem)), x[0], x[1]);
    case OpCode::Select:
      if (to.pointer || !is_float(to.elem) || is_small_float(to.elem))
        return fmt::format("{} ? {} : {}", x[0], x[1], x[2]);
      return fmt::format("ts::select({}, {}, {})", x[0], x[1], x[2]);
    default:
      break;
  }
  if (const char* sign = native ? float_operator(op.code) : nullptr) return fmt::format("{} {} {}", x[0], sign, x[1]);
  if (const char* sign = comparison(op.code); sign != nullptr && !is_small_float(from.elem))
    return fmt::format("{} {} {}", x[0], sign, x[1]);
  std::string call = fmt::format("ts::{}(", op.info().meaning);
  for (size_t i = 0; i < x.size(); ++i) call += (i > 0 ? ", " : "") + x[i];
  call += ")";
  // Counts of bits come as int and take the operand's type.
  const bool counts = op.code == OpCode::Popc || op.code == OpCode::Clz || op.code == OpCode::Ffs;
  return counts && to.elem != DType::Int32 ? fmt::format("({}){}", result, call) : call;
}

void Emitter::emit_philox(const Op& op, int id) {
  for (ValueId r : op.results) declare(r, id);
  const std::string word = c_type(type(op.results[0])), words = unique("words");
  each(id < 0 ? 1 : layout(id).registers(), [&](const std::string& r) {
    const auto x = [&](int i) { return at(op.operands[static_cast<size_t>(i)], id, r); };
    std::string out =
        fmt::format("{{ const ts::PhiloxWords<{}> {} = ts::philox<{}>({{{}, {}, {}, {}}}, {}, {}, ts::kPhiloxRounds);",
                    word, words, word, x(2), x(3), x(4), x(5), x(0), x(1));
    for (int i = 0; i < 4; ++i)
      out += fmt::format(" {}{} = {}.c{};", declared(op.results[static_cast<size_t>(i)], id),
                         id < 0 ? "" : "[" + r + "]", words, i);
    return out + " }";
  });
}

void Emitter::emit_elementwise(const Op& op) {
  const ValueId result = op.results[0];
  std::vector<int> ids;
  const int h = home(result);
  if (h == kScalar || h == kUniform) {
    ids = {kScalar};
  } else {
    for (ValueId r : op.results)
      for (int l : h >= 0 && a_.is_wanted(r) ? std::vector<int>{h} : a_.wanted[r])
        if (std::find(ids.begin(), ids.end(), l) == ids.end()) ids.push_back(l);
  }
  for (int id : ids) {
    if (op.code == OpCode::Philox) {
      emit_philox(op, id);
      continue;
    }
    if (id < 0) {
      std::vector<std::string> x;
      for (ValueId v : op.operands) x.push_back(scalar(v));
      define(result, elementwise_expression(op, x));
      continue;
    }
    const std::string name = declare(result, id);
    each(layout(id).registers(), [&](const std::string& r) {
      std::vector<std::string> x;
      for (ValueId v : op.operands) x.push_back(at(v, id, r));
      return fmt::format("{}[{}] = {};", name, r, elementwise_expression(op, x));
    });
  }
  for (ValueId r : op.results)
    if (h >= 0 && a_.is_wanted(r)) convert_others(r);
}

}  // namespace tilescope::gpu
