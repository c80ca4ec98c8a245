// Imports: the kernel language under its many names, and helpers from the files around the kernel's file.
#include <algorithm>

#include "core/lower/builtins.h"
#include "core/lower/depth_guard.h"
#include "core/lower/lowering.h"
#include "core/lower/module_names.h"
#include "core/syntax/module_files.h"
#include "core/words.h"

namespace tilescope::lower {
namespace {

/// Other spellings of modules, longest first.
constexpr std::pair<std::string_view, std::string_view> kModules[] = {
    {"triton.language", "tl"},
    {"tl.extra.cuda.libdevice", "libdevice"},
    {"tl.extra.hip.libdevice", "libdevice"},
    {"tl.extra.intel.libdevice", "libdevice"},
    {"tl.extra.xpu.libdevice", "libdevice"},
    {"tl.extra.mlu.libdevice", "libdevice"},
    {"tl.extra.libdevice", "libdevice"},
    {"tl.math.libdevice", "libdevice"},
    {"tl.libdevice", "libdevice"},
    {"tl.standard", "tl"},
    {"tl.core", "tl"},
    {"tl.random", "tl"},
    {"tl.semantic", "tl"},
};

/// Packages hand Triton on under these names: `from mypackage.compat import tl, triton`.
constexpr std::pair<std::string_view, std::string_view> kHandedOn[] = {
    {"tl", "tl"},           {"triton", "triton"},      {"libdevice", "libdevice"},
    {"tldevice", "libdevice"}, {"tl_math", "tl.math"}, {"tl_extra_shim", "libdevice"},
};

constexpr size_t kMaxImportedFiles = 64;  ///< for one kernel

/// What a file defines or hands on.
std::vector<std::string> names_of(const Module& file) {
  std::vector<std::string> out;
  for (const auto& f : file.functions)
    if (f->scope == 0) out.push_back(f->name);
  for (const auto& a : file.assigns) out.push_back(a.name);
  for (const Import& i : file.imports) out.push_back(i.alias);
  return out;
}

}  // namespace

std::string canonical_module(std::string path) {
  for (auto [from, to] : kModules)
    if (is_module_prefix(from, path)) path = std::string(to) + path.substr(from.size());
  return path;
}

const Module* Lowering::import_file(const Module& importing, const std::string& module) {
  if (&importing == &prelude() || module.empty()) return nullptr;
  const std::optional<std::string> path = find_module_file(importing.source->path, module);
  if (!path) return nullptr;
  if (*path == user_module_.source->path) return &user_module_;
  std::shared_ptr<const Module> file = load_module(*path);
  if (file == nullptr) return nullptr;
  if (std::find(files_.begin(), files_.end(), file) == files_.end()) {
    if (files_.size() >= kMaxImportedFiles) return nullptr;
    files_.push_back(file);
  }
  return file.get();
}

std::optional<Value> Lowering::import_value(const Module& module, const Import& import, const SourceRange& use) {
  std::string path = import.module;
  if (!import.name.empty()) path += (path.ends_with('.') ? "" : ".") + import.name;
  if (auto v = resolve_path(canonical_module(path))) return v;
  const std::string last = import.name.empty() ? path.substr(path.rfind('.') + 1) : import.name;
  for (auto [name, meaning] : kHandedOn)
    if (last == name) return resolve_path(std::string(meaning));
  if (import.name.empty()) {
    const Module* file = import_file(module, path);
    if (file == nullptr) return std::nullopt;
    return Value{ModuleValue{path, file}, import.range};
  }
  if (const Module* file = import_file(module, import.module))
    if (auto v = file_attribute(*file, import.module, import.name, use)) return v;
  const Module* file = import_file(module, path);
  if (file == nullptr) return std::nullopt;
  return Value{ModuleValue{path, file}, import.range};
}

/// `a.b` behind `import a.b`: the file of that whole path, whether or not the folder `a` is a package.
std::optional<Value> Lowering::dotted_import(const Expr& e) {
  std::string path = e.text;
  const Expr* root = e.base;
  for (; root->kind == Expr::Kind::Attribute; root = root->base) path = root->text + "." + path;
  if (root->kind != Expr::Kind::Name || frame_->scope.find(root->text) != nullptr) return std::nullopt;
  path = root->text + "." + path;
  for (const Import& i : frame_->module->imports)
    if (i.path == path && !resolve_path(canonical_module(path)) && is_reached(*frame_->module, i.block) != Truth::No)
      if (const Module* file = import_file(*frame_->module, path)) return Value{ModuleValue{path, file}, e.range};
  return std::nullopt;
}

std::optional<Value> Lowering::file_attribute(const Module& file, const std::string& module, const std::string& name,
                                              const SourceRange& use) {
  const GlobalName key{&file, -1, name, INT64_MAX};
  if (!evaluating_.insert(key).second) return std::nullopt;  // files that import from each other
  std::optional<Value> v;
  try {
    DepthGuard guard(*this, use);
    v = lookup_global(file, 0, name, use);
  } catch (CompileError&) {
    evaluating_.erase(key);
    throw;
  }
  evaluating_.erase(key);
  if (v || module.empty()) return v;
  // A package and its modules: `import ops`, `ops.softmax.kernel`.
  if (!file.source->path.ends_with("__init__.py")) return std::nullopt;
  if (const Module* inner = import_file(file, "." + name)) return Value{ModuleValue{module + "." + name, inner}, use};
  return std::nullopt;
}

std::optional<Value> Lowering::star_import_value(const Module& module, const std::string& name,
                                                 const SourceRange& use) {
  for (size_t i = module.imports.size(); i-- > 0;) {
    const Import& import = module.imports[i];
    if (import.name != "*") continue;
    const std::string language = canonical_module(import.module);
    if (is_module_prefix("tl", language) || is_module_prefix("triton", language) || language == "libdevice") {
      if (auto v = resolve_path(language + "." + name)) return v;
      continue;
    }
    if (const Module* file = import_file(module, import.module))
      if (auto v = file_attribute(*file, "", name, use)) return v;
  }
  return std::nullopt;
}

void Lowering::fail_misspelt_import(const Expr& name) {
  for (const Import& i : frame_->module->imports) {
    if (i.name.empty() || i.name == "*" || i.alias == name.text) continue;
    const Module* file = import_file(*frame_->module, i.module);
    if (file == nullptr) continue;
    const std::vector<std::string> known = names_of(*file);
    const auto defines = [&](const std::string& n) { return std::find(known.begin(), known.end(), n) != known.end(); };
    if (defines(i.name) || !defines(name.text) || closest_name(i.name, {name.text}).empty()) continue;
    fail(i.range, "`" + i.name + "` is imported from " + file->source->path + ", which defines no `" + i.name + "`", remember(say(CoreWords::DidYouMean, {{"name", name.text}})));
  }
}

void Lowering::fail_import(const Module& module, const Import& import, const std::string& name,
                           const SourceRange& use) {
  const std::string from = import.module.empty() ? import.name : import.module;
  if (const Module* file = import.name.empty() ? nullptr : import_file(module, import.module)) {
    const std::string near = closest_name(import.name, names_of(*file));
    fail(use, "`" + name + "` is imported from " + file->source->path + ", which defines no `" + import.name + "`",
         near.empty() ? "" : remember(say(CoreWords::DidYouMean, {{"name", near}})));
  }
  fail(use, "`" + name + "` comes from the module " + from + ", which is not part of the kernel language",
       "put its file beside this one, or copy what the kernel needs from it into this file");
}

}  // namespace tilescope::lower
