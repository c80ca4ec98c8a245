#include "core/read.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>

#include "core/builder.h"
#include "core/fold.h"
#include "core/read_cursor.h"
#include "core/verify.h"

namespace tilescope {
namespace {

using read_detail::Cursor;
using read_detail::Failure;
using read_detail::is_digit;
using read_detail::is_name_byte;

constexpr int kMaxDepth = 100;
constexpr size_t kMaxText = size_t{1} << 26;
constexpr size_t kMaxList = 64;

class Reader {
 public:
  Reader(const SourcePtr& text, SourcePtr kernel_source) : in_(text), kernel_source_(std::move(kernel_source)) {}

  Expected<Function> run() {
    try {
      function();
    } catch (const Failure& f) {
      return f.diagnostic;
    }
    // While the verifier runs, ops stand where they are in this text; then they get their places in the kernel.
    std::vector<Diagnostic> errors = verify(f_);
    if (!errors.empty()) return errors;
    for (auto& [op, loc] : kernel_locations_) op->loc = std::move(loc);
    return std::move(f_);
  }

 private:
  // ---- types and values -------------------------------------------------------------------------------------------

  DType element() {
    const size_t start = in_.offset();
    const std::string_view word = in_.name("an element type");
    const std::optional<DType> t = parse_dtype(word);
    if (!t) Cursor::fail_at(in_.range_from(start), "unknown element type `" + std::string(word) + "`", "such as f32, i64 or e4m3");
    return *t;
  }

  /// "f32" or "ptr<f32>".
  Type scalar_type() {
    if (!(in_.peek() == 'p' && in_.peek(1) == 't' && in_.peek(2) == 'r' && in_.peek(3) == '<')) return Type::scalar(element());
    in_.expect_word("ptr", "before <");
    in_.expect('<', "after ptr");
    const Type t = Type::pointer_to(element());
    in_.expect('>', "after the type pointed to");
    return t;
  }

  Type type() {
    in_.skip_blanks();
    if (!in_.accept_word("tile")) return scalar_type();
    in_.expect('<', "after tile");
    Shape shape;
    while (is_digit(in_.peek())) {
      if (shape.rank == kMaxRank) in_.fail("a tile has at most 8 axes");
      shape.push_back(in_.integer_in(1, kMaxTileElements, "an extent"));
      if (in_.peek() != 'x') in_.fail("expected 'x' after an extent");
      in_.next();
    }
    if (shape.rank == 0) in_.fail("expected an extent");
    const Type t = scalar_type().with_shape(shape);
    in_.expect('>', "after the tile's type");
    return t;
  }

  /// "%name: type", not defined before.
  ValueId definition() {
    const size_t start = in_.offset();
    in_.expect('%', "before a value's name");
    const std::string name(in_.name("a value's name"));
    const SourceRange range = in_.range_from(start);
    in_.expect(':', "between a value and its type");
    const bool numbered = std::all_of(name.begin(), name.end(), is_digit);
    const ValueId v = f_.new_value(type(), numbered ? "" : name);
    if (!values_.emplace(name, v).second) Cursor::fail_at(range, "%" + name + " is defined a second time");
    return v;
  }

  ValueId use() {
    const size_t start = (in_.skip_blanks(), in_.offset());
    in_.expect('%', "before a value's name");
    const std::string name(in_.name("a value's name"));
    const auto it = values_.find(name);
    if (it == values_.end()) Cursor::fail_at(in_.range_from(start), "%" + name + " is not defined above");
    return it->second;
  }

  // ---- header -----------------------------------------------------------------------------------------------------

  void function() {
    in_.skip_space();
    in_.expect_word("kernel", "at the start");
    f_.name = in_.name("the kernel's name");
    in_.expect('(', "before the parameters");
    in_.skip_space();
    while (!in_.accept(')')) {
      if (!f_.params.empty()) in_.expect(',', "between parameters");
      in_.skip_space();
      parameter();
      in_.skip_space();
    }
    while (is_name_byte((in_.skip_blanks(), in_.peek()))) header_setting();
    if (in_.peek() == '{' && !opens_block()) constexprs();
    block(f_.body, 0);
    in_.skip_space();
    if (!in_.at_end()) in_.fail("text follows the kernel");
  }

  void parameter() {
    const ValueId v = definition();
    Param p;
    p.type = f_.type(v);
    p.name = f_.values[v].name;
    if (p.name.empty()) in_.fail("a parameter needs a name");
    if (in_.accept('{')) {
      in_.expect_word("div", "in a parameter's braces");
      in_.expect('=', "after div");
      p.divisible_by = in_.integer_in(1, 16, "div");
      in_.expect('}', "after div");
    }
    f_.params.push_back(std::move(p));
  }

  void header_setting() {
    const size_t start = in_.offset();
    const std::string_view key = in_.name("a setting");
    const SourceRange range = in_.range_from(start);
    in_.expect('=', "after a setting");
    if (key == "num_warps") {
      f_.num_warps = static_cast<int>(in_.integer_in(1, 64, "num_warps"));
    } else if (key == "num_stages") {
      f_.num_stages = static_cast<int>(in_.integer_in(0, 64, "num_stages"));
    } else if (key == "source") {
      f_.source = file_named(in_.quoted("the source's path"));
    } else {
      Cursor::fail_at(range, "unknown setting `" + std::string(key) + "`", "num_warps, num_stages or source");
    }
  }

