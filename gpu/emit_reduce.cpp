// Reductions and scans in the one order of the IR: adjacent pairs of the logical index, lower index on the left. Index
// bits are combined from low to high, wherever each of them lies: in registers, between lanes, through shared memory.
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
constexpr Builtin kBuiltins[] = {{"sum", "ts::add"},
                                 {"prod", "ts::mul"},
                                 {"max", "ts::maximum"},
                                 {"min", "ts::minimum"},
                                 {"max_nan", "ts::maximum_nan"},
                                 {"min_nan", "ts::minimum_nan"},
                                 {"and", "ts::bit_and"},
                                 {"or", "ts::bit_or"},
                                 {"xor", "ts::bit_xor"}};

/// Registers with bit `position` taken out: where its two halves lie, as weights of the bits that are left.
std::vector<int64_t> without_bit(size_t bits, size_t position) {
  std::vector<int64_t> out;
  for (size_t i = 0; i < bits; ++i)
    if (i != position) out.push_back(int64_t{1} << i);
  return out;
}

enum class BitPlace { Register, Lane, Warp };
BitPlace place_of_bit(const TileLayout& l, int64_t bit) {
  const auto in = [bit](const std::vector<int64_t>& bits) {
    return std::find(bits.begin(), bits.end(), bit) != bits.end();
  };
  return in(l.register_bits) ? BitPlace::Register : in(l.lane_bits) ? BitPlace::Lane : BitPlace::Warp;
}

std::vector<std::string> at_all(const std::vector<std::string>& arrays, const std::string& index) {
  std::vector<std::string> out;
  for (const std::string& a : arrays) out.push_back(a + "[" + index + "]");
  return out;
}

}  // namespace

std::string Emitter::combine_function(const Op& op) {
  constexpr size_t kMostTiles = 64;  // own1, other1 and so on are names of the emitted text
  if (op.operands.size() > kMostTiles)
    refuse(op, fmt::format("`{}` of more than {} tiles at once has no GPU form", op.info().name, kMostTiles));
  const std::string_view name = op.str_attr("combine");
  if (type(op.operands[0]).elem == DType::Float32 && op.operands.size() == 1) {
    if (name == "max") return "ts::largest";
    if (name == "min") return "ts::smallest";
  }
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
    if (name == "sum" && (t == DType::Float32 || t == DType::Float64))
      return fmt::format("{} = {} + {};", to[0], left[0], right[0]);
    return fmt::format("{} = {}({}, {});", to[0], function, left[0], right[0]);
  }
  const bool largest = name.starts_with("argmax"), left_wins = !name.ends_with("_right");
  const std::string keep = "left";
  return fmt::format(
      "{{ const bool {0} = ts::keep_left<{1}, {2}>({3}, {5}, {4}, {6}); {7} = {0} ? {3} : {4}; {8} = {0} ? {5} : {6}; "
      "}}",
      keep, largest, left_wins, left[0], right[0], left[1], right[1], to[0], to[1]);
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

bool Emitter::any_order(const Op& op) const {
  const std::string_view name = op.str_attr("combine");
  if (name == "sum" || name == "prod") return !is_float(type(op.operands[0]).elem);
  return op.operands.size() == 1 && name != "user";
}

void Emitter::emit_reduce(const Op& op) {
  const int from = a_.operand_layout.at(&op), axis = static_cast<int>(op.int_attr("axis"));
  const Shape shape = type(op.operands[0]).shape;
  const int64_t inner = row_major_strides(shape)[axis], end = inner * shape[axis];
  const std::string function = combine_function(op), name(op.str_attr("combine"));
  line(fmt::format("// {} along axis {}: {}", name == "user" ? "reduction" : name, axis,
                   any_order(op) ? "in any order" : "adjacent pairs first"));
  const std::vector<std::string> x = working_copies(op, from);
  TileLayout l = layout(from);
  std::vector<int64_t> bits;  // of the element index, in the order in which they are combined
  for (int64_t bit = inner; bit < end; bit *= 2) bits.push_back(bit);
  if (any_order(op))
    std::stable_sort(bits.begin(), bits.end(),
                     [&](int64_t p, int64_t q) { return place_of_bit(l, p) < place_of_bit(l, q); });
  size_t done = 0;
  for (; done < bits.size() && place_of_bit(l, bits[done]) != BitPlace::Warp; ++done) {
    if (place_of_bit(l, bits[done]) == BitPlace::Register)
      combine_registers(op, function, x, l, bits[done]);
    else
      combine_lanes(op, function, x, l, bits[done], end);
    l.flip &= ~bits[done];
  }
  bits.erase(bits.begin(), bits.begin() + static_cast<std::ptrdiff_t>(done));
  const Implied after = without_axis(layout(from), shape, axis);
  if (!bits.empty()) return reduce_across_warps(op, function, x, l, bits, after.layout);
  const int out = type(op.results[0]).is_tile() ? a_.intern(after.layout) : kScalar;
  for (size_t i = 0; i < op.results.size(); ++i) {
    const std::string result = declare(op.results[i], out);
    each(after.layout.registers(), [&](const std::string& r) {
      return fmt::format("{}{} = {}[{}];", result, out < 0 ? "" : "[" + r + "]", x[i], r);
    });
  }
  for (ValueId r : op.results) convert_others(r);
}

