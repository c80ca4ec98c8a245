// Loop-invariant motion: a pure op in a loop's body whose operands are all defined outside moves in front of the loop.
// Inner loops first, so that an op leaves several loops at once. Loads stay: another program or the loop may write.
#include <vector>

#include "core/passes/all.h"

namespace tilescope::passes {
namespace {

class Licm {
 public:
  explicit Licm(Function& f) : f_(f), level_(f.values.size(), 0) {}
  void run() { block(f_.body, 0); }

 private:
  using Ops = std::vector<std::unique_ptr<Op>>;

  /// Values of a block at `level` carry that level; the body of a loop or branch is one deeper.
  void block(Block& b, int level) {
    for (ValueId v : b.args) level_[v] = level;
    Ops done;
    done.reserve(b.ops.size());
    for (auto& op : b.ops) {
      const bool loop = op->code == OpCode::For || op->code == OpCode::While;
      for (Block& r : op->regions) {
        block(r, level + 1);
        if (loop) hoist(r, level + 1, done);
      }
      for (ValueId v : op->results) level_[v] = level;
      done.push_back(std::move(op));
    }
    b.ops = std::move(done);
  }

  void hoist(Block& body, int level, Ops& before) {
    Ops stay;
    stay.reserve(body.ops.size());
    for (auto& op : body.ops) {
      bool invariant = is_pure(*op) && op->regions.empty();
      for (ValueId v : op->operands) invariant = invariant && level_[v] < level;
      if (!invariant) {
        stay.push_back(std::move(op));
        continue;
      }
      for (ValueId v : op->results) level_[v] = level - 1;
      before.push_back(std::move(op));
    }
    body.ops = std::move(stay);
  }

  Function& f_;
  std::vector<int> level_;
};

}  // namespace

void hoist_loop_invariant(Function& f) { Licm(f).run(); }

}  // namespace tilescope::passes
