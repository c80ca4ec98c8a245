#include "visualizer/terminal/language_example.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>

#include "core/syntax/parser.h"
#include "core/tensor.h"
#include "sim/run.h"

namespace tilescope::terminal {
namespace {

/// A value from outside, in place of tile(...), memory(...) or scalar(...).
struct Outside {
  std::string parameter;
  std::string shown;  ///< the name that the example gives a memory(...)
  Tensor tensor;
  CompileArg::Kind scalar;
  bool is_scalar = false;
};

/// Marks the prints of the harness; no example uses it.
constexpr std::string_view kTag = "__";

constexpr const char* kHead =
    "import math\nimport triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n\n\n"
    "@triton.jit\ndef show_one__(tag: tl.constexpr, i: tl.constexpr, v):\n"
    "    if isinstance(v, tl.tensor):\n        tl.device_print(tag, v)\n"
    "    else:\n        tl.static_print(tag, i, v)\n\n\n"
    "@triton.jit\ndef show__(tag: tl.constexpr, v):\n"
    "    if isinstance(v, tl.tuple):\n"
    "        for i in tl.static_range(len(v)):\n            show_one__(tag, i, v[i])\n"
    "    else:\n        show_one__(tag, -1, v)\n\n\n";

/// The numbers of "[[1, 2], [3, 4]]" and their shape.
struct Numbers {
  std::vector<double> values;
  std::vector<int64_t> shape;
  bool whole = true, truth = true;
};

/// Reads nested brackets with numbers, true, false, inf and nan; false when they are not well formed.
bool read_numbers(std::string_view& text, size_t depth, Numbers& out) {
  const auto skip = [&] { text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size())); };
  skip();
  if (text.empty() || text[0] != '[' || depth > 4) return false;
  text.remove_prefix(1);
  int64_t count = 0;
  for (;; ++count) {
    skip();
    if (text.empty()) return false;
    if (text[0] == '[') {
      if (!read_numbers(text, depth + 1, out)) return false;
    } else {
      const size_t end = text.find_first_of(",] ");
      if (end == std::string_view::npos || end == 0) return false;
      const std::string word(text.substr(0, end));
      if (word == "true" || word == "false") {
        out.values.push_back(word == "true");
        out.whole = false;
      } else {
        char* stop = nullptr;
        out.values.push_back(std::strtod(word.c_str(), &stop));
        if (*stop != 0) return false;
        out.truth = false;
        out.whole = out.whole && word.find_first_not_of("-0123456789") == std::string::npos;
      }
      text.remove_prefix(end);
    }
    skip();
    if (text.empty() || (text[0] != ',' && text[0] != ']')) return false;
    const bool last = text[0] == ']';
    text.remove_prefix(1);
    if (last) break;
  }
  if (out.shape.size() <= depth) out.shape.resize(depth + 1, 0);
  out.shape[depth] = count + 1;
  return true;
}

void write_number(DType dtype, std::byte* at, double value) {
  if (is_float(dtype)) write_double(dtype, at, value);
  else write_int64(dtype, at, static_cast<int64_t>(value));
}

/// Reads ", tl.float16)" or ")".
bool read_dtype(std::string_view& text, std::optional<DType>& dtype) {
  if (text.starts_with(", tl.")) {
    text.remove_prefix(5);
    const size_t end = text.find(')');
    if (end == std::string_view::npos) return false;
    dtype = parse_dtype(text.substr(0, end));
    if (!dtype) return false;
    text.remove_prefix(end);
  }
  if (!text.starts_with(")")) return false;
  text.remove_prefix(1);
  return true;
}

std::string list_of(const std::vector<int64_t>& items) {
  std::string out;
  for (int64_t n : items) out += (out.empty() ? "" : ", ") + std::to_string(n);
  return out;
}

/// An expression that loads the whole of a row-major tensor.
std::string load_text(const std::string& parameter, const std::vector<int64_t>& shape) {
  int64_t all = 1;
  for (int64_t n : shape) all *= n;
  std::string load = "tl.load(" + parameter + " + tl.arange(0, " + std::to_string(all) + "))";
  if (shape.size() > 1) load = "tl.reshape(" + load + ", (" + list_of(shape) + "))";
  return load;
}

