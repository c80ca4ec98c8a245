#include "sim/reference.h"

#include <omp.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>

#include "core/launch_file.h"
#include "core/stop.h"

namespace tilescope {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixMap = Eigen::Map<Matrix>;
using ConstMatrixMap = Eigen::Map<const Matrix>;
using ConstRow = Eigen::Map<const Eigen::ArrayXd>;
using Row = Eigen::Map<Eigen::ArrayXd>;

/// A tensor's logical values in row-major order.
struct Values {
  std::vector<int64_t> shape;
  std::vector<double> data;
  int64_t last() const { return shape.empty() ? 1 : shape.back(); }
  int64_t rows() const { return last() == 0 ? 0 : static_cast<int64_t>(data.size()) / last(); }
};

struct Problem {
  std::vector<Values> in;
  std::vector<int64_t> out_shape;
  const std::map<std::string, double>* params;
  std::string place;
  std::vector<double> out;

  double param(const std::string& name, double fallback) const {
    auto it = params->find(name);
    return it == params->end() ? fallback : it->second;
  }
  int64_t out_elements() const {
    int64_t n = 1;
    for (int64_t d : out_shape) n *= d;
    return n;
  }
};

/// Empty when the reference could be computed, else what does not fit.
using Compute = std::function<std::string(Problem&)>;

struct Entry {
  ReferenceInfo info;
  Compute compute;
  const char* rule = "";  ///< what must agree
};

constexpr const char* kSameSize = "both inputs and the output need the same number of elements: references do not repeat a smaller input as numpy does, so give one of the full shape";
constexpr const char* kLikeInput = "the output needs as many elements as the input";
constexpr const char* kRowEach = "the output needs one element for each row of the input, which is all axes but the last";

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& n : names) out += (out.empty() ? "" : ", ") + n;
  return out;
}

Values read_values(const Tensor& t) {
  Values v{t.layout.shape, {}};
  std::vector<std::byte> raw(static_cast<size_t>(t.elements()) * dtype_bytes(t.dtype));
  gather_contiguous(t, raw.data());
  v.data.resize(static_cast<size_t>(t.elements()));
  for (size_t i = 0; i < v.data.size(); ++i) v.data[i] = read_double(t.dtype, raw.data() + i * dtype_bytes(t.dtype));
  return v;
}

std::string shape_text(const std::vector<int64_t>& s) {
  std::string out = "[";
  for (size_t i = 0; i < s.size(); ++i) out += (i ? ", " : "") + std::to_string(s[i]);
  return out + "]";
}

std::string elementwise(Problem& p, double (*fn)(double, double)) {
  const Values& a = p.in[0];
  const Values& b = p.in.back();
  if (a.data.size() != b.data.size())
    return "the inputs have shapes " + shape_text(a.shape) + " and " + shape_text(b.shape);
  p.out.resize(a.data.size());
  for (size_t i = 0; i < a.data.size(); ++i) p.out[i] = fn(a.data[i], b.data[i]);
  return {};
}

std::string transpose(Problem& p) {
  const Values& a = p.in[0];
  if (a.shape.size() != 2) return "the input has shape " + shape_text(a.shape) + ", not two axes";
  p.out.resize(a.data.size());
  MatrixMap(p.out.data(), a.shape[1], a.shape[0]) = ConstMatrixMap(a.data.data(), a.shape[0], a.shape[1]).transpose();
  return {};
}

/// Calls fn(row of x) for every row along the last axis and collects one number each.
std::string reduce_rows(Problem& p, const std::function<double(const ConstRow&)>& fn) {
  const Values& x = p.in[0];
  for (int64_t r = 0; r < x.rows(); ++r) p.out.push_back(fn(ConstRow(x.data.data() + r * x.last(), x.last())));
  return {};
}

std::string softmax(Problem& p) {
  const Values& x = p.in[0];
  p.out.resize(x.data.size());
  for (int64_t r = 0; r < x.rows(); ++r) {
    ConstRow in(x.data.data() + r * x.last(), x.last());
    Row out(p.out.data() + r * x.last(), x.last());
    out = (in - in.maxCoeff()).exp();
    out /= out.sum();
  }
  return {};
}

