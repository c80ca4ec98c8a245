#include "sim/cost/traffic_work.h"

#include <algorithm>

#include "core/dot_contract.h"
#include "core/provenance.h"

namespace tilescope::cost {
namespace {

double& at(WorkCounts& w, WorkUnit u) { return w.flops[static_cast<int>(u)]; }

/// Walks from a value back to the loads that it is made of, through ops that keep lanes apart and control flow.
class LoadsBehind {
 public:
  explicit LoadsBehind(const Function& f) : home_(f.values.size()) { index(f.body); }

  std::vector<const Op*> of(ValueId v) {
    seen_.clear();
    loads_.clear();
    visit(v);
    return loads_;
  }

 private:
  struct Home {
    const Op* op = nullptr;
    int region = -1;
    size_t position = 0;
  };
  void index(const Block& b) {
    for (const auto& op : b.ops) {
      for (size_t i = 0; i < op->results.size(); ++i) home_[op->results[i]] = {op.get(), -1, i};
      for (size_t r = 0; r < op->regions.size(); ++r) {
        for (size_t i = 0; i < op->regions[r].args.size(); ++i) home_[op->regions[r].args[i]] = {op.get(), static_cast<int>(r), i};
        index(op->regions[r]);
      }
    }
  }
  void visit(ValueId first) {
    std::vector<ValueId> left{first};
    while (!left.empty()) {
      const ValueId v = left.back();
      left.pop_back();
      if (!seen_.emplace(v, true).second) continue;
      const Home h = home_[v];
      if (h.op != nullptr) step(h, left);
    }
  }
  void step(const Home& h, std::vector<ValueId>& left) {
    const Op& op = *h.op;
    const auto ends = [](const Block& b) -> const std::vector<ValueId>& { return b.ops.back()->operands; };
    switch (op.code) {
      case OpCode::Load:
        loads_.push_back(&op);
        return;
      case OpCode::For: {
        if (h.region == 0 && h.position == 0) return;
        const size_t i = h.region == 0 ? h.position - 1 : h.position;
        left.push_back(op.operands[i + 3]);
        left.push_back(ends(op.regions[0])[i]);
        return;
      }
      case OpCode::While:
        if (h.region == 0) {
          left.push_back(op.operands[h.position]);
          left.push_back(ends(op.regions[1])[h.position]);
        } else {
          left.push_back(ends(op.regions[0])[h.position + 1]);
        }
        return;
      case OpCode::If:
        for (const Block& r : op.regions) left.push_back(ends(r)[h.position]);
        return;
      default: {
        const OpGroup g = op.info().group;
        if (g == OpGroup::Elementwise || g == OpGroup::Shape)
          for (ValueId o : op.operands) left.push_back(o);
      }
    }
  }

  std::vector<Home> home_;
  std::unordered_map<ValueId, bool> seen_;
  std::vector<const Op*> loads_;
};

/// The unit that does a dot, and how often it does the product.
std::pair<WorkUnit, double> unit_of(const Op& dot) {
  const std::optional<DotContract> c = parse_dot_contract(dot.str_attr("contract"));
  if (!c) return {WorkUnit::Fp32, 1};
  using Input = DotContract::Input;
  switch (c->input) {
    case Input::F16: return {WorkUnit::TensorFp16, 1};
    case Input::BF16: return {WorkUnit::TensorBf16, 1};
    case Input::TF32: return {WorkUnit::TensorTf32, 1};
    case Input::TF32x3: return {WorkUnit::TensorTf32, 3};
    case Input::BF16x3: return {WorkUnit::TensorBf16, 3};
    case Input::BF16x6: return {WorkUnit::TensorBf16, 6};
    case Input::F64: return {WorkUnit::Fp64, 1};
    case Input::I8: return {WorkUnit::TensorInt8, 1};
    case Input::F32: break;
  }
  return {WorkUnit::Fp32, 1};
}

/// Arithmetic of one lane: moving, comparing and converting values is none.
double flops_of_lane(OpCode c) {
  switch (c) {
    case OpCode::Fma: return 2;
    case OpCode::Select: case OpCode::Cast: case OpCode::Bitcast: case OpCode::CopySign: case OpCode::Neg: case OpCode::Abs:
    case OpCode::UintToUniform: case OpCode::AddPtr: case OpCode::IntToPtr: case OpCode::PtrToInt: return 0;
    default: return 1;
  }
}

class Counter {
 public:
  Counter(const Function& f, const OpMap& sliced_of) : f_(f), sliced_of_(sliced_of), behind_(f) {}

  KernelWork run() {
    block(f_.body, 1);
    close();
    for (const WorkUnit u : {WorkUnit::Fp32, WorkUnit::Fp64, WorkUnit::TensorFp16, WorkUnit::TensorBf16, WorkUnit::TensorTf32,
                             WorkUnit::TensorFp8, WorkUnit::TensorInt8})
      if (at(weighted_, u) > at(weighted_, out_.dominant)) out_.dominant = u;
    return std::move(out_);
  }

