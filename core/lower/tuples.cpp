// NamedTuple classes of the kernel's file.
#include <algorithm>

#include "core/lower/lowering.h"

namespace tilescope::lower {
namespace {

bool is_named_tuple(const ModuleClass& c) {
  return std::any_of(c.bases.begin(), c.bases.end(), [](const Expr* e) { return e->text == "NamedTuple"; });
}

}  // namespace

Value Lowering::make_named_tuple(const ClassValue& type, std::vector<CallArg> args, const SourceRange& range) {
  const ModuleClass& c = *type.def;
  if (!is_named_tuple(c))
    fail(range, "the class `" + c.name + "` cannot be used in a kernel",
         "only a NamedTuple can: class " + c.name + "(NamedTuple)");
  const auto reject = [&](const SourceRange& where, std::string message) {
    Diagnostic d;
    d.message = std::move(message);
    d.range = where.valid() ? where : range;
    d.labels.push_back({c.range, "defined here"});
    fail(std::move(d));
  };
  TupleValue t;
  t.type_name = c.name;
  std::vector<std::optional<Value>> items(c.fields.size());
  size_t next = 0;
  for (const ClassField& f : c.fields) t.fields.push_back(f.name);
  for (CallArg& a : args) {
    size_t at = next;
    if (a.name.empty())
      ++next;
    else
      at = static_cast<size_t>(std::find(t.fields.begin(), t.fields.end(), a.name) - t.fields.begin());
    if (at >= items.size())
      reject(a.value.range, a.name.empty() ? "`" + c.name + "` has " + std::to_string(items.size()) +
                                                 " fields, this is one more"
                                           : "`" + c.name + "` has no field `" + a.name + "`");
    if (items[at]) reject(a.value.range, "the field `" + t.fields[at] + "` is given twice");
    items[at] = std::move(a.value);
  }
  for (size_t i = 0; i < items.size(); ++i) {
    const Expr* fallback = c.fields[i].default_value;
    if (!items[i] && fallback == nullptr)
      reject(range, "`" + c.name + "` is made without its field `" + t.fields[i] + "`");
    t.items.push_back(items[i] ? std::move(*items[i]) : default_value(*type.module, c.scope, *fallback));
  }
  check_tuple_size(*this, t, range);
  return {std::move(t), range};
}

}  // namespace tilescope::lower