void Emitter::combine_registers(const Op& op, const std::string& function, const std::vector<std::string>& x,
                                TileLayout& l, int64_t bit) {
  const auto reg = std::find(l.register_bits.begin(), l.register_bits.end(), bit);
  const auto position = static_cast<size_t>(reg - l.register_bits.begin());
  const std::vector<int64_t> rest = without_bit(l.register_bits.size(), position);
  const bool swapped = (l.flip & bit) != 0;  // the lower half of the axis lies where the bit is set
  each(l.registers() / 2, [&](const std::string& r) {
    const std::string low = weighted_bits(r, rest),
                      high = low == "0" ? std::to_string(1 << position) : fmt::format("{} + {}", low, 1 << position);
    return combined(op, function, at_all(x, r), at_all(x, swapped ? high : low), at_all(x, swapped ? low : high));
  });
  l.register_bits.erase(reg);
}

/// Combines each lane with the one across `bit`. A lane with several partial results along the axis keeps half of them
/// and gives the other half away; the lane bit then stands for the register bit that told the halves apart.
void Emitter::combine_lanes(const Op& op, const std::string& function, const std::vector<std::string>& x, TileLayout& l,
                            int64_t bit, int64_t end) {
  const auto lane = std::find(l.lane_bits.begin(), l.lane_bits.end(), bit);
  const int mask = 1 << (lane - l.lane_bits.begin());
  const bool swapped = (l.flip & bit) != 0;
  const auto reg =
      std::find_if(l.register_bits.begin(), l.register_bits.end(), [&](int64_t b) { return b > bit && b < end; });
  if (reg == l.register_bits.end()) {
    each(l.registers(), [&](const std::string& r) {
      return combined_across(op, function, at_all(x, r), at_all(x, r), at_all(x, r), mask, swapped);
    });
    *lane = 0;
    return;
  }
  const auto position = static_cast<size_t>(reg - l.register_bits.begin());
  const std::vector<int64_t> rest = without_bit(l.register_bits.size(), position);
  each(l.registers() / 2, [&](const std::string& r) {
    const std::string low = weighted_bits(r, rest),
                      high = low == "0" ? std::to_string(1 << position) : fmt::format("{} + {}", low, 1 << position);
    return combined_across(op, function, at_all(x, r), at_all(x, low), at_all(x, high), mask, swapped);
  });
  *lane = *reg;
  l.register_bits.erase(reg);
}

/// Text for one register: lanes with the bit of `mask` keep `high` and give `low` away, the others the other way round.
std::string Emitter::combined_across(const Op& op, const std::string& function, const std::vector<std::string>& to,
                                     const std::vector<std::string>& low, const std::vector<std::string>& high,
                                     int mask, bool swapped) {
  const std::string_view name = op.str_attr("combine");
  const bool symmetric = name != "user" && to.size() == 1, halves = low != high;
  std::vector<std::string> mine, theirs;
  std::string text = "{";
  const std::string up = "up";
  if (halves || !symmetric) text += fmt::format(" const bool {} = (lane & {}) != 0;", up, mask);
  for (size_t i = 0; i < to.size(); ++i) {
    const std::string t = c_type(type(op.operands[i]).with_shape({}));
    theirs.push_back(i == 0 ? "other" : "other" + std::to_string(i));
    mine.push_back(i == 0 ? "own" : "own" + std::to_string(i));
    text += fmt::format(" const {0} {1} = ts::from_lane_xor({2}, {3}), {4} = {5};", t, theirs[i],
                        halves ? fmt::format("{} ? {} : {}", up, low[i], high[i]) : low[i], mask, mine[i],
                        halves ? fmt::format("{} ? {} : {}", up, high[i], low[i]) : low[i]);
  }
  if (symmetric) return text + " " + combined(op, function, to, mine, theirs) + " }";
  return fmt::format("{} if ({}{}) {} else {} }}", text, swapped ? "" : "!", up,
                     combined(op, function, to, mine, theirs), combined(op, function, to, theirs, mine));
}