std::string layer_norm(Problem& p) {
  const Values& x = p.in[0];
  const double eps = p.param("eps", 1e-5);
  for (size_t k = 1; k < p.in.size(); ++k)
    if (static_cast<int64_t>(p.in[k].data.size()) != x.last())
      return "the rows have " + std::to_string(x.last()) + " elements, input " + std::to_string(k + 1) + " has shape " +
             shape_text(p.in[k].shape);
  p.out.resize(x.data.size());
  for (int64_t r = 0; r < x.rows(); ++r) {
    ConstRow in(x.data.data() + r * x.last(), x.last());
    Row out(p.out.data() + r * x.last(), x.last());
    const double mean = in.mean();
    const double variance = (in - mean).square().mean();
    out = (in - mean) / std::sqrt(variance + eps);
    if (p.in.size() > 1) out *= ConstRow(p.in[1].data.data(), x.last());
    if (p.in.size() > 2) out += ConstRow(p.in[2].data.data(), x.last());
  }
  return {};
}

/// Eigen shares out even small products among threads, which then spin for each other longer than the product takes, most
/// of all on a busy machine. Within this object's life the calling thread works alone, unless the product is large.
class Threads {
 public:
  Threads(int64_t m, int64_t n, int64_t k) : before_(omp_get_max_threads()) {
    constexpr double kWorthSharing = 1 << 24;  // multiply-adds: some milliseconds
    if (static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) < kWorthSharing) omp_set_num_threads(1);
  }
  ~Threads() { omp_set_num_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

std::string matmul(Problem& p) {
  const Values &a = p.in[0], &b = p.in[1];
  const std::string shapes = shape_text(a.shape) + " x " + shape_text(b.shape);
  if (a.shape.size() < 2 || b.shape.size() != a.shape.size()) return "matmul wants two matrices, found " + shapes;
  const size_t rank = a.shape.size();
  const int64_t m = a.shape[rank - 2], k = a.shape[rank - 1], n = b.shape[rank - 1];
  if (b.shape[rank - 2] != k) return "the inner sizes differ: " + shapes;
  if (m * k == 0 || k * n == 0) return "an input has no elements: " + shapes;
  const int64_t batch = static_cast<int64_t>(a.data.size()) / (m * k);
  if (batch != static_cast<int64_t>(b.data.size()) / (k * n)) return "the batches differ: " + shapes;
  p.out.assign(static_cast<size_t>(batch * m * n), 0.0);
  if (p.in.size() == 3) {
    if (p.in[2].data.size() != p.out.size()) return "the third input has shape " + shape_text(p.in[2].shape);
    p.out = p.in[2].data;
  }
  const Threads threads(m, n, k);
  for (int64_t i = 0; i < batch; ++i) {
    stop_if_asked();
    MatrixMap(p.out.data() + i * m * n, m, n).noalias() +=
        ConstMatrixMap(a.data.data() + i * m * k, m, k) * ConstMatrixMap(b.data.data() + i * k * n, k, n);
  }
  return {};
}

std::string attention(Problem& p) {
  const Values& q = p.in[0];
  if (q.shape.size() < 2 || p.in[1].shape != q.shape || p.in[2].shape != q.shape)
    return "attention wants q, k and v of one shape [..., L, D]";
  const int64_t d = q.last(), l = q.shape[q.shape.size() - 2];
  if (l * d == 0) return "the inputs have no elements";
  const double scale = p.param("scale", 1.0 / std::sqrt(static_cast<double>(d)));
  const bool causal = p.param("causal", 0) != 0;
  p.out.resize(q.data.size());
  const Threads threads(l, l, d);
  for (size_t at = 0; at < q.data.size(); at += static_cast<size_t>(l * d)) {
    Matrix s = ConstMatrixMap(q.data.data() + at, l, d) * ConstMatrixMap(p.in[1].data.data() + at, l, d).transpose() * scale;
    if (causal)
      for (int64_t i = 0; i < l; ++i) s.row(i).tail(l - 1 - i).setConstant(-std::numeric_limits<double>::infinity());
    for (int64_t i = 0; i < l; ++i) {
      s.row(i) = (s.row(i).array() - s.row(i).maxCoeff()).exp();
      s.row(i) /= s.row(i).sum();
    }
    MatrixMap(p.out.data() + at, l, d) = s * ConstMatrixMap(p.in[2].data.data() + at, l, d);
  }
  return {};
}

const std::vector<Entry>& entries() {
  static const auto* table = new std::vector<Entry>{
      {{"add", 2, 2, "x + y, element by element"}, [](Problem& p) { return elementwise(p, [](double a, double b) { return a + b; }); }, kSameSize},
      {{"sub", 2, 2, "x - y, element by element"}, [](Problem& p) { return elementwise(p, [](double a, double b) { return a - b; }); }, kSameSize},
      {{"mul", 2, 2, "x * y, element by element"}, [](Problem& p) { return elementwise(p, [](double a, double b) { return a * b; }); }, kSameSize},
      {{"copy", 1, 1, "x"}, [](Problem& p) { return elementwise(p, [](double a, double) { return a; }); }, kLikeInput},
      {{"relu", 1, 1, "max(x, 0)"}, [](Problem& p) { return elementwise(p, [](double a, double) { return std::max(a, 0.0); }); }, kLikeInput},
      {{"exp", 1, 1, "e to the x"}, [](Problem& p) { return elementwise(p, [](double a, double) { return std::exp(a); }); }, kLikeInput},
      {{"sigmoid", 1, 1, "1 / (1 + exp(-x))"}, [](Problem& p) { return elementwise(p, [](double a, double) { return 1 / (1 + std::exp(-a)); }); }, kLikeInput},
      {{"transpose", 1, 1, "a matrix with rows and columns exchanged"}, transpose, "the input has two axes, [M, N]; the output needs M * N elements"},
      {{"softmax", 1, 1, "softmax along the last axis"}, softmax, kLikeInput},
      {{"sum", 1, 1, "sum along the last axis"}, [](Problem& p) { return reduce_rows(p, [](const ConstRow& r) { return r.sum(); }); }, kRowEach},
      {{"max", 1, 1, "largest along the last axis"}, [](Problem& p) { return reduce_rows(p, [](const ConstRow& r) { return r.maxCoeff(); }); }, kRowEach},
      {{"mean", 1, 1, "mean along the last axis"}, [](Problem& p) { return reduce_rows(p, [](const ConstRow& r) { return r.mean(); }); }, kRowEach},
      {{"matmul", 2, 3, "a @ b, plus c when given; leading axes are a batch"}, matmul, "the inputs are [..., M, K], [..., K, N] and perhaps [..., M, N], which is the shape of the output too"},
      {{"layer_norm", 1, 3, "(x - mean) / sqrt(variance + eps) * weight + bias along the last axis; param eps"}, layer_norm, "weight and bias have one element for each column, the output as many as the first input"},
      {{"attention", 3, 3, "softmax(q k^T scale) v; params scale, causal"}, attention, "q, k, v and the output have one shape, [..., L, D]"},
  };
  return *table;
}

}  // namespace

