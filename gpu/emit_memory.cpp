// Loads, stores and atomics in the layout and with the width that core/layout.h predicts.
#include <fmt/format.h>

#include "gpu/emitter.h"

namespace tilescope::gpu {
namespace {

bool is_atomic(const Op& op) { return op.code == OpCode::AtomicRmw || op.code == OpCode::AtomicCas; }
bool is_relaxed(const Op& op) { return op.str_attr("sem") == "relaxed"; }

std::string all_of(const std::string& a, const std::string& b) {
  return a.empty() ? b : b.empty() ? a : a + " && " + b;
}

}  // namespace

void Emitter::order_before(const Op& op) {
  const ValueId p = op.operands[0];
  Hazards::State& s = hazards_.state;
  if (op.code == OpCode::Load) {
    if (hazards_.load_needs_barrier(p)) barrier();
    if (hazards_.may_be_written(p)) s.loaded |= hazards_.roots(p);
    return;
  }
  const bool releases = is_atomic(op) && !is_relaxed(op);  // what this program stored before must be seen by then
  if (hazards_.store_needs_barrier(p) || (releases && (s.stored | s.loaded) != 0)) barrier();
  s.stored |= releases ? ~Roots{0} : hazards_.roots(p);
  if (is_atomic(op)) s.loaded |= hazards_.roots(p);
}

void Emitter::emit_memory(const Op& op) {
  if (op.code == OpCode::Load && is_tile(op.results[0]) && !a_.is_wanted(op.results[0])) return;
  if (ahead_.contains(&op)) return;
  order_before(op);
  if (!is_tile(op.operands[0])) return emit_scalar_access(op);
  if (op.code == OpCode::Load) return emit_load(op);
  if (op.code == OpCode::Store) return emit_store(op);
  emit_atomic(op);
}

void Emitter::emit_load(const Op& op) {
  const AccessLayout& access = a_.access.at(&op);
  const ValueId result = op.results[0], p = op.operands[0];
  const int id = home(result), registers = layout(id).registers(), width = std::min(access.vector_width, registers);
  const std::string name = declare(result, id);
  const bool masked = op.operands.size() > 1;
  if (masked) {
    const std::string none = c_type(type(result)) + "()";
    each(registers, [&](const std::string& r) {
      return fmt::format("{}[{}] = {};", name, r, op.operands.size() > 2 ? at(op.operands[2], id, r) : none);
    });
  }
  // The width stands on dividends that are not negative: then the addresses are looked at.
  const bool checked = width > 1 && axes_.of(p).assumes_non_negative;
  each(registers / width, [&](const std::string& r) {
    const std::string first = width == 1 || r == "0" ? r : fmt::format("{} * {}", r, width);
    const std::string to = r == "0" ? name : name + " + " + first,
                      mask = masked ? at(op.operands[1], id, first) : "true";
    if (checked) return fmt::format("ts::load_checked<{}>({}, {} + {}, {});", width, to, declared(p, id), first, mask);
    return fmt::format("ts::load<{}>({}, {}{});", width, to, at(p, id, first), masked ? ", " + mask : "");
  });
  convert_others(result);
}

void Emitter::emit_store(const Op& op) {
  const AccessLayout& access = a_.access.at(&op);
  const ValueId p = op.operands[0], value = op.operands[1];
  const int id = a_.intern(from_access(access)), registers = layout(id).registers(),
            width = std::min(access.vector_width, registers);
  const std::string once = first_copy(layout(id)), t = c_type(type(value));
  const bool checked = width > 1 && axes_.of(p).assumes_non_negative, uniform = home(value) == kUniform;
  std::string from = uniform ? unique("value") : declared(value, id);
  if (uniform) {
    line(fmt::format("{} {}[{}];", t, from, width));
    each(width, [&](const std::string& r) { return fmt::format("{}[{}] = {};", from, r, scalar(value)); });
  }
  each(registers / width, [&](const std::string& r) {
    const std::string first = width == 1 || r == "0" ? r : fmt::format("{} * {}", r, width);
    const std::string mask = all_of(once, op.operands.size() > 2 ? at(op.operands[2], id, first) : "");
    const std::string source = uniform || r == "0" ? from : from + " + " + first, on = mask.empty() ? "true" : mask;
    if (checked)
      return fmt::format("ts::store_checked<{}>({}, {} + {}, {});", width, source, declared(p, id), first, on);
    return fmt::format("ts::store<{}>({}, {}{});", width, source, at(p, id, first), mask.empty() ? "" : ", " + mask);
  });
}

std::string Emitter::atomic_expression(const Op& op, const std::string& p, const std::string& x, const std::string& y) {
  const Type& value = type(op.operands[1]);
  const std::string t = c_type(Type::scalar(value.elem));
  if (op.code == OpCode::AtomicCas) return fmt::format("ts::atomic_cas<{}>({}, {}, {})", t, p, x, y);
  const std::string_view kind = op.str_attr("kind");
  if (kind == "add") return fmt::format("ts::atomic_add<{}>({}, {})", t, p, x);
  const auto update = [&](const std::string& combined) {
    return fmt::format("ts::atomic_update<{0}>({1}, {2}, []({0} a, {0} b) {{ return {3}; }})", t, p, x, combined);
  };
  if (kind == "xchg") return update("b");
  if (kind == "max")
    return update(is_float(value.elem) ? "ts::maximum_nan(a, b)" : "ts::maximum(a, b)");  // keeps a NaN
  if (kind == "min") return update("ts::minimum(a, b)");
  if (kind == "and") return update("ts::bit_and(a, b)");
  if (kind == "or") return update("ts::bit_or(a, b)");
  if (kind == "xor") return update("ts::bit_xor(a, b)");
  refuse(op, fmt::format("the GPU backend has no atomic {}", kind));
}

void Emitter::emit_atomic(const Op& op) {
  const ValueId result = op.results[0], p = op.operands[0];
  const int id = a_.intern(from_access(a_.access.at(&op)));
  const TileLayout l = layout(id);
  const bool wanted = a_.is_wanted(result), cas = op.code == OpCode::AtomicCas;
  const std::string once = first_copy(l), t = c_type(Type::scalar(type(op.operands[1]).elem));
  if (!is_relaxed(op)) line("__threadfence();");
  const std::string name = wanted ? declare(result, id) : "";
  each(l.registers(), [&](const std::string& r) {
    const std::string call =
        atomic_expression(op, at(p, id, r), at(op.operands[1], id, r), cas ? at(op.operands[2], id, r) : "");
    const std::string on = all_of(once, !cas && op.operands.size() > 2 ? at(op.operands[2], id, r) : "");
    const std::string target = wanted ? fmt::format("{}[{}] = ", name, r) : "";
    if (on.empty()) return target + call + ";";
    return wanted ? fmt::format("{}{} ? {} : {}();", target, on, call, t) : fmt::format("if ({}) {};", on, call);
  });
  if (!is_relaxed(op)) line("__threadfence();");
  if (wanted && l.has_copies()) {  // the other copies learn what the first one got
    const Buffer buffer = exchange(&op, type(result).elements() * type(result).storage_bytes());
    const std::string s = typed(buffer, t);
    each(l.registers(), [&](const std::string& r) {
      return fmt::format("if ({}) {}[{}] = {}[{}];", once, s, element(id, r), name, r);
    });
    publish(buffer);
    each(l.registers(),
         [&](const std::string& r) { return fmt::format("{}[{}] = {}[{}];", name, r, s, element(id, r)); });
  }
  if (wanted) convert_others(result);
}

void Emitter::emit_scalar_access(const Op& op) {
  const std::string p = scalar(op.operands[0]);
  const bool cas = op.code == OpCode::AtomicCas;
  if (op.code == OpCode::Store) {
    const std::string t = c_type(type(op.operands[1])), value = unique("value");
    line(fmt::format("const {} {} = {};", t, value, scalar(op.operands[1])));
    return line(fmt::format("ts::store<1>(&{}, {}, {});", value, p,
                            all_of("threadIdx.x == 0", op.operands.size() > 2 ? scalar(op.operands[2]) : "")));
  }
  const ValueId result = op.results[0];
  const std::string name = declare(result, kScalar), t = c_type(type(result));
  if (op.code == OpCode::Load && !hazards_.may_be_written(op.operands[0])) {
    line(fmt::format("{} = {};", name, op.operands.size() > 2 ? scalar(op.operands[2]) : t + "()"));
    return line(
        fmt::format("ts::load<1>(&{}, {}, {});", name, p, op.operands.size() > 1 ? scalar(op.operands[1]) : "true"));
  }
  // One thread touches the memory, for all: other programs may change it in between.
  const Buffer buffer = exchange(&op, 16);
  const std::string s = typed(buffer, t);
  open("if (threadIdx.x == 0) {");
  if (op.code == OpCode::Load) {
    line(fmt::format("{} = {};", name, op.operands.size() > 2 ? scalar(op.operands[2]) : t + "()"));
    line(fmt::format("ts::load<1>(&{}, {}, {});", name, p, op.operands.size() > 1 ? scalar(op.operands[1]) : "true"));
  } else {
    const std::string call = atomic_expression(op, p, scalar(op.operands[1]), cas ? scalar(op.operands[2]) : "");
    const std::string mask = !cas && op.operands.size() > 2 ? scalar(op.operands[2]) : "";
    if (!is_relaxed(op)) line("__threadfence();");
    line(mask.empty() ? fmt::format("{} = {};", name, call) : fmt::format("{} = {} ? {} : {}();", name, mask, call, t));
    if (!is_relaxed(op)) line("__threadfence();");
  }
  line(fmt::format("*{} = {};", s, name));
  close();
  publish(buffer);
  line(fmt::format("{} = *{};", name, s));
}

}  // namespace tilescope::gpu
