// Kernels and their parameters.
#include <algorithm>
#include <utility>

#include "core/dsl/session.h"
#include "core/lower/builtins.h"
#include "core/stop.h"

namespace tilescope::dsl {

using detail::guarded;
using detail::Session;

namespace detail {

void Session::declare(const std::string& name, bool constant, Site at) {
  if (deferred_) throw Error(*deferred_);
  if (!is_probe() && (function_.values.size() != function_.params.size() || !chunks_.empty()))
    throw_error(range(at), "the parameter `" + name + "` is declared after an operation",
                "declare every parameter first: their order is that of the launch");
  if (std::find(declared.begin(), declared.end(), name) != declared.end())
    throw_error(range(at), "the parameter `" + name + "` is declared twice", "keep it in a C++ variable");
  declared.push_back(name);
  if (constant) declared_constants.push_back(name);
}

const CompileArg* Session::find_argument(const std::string& name) const {
  for (const CompileArg& a : request_->args)
    if (a.name == name) return &a;
  return nullptr;
}

namespace {

/// A definition that stands for the kernel's Triton text where the rules of specialisation want one.
struct Declaration {
  Expr annotation;
  FunctionDef kernel;
  FunctionParam param;

  Declaration(const std::string& kernel_name, const std::string& name, const std::string& annotated,
              const SourceRange& range) {
    kernel.name = kernel_name;
    annotation.kind = Expr::Kind::Name;
    annotation.text = annotated;
    param.name = name;
    param.range = range;
    if (!annotated.empty()) param.annotation = &annotation;
  }
};

}  // namespace

Value Session::declare_value(const std::string& name, Site at,
                             const std::function<lower::Value(const SourceRange&, const CompileArg&)>& make_value) {
  declare(name, false, at);
  Content content;
  content.assigned = true;
  content.region = regions_.front()->id;
  if (!is_probe()) {
    const SourceRange where = range(at);
    const CompileArg* arg = find_argument(name);
    if (arg == nullptr) throw_error(where, "the argument `" + name + "` of `" + recipe_.name + "` is missing");
    content.value = guarded([&] { return make_value(where, *arg); });
    content.value.range = where;
    if (lower::is_compile_time(content.value))
      function_.constexprs.emplace_back(name, lower::python_str(content.value));
  }
  Cell* cell = new_cell(std::move(content), at);
  cell->parameter = true;
  cell->name = name;
  cell->name_known = true;
  return make(cell);
}

Value Session::parameter(const std::string& name, std::optional<DType> type, Site at) {
  return declare_value(name, at, [&](const SourceRange& where, const CompileArg& arg) {
    const Declaration d(recipe_.name, name, type ? std::string(dtype_name(*type)) : "", where);
    return library_.kernel_param(d.kernel, d.param, arg);
  });
}

Value Session::descriptor(const std::string& name, Site at) {
  return declare_value(name, at, [&](const SourceRange& where, const CompileArg& arg) -> lower::Value {
    if (std::holds_alternative<NoneArg>(arg.value)) return {lower::NoneValue{}, where};
    const auto* tensor = std::get_if<PointerArg>(&arg.value);
    if (tensor == nullptr)
      throw_error(where, "the argument `" + name + "` is no tensor, but the kernel needs a tensor descriptor", "declare numbers with k.scalar");
    if (tensor->block.empty())
      throw_error(where, "the argument `" + name + "` is a tensor without blocks, but the kernel needs a tensor descriptor",
                  "give the blocks' extents in the launch, for example \"descriptor\": [64, 64]; or declare it with k.pointer");
    const Declaration d(recipe_.name, name, "", where);
    lower::Value v = library_.host_descriptor(d.kernel, d.param, *tensor, *request_);
    descriptors_[v.as<lower::DescriptorValue>().base] = tensor;
    return v;
  });
}

/// They are constants, which come behind the last parameter, once for all variables that hold the descriptor.
void Session::complete_descriptors() {
  if (descriptors_.empty()) return;
  const auto waiting = std::exchange(descriptors_, {});
  Operation op(*this, recipe_.site);
  for (const auto& [base, tensor] : waiting) {
    const auto constants = [&](const std::vector<int64_t>& numbers) {
      std::vector<ValueId> out;
      for (int64_t n : numbers) out.push_back(builder_->constant_int(Type::scalar(DType::Int64), n));
      return out;
    };
    const std::vector<ValueId> shape = constants(tensor->shape), strides = constants(tensor->strides);
    for (auto& [id, cell] : cells_) {
      if (!cell->now.assigned || !cell->now.value.is<lower::DescriptorValue>()) continue;
      auto& d = cell->now.value.as<lower::DescriptorValue>();
      if (d.base == base) d.shape = shape, d.strides = strides;
    }
  }
  op.finish({lower::NoneValue{}, range(recipe_.site)});
}

lower::Value Session::constant(const std::string& name, const std::optional<lower::Value>& fallback, Site at) {
  declare(name, true, at);
  const SourceRange where = range(at);
  const CompileArg* arg = find_argument(name);
  if (arg == nullptr && !fallback)
    throw_error(where, "the argument `" + name + "` of `" + recipe_.name + "` is missing");
  lower::Value v = fallback.value_or(lower::Value{});
  if (arg != nullptr) {
    Declaration d(recipe_.name, name, "constexpr", where);
    v = guarded([&] { return library_.kernel_param(d.kernel, d.param, *arg); });
  }
  function_.constexprs.emplace_back(name, lower::python_str(v));
  v.range = where;
  return v;
}

/// The end of the function: arguments that nobody declared, and the last op.
void Session::finish() {
  if (deferred_) throw Error(*deferred_);
  if (regions_.size() != 1)
    throw_error(range(recipe_.site), "a loop over a tl::range of this kernel was begun and not ended",
                "write for (auto i : tl::range(...)) { ... }");
  std::set<std::string> given;
  for (const CompileArg& a : request_->args) {
    const std::string owner = "the kernel `" + recipe_.name + "` ";
    if (!given.insert(a.name).second) throw_error(range(recipe_.site), "the argument `" + a.name + "` is given twice");
    if (std::find(declared.begin(), declared.end(), a.name) != declared.end()) continue;
    const std::string near = lower::closest_name(a.name, declared);
    std::string hint = near.empty() ? "" : "did you mean `" + near + "`?";
    if (near.empty() && !declared.empty()) {
      hint = "its parameters are";
      for (size_t i = 0; i < declared.size(); ++i) hint += (i ? ", " : " ") + declared[i];
    }
    throw_error(range(recipe_.site), owner + "has no parameter `" + a.name + "`", hint);
  }
  pop_region();
  builder_->set_block(&function_.body);
  set_location(recipe_.site);
  builder_->create(OpCode::Return, {}, {});
}

}  // namespace detail

// ---- Kernel

namespace {

[[noreturn]] void wrong_constant(Session& s, const std::string& name, const lower::Value& v, const char* what,
                                 Site at) {
  detail::throw_error(
      s.range(at), "the constant `" + name + "` is " + describe(v, s.function()) + ", but " + what + " is needed here",
      "k.constant reads integers, k.flag bools, k.number floats, k.text strings");
}

}  // namespace

Value Kernel::pointer(const std::string& name, Site at) {
  Value v = session_.parameter(name, std::nullopt, at);
  if (session_.is_probe() || v.is_none(at) || v.is_pointer(at)) return v;
  detail::throw_error(session_.range(at), "the argument `" + name + "` is a number, but the kernel needs a tensor",
                      "declare numbers with k.scalar");
}

Value Kernel::descriptor(const std::string& name, Site at) { return session_.descriptor(name, at); }

Value Kernel::scalar(const std::string& name, Site at) {
  Value v = session_.parameter(name, std::nullopt, at);
  if (session_.is_probe() || !v.is_pointer(at)) return v;
  detail::throw_error(session_.range(at), "the argument `" + name + "` is a tensor, but the kernel needs a number",
                      "declare tensors with k.pointer");
}

Value Kernel::scalar(const std::string& name, DType type, Site at) { return session_.parameter(name, type, at); }

namespace {

int64_t read_integer(Session& s, const std::string& name, const std::optional<lower::Value>& fallback, Site at) {
  const lower::Value v = s.constant(name, fallback, at);
  const bool fits =
      v.is<lower::ConstInt>() && v.as<lower::ConstInt>() >= INT64_MIN && v.as<lower::ConstInt>() <= INT64_MAX;
  if (!fits) wrong_constant(s, name, v, "an integer", at);
  return static_cast<int64_t>(v.as<lower::ConstInt>());
}

bool read_flag(Session& s, const std::string& name, const std::optional<lower::Value>& fallback, Site at) {
  const lower::Value v = s.constant(name, fallback, at);
  if (v.is<bool>()) return v.as<bool>();
  if (!v.is<lower::ConstInt>()) wrong_constant(s, name, v, "a bool", at);
  return v.as<lower::ConstInt>() != 0;
}

double read_number(Session& s, const std::string& name, const std::optional<lower::Value>& fallback, Site at) {
  const lower::Value v = s.constant(name, fallback, at);
  if (v.is<double>()) return v.as<double>();
  if (!v.is<lower::ConstInt>()) wrong_constant(s, name, v, "a number", at);
  return static_cast<double>(v.as<lower::ConstInt>());
}

std::string read_text(Session& s, const std::string& name, const std::optional<lower::Value>& fallback, Site at) {
  const lower::Value v = s.constant(name, fallback, at);
  if (v.is<lower::NoneValue>()) return "";
  if (!v.is<std::string>()) wrong_constant(s, name, v, "a string", at);
  return v.as<std::string>();
}

/// What constants read while only the parameters are learnt.
template <class T>
bool probing(Session& s, const std::string& name, Site at, T& value, const T& probe) {
  if (!s.is_probe()) return false;
  s.declare(name, true, at);
  value = probe;
  return true;
}

}  // namespace

int64_t Kernel::constant(const std::string& name, Site at) {
  int64_t v = 0;
  return probing<int64_t>(session_, name, at, v, 16) ? v : read_integer(session_, name, std::nullopt, at);
}
int64_t Kernel::constant(const std::string& name, int64_t fallback, Site at) {
  int64_t v = 0;
  if (probing(session_, name, at, v, fallback)) return v;
  return read_integer(session_, name, lower::Value{lower::ConstInt{fallback}, {}}, at);
}
bool Kernel::flag(const std::string& name, Site at) {
  bool v = false;
  return probing(session_, name, at, v, false) ? v : read_flag(session_, name, std::nullopt, at);
}
bool Kernel::flag(const std::string& name, bool fallback, Site at) {
  bool v = false;
  return probing(session_, name, at, v, fallback) ? v : read_flag(session_, name, lower::Value{fallback, {}}, at);
}
double Kernel::number(const std::string& name, Site at) {
  double v = 0;
  return probing(session_, name, at, v, 1.0) ? v : read_number(session_, name, std::nullopt, at);
}
double Kernel::number(const std::string& name, double fallback, Site at) {
  double v = 0;
  return probing(session_, name, at, v, fallback) ? v : read_number(session_, name, lower::Value{fallback, {}}, at);
}
std::string Kernel::text(const std::string& name, Site at) {
  std::string v;
  return probing<std::string>(session_, name, at, v, "") ? v : read_text(session_, name, std::nullopt, at);
}
std::string Kernel::text(const std::string& name, const std::string& fallback, Site at) {
  std::string v;
  return probing(session_, name, at, v, fallback) ? v : read_text(session_, name, lower::Value{fallback, {}}, at);
}

// ---- tl::kernel

namespace {

using detail::Recipe;

SourceRange place_of(const Recipe& recipe) {
  return CppText(recipe.source)
      .expression(static_cast<int>(recipe.site.line()), static_cast<int>(recipe.site.column()));
}

void refuse_nesting(const Recipe& recipe) {
  if (Session::current() == nullptr) return;
  detail::throw_error(place_of(recipe), "a kernel cannot be made inside the function of another",
                      "C++ functions that take and return tl::Value serve as helpers");
}

CompiledKernel run_body(const Recipe& recipe, const CompileRequest& request) {
  refuse_nesting(recipe);
  CompiledKernel out;
  Function& f = out.function;
  f.name = recipe.name;
  f.num_warps = request.num_warps;
  f.num_stages = request.num_stages;
  f.source = recipe.source;
  Session session(f, recipe, &request);
  Kernel k = Session::kernel_handle(session);
  guarded([&] {
    recipe.body(k);
    session.finish();
  });
  out.notes = session.take_notes();
  return out;
}

Expected<CompiledKernel> build_expected(const Recipe& recipe, const CompileRequest& request) {
  Diagnostic d;
  try {
    return run_body(recipe, request);
  } catch (const Stopped&) {
    throw;
  } catch (const Error& e) {
    return e.diagnostic();
  } catch (const std::exception& e) {
    d.message = "the function of the kernel `" + recipe.name + "` threw an exception: " + e.what();
  } catch (...) {
    d.message = "the function of the kernel `" + recipe.name + "` threw something that is no std::exception";
  }
  d.range = place_of(recipe);
  return d;
}

/// The parameters that the function declares before its first operation.
void learn_parameters(const Recipe& recipe, HostKernel& kernel) {
  refuse_nesting(recipe);
  Function scratch;
  Session session(scratch, recipe, nullptr);
  Kernel k = Session::kernel_handle(session);
  try {
    recipe.body(k);
  } catch (const detail::ProbeEnd&) {
  } catch (const Stopped&) {
    throw;
  } catch (...) {
    // The same will happen when the kernel is built, with the arguments at hand to say why.
  }
  kernel.params = session.declared;
  kernel.constexprs = session.declared_constants;
}

}  // namespace

std::shared_ptr<const HostKernel> kernel(std::string name, Body body, Site at) {
  auto recipe = std::make_shared<Recipe>(Recipe{std::move(name), std::move(body), at, nullptr});
  recipe->source = CppText(std::string(at.file_name())).file();
  auto made = std::make_shared<HostKernel>();
  made->name = recipe->name;
  made->source = recipe->source;
  learn_parameters(*recipe, *made);
  made->build = [recipe](const CompileRequest& request) { return build_expected(*recipe, request); };
  return made;
}

CompiledKernel build(const HostKernel& kernel, const CompileRequest& request) {
  Expected<CompiledKernel> built = kernel.build(request);
  if (!built) throw Error(built.errors().front());
  return std::move(*built);
}

}  // namespace tilescope::dsl