const std::vector<ReferenceInfo>& references() {
  static const auto* infos = [] {
    auto* out = new std::vector<ReferenceInfo>;
    for (const Entry& e : entries()) out->push_back(e.info);
    return out;
  }();
  return *infos;
}

std::optional<Diagnostic> find_reference_problem(const std::string& name, int inputs, const std::string& place) {
  std::vector<std::string> names;
  for (const Entry& e : entries()) {
    names.push_back(e.info.name);
    if (e.info.name != name) continue;
    if (inputs >= e.info.min_inputs && inputs <= e.info.max_inputs) return std::nullopt;
    return plain_error(place + ": reference \"" + name + "\" was given " + std::to_string(inputs) + " inputs",
                       e.info.doc + "; name the input tensors in \"inputs\"");
  }
  const std::string near = nearest_name(name, names);
  return plain_error(place + ": there is no reference \"" + name + "\"",
                     near.empty() ? "references: " + joined(names) : "did you mean \"" + near + "\"?");
}

Expected<ReferenceResult> compute_reference(const std::string& name, const std::vector<const Tensor*>& inputs,
                                            const std::map<std::string, double>& params, const Tensor& output,
                                            const std::string& place) {
  if (auto problem = find_reference_problem(name, static_cast<int>(inputs.size()), place)) return *problem;
  const Entry* entry = &*std::find_if(entries().begin(), entries().end(), [&](const Entry& e) { return e.info.name == name; });
  Problem p;
  for (const Tensor* t : inputs) {
    if (t->elements() == 0) return plain_error(place + ": input " + t->name + " has no elements");
    p.in.push_back(read_values(*t));
  }
  p.out_shape = output.layout.shape;
  p.params = &params;
  p.place = place;
  if (std::string problem = entry->compute(p); !problem.empty())
    return plain_error(place + ": reference \"" + name + "\": " + problem, entry->rule);
  if (static_cast<int64_t>(p.out.size()) != p.out_elements())
    return plain_error(place + ": reference \"" + name + "\" gives " + std::to_string(p.out.size()) + " elements, " + output.name + " has shape " +
                           shape_text(p.out_shape),
                       entry->rule);
  return std::move(p.out);
}

}  // namespace tilescope
