// C++ does not say which operand of an operator or function is computed first; Triton text goes from left to right.
// So operations are put in order when a region ends: an operation that stood in another's expression moves before it,
// in the order of the operands. Only a run of operations that all belong to one expression is changed, so nothing ever
// moves across a statement.
#include <algorithm>
#include <set>

#include "core/dsl/session.h"

namespace tilescope::dsl::detail {
namespace {

/// Every operation of the expression that `root` ends.
void collect(const std::vector<Chunk>& chunks, int root, std::set<int>& out) {
  std::vector<int> open = {root};
  while (!open.empty()) {
    const int at = open.back();
    open.pop_back();
    if (!out.insert(at).second) continue;
    for (int child : chunks[static_cast<size_t>(at)].children) open.push_back(child);
  }
}

/// Operands first, left to right; without recursion, since an expression may be long.
void visit(const std::vector<Chunk>& chunks, int root, const std::set<int>& run, std::vector<int>& out) {
  std::vector<std::pair<int, size_t>> open = {{root, 0}};
  while (!open.empty()) {
    auto& [at, next] = open.back();
    const std::vector<int>& children = chunks[static_cast<size_t>(at)].children;
    if (next == children.size()) {
      out.push_back(at);
      open.pop_back();
      continue;
    }
    const int child = children[next++];
    if (run.count(child) != 0) open.emplace_back(child, 0);
  }
}

}  // namespace

void Session::reorder(Region& region) {
  const std::vector<int>& made = region.chunks;
  std::vector<std::vector<int>> runs;
  for (size_t end = made.size(); end > 0;) {
    std::set<int> expression;
    collect(chunks_, made[end - 1], expression);
    size_t begin = end - 1;
    while (begin > 0 && expression.count(made[begin - 1]) != 0) --begin;
    const std::set<int> run(made.begin() + static_cast<long>(begin), made.begin() + static_cast<long>(end));
    visit(chunks_, made[end - 1], run, runs.emplace_back());
    end = begin;
  }
  std::vector<std::unique_ptr<Op>> ops, all = std::move(region.block->ops);
  ops.reserve(all.size());
  for (auto run = runs.rbegin(); run != runs.rend(); ++run)
    for (int at : *run) {
      Chunk& chunk = chunks_[static_cast<size_t>(at)];
      for (size_t i = 0; i < chunk.count; ++i) ops.push_back(std::move(all[chunk.first + i]));
      for (auto& late : chunk.late) ops.push_back(std::move(late));
    }
  region.block->ops = std::move(ops);
}

}  // namespace tilescope::dsl::detail
