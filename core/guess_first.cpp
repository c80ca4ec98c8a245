#include "core/guess_first.h"

#include <algorithm>
#include <map>

#include "core/decorators.h"
#include "core/guess_names.h"
#include "core/letters.h"
#include "core/syntax/parser.h"

namespace tilescope {
namespace {

constexpr int64_t kBlock = 32;          ///< a power of two that tl.dot takes, small enough for tiles of three axes
constexpr int64_t kSize = kGuessedSize;
constexpr int64_t kElements = 1000;     ///< of a kernel over one row of elements: its last block is not full
constexpr int64_t kTensorLength = 4096;

ArgValue tensor(DType dtype) {
  TensorSpec t;
  t.dtype = dtype;
  t.layout = TensorLayout::contiguous({kTensorLength});
  t.init.kind = is_float(dtype) ? Init::Kind::Randn : Init::Kind::Zeros;
  t.init.seed = 1;
  return t;
}

/// A tensor behind a descriptor, of some blocks along its last two axes. `block`: names of constexprs, "1" or nothing.
ArgValue descriptor(DType dtype, const std::vector<std::string>& block) {
  TensorSpec t = std::get<TensorSpec>(tensor(dtype));
  std::vector<int64_t> shape(block.size(), 2);
  shape.back() = kSize;
  if (shape.size() > 1) shape[shape.size() - 2] = kSize;
  t.layout = TensorLayout::contiguous(shape);
  for (const std::string& extent : block) {
    Expected<GridExpr> e = parse_grid_expr(extent, "block");
    t.block.push_back(e && !extent.empty() ? *e : GridExpr::constant(kBlock));
  }
  return t;
}

/// A literal as a value: 128, -1, 0.5, True, None, "text"; nothing for anything else.
std::optional<ArgValue> literal(const Expr& e) {
  switch (e.kind) {
    case Expr::Kind::Int:
      if (e.too_big) return std::nullopt;
      return e.integer <= INT64_MAX ? ArgValue(static_cast<int64_t>(e.integer)) : ArgValue(e.integer);
    case Expr::Kind::Float:
      return ArgValue(e.real);
    case Expr::Kind::Bool:
      return ArgValue(e.integer != 0);
    case Expr::Kind::None:
      return ArgValue();
    case Expr::Kind::Str:
      return ArgValue(e.text);
    case Expr::Kind::UnaryOp: {
      if (e.op != SynOp::Neg) return std::nullopt;
      const std::optional<ArgValue> v = literal(*e.items[0]);
      if (!v) return std::nullopt;
      if (const auto* n = std::get_if<int64_t>(&*v)) return ArgValue(-*n);
      if (const auto* x = std::get_if<double>(&*v)) return ArgValue(-*x);
      return std::nullopt;
    }
    case Expr::Kind::Call:  // tl.constexpr(5)
      if (e.base->text == "constexpr" && e.items.size() == 1) return literal(*e.items[0]);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

/// The first config of @triton.autotune, where it can be read.
TuningConfig first_config(const Module& module, const FunctionDef& kernel) {
  const Expected<std::vector<TuningConfig>> configs = read_configs(module, kernel);
  return configs && !configs->empty() ? configs->front() : TuningConfig{};
}

DType element_type(const std::string& name, const ParamUse& u, std::string& why) {
  const std::optional<DType> named = dtype_of_name(name);
  if (u.elements) return why += "; its elements go into tl.dot_scaled", *u.elements;
  if (u.pointer_elements) return why += "; holds addresses", DType::Int64;
  if (u.integer_elements && !u.real_elements) return why += "; its elements count or index", named.value_or(DType::Int32);
  if (u.real_elements) return DType::Float32;
  if (u.bool_elements && !u.maybe_integer_elements) return why += "; its elements are conditions", DType::Int1;
  if (u.maybe_integer_elements || named) return why += named ? "; name of integers" : "; its elements are integers", named.value_or(DType::Int32);
  return DType::Float32;
}

ArgValue tensor_guess(const std::string& name, const ParamUse& u, std::string& why) {
  why = u.loaded && u.stored ? "loaded from and stored to" : u.loaded ? "loaded from" : u.stored ? "stored to" : "name of a tensor";
  return tensor(element_type(name, u, why));
}

/// A helper of the file that gives a value, for a parameter that is called; empty when there is none.
std::string helper_of(const Module& module, const FunctionDef& kernel) {
  for (const auto& f : module.functions) {
    const bool gives = std::any_of(f->body.begin(), f->body.end(), [](const Stmt* s) { return s->kind == Stmt::Kind::Return && s->value != nullptr; });
    if (f->is_jit && f->scope == 0 && f.get() != &kernel && gives && f->errors.empty()) return f->name;
  }
  return {};
}

ArgValue constexpr_guess(const FunctionParam& p, const ParamUse& u, std::string& why) {
  const NameKind kind = kind_of_name(p.name);
  if (u.dtype && u.strings.empty()) return why = "used as an element type", ArgValue("tl.float32");
  if (!u.strings.empty()) return why = "a text that the kernel asks for", ArgValue(u.strings[0]);
  if (u.option) return why = "an option of a function", ArgValue(*u.option);
  if (u.extent) return why = "extent of a tile", ArgValue(kBlock);
  const bool counts = u.integer || u.number;
  if (!counts && (u.boolean || kind == NameKind::Flag) && u.integers.empty()) return why = "a flag", ArgValue(true);
  if (u.real && !u.integer) return why = "meets floats", ArgValue(0.5);
  if (auto n = integer_of_name(p.name)) return why = "by its name", ArgValue(*n);
  if (u.unrolled) return why = "bound of an unrolled loop", ArgValue(int64_t{4});
  if (!u.integers.empty()) return why = "a number that the kernel asks for", ArgValue(u.integers[0]);
  if (kind == NameKind::ElementType && !counts) return why = "name of an element type", ArgValue("tl.float32");
  if (u.none && !counts) return why = "may be None", ArgValue();
  if (u.hint) return why = "a hint", ArgValue(int64_t{2});
  if (kind == NameKind::Block) return why = "name of a block", ArgValue(kBlock);
  if (kind == NameKind::Size || kind == NameKind::Stride) return why = "name of a size", ArgValue(kSize);
  return why = "an integer constexpr", ArgValue(kBlock);
}

ArgValue run_time_guess(const FunctionParam& p, const ParamUse& u, std::string& why) {
  const NameKind kind = kind_of_name(p.name);
  if (p.annotation != nullptr && p.annotation->kind == Expr::Kind::Str && p.annotation->text.starts_with("*"))
    if (auto t = parse_dtype(p.annotation->text.substr(1))) return why = "its annotation", tensor(*t);
  if (u.descriptor && !u.block.empty() && u.block.size() <= 5) {
    const DType elem = element_type(p.name, u, why);
    return why = "its blocks are read or stored", descriptor(elem, u.block);
  }
  if (u.address()) return tensor_guess(p.name, u, why);
  if (p.annotation != nullptr && (p.annotation->text == "float" || p.annotation->text.starts_with("float") || p.annotation->text.starts_with("fp")))
    return why = "its annotation", ArgValue(0.5);
  if (u.integer) return why = "an offset, a bound or an index", ArgValue(kSize);
  if (u.real) return why = "meets floats", ArgValue(0.5);
  if (kind == NameKind::Address) return tensor_guess(p.name, u, why);
  if (kind == NameKind::Real) return why = "name of a float", ArgValue(0.5);
  if (kind == NameKind::Seed) return why = "name of a seed", ArgValue(int64_t{1234});
  if (u.boolean && !u.number) return why = "a condition", ArgValue(true);
  if (u.number || kind == NameKind::Size || kind == NameKind::Stride) return why = "a number", ArgValue(kSize);
  if (u.none) return why = "may be None", ArgValue();
  return why = "not used", ArgValue(kSize);
}

// ---- numbers that fit each other: sizes and strides

/// A kernel over one row of elements gets a length that is no multiple of its block.
void guess_length(GuessedLaunch& g, const KernelUse& use) {
  if (use.axes[1] || use.axes[2] || use.limits[0].size() != 1 || use.limits[0][0].block.empty() || use.divided[0]) return;
  for (GuessedArg& a : g.args)
    if (a.name == use.limits[0][0].limit && !a.constexpr_parameter && std::holds_alternative<int64_t>(a.value)) a.value = kElements;
}

/// An integer that only steps through tensors, whose name does not tell along which axis.
void learn_stride(const FunctionDef& kernel, const FunctionParam& p, const ParamUse& u, GuessedArg& a) {
  if (a.constexpr_parameter || u.bound || u.steps.none() || p.default_value != nullptr || !std::holds_alternative<int64_t>(a.value)) return;
  const NameKind kind = kind_of_name(p.name);
  if (kind != NameKind::Unknown && (kind != NameKind::Stride || !parts_of_stride(p.name).axis.empty())) return;
  for (size_t i = 0; i < kernel.params.size() && i < kMaxGuessedParams; ++i)
    if (u.steps.test(i)) a.stride_of.push_back(kernel.params[i].name);
  a.stride_axis = u.step_axis;
  a.stride_within = u.rest;
}

int64_t times(int64_t a, int64_t b) {
  int64_t out = 0;
  const bool over = __builtin_mul_overflow(a, b, &out);
  return over || out > (int64_t{1} << 24) || out < 0 ? int64_t{1} << 24 : out;
}

/// Of each tensor the last stride steps over what has none, each other one over the axes behind it.
void guess_strides_by_use(GuessedLaunch& g, const std::set<std::string>& keep, int64_t unknown) {
  const auto size = [&](const std::string& name) {
    for (const GuessedArg& a : g.args)
      if (const auto* n = std::get_if<int64_t>(&a.value); n != nullptr && a.name == name) return *n;
    return unknown;
  };
  std::map<std::string, int64_t> next;  // by tensor
  for (size_t i = g.args.size(); i-- > 0;) {
    GuessedArg& a = g.args[i];
    if (a.stride_of.empty()) continue;
    int64_t within = 1;
    for (const std::string& n : a.stride_within) within = times(within, size(n));
    const auto [at, fresh] = next.try_emplace(a.stride_of[0], within);
    if (keep.count(a.name) == 0) a.value = at->second, a.why = "multiplies an index in an address: a stride, row major";
    at->second = times(std::get<int64_t>(a.value), size(a.stride_axis));
  }
}

// ---- other guesses

/// Element types that a message names, in order.
std::vector<DType> types_in(const Diagnostic& d) {
  std::string text = d.message + " " + d.range_label + " " + d.hint;
  for (const Label& l : d.labels) text += " " + l.text;
  std::vector<std::pair<size_t, DType>> found;
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto t = static_cast<DType>(i);
    const std::string name(dtype_name(t));
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
      const bool inside = at > 0 && std::isalpha(static_cast<unsigned char>(text[at - 1]));  // int32 in uint32
      const size_t end = at + name.size();
      if (inside || (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])))) continue;
      found.push_back({at, t});
      break;
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<DType> out;
  for (const auto& [at, t] : found) out.push_back(t);
  return out;
}

void add_types(const Diagnostic& error, std::vector<ArgValue>& out) {
  for (DType t : types_in(error)) out.push_back(tensor(t));
  for (DType t : {DType::Float16, DType::Float32, DType::Int32, DType::BFloat16, DType::Int8, DType::Int64, DType::UInt8, DType::Int1, DType::Float8E4NV})
    out.push_back(tensor(t));
}

bool speaks_of(const Diagnostic& d, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view w) {
    return d.message.find(w) != std::string::npos || d.range_label.find(w) != std::string::npos;
  });
}

