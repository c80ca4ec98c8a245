#include "sim/diagnose.h"

#include <algorithm>
#include <cctype>
#include <ctime>
#include <functional>
#include <map>
#include <set>

#include "core/builder.h"
#include "sim/faults.h"
#include "sim/plan_analysis.h"
#include "sim/tensor_uses.h"
#include "sim/words.h"

namespace tilescope {
namespace {

/// Every op with its place, in the order of walk(): the same number means the same op in every clone.
struct Site {
  Block* block = nullptr;
  size_t position = 0;
  Op* op = nullptr;
};
void collect(Block& b, std::vector<Site>& out) {
  for (size_t i = 0; i < b.ops.size(); ++i) {
    out.push_back({&b, i, b.ops[i].get()});
    for (Block& r : b.ops[i]->regions) collect(r, out);
  }
}
std::vector<Site> sites(Function& f) {
  std::vector<Site> out;
  collect(f.body, out);
  return out;
}

ValueId insert_before(Function& f, const Site& s, OpCode code, std::vector<ValueId> operands, const Type& type, std::vector<Attr> attrs = {}) {
  auto op = std::make_unique<Op>();
  op->code = code;
  op->operands = std::move(operands);
  op->attrs = std::move(attrs);
  op->loc = s.op->loc;
  const ValueId v = f.new_value(type);
  op->results.push_back(v);
  s.block->ops.insert(s.block->ops.begin() + static_cast<std::ptrdiff_t>(s.position), std::move(op));
  return v;
}
ValueId insert_constant(Function& f, const Site& s, const Type& type, uint64_t bits) {
  return insert_before(f, s, OpCode::Constant, {}, type, {{"bits", static_cast<int64_t>(bits)}});
}

/// "columns 32 to 44", as the place along axis `d` of a tensor of so many axes.
Words range_words(size_t rank, size_t d, int64_t from, int64_t to) {
  using enum SimWords;
  const SimWords one = rank == 1 ? MissingElement : rank > 2 ? MissingIndex : d == 0 ? MissingRow : MissingColumn;
  const SimWords many = rank == 1 ? MissingElements : rank > 2 ? MissingIndices : d == 0 ? MissingRows : MissingColumns;
  return say(from == to ? one : many, {{"axis", static_cast<int64_t>(d)}, {"a", from}, {"b", to}});
}

/// "columns 32 to 44", when the marked elements fill a box of the tensor that is whole along all other axes.
Words box_in_words(const Tensor& t, const std::vector<uint32_t>& loads) {
  const TensorLayout& l = t.layout;
  const size_t rank = l.shape.size();
  std::vector<int64_t> index(rank, 0), lo(rank, INT64_MAX), hi(rank, -1);
  int64_t missing = 0;
  for (int64_t n = 0; n < l.elements(); ++n) {
    const auto at = static_cast<size_t>(t.origin + l.offset_of(index));
    if (loads.empty() || loads[at] == 0) {
      ++missing;
      for (size_t d = 0; d < rank; ++d) lo[d] = std::min(lo[d], index[d]), hi[d] = std::max(hi[d], index[d]);
    }
    for (size_t d = rank; d-- > 0;) {
      if (++index[d] < l.shape[d]) break;
      index[d] = 0;
    }
  }
  if (missing == 0) return {};
  int64_t box = 1;
  Words out;
  for (size_t d = 0; d < rank; ++d) {
    box *= hi[d] - lo[d] + 1;
    if (lo[d] == 0 && hi[d] == l.shape[d] - 1) continue;
    const Words range = range_words(rank, d, lo[d], hi[d]);
    out = out.empty() ? range : say(SimWords::MissingNext, {{"boxes", out}, {"box", range}});
  }
  if (box != missing) return say(SimWords::MissingCount, {{"n", missing}});
  return out.empty() ? say(SimWords::MissingAll) : out;
}

class Experiments {
 public:
  Experiments(const Launch& done, const std::vector<Tensor>& before, const RunOptions& options)
      : done_(done), before_(before), options_(options), started_(std::clock()) {
    options_.progress = {};
    options_.check = Checkers{};
    options_.first_programs = -1;
  }

