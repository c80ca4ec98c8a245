// Variables, operators and assignment.
#include "core/dsl/session.h"

namespace tilescope::dsl {

using detail::Cell;
using detail::Content;
using detail::guarded;
using detail::Operation;
using detail::Session;

namespace {

/// The content of a variable that is only asked about. The first run of a kernel's function knows no types.
const lower::Value& content_of(const Value& v, Site at) {
  Session& s = Session::active(at);
  if (s.is_probe()) throw detail::ProbeEnd{};
  return s.usable(v, at).value;
}

Type type_of(const Value& v, Site at) {
  const lower::Value& content = content_of(v, at);
  Session& s = *Session::current();
  if (content.is_tensor()) return s.type(content.as<lower::TensorValue>().id);
  if (content.is<lower::DescriptorValue>()) {
    const auto& d = content.as<lower::DescriptorValue>();
    return Type::tile(s.type(d.base).elem, d.block);
  }
  if (content.is_const_number()) return guarded([&] { return Type::scalar(lower::number_type(s, content)); });
  detail::throw_error(s.range(at), "this has no type: it is " + describe(content, s.function()));
}

std::string side_name(Session& s, const char* side, const Operand& o) {
  const std::string name = o.kind() == Operand::Kind::Value ? s.name_of(*Session::cell_of(*Session::value_of(o))) : std::string();
  return name.empty() ? side : side + (" `" + name + "`");
}

/// As lower::binary. The compiler gives an operator's place only, which is that of both operands: an error names them.
lower::Value combine(Session& s, const char* op, const lower::Value& x, const lower::Value& y, const Operand& a, const Operand& b, Site at) {
  try {
    return lower::binary(s, op, x, y, s.range(at));
  } catch (lower::CompileError& e) {
    Diagnostic& d = e.diagnostic;
    if (d.labels.size() != 1 || d.labels[0].range.line != d.range.line || d.labels[0].range.column != d.range.column) throw;
    d.range_label = side_name(s, "left", a) + ": " + d.range_label + "; " + side_name(s, "right", b) + ": " + d.labels[0].text;
    d.labels.clear();
    throw;
  }
}

}  // namespace

// ---- life

Value::Value(Site at) : cell_(Session::active(at).new_cell({}, at)) {}

Value::Value(const Operand& number, Site at) : cell_(nullptr) {
  Session& s = Session::active(at);
  cell_ = guarded([&] {
    Operation op(s, at);
    return s.new_cell(op.finish(s.run_time_form(op(number), "")), at);
  });
}

Value::Value(const Value& other, Site at) : cell_(nullptr) {
  if (other.cell_->owner != nullptr && other.cell_->owner == Session::current()) {
    cell_ = other.cell_->owner->copy_cell(*other.cell_, at);
    return;
  }
  // A value of a kernel that is finished: the copy is as useless as the original, which its use will say.
  cell_ = new Cell;
  cell_->site = at;
  cell_->name_known = true;
}

Value::~Value() {
  if (cell_->owner != nullptr) cell_->owner->drop_cell(cell_);
  delete cell_;
}

// ---- assignment

Value& Value::operator=(Value other) {
  const Site at = other.cell_->site;
  Session& s = Session::active(at);
  if (cell_->owner != &s) s.usable(*this, at);
  guarded([&] {
    s.usable(other, at);
    s.settle(*other.cell_);
    Content content = other.cell_->now;
    if (content.value.is_const_number()) {
      Operation op(s, at);
      lower::Value number = content.value;
      number.range = s.range(at);
      content = op.finish(s.run_time_form(number, s.name_of(*cell_)));
    }
    const bool rename = !s.is_held_by_name(content.value, &other);
    s.assign(*cell_, content, at);
    if (rename) s.set_value_name(content.value, s.name_of(*cell_));
  });
  return *this;
}

Value& Value::update(const char* op, Operand other) {
  const Site at = other.site();
  Session& s = Session::active(at);
  guarded([&] {
    Operation operation(s, at);
    const Operand before(std::as_const(*this), at);
    const lower::Value old = operation(before), operand = operation(other);
    const std::string name = s.name_of(*cell_);
    const Content content = operation.finish(s.run_time_form(combine(s, op, old, operand, before, other, at), name));
    s.assign(*cell_, content, at);
    s.set_value_name(content.value, s.name_of(*cell_));
  });
  return *this;
}

Value& Value::operator+=(Operand other) { return update("+", std::move(other)); }
Value& Value::operator-=(Operand other) { return update("-", std::move(other)); }
Value& Value::operator*=(Operand other) { return update("*", std::move(other)); }
Value& Value::operator/=(Operand other) { return update("/", std::move(other)); }
Value& Value::operator%=(Operand other) { return update("%", std::move(other)); }
Value& Value::operator&=(Operand other) { return update("&", std::move(other)); }
Value& Value::operator|=(Operand other) { return update("|", std::move(other)); }
Value& Value::operator^=(Operand other) { return update("^", std::move(other)); }
Value& Value::operator<<=(Operand other) { return update("<<", std::move(other)); }
Value& Value::operator>>=(Operand other) { return update(">>", std::move(other)); }

Value named(const std::string& name, Operand value, Site at) {
  Session& s = Session::active(at);
  if (s.is_probe()) throw detail::ProbeEnd{};
  return guarded([&] {
    Content content;
    bool rename = true;
    if (value.kind() == Operand::Kind::Value) {
      const Value& v = *Session::value_of(value);
      s.usable(v, at);
      s.settle(*Session::cell_of(v));
      content = Session::cell_of(v)->now;
      rename = !s.is_held_by_name(content.value, Session::is_temporary(value) ? &v : nullptr);
    }
    if (!content.assigned || content.value.is_const_number()) {
      Operation op(s, at);
      content = op.finish(s.run_time_form(op(value), name));
      rename = true;
    }
    Cell* cell = s.new_cell(content, at);
    cell->name = name;
    cell->name_known = true;
    if (rename) s.set_value_name(content.value, name);
    return Session::make(cell);
  });
}

// ---- operators

Value Value::binary(const char* op, const Operand& a, const Operand& b) {
  const Site at = a.site();
  Session& s = Session::active(at);
  return guarded([&] {
    Operation operation(s, at);
    const lower::Value x = operation(a), y = operation(b);
    return Session::make(s.new_cell(operation.finish(combine(s, op, x, y, a, b, at)), at));
  });
}

Value Value::unary(const char* op, const Operand& a) {
  const Site at = a.site();
  Session& s = Session::active(at);
  return guarded([&] {
    Operation operation(s, at);
    const lower::Value x = operation(a);
    return Session::make(s.new_cell(operation.finish(lower::unary(s, op, x, s.range(at))), at));
  });
}

Value Value::to(DType type, Site at) const& { return call("tl.tensor.to", {{*this, at}, {type, at}}, at); }
Value Value::to(DType type, Site at) && { return call("tl.tensor.to", {{std::move(*this), at}, {type, at}}, at); }
Value Value::bitcast(DType type, Site at) const& {
  return call("tl.tensor.to", {{*this, at}, {type, at}, {"bitcast", true, at}}, at);
}
Value Value::bitcast(DType type, Site at) && {
  return call("tl.tensor.to", {{std::move(*this), at}, {type, at}, {"bitcast", true, at}}, at);
}

// ---- questions

DType Value::dtype(Site at) const { return type_of(*this, at).elem; }
Shape Value::shape(Site at) const { return type_of(*this, at).shape; }
bool Value::is_pointer(Site at) const {
  const lower::Value& v = content_of(*this, at);
  return v.is_tensor() && Session::current()->type(v.as<lower::TensorValue>().id).pointer;
}
bool Value::is_none(Site at) const { return content_of(*this, at).is<lower::NoneValue>(); }
bool Value::is_constant(Site at) const { return lower::is_compile_time(content_of(*this, at)); }

std::vector<Value> Value::items(Site at) const {
  const lower::Value& v = content_of(*this, at);
  if (!v.is<lower::TupleValue>()) return {*this};
  Session& s = *Session::current();
  std::vector<Value> out;
  const std::vector<lower::Value> items = v.as<lower::TupleValue>().items;
  out.reserve(items.size());
  for (size_t i = 0; i < items.size(); ++i) {
    Content content = cell_->now;
    content.value = items[i];
    Cell* cell = s.new_cell(content, at);
    cell->index = i;
    out.push_back(Session::make(cell));
  }
  return out;
}

}  // namespace tilescope::dsl
