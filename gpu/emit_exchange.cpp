// Values on their way between threads: the exchange buffers in shared memory, and conversions between layouts.
#include <fmt/format.h>

#include <algorithm>

#include "gpu/emitter.h"

namespace tilescope::gpu {

void Emitter::barrier() {
  line("__syncthreads();");
  hazards_.state = {};
}

Emitter::Buffer Emitter::exchange(const Op* op, int64_t bytes) {
  const int b = next_buffer_;
  next_buffer_ ^= 1;
  buffer_bytes_[b] = std::max(buffer_bytes_[b], (bytes + line_bytes() - 1) / line_bytes() * line_bytes());
  exchange_inside_ = exchange_inside_ || inside_pipeline_ > 0;
  if (shared_bytes() > options_.shared_limit)
    refuse(*op,
           fmt::format("this kernel needs {} bytes of shared memory for one program, the GPU has {}", shared_bytes(),
                       options_.shared_limit),
           "smaller tiles need less");
  if ((hazards_.state.read_buffers >> b & 1) != 0) barrier();
  return {b, b == 0 ? "buffer0" : "buffer1"};
}

std::string Emitter::typed(const Buffer& b, const std::string& type, int64_t offset) {
  const std::string name = unique("stage");
  line(fmt::format("{}* const {} = ({}*)({}{});", type, name, type, b.name,
                   offset != 0 ? fmt::format(" + {}", offset) : ""));
  return name;
}

void Emitter::publish(const Buffer& b) {
  barrier();
  hazards_.state.read_buffers |= 1u << b.index;
}

namespace {

/// Registers that hold neighbours of one row, aligned to their number: at most 16 bytes.
int run_of(const TileLayout& l, int64_t bytes, int64_t row) {
  int run = 1;
  for (int64_t b : l.register_bits) {
    if (b != run || 2 * run * bytes > 16 || 2 * run > row || (l.flip & b) != 0) break;
    run *= 2;
  }
  return run;
}
std::string times(const std::string& r, int n) { return n == 1 || r == "0" ? r : fmt::format("{} * {}", r, n); }
std::string plus_times(const std::string& r, int n) { return r == "0" ? "" : " + " + times(r, n); }

}  // namespace

void Emitter::convert_others(ValueId v) {
  if (home(v) < 0) return;
  for (int l : a_.wanted[v])
    if (l != home(v)) convert(v, home(v), l);
}

void Emitter::convert(ValueId v, int from, int to) {
  const TileLayout a = layout(from), b = layout(to);
  const std::string x = declared(v, from), y = declare(v, to), t = c_type(type(v));
  if (a.lane_bits == b.lane_bits && a.warp_bits == b.warp_bits && a.flip == b.flip) {
    std::vector<int64_t> map;  // the same registers in another order
    for (int64_t bit : b.register_bits)
      map.push_back(
          int64_t{1} << (std::find(a.register_bits.begin(), a.register_bits.end(), bit) - a.register_bits.begin()));
    each(b.registers(),
         [&](const std::string& r) { return fmt::format("{}[{}] = {}[{}];", y, r, x, weighted_bits(r, map)); });
    return;
  }
  // In one go where the tile fits; what the stages of a loop that is over have left is there anyway.
  const int64_t left = inside_pipeline_ > 0 || exchange_inside_ ? 0 : pipeline_bytes_ - buffer_bytes_[next_buffer_ ^ 1];
  const int64_t most_bytes = std::max<int64_t>(48 * 1024, left);
  const int64_t n = type(v).elements(), bytes = type(v).storage_bytes();
  line(fmt::format("// {}: another layout, through shared memory", y));
  const std::string on = first_copy(a);
  // Rows are 16 bytes apart in the banks, so that neither side's lanes meet in one.
  const int64_t row = type(v).shape[type(v).shape.rank - 1], stride = row < n ? row + 16 / bytes : row;
  if (n / row * stride <= most_bytes / bytes) {
    const auto place = [&](int64_t b) { return b < row ? b : b / row * stride; };
    const Buffer buffer = exchange(current_, n / row * stride * bytes);
    const std::string s = typed(buffer, t);
    const int put = run_of(a, bytes, row), get = run_of(b, bytes, row);
    each(a.registers() / put, [&](const std::string& r) {
      return fmt::format("{}ts::put_shared<{}>({} + {}, {}{});", on.empty() ? "" : "if (" + on + ") ", put, s,
                         element(a, times(r, put), place), x, plus_times(r, put));
    });
    publish(buffer);
    each(b.registers() / get, [&](const std::string& r) {
      return fmt::format("ts::get_shared<{}>({}{}, {} + {});", get, y, plus_times(r, get), s,
                         element(b, times(r, get), place));
    });
    return;
  }
  const int64_t part = std::min(n, most_bytes / 8 / bytes * 8);
  int64_t chunk = 1;
  while (chunk * 2 <= part) chunk *= 2;
  const Buffer buffer = exchange(current_, chunk * bytes);
  const std::string s = typed(buffer, t), p = unique("part");
  // What no branch has set yet must have a value: ptxas loses later ones otherwise.
  each(b.registers(), [&](const std::string& r) { return fmt::format("{}[{}] = {}();", y, r, t); });
  open(fmt::format("for (int {} = 0; {} < {}; {} += {}) {{", p, p, n, p, chunk));
  each(a.registers(), [&](const std::string& r) {
    const std::string e = element(from, r);
    return fmt::format("if ({}(({}) & {}) == {}) {}[({}) & {}] = {}[{}];", on.empty() ? "" : on + " && ", e, n - chunk,
                       p, s, e, chunk - 1, x, r);
  });
  line("__syncthreads();");
  each(b.registers(), [&](const std::string& r) {
    const std::string e = element(to, r);
    return fmt::format("if ((({}) & {}) == {}) {}[{}] = {}[({}) & {}];", e, n - chunk, p, y, r, s, e, chunk - 1);
  });
  line("__syncthreads();");
  close();
  hazards_.state = {};
}

}  // namespace tilescope::gpu
