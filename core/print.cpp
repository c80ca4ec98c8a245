#include "core/print.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <unordered_map>
#include <unordered_set>

#include "core/builder.h"
#include "core/fold.h"

namespace tilescope {
namespace {

/// Bytes of UTF-8 beyond ASCII are kept: Python identifiers may have them.
bool is_name_byte(unsigned char c) {
  return c >= 0x80 || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string clean_name(std::string_view name) {
  std::string out;
  for (char c : name) out += is_name_byte(static_cast<unsigned char>(c)) ? c : '_';
  if (!out.empty() && out[0] >= '0' && out[0] <= '9') out.insert(out.begin(), '_');
  return out;
}

class Namer {
 public:
  explicit Namer(const Function& f) : f_(f), names_(f.values.size()) {
    for (size_t i = 0; i < f.params.size() && i < names_.size(); ++i) define(static_cast<ValueId>(i));
    visit(f.body);
  }
  std::vector<std::string> take() { return std::move(names_); }

 private:
  void visit(const Block& b) {
    for (ValueId v : b.args) define(v);
    for (const auto& op : b.ops) {
      for (ValueId v : op->results) define(v);
      for (const Block& r : op->regions) visit(r);
    }
  }

  void define(ValueId v) {
    if (v >= names_.size() || !names_[v].empty()) return;
    std::string base = clean_name(f_.values[v].name);
    if (base.empty()) {
      names_[v] = std::to_string(unnamed_++);
      return;
    }
    std::string name = base;
    int& count = next_[base];
    while (!used_.insert(name).second) name = base + "_" + std::to_string(++count);
    names_[v] = std::move(name);
  }

  const Function& f_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, int> next_;
  std::unordered_set<std::string> used_;
  int unnamed_ = 0;
};

std::string quoted(std::string_view s) {
  std::string out = "\"";
  for (unsigned char c : s) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (c < 0x20 || c == 0x7f) {
      char buffer[8];
      std::snprintf(buffer, sizeof buffer, "\\x%02x", c);
      out += buffer;
    } else {
      out += static_cast<char>(c);
    }
  }
  return out + "\"";
}

/// Constexpr values such as 256, True or fp16 need no quotes.
std::string quoted_unless_word(std::string_view s) {
  bool word = !s.empty();
  for (unsigned char c : s) word = word && (is_name_byte(c) || c == '.' || c == '-' || c == '+');
  return word ? std::string(s) : quoted(s);
}

std::string hex_text(uint64_t bits) {
  char buffer[24];
  std::snprintf(buffer, sizeof buffer, "0x%llx", static_cast<unsigned long long>(bits));
  return buffer;
}

std::string float_text(DType t, uint64_t bits) {
  const double value = element_to_double(t, bits);
  if (std::isnan(value)) return hex_text(bits);
  char buffer[40];
  auto end = t == DType::Float64 ? std::to_chars(buffer, buffer + sizeof buffer, value)
                                 : std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(value));
  std::string text(buffer, end.ptr);
  if (std::isfinite(value) && text.find_first_of(".e") == std::string::npos) text += ".0";
  return element_bits(t, value) == bits ? text : hex_text(bits);
}

class Printer {
 public:
  Printer(const Function& f, const PrintOptions& o) : f_(f), options_(o), names_(value_names(f)) {}

  std::string function() {
    out_ += "kernel " + clean_name(f_.name) + "(";
    for (size_t i = 0; i < f_.params.size(); ++i) {
      if (i) out_ += ", ";
      out_ += "%" + names_[i] + ": " + to_string(f_.params[i].type);
      if (f_.params[i].divisible_by != 1) out_ += " {div=" + std::to_string(f_.params[i].divisible_by) + "}";
    }
    out_ += ") num_warps=" + std::to_string(f_.num_warps) + " num_stages=" + std::to_string(f_.num_stages);
    if (options_.locations && f_.source != nullptr) out_ += " source=" + quoted(f_.source->path);
    if (!f_.constexprs.empty()) {
      out_ += " {";
      for (size_t i = 0; i < f_.constexprs.size(); ++i) {
        if (i) out_ += ", ";
        out_ += clean_name(f_.constexprs[i].first) + "=" + quoted_unless_word(f_.constexprs[i].second);
      }
      out_ += "}";
    }
    out_ += " ";
    block(f_.body);
    out_ += "\n";
    return std::move(out_);
  }

  std::string one(const Op& op) {
    head(op);
    return std::move(out_);
  }