  std::vector<Diagnostic> run() {
    // One op for each operation of the text, where that gives the wrong outputs, too. Where it rounds otherwise and the
    // outputs are right, as of a sum that the passes put into a dot, any change would seem to help.
    if (!begin_with(false) || (equal_ && !begin_with(true)) || equal_) return {};
    expected_from_ = describe_expected();
    find_missing();
    if (base_.time_ms < kMostMs) {
      options_.record = RecordLevel::None;
      try_loops();
      try_types();
      try_fills();
      try_strides();
    }
    if (found_.empty()) note_missing();
    return std::move(found_);
  }

 private:
  /// Runs the kernel unchanged, as what experiments are compared with. False when it cannot be run.
  bool begin_with(bool optimise) {
    CompileRequest request = compile_request(done_.spec, done_.kernel.function.source);
    request.optimise = optimise;
    Expected<CompiledKernel> kernel = compile_kernel(request);
    if (!kernel) return false;
    kernel_ = std::move(*kernel);
    RunOptions counted = options_;
    counted.record = RecordLevel::Counters;
    counted.maps = true;
    return execute_variant(clone(kernel_.function), counted, &base_);
  }

  static constexpr double kMostMs = 500, kBudgetMs = 4000;

  // The processor's time: a busy machine should not change what is found.
  bool out_of_time() const { return 1e3 * static_cast<double>(std::clock() - started_) / CLOCKS_PER_SEC > kBudgetMs; }

  /// Runs a function in the place of the kernel. False when it fails; `equal_` tells whether all outputs are right.
  bool execute_variant(Function f, const RunOptions& options, RunTrace* trace = nullptr) {
    equal_ = false;
    auto tensors = make_tensors(done_.spec);
    if (!tensors) return false;
    CompiledKernel kernel;
    kernel.function = std::move(f);
    auto launch = bind_launch(done_.spec, std::move(kernel), std::move(*tensors));
    if (!launch) return false;
    RunTrace t = execute(*launch, options);
    if (has_failed(t)) return false;
    auto checks = check_outputs(*launch, before_);
    if (!checks) return false;
    equal_ = std::all_of(checks->begin(), checks->end(), [](const OutputCheck& c) { return c.equal; });
    if (trace != nullptr) *trace = std::move(t);
    return true;
  }
  /// The outputs are right with this function.
  bool helps(Function f) { return !out_of_time() && execute_variant(std::move(f), options_) && equal_; }

  Words describe_expected() const {
    auto checks = check_outputs(done_, before_);
    if (!checks || checks->empty()) return say(SimWords::WhatWasExpected);
    std::string names;
    for (const OutputCheck& c : *checks)
      if (!c.equal) names += (names.empty() ? "`" : ", `") + c.tensor + "`";
    const bool one = std::count(names.begin(), names.end(), ',') == 0;
    if (!one) return say(SimWords::NamesEqual, {{"names", names}});
    return say(SimWords::NameEquals, {{"names", names}, {"expected", words_of(checks->front().expected_from)}});
  }

  void report(const Op& op, Words cause, const Words& hint) {
    Diagnostic d;
    d.severity = Diagnostic::Severity::Warning;
    d.message = remember(say(SimWords::LikelyCause, {{"cause", std::move(cause)}}));
    if (op.loc != nullptr) d.range = op.loc->range, d.calls = op.loc->calls;
    d.hint = remember(hint);
    add(std::move(d));
  }
  void add(Diagnostic d) {
    for (const Diagnostic& old : found_)
      if (old.message == d.message && old.range.line == d.range.line) return;
    found_.push_back(std::move(d));
  }

  // ---- elements that are never loaded ----
  void find_missing() {
    const TensorUses uses(done_);
    std::set<std::string> needed;  // a reference reads all of its inputs
    for (const OutputSpec& o : done_.spec.outputs)
      if (!o.reference.empty()) needed.insert(o.inputs.begin(), o.inputs.end());
    constexpr int64_t kMostElements = int64_t{1} << 22;
    for (size_t t = 0; t < done_.tensors.size() && t < base_.element_counts.size(); ++t) {
      const Tensor& tensor = done_.tensors[t];
      if (!needed.count(tensor.name) || !uses.loads[t] || tensor.elements() > kMostElements || base_.element_counts[t].elements_per_count != 1) continue;
      // The trace names its tensors in the order of the parameters, as the launch does.
      if (t >= base_.tensors.size() || base_.tensors[t].name != tensor.name) continue;
      if (Words words = box_in_words(tensor, base_.element_counts[t].loads); !words.empty()) missing_[tensor.name] = words;
    }
  }
  Words missing_words() const {
    Words out;
    for (const auto& [name, words] : missing_) {
      const Words box = say(SimWords::MissingOf, {{"box", words}, {"tensor", name}});
      out = out.empty() ? box : say(SimWords::And, {{"a", out}, {"b", box}});
    }
    return out;
  }
  void note_missing() {
    if (missing_.empty()) return;
    Diagnostic d;
    d.severity = Diagnostic::Severity::Note;
    d.message = remember(say(SimWords::NeverLoaded, {{"missing", missing_words()}}));
    found_.push_back(std::move(d));
  }