/// Of other element types, and with other block extents when the message is about shapes.
std::vector<ArgValue> other_descriptors(const TensorSpec& t, const Diagnostic& error) {
  std::vector<ArgValue> types, out;
  add_types(error, types);
  for (ArgValue& v : types) {
    TensorSpec other = t;
    other.dtype = std::get<TensorSpec>(v).dtype;
    other.init = std::get<TensorSpec>(v).init;
    if (other.dtype != t.dtype) out.push_back(std::move(other));
  }
  if (!speaks_of(error, {"shape", "block", "extent", "axes", "broadcast"})) return out;
  std::vector<ArgValue> blocks;
  for (int64_t extent : {16, 64, 128, 1, 8, 256})
    for (size_t axis = 0; axis < t.block.size(); ++axis) {
      TensorSpec other = t;
      other.block[axis] = GridExpr::constant(extent);
      blocks.push_back(std::move(other));
    }
  out.insert(out.begin(), blocks.begin(), blocks.end());
  return out;
}

void add_element_types(std::vector<ArgValue>& out) {
  for (const char* t : {"tl.float32", "tl.float16", "tl.int32", "tl.bfloat16", "tl.int64", "tl.float8e4nv", "tl.int8", "tl.uint8"}) out.push_back(std::string(t));
}

