// The reference's reductions, scans, sorting and dots, in their simplest form.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "core/dot_contract.h"
#include "core/fold.h"
#include "sim/tensor_core.h"
#include "tests/property/lanes.h"
#include "tests/property/reference.h"

namespace tilescope::property {
namespace {

uint64_t two_a_plus_b(DType t, uint64_t a, uint64_t b) {
  return lane(OpCode::Add, t, lane(OpCode::Mul, t, a, number_lane(t, 2)), b);
}
uint64_t a_minus_b(DType t, uint64_t a, uint64_t b) { return lane(OpCode::Sub, t, a, b); }
uint64_t shifted_xor(DType t, uint64_t a, uint64_t b) {
  return lane(OpCode::BitXor, t, lane(OpCode::Shl, t, a, number_lane(t, 1)), b);
}
uint64_t larger_else_right(DType t, uint64_t a, uint64_t b) { return lane(OpCode::CmpGt, t, a, b) != 0 ? a : b; }
uint64_t left(DType, uint64_t a, uint64_t) { return a; }

/// Calls fn(first element, distance between elements) for every row along the axis, in order.
template <class Fn>
void for_each_row(const Shape& s, int axis, Fn&& fn) {
  int64_t inner = 1, outer = 1;
  for (int a = 0; a < s.rank; ++a) {
    if (a < axis) outer *= s[a];
    if (a > axis) inner *= s[a];
  }
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) fn(o * s[axis] * inner + i, inner);
}

using CombineFn = std::function<uint64_t(uint64_t, uint64_t)>;

uint64_t tree(const std::vector<uint64_t>& row, size_t begin, size_t count, const CombineFn& f) {
  if (count == 1) return row[begin];
  return f(tree(row, begin, count / 2, f), tree(row, begin + count / 2, count / 2, f));
}

void scan_row(std::vector<uint64_t>& row, size_t begin, size_t count, const CombineFn& f) {
  if (count == 1) return;
  const size_t half = count / 2;
  scan_row(row, begin, half, f);
  scan_row(row, begin + half, half, f);
  for (size_t k = 0; k < half; ++k) row[begin + half + k] = f(row[begin + half - 1], row[begin + half + k]);
}

CombineFn combine_of(const Expr& e) {
  const DType t = e.type.elem;
  if (e.kind == Kind::UserReduce || e.kind == Kind::UserScan) {
    for (const Combine& c : combines())
      if (e.name == c.name) return [t, &c](uint64_t a, uint64_t b) { return c.apply(t, a, b); };
    internal_error("property test: no combine " + e.name);
  }
  const OpCode op = e.name == "sum" || e.name == "cumsum" ? OpCode::Add
                    : e.name == "cumprod"                 ? OpCode::Mul
                    : e.name == "max"                     ? OpCode::Maximum
                    : e.name == "min"                     ? OpCode::Minimum
                    : e.name == "xor_sum"                 ? OpCode::BitXor
                                                          : OpCode::BitOr;
  return [t, op](uint64_t a, uint64_t b) { return lane(op, t, a, b); };
}

/// In the type that the reduction works in.
Lanes converted(Lanes x, DType t) {
  for (uint64_t& l : x.lanes) l = cast_lane(x.type.elem, t, l);
  x.type.elem = t;
  return x;
}

std::vector<uint64_t> row_of(const Lanes& x, int64_t first, int64_t step, int64_t count) {
  std::vector<uint64_t> row;
  for (int64_t k = 0; k < count; ++k) row.push_back(x.lanes[static_cast<size_t>(first + k * step)]);
  return row;
}

// ---- dots
// -------------------------------------------------------------------------------------------------------------------

float as_float(DType t, uint64_t bits) { return static_cast<float>(element_to_double(t, bits)); }

/// One element of the result.
uint64_t chain(DType in, DType out, const std::string& precision, const std::vector<uint64_t>& a,
               const std::vector<uint64_t>& b, uint64_t c) {
  if (in == DType::Int8) {
    for (size_t k = 0; k < a.size(); ++k)
      c = lane(OpCode::Add, out, c,
               number_lane(out, static_cast<double>(signed_lane(in, a[k]) * signed_lane(in, b[k]))));
    return c;
  }
  if (in == DType::Float64 || (in == DType::Float32 && precision == "ieee")) {
    for (size_t k = 0; k < a.size(); ++k) c = fma_lane(in, a[k], b[k], c);
    return c;
  }
  TensorCoreModel model;
  model.operand_min_exponent = in == DType::BFloat16 || in == DType::Float32 ? -126 : -14;
  model.round_to_f16 = out == DType::Float16;
  model.result_min_exponent = model.round_to_f16 ? -14 : -126;
  const size_t group = in == DType::Float32 ? 8 : 16;
  float sum = as_float(out, c);
  for (size_t k = 0; k < a.size(); k += group) {
    std::vector<float> x, y;
    for (size_t j = k; j < k + group; ++j) {
      x.push_back(as_float(in, a[j]));
      y.push_back(as_float(in, b[j]));
      if (in == DType::Float32) x.back() = tf32_operand(std::bit_cast<float>(static_cast<uint32_t>(a[j])));
      if (in == DType::Float32) y.back() = tf32_operand(std::bit_cast<float>(static_cast<uint32_t>(b[j])));
    }
    sum = tensor_core_group(model, x.data(), y.data(), static_cast<int>(group), sum);
  }
  return number_lane(out, sum);
}

}  // namespace