/// What is left of the axis goes through shared memory: [index left along the axis][element of the result].
void Emitter::reduce_across_warps(const Op& op, const std::string& function, const std::vector<std::string>& x,
                                  const TileLayout& l, const std::vector<int64_t>& bits, const TileLayout& after) {
  const int axis = static_cast<int>(op.int_attr("axis"));
  const Shape shape = type(op.operands[0]).shape;
  const int64_t inner = row_major_strides(shape)[axis], outer = inner * shape[axis], left = int64_t{1} << bits.size(),
                results = type(op.results[0]).elements();
  const auto place = [&](int64_t b) {
    if (b < inner) return b;
    if (b >= outer) return b / shape[axis];
    const auto at = std::find(bits.begin(), bits.end(), b);
    return at == bits.end() ? int64_t{0} : results << (at - bits.begin());
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
      return fmt::format("{}{}[{}] = {}[{}];", once.empty() ? "" : "if (" + once + ") ", stages[i],
                         element(l, r, place), x[i], r);
    });
  }
  publish(buffer);
  const int out = type(op.results[0]).is_tile() ? a_.intern(after) : kScalar;
  const auto declare_parts = [&](int64_t count) {
    for (size_t i = 0; i < x.size(); ++i) {
      parts.push_back(unique("part"));
      line(fmt::format("{} {}[{}];", c_type(type(op.operands[i]).with_shape({})), parts[i], count));
    }
  };
  if (results == 1 && left <= kLanesPerWarp) {  // one value a lane, then between lanes: every lane ends with the result
    declare_parts(1);
    for (size_t i = 0; i < x.size(); ++i) line(fmt::format("{}[0] = {}[lane & {}];", parts[i], stages[i], left - 1));
    for (int mask = 1; mask < left; mask *= 2)
      line(combined_across(op, function, at_all(parts, "0"), at_all(parts, "0"), at_all(parts, "0"), mask, false));
    for (size_t i = 0; i < x.size(); ++i) {
      const std::string result = declare(op.results[i], out);
      line(fmt::format("{}{} = {}[0];", result, out < 0 ? "" : "[0]", parts[i]));
    }
    for (ValueId r : op.results) convert_others(r);
    return;
  }
  for (ValueId r : op.results) names.push_back(declare(r, out));
  open(after.registers() > 1 ? fmt::format("each(r, {}) {{", after.registers()) : "{");
  const std::string reg = after.registers() > 1 ? "r" : "0";
  declare_parts(left);
  for (size_t i = 0; i < x.size(); ++i)
    line(fmt::format("each(pos, {}) {}[pos] = {}[{} + pos * {}];", left, parts[i], stages[i],
                     element(after, reg, [](int64_t b) { return b; }), results));
  for (int64_t n = left / 2; n >= 1; n /= 2)
    line(fmt::format(
        "each(pos, {}) {}", n,
        combined(op, function, at_all(parts, "pos"), at_all(parts, "2 * pos"), at_all(parts, "2 * pos + 1"))));
  for (size_t i = 0; i < x.size(); ++i)
    line(fmt::format("{}{} = {}[0];", names[i], out < 0 ? "" : "[" + reg + "]", parts[i]));
  close();
  for (ValueId r : op.results) convert_others(r);
}

/// Sklansky: at level j every element whose index has bit j set takes the last element of the block before its own. A
/// level whose pairs lie in registers of one thread needs no exchange.
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
  const auto bit_of = [&](int64_t b, const std::string& r) {
    return element(l, r, [b](int64_t c) { return c == b ? int64_t{1} : int64_t{0}; });
  };
  for (int64_t bit = inner; bit < inner * length; bit *= 2) {
    // Low bits of the axis that are register bits: the source is in the same thread.
    bool local = true;
    int64_t last = 0, own = 0;
    for (int64_t b = inner; b <= bit; b *= 2) {
      const auto reg = std::find(l.register_bits.begin(), l.register_bits.end(), b);
      local = local && reg != l.register_bits.end() && (l.flip & b) == 0;
      const int64_t weight = reg == l.register_bits.end() ? 0 : int64_t{1} << (reg - l.register_bits.begin());
      if (b < bit)
        last |= weight;
      else
        own = weight;
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
      bytes =
          (bytes + type(v).elements() / length * (length / (2 * bit / inner)) * type(v).storage_bytes() + 15) / 16 * 16;
    }
    // Only the last element of every lower block is read: [block][the other axes].
    const auto place = [&](int64_t b) {
      if (b < inner) return b;
      if (b >= inner * length) return b / (2 * bit / inner);
      return b <= bit ? int64_t{0} : b / (2 * bit) * inner;
    };
    const auto is_last = [&](const std::string& r) {
      std::string out;
      for (int64_t b = inner; b <= bit; b *= 2)
        out += fmt::format("{}({}) {} 0", out.empty() ? "" : " && ", bit_of(b, r), b < bit ? "!=" : "==");
      return out;
    };
    const Buffer buffer = exchange(&op, bytes);
    const std::string once = first_copy(l);
    std::vector<std::string> stages;
    for (size_t i = 0; i < x.size(); ++i) {
      stages.push_back(typed(buffer, c_type(type(op.operands[i]).with_shape({})), offsets[i]));
      each(l.registers(), [&](const std::string& r) {
        return fmt::format("if ({}{}) {}[{}] = {}[{}];", once.empty() ? "" : once + " && ", is_last(r), stages[i],
                           element(l, r, place), x[i], r);
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
