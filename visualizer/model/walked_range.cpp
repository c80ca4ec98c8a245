#include "visualizer/model/walked_range.h"

#include <optional>
#include <vector>

#include "visualizer/model/statements.h"

namespace tilescope::model {
namespace {

/// scale * variable + offset + step * (0 .. length - 1), the lanes along one axis.
struct Form {
  ValueId variable = kNoValue;  ///< a loop's; kNoValue: none
  int64_t scale = 0, offset = 0, step = 0, length = 1;
};
using Forms = std::unordered_map<ValueId, Form>;

constexpr int64_t kReach = int64_t{1} << 40;  ///< forms beyond are given up, so that nothing overflows

bool in_reach(int64_t v) { return v > -kReach && v < kReach; }

std::optional<Form> sum(const Form& a, const Form& b, int64_t sign) {
  if (a.variable != kNoValue && b.variable != kNoValue && a.variable != b.variable) return std::nullopt;
  if (a.length > 1 && b.length > 1) return std::nullopt;
  Form out = a;
  if (out.variable == kNoValue) out.variable = b.variable;
  out.scale += sign * b.scale;
  out.offset += sign * b.offset;
  if (b.length > 1) out.step = sign * b.step, out.length = b.length;
  return out;
}

std::optional<Form> product(const Form& a, const Form& b) {
  const bool b_is_number = b.variable == kNoValue && b.length == 1;
  if (!b_is_number) return a.variable == kNoValue && a.length == 1 ? product(b, a) : std::nullopt;
  if (std::abs(b.offset) > (1 << 20)) return std::nullopt;
  return Form{a.variable, a.scale * b.offset, a.offset * b.offset, a.step * b.offset, a.length};
}

std::optional<Form> form_of(const Function& f, const Op& op, const Forms& forms) {
  const auto operand = [&](size_t i) -> const Form* {
    const auto found = i < op.operands.size() ? forms.find(op.operands[i]) : forms.end();
    return found == forms.end() ? nullptr : &found->second;
  };
  const Form *a = operand(0), *b = operand(1);
  switch (op.code) {
    case OpCode::Constant:
      if (!is_int(f.type(op.results[0]).elem)) return std::nullopt;
      return Form{kNoValue, 0, op.int_attr("bits"), 0, 1};
    case OpCode::MakeRange:
      return Form{kNoValue, 0, op.int_attr("start"), 1, op.int_attr("end") - op.int_attr("start")};
    case OpCode::Splat:
    case OpCode::Broadcast:
    case OpCode::ExpandDims:
    case OpCode::Cast:
      if (a == nullptr || !is_int(f.type(op.results[0]).elem)) return std::nullopt;
      return *a;
    case OpCode::Add:
    case OpCode::Sub:
      if (a == nullptr || b == nullptr) return std::nullopt;
      return sum(*a, *b, op.code == OpCode::Add ? 1 : -1);
    case OpCode::Mul:
      if (a == nullptr || b == nullptr) return std::nullopt;
      return product(*a, *b);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::unordered_map<const Op*, WalkedRange> find_walked_ranges(const Function& function) {
  std::unordered_map<const Op*, WalkedRange> out;
  std::unordered_map<ValueId, const Op*> loop_of;
  Forms forms;
  walk(function.body, [&](const Op& op) {
    if (op.code == OpCode::For && !op.regions.empty() && !op.regions[0].args.empty()) {
      const ValueId variable = op.regions[0].args[0];
      forms[variable] = Form{variable, 1, 0, 0, 1};
      loop_of[variable] = &op;
      return;
    }
    if (op.results.size() != 1) return;
    const std::optional<Form> form = form_of(function, op, forms);
    if (!form || !in_reach(form->scale) || !in_reach(form->offset) || !in_reach(form->step)) return;
    forms[op.results[0]] = *form;
    const std::string& name = function.values[op.results[0]].name;
    if (name.empty() || is_inlined(op) || form->variable == kNoValue || form->scale == 0) return;
    if (form->length < 2 || form->step != 1) return;
    out.try_emplace(loop_of[form->variable],
                    WalkedRange{name, form->scale, form->offset, form->offset + form->length - 1});
  });
  return out;
}

}  // namespace tilescope::model