const std::vector<Combine>& combines() {
  static const std::vector<Combine> all = {{"two_a_plus_b", "a * 2 + b", false, two_a_plus_b},
                                           {"a_minus_b", "a - b", false, a_minus_b},
                                           {"shifted_xor", "(a << 1) ^ b", true, shifted_xor},
                                           {"larger_else_right", "tl.where(a > b, a, b)", false, larger_else_right},
                                           {"leftmost", "a", false, left}};
  return all;
}

Lanes reduce(const Expr& e, const Lanes& x) {
  Lanes v = converted(x, e.type.elem), out{e.type, {}};
  if (v.type.shape.rank == 0) return v;
  if (e.ints[0] < 0) v.type.shape = Shape{v.type.elements()};
  const int axis = static_cast<int>(std::max<int64_t>(e.ints[0], 0));
  const CombineFn f = combine_of(e);
  for_each_row(v.type.shape, axis, [&](int64_t first, int64_t step) {
    const std::vector<uint64_t> row = row_of(v, first, step, v.type.shape[axis]);
    out.lanes.push_back(tree(row, 0, row.size(), f));
  });
  return out;
}

std::vector<Lanes> arg_reduce(const Expr& e, const Lanes& x) {
  const Lanes v = converted(x, e.type.elem);
  const auto axis = static_cast<int>(e.ints[0]);
  const bool left_wins = e.ints[1] != 0;
  const DType t = v.type.elem;
  std::vector<Lanes> out(2);
  out[0].type = e.type;
  out[1].type = e.type.with_elem(DType::Int32);
  for_each_row(v.type.shape, axis, [&](int64_t first, int64_t step) {
    const std::vector<uint64_t> row = row_of(v, first, step, v.type.shape[axis]);
    std::vector<uint64_t> index(row.size());
    for (size_t k = 0; k < index.size(); ++k) index[k] = k;
    const CombineFn better = [&](uint64_t a, uint64_t b) {
      const OpCode than = e.name == "max" ? OpCode::CmpGt : OpCode::CmpLt;
      const bool tie = left_wins && lane(OpCode::CmpEq, t, row[a], row[b]) != 0 && a < b;
      return lane(than, t, row[a], row[b]) != 0 || tie ? a : b;
    };
    const uint64_t at = tree(index, 0, index.size(), better);
    out[0].lanes.push_back(row[at]);
    out[1].lanes.push_back(at);
  });
  return out;
}

