#include "lessons/kernel_names.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/lower/context.h"
#include "core/lower/module_names.h"

namespace tilescope::lessons {
namespace {

using lower::Builtin;

/// "a.b.c" of names tied by dots; empty: it is something else.
std::string dotted(const Expr& e) {
  if (e.kind == Expr::Kind::Name) return e.text;
  if (e.kind != Expr::Kind::Attribute) return {};
  const std::string base = dotted(*e.base);
  return base.empty() ? base : base + "." + e.text;
}

std::string last_part(const std::string& path) { return path.substr(path.rfind('.') + 1); }

/// A row of the table may hold several functions, each under several spellings.
bool is_same(const Builtin* a, const Builtin* b) { return a == b || (a->names == b->names && a->fn == b->fn && last_part(a->path) == last_part(b->path)); }

template <class Visit>
void walk(const Expr* e, const Visit& visit) {
  if (e == nullptr) return;
  visit(*e);
  walk(e->base, visit);
  for (const Expr* item : e->items) walk(item, visit);
  for (const Keyword& k : e->keywords) walk(k.value, visit);
}

template <class OnStmt, class OnExpr>
void walk(const std::vector<Stmt*>& body, const OnStmt& on_stmt, const OnExpr& on_expr) {
  for (const Stmt* s : body) {
    on_stmt(*s);
    for (const Expr* target : s->targets) walk(target, on_expr);
    for (const Expr* e : {s->annotation, s->value, s->message}) walk(e, on_expr);
    walk(s->body, on_stmt, on_expr);
    walk(s->orelse, on_stmt, on_expr);
  }
}

class Names {
 public:
  explicit Names(const Module& module) {
    for (const Import& i : module.imports) {
      const std::string from = i.module + (i.name.empty() || i.module.ends_with('.') ? "" : ".");
      if (i.name == "*") everything_of_.insert(lower::canonical_module(i.module));
      // `import a.b` binds "a" alone.
      else if (i.name.empty() && i.module.starts_with(i.alias + ".")) add(i.alias, i.alias);
      else add(i.alias, from + i.name);
    }
    for (const ModuleAssign& a : module.assigns)
      if (a.value != nullptr) add(a.name, dotted(*a.value));
    for (const auto& f : module.functions)
      if (f->is_jit) walk(f->body, [&](const Stmt& s) { note_assignment(s); }, [](const Expr&) {});
  }

  /// What a dotted name may stand for, itself among them.
  std::set<std::string> meanings(const std::string& path) const {
    std::set<std::string> out{path};
    std::vector<std::string> open{path};
    // A name may be bound to one that is bound itself, or to each other.
    for (constexpr size_t kMost = 100; !open.empty() && out.size() < kMost;) {
      const std::string now = std::move(open.back());
      open.pop_back();
      const size_t dot = std::min(now.find('.'), now.size());
      const auto [from, to] = bound_.equal_range(now.substr(0, dot));
      for (auto it = from; it != to; ++it) take(it->second + now.substr(dot), out, open);
      if (dot == now.size())
        for (const std::string& module : everything_of_) take(module + "." + now, out, open);
    }
    return out;
  }

 private:
  static void take(std::string path, std::set<std::string>& out, std::vector<std::string>& open) {
    path = lower::canonical_module(std::move(path));
    constexpr size_t kLongest = 200;  // `a = a.b` would make it longer each time
    if (path.size() <= kLongest && out.insert(path).second) open.push_back(path);
  }
  void add(const std::string& name, const std::string& path) {
    if (!path.empty() && path != name) bound_.emplace(name, path);
  }
  void note_assignment(const Stmt& s) {
    if ((s.kind != Stmt::Kind::Assign && s.kind != Stmt::Kind::AnnAssign) || s.value == nullptr) return;
    for (const Expr* target : s.targets)
      if (target->kind == Expr::Kind::Name) add(target->text, dotted(*s.value));
  }

  std::multimap<std::string, std::string> bound_;
  std::set<std::string> everything_of_;  ///< modules of which `from m import *` takes every name
};

}  // namespace

std::vector<int> lines_that_name(const Module& module, const std::string& wanted) {
  const Names names(module);
  const Builtin* builtin = lower::find_builtin(wanted);
  const auto is_wanted = [&](const std::string& path) {
    if (path == wanted) return true;
    if (builtin == nullptr || path.find('.') == std::string::npos) return false;
    const Builtin* b = lower::find_builtin(path);
    return b != nullptr && is_same(b, builtin);
  };
  std::set<int> lines;
  const auto look = [&](const Expr& e) {
    if (e.kind != Expr::Kind::Name && e.kind != Expr::Kind::Attribute) return;
    const std::string path = dotted(e);
    bool found = false;
    if (!path.empty())
      for (const std::string& meaning : names.meanings(path)) found |= is_wanted(meaning);
    // A module's function is no method of a tile: `L.max` was looked up above.
    if (e.kind == Expr::Kind::Attribute) found |= is_wanted("tl.tensor." + e.text);
    if (found) lines.insert(e.range.line);
  };
  for (const auto& f : module.functions)
    if (f->is_jit) walk(f->body, [](const Stmt&) {}, look);
  return {lines.begin(), lines.end()};
}

}  // namespace tilescope::lessons
