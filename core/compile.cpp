#include "core/compile.h"

#include <algorithm>
#include <set>

#include "core/compile_module.h"
#include "core/lower/builtins.h"
#include "core/lower/lowering.h"
#include "core/passes.h"
#include "core/syntax/parser.h"
#include "core/user_file.h"
#include "core/verify.h"
#include "core/view_order.h"

namespace tilescope {
namespace {

void collect_names(const Expr* e, std::set<std::string>& out) {
  if (e == nullptr) return;
  if (e->kind == Expr::Kind::Name) out.insert(e->text);
  collect_names(e->base, out);
  for (const Expr* item : e->items) collect_names(item, out);
  for (const Keyword& k : e->keywords) collect_names(k.value, out);
}

void add_names(const std::vector<Stmt*>& body, std::set<std::string>& out) {
  for (const Stmt* s : body) {
    collect_names(s->value, out);
    for (const Expr* t : s->targets) collect_names(t, out);
    add_names(s->body, out);
    add_names(s->orelse, out);
  }
}

}  // namespace

void add_outer_names(const FunctionDef& f, std::set<std::string>& out) {
  std::set<std::string> names;
  add_names(f.body, names);
  for (const std::string& assigned : lower::assigned_names(f.body)) names.erase(assigned);
  for (const FunctionParam& p : f.params) names.erase(p.name);
  out.merge(names);
}

namespace {

bool returns_value(const std::vector<Stmt*>& body) {
  return std::any_of(body.begin(), body.end(), [](const Stmt* s) {
    return (s->kind == Stmt::Kind::Return && s->value != nullptr) || returns_value(s->body) || returns_value(s->orelse);
  });
}

std::string list_names(const std::vector<const FunctionDef*>& functions) {
  std::string out;
  for (size_t i = 0; i < functions.size() && i < 20; ++i) out += (i ? ", " : "") + functions[i]->name;
  return out + (functions.size() > 20 ? ", ..." : "");
}

}  // namespace

std::vector<const FunctionDef*> entry_points(const Module& module) {
  std::vector<const FunctionDef*> jit;
  for (const auto& f : module.functions)
    if (f->is_jit && module.find_function(f->name) == f.get()) jit.push_back(f.get());
  std::set<std::string> called;
  for (const FunctionDef* f : jit) {
    std::set<std::string> names;
    add_outer_names(*f, names);
    names.erase(f->name);
    called.merge(names);
  }
  std::vector<const FunctionDef*> out;
  for (const FunctionDef* f : jit)
    if (called.count(f->name) == 0) out.push_back(f);
  if (std::any_of(out.begin(), out.end(), [](const FunctionDef* f) { return !returns_value(f->body); }))
    std::erase_if(out, [](const FunctionDef* f) { return returns_value(f->body); });
  return out.empty() ? jit : out;
}

Expected<const FunctionDef*> choose_kernel(const Module& module, const std::string& name) {
  const std::string& path = module.source->path;
  std::vector<const FunctionDef*> entries = entry_points(module);
  std::vector<Diagnostic> errors;
  if (name.empty()) {
    if (entries.size() == 1) return entries[0];
    errors.push_back(entries.empty() ? plain_error(path + " has no kernel", "a kernel is a function with @triton.jit")
                                     : plain_error(path + " has several kernels: " + list_names(entries),
                                                   "name one, for example --kernel " + entries[0]->name));
  } else if (const FunctionDef* f = module.find_function(name)) {
    // Host code may define a function of the same name after the kernel.
    for (auto it = module.functions.rbegin(); it != module.functions.rend() && !f->is_jit; ++it)
      if ((*it)->name == name && (*it)->is_jit) f = it->get();
    if (f->is_jit) return f;
    Diagnostic d;
    d.message = "`" + name + "` is no kernel: it has no @triton.jit above it";
    d.range = f->name_range;
    return d;
  } else {
    std::vector<std::string> known;
    for (const auto& f : module.functions)
      if (f->is_jit) known.push_back(f->name);
    const std::string near = lower::closest_name(name, known);
    std::string hint = near.empty() ? "" : "did you mean `" + near + "`?";
    if (near.empty() && !entries.empty()) hint = "it has " + list_names(entries);
    errors.push_back(plain_error(path + " has no kernel `" + name + "`", hint));
  }
  for (const Diagnostic& d : module.skipped)
    if (errors.size() < 10) errors.push_back(d);
  return errors;
}

Expected<CompiledKernel> lower_kernel(const Module& module, const FunctionDef& kernel, const CompileRequest& request,
                                      size_t* values) {
  if (!kernel.errors.empty()) return kernel.errors;
  CompiledKernel out;
  Function& f = out.function;
  f.name = kernel.name;
  f.num_warps = request.num_warps;
  f.num_stages = request.num_stages;
  f.source = module.source;
  std::optional<Diagnostic> error;
  try {
    lower::Lowering lowering(f, module);
    lowering.lower_kernel(kernel, request);
    out.notes = lowering.take_notes();
  } catch (lower::CompileError& e) {
    error = std::move(e.diagnostic);
  }
  if (values != nullptr) *values = f.values.size();
  if (error) return *error;
  return out;
}

namespace {

void finish(CompiledKernel& kernel, bool optimise) {
  Function& f = kernel.function;
  verify_or_die(f, "lowering");
  if (has_views(f)) {
    for (Diagnostic& note : order_views(f)) kernel.notes.push_back(std::move(note));
    verify_or_die(f, "the order of views");
  }
  if (!optimise) return;
  run_passes(f, default_pipeline());
  verify_or_die(f, "the passes");
}

}  // namespace

Expected<CompiledKernel> compile_kernel(const CompileRequest& request) {
  if (request.host != nullptr) {
    Expected<CompiledKernel> built = request.host->build(request);
    if (built) finish(*built, request.optimise);
    return built;
  }
  Expected<Module> parsed = parse_module(request.source);
  if (!parsed) return parsed.errors();
  return compile_kernel(*parsed, request);
}

Expected<CompiledKernel> compile_kernel(const Module& module, const CompileRequest& request) {
  Expected<const FunctionDef*> chosen = choose_kernel(module, request.kernel);
  if (!chosen) return chosen.errors();
  Expected<CompiledKernel> out = lower_kernel(module, **chosen, request);
  if (out) finish(*out, request.optimise);
  return out;
}

Expected<std::vector<std::string>> list_kernels(const SourcePtr& source) {
  Expected<Module> parsed = parse_module(source);
  if (!parsed) return parsed.errors();
  std::vector<std::string> names;
  for (const auto& f : parsed->functions)
    if (f->is_jit && std::find(names.begin(), names.end(), f->name) == names.end()) names.push_back(f->name);
  return names;
}

Expected<SourcePtr> read_source(const std::string& path) {
  Expected<std::string> text = read_user_file(path, kMaxKernelFileBytes, "a kernel file is Python text");
  if (!text) return text.errors();
  if (text->find('\0') != std::string::npos) return plain_error(path + " is no text file", "a kernel file is Python text");
  return SourcePtr(std::make_shared<SourceFile>(SourceFile{path, std::move(*text)}));
}

}  // namespace tilescope
