#include "gpu/hazards.h"

namespace tilescope::gpu {
namespace {

constexpr Roots kAny = ~Roots{0};

bool stores(const Op& op) {
  return op.code == OpCode::Store || op.code == OpCode::AtomicRmw || op.code == OpCode::AtomicCas;
}
bool loads(const Op& op) {
  return op.code == OpCode::Load || op.code == OpCode::AtomicRmw || op.code == OpCode::AtomicCas;
}

}  // namespace

Hazards::Hazards(const Function& f) : f_(f), roots_(f.values.size(), 0) {
  for (size_t i = 0; i < f.params.size(); ++i)
    if (f.params[i].type.pointer) roots_[i] = i < 63 ? Roots{1} << i : kAny;
  do {
    changed_ = false;
    analyse(f.body);
  } while (changed_);
  walk(f.body, [&](const Op& op) {
    if (stores(op)) all_written_ |= roots_[op.operands[0]];
  });
}

bool Hazards::join(ValueId to, ValueId from) {
  if (!f_.type(to).pointer) return false;
  const Roots r = roots_[to] | (f_.type(from).pointer ? roots_[from] : kAny);
  changed_ = changed_ || r != roots_[to];
  roots_[to] = r;
  return true;
}

void Hazards::analyse(const Block& b) {
  for (const auto& op : b.ops) {
    for (const Block& r : op->regions) analyse(r);
    switch (op->code) {
      case OpCode::For:
        for (size_t i = 0; i < op->results.size(); ++i) {
          const ValueId arg = op->regions[0].args[i + 1];
          join(arg, op->operands[i + 3]);
          join(arg, op->regions[0].ops.back()->operands[i]);
          join(op->results[i], arg);
        }
        break;
      case OpCode::If:
        for (size_t i = 0; i < op->results.size(); ++i)
          for (const Block& r : op->regions) join(op->results[i], r.ops.back()->operands[i]);
        break;
      case OpCode::While:
        for (size_t i = 0; i < op->operands.size(); ++i) {
          join(op->regions[0].args[i], op->operands[i]);
          join(op->regions[0].args[i], op->regions[1].ops.back()->operands[i]);
        }
        for (size_t i = 0; i < op->results.size(); ++i) {
          join(op->regions[1].args[i], op->regions[0].ops.back()->operands[i + 1]);
          join(op->results[i], op->regions[0].ops.back()->operands[i + 1]);
        }
        break;
      default:
        for (ValueId result : op->results) {
          if (!f_.type(result).pointer) continue;
          bool some = false;
          for (ValueId v : op->operands)
            if (f_.type(v).pointer) some = join(result, v);
          if (!some && roots_[result] != kAny) {
            roots_[result] = kAny;  // an address that was a number
            changed_ = true;
          }
        }
    }
  }
}

Hazards::State Hazards::left_by(const Block& b) const {
  State s;
  s.read_buffers = ~0u;
  walk(b, [&](const Op& op) {
    if (loads(op)) s.loaded |= roots_[op.operands[0]];
    if (stores(op)) s.stored |= roots_[op.operands[0]];
  });
  return s;
}

}  // namespace tilescope::gpu
