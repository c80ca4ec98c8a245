// Statements of host functions: what a call of one runs.
#include <optional>

#include "core/host_changes.h"
#include "core/host_evaluation.h"

namespace tilescope::host {

using K = HostValue::Kind;

Evaluation::Flow Evaluation::run(const std::vector<Stmt*>& body, Scope& scope, HostValue& result) {
  for (const Stmt* s : body)
    if (const Flow flow = statement(*s, scope, result); flow != Flow::On) return flow;
  return Flow::On;
}

Evaluation::Flow Evaluation::statement(const Stmt& s, Scope& scope, HostValue& result) {
  charge(s.range);
  switch (s.kind) {
    case Stmt::Kind::Pass: return Flow::On;
    case Stmt::Kind::Break: return Flow::Break;
    case Stmt::Kind::Continue: return Flow::Continue;
    case Stmt::Kind::Return:
      if (s.value != nullptr) result = eval(*s.value, &scope);
      return Flow::Return;
    case Stmt::Kind::If: return run(truth(eval(*s.value, &scope), *s.value) ? s.body : s.orelse, scope, result);
    case Stmt::Kind::Assign:
    case Stmt::Kind::AnnAssign:
      if (s.value == nullptr) return Flow::On;
      if (const HostValue v = eval(*s.value, &scope); true)
        for (const Expr* t : s.targets) bind(*t, v, scope);
      return Flow::On;
    case Stmt::Kind::AugAssign: return augmented(s, scope);
    case Stmt::Kind::For: return loop(s, scope, result);
    case Stmt::Kind::ExprStmt:
      if (append(*s.value, scope)) return Flow::On;
      break;
    default: break;
  }
  refuse(s.range, "this statement of host code is not read here");
}

/// `name += x`; a list grows in place, under all its names.
Evaluation::Flow Evaluation::augmented(const Stmt& s, Scope& scope) {
  const Expr& target = *s.targets[0];
  const auto found = target.kind == Expr::Kind::Name ? scope.names.find(target.text) : scope.names.end();
  if (found == scope.names.end()) refuse(s.range, "this statement of host code is not read here");
  const HostValue old = found->second, more = eval(*s.value, &scope);
  if (old.kind == K::List && s.op == SynOp::Add) extend(*s.value, old, more);
  else bind(target, binary(target, s.op, old, more), scope);
  return Flow::On;
}

void Evaluation::extend(const Expr& at, const HostValue& list, const HostValue& more) {
  const HostValue values = sequence(at, more);
  const size_t n = values.items().size();  // `a.extend(a)` doubles it
  for (size_t i = 0; i < n; ++i) add(at, list, HostValue(values.items()[i]));
}

Evaluation::Flow Evaluation::loop(const Stmt& s, Scope& scope, HostValue& result) {
  const HostValue values = sequence(*s.value, eval(*s.value, &scope));
  for (size_t i = 0; i < values.items().size(); ++i) {
    bind(*s.targets[0], values.items()[i], scope);
    const Flow flow = run(s.body, scope, result);
    if (flow == Flow::Return) return flow;
    if (flow == Flow::Break) return Flow::On;
  }
  return run(s.orelse, scope, result);
}

bool Evaluation::append(const Expr& e, Scope& scope) {
  if (e.kind == Expr::Kind::Str) return true;
  if (e.kind != Expr::Kind::Call || e.base->kind != Expr::Kind::Attribute || e.items.size() != 1 || !e.keywords.empty()) return false;
  const Expr& object = *e.base->base;
  const bool extends = e.base->text == "extend";
  if (object.kind != Expr::Kind::Name || (e.base->text != "append" && !extends)) return false;
  const HostValue* list = scope.find(object.text);
  if (list == nullptr || list->kind != K::List) return false;
  const HostValue held = *list, v = eval(*e.items[0], &scope);
  if (extends) extend(e, held, v);
  else add(e, held, v);
  return true;
}

}  // namespace tilescope::host