  // ---- the end of a loop ----
  /// Names the division that rounds down where the loop's own text has one, as `range(K // BLOCK_K)`.
  static Words rounds_hint(const Op& loop) {
    const std::string text = loop.loc != nullptr ? source_text(loop.loc->range) : std::string{};
    const auto is_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    const size_t at = text.find("//");
    if (at == std::string::npos || text.find("//", at + 2) != std::string::npos) return say(SimWords::LoopRounds);
    const size_t end = text.find_last_not_of(' ', at == 0 ? 0 : at - 1) + 1, next = std::min(text.find_first_not_of(' ', at + 2), text.size());
    size_t begin = end, last = next;
    while (begin > 0 && is_name(text[begin - 1])) --begin;
    while (last < text.size() && is_name(text[last])) ++last;
    // Not a part of a larger expression: `(a + b) // c`, `a * b // c`, `a // b + 1`.
    const auto ends = [&](size_t i, bool before) {
      while (i < text.size() && text[i] == ' ') before ? --i : ++i;
      return i >= text.size() || std::string_view(before ? "(," : "):").find(text[i]) != std::string_view::npos;
    };
    if (begin == end || last == next || !ends(begin - 1, true) || !ends(last, false)) return say(SimWords::LoopRounds);
    return say(SimWords::LoopFloor, {{"n", text.substr(begin, end - begin)}, {"b", text.substr(next, last - next)}});
  }

  void try_loops() {
    Function base = clone(kernel_.function);
    const size_t n = sites(base).size();
    for (size_t i = 0; i < n; ++i) {
      Function f = clone(kernel_.function);
      std::vector<Site> all = sites(f);
      Op& loop = *all[i].op;
      if (loop.code != OpCode::For) continue;
      const Type type = f.type(loop.operands[1]);
      loop.operands[1] = insert_before(f, all[i], OpCode::Add, {loop.operands[1], loop.operands[2]}, type);
      if (!helps(std::move(f))) continue;
      Words missing;
      if (!missing_.empty()) missing = say(SimWords::LoopMisses, {{"missing", missing_words()}});
      Function original = clone(kernel_.function);
      report(*sites(original)[i].op, say(SimWords::LoopStopsEarly, {{"missing", missing}, {"equal", expected_from_}}), rounds_hint(*sites(original)[i].op));
    }
  }

  // ---- the fill of masked-off lanes ----
  /// Only what changes nothing in some reduction of the kernel is tried: another number could make up for another mistake.
  bool combines_by(std::string_view combine) const {
    bool found = false;
    walk(kernel_.function.body, [&](const Op& op) {
      found |= (op.code == OpCode::Reduce || op.code == OpCode::Scan) && op.str_attr("combine") == combine;
    });
    return found;
  }