bool speaks_of_pointers(const Diagnostic& error) { return speaks_of(error, {"pointer", "tl.load", "tl.store", "tensor"}); }

std::vector<ArgValue> other_constexprs(const GuessedArg& arg, const ParamUse& u, const Diagnostic& error) {
  std::vector<ArgValue> out;
  if (speaks_of(error, {"element type"})) add_element_types(out);
  if (u.none && !speaks_of(error, {"None"})) out.push_back({});
  for (const std::string& s : u.strings) out.push_back(s);
  if (std::holds_alternative<bool>(arg.value)) {
    out.push_back(!std::get<bool>(arg.value));
    if (u.integer || u.number) out.push_back(kBlock);
  } else if (const auto* n = std::get_if<int64_t>(&arg.value)) {
    for (int64_t x : u.integers) out.push_back(x);
    const int64_t twice = *n > INT64_MAX / 2 || *n < INT64_MIN / 2 ? *n : *n * 2;
    for (int64_t x : {int64_t{16}, int64_t{64}, int64_t{128}, int64_t{32}, twice, *n / 2, int64_t{1}, int64_t{2}, int64_t{4}, int64_t{8}, int64_t{256}, int64_t{0}})
      out.push_back(x);
    if (!u.extent && u.boolean) out.push_back(true), out.push_back(false);
  } else if (std::holds_alternative<std::string>(arg.value)) {
    if (u.dtype) add_element_types(out);
    out.push_back(std::string());
    out.push_back({});
  } else {
    out.push_back(u.extent ? kBlock : kSize);
    if (u.boolean) out.push_back(true);
    if (u.dtype) add_element_types(out);
  }
  if (!speaks_of(error, {"element type"}) && kind_of_name(arg.name) == NameKind::ElementType) add_element_types(out);
  return out;
}

