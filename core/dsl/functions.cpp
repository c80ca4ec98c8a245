// Functions of the language's table (core/lower/builtins.h), called from C++.
#include "core/dsl/functions.h"

#include "core/dsl/session.h"
#include "core/lower/builtins.h"

namespace tilescope::dsl {

using detail::Cell;
using detail::Content;
using detail::guarded;
using detail::Operation;
using detail::Session;

namespace {

Content call_content(Session& s, const char* function, const std::vector<Argument>& arguments,
                     const FunctionDef* combine, Site at) {
  Operation op(s, at);
  const SourceRange range = s.range(at);
  const lower::Builtin* builtin = lower::find_builtin(function);
  if (builtin == nullptr) {
    const std::string near = lower::nearest_builtin(function);
    s.fail(range, "there is no function " + std::string(function), near.empty() ? "" : "did you mean `" + near + "`?");
  }
  lower::Call call{builtin, {}, range, range};
  for (const Argument& a : arguments) call.args.push_back({a.name, op(a.value)});
  if (combine != nullptr) call.args.push_back({"combine_fn", {lower::FunctionValue{combine, nullptr}, range}});
  return op.finish(builtin->fn(s, call));
}

Value call_value(const char* function, const std::vector<Argument>& arguments, const FunctionDef* combine, Site at) {
  Session& s = Session::active(at);
  return guarded([&] { return Session::make(s.new_cell(call_content(s, function, arguments, combine, at), at)); });
}

Value call_with(const char* function, std::vector<Argument> arguments, const Combine& combine, Site at) {
  Session& s = Session::active(at);
  FunctionDef stands_for;
  stands_for.name = "combine";
  struct Entry {
    Session& s;
    const FunctionDef* def;
    ~Entry() { s.combines.erase(def); }
  } entry{s, &stands_for};
  s.combines[&stands_for] = &combine;
  return call_value(function, arguments, &stands_for, at);
}

void add_options(std::vector<Argument>& arguments, const MemoryOptions& o, Site at) {
  if (o.mask.given()) arguments.emplace_back("mask", o.mask, at);
  if (o.other.given()) arguments.emplace_back("other", o.other, at);
  if (*o.cache_modifier != 0) arguments.emplace_back("cache_modifier", o.cache_modifier, at);
  if (*o.eviction_policy != 0) arguments.emplace_back("eviction_policy", o.eviction_policy, at);
}

}  // namespace

Value call(const char* function, std::vector<Argument> arguments, Site at) {
  return call_value(function, arguments, nullptr, at);
}

namespace detail {

Value call_positional(const char* function, std::initializer_list<Operand> arguments, Site at) {
  std::vector<Argument> list;
  for (const Operand& o : arguments) list.emplace_back(o, at);
  while (!list.empty() && !list.back().value.given()) list.pop_back();
  return call_value(function, list, nullptr, at);
}

std::pair<Value, Value> call_pair(const char* function, std::vector<Argument> arguments, Site at) {
  Session& s = Session::active(at);
  return guarded([&] {
    const Content both = call_content(s, function, arguments, nullptr, at);
    if (!both.value.is<lower::TupleValue>() || both.value.as<lower::TupleValue>().items.size() != 2)
      s.fail(s.range(at), std::string(function) + " does not give two results here");
    Cell* cells[2];
    for (size_t i = 0; i < 2; ++i) {
      Content one = both;
      one.value = both.value.as<lower::TupleValue>().items[i];
      cells[i] = s.new_cell(one, at);
      cells[i]->index = i;
    }
    return std::pair<Value, Value>(Session::make(cells[0]), Session::make(cells[1]));
  });
}

}  // namespace detail

Value load(Operand pointer, MemoryOptions options, Site at) {
  std::vector<Argument> arguments;
  arguments.emplace_back(pointer, at);
  add_options(arguments, options, at);
  return call_value("tl.load", arguments, nullptr, at);
}

void store(Operand pointer, Operand value, MemoryOptions options, Site at) {
  std::vector<Argument> arguments;
  arguments.emplace_back(pointer, at);
  arguments.emplace_back(value, at);
  add_options(arguments, options, at);
  call_value("tl.store", arguments, nullptr, at);
}

std::vector<Value> descriptor_shape(Operand descriptor, Site at) {
  Session& s = Session::active(at);
  const Value whole = guarded([&] {
    Operation op(s, at);
    const lower::Value d = op(descriptor);
    if (!d.is<lower::DescriptorValue>())
      s.fail(d.range, "a tensor descriptor is needed, not " + describe(d, s.function()));
    lower::TupleValue extents;
    for (ValueId n : d.as<lower::DescriptorValue>().shape)
      extents.items.push_back({lower::TensorValue{s.b().cast(n, DType::Int32)}, d.range});
    return Session::make(s.new_cell(op.finish({std::move(extents), d.range}), at));
  });
  return whole.items(at);
}

Value reduce(Operand x, int axis, const Combine& combine, bool keep_dims, Site at) {
  return call_with("tl.reduce", {{x, at}, {axis, at}, {"keep_dims", keep_dims, at}}, combine, at);
}

Value associative_scan(Operand x, int axis, const Combine& combine, bool reverse, Site at) {
  return call_with("tl.associative_scan", {{x, at}, {axis, at}, {"reverse", reverse, at}}, combine, at);
}

void device_print(const std::string& prefix, std::vector<Argument> values, Site at) {
  values.insert(values.begin(), Argument(prefix, at));
  call_value("tl.device_print", values, nullptr, at);
}

void static_assert_(bool condition, const std::string& message, Site at) {
  Session& s = Session::active(at);
  if (condition || s.is_probe()) return;
  detail::throw_error(s.range(at), "static assertion failed" + (message.empty() ? "" : ": " + message));
}

}  // namespace tilescope::dsl