  void constexprs() {
    in_.expect('{', "before the constexprs");
    do {
      const std::string name(in_.name("a constexpr's name"));
      in_.expect('=', "after a constexpr's name");
      in_.skip_blanks();
      const auto stop = [](char c) { return !is_name_byte(c) && c != '.' && c != '-' && c != '+'; };
      std::string value = in_.peek() == '"' ? in_.quoted("a value") : std::string(in_.until(stop));
      f_.constexprs.emplace_back(name, std::move(value));
    } while (in_.accept(','));
    in_.expect('}', "after the constexprs");
  }

  // ---- ops --------------------------------------------------------------------------------------------------------

  /// A block's brace ends its line; a brace of attributes does not.
  bool opens_block() const {
    size_t i = 1;
    while (in_.peek(i) == ' ' || in_.peek(i) == '\t' || in_.peek(i) == '\r') ++i;
    return in_.peek(i) == '\n' || in_.peek(i) == '\0' || (in_.peek(i) == '/' && in_.peek(i + 1) == '/');
  }

  void block(Block& b, int depth) {
    if (depth > kMaxDepth) in_.fail("regions are nested too deeply");
    if (in_.accept('(')) {
      do b.args.push_back(definition());
      while (in_.accept(','));
      in_.expect(')', "after a region's arguments");
    }
    in_.expect('{', "before a block");
    for (in_.skip_space(); !in_.accept('}'); in_.skip_space()) b.ops.push_back(op(depth));
  }

  std::unique_ptr<Op> op(int depth) {
    auto op = std::make_unique<Op>();
    const size_t start = in_.offset();
    std::vector<std::pair<std::string, ValueId>> results = result_list();
    const size_t word = (in_.skip_blanks(), in_.offset());
    const std::string_view mnemonic = in_.name("an op");
    const OpInfo* info = find_op(mnemonic);
    if (info == nullptr) Cursor::fail_at(in_.range_from(word), "unknown op `" + std::string(mnemonic) + "`");
    op->code = info->code;
    in_.skip_blanks();
    if (in_.peek() == '%') {
      do op->operands.push_back(use());
      while (in_.accept(','));
    }
    for (const auto& [name, v] : results) op->results.push_back(v);
    in_.skip_blanks();
    if (op->code == OpCode::Constant && in_.peek() != '{') constant_literal(*op);
    in_.skip_blanks();
    if (in_.peek() == '{' && !opens_block()) attributes(*op);
    op->loc = std::make_shared<Location>(Location{in_.range_from(start), in_.range_from(start), nullptr});
    regions(*op, depth);
    // A result's name may be used only below, so it is entered after the regions.
    for (const auto& [name, v] : results)
      if (!values_.emplace(name, v).second)
        Cursor::fail_at(op->loc->range, "%" + name + " is defined a second time");
    kernel_locations_.emplace_back(op.get(), in_.accept_word("loc") ? location() : nullptr);
    in_.skip_blanks();
    if (in_.peek() != '\n' && in_.peek() != '}' && in_.peek() != '/') in_.fail("expected the end of the line");
    return op;
  }

  std::vector<std::pair<std::string, ValueId>> result_list() {
    std::vector<std::pair<std::string, ValueId>> out;
    if (in_.peek() != '%') return out;
    do {
      in_.expect('%', "before a value's name");
      std::string name(in_.name("a value's name"));
      in_.expect(':', "between a value and its type");
      const bool numbered = std::all_of(name.begin(), name.end(), is_digit);
      const ValueId v = f_.new_value(type(), numbered ? "" : name);
      out.emplace_back(std::move(name), v);
    } while (in_.accept(','));
    in_.expect('=', "between results and the op");
    return out;
  }

  void regions(Op& op, int depth) {
    in_.skip_blanks();
    if (in_.peek() != '(' && in_.peek() != '{') return;
    do {
      op.regions.emplace_back();
      block(op.regions.back(), depth + 1);
    } while (op.regions.size() < kMaxList && (in_.accept_word("else") || in_.accept_word("do")));
  }

  void attributes(Op& op) {
    in_.expect('{', "before attributes");
    do {
      const size_t start = (in_.skip_blanks(), in_.offset());
      std::string name(in_.name("an attribute's name"));
      if (op.find_attr(name) != nullptr) Cursor::fail_at(in_.range_from(start), "attribute " + name + " is given twice");
      in_.expect('=', "after an attribute's name");
      if (op.attrs.size() == kMaxList) in_.fail("too many attributes");
      op.attrs.push_back({std::move(name), attribute_value()});
    } while (in_.accept(','));
    in_.expect('}', "after attributes");
  }