std::vector<ArgValue> other_tensors(const ParamUse& u, const Diagnostic& error) {
  std::vector<ArgValue> out;
  if (speaks_of_pointers(error) && !u.address()) out.push_back(kSize), out.push_back(0.5);
  add_types(error, out);
  if (u.none) out.push_back({});
  if (!u.address()) out.push_back(kSize), out.push_back(0.5);
  return out;
}

std::vector<ArgValue> other_scalars(const ArgValue& now, const ParamUse& u, const Diagnostic& error) {
  std::vector<ArgValue> out;
  const bool pointer = speaks_of_pointers(error);
  if (pointer) add_types(error, out);
  if (speaks_of(error, {"integer", "int32"})) out.push_back(kSize);
  if (speaks_of(error, {"float"})) out.push_back(0.5);
  if (!pointer && std::holds_alternative<std::monostate>(now)) add_types(error, out);
  out.push_back(kSize);
  out.push_back(0.5);
  if (std::holds_alternative<int64_t>(now) && speaks_of(error, {"constexpr"})) out.push_back(int64_t{1});
  if (u.boolean) out.push_back(true);
  if (u.none) out.push_back({});
  if (!pointer) out.push_back(tensor(DType::Float32));
  return out;
}

}  // namespace

std::optional<int64_t> size_of_axis(const GuessedLaunch& g, const std::string& axis) {
  for (const GuessedArg& a : g.args) {
    const std::string lower = lower_case(a.name);
    if (lower == axis || lower == "n_" + axis || lower == "seq_len_" + axis)
      if (const auto* n = std::get_if<int64_t>(&a.value)) return *n;
  }
  return std::nullopt;
}

