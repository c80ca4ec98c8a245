// Loops, branches, assertions.
#include <fmt/format.h>

#include <algorithm>

#include "gpu/emitter.h"

namespace tilescope::gpu {

void Emitter::assign(ValueId to, ValueId from) {
  const int l = home(to);
  if (l == kScalar) return line(fmt::format("{} = {};", scalar(to), scalar(from)));
  each(layout(l).registers(),
       [&](const std::string& r) { return fmt::format("{} = {};", at(to, l, r), at(from, l, r)); });
}

void Emitter::assign_all(const std::vector<ValueId>& to, const std::vector<ValueId>& from, size_t skip) {
  const auto place = [&](ValueId v, int l) { return places_.contains({v, l}) ? places_.at({v, l}) : std::string(); };
  // A value that is overwritten before it is read goes through a variable of its own.
  std::vector<std::string> saved(to.size());
  for (size_t i = 0; i < to.size(); ++i) {
    const ValueId value = from[i + skip];
    const int l = home(to[i]);
    const bool one = home(value) == kScalar || home(value) == kUniform;
    const std::string source = place(value, one ? kScalar : l);
    bool lost = false;
    for (size_t j = 0; j < i; ++j) lost = lost || declared(to[j], home(to[j])) == source;
    if (!lost) continue;
    saved[i] = unique("next");
    line(fmt::format("{} {}{};", c_type(type(value)), saved[i],
                     l < 0 ? "" : fmt::format("[{}]", layout(l).registers())));
    if (l < 0)
      line(fmt::format("{} = {};", saved[i], source));
    else
      each(layout(l).registers(),
           [&](const std::string& r) { return fmt::format("{}[{}] = {};", saved[i], r, at(value, l, r)); });
  }
  for (size_t i = 0; i < to.size(); ++i) {
    const int l = home(to[i]);
    if (saved[i].empty()) {
      const ValueId value = from[i + skip];
      const bool one = home(value) == kScalar || home(value) == kUniform;
      if (place(value, one ? kScalar : l) != declared(to[i], l)) assign(to[i], value);
    } else if (l < 0) {
      line(fmt::format("{} = {};", scalar(to[i]), saved[i]));
    } else {
      each(layout(l).registers(),
           [&](const std::string& r) { return fmt::format("{} = {}[{}];", at(to[i], l, r), saved[i], r); });
    }
  }
}

void Emitter::emit_for(const Op& op) {
  if (emit_pipelined(op)) return;
  const Block& body = op.regions[0];
  for (size_t i = 0; i < op.results.size(); ++i) {
    const ValueId carried = body.args[i + 1], result = op.results[i];
    places_[{result, home(result)}] = declare(carried, home(carried));
    assign(carried, op.operands[i + 3]);
  }
  const std::string lower = scalar(op.operands[0]), upper = scalar(op.operands[1]), step = scalar(op.operands[2]);
  const ValueId index = body.args[0];
  const std::string k = declare(index, kScalar);
  const bool wide = dtype_bits(type(index).elem) == 64;
  const std::string n = unique("trips");
  line(fmt::format("{} = {};", k, lower));
  const Hazards::State left = hazards_.left_by(body);
  hazards_.state = hazards_.state | left;
  open(fmt::format("for ({} {} = {}ts::trip_count({}, {}, {}); {} != 0; --{}, {} = ts::add({}, {})) {{",
                   wide ? "ts::uint64_t" : "ts::uint32_t", n, wide ? "" : "(ts::uint32_t)", lower, upper, step, n, n, k,
                   k, step));
  for (size_t i = 1; i < body.args.size(); ++i) convert_others(body.args[i]);
  block(body);
  assign_all({body.args.begin() + 1, body.args.end()}, body.ops.back()->operands, 0);
  close();
  hazards_.state = hazards_.state | left;
  for (ValueId r : op.results) convert_others(r);
}

void Emitter::emit_while(const Op& op) {
  const Block &test = op.regions[0], &body = op.regions[1];
  for (size_t i = 0; i < op.operands.size(); ++i) {
    declare(test.args[i], home(test.args[i]));
    assign(test.args[i], op.operands[i]);
  }
  for (size_t i = 0; i < op.results.size(); ++i)
    places_[{body.args[i], home(body.args[i])}] = declare(op.results[i], home(op.results[i]));
  const Hazards::State left = hazards_.left_by(test) | hazards_.left_by(body);
  hazards_.state = hazards_.state | left;
  open("while (true) {");
  for (ValueId v : test.args) convert_others(v);
  block(test);
  const std::vector<ValueId>& passed = test.ops.back()->operands;
  assign_all(op.results, passed, 1);
  line(fmt::format("if (!{}) break;", scalar(passed[0])));
  for (ValueId v : body.args) convert_others(v);
  block(body);
  assign_all(test.args, body.ops.back()->operands, 0);
  close();
  hazards_.state = hazards_.state | left;
  for (ValueId r : op.results) convert_others(r);
}

void Emitter::emit_if(const Op& op) {
  for (ValueId r : op.results) declare(r, home(r));
  const Hazards::State before = hazards_.state;
  open(fmt::format("if ({}) {{", scalar(op.operands[0])));
  block(op.regions[0]);
  for (size_t i = 0; i < op.results.size(); ++i) assign(op.results[i], op.regions[0].ops.back()->operands[i]);
  const Hazards::State after = hazards_.state;
  hazards_.state = before;
  const Block& other = op.regions[1];
  if (other.ops.size() > 1 || !op.results.empty()) {
    --indent_;
    open("} else {");
    commented_line_ = 0;
    block(other);
    for (size_t i = 0; i < op.results.size(); ++i) assign(op.results[i], other.ops.back()->operands[i]);
  }
  close();
  hazards_.state = hazards_.state | after;
  for (ValueId r : op.results) convert_others(r);
}

void Emitter::emit_debug(const Op& op) {
  if (op.code == OpCode::Print) {
    line("// device_print: shown by the simulator only");
    const std::string note = "device_print shows nothing from the GPU; the simulator prints it";
    if (std::find(out_.notes.begin(), out_.notes.end(), note) == out_.notes.end()) out_.notes.push_back(note);
    return;
  }
  const ValueId condition = op.operands[0];
  const bool tile = is_tile(condition) && home(condition) != kUniform;
  const auto at_layout = a_.operand_layout.find(&op);
  const int l = tile || (op.operands.size() > 1 && is_tile(op.operands[1])) ? at_layout->second : kScalar;
  out_.asserts.emplace_back(op.str_attr("text"));
  const std::string failed = unique("failed");
  line(fmt::format("bool {} = false;", failed));
  each(l < 0 ? 1 : layout(l).registers(), [&](const std::string& r) {
    const std::string mask = op.operands.size() > 1 ? fmt::format("{} && ", at(op.operands[1], l, r)) : "";
    return fmt::format("{} = {} || ({}!{});", failed, failed, mask, at(condition, l, r));
  });
  const std::string id = options_.linear_grid
                             ? "blockIdx.x % grid0; assert_record[2] = blockIdx.x / grid0 % grid1; assert_record[3] = "
                               "blockIdx.x / grid0 / grid1"
                             : "blockIdx.x; assert_record[2] = blockIdx.y; assert_record[3] = blockIdx.z";
  line(fmt::format("if ({} && atomicCAS(assert_record, 0u, {}u) == 0u) {{ assert_record[1] = {}; }}", failed,
                   out_.asserts.size(), id));
}

}  // namespace tilescope::gpu