  void try_fills() {
    const size_t n = sites(kernel_.function).size();
    for (size_t i = 0; i < n; ++i) {
      const Op& load = *sites(kernel_.function)[i].op;
      if (load.code != OpCode::Load || load.operands.size() < 3) continue;
      const Type type = kernel_.function.type(load.operands[2]);
      std::vector<std::pair<std::string, uint64_t>> fills;
      if (is_float(type.elem)) {
        const double inf = __builtin_inf();
        fills = {{"0", element_bits(type.elem, 0.0)}, {"-inf", element_bits(type.elem, -inf)}, {"inf", element_bits(type.elem, inf)}};
        if (combines_by("prod")) fills.push_back({"1", element_bits(type.elem, 1.0)});
      } else if (!type.pointer && is_int(type.elem)) {
        fills = {{"0", 0}};
        if (combines_by("prod")) fills.push_back({"1", 1});
        if (combines_by("and")) fills.push_back({"-1", ~uint64_t{0}});
      }
      for (const auto& [name, bits] : fills) {
        Function f = clone(kernel_.function);
        std::vector<Site> all = sites(f);
        all[i].op->operands[2] = insert_constant(f, all[i], type, bits);
        if (!helps(std::move(f))) continue;
        report(load, say(SimWords::FillReaches, {{"fill", name}, {"equal", expected_from_}}), say(SimWords::FillHint));
        point_at_fill(found_.back());
        break;
      }
    }
  }
  /// The caret under `other=...` where the text shows it.
  static void point_at_fill(Diagnostic& d) {
    if (!d.range.valid()) return;
    for (int line = d.range.line; line <= d.range.end_line; ++line) {
      const std::string_view text = d.range.file->line(line);
      const size_t from = line == d.range.line ? static_cast<size_t>(d.range.column) - 1 : 0;
      const size_t at = text.find("other=", from);
      if (at == std::string_view::npos) continue;
      size_t end = at;
      for (int depth = 0; end < text.size(); ++end) {
        if (text[end] == '(') ++depth;
        if (text[end] == ')' && depth-- == 0) break;
        if (text[end] == ',' && depth == 0) break;
      }
      d.range.line = d.range.end_line = line;
      d.range.column = static_cast<int>(at) + 1;
      d.range.end_column = static_cast<int>(end) + 1;
      return;
    }
  }

  // ---- strides ----
  /// The integer that a value holds in every lane, when it is an argument or a constant.
  std::optional<int64_t> known_integer(const std::map<ValueId, const Op*>& defs, ValueId v) const {
    for (;;) {
      const Function& f = kernel_.function;
      if (v < f.params.size()) {
        const Type& t = f.params[v].type;
        if (t.pointer || !is_int(t.elem)) return std::nullopt;
        return static_cast<int64_t>(done_bits(f.params[v].name));
      }
      auto it = defs.find(v);
      if (it == defs.end()) return std::nullopt;
      switch (it->second->code) {
        case OpCode::Constant: return it->second->int_attr("bits");
        case OpCode::Splat: case OpCode::Broadcast: case OpCode::ExpandDims: case OpCode::Reshape: case OpCode::Cast: v = it->second->operands[0]; break;
        default: return std::nullopt;
      }
    }
  }
  uint64_t done_bits(const std::string& name) const {
    const auto& params = done_.kernel.function.params;
    for (size_t p = 0; p < params.size(); ++p)
      if (params[p].name == name) return done_.arguments[p].bits;
    return 0;
  }

  void try_strides() {
    const Function& f = kernel_.function;
    const Provenance from(f);
    std::map<ValueId, const Op*> defs;
    std::map<const Op*, size_t> number;
    std::vector<Site> all = sites(kernel_.function);
    for (size_t i = 0; i < all.size(); ++i) {
      number[all[i].op] = i;
      for (ValueId r : all[i].op->results) defs[r] = all[i].op;
    }
    for (const Site& access : all) {
      if (!is_memory(access.op->code)) continue;
      const int param = from.only(access.op->operands[0]);
      if (param < 0) continue;
      const Tensor* tensor = done_.find_tensor(f.params[static_cast<size_t>(param)].name);
      if (tensor == nullptr) continue;
      for (const Op* mul : products_of(defs, access.op->operands[0]))
        for (size_t k = 0; k < 2; ++k) try_stride(*mul, k, number[mul], known_integer(defs, mul->operands[k]), *tensor);
    }
  }
  static std::vector<const Op*> products_of(const std::map<ValueId, const Op*>& defs, ValueId pointer) {
    std::vector<const Op*> out;
    std::set<ValueId> seen{pointer};
    std::vector<ValueId> queue{pointer};
    while (!queue.empty()) {
      auto it = defs.find(queue.back());
      queue.pop_back();
      if (it == defs.end()) continue;
      const Op& op = *it->second;
      std::vector<ValueId> next;
      if (op.code == OpCode::For) next.assign(op.operands.begin() + 3, op.operands.end());
      else if (op.info().group == OpGroup::Elementwise || op.info().group == OpGroup::Shape) next = op.operands;
      if (op.code == OpCode::Mul) out.push_back(&op);
      for (ValueId v : next)
        if (seen.insert(v).second) queue.push_back(v);
    }
    return out;
  }
  void try_stride(const Op& mul, size_t operand, size_t number, std::optional<int64_t> now, const Tensor& tensor) {
    if (!now) return;
    for (size_t d = 0; d < tensor.layout.strides.size(); ++d) {
      const int64_t stride = tensor.layout.strides[d];
      if (stride == *now || stride == 1 || stride == 0) continue;
      Function f = clone(kernel_.function);
      std::vector<Site> all = sites(f);
      const Type type = f.type(mul.operands[operand]);
      all[number].op->operands[operand] = insert_constant(f, all[number], type, element_bits(type.elem, stride));
      if (!helps(std::move(f))) continue;
      const std::string text = mul.loc != nullptr ? source_text(mul.loc->range) : std::string{};
      const bool rows = tensor.layout.strides.size() == 2 && d == 0;
      const Words what = text.empty() ? say(SimWords::TheOffset) : say(SimWords::QuotedFirst, {{"text", text}});
      report(mul, say(rows ? SimWords::StrideRows : SimWords::StrideAxis, {{"what", what}, {"now", *now}, {"tensor", tensor.name}, {"axis", static_cast<int64_t>(d)},
                                                                           {"stride", stride}, {"equal", expected_from_}}),
             say(SimWords::StrideHint));
      return;
    }
  }

