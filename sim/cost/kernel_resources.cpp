#include <algorithm>
#include <map>
#include <vector>

#include "core/affine.h"
#include "core/layout.h"
#include "sim/cost/occupancy.h"

namespace tilescope::cost {
namespace {

// What a compiler keeps besides the values that are alive: addresses under way, operands on their way to the units. Triton
// 3.6 takes 1.2 to 1.3 times the registers of the values for tiled matmuls.
constexpr double kBesides = 1.25;
constexpr int kLeast = 16;
constexpr int64_t kMostScratch = 48 << 10;  // larger exchanges go in parts

/// Ops whose result needs no registers of its own: it is a constant, or the operand's registers seen in another shape.
bool is_view(OpCode c) {
  return c == OpCode::Splat || c == OpCode::ExpandDims || c == OpCode::Broadcast || c == OpCode::Reshape || c == OpCode::Trans;
}

bool is_free(OpCode c) { return c == OpCode::Constant || c == OpCode::MakeRange; }

/// A walk over the ops in program order that finds from where to where each value is alive.
class Liveness {
 public:
  Liveness(const Function& f) : f_(f), axes_(f), root_(f.values.size()), from_(f.values.size(), -1), to_(f.values.size(), -1),
                                free_(f.values.size(), false), size_(f.values.size(), 0) {
    for (ValueId v = 0; v < f.values.size(); ++v) root_[v] = v;
    mark_operands(f.body, false);
    for (size_t p = 0; p < f.params.size(); ++p) from_[p] = 0;
    visit(f.body, -1);
  }

  int64_t peak() const {
    std::vector<int64_t> change(static_cast<size_t>(now_) + 2, 0);
    for (ValueId v = 0; v < f_.values.size(); ++v) {
      if (free_[v] || root_[v] != v || from_[v] < 0 || to_[v] <= from_[v]) continue;
      int64_t n = registers(v);
      change[from_[v] + 1] += n;
      change[to_[v] + 1] -= n;
    }
    int64_t alive = 0, most = 0;
    for (int64_t c : change) most = std::max(most, alive += c);
    return most;
  }

 private:
  /// Loads in loops that feed dots go to shared memory directly; other operands of dots pass through it.
  void mark_operands(const Block& block, bool in_loop) {
    std::map<ValueId, const Op*> made_by;
    for (const auto& op : block.ops)
      for (ValueId r : op->results) made_by[r] = op.get();
    for (const auto& op : block.ops) {
      if (op->code == OpCode::Dot && in_loop)
        for (int i = 0; i < 2; ++i)
          for (auto it = made_by.find(op->operands[i]); it != made_by.end();) {
            free_[it->first] = true;
            bool pass = it->second->code == OpCode::Cast || is_view(it->second->code);
            it = pass ? made_by.find(it->second->operands[0]) : made_by.end();
          }
      for (const Block& r : op->regions) mark_operands(r, in_loop || op->code == OpCode::For || op->code == OpCode::While);
    }
  }

  void use(ValueId v, int64_t at, int64_t loop_begin) {
    v = root_[v];
    // A value from outside a loop is needed in its next turn too: until the end of the loop, set when that is known.
    if (from_[v] >= 0 && from_[v] < loop_begin) outside_.push_back(v);
    to_[v] = std::max(to_[v], at);
  }

  void visit(const Block& block, int64_t loop_begin) {
    for (ValueId a : block.args) from_[a] = now_;
    for (const auto& op : block.ops) {
      int64_t at = ++now_;
      for (ValueId v : op->operands) use(v, at, loop_begin);
      bool loop = op->code == OpCode::For || op->code == OpCode::While;
      size_t mark = outside_.size();
      for (const Block& r : op->regions) visit(r, loop ? at : loop_begin);
      if (loop) {
        ++now_;
        for (size_t i = mark; i < outside_.size(); ++i) to_[outside_[i]] = now_;
      }
      for (ValueId r : op->results) define(*op, r);
      remember_access(*op);
    }
  }

  void define(const Op& op, ValueId r) {
    from_[r] = now_;
    if (is_free(op.code)) free_[r] = true;
    if (is_view(op.code)) {
      root_[r] = root_[op.operands[0]];
      if (free_[op.operands[0]]) free_[r] = true;
    }
  }

