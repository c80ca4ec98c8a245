#include "core/ir.h"

#include <unordered_map>

namespace tilescope {
namespace {

constexpr OpInfo kOps[] = {
#define TILESCOPE_OP(name, mnemonic, lo, hi, results, group, rule, meaning, doc) \
  {OpCode::name, mnemonic, lo, hi, results, OpGroup::group, TypeRule::rule, #meaning, doc},
#include "core/ops.def"
};

Block clone_block(const Block& b) {
  Block out;
  out.args = b.args;
  for (const auto& op : b.ops) {
    auto copy = std::make_unique<Op>();
    copy->code = op->code;
    copy->operands = op->operands;
    copy->results = op->results;
    copy->attrs = op->attrs;
    copy->loc = op->loc;
    for (const Block& r : op->regions) copy->regions.push_back(clone_block(r));
    out.ops.push_back(std::move(copy));
  }
  return out;
}

}  // namespace

const OpInfo& op_info(OpCode code) { return kOps[static_cast<int>(code)]; }
int op_count() { return static_cast<int>(std::size(kOps)); }

const OpInfo* find_op(std::string_view mnemonic) {
  static const auto* table = [] {
    auto* t = new std::unordered_map<std::string_view, const OpInfo*>;
    for (const OpInfo& i : kOps) t->emplace(i.name, &i);
    return t;
  }();
  auto it = table->find(mnemonic);
  return it == table->end() ? nullptr : it->second;
}

const AttrValue* Op::find_attr(std::string_view name) const {
  for (const Attr& a : attrs)
    if (a.name == name) return &a.value;
  return nullptr;
}

int64_t Op::int_attr(std::string_view name, int64_t fallback) const {
  const AttrValue* v = find_attr(name);
  return v != nullptr && std::holds_alternative<int64_t>(*v) ? std::get<int64_t>(*v) : fallback;
}

std::string_view Op::str_attr(std::string_view name) const {
  const AttrValue* v = find_attr(name);
  if (v == nullptr || !std::holds_alternative<std::string>(*v)) return {};
  return std::get<std::string>(*v);
}

const std::vector<int64_t>& Op::ints_attr(std::string_view name) const {
  static const std::vector<int64_t> empty;
  const AttrValue* v = find_attr(name);
  if (v == nullptr || !std::holds_alternative<std::vector<int64_t>>(*v)) return empty;
  return std::get<std::vector<int64_t>>(*v);
}

void Op::set_attr(std::string name, AttrValue value) {
  for (Attr& a : attrs) {
    if (a.name != name) continue;
    a.value = std::move(value);
    return;
  }
  attrs.push_back({std::move(name), std::move(value)});
}

ValueId Function::new_value(const Type& t, std::string name) {
  values.push_back({t, std::move(name)});
  return static_cast<ValueId>(values.size() - 1);
}

Function clone(const Function& f) {
  Function out;
  out.name = f.name;
  out.params = f.params;
  out.constexprs = f.constexprs;
  out.num_warps = f.num_warps;
  out.num_stages = f.num_stages;
  out.values = f.values;
  out.source = f.source;
  out.body = clone_block(f.body);
  return out;
}

}  // namespace tilescope