  AttrValue attribute_value() {
    in_.skip_blanks();
    if (in_.peek() == '"') return in_.quoted("a value");
    if (!in_.accept('[')) return in_.integer("a number");
    std::vector<int64_t> list;
    if (in_.accept(']')) return list;
    do {
      if (list.size() == kMaxList) in_.fail("the list is too long");
      list.push_back(in_.integer("a number"));
    } while (in_.accept(','));
    in_.expect(']', "after a list");
    return list;
  }

  void constant_literal(Op& op) {
    const auto stop = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '{' || c == '}'; };
    const size_t start = (in_.skip_blanks(), in_.offset());
    const std::string_view text = in_.until(stop);
    if (op.results.size() != 1) in_.fail("a constant has one result");
    const Type& t = f_.type(op.results[0]);
    const std::optional<uint64_t> bits = literal_bits(text, t);
    if (!bits)
      Cursor::fail_at(in_.range_from(start), "`" + std::string(text) + "` is no constant of type " + to_string(t.with_shape({})));
    op.attrs.push_back({"bits", static_cast<int64_t>(*bits)});
  }

  template <class Number>
  static std::optional<Number> parse_whole(std::string_view text, int base = 10) {
    Number value{};
    std::from_chars_result r{};
    if constexpr (std::is_floating_point_v<Number>)
      r = std::from_chars(text.data(), text.data() + text.size(), value);
    else
      r = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (r.ec != std::errc() || r.ptr != text.data() + text.size()) return std::nullopt;
    return value;
  }

  static std::optional<uint64_t> literal_bits(std::string_view text, const Type& t) {
    if (text.substr(0, 2) == "0x") {
      const auto bits = parse_whole<uint64_t>(text.substr(2), 16);
      return bits && (t.pointer || canonical_bits(t.elem, *bits) == *bits) ? bits : std::nullopt;
    }
    if (t.pointer) return std::nullopt;
    if (is_bool(t.elem)) {
      if (text != "true" && text != "false") return std::nullopt;
      return text == "true";
    }
    if (t.elem == DType::Float64) {
      const auto value = parse_whole<double>(text);
      return value ? std::optional(element_bits(t.elem, *value)) : std::nullopt;
    }
    if (is_float(t.elem)) {
      const auto value = parse_whole<float>(text);
      return value ? std::optional(element_bits(t.elem, static_cast<double>(*value))) : std::nullopt;
    }
    if (t.elem == DType::UInt64) return parse_whole<uint64_t>(text);
    const auto value = parse_whole<int64_t>(text);
    if (!value || element_to_int(t.elem, element_bits(t.elem, *value)) != *value) return std::nullopt;
    return element_bits(t.elem, *value);
  }

  // ---- locations --------------------------------------------------------------------------------------------------

  SourcePtr file_named(const std::string& path) {
    if (kernel_source_ != nullptr && kernel_source_->path == path) return kernel_source_;
    SourcePtr& file = files_[path];
    if (file == nullptr) file = std::make_shared<SourceFile>(SourceFile{path, ""});
    return file;
  }

  SourceRange location_range() {
    if (in_.accept_word("none")) return {};
    SourceRange r;
    in_.skip_blanks();
    r.file = f_.source;
    if (in_.peek() == '"') {
      r.file = file_named(in_.quoted("a path"));
      in_.expect(':', "after a path");
    }
    if (r.file == nullptr) in_.fail("a location needs a file", "give the header source=\"...\"");
    constexpr int64_t kMax = 1'000'000'000;
    r.line = static_cast<int>(in_.integer_in(1, kMax, "a line"));
    in_.expect(':', "between line and column");
    r.column = static_cast<int>(in_.integer_in(0, kMax, "a column"));
    in_.expect('-', "between start and end");
    r.end_line = static_cast<int>(in_.integer_in(0, kMax, "a line"));
    in_.expect(':', "between line and column");
    r.end_column = static_cast<int>(in_.integer_in(0, kMax, "a column"));
    return r;
  }

  LocationPtr location() {
    in_.expect('(', "after loc");
    auto loc = std::make_shared<Location>();
    loc->range = location_range();
    loc->statement = in_.accept_word("in") ? location_range() : loc->range;
    std::vector<CallFrame> frames;
    while (in_.accept_word("from")) {
      if (frames.size() == 1000) in_.fail("too many calls");
      CallFrame frame;
      frame.callee = in_.quoted("a function's name");
      in_.expect_word("at", "after a function's name");
      frame.call = location_range();
      frames.push_back(std::move(frame));
    }
    for (size_t i = frames.size(); i-- > 0;) {
      frames[i].outer = loc->calls;
      loc->calls = std::make_shared<CallFrame>(std::move(frames[i]));
    }
    in_.expect(')', "after a location");
    return loc;
  }

  Cursor in_;
  SourcePtr kernel_source_;
  Function f_;
  std::unordered_map<std::string, ValueId> values_;
  std::vector<std::pair<Op*, LocationPtr>> kernel_locations_;
  std::map<std::string, SourcePtr> files_;
};

}  // namespace

Expected<Function> read_ir(const SourcePtr& text, const SourcePtr& kernel_source) {
  if (text->text.size() > kMaxText) return plain_error(text->path + ": the IR text is longer than 64 MiB");
  return Reader(text, kernel_source).run();
}

}  // namespace tilescope