/// Replaces the first tile(, memory( or scalar( at `at`; nothing when it is malformed.
std::optional<std::string> replace_outside(std::string_view word, std::string_view& text, const std::string& shown,
                                           std::vector<Outside>& outside) {
  Numbers n;
  std::optional<DType> dtype;
  Outside o;
  o.parameter = "input" + std::to_string(outside.size());
  o.shown = shown;
  // Messages name a tensor by its parameter.
  const auto same = [&](const Outside& other) { return other.parameter == shown; };
  const bool usable = word != "tile(" && !shown.empty() && shown.find(' ') == std::string::npos && std::none_of(outside.begin(), outside.end(), same);
  if (usable) o.parameter = shown;
  if (word == "scalar(") {
    const size_t end = text.find(')');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string number(text.substr(0, end));
    text.remove_prefix(end + 1);
    o.is_scalar = true;
    if (number.find_first_of(".en") != std::string::npos) o.scalar = FloatArg{std::strtod(number.c_str(), nullptr)};
    else o.scalar = IntArg{std::strtoll(number.c_str(), nullptr, 10)};
    outside.push_back(std::move(o));
    return outside.back().parameter;
  }
  if (!read_numbers(text, 0, n) || !read_dtype(text, dtype)) return std::nullopt;
  const DType type = dtype.value_or(n.truth ? DType::Int1 : n.whole ? DType::Int32 : DType::Float32);
  auto tensor = allocate_tensor(o.parameter, type, TensorLayout::contiguous(n.shape));
  if (!tensor || tensor->elements() != static_cast<int64_t>(n.values.size())) return std::nullopt;
  for (size_t i = 0; i < n.values.size(); ++i)
    write_number(type, tensor->element(static_cast<int64_t>(i)), n.values[i]);
  o.tensor = std::move(*tensor);
  outside.push_back(std::move(o));
  return word == "tile(" ? load_text(outside.back().parameter, n.shape) : outside.back().parameter;
}

/// The name that the line assigns to, for messages about memory.
std::string assigned_name(const std::string& line) {
  const size_t eq = line.find(" = ");
  return eq == std::string::npos ? "" : line.substr(line.find_first_not_of(' '), eq - line.find_first_not_of(' '));
}

/// A line with every value from outside replaced; nothing when one is malformed.
std::optional<std::string> replaced(const std::string& line, std::vector<Outside>& outside) {
  std::string out;
  std::string_view rest = line;
  while (!rest.empty()) {
    std::string_view found;
    for (std::string_view word : {"tile(", "memory(", "scalar("})
      if (rest.starts_with(word) && (out.empty() || !(std::isalnum(static_cast<unsigned char>(out.back())) || out.back() == '_' || out.back() == '.')))
        found = word;
    if (found.empty()) {
      out.push_back(rest[0]);
      rest.remove_prefix(1);
      continue;
    }
    rest.remove_prefix(found.size());
    const auto text = replace_outside(found, rest, assigned_name(line), outside);
    if (!text) return std::nullopt;
    out += *text;
  }
  return out;
}

std::string kernel_text(const LanguageExample& example, const std::vector<std::string>& body,
                        const std::vector<Outside>& outside) {
  std::string text = kHead;
  for (const std::string& line : example.before) text += line + "\n";
  if (!example.before.empty()) text += "\n\n";
  text += "@triton.jit\ndef kernel(";
  for (const Outside& o : outside) text += (&o == &outside[0] ? "" : ", ") + o.parameter;
  text += "):\n";
  for (const std::string& line : body) text += line.empty() ? "\n" : "    " + line + "\n";
  return text;
}

/// Lines of the body that hold an expression as a statement: first and last, counted from 0.
std::vector<std::pair<int, int>> shown_statements(const std::string& text, size_t body_lines) {
  auto module = parse_module(std::make_shared<SourceFile>(SourceFile{"example.py", text}));
  if (!module) return {};
  const FunctionDef* kernel = module->find_function("kernel");
  if (kernel == nullptr || !kernel->errors.empty()) return {};
  const int all = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  const int first = all - static_cast<int>(body_lines) + 1;
  std::vector<std::pair<int, int>> out;
  for (const Stmt* s : kernel->body)
    if (s->kind == Stmt::Kind::ExprStmt && s->value->kind != Expr::Kind::Str)
      out.push_back({s->range.line - first, s->range.end_line - first});
  return out;
}