  // ---- the type of an accumulator ----
  void try_types() {
    const SourcePtr source = done_.kernel.function.source;
    if (source == nullptr) return;
    struct Place {
      size_t at, length;
    };
    std::vector<Place> places;
    for (const std::string name : {"tl.float16", "tl.bfloat16"})
      for (size_t at = source->text.find(name); at != std::string::npos; at = source->text.find(name, at + 1)) {
        const size_t line = source->text.rfind('\n', at) + 1;
        if (source->text.substr(line, at - line).find('#') == std::string::npos) places.push_back({at, name.size()});
      }
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.at < b.at; });
    constexpr size_t kMostPlaces = 8;
    if (places.empty() || places.size() > kMostPlaces) return;
    const auto with = [&](const std::vector<Place>& changed) {
      auto text = std::make_shared<SourceFile>(*source);
      for (size_t i = changed.size(); i-- > 0;) text->text.replace(changed[i].at, changed[i].length, "tl.float32");
      auto kernel = compile_kernel(compile_request(done_.spec, text));
      return kernel.ok() && helps(std::move(kernel->function));
    };
    for (const Place& p : places)
      if (with({p})) return report_type(*source, source, p.at, p.length);
    if (places.size() > 1 && with(places)) report_type(*source, source, places[0].at, places[0].length);
  }
  void report_type(const SourceFile& file, const SourcePtr& source, size_t at, size_t length) {
    Diagnostic d;
    d.severity = Diagnostic::Severity::Warning;
    d.range.file = source;
    d.range.line = d.range.end_line = static_cast<int>(std::count(file.text.begin(), file.text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) + 1;
    const size_t start = at == 0 ? 0 : file.text.rfind('\n', at - 1) + 1;
    d.range.column = static_cast<int>(at - start) + 1;
    d.range.end_column = d.range.column + static_cast<int>(length);
    const std::string name = file.text.substr(at + 3, length - 3);
    d.message = remember(say(SimWords::LikelyCause, {{"cause", say(SimWords::TypeLoses, {{"type", name}, {"equal", expected_from_}})}}));
    d.hint = remember(say(SimWords::TypeHint, {{"type", name}, {"bits", name == "float16" ? 11 : 8}}));
    add(std::move(d));
  }

  const Launch& done_;
  const std::vector<Tensor>& before_;
  RunOptions options_;
  std::clock_t started_;
  CompiledKernel kernel_;
  RunTrace base_;
  Words expected_from_;
  std::map<std::string, Words> missing_;
  bool equal_ = false;
  std::vector<Diagnostic> found_;
};

}  // namespace

std::vector<Diagnostic> diagnose_outputs(const Launch& done, const std::vector<Tensor>& before, const RunOptions& options) {
  return Experiments(done, before, options).run();
}

}  // namespace tilescope