 private:
  void typed(ValueId v) { out_ += "%" + name(v) + ": " + to_string(f_.values[v].type); }
  std::string name(ValueId v) const {
    if (v >= names_.size()) return "<no value>";
    return names_[v].empty() ? "<undefined " + std::to_string(v) + ">" : names_[v];
  }

  void head(const Op& op) {
    for (size_t i = 0; i < op.results.size(); ++i) {
      if (i) out_ += ", ";
      typed(op.results[i]);
    }
    if (!op.results.empty()) out_ += " = ";
    out_ += op.info().name;
    for (size_t i = 0; i < op.operands.size(); ++i) out_ += (i ? ", %" : " %") + name(op.operands[i]);
    const bool by_value = op.code == OpCode::Constant && op.results.size() == 1 && op.find_attr("bits") != nullptr;
    if (by_value) out_ += " " + constant_text(f_.type(op.results[0]), static_cast<uint64_t>(op.int_attr("bits")));
    attributes(op, by_value);
  }

  void attributes(const Op& op, bool without_bits) {
    bool any = false;
    for (const Attr& a : op.attrs) {
      if (without_bits && a.name == "bits") continue;
      out_ += any ? ", " : " {";
      any = true;
      out_ += clean_name(a.name) + "=";
      attribute_value(a.value);
    }
    if (any) out_ += "}";
  }

  void attribute_value(const AttrValue& value) {
    if (const auto* number = std::get_if<int64_t>(&value)) {
      out_ += std::to_string(*number);
    } else if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) {
      out_ += "[";
      for (size_t i = 0; i < list->size(); ++i) out_ += (i ? ", " : "") + std::to_string((*list)[i]);
      out_ += "]";
    } else {
      out_ += quoted(std::get<std::string>(value));
    }
  }

  void block(const Block& b) {
    if (!b.args.empty()) {
      out_ += "(";
      for (size_t i = 0; i < b.args.size(); ++i) {
        if (i) out_ += ", ";
        typed(b.args[i]);
      }
      out_ += ") ";
    }
    out_ += "{\n";
    indent_ += 2;
    for (const auto& op : b.ops) {
      out_ += std::string(indent_, ' ');
      head(*op);
      for (size_t i = 0; i < op->regions.size(); ++i) {
        out_ += i == 0 ? " " : op->code == OpCode::If ? " else " : " do ";
        block(op->regions[i]);
      }
      if (options_.locations && op->loc != nullptr) location(*op->loc);
      out_ += "\n";
    }
    indent_ -= 2;
    out_ += std::string(indent_, ' ') + "}";
  }

  void range(const SourceRange& r) {
    if (!r.valid()) {
      out_ += "none";
      return;
    }
    if (f_.source == nullptr || r.file->path != f_.source->path) out_ += quoted(r.file->path) + ":";
    out_ += std::to_string(r.line) + ":" + std::to_string(r.column) + "-" + std::to_string(r.end_line) + ":" +
            std::to_string(r.end_column);
  }

  void location(const Location& loc) {
    out_ += " loc(";
    range(loc.range);
    const SourceRange &a = loc.range, &b = loc.statement;
    if (b.valid() && !(a.valid() && a.file->path == b.file->path && a.line == b.line && a.column == b.column &&
                       a.end_line == b.end_line && a.end_column == b.end_column)) {
      out_ += " in ";
      range(b);
    }
    for (const CallFrame* c = loc.calls.get(); c != nullptr; c = c->outer.get()) {
      out_ += " from " + quoted(c->callee) + " at ";
      range(c->call);
    }
    out_ += ")";
  }

  const Function& f_;
  PrintOptions options_;
  std::vector<std::string> names_;
  std::string out_;
  int indent_ = 0;
};

}  // namespace

std::vector<std::string> value_names(const Function& f) { return Namer(f).take(); }

std::string constant_text(const Type& type, uint64_t bits) {
  const DType t = type.elem;
  if (type.pointer || canonical_bits(t, bits) != bits) return hex_text(bits);
  if (is_bool(t)) return bits ? "true" : "false";
  if (is_float(t)) return float_text(t, bits);
  if (t == DType::UInt64) return std::to_string(bits);
  return std::to_string(element_to_int(t, bits));
}

std::string print(const Function& f, const PrintOptions& options) { return Printer(f, options).function(); }
std::string print_op(const Function& f, const Op& op) { return Printer(f, {}).one(op); }

}  // namespace tilescope