// Row major: the last stride of a tensor is 1, each other one the product of the axes behind it.
void guess_strides(GuessedLaunch& g, const std::set<std::string>& keep, int64_t unknown) {
  for (size_t end = g.args.size(); end > 0;) {
    const size_t last = end - 1;
    end = last;
    if (kind_of_name(g.args[last].name) != NameKind::Stride || !std::holds_alternative<int64_t>(g.args[last].value)) continue;
    const StrideName first = parts_of_stride(g.args[last].name);
    if (first.axis.empty()) continue;
    int64_t step = 1;
    size_t i = last;
    while (true) {
      if (keep.count(g.args[i].name) == 0) {
        g.args[i].value = step;
        g.args[i].why = "a stride, row major";
      }
      const int64_t size = size_of_axis(g, parts_of_stride(g.args[i].name).axis).value_or(unknown);
      const bool over = __builtin_mul_overflow(std::get<int64_t>(g.args[i].value), size, &step);
      if (over || step > (int64_t{1} << 24) || step < 0) step = int64_t{1} << 24;
      if (i == 0 || kind_of_name(g.args[i - 1].name) != NameKind::Stride || !std::holds_alternative<int64_t>(g.args[i - 1].value)) break;
      const StrideName next = parts_of_stride(g.args[i - 1].name);
      if (next.tensor != first.tensor || next.axis.empty()) break;
      --i;
    }
    end = i;
  }
  guess_strides_by_use(g, keep, unknown);
}

bool is_stride(const GuessedArg& arg) { return !arg.stride_of.empty() || kind_of_name(arg.name) == NameKind::Stride; }

bool same_guess(const ArgValue& a, const ArgValue& b) {
  if (a.index() != b.index()) return false;
  if (const auto* t = std::get_if<TensorSpec>(&a)) {
    const TensorSpec& u = std::get<TensorSpec>(b);
    return t->dtype == u.dtype && std::equal(t->block.begin(), t->block.end(), u.block.begin(), u.block.end(),
                                             [](const GridExpr& x, const GridExpr& y) { return x.text == y.text; });
  }
  if (const auto* n = std::get_if<int64_t>(&a)) return *n == std::get<int64_t>(b);
  if (const auto* n = std::get_if<uint64_t>(&a)) return *n == std::get<uint64_t>(b);
  if (const auto* x = std::get_if<double>(&a)) return *x == std::get<double>(b);
  if (const auto* x = std::get_if<bool>(&a)) return *x == std::get<bool>(b);
  if (const auto* s = std::get_if<std::string>(&a)) return *s == std::get<std::string>(b);
  return true;
}