/// Elements as nested lists.
std::string nested(const std::vector<std::string>& elements, const Shape& shape, int axis, size_t& at) {
  if (axis == shape.rank) return elements[at++];
  std::string out = "[";
  for (int64_t i = 0; i < shape[axis]; ++i) out += (i ? ", " : "") + nested(elements, shape, axis + 1, at);
  return out + "]";
}

std::string value_text(const std::vector<std::string>& elements, const Type& type) {
  size_t at = 0;
  std::string out = nested(elements, type.shape, 0, at) + "  " + std::string(dtype_name(type.elem));
  if (type.shape.rank == 0) return out;
  std::string extents;
  for (int i = 0; i < type.shape.rank; ++i) extents += (i ? ", " : "") + std::to_string(type.shape[i]);
  return out + "[" + extents + "]";
}

/// "pid (0, 0, 0) idx (1) __3: 5" taken apart.
struct PrintedLine {
  std::string program, tag, value;
};
std::optional<PrintedLine> harness_line(const std::string& line) {
  const size_t tag = line.find(kTag);
  if (tag == std::string::npos || !line.starts_with("pid (")) return std::nullopt;
  const size_t colon = line.find(": ", tag);
  if (colon == std::string::npos) return std::nullopt;
  return PrintedLine{line.substr(5, line.find(',') - 5), line.substr(tag, colon - tag), line.substr(colon + 2)};
}

/// What the harness was shown under one tag: compile-time items by place, run-time items in order.
struct Shown {
  bool tuple = false;
  std::map<int, std::string> fixed;
  std::vector<Type> types;
};

/// "static_print: __3 0 text".
bool take_note(const std::string& note, std::map<std::string, Shown>& shown) {
  const std::string start = "static_print: " + std::string(kTag);
  if (!note.starts_with(start)) return false;
  const size_t tag = start.size() - kTag.size(), space = note.find(' ', tag), next = note.find(' ', space + 1);
  Shown& s = shown[note.substr(tag, space - tag)];
  const int place = std::atoi(note.substr(space + 1).c_str());
  s.tuple = s.tuple || place >= 0;
  s.fixed[std::max(place, 0)] = note.substr(next + 1);
  return true;
}

/// One program's value under a tag, as a list of items.
std::string one_value(const Shown& s, std::vector<std::string> elements) {
  std::vector<std::string> items;
  auto next = elements.begin();
  auto type = s.types.begin();
  while (items.size() < s.fixed.size() + s.types.size()) {
    auto fixed = s.fixed.find(static_cast<int>(items.size()));
    if (fixed != s.fixed.end()) {
      items.push_back(fixed->second);
      continue;
    }
    const auto n = static_cast<std::ptrdiff_t>(type->elements());
    if (elements.end() - next < n) return "?";
    items.push_back(value_text({next, next + n}, *type));
    next += n;
    ++type;
  }
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : s.types.empty() ? ", " : ";  ") + item;
  return s.tuple && s.types.empty() ? "(" + out + ")" : out;
}

void collect_values(const std::map<std::string, Shown>& shown, const std::vector<std::pair<int, int>>& statements,
                    const RunTrace& trace, ExampleResult& result) {
  std::map<std::string, std::map<int, std::vector<std::string>>> elements;  // tag -> program -> elements
  for (const std::string& line : trace.printed) {
    if (auto p = harness_line(line)) elements[p->tag][std::atoi(p->program.c_str())].push_back(p->value);
    else result.printed.push_back(line);
  }
  for (size_t i = 0; i < statements.size(); ++i) {
    const std::string tag = std::string(kTag) + std::to_string(i);
    auto s = shown.find(tag);
    if (s == shown.end()) continue;
    std::string value;
    if (s->second.types.empty()) value = one_value(s->second, {});
    for (const auto& [program, list] : elements[tag])
      value += (value.empty() ? "" : " | ") + (trace.programs > 1 ? "program " + std::to_string(program) + ": " : "") +
               one_value(s->second, list);
    if (!value.empty() && value != "None") result.values.push_back({statements[i].second, value});
  }
}

