#include "visualizer/model/formula.h"

#include <fmt/format.h>

#include "visualizer/model/provenance.h"

namespace tilescope::model {
namespace {

constexpr int kMaxParts = 12;  // operations written out; what lies deeper stands as its value

struct Infix {
  const char* sign;
  int precedence;
};

// Python's precedence, as the kernel is written; `whole`: the operands are integers.
Infix infix_of(OpCode c, bool whole) {
  switch (c) {
    case OpCode::Mul: return {"\u00d7", 7};
    case OpCode::Div: return {whole ? "//" : "/", 7};
    case OpCode::Rem: return {"%", 7};
    case OpCode::Add: case OpCode::AddPtr: return {"+", 6};
    case OpCode::Sub: return {"\u2212", 6};
    case OpCode::Shl: return {"<<", 5};
    case OpCode::Shr: return {">>", 5};
    case OpCode::BitAnd: return {"&", 4};
    case OpCode::BitXor: return {"^", 3};
    case OpCode::BitOr: return {"|", 2};
    case OpCode::CmpEq: return {"==", 1};
    case OpCode::CmpNe: return {"!=", 1};
    case OpCode::CmpLt: return {"<", 1};
    case OpCode::CmpLe: return {"<=", 1};
    case OpCode::CmpGt: return {">", 1};
    case OpCode::CmpGe: return {">=", 1};
    default: return {nullptr, 9};
  }
}

class Writer {
 public:
  Writer(const ProgramValues& values, uint64_t step) : values_(values), f_(values.flow().function()), step_(step) {}

  Formula op(const Op& op, int64_t lane) {
    ++parts_;
    const Infix infix = infix_of(op.code, !op.operands.empty() && is_int(f_.type(op.operands[0]).elem));
    if (infix.sign != nullptr && op.operands.size() == 2) return binary(infix, side(op, 0, lane), side(op, 1, lane));
    switch (op.code) {
      case OpCode::Neg: return unary("\u2212", operand(op, 0, lane));
      case OpCode::BitNot: return unary("~", operand(op, 0, lane));
      case OpCode::Select: {
        // The condition decides: only the chosen side's number matters.
        const Formula c = operand(op, 0, lane), yes = operand(op, 1, lane), no = operand(op, 2, lane);
        return {fmt::format("where({}, {}, {})", c.symbols, yes.symbols, no.symbols),
                fmt::format("where({}, {}, {})", c.values, yes.values, no.values)};
      }
      case OpCode::Cast: case OpCode::Bitcast: {
        const Formula x = operand(op, 0, lane);
        const std::string type(dtype_short_name(f_.type(op.results[0]).elem));
        return {fmt::format("{}({})", type, x.symbols), fmt::format("{}({})", type, x.values)};
      }
      default: return call(op, lane);
    }
  }

 private:
  // A constant that the source knows by a name (a constexpr) keeps it.
  Formula side(const Op& op, size_t i, int64_t lane) {
    Formula out = operand(op, i, lane);
    if (out.symbols != out.values) return out;
    const std::string text = values_.text_of_side(op, i);
    for (const auto& [name, value] : f_.constexprs)
      if (name == text && value == out.values) out.symbols = name;
    return out;
  }

  Formula operand(const Op& op, size_t i, int64_t lane) {
    const ValueId v = op.operands[i];
    const Shape& shape = f_.type(v).shape;
    return value(v, shape.rank == 0 ? 0 : std::min(lane, shape.elements() - 1));
  }

  Formula value(ValueId v, int64_t lane) {
    const ProgramValues::Found found = values_.at(v, step_);
    const std::string text = found ? values_.lane_text(*found.record, lane) : "?";
    const std::string& name = values_.name(v);
    const Definition& d = values_.flow().definition(v);
    if (!name.empty()) {
      const std::string at = name + index_text(index_of_lane(f_.type(v).shape, lane));
      // A pointer argument's value is its own name.
      return {at, f_.type(v).pointer && d.by == Definition::By::Parameter ? name : text};
    }
    if (d.by == Definition::By::Parameter) return {f_.params[static_cast<size_t>(d.index)].name, text};
    if (d.by == Definition::By::Result && parts_ < kMaxParts) {
      const Op& made_by = *d.op;
      const OpGroup group = made_by.info().group;
      if (made_by.code == OpCode::Constant || made_by.code == OpCode::MakeRange) return {text, text};
      if (made_by.code == OpCode::ProgramId) return {fmt::format("program_id({})", made_by.int_attr("axis")), text};
      if (group == OpGroup::Shape && made_by.code != OpCode::Gather) {
        const std::vector<OperandLanes> from = source_lanes(f_, made_by, d.index, lane);
        if (!from.empty()) return value(made_by.operands[static_cast<size_t>(from[0].operand)], from[0].lanes[0]);
      }
      if (group == OpGroup::Elementwise && made_by.results.size() == 1) return op(made_by, lane);
      if (made_by.code == OpCode::Load) return loaded(made_by, v, lane, text);
      const std::string source = values_.text_of_expression(made_by);
      if (!source.empty() && source.size() <= 32) return {source + index_text(index_of_lane(f_.type(v).shape, lane)), text};
    }
    return {text, text};
  }

  // A load that has no name: the tensor element.
  Formula loaded(const Op& load, ValueId v, int64_t lane, const std::string& text) {
    const ProgramValues::Found found = values_.at(v, step_);
    if (found && found.step >= 0) {
      const std::shared_ptr<const StepData> data = values_.data(static_cast<uint64_t>(found.step));
      if (data != nullptr && data->access && static_cast<size_t>(lane) < data->access->offsets.size()) {
        const TensorPlace place = values_.place(data->access->tensor, data->access->offsets[static_cast<size_t>(lane)]);
        if (place.tensor >= 0) return {values_.place_text(place), text};
      }
    }
    return {values_.text_of_expression(load), text};
  }

  Formula call(const Op& op, int64_t lane) {
    std::vector<std::string> symbols, numbers;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const Formula x = operand(op, i, lane);
      symbols.push_back(x.symbols);
      numbers.push_back(x.values);
    }
    return {fmt::format("{}({})", op.info().name, fmt::join(symbols, ", ")), fmt::format("{}({})", op.info().name, fmt::join(numbers, ", "))};
  }

  static std::string bracketed(const std::string& text) { return "(" + text + ")"; }
  static bool negative(const std::string& text) { return text.rfind("\u2212", 0) == 0; }

  static Formula unary(const char* sign, Formula x) {
    const bool wrap = x.precedence < 8;
    return {sign + (wrap ? bracketed(x.symbols) : x.symbols), sign + (wrap || negative(x.values) ? bracketed(x.values) : x.values), 8};
  }

  static Formula binary(const Infix& infix, Formula a, Formula b) {
    const int p = infix.precedence;
    const bool wrap_a = a.precedence < p, wrap_b = b.precedence <= p;
    Formula out;
    out.precedence = p;
    out.symbols = fmt::format("{} {} {}", wrap_a ? bracketed(a.symbols) : a.symbols, infix.sign, wrap_b ? bracketed(b.symbols) : b.symbols);
    out.values = fmt::format("{} {} {}", wrap_a ? bracketed(a.values) : a.values, infix.sign,
                             wrap_b || negative(b.values) ? bracketed(b.values) : b.values);
    return out;
  }

  const ProgramValues& values_;
  const Function& f_;
  uint64_t step_;
  int parts_ = 0;
};

}  // namespace

Formula formula_of(const ProgramValues& values, const Op& op, int64_t lane, uint64_t step) { return Writer(values, step).op(op, lane); }

}  // namespace tilescope::model