GuessedLaunch first_guess(const Module& module, const FunctionDef& kernel, const KernelUse& use,
                          std::optional<Diagnostic>& no_such_argument) {
  GuessedLaunch g;
  g.kernel = kernel.name;
  const TuningConfig config = first_config(module, kernel);
  g.num_warps = config.num_warps.value_or(g.num_warps);
  for (size_t i = 0; i < use.params.size(); ++i) {
    const FunctionParam& p = kernel.params[i];
    const ParamUse& u = use.params[i];
    GuessedArg a;
    a.name = p.name;
    a.constexpr_parameter = is_constexpr_param(p);
    const std::optional<ArgValue> given = p.default_value != nullptr ? literal(*p.default_value) : std::nullopt;
    const bool default_none = given && std::holds_alternative<std::monostate>(*given);
    const auto tuned = std::find_if(config.values.begin(), config.values.end(), [&](const LaunchArg& v) { return v.name == p.name; });
    if (tuned != config.values.end()) {
      a.value = tuned->value, a.why = "first autotune config";
    } else if (p.default_value != nullptr && !given) {
      // The value stands by, for a default that only host code knows.
      if (!u.called) a.value = a.constexpr_parameter ? constexpr_guess(p, u, a.why) : run_time_guess(p, u, a.why);
      a.leave_out = true, a.why = "default of the kernel";
    } else if (given && (!default_none || a.constexpr_parameter)) {
      a.value = *given, a.why = "default of the kernel";
    } else if (u.called) {
      const std::string helper = helper_of(module, kernel);
      if (u.none || default_none) {
        a.why = "a function, or None";
      } else if (a.constexpr_parameter && !helper.empty()) {
        a.value = "@" + helper, a.why = "a function: one of the file";
      } else if (!no_such_argument) {
        Diagnostic d;
        d.message = "the argument `" + p.name + "` is a function that this file does not have";
        d.range = p.range;
        no_such_argument = std::move(d);
      }
    } else {
      a.value = a.constexpr_parameter ? constexpr_guess(p, u, a.why) : run_time_guess(p, u, a.why);
      a.holds_addresses = u.pointer_elements && !u.elements;
      if (u.indexed && (!default_none || a.constexpr_parameter)) a.tuple = static_cast<int>(std::max<uint64_t>(u.items, u.items > 0 ? 1 : 2)), a.why = "a tuple";
    }
    learn_stride(kernel, p, u, a);
    g.args.push_back(std::move(a));
  }
  guess_length(g, use);
  guess_strides(g);
  return g;
}

std::vector<ArgValue> other_guesses(const GuessedArg& arg, const ParamUse& u, const Diagnostic& error) {
  const auto* tensor_now = std::get_if<TensorSpec>(&arg.value);
  if (tensor_now != nullptr && !tensor_now->block.empty() && !arg.constexpr_parameter) return other_descriptors(*tensor_now, error);
  const std::vector<ArgValue> all = arg.constexpr_parameter  ? other_constexprs(arg, u, error)
                                    : tensor_now != nullptr ? other_tensors(u, error)
                                                            : other_scalars(arg.value, u, error);
  std::vector<ArgValue> unique;
  for (const ArgValue& v : all)
    if (!same_guess(v, arg.value) && std::none_of(unique.begin(), unique.end(), [&](const ArgValue& x) { return same_guess(x, v); }))
      unique.push_back(v);
  return unique;
}

void guess_grid(GuessedLaunch& guess, const KernelUse& use) {
  const auto number = [&](const std::string& name) {
    return std::any_of(guess.args.begin(), guess.args.end(), [&](const GuessedArg& a) {
      return a.name == name && !a.leave_out && std::holds_alternative<int64_t>(a.value) && std::get<int64_t>(a.value) > 0;
    });
  };
  const auto blocks = [&](const AxisUse& a) {
    guess.blocks.push_back(a);
    return "cdiv(" + a.limit + ", " + a.block + ")";
  };
  int axes = 1;
  for (int axis = 0; axis < 3; ++axis)
    if (use.axes[static_cast<size_t>(axis)]) axes = axis + 1;
  for (size_t axis = 0; axis < static_cast<size_t>(axes); ++axis) {
    std::string text;
    if (use.divided[axis]) {
      std::vector<std::string> seen;
      for (const AxisUse& c : use.cdivs) {
        if (!number(c.limit) || !number(c.block) || seen.size() == 2 || std::find(seen.begin(), seen.end(), c.limit) != seen.end()) continue;
        seen.push_back(c.limit);
        text += (text.empty() ? "" : " * ") + blocks(c);
      }
    }
    for (const AxisUse& a : use.limits[axis]) {
      if (!text.empty()) break;
      if (!number(a.limit) || (!a.block.empty() && !number(a.block))) continue;
      text = a.block.empty() ? a.limit : blocks(a);
    }
    guess.grid.push_back(text.empty() ? use.axes[axis] ? kUnknownPrograms : "1" : text);
  }
}

}  // namespace tilescope