namespace {

/// keep_larger on indices into two rows.
CombineFn keep_larger(DType x, DType i, const std::vector<uint64_t>& values, const std::vector<uint64_t>& numbers) {
  return [=, &values, &numbers](uint64_t a, uint64_t b) {
    const bool tie =
        lane(OpCode::CmpEq, x, values[a], values[b]) != 0 && lane(OpCode::CmpLt, i, numbers[a], numbers[b]) != 0;
    return lane(OpCode::CmpGt, x, values[a], values[b]) != 0 || tie ? a : b;
  };
}

std::vector<uint64_t> counted(size_t n) {
  std::vector<uint64_t> out(n);
  for (size_t k = 0; k < n; ++k) out[k] = k;
  return out;
}

}  // namespace

std::vector<Lanes> pair_reduce(const Expr& e, const Lanes& x, const Lanes& i) {
  const auto axis = static_cast<int>(e.ints[0]);
  std::vector<Lanes> out = {{e.type, {}}, {e.type.with_elem(i.type.elem), {}}};
  for_each_row(x.type.shape, axis, [&](int64_t first, int64_t step) {
    const std::vector<uint64_t> values = row_of(x, first, step, x.type.shape[axis]),
                                numbers = row_of(i, first, step, x.type.shape[axis]);
    const uint64_t at =
        tree(counted(values.size()), 0, values.size(), keep_larger(x.type.elem, i.type.elem, values, numbers));
    out[0].lanes.push_back(values[at]);
    out[1].lanes.push_back(numbers[at]);
  });
  return out;
}

std::vector<Lanes> pair_scan(const Expr& e, Lanes x, Lanes i) {
  const auto axis = static_cast<int>(e.ints[0]);
  for_each_row(x.type.shape, axis, [&](int64_t first, int64_t step) {
    const std::vector<uint64_t> values = row_of(x, first, step, x.type.shape[axis]),
                                numbers = row_of(i, first, step, x.type.shape[axis]);
    std::vector<uint64_t> row = counted(values.size());
    if (e.ints[1] != 0) std::reverse(row.begin(), row.end());
    scan_row(row, 0, row.size(), keep_larger(x.type.elem, i.type.elem, values, numbers));
    if (e.ints[1] != 0) std::reverse(row.begin(), row.end());
    for (size_t k = 0; k < row.size(); ++k) {
      const auto at = static_cast<size_t>(first + static_cast<int64_t>(k) * step);
      x.lanes[at] = values[row[k]];
      i.lanes[at] = numbers[row[k]];
    }
  });
  return {x, i};
}

Lanes scan(const Expr& e, const Lanes& x) {
  Lanes v = converted(x, e.type.elem);
  const auto axis = static_cast<int>(e.ints[0]);
  const CombineFn f = combine_of(e);
  for_each_row(v.type.shape, axis, [&](int64_t first, int64_t step) {
    std::vector<uint64_t> row = row_of(v, first, step, v.type.shape[axis]);
    if (e.ints[1] != 0) std::reverse(row.begin(), row.end());
    scan_row(row, 0, row.size(), f);
    if (e.ints[1] != 0) std::reverse(row.begin(), row.end());
    for (size_t k = 0; k < row.size(); ++k)
      v.lanes[static_cast<size_t>(first + static_cast<int64_t>(k) * step)] = row[k];
  });
  return v;
}

Lanes sort(const Expr& e, Lanes x) {
  const int64_t n = x.type.shape[x.type.shape.rank - 1];
  const DType t = x.type.elem;
  for (auto row = x.lanes.begin(); row != x.lanes.end(); row += n)
    std::sort(row, row + n, [&](uint64_t a, uint64_t b) {
      return lane(e.ints[0] != 0 ? OpCode::CmpGt : OpCode::CmpLt, t, a, b) != 0;
    });
  return x;
}

Lanes dot(const Expr& e, const Lanes& a, const Lanes& b, const Lanes& acc) {
  const int64_t rows = a.type.shape[0], inner = a.type.shape[1], columns = b.type.shape[1];
  Lanes out{e.type, {}};
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      out.lanes.push_back(chain(a.type.elem, e.type.elem, e.name, row_of(a, r * inner, 1, inner),
                                row_of(b, c, columns, inner), acc.lanes[static_cast<size_t>(r * columns + c)]));
  return out;
}

}  // namespace tilescope::property
