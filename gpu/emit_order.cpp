// Sort, top-k and histogram, through shared memory.
#include <fmt/format.h>

#include "gpu/emitter.h"

namespace tilescope::gpu {

/// Every element counts those of its row that go before it; equal ones keep their order. That is its place.
void Emitter::emit_sort(const Op& op) {
  const ValueId source = op.operands[0], result = op.results[0];
  const int from = any_layout(source), id = home(result);
  const bool uniform = home(source) == kUniform;
  const std::string t = c_type(type(source).with_shape({}));
  const int64_t elements = type(source).elements(), bytes = type(source).storage_bytes();
  const int64_t n = type(source).shape[type(source).shape.rank - 1],
                keep = type(result).shape[type(result).shape.rank - 1];
  const std::string descending = op.code == OpCode::TopK || op.int_attr("descending") != 0 ? "true" : "false";
  if (uniform) {  // a row of equal elements is sorted
    const std::string name = declare(result, id);
    each(layout(id).registers(),
         [&](const std::string& r) { return fmt::format("{}[{}] = {};", name, r, scalar(source)); });
    return convert_others(result);
  }
  const std::string once = first_copy(layout(from)), guard = once.empty() ? "" : "if (" + once + ") ";
  const Buffer rows = exchange(&op, elements * bytes);
  const std::string row = typed(rows, t);
  each(layout(from).registers(), [&](const std::string& r) {
    return fmt::format("{}{}[{}] = {};", guard, row, element(from, r), at(source, from, r));
  });
  publish(rows);
  const Buffer sorted = exchange(&op, elements / n * keep * bytes);
  const std::string to = typed(sorted, t);
  open(fmt::format("for (int spot = threadIdx.x; spot < {}; spot += {}) {{", elements, out_.threads));
  line(fmt::format("const int row_start = spot & ~{};", n - 1));
  line(fmt::format("const ts::uint64_t key = ts::order_key({}[spot], {});", row, descending));
  line("int place = 0;");
  open(fmt::format("for (int pos = row_start; pos < row_start + {}; ++pos) {{", n));
  line(fmt::format("const ts::uint64_t other_key = ts::order_key({}[pos], {});", row, descending));
  line("place += other_key < key || (other_key == key && pos < spot);");
  close();
  line(fmt::format("if (place < {}) {}[row_start / {} * {} + place] = {}[spot];", keep, to, n, keep, row));
  close();
  publish(sorted);
  const std::string name = declare(result, id);
  each(layout(id).registers(),
       [&](const std::string& r) { return fmt::format("{}[{}] = {}[{}];", name, r, to, element(id, r)); });
  convert_others(result);
}

void Emitter::emit_histogram(const Op& op) {
  const ValueId result = op.results[0], value = op.operands[0];
  const int from = a_.operand_layout.at(&op), id = home(result);
  const int64_t bins = type(result).elements();
  const Buffer buffer = exchange(&op, bins * 4);
  const std::string count = typed(buffer, "int"), once = first_copy(layout(from));
  line(fmt::format("for (int spot = threadIdx.x; spot < {}; spot += {}) {}[spot] = 0;", bins, out_.threads, count));
  barrier();
  each(layout(from).registers(), [&](const std::string& r) {
    std::string on = fmt::format("(ts::uint64_t)(ts::int64_t)({}) < {}", at(value, from, r), bins);
    if (op.operands.size() > 1) on += " && " + at(op.operands[1], from, r);
    if (!once.empty()) on += " && " + once;
    return fmt::format("if ({}) atomicAdd(&{}[(int)({})], 1);", on, count, at(value, from, r));
  });
  publish(buffer);
  const std::string name = declare(result, id);
  each(layout(id).registers(),
       [&](const std::string& r) { return fmt::format("{}[{}] = {}[{}];", name, r, count, element(id, r)); });
  convert_others(result);
}

}  // namespace tilescope::gpu
