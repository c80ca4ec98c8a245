// Reductions and scans in the one order of the IR: adjacent pairs of the logical index, lower index on the left. Index bits
// are combined from low to high, wherever each of them lies: in registers, between lanes, through shared memory.
#include <fmt/format.h>

#include <algorithm>

#include "core/verify.h"
#include "gpu/emitter.h"

namespace tilescope::gpu {
namespace {

struct Builtin {
  const char* name;
  const char* meaning;
};
constexpr Builtin kBuiltins[] = {{"sum", "ts::add"},         {"prod", "ts::mul"},        {"max", "ts::maximum"},
                                 {"min", "ts::minimum"},     {"max_nan", "ts::maximum_nan"}, {"min_nan", "ts::minimum_nan"},
                                 {"and", "ts::bit_and"},     {"or", "ts::bit_or"},       {"xor", "ts::bit_xor"}};

/// Registers with bit `position` taken out: where its two halves lie, as weights of the bits that are left.
std::vector<int64_t> without_bit(size_t bits, size_t position) {
  std::vector<int64_t> out;
  for (size_t i = 0; i < bits; ++i)
    if (i != position) out.push_back(int64_t{1} << i);
  return out;
}

}  // namespace

std::string Emitter::combine_function(const Op& op) {
  const std::string_view name = op.str_attr("combine");
  for (const Builtin& b : kBuiltins)
    if (name == b.name) return b.meaning;
  if (name != "user") return std::string(name);  // argmax and its kin
  const Block& b = op.regions[0];
  const size_t n = op.operands.size();
  const std::string function = unique("combine");
  std::string parameters;
  for (size_t i = 0; i < 2 * n; ++i) {
    const std::string p = unique(names_[b.args[i]].empty() ? "x" : "x" + names_[b.args[i]]);
    places_[{b.args[i], kScalar}] = p;
    parameters += fmt::format("{}{} {}", i > 0 ? ", " : "", c_type(type(b.args[i])), p);
  }
  std::vector<std::string> to;
  for (size_t i = 0; i < n; ++i) {
    to.push_back(unique("to"));
    parameters += fmt::format(", {}& {}", c_type(type(b.args[i])), to[i]);
  }
  open(fmt::format("const auto {} = [&]({}) {{", function, parameters));
  const int comment = commented_line_;
  block(b);
  const std::vector<ValueId>& yields = b.ops.back()->operands;
  for (size_t i = 0; i < n; ++i) line(fmt::format("{} = {};", to[i], scalar(yields[i])));
  close("};");
  commented_line_ = comment;
  return function;
}

/// Text that puts the combination of two tuples into a third; `to` may be the same variables.
std::string Emitter::combined(const Op& op, const std::string& function, const std::vector<std::string>& to,
                              const std::vector<std::string>& left, const std::vector<std::string>& right) {
  const std::string_view name = op.str_attr("combine");
  if (name == "user") {
    std::string call = function + "(";
    for (const auto* side : {&left, &right, &to})
      for (const std::string& x : *side) call += (call.back() == '(' ? "" : ", ") + x;
    return call + ");";
  }
  if (to.size() == 1) {
    const DType t = type(op.operands[0]).elem;
    if (name == "sum" && (t == DType::Float32 || t == DType::Float64)) return fmt::format("{} = {} + {};", to[0], left[0], right[0]);
    return fmt::format("{} = {}({}, {});", to[0], function, left[0], right[0]);
  }
  const bool largest = name.starts_with("argmax"), left_wins = !name.ends_with("_right");
  const std::string keep = unique("left");
  return fmt::format("{{ const bool {0} = ts::keep_left<{1}, {2}>({3}, {5}, {4}, {6}); {7} = {0} ? {3} : {4}; {8} = {0} ? {5} : {6}; }}", keep, largest,
                     left_wins, left[0], right[0], left[1], right[1], to[0], to[1]);
}

/// The operands' registers in variables of their own.
std::vector<std::string> Emitter::working_copies(const Op& op, int from) {
  std::vector<std::string> out;
  const int registers = layout(from).registers();
  for (ValueId v : op.operands) {
    out.push_back(unique("part"));
    line(fmt::format("{} {}[{}];", c_type(type(v).with_shape({})), out.back(), registers));
    each(registers, [&](const std::string& r) { return fmt::format("{}[{}] = {};", out.back(), r, at(v, from, r)); });
  }
  return out;
}

void Emitter::emit_reduce(const Op& op) {
  const int from = a_.operand_layout.at(&op), axis = static_cast<int>(op.int_attr("axis"));
  const Shape shape = type(op.operands[0]).shape;
  const int64_t inner = row_major_strides(shape)[axis], length = shape[axis];
  const std::string function = combine_function(op), name(op.str_attr("combine"));
  line(fmt::format("// {} along axis {}: adjacent pairs first", name == "user" ? "reduction" : name, axis));
  std::vector<std::string> x = working_copies(op, from);
  TileLayout l = layout(from);
  const auto all = [](const std::vector<std::string>& arrays, const std::string& reg) {
    std::vector<std::string> out;
    for (const std::string& a : arrays) out.push_back(a + "[" + reg + "]");
    return out;
  };
  int64_t bit = inner;  // of the element index, the next to combine
  for (; bit < inner * length; bit *= 2) {
    const bool swapped = (l.flip & bit) != 0;  // the lower half of the axis lies where the bit is set
    const auto reg = std::find(l.register_bits.begin(), l.register_bits.end(), bit);
    const auto lane = std::find(l.lane_bits.begin(), l.lane_bits.end(), bit);
    if (reg != l.register_bits.end()) {
      const auto position = static_cast<size_t>(reg - l.register_bits.begin());
      const std::vector<int64_t> rest = without_bit(l.register_bits.size(), position);
      each(l.registers() / 2, [&](const std::string& r) {
        const std::string low = weighted_bits(r, rest), high = low == "0" ? std::to_string(1 << position) : fmt::format("{} + {}", low, 1 << position);
        return combined(op, function, all(x, r), all(x, swapped ? high : low), all(x, swapped ? low : high));
      });
      l.register_bits.erase(reg);
    } else if (lane != l.lane_bits.end()) {
      const int mask = 1 << (lane - l.lane_bits.begin());
      each(l.registers(), [&](const std::string& r) { return combined_across(op, function, all(x, r), mask, swapped); });
      *lane = 0;
    } else {
      break;
    }
    l.flip &= ~bit;
  }
  const Implied after = without_axis(layout(from), shape, axis);
  const int out = type(op.results[0]).is_tile() ? a_.intern(after.layout) : kScalar;
  if (bit < inner * length) return reduce_across_warps(op, function, x, l, bit, after.layout);
  for (size_t i = 0; i < op.results.size(); ++i) {
    const std::string result = declare(op.results[i], out);
    each(after.layout.registers(), [&](const std::string& r) {
      return fmt::format("{}{} = {}[{}];", result, out < 0 ? "" : "[" + r + "]", x[i], r);
    });
  }
  for (ValueId r : op.results) convert_others(r);
}

std::string Emitter::combined_across(const Op& op, const std::string& function, const std::vector<std::string>& mine, int mask, bool swapped) {
  std::vector<std::string> theirs;
  std::string text = "{";
  for (size_t i = 0; i < mine.size(); ++i) {
    theirs.push_back(unique("other"));
    text += fmt::format(" const {} {} = ts::from_lane_xor({}, {});", c_type(type(op.operands[i]).with_shape({})), theirs[i], mine[i], mask);
  }
  const std::string_view name = op.str_attr("combine");
  const bool symmetric = name != "user" && mine.size() == 1;
  if (symmetric) return text + " " + combined(op, function, mine, mine, theirs) + " }";
  const std::string lower = fmt::format("(lane & {}) {} 0", mask, swapped ? "!=" : "==");
  return fmt::format("{} if ({}) {} else {} }}", text, lower, combined(op, function, mine, mine, theirs), combined(op, function, mine, theirs, mine));
}

/// What is left of the axis goes through shared memory: [index left along the axis][element of the result].
void Emitter::reduce_across_warps(const Op& op, const std::string& function, const std::vector<std::string>& x, const TileLayout& l, int64_t bit,
                                  const TileLayout& after) {
  const int axis = static_cast<int>(op.int_attr("axis"));
  const Shape shape = type(op.operands[0]).shape;
  const int64_t inner = row_major_strides(shape)[axis], outer = inner * shape[axis], left = outer / bit, results = type(op.results[0]).elements();
  const auto place = [&](int64_t b) {
    if (b < inner) return b;
    if (b < outer) return b < bit ? int64_t{0} : b / bit * results;
    return b / shape[axis];
  };
  int64_t bytes = 0;
  std::vector<int64_t> offsets;
  for (ValueId v : op.operands) {
    offsets.push_back(bytes);
    bytes = (bytes + left * results * type(v).storage_bytes() + 15) / 16 * 16;
  }
  const Buffer buffer = exchange(&op, bytes);
  const std::string once = first_copy(l);
  std::vector<std::string> stages, parts, names;
  for (size_t i = 0; i < x.size(); ++i) {
    stages.push_back(typed(buffer, c_type(type(op.operands[i]).with_shape({})), offsets[i]));
    each(l.registers(), [&](const std::string& r) {
      return fmt::format("{}{}[{}] = {}[{}];", once.empty() ? "" : "if (" + once + ") ", stages[i], element(l, r, place), x[i], r);
    });
  }
  publish(buffer);
  const int out = type(op.results[0]).is_tile() ? a_.intern(after) : kScalar;
  for (ValueId r : op.results) names.push_back(declare(r, out));
  open(after.registers() > 1 ? fmt::format("each(r, {}) {{", after.registers()) : "{");
  const std::string reg = after.registers() > 1 ? "r" : "0";
  for (size_t i = 0; i < x.size(); ++i) {
    parts.push_back(unique("part"));
    line(fmt::format("{} {}[{}];", c_type(type(op.operands[i]).with_shape({})), parts[i], left));
    line(fmt::format("each(pos, {}) {}[pos] = {}[{} + pos * {}];", left, parts[i], stages[i], element(after, reg, [](int64_t b) { return b; }), results));
  }
  for (int64_t n = left / 2; n >= 1; n /= 2) {
    const auto side = [&](const std::string& k) {
      std::vector<std::string> v;
      for (const std::string& p : parts) v.push_back(p + "[" + k + "]");
      return v;
    };
    line(fmt::format("each(pos, {}) {}", n, combined(op, function, side("pos"), side("2 * pos"), side("2 * pos + 1"))));
  }
  for (size_t i = 0; i < x.size(); ++i) line(fmt::format("{}{} = {}[0];", names[i], out < 0 ? "" : "[" + reg + "]", parts[i]));
  close();
  for (ValueId r : op.results) convert_others(r);
}

/// Sklansky: at level j every element whose index has bit j set takes the last element of the block before its own. A level
/// whose pairs lie in registers of one thread needs no exchange.
void Emitter::emit_scan(const Op& op) {
  const int id = a_.operand_layout.at(&op), axis = static_cast<int>(op.int_attr("axis"));
  const Shape shape = type(op.operands[0]).shape;
  const int64_t inner = row_major_strides(shape)[axis], length = shape[axis];
  const std::string function = combine_function(op), name(op.str_attr("combine"));
  const bool reverse = op.int_attr("reverse") != 0;
  line(fmt::format("// {} scan along axis {}{}", name == "user" ? "a" : name, axis, reverse ? ", from its end" : ""));
  const TileLayout real = layout(id);
  // A reversed scan is the scan of the flipped index.
  const TileLayout l = reverse ? flipped(real, shape, axis) : real;
  std::vector<std::string> x = working_copies(op, id);
  const auto bit_of = [&](int64_t b, const std::string& r) { return element(l, r, [b](int64_t c) { return c == b ? int64_t{1} : int64_t{0}; }); };
  for (int64_t bit = inner; bit < inner * length; bit *= 2) {
    // Low bits of the axis that are register bits: the source is in the same thread.
    bool local = true;
    int64_t last = 0, own = 0;
    for (int64_t b = inner; b <= bit; b *= 2) {
      const auto reg = std::find(l.register_bits.begin(), l.register_bits.end(), b);
      local = local && reg != l.register_bits.end() && (l.flip & b) == 0;
      const int64_t weight = reg == l.register_bits.end() ? 0 : int64_t{1} << (reg - l.register_bits.begin());
      if (b < bit) last |= weight;
      else own = weight;
    }
    if (local) {
      each(l.registers(), [&](const std::string& r) {
        const std::string from = fmt::format("(({} & {}) | {})", r, l.registers() - 1 - own - last, last);
        std::vector<std::string> left, mine;
        for (const std::string& a : x) left.push_back(a + "[" + from + "]"), mine.push_back(a + "[" + r + "]");
        return fmt::format("if (({} & {}) != 0) {}", r, own, combined(op, function, mine, left, mine));
      });
      continue;
    }
    int64_t bytes = 0;
    std::vector<int64_t> offsets;
    for (ValueId v : op.operands) {
      offsets.push_back(bytes);
      bytes = (bytes + type(v).elements() / length * (length / (2 * bit / inner)) * type(v).storage_bytes() + 15) / 16 * 16;
    }
    // Only the last element of every lower block is read: [block][the other axes].
    const auto place = [&](int64_t b) {
      if (b < inner) return b;
      if (b >= inner * length) return b / (2 * bit / inner);
      return b <= bit ? int64_t{0} : b / (2 * bit) * inner;
    };
    const auto is_last = [&](const std::string& r) {
      std::string out;
      for (int64_t b = inner; b <= bit; b *= 2) out += fmt::format("{}({}) {} 0", out.empty() ? "" : " && ", bit_of(b, r), b < bit ? "!=" : "==");
      return out;
    };
    const Buffer buffer = exchange(&op, bytes);
    const std::string once = first_copy(l);
    std::vector<std::string> stages;
    for (size_t i = 0; i < x.size(); ++i) {
      stages.push_back(typed(buffer, c_type(type(op.operands[i]).with_shape({})), offsets[i]));
      each(l.registers(), [&](const std::string& r) {
        return fmt::format("if ({}{}) {}[{}] = {}[{}];", once.empty() ? "" : once + " && ", is_last(r), stages[i], element(l, r, place), x[i], r);
      });
    }
    publish(buffer);
    each(l.registers(), [&](const std::string& r) {
      std::vector<std::string> left, mine;
      for (size_t i = 0; i < x.size(); ++i) {
        left.push_back(stages[i] + "[" + element(l, r, place) + "]");
        mine.push_back(x[i] + "[" + r + "]");
      }
      return fmt::format("if (({}) != 0) {}", bit_of(bit, r), combined(op, function, mine, left, mine));
    });
  }
  for (size_t i = 0; i < op.results.size(); ++i) {
    const std::string result = declare(op.results[i], id);
    each(real.registers(), [&](const std::string& r) { return fmt::format("{}[{}] = {}[{}];", result, r, x[i], r); });
  }
  for (ValueId r : op.results) convert_others(r);
}

}  // namespace tilescope::gpu