 private:
  void close() {
    out_.places.push_back(open_);
    open_ = {};
  }

  void block(const Block& b, double weight) {
    for (const auto& op : b.ops) {
      const bool control = op->code == OpCode::For || op->code == OpCode::While || op->code == OpCode::If;
      if (op->code == OpCode::If && sliced_of_.count(op.get()) == 0) {
        add(dropped(*op), weight);
      } else if (control) {
        close();
        constexpr double kTurns = 64;  // of a loop, for want of a better guess
        for (const Block& r : op->regions) block(r, op->code == OpCode::If ? weight : weight * kTurns);
      } else if (is_memory(op->code) || op->code == OpCode::Yield || op->code == OpCode::Condition) {
        close();
      } else {
        add(work_of(*op), weight);
      }
    }
  }

  void add(const WorkCounts& w, double weight) {
    add_work(open_, w);
    add_work(weighted_, w, weight);
  }

  /// A branch without an access or a loop.
  WorkCounts dropped(const Op& op) {
    WorkCounts sides[2];
    for (size_t r = 0; r < 2; ++r)
      for (const auto& inner : op.regions[r].ops) add_work(sides[r], inner->code == OpCode::If ? dropped(*inner) : work_of(*inner));
    const WorkCounts& more = sides[0].total() >= sides[1].total() ? sides[0] : sides[1];
    out_.left_out = out_.left_out || more.total() > 0;
    return more;
  }

  WorkCounts work_of(const Op& op) {
    WorkCounts w;
    if (op.code == OpCode::Dot) {
      dot(op, w);
    } else if (op.info().group == OpGroup::Elementwise) {
      elementwise(op, static_cast<double>(f_.type(op.results[0]).elements()), w);
    } else if (op.code == OpCode::Reduce || op.code == OpCode::Scan) {
      combine(op, w);
    }
    return w;
  }

  void elementwise(const Op& op, double lanes, WorkCounts& w) const {
    const Type& t = f_.type(op.results[0]);
    if (t.pointer || !is_float(t.elem)) return;
    at(w, t.elem == DType::Float64 ? WorkUnit::Fp64 : WorkUnit::Fp32) += lanes * flops_of_lane(op.code);
  }

  // An axis of n elements is combined n - 1 times.
  void combine(const Op& op, WorkCounts& w) const {
    const Type& t = f_.type(op.operands[0]);
    const auto axis = static_cast<int>(op.int_attr("axis"));
    const auto times = static_cast<double>(t.elements() - t.elements() / std::max<int64_t>(t.shape[axis], 1));
    if (op.regions.empty()) {
      if (is_float(t.elem)) at(w, t.elem == DType::Float64 ? WorkUnit::Fp64 : WorkUnit::Fp32) += times;
      return;
    }
    for (const auto& inner : op.regions[0].ops)
      if (inner->info().group == OpGroup::Elementwise) elementwise(*inner, times, w);
  }

  void dot(const Op& op, WorkCounts& w) {
    const Shape& a = f_.type(op.operands[0]).shape;
    const Shape& c = f_.type(op.results[0]).shape;
    const double products = static_cast<double>(c.elements()) * static_cast<double>(a[a.rank - 1]);
    const auto [unit, times] = unit_of(op);
    at(w, unit) += 2 * products * times;
    w.dot_multiply_adds += products;
    for (size_t k = 0; k < 2; ++k) {
      int bytes = 0;
      for (const Op* load : behind_.of(op.operands[k])) bytes = std::max(bytes, dtype_bytes(f_.type(load->operands[0]).elem));
      w.operand_bytes += products * bytes;
    }
  }

  const Function& f_;
  const OpMap& sliced_of_;
  LoadsBehind behind_;
  WorkCounts open_, weighted_;
  KernelWork out_;
};

}  // namespace

double WorkCounts::total() const {
  double sum = 0;
  for (double f : flops) sum += f;
  return sum;
}

void add_work(WorkCounts& to, const WorkCounts& from, double times) {
  for (int u = 0; u < kWorkUnits; ++u) to.flops[u] += from.flops[u] * times;
  to.dot_multiply_adds += from.dot_multiply_adds * times;
  to.operand_bytes += from.operand_bytes * times;
}

KernelWork count_work(const Function& whole, const OpMap& sliced_of) { return Counter(whole, sliced_of).run(); }

std::unordered_map<const Op*, bool> loads_of_dots(const Function& f) {
  std::unordered_map<const Op*, bool> out;
  LoadsBehind behind(f);
  walk(f.body, [&](const Op& op) {
    if (op.code != OpCode::Dot) return;
    for (size_t k = 0; k < 2; ++k)
      for (const Op* load : behind.of(op.operands[k])) out[load] = true;
  });
  return out;
}

}  // namespace tilescope::cost