std::string tensor_text(const Tensor& t) {
  Type type{t.dtype, false, {}};
  for (int64_t n : t.layout.shape) type.shape.push_back(n);
  std::vector<std::string> elements;
  for (int64_t i = 0; i < t.elements(); ++i) elements.push_back(format_element(t.dtype, t.element(i)));
  return value_text(elements, type);
}

void execute_example(CompiledKernel& kernel, std::vector<Outside>& outside, int programs,
                     const std::vector<std::pair<int, int>>& statements, ExampleResult& result) {
  std::map<std::string, Shown> shown;
  for (const Diagnostic& note : kernel.notes)
    if (!take_note(note.message, shown)) result.notes.push_back(note.message);
  walk(kernel.function.body, [&](const Op& op) {
    if (op.code == OpCode::Print && op.str_attr("text").starts_with(kTag))
      shown[std::string(op.str_attr("text"))].types.push_back(kernel.function.type(op.operands[0]));
  });
  std::vector<Argument> arguments;
  std::vector<Tensor> before;
  for (const Outside& o : outside) before.push_back(o.tensor);
  for (const Param& p : kernel.function.params)
    for (Outside& o : outside) {
      if (o.parameter != p.name) continue;
      Argument a;
      if (!o.is_scalar) {
        a.tensor = &o.tensor;
      } else if (const auto* f = std::get_if<FloatArg>(&o.scalar)) {
        write_double(p.type.elem, reinterpret_cast<std::byte*>(&a.bits), f->value);
      } else {
        write_int64(p.type.elem, reinterpret_cast<std::byte*>(&a.bits), std::get<IntArg>(o.scalar).value);
      }
      arguments.push_back(a);
    }
  RunOptions options;
  options.threads = 1;
  options.check.uninitialised = true;
  const RunTrace trace = run(kernel.function, arguments, {programs, 1, 1}, options);
  for (const Fault& f : trace.faults) result.faults.push_back(f.message);
  collect_values(shown, statements, trace, result);
  for (size_t i = 0; i < outside.size(); ++i)
    if (!outside[i].is_scalar &&
        std::memcmp(before[i].storage.data(), outside[i].tensor.storage.data(), before[i].storage.size()) != 0)
      result.memory.push_back((outside[i].shown.empty() ? "the memory" : outside[i].shown) + " then holds " + tensor_text(outside[i].tensor));
}

/// The body with each statement that is an expression handed to the harness.
std::vector<std::string> with_shows(std::vector<std::string> body, const std::vector<std::pair<int, int>>& statements) {
  for (size_t i = 0; i < statements.size(); ++i) {
    auto [first, last] = statements[i];
    body[static_cast<size_t>(first)] = "show__(\"" + std::string(kTag) + std::to_string(i) + "\", (" + body[static_cast<size_t>(first)];
    body[static_cast<size_t>(last)] += "))";
  }
  return body;
}

}  // namespace

std::vector<std::string> example_lines(const LanguageExample& example, const std::string& name) {
  std::vector<std::string> out = example.lines;
  for (std::string& line : out)
    for (size_t at; (at = line.find("$f")) != std::string::npos;) line.replace(at, 2, name);
  return out;
}

Expected<ExampleResult> run_example(const LanguageExample& example, const std::string& name) {
  std::vector<Outside> outside;
  std::vector<std::string> body;
  for (const std::string& line : example_lines(example, name)) {
    auto text = replaced(line, outside);
    if (!text) return plain_error("this line of an example cannot be read: " + line);
    body.push_back(std::move(*text));
  }
  const auto statements = shown_statements(kernel_text(example, body, outside), body.size());
  CompileRequest request;
  request.source = std::make_shared<SourceFile>(
      SourceFile{"example.py", kernel_text(example, with_shows(body, statements), outside)});
  request.kernel = "kernel";
  for (const Outside& o : outside)
    request.args.push_back({o.parameter, o.is_scalar ? o.scalar : CompileArg::Kind{PointerArg{o.tensor.dtype}}});
  ExampleResult result;
  auto kernel = compile_kernel(request);
  if (!kernel) {
    result.refusal = kernel.errors().front();
    return result;
  }
  execute_example(*kernel, outside, example.programs, statements, result);
  request.optimise = false;
  result.function = std::move(compile_kernel(request).value().function);
  return result;
}

}  // namespace tilescope::terminal