  /// Threads hold one address for each vector that they access, not one for each element.
  void remember_access(const Op& op) {
    if (op.code != OpCode::Load && op.code != OpCode::Store) return;
    if (f_.type(op.operands[0]).is_scalar()) return;
    AccessLayout layout = choose_access_layout(f_, op, f_.num_warps, axes_);
    size_[root_[op.operands[0]]] = std::max<int64_t>(1, layout.registers() / std::max(1, layout.vector_width));
  }

  int64_t registers(ValueId v) const {
    const Type& t = f_.type(v);
    int64_t words = t.pointer ? 2 : std::max(1, dtype_bytes(t.elem) / 4);
    if (t.is_scalar()) return words;
    int64_t threads = int64_t{32} * f_.num_warps, n = t.elements();
    if (t.pointer && size_[v] > 0) return words * size_[v];
    if (is_bool(t.elem) && !t.pointer) return std::max<int64_t>(1, n / threads / 32);
    if (t.pointer || is_int(t.elem)) {
      // Neighbours differ by a constant, or not at all: one register stands for the run.
      int64_t run = 1;
      for (int d = 0; d < t.shape.rank; ++d) {
        const AxisFacts& facts = axes_.of(v).axes[d];
        run = std::max(run, std::min<int64_t>(t.shape[d], std::max(facts.contiguity, facts.constancy)));
      }
      n = std::max<int64_t>(1, n / run);
    }
    int64_t bits = t.pointer ? 64 : std::max(8, dtype_bits(t.elem));
    return std::max<int64_t>(1, (n + threads - 1) / threads * bits / 32);
  }

  const Function& f_;
  AxisAnalysis axes_;
  std::vector<ValueId> root_;
  std::vector<int64_t> from_, to_;  ///< positions in the walk; -1: not met
  std::vector<bool> free_;
  std::vector<int64_t> size_;       ///< of pointers that are accessed: vectors of a thread
  std::vector<ValueId> outside_;
  int64_t now_ = 0;
};

int64_t tile_bytes(const Type& t) { return t.elements() * (t.pointer ? 8 : dtype_bytes(t.elem)); }

struct SharedUse {
  int64_t pipelined = 0;  ///< one stage of the loads that feed dots in loops
  int64_t operands = 0;   ///< other operands of dots
  int64_t scratch = 0;    ///< the largest exchange across warps
};

void find_shared(const Function& f, const Block& block, bool in_loop, SharedUse& use) {
  std::map<ValueId, const Op*> made_by;
  for (const auto& op : block.ops)
    for (ValueId r : op->results) made_by[r] = op.get();
  for (const auto& op : block.ops) {
    if (op->code == OpCode::Dot) {
      for (int i = 0; i < 2; ++i) {
        ValueId v = op->operands[i];
        auto it = made_by.find(v);
        while (it != made_by.end() && it->second->code != OpCode::Load &&
               (it->second->code == OpCode::Cast || is_view(it->second->code))) {
          v = it->second->operands[0];
          it = made_by.find(v);
        }
        bool loaded = it != made_by.end() && it->second->code == OpCode::Load;
        (loaded && in_loop ? use.pipelined : use.operands) += tile_bytes(f.type(v));
      }
    }
    if (op->code == OpCode::Reduce || op->code == OpCode::Scan) {
      int64_t bytes = 0;
      for (ValueId r : op->results) {
        const Type& t = f.type(r);
        int64_t across = op->code == OpCode::Reduce ? f.num_warps : 1;
        bytes += std::min(tile_bytes(t) * across, tile_bytes(f.type(op->operands[0])));
      }
      use.scratch = std::max(use.scratch, bytes);
    }
    if (op->code == OpCode::Gather || op->code == OpCode::Sort || op->code == OpCode::TopK || op->code == OpCode::Flip ||
        op->code == OpCode::Histogram)
      use.scratch = std::max(use.scratch, tile_bytes(f.type(op->operands[0])));
    for (const Block& r : op->regions)
      find_shared(f, r, in_loop || op->code == OpCode::For || op->code == OpCode::While, use);
  }
}

}  // namespace

int estimate_registers(const Function& f) {
  double n = kBesides * static_cast<double>(Liveness(f).peak());
  return static_cast<int>(std::clamp(n, static_cast<double>(kLeast), 1e6));
}

int64_t estimate_shared_bytes(const Function& f) {
  SharedUse use;
  find_shared(f, f.body, false, use);
  return std::max(use.pipelined * std::max(1, f.num_stages) + use.operands, std::min(use.scratch, kMostScratch));
}

}  // namespace tilescope::cost
